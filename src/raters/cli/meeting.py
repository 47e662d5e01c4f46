"""``raters meeting``: the items on which people differ, as a list for a meeting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option
from raters.cli.inputs import source
from raters.cli.options import put, read_table, reading, refuse, stop
from raters.cli.terminal import working


@command()
@source
@option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write: .xlsx, .docx, .html or .csv.",
)
@option("--most", type=click.IntRange(min=1), help="At most so many items, the hardest.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@reading
def meeting(file: Path | list[Path], output: Path, most: int | None, force: bool, **options: Any) -> None:
    """List the items of FILE on which people differ, hardest first, with their text, who said what, and an empty column
    for the decision. Decisions are read back as gold: raters consensus FILE --gold meeting.xlsx.

    \b
    raters meeting labels.csv -o meeting.xlsx
    raters meeting labels.csv -o meeting.docx --most 20
    raters consensus labels.csv --gold meeting.xlsx -o gold.csv
    """
    from raters.reporting.answer import Answer, printed
    from raters.reporting.how_read import how_read
    from raters.reporting.meeting import WRITERS
    from raters.reporting.meeting import meeting as listed
    from raters.writing import write_whole

    if output.suffix.lower() not in WRITERS:
        stop(f"{output.name} has no known format; use a name that ends in one of {', '.join(WRITERS)}.")
    refuse(output, force)
    with working("listing"):
        ann = read_table(file, options)
        sheet = listed(ann, most)
        content = WRITERS[output.suffix.lower()](sheet)
    write_whole(output, content, force)
    read = how_read(ann, figures=False)
    said = f"{len(sheet.rows):,} of {ann.n_items:,} items on which people differ, hardest first: {output}"
    more = f"Fill in 'decision', then: raters consensus {file if isinstance(file, Path) else 'FILE'} --gold {output}"
    put(printed(Answer(answer=said, change=read.change, do=(more,), read=read.lines)), None, force)
