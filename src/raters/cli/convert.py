"""``raters convert``: write any table of labels as a long table, one row for each annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli import of_spans
from raters.cli.command import command, option
from raters.cli.inputs import source, write_key
from raters.cli.of_spans import or_spans
from raters.cli.options import output_file, put, read_table, reading, refuse, stop
from raters.cli.terminal import working


@command()
@source
@option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="File to write, such as labels.csv or labels.parquet.")  # fmt: skip
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@option("--unit", type=click.Choice(["token"]), help="Spans: make an item of each token, with its label or O.")
@reading
@or_spans(of_spans.convert)
def convert(file: Path | list[Path], output: Path, force: bool, **options: Any) -> None:
    """Write FILE as a long table with the columns item, rater, label and any others.

    \b
    raters convert wide.xlsx -o labels.csv
    raters convert export.json -o labels.parquet
    """
    from raters.io.write_long import as_csv, as_parquet
    from raters.reporting.first_lines import first_lines
    from raters.writing import write_whole

    options.pop("unit")
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


@command()
@source
@output_file("Path of the fold, such as 2026-11-15.fold.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@option(
    "--group",
    metavar="COLUMN",
    help="Distinguish the values of a column: rater, for coefficients that compare named raters; or a pool.",
)
@reading
def fold(file: Path | list[Path], output: Path | None, force: bool, group: str | None, **options: Any) -> None:
    """Fold FILE: count how many items show each pattern of labels. Folds (.fold) can be added up, and every command
    that needs no names reads them.

    \b
    raters fold today.parquet -o 2026-11-15.fold
    raters agree 2026-11-*.fold
    raters agree 2026-11-*.fold --by fold
    raters agree 2026-11-15.fold --against 2026-11-14.fold
    raters fold 2026-11-*.fold -o 2026-11.fold
    """
    from raters.errors import UsageError
    from raters.io.fold_files.file import ENDING
    from raters.items.saved_fold import Fold
    from raters.reporting.first_lines import first_lines

    if output is None or output.suffix.lower() != ENDING:
        raise UsageError(f"pass the path of the fold, with a name that ends in {ENDING}: -o NAME{ENDING}")
    refuse(output, force)
    with working("folding"):
        ann = read_table(file, options)
        made = Fold.of(file if ann.layout == "fold" else ann, group=group)
    write_key()
    made.save(output, force=force)
    named = f"; it holds the names of {len(made.groups):,} values of {group!r}" if group else ""
    written = f"written: {output} ({len(made.items):,} patterns of {made.n_items:,} items{named})"
    put(
        "".join(f"{line}\n" for line in (*first_lines(ann, figures=False), str(ann), written)),
        None,
        force,
        format_="text",
    )
