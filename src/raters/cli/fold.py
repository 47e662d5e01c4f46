"""``raters fold``: write a table as the patterns of its labels, in a small file that can be added to others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.options import output_file, put, read_table, reading, refuse
from raters.cli.people import write_key
from raters.cli.progress import working
from raters.cli.source import source


@click.command()
@source
@output_file("Path of the fold, such as 2026-11-15.fold.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option(
    "--group",
    metavar="COLUMN",
    help="Distinguish the values of a column: rater, for coefficients that compare named raters; or a pool.",
)
@reading
def fold(file: Path | list[Path], output: Path | None, force: bool, group: str | None, **options: Any) -> None:
    """Fold FILE: count how many items show each pattern of labels. Folds (.fold) can be added up, and every command that needs no names reads them.

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
