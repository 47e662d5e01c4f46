"""``raters serve``: the page on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from raters.cli.command import command, option
from raters.errors import UsageError

NEEDED = "raters serve needs the extra [web]: pip install 'raters[web]'."


@command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE...]")
@option("--port", type=click.IntRange(0, 65535), default=0, help="Port on this machine; a free one by default.")
@option("--no-browser", is_flag=True, help="Do not open the browser.")
def serve(files: tuple[Path, ...], port: int, no_browser: bool) -> None:
    """Open a page on this computer: drop a file, see how it was read, look, decide, download.

    \b
    raters serve
    raters serve labels.csv
    raters serve labels.csv --no-browser --port 8000
    Nothing leaves this computer. Ctrl-C ends it.
    """
    for path in files:
        if not path.exists():
            raise UsageError(f"{str(path)!r}: no such file.")
    try:
        from raters.web.app import run
    except ImportError:
        raise UsageError(NEEDED) from None

    def tell(address: str) -> None:
        click.echo(f"Open {address}")

    click.echo("raters serve: on this computer only; Ctrl-C ends it.")
    for path in run([f.resolve() for f in files], port, not no_browser, tell):
        click.echo(f"Your decisions are in {path}")
