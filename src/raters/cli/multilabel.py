"""``raters multilabel``: agreement between raters who may give several labels."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.command import OneOf, command, option, taken
from raters.cli.inputs import source
from raters.cli.options import how_much, inference, put, read_table, reading, refuse, write, writing
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Inference, Sets

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate
    from raters.reliability.sets.multilabel import Multilabel
    from raters.reporting.answer import Answer


@command()
@source
@taken(Sets)
@option(
    "--aim",
    type=OneOf("raters.reliability.sets.multilabel:AIMS"),
    default="ambiguity",
    show_default=True,
    help="Purpose of the labels, which decides the measure that comes first.",
)
@option("--by", metavar="COLUMN", help="Report one table for each value of a column.")
@option("--cluster", metavar="COLUMN", help="Resample whole clusters of items (documents) for the intervals.")
@option("--per", type=click.Choice(["label", "pair"]), help="Report one figure for each label or each pair of raters.")
@option(
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
    raters multilabel labels.csv --sep "|" --ordered --order-weights 2,1
    raters multilabel labels.csv --sep ";" --final agreed.csv
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
    given = given_to(Sets, options) | given_to(Inference, options)
    with working("computing agreement"):
        result = measure(ann, by=options["by"], cluster=options["cluster"], **given)
        if options["final"] is not None:
            put(_final(ann, options["who"]), options["final"], force)
    if options["by"] is not None:
        write(ann, result, None, format_, output, force)
        return
    per = {"label": result.per_label, "pair": result.pairs}.get(options["per"])
    table = result if per is None else per
    lead = _lead(result, options["aim"]) if per is None else None
    lines = _lines(result, format_) if per is None else []
    if per is None and format_ == "text":
        answer = _answer(ann, result, options["aim"], how_much().all)
        write(ann, table, lead, format_, output, force, answer=answer)
        return
    beside: dict[str, Any] = {"beside": result.beside()} if per is None else {}
    write(ann, table, lead, format_, output, force, lines, **beside)


USUAL = ("soft_match", "boot_match", "boot_f1", "alpha_masi")
"""What of all measures a short text shows."""


def _answer(ann: Annotations, result: Multilabel, aim: str, every: bool) -> Answer:
    """The measure for the aim, a few others, and the rest on request."""
    from dataclasses import replace

    from raters.reliability.sets.multilabel import AIMS as WHICH
    from raters.reporting.table_answer import sentence, table_answer

    name, why = WHICH[aim]
    lead = " ".join(filter(None, (sentence(result[name]), room(result[name]))))
    rows = [e for e in result if e.name in (*USUAL, name)]
    per = [f"--per {what}" for what, found in (("label", result.per_label), ("pair", result.pairs)) if len(found)]
    more = (f"--all ({len(result) - len(rows)} more)", *per, "--details", "--format json")
    found = table_answer(ann, list(result) if every else rows, lead, more=more)
    aimed = f"Aim: {aim.replace('_', ' ')}; {why}."
    return replace(found, why=(aimed, *found.why), details=(*found.details, *_lines(result, "text")))


def _lead(result: Multilabel, aim: str) -> str:
    """The measure for the aim in a sentence, how much room chance leaves it, alpha beside it, and the reason for it."""
    from raters.reliability.sets.multilabel import AIMS as WHICH
    from raters.reporting.table_answer import sentence

    name, why = WHICH[aim]
    alpha = sentence(result["alpha_masi"])
    parts = [sentence(result[name]), room(result[name]), alpha, f"(Aim: {aim.replace('_', ' ')}; {why}.)"]
    return " ".join(filter(None, parts))


def room(e: Estimate) -> str:
    """What chance alone gives, and so how much room a measure has."""
    from raters.estimate import shown

    if not (math.isfinite(e.observed) and math.isfinite(e.expected)):
        return ""
    return (
        f"Observed {shown(e.observed, 2)}; chance alone gives {shown(e.expected, 2)}, which leaves"
        f" {shown(1 - e.expected, 2)} to show agreement in."
    )


def _lines(result: Multilabel, format_: str) -> list[str]:
    """The lines printed below the table."""
    from raters.estimate import EstimateTable, shown
    from raters.reporting.answer import grid_lines
    from raters.reporting.short_table import short_table

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
            *grid_lines(short_table(result.per_label)),
        ]
    if format_ == "text" and result.form == "pairs":
        match = EstimateTable(tuple(e for e in result.pairs if e.coefficient in ("boot_match", "boot_f1")))
        lines += ["", "Pairs of raters:", "", *grid_lines(short_table(match))]
    return lines


def _final(ann: Any, who: list[str] | None) -> str:
    """CSV with the item, the label, and the number of shared labels."""
    from raters.reliability.sets.multilabel import final_labels
    from raters.writing import csv_text

    shared = final_labels(ann, who).items()
    return csv_text(
        ("item", "label", "n_shared"), ([str(item), ";".join(map(str, labels)), len(labels)] for item, labels in shared)
    )
