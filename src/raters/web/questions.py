"""Several questions of one file: a row each on one axis, grouped by verdict, and what to do first for most of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.estimate import Estimate
from raters.reporting.agree_answer import GROUPS, of_groups
from raters.reporting.context import Context
from raters.reporting.document import GOOD, Step, Verdict
from raters.reporting.headline import lead_of
from raters.reporting.one_label import OWN_RULE, word_of
from raters.reporting.verdict import verdict
from raters.web.state import State

MANY = 20
"""With more questions, those that are reliable start folded."""


@dataclass(frozen=True)
class Row:
    """A question with its figure and its verdict."""

    name: str
    state: State
    estimate: Estimate
    same: float
    """How often two labels of an item are the same."""
    verdict: Verdict


def row_of(name: str, state: State, c: Context) -> Row:
    same = c.table["percent"].value if c.ann.scale.equality else math.nan
    return Row(name, state, lead_of(c), same, verdict(c, ()))


def shown_together(rows: Mapping[str, Row], apart: Mapping[str, str]) -> dict[str, Any]:
    """What the template shows; ``apart``: the questions that cannot be measured, with the reason."""
    groups = []
    for tone, (_, heading) in GROUPS.items():
        some = [r for r in rows.values() if word_of(r.estimate)[1] == tone]
        if some:
            groups.append((tone, heading, sorted(some, key=lambda r: r.estimate.value)))
    estimates = {name: r.estimate for name, r in rows.items()} | {name: Estimate(name, math.nan) for name in apart}
    return {
        "answer": of_groups(estimates, apart).replace("variables", "questions"),
        "groups": groups,
        "apart": apart,
        "first": first_of(list(rows.values())),
        "marks": OWN_RULE,
        "folded": GOOD if len(rows) > MANY else "",
    }


def first_of(rows: Sequence[Row]) -> tuple[Step, list[str]] | None:
    """The first step of most questions that are not reliable, and which these are."""
    open_ = [r for r in rows if word_of(r.estimate)[1] != GOOD]
    titles = [r.verdict.first.title for r in open_]
    if not titles:
        return None
    title = max(dict.fromkeys(titles), key=titles.count)
    some = [r for r in open_ if r.verdict.first.title == title]
    return some[0].verdict.first, [r.name for r in some]
