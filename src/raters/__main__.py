"""``python -m raters``: the command line."""

from raters.cli import main

main()
