from raters.cli import main

main()
