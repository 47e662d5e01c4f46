"""``raters agree``: how far do raters agree?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.options import (
    COEFFICIENTS,
    NAMED_WEIGHTS,
    check,
    inference,
    read_table,
    reading,
    refuse,
    threshold,
    working,
    write,
    writing,
)

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-c",
    "--coefficient",
    multiple=True,
    type=click.Choice(COEFFICIENTS),
    help="One or more; all that apply if not given.",
)
@click.option("--weights", type=click.Choice(NAMED_WEIGHTS), help="Agreement weights; on numbers by value.")
@click.option(
    "--weights-by",
    type=click.Choice(["value", "position"]),
    default="value",
    show_default=True,
    help="Numeric labels by value or by position.",
)
@click.option(
    "--margins",
    type=click.Choice(["items", "pooled"]),
    default="items",
    show_default=True,
    help="Margins of fleiss, gwet and scott: every item alike, or every annotation.",
)
@click.option("--se", type=click.Choice(["gwet"]), help="gwet: the standard error of irrCAC.")
@click.option("--by", metavar="COLUMN", help="One figure for each value of a column.")
@click.option("--group", metavar="COLUMN", help="Who is compared with whom: a pool, a round.")
@click.option(
    "--within",
    type=click.Choice(["rater"]),
    help="rater: compare only labels of the same rater (intra-rater).",
)
@click.option(
    "--cluster", metavar="COLUMN", help="Draw whole clusters of items (documents, dialogues) for the interval."
)
@click.option(
    "--sample",
    type=click.Choice(["items", "raters", "both"]),
    default="items",
    show_default=True,
    help="What the interval draws anew; the rest is held fixed.",
)
@click.option(
    "--per",
    type=click.Choice(["category", "rater", "pair", "item"]),
    help="One figure for each label, rater, pair of raters, or item.",
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="[COEFFICIENT[:low]=]NUMBER",
    help="Exit with 1 if the figure (or its lower limit) is below, or undefined.",
)
@inference
@reading
@writing
def agree(
    file: Path, format_: str, output: Path | None, force: bool, fail_under: tuple[str, ...], **options: Any
) -> None:
    """How far do the raters of FILE agree?

    \b
    raters agree labels.csv
    raters agree labels.csv --item doc --rater worker --label answer --scale nominal
    raters agree ratings.csv --scale ordinal --labels bad,ok,good -c fleiss --weights quadratic
    raters agree labels.csv --per rater
    raters agree labels.csv --fail-under krippendorff:low=0.667
    """
    thresholds = [threshold(t) for t in fail_under]
    refuse(output, force)
    with working("reading"):
        ann = read_table(file, options)
    with working("computing agreement"):
        table, lead = measure(ann, [name for name, _, _ in thresholds if name], options)
    write(ann, table, lead, format_, output, force)
    check(table, lead, thresholds)


def measure(ann: Annotations, wanted: Sequence[str], options: dict[str, Any]) -> tuple[list[Estimate], Estimate | None]:
    """The table that was asked for, and the estimate that the first sentence is about."""
    from raters import agree as api

    names = ("weights", "weights_by", "margins", "interval", "se", "cluster", "sample", "level", "resamples", "seed")
    given: Any = {k: options[k] for k in names if options.get(k) is not None}
    if given.get("interval") == "none":
        given["interval"] = None
    by, group, per = options.get("by"), options.get("group"), options.get("per")
    chosen = options.get("coefficient") or ()
    if per is not None:
        function: Any = getattr(api, f"per_{per}")
        extra = {"group": group} if group and per in ("category", "item") else {}
        tables = [function(ann, *name, **extra, **given) for name in ([[c] for c in chosen] or [[]])]
        return [e for table in tables for e in table], None
    wanted = [*(chosen or api.applicable(ann, group)), *wanted]
    results: list[Any] = [
        api.agreement(ann, name, by=by, group=group, within=options.get("within"), **api.weighted(name, ann, given))
        for name in dict.fromkeys(wanted)
    ]
    if by is not None:
        return [e for table in results for e in table], None
    return results, next((e for e in results if e.name == "krippendorff"), results[0])
