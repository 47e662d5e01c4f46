"""May a model stand in for people?"""

from __future__ import annotations

import warnings

from raters.errors import RatersError
from raters.judges.judging import judge
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table
from raters.reporting.estimate_charts import estimate_intervals

COLUMNS = ("kappa", "kappa_people", "kappa_gap", "advantage", "winning_rate", "kappa_x_ratio")
TITLES = (
    "judge", "verdict", "kappa with people", "people with each other", "gap", "advantage probability", "winning rate",
    "kappa_x over alpha of people",
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
    rows = []
    for r in found:
        there = {e.name: e for e in r.figures}
        rows.append((r.judge, r.outcome, *(there.get(name) for name in COLUMNS)))
    chart = estimate_intervals(
        [e for r in found for e in (r["kappa"], r["kappa_people"])],
        "judges",
        "Agreement of each judge with people, and of people with each other.",
        axis="agreement beyond chance",
        names=[n for r in found for n in (f"{r.judge} with people", f"people with each other ({r.judge})")],
    )
    blocks: list[Block] = [chart, Table("judges", "Judges beside people", TITLES, tuple(rows))]
    for r in found:
        clear = [e for e in r.bias if e.low > 0 or e.high < 0]
        if clear:
            blocks.append(
                Table(
                    f"bias-{len(blocks)}",
                    f"{r.judge}: share of each label minus people's",
                    ("label", "difference"),
                    tuple((e.name, e) for e in clear),
                )
            )
    blocks[:0] = [f"{r.verdict} {r.advice}" for r in found] if len(found) > 1 else [found[0].advice]
    if found.several is not None:
        blocks.append(found.several.sentence)
    return Answer(found.summary if len(found) > 1 else found.verdict, tuple(blocks))
