"""``raters multilabel``: agreement between raters who may give several labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.inputs import source
from raters.cli.options import AIM, MASI, inference, put, read_table, reading, refuse, write, writing
from raters.cli.terminal import working

if TYPE_CHECKING:
    from raters.reliability.sets.multilabel import Multilabel


@click.command()
@source
@click.option(
    "--who",
    "--coders",
    "who",
    metavar="A,B",
    help="Raters to compare, in order: precision and recall are those of A against B.",
)
@click.option(
    "--aim",
    type=AIM,
    default="final_label",
    show_default=True,
    help="Purpose of the labels, which decides the measure that comes first.",
)
@click.option(
    "--chance",
    type=click.Choice(["exact", "simulated"]),
    default="exact",
    show_default=True,
    help="Compute chance agreement exactly (by simulation if that is slow), or always by simulation.",
)
@click.option("--simulations", type=int, default=1000, show_default=True, help="Simulated datasets.")
@click.option("--pooled/--named", default=None, help="Pool raters, or compare pairs (the default for up to 8 raters).")
@click.option(
    "--masi",
    type=MASI,
    default="masi",
    show_default=True,
    help="Version of MASI: exact thirds, .67 and .33 as in older versions of NLTK, or without the Jaccard factor.",
)
@click.option(
    "--order-weights",
    "--weights",
    "order_weights",
    metavar="2,1",
    help="Augmented kappa: weights of primary and secondary labels (with --ordered).",
)
@click.option(
    "--empty",
    type=click.Choice(["agree", "nothing"]),
    default="agree",
    show_default=True,
    help="Whether two empty sets agree fully or not at all.",
)
@click.option("--by", metavar="COLUMN", help="Report one table for each value of a column.")
@click.option("--cluster", metavar="COLUMN", help="Resample whole clusters of items (documents) for the intervals.")
@click.option(
    "--per", type=click.Choice(["label", "pair"]), help="Report one figure for each label or each pair of raters."
)
@click.option(
    "--final",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the labels that all raters of an item share, as CSV.",
)
@inference
@reading
@writing
def multilabel(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Measure agreement between the raters of FILE when an annotation is a set of labels.

    \b
    raters multilabel labels.jsonl
    raters multilabel labels.csv --sep ";"
    raters multilabel onehot.csv --label "topic_*"
    raters multilabel rows.csv --multi rows --who ann,bob
    raters multilabel labels.csv --sep "|" --aim uncertainty --ordered --order-weights 2,1
    raters multilabel labels.csv --sep ";" --final agreed.csv --format json -o agreement.json
    """
    from raters.errors import UsageError
    from raters.reliability.sets.multilabel import multilabel as measure
    from raters.scales import Scale

    for path in (output, options["final"]):
        refuse(path, force)
    other = [s for s in options["scale"] if not Scale(s.rpartition("=")[2]).of_sets]
    if other:
        raise UsageError(f"raters multilabel reads sets of labels; use raters agree for --scale {other[0]}.")
    with working("reading"):
        ann = read_table(file, {**options, "scale": Scale.sets})
    who = _listed(options["who"])
    names = ("chance", "simulations", "pooled", "by", "cluster", "masi", "empty", "level", "resamples", "seed")
    given = {name: options[name] for name in names}
    interval = None if options["interval"] == "none" else options["interval"]
    with working("computing agreement"):
        result = measure(ann, who=who, order_weights=_numbers(options["order_weights"]), interval=interval, **given)
        if options["final"] is not None:
            put(_final(ann, who), options["final"], force)
    if options["by"] is not None:
        write(ann, result, None, format_, output, force)
        return
    per = {"label": result.per_label, "pair": result.pairs}.get(options["per"])
    table = result if per is None else per
    lead = _lead(result, options["aim"]) if per is None else None
    lines = _lines(result, format_) if per is None else []
    write(ann, table, lead, format_, output, force, lines, **({"beside": result.beside()} if per is None else {}))


def _listed(text: str | None) -> list[str] | None:
    return [x.strip() for x in text.split(",")] if text else None


def _numbers(text: str | None) -> list[float] | None:
    if not text:
        return None
    try:
        return [float(x) for x in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a list of numbers separated by commas, such as 2,1.", param_hint="--order-weights"
        ) from None


def _lead(result: Multilabel, aim: str) -> str:
    """The measure for the aim in one sentence, with the reason for it."""
    from raters.reliability.sets.multilabel import AIMS as WHICH
    from raters.reporting.tables import sentence

    name, why = WHICH[aim]
    return f"{sentence(result[name])} (Aim: {aim.replace('_', ' ')}; {why}.)"


def _lines(result: Multilabel, format_: str) -> list[str]:
    """The lines printed below the table."""
    from raters.estimate import EstimateTable, shown
    from raters.reporting.tables import text_table

    lines = []
    if result.baseline is not None:
        b = result.baseline
        lines.append(
            f"Treating each set as a single label: {shown(b.value)} (observed {shown(b.observed)}, expected"
            f" {shown(b.expected)})."
        )
    if result.form != "pooled" and len(result.pooled):
        values = ", ".join(f"{e.name} {shown(e.value)}" for e in result.pooled)
        lines.append(f"With pooled raters (pooled chance): {values}.")
    if len(result.profiles) <= 8:
        lines += ["How raters give labels:", *(f"- {c}" for c in result.profiles)]
    if result.final is not None:
        f = result.final
        lines.append(
            f"All raters share one label on {f.one:,} items, several labels on {f.several:,}, and none on {f.none:,}."
            f" Note: {f.warning}."
        )
    lines += ["Which measure to report:", *(f"- {text}" for text in result.guidance)]
    if format_ == "text" and 0 < len(result.per_label) <= 40:
        lines += [
            "",
            "Each label against the rest (Krippendorff's alpha):",
            "",
            *text_table(result.per_label).splitlines(),
        ]
    if format_ == "text" and result.form == "pairs":
        match = EstimateTable(tuple(e for e in result.pairs if e.coefficient in ("boot_match", "boot_f1")))
        lines += ["", "Pairs of raters:", "", *text_table(match).splitlines()]
    return lines


def _final(ann: Any, who: list[str] | None) -> str:
    """CSV with the item, the label, and the number of shared labels."""
    from raters.reliability.sets.multilabel import final_labels
    from raters.writing import csv_text

    shared = final_labels(ann, who).items()
    return csv_text(
        ("item", "label", "n_shared"), ([str(item), ";".join(map(str, labels)), len(labels)] for item, labels in shared)
    )
