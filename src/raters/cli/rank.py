"""``raters rank``: rank systems by people's preferences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option
from raters.cli.options import output_file, put, refuse
from raters.cli.terminal import working


@command()
@click.argument("file", type=click.Path(path_type=Path))
@option("--first", metavar="COLUMN", help="Column of the system shown first, or on the left.")
@option("--second", metavar="COLUMN", help="Column of the other system.")
@option("--won", metavar="COLUMN", help="Column of the winner: a system's name, a position, or tie.")
@option("--item", metavar="COLUMN", help="Column of the question or prompt that was voted on.")
@option("--rater", metavar="COLUMN", help="Column of the person who voted.")
@option("--position", is_flag=True, help="Allow for an advantage of the system shown first.")
@option("--prior", type=float, default=0.0, show_default=True, help="Penalty on strengths, if some system always wins.")
@option(
    "--level", type=float, default=0.95, show_default=True, help="Level of the intervals and of the ranks together."
)
@option("--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@output_file("Write to FILE instead of the terminal.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def rank(file: Path, format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Rank systems by the votes in FILE: two systems and the winner in each row.

    \b
    raters rank votes.csv
    raters rank arena.jsonl --position
    raters rank votes.csv --first left --second right --won better
    """
    from raters.judges.ranking import rank as ranked
    from raters.writing import csv_text

    refuse(output, force)
    with working("ranking"):
        found = ranked(str(file), **options)
    if format_ == "json":
        put(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n", output, force)
    elif format_ == "csv":
        keys = ("rank_low", "rank_high", "wins", "ties", "losses", "part")
        rows = [(e.name, e.value, e.se, *(e.details[k] for k in keys)) for e in found]
        put(csv_text(["system", "strength", "se", *keys], rows), output, force)
    else:
        put(f"{found}\n", output, force, format_=format_)
