"""``raters xrr``: whether another pool of raters would give the same labels."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli import of_spans
from raters.cli.command import command, option, taken
from raters.cli.of_spans import or_spans
from raters.cli.options import how_much, put, read_table, reading, refuse, rendered, writing
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Cross

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.reliability.xrr.result import CrossReliability
    from raters.reliability.xrr.xrr import CrossTable


@command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@option("--pool", metavar="COLUMN", help="If there is one file: the column that names the pool of a rater.")
@option("--by", metavar="COLUMN", help="Report one row for each value of a column.")
@option("--per-label", is_flag=True, help="Report one row for each label against the rest.")
@taken(Cross)
@option(
    "--margin", type=float, help="Also report whether the whole interval of normalised kappa_x is at least this margin."
)
@option("--why", is_flag=True, help="Split the disagreement between two pools into leniency, labels and items.")
@option(
    "--plan",
    "width",
    type=float,
    metavar="WIDTH",
    help="Plan the number of items for an interval of normalised kappa_x of this width.",
)
@option("--schema", type=click.Choice(["irep"]), help="irep: read the IRep data as published.")
@reading
@writing
@or_spans(of_spans.xrr)
def xrr(files: tuple[Path, ...], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Measure whether another pool of raters would give the same labels: the cross-replication reliability of FILES,
    one for each pool, or of one file with --pool.

    \b
    raters xrr crowd.csv experts.csv --trusted experts
    raters xrr labels.csv --pool city
    raters xrr labels.csv --pool city --per-label --irr cohen -o table.txt
    raters xrr people.csv model.csv --test 2000
    raters xrr IREP_data_release.csv --schema irep --irr cohen
    """
    from raters.reliability.xrr.xrr import xrr_table

    refuse(output, force)
    with working("reading"):
        anns = _read(files, options)
    given = given_to(Cross, options) | {name: options[name] for name in ("pool", "by", "per_label")}
    if len(files) > 1:
        given["names"] = given["names"] or _names(files)
    if options["why"] or options["width"]:
        _further(anns, given, options, format_, output, force)
        return
    with working("comparing pools"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes say the same
        table = xrr_table(*anns, **given)
    single = len(table) == 1 and options["by"] is None and not options["per_label"]
    result = table[0] if single else table
    put(render(result, anns, format_, options["margin"]), output, force)


def _further(
    anns: list[Annotations],
    given: dict[str, Any],
    options: dict[str, Any],
    format_: str,
    output: Path | None,
    force: bool,
) -> None:
    """Why two pools differ, or how many items a second pool should label."""
    from raters.reliability.planning.replication import plan_replication
    from raters.reliability.xrr.xrr import xrr as compared

    common: Any = {name: options[name] for name in ("level", "resamples", "seed")}
    if options["width"]:
        if options["pool"]:
            raise click.UsageError(
                "--plan takes one or two files, one for each pool, and cannot be combined with --pool."
            )
        found = plan_replication(*anns[:2], width=options["width"], margin=options["margin"], **common)
        e = next(row for row in found if row.name.startswith("items for"))
        known = e.value == e.value
        lead = (
            f"{e.title}: {e.value:,.0f}"
            if known
            else f"The number of items needed cannot be determined: {e.undefined}."
        )
        put(rendered(Sources(anns), found, lead, format_), output, force)
        return
    apart = compared(*anns[:2], pool=options["pool"], names=given["names"], interval=None).why(
        interval=options["interval"],
        **common,
    )
    named = [f"{i['item']}: {i['labels']}" for i in apart.items]
    lines = ["items with the largest excess:", *named, *map(str, apart.notes)]
    put(
        rendered(
            Sources(anns), [*apart.estimates, *apart.shifts], apart.sentence, format_, lines, items=list(apart.items)
        ),
        output,
        force,
    )


def _read(files: tuple[Path, ...], options: dict[str, Any]) -> list[Annotations]:
    if options["schema"] == "irep":
        from raters.datasets import irep
        from raters.errors import UsageError

        if len(files) != 1:
            raise UsageError("--schema irep reads a single file, the published one.")
        options["pool"], options["by"] = options["pool"] or "platform", options["by"] or "expression"
        return [irep(files[0])]
    return [read_table(file, options) for file in files]


def _names(files: tuple[Path, ...]) -> list[str]:
    """The names of the files without their endings, where these differ."""
    stems = [file.name.split(".")[0] for file in files]
    return stems if len(set(stems)) == len(stems) else [str(file) for file in files]


def render(
    result: CrossReliability | CrossTable, anns: list[Annotations], format_: str, margin: float | None = None
) -> str:
    """The sentence, the table and the data; for several rows, one line each."""
    from raters.reliability.xrr.result import CrossReliability
    from raters.reporting.tables import FORMATS, text
    from raters.reporting.xrr_answer import xrr_answer

    lead, lines = _said(result)
    table = result.estimates if format_ in ("json", "csv") else _shown(result)
    extra = _extra(result)
    if margin is not None:
        verdicts = [row.equivalence(margin) for row in ([result] if isinstance(result, CrossReliability) else result)]
        lines = [*(str(v) for v in verdicts), *lines]
        extra["equivalence"] = [v.to_dict() for v in verdicts]
    if format_ == "text":
        lines = [line for line in lines if line not in _said(result)[1]] + ([str(result.test)] if result.test else [])
        about: Any = Sources(anns)
        return text(about, table, lead, answer=xrr_answer(result, Sources(anns), lead, lines), shown=how_much())
    return FORMATS[format_](Sources(anns), table, lead, lines, **extra)


def _shown(result: CrossReliability | CrossTable) -> Any:
    """For readers: all figures of a single pair; for several pairs, the four main ones."""
    from raters.reliability.xrr.result import CrossReliability

    if isinstance(result, CrossReliability):
        return result.estimates
    return [
        replace(e, name=f"{'' if row.slice is None else f'{row.slice}: '}{row.pools[0]} v. {row.pools[1]}")
        for row in result
        for e in (row.kappa_x, row.irr_x, row.irr_y, row.normalized)
    ]


def _said(result: CrossReliability | CrossTable) -> tuple[str, list[str]]:
    """The lines before and after the table."""
    from raters.reliability.xrr.result import CrossReliability

    test = [str(result.test)] if result.test else []
    if isinstance(result, CrossReliability):
        left = (
            f"{result.n_shared:,} shared items; excluded from the kappa between the pools: {result.n_only_x:,} only in"
            f" {result.pools[0]}, {result.n_only_y:,} only in {result.pools[1]}."
        )
        return result.sentence, [left, *test]
    lines = [f"{row.slice}: {row.sentence}" if row.slice is not None else row.sentence for row in result]
    tables = []
    if len(result.slices) == 1:
        for what in ("kappa_x", "normalized"):
            tables += [
                (
                    "Kappa between the pools, with the IRR of each pool on the diagonal:"
                    if what == "kappa_x"
                    else "Normalised kappa between the pools:"
                ),
                *str(result.matrix(what)).splitlines(),
            ]
    return f"{len(result)} pairs of pools.", [*lines, *tables, *test]


def _extra(result: CrossReliability | CrossTable) -> dict[str, Any]:
    """What the JSON holds besides the estimates."""
    whole = result.to_dict()
    return {k: v for k, v in whole.items() if k not in ("schema", "estimates", "rows")} | (
        {"rows": [{k: v for k, v in row.items() if k != "estimates"} for row in whole["rows"]]}
        if "rows" in whole
        else {}
    )


class Sources:
    """Several tables behind the interface of one, for the renderers."""

    def __init__(self, anns: list[Annotations]) -> None:
        self.anns = anns

    def summary(self) -> dict[str, Any]:
        first = self.anns[0].summary()
        return first if len(self.anns) == 1 else {"tables": [ann.summary() for ann in self.anns]}

    def __str__(self) -> str:
        return "\n".join(map(str, self.anns))
