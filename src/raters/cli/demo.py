"""``raters demo``: the report on a simulated example."""

from __future__ import annotations

from pathlib import Path

import click

from raters.cli.choices import REPORT_FORMAT
from raters.cli.options import output_file, put, refuse
from raters.cli.progress import working
from raters.cli.report import cut_tables, made, say


@click.command()
@click.option("--format", "format_", type=REPORT_FORMAT, default="html", show_default=True)
@output_file("File to write; demo-report.html by default, the terminal for other formats.")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@click.option("--open", "open_", is_flag=True, help="Open the report in the browser.")
def demo(format_: str, output: Path | None, force: bool, open_: bool) -> None:
    """Write the report on a simulated example of 200 items and 5 raters.

    \b
    raters demo
    raters demo --format text
    """
    from raters import examples

    if output is None and format_ == "html":
        output = Path("demo-report.html")
    refuse(output, force)
    with working("report") as stage:
        report = made(examples.demo(), {}, stage)
        content = report.render(format_)
    put(content, output, force)
    if output is not None:
        cut_tables(report, output, force)
        say(report, output, open_)
