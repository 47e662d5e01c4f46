"""``raters convert``: write any table of labels as a long table, one row for each annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.options import put, read_table, reading, refuse, stop
from raters.cli.progress import working
from raters.cli.source import source


@click.command()
@source
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="File to write, such as labels.csv or labels.parquet.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@reading
def convert(file: Path | list[Path], output: Path, force: bool, **options: Any) -> None:
    """Write FILE as a long table with the columns item, rater, label and any others.

    \b
    raters convert wide.xlsx -o labels.csv
    raters convert export.json -o labels.parquet
    """
    from raters.io.write_long import as_csv, as_parquet
    from raters.reporting.first_lines import first_lines
    from raters.writing import write_whole

    refuse(output, force)
    writers: dict[str, Any] = {".csv": as_csv, ".parquet": as_parquet}
    if output.suffix.lower() not in writers:
        stop(f"{output.name} has no known format; use a name that ends in .csv or .parquet.")
    with working("converting"):
        ann = read_table(file, options)
        content = writers[output.suffix.lower()](ann)
    write_whole(output, content, force)
    put(
        "".join(f"{line}\n" for line in (*first_lines(ann, figures=False), str(ann), f"written: {output}")), None, force
    )
