"""``raters check``: the error rate of a data set, from a checked sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option
from raters.cli.options import output_file, put, refuse, stop


@command()
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@option(
    "--sheet",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw N labels of FILE at random, as a sheet to fill in (-o).",
)
@option("--by", metavar="COLUMN", help="With --sheet: the column of strata, equally many labels of each.")
@option("--errors", type=click.IntRange(min=0), help="Without FILE: the number of wrong labels among those checked.")
@option("--checked", type=click.IntRange(min=0), help="Without FILE: the number of labels that were checked.")
@option("--population", type=click.IntRange(min=1), help="The number of all labels.")
@option(
    "--at-most", type=float, metavar="SHARE", help="The share of errors to be shown; alone: how many labels to check."
)
@option("--level", type=float, default=0.95, show_default=True, help="Level of the interval and of the bound.")
@option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="With --sheet: the same seed draws the same.",
)
@option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_file("Write to FILE instead of the terminal.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def check(file: Path | None, format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Estimate the error rate of a data set from labels that were checked: a sheet in FILE, or numbers.

    \b
    raters check --at-most 0.02
    raters check gold.csv --sheet 149 -o sheet.csv
    raters check sheet.csv --at-most 0.02
    raters check --errors 3 --checked 100

    Fill in the column 'answer' with the right label. With --at-most, the exit code is 1 if it is not shown.
    """
    from raters.errors import UsageError
    from raters.reliability.planning.checked_sample import ALLOWED, sample_size, sheet_of
    from raters.reliability.planning.checked_sample import check as rate
    from raters.writing import csv_text

    refuse(output, force)
    if options["sheet"] is not None:
        if file is None:
            raise UsageError("--sheet draws labels from FILE: pass the file of the data set.")
        made = sheet_of(str(file), options["sheet"], options["by"], options["seed"])
        put(csv_text(list(made), zip(*made.values(), strict=True)), output, force)
        return
    given = {name: options[name] for name in ("errors", "checked", "population", "at_most", "level")}
    if file is None and options["errors"] is None and options["checked"] is None and options["at_most"] is not None:
        sizes = {c: sample_size(options["at_most"], c, options["level"]) for c in ALLOWED}
        put(_needed(sizes, options, format_), output, force, format_=format_)
        return
    found = rate(None if file is None else str(file), **given)
    put(
        f"{found}\n" if format_ == "text" else json.dumps(found.to_dict(), indent=2) + "\n",
        output,
        force,
        format_=format_,
    )
    if found.goal is not None and not found.shown:
        stop(f"at most {found.goal:g} is not shown: the bound is {found.bound:.4f}", 1)


def _needed(sizes: dict[int, int], options: dict[str, Any], format_: str) -> str:
    if format_ == "json":
        return (
            json.dumps(
                {"schema": 1, "at_most": options["at_most"], "sizes": {str(c): n for c, n in sizes.items()}}, indent=2
            )
            + "\n"
        )
    first = next(iter(sizes.values()))
    more = ", ".join(f"{n:,} with {c}" for c, n in list(sizes.items())[1:])
    return (
        f"Check {first:,} labels drawn at random: if none is wrong, at most {options['at_most']:.2g} of all are, with"
        f" {options['level']:.0%} confidence.\nIf errors are to be allowed, say how many before looking: {more}.\n"
    )
