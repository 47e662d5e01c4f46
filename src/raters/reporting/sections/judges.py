"""May a model stand in for people?"""

from __future__ import annotations

import warnings

from raters.errors import RatersError
from raters.judges.judging import judge
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table
from raters.reporting.estimate_charts import estimate_intervals

COLUMNS = ("kappa", "kappa_people", "kappa_gap", "advantage", "winning_rate", "kappa_x_ratio")
FIRST = 3
"""Columns of the small table; the others stand in the details."""
TITLES = (
    "judge", "may it stand in?", "kappa with people", "people with each other", "gap", "probability of an advantage", "winning rate",
    "agreement with people, relative to people's own",
)  # fmt: skip


def judges(c: Context) -> Answer:
    """Each named judge beside people, with the verdict; and how far several of them make the same errors."""
    if not c.judges:
        return Answer("No rater is marked as a model; use --judges NAME,NAME to name them.", absent=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = judge(c.ann, judges=list(c.judges), **c.other_options)
    except RatersError as error:
        return Answer(f"The judges cannot be compared with people: {error}", absent=True)
    small, rest = [], []
    for r in found:
        there = {e.name: e for e in r.figures}
        figures = [there.get(name) for name in COLUMNS]
        small.append((r.judge, r.outcome, *figures[:FIRST]))
        rest.append((r.judge, *figures[FIRST:]))
    names = [n for r in found for n in (f"{r.judge} with people", f"people with each other ({r.judge})")]
    chart = estimate_intervals(
        [e for r in found for e in (r["kappa"], r["kappa_people"])], "judges",
        "Agreement of each judge with people, and in grey that of people with each other.", axis="agreement beyond chance", names=names,
        soft=names[1::2],
    )  # fmt: skip
    blocks: list[Block] = [chart, Table("judges", "Judges beside people", TITLES[: FIRST + 2], tuple(small))]
    details: list[Block] = [
        Table("judges_tests", "The alternative-annotator test", (TITLES[0], *TITLES[FIRST + 2 :]), tuple(rest))
    ]
    for r in found:
        clear = [e for e in r.bias if e.low > 0 or e.high < 0]
        if clear:
            name, caption = f"bias-{len(details)}", f"{r.judge}: share of each label minus people's"
            details.append(Table(name, caption, ("label", "difference"), tuple((e.name, e) for e in clear)))
    blocks += [f"{r.verdict} {r.advice}" for r in found] if len(found) > 1 else [found[0].advice]
    if found.several is not None:
        blocks.append(found.several.sentence)
    return Answer(found.summary if len(found) > 1 else found.verdict, tuple(blocks), details=tuple(details))
