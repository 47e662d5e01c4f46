"""The answer of ``raters look``: one table with its labels, or several questions with a row each. Nothing is computed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from raters.annotations import Annotations, counted, labels_text, scale_line
from raters.reporting.answer import Answer, Grid
from raters.reporting.document import percent
from raters.reporting.how_read import how_read
from raters.reporting.names import as_sentence

MOST = 12
"""Labels, sizes and raters that are listed."""
WIDTH = 34
"""Letters for the labels of a question."""


def look_answer(anns: Mapping[str, Annotations], facts: Mapping[str, Mapping[str, Any]], why: str = "") -> Answer:
    """How one file was read; ``facts``: how often each label and rater of the one question occurs; ``why``: what speaks
    for this reading.
    """
    if len(anns) > 1:
        return _several(anns, why)
    ((question, ann),) = anns.items()
    read, fact = how_read(ann, figures=False), facts[question]
    total = sum(fact["labels"].values())
    rows = tuple((name, f"{n:,}", percent(n / total)) for name, n in list(fact["labels"].items())[:MOST] if total)
    more = len(fact["labels"]) - len(rows)
    sizes = {int(k): n for k, n in fact["items_by_labels"].items()}
    shared = sum(n for k, n in sizes.items() if k > 1)
    notes = [
        f"{counted(total, 'annotation')}. {shared:,} of {counted(sum(sizes.values()), 'item')} can be compared: they have two labels or more."
    ]
    notes += [f"Labels of an item: {_listed({str(k): n for k, n in sizes.items()})}."]
    notes += [f"Raters: {_listed(fact['raters'])}."] if fact["raters"] else []
    notes += [f"{more:,} more labels."] if more else []
    if ann.scale.of_sets:
        notes.append(f"{counted(len(ann.labels), 'different set')} of labels.")
    notes += [as_sentence(scale_line(ann))] if ann.scale.turns else []
    notes += [as_sentence(str(n)) for n in ann.notes if n.level == "detail"]
    return Answer(
        answer=f"{ann.source}: {read.lines[0]}",
        change=read.change,
        grids=(Grid(("label", "given", "share"), rows),) if rows else (),
        note=tuple(notes),
        read=read.lines[1:],
        more=("--format json",),
    )


def _listed(counts: Mapping[str, int]) -> str:
    some = [f"{name} ({n:,})" for name, n in list(counts.items())[:MOST]]
    return ", ".join([*some, *([f"{len(counts) - MOST:,} more"] if len(counts) > MOST else [])])


def _several(anns: Mapping[str, Annotations], why: str) -> Answer:
    class Together:
        """The tables, for what is said of all."""

    every = Together()
    every.anns, every.names = list(anns.values()), list(anns)  # type: ignore[attr-defined]
    read = how_read(every, figures=False)
    rows = tuple(
        (f"{name} {read.marks.get(name, '')}".strip(), _labels(ann), _order(ann), f"{ann.used.n_annotations:,}")
        for name, ann in anns.items()
    )
    one = shlex.quote(next(iter(anns)))
    return Answer(
        answer=f"{len(anns)} questions; raters agree measures each of them, raters report answers for all.",
        change=read.change,
        grids=(Grid(("question", "labels", "order", "given"), rows, frozenset({0, 1, 2})),),
        read=(*read.lines, *([f"Read so because {why}."] if why else [])),
        more=(f"--question {one} (one of them)", f"--scale {one}=ordinal", f"--labels {one}=A,B,C", "--format json"),
    )


def _labels(ann: Annotations) -> str:
    text = labels_text(ann.single, 6).replace(", ", " ")
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _order(ann: Annotations) -> str:
    if ann.scale.ordered and ann.numeric and len(ann.single):
        return f"yes, {ann.single[0]:g} to {ann.single[-1]:g}"
    return "yes" if ann.scale.ordered else "no"
