"""What the first lines of every output say before any figure: what was not used, and what was assumed."""

from __future__ import annotations

import math
from typing import Any

from raters.agree.overlap import too_few_shared
from raters.agree.slices import agreement
from raters.annotations import Annotations, not_used
from raters.errors import RatersError
from raters.estimate import shown
from raters.io.reading import read

CODES = 50
"""Up to so many different whole numbers may be codes."""
URGENT = (
    "look like several labels in one cell", "counts as a label", "is far from the others", "differ only by case", "no header:",
    "two rows of headers", "may mark thousands", "summarise the others",
)  # fmt: skip
"""Notes of reading that change what a figure means."""


def first_lines(ann: Any) -> list[str]:
    """What was given and enters no figure, of one table or of several: the first line of every format but CSV."""
    anns = tables(ann)
    if names := getattr(ann, "names", None):
        each = zip(names, map(not_used, anns), strict=True)
        return [said.replace("Not used", f"Not used of {name}", 1) for name, said in each if said]
    lost = {f"{one.source}, {one.columns.get('label', '')}": said for one in anns if (said := not_used(one))}
    if len(anns) < 2:
        return list(lost.values())
    same_file = len({one.source for one in anns}) == 1
    called = {key: key.rpartition(", ")[2 if same_file else 0] for key in lost}
    return [said.replace("Not used", f"Not used of {called[key]}", 1) for key, said in lost.items()]


def assumptions(ann: Any) -> list[str]:
    """What was assumed of labels, with what the other reading would give; the scale that several tables share is said once."""
    if names := getattr(ann, "names", None):
        each = zip(names, tables(ann), strict=True)
        return [f"{name}: {for_one(said, name)}" for name, one in each for said in (*scale_assumed(one), *urgent(one))]
    lines, scales = [], set()
    for one in tables(ann):
        lines += [*(scale_assumed(one) if one.scale not in scales else []), *urgent(one)]
        scales.add(one.scale)
    return lines


def for_one(said: str, question: str) -> str:
    """What is said of one question of several, with the options that speak to it alone.

    >>> for_one("pass scale= and labels= (--scale ordinal --labels a,b)", "tone")
    'pass scale= and labels= (--scale tone=ordinal --labels tone=a,b)'
    """
    return said.replace("(--scale ", f"(--scale {question}=").replace(" --labels ", f" --labels {question}=")


def tables(ann: Any) -> list[Annotations]:
    return list(getattr(ann, "anns", [ann]))


def urgent(ann: Annotations) -> list[str]:
    """Notes that are about what the labels are."""
    return [f"Note: {note}." for note in ann.notes if any(words in note for words in URGENT)]


def scale_assumed(ann: Annotations) -> list[str]:
    """That whole numbers were taken as a scale, and what alpha would be if they are only codes."""
    if not ann.scale_reason.startswith("assumed") or "whole number" not in ann.scale_reason or len(ann.labels) > CODES:
        return []
    what = f"{len(ann.labels)} whole numbers taken as {ann.scale}, since no scale was given"
    other = "" if too_few_shared(ann) else _as_codes(ann)
    return [f"{what}{other}. If the numbers are only codes, pass scale='nominal' (--scale nominal)."]


def _as_codes(ann: Annotations) -> str:
    """Alpha of both readings."""

    def found() -> tuple[float, float]:
        try:
            values = (agreement(ann, interval=None).value, agreement(read(ann, scale="nominal"), interval=None).value)
        except RatersError:
            return math.nan, math.nan
        return values

    own, nominal = (
        ann.once("alpha as codes", found, lambda _: 2) if ann.engine.name != "spark" else (math.nan, math.nan)
    )
    if not (math.isfinite(own) and math.isfinite(nominal)):
        return ""
    return f" (Krippendorff's alpha {shown(own, 3)}); nominal would give {shown(nominal, 3)}"
