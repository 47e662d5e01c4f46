"""``raters groups``: groups of raters who agree more within the group than with the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option
from raters.cli.inputs import source
from raters.cli.options import put, read_table, reading, refuse, writing
from raters.cli.terminal import working


@command()
@source
@option("--by", metavar="COLUMN[,COLUMN]", help="Columns about raters, such as gender,age; all of them if omitted.")
@option("--test", "permutations", type=click.IntRange(min=1), default=999, show_default=True, metavar="N",
        help="Number of shuffles of whole raters.")  # fmt: skip
@option("--no-intersections", "alone", is_flag=True, help="Only the values of single columns.")
@option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
)
@reading
@writing
def groups(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Find groups of raters in FILE who agree more within the group than with the others.

    \b
    raters groups labels.csv --by gender,age
    raters groups labels.csv --by region --least-raters 8

    Groups of fewer than --least-raters raters (5) are not shown, nor groups that would show them by subtraction.
    """
    from raters.reliability.soft.evaluation import labelled
    from raters.reliability.xrr.groups import groups as find
    from raters.reporting.tables import FORMATS

    refuse(output, force)
    with working("reading"):
        ann = read_table(file, options)
    with working("comparing groups"):
        found = find(
            ann,
            options["by"],
            least=options["least_raters"],
            permutations=options["permutations"],
            intersections=not options["alone"],
            seed=options["seed"],
        )
    if format_ == "text":
        put("\n".join([str(found), *labelled("Read", str(ann).splitlines())]) + "\n", output, force, format_=format_)
        return
    extra = {k: v for k, v in found.to_dict().items() if k not in ("schema", "estimates")}
    put(FORMATS[format_](ann, found, found.sentence, [], **extra), output, force, format_=format_)
