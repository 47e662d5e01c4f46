"""May a model stand in for people?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from raters.charts.of_results import estimate_intervals
from raters.estimate import shown
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table

if TYPE_CHECKING:
    from raters.judges.judge import JudgeReports
    from raters.judges.shared_errors import Several

COLUMNS = ("kappa", "kappa_people", "kappa_gap", "advantage", "winning_rate", "kappa_x_ratio")
OF_PEOPLE = "people with each other"
SMALL = 0.005
"""Differences of shares below half a percent are not listed."""
FIRST = 3
"""Columns of the small table; the others stand in the details."""
TITLES = (
    "judge", "may it stand in?", "kappa with people", "people with each other", "gap", "probability of an advantage", "winning rate",
    "agreement with people, relative to people's own",
)  # fmt: skip


def judges(c: Context) -> Answer:
    """Each named judge beside people, with the verdict; and how far several of them make the same errors."""
    found = c.judged
    if isinstance(found, str):
        return Answer(found, absent=True)
    small, rest = [], []
    for r in found:
        there = {e.name: e for e in r.figures}
        figures = [there.get(name) for name in COLUMNS]
        small.append((r.judge, r.outcome, *figures[:FIRST]))
        rest.append((r.judge, *figures[FIRST:]))
    chart = _chart(found)
    blocks: list[Block] = [chart, Table("judges", "Judges beside people", TITLES[: FIRST + 2], tuple(small))]
    details: list[Block] = [
        Table("judges_tests", "The alternative-annotator test", (TITLES[0], *TITLES[FIRST + 2 :]), tuple(rest))
    ]
    blocks += [] if len(found) > 1 else [found[0].advice]
    details = [*([f"{r.verdict} {r.advice}" for r in found] if len(found) > 1 else []), *details, *_biases(found)]
    if found.several is not None:
        blocks.append(together(found.several))
        details.append(found.several.sentence)
    return Answer(found.summary if len(found) > 1 else found.verdict, tuple(blocks), details=tuple(details))


def together(s: Several) -> str:
    """What several judges are worth together, in a sentence without terms; the figures behind it stand in the
    details.
    """
    n, k = s.effective_number.value, len(s.judges)
    if not math.isfinite(n):
        return s.sentence
    more = " than people do" if s.excess.low > 0 else ""
    return (
        f"The {k} judges together are worth about {shown(n, 1)} independent ones, because they make the same"
        f" errors{f' more often{more}' if more else ''}."
    )


def _chart(found: JudgeReports) -> Block:
    """Each judge, and people once where all judges are compared with the same ones."""
    people = dict.fromkeys((r["kappa_people"].value, r["kappa_people"].low) for r in found)
    of_judges = [(f"{r.judge} with people", r["kappa"]) for r in found]
    of_people = [
        (OF_PEOPLE if len(people) == 1 else f"{OF_PEOPLE} ({r.judge})", r["kappa_people"])
        for r in (found[:1] if len(people) == 1 else found)
    ]
    pairs = [*of_judges, *of_people]
    return estimate_intervals(
        [e for _, e in pairs],
        "judges",
        "Agreement of each judge with people, and in grey that of people with each other. The verdict tests the gap on the"
        " same items, not whether intervals overlap.",
        axis="agreement beyond chance",
        names=[n for n, _ in pairs],
        soft=[n for n, _ in of_people],
    )


def _biases(found: JudgeReports) -> list[Block]:
    """Labels that a judge gives more or less often than people."""
    tables: list[Block] = []
    for r in found:
        clear = tuple((e.name, e) for e in r.bias if (e.low > 0 or e.high < 0) and abs(e.value) >= SMALL)
        if clear:
            caption = f"{r.judge}: share of each label minus people's"
            tables.append(Table(f"bias-{len(tables) + 1}", caption, ("label", "difference"), clear))
    return tables
