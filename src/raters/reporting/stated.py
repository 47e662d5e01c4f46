"""The sentences of a report for machines: each with the numbers that it states, at full precision where they are
estimates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from raters.estimate import Estimate
from raters.reporting.document import Section

END = re.compile(r"(?<=[.!?])\s+(?=[A-Z'\"(])")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:\s?%)?(?!\w)")
FIELDS = ("value", "low", "high", "se", "observed", "expected", "level", "n_items", "n_raters", "n_annotations")


def sentences(section: Section) -> list[dict[str, Any]]:
    """The answer and the notes of a section, sentence by sentence.

    >>> section = Section("agreement", "How far?", "Alpha is 0.43, on 1,200 items of 'set 2'. Fine.")
    >>> [(s["text"], [n["value"] for n in s["numbers"]]) for s in sentences(section)]
    [("Alpha is 0.43, on 1,200 items of 'set 2'.", [0.43, 1200.0]), ('Fine.', [])]
    """
    known = list(_estimates(section))
    texts = [section.answer, *section.notes()]
    return [{"text": one, "numbers": numbers(one, known)} for text in texts for one in END.split(text) if one]


def numbers(text: str, known: Iterable[Estimate] = ()) -> list[dict[str, Any]]:
    """The numbers that a text states; names in quotes are left aside.

    ``exact`` and ``of`` say which figure of ``known`` a number is rounded from, where it is one.
    """
    there = list(known)
    found = []
    for match in NUMBER.finditer(QUOTED.sub(lambda m: "_" * len(m.group()), text)):
        written = match.group().rstrip(",")
        value = float(written.replace(",", "").rstrip("% "))
        percent = written.endswith("%")
        digits = len(written.rstrip("% ").partition(".")[2])
        stated = value / 100 if percent else value
        found.append({"text": written, "value": stated, **_source(stated, digits + 2 * percent, there)})
    return found


def _source(stated: float, digits: int, known: list[Estimate]) -> dict[str, Any]:
    """The figure that was rounded to this number."""
    for e in known:
        for name in FIELDS:
            exact = getattr(e, name)
            if math.isfinite(exact) and round(float(exact), digits) == round(stated, digits):
                return {"exact": exact, "of": {"name": e.name, "coefficient": e.coefficient, "field": name}}
    return {}


def _estimates(section: Section) -> Iterator[Estimate]:
    return (cell for t in section.tables() for row in t.rows for cell in row if isinstance(cell, Estimate))
