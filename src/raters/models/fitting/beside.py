"""Several small fits in one: tables of the same labels side by side, each with its own items, raters and prevalence.

A step of a small table takes numpy longer to call than to compute; five of them at once take hardly longer than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.families.probabilities import Params
from raters.models.families.spec import Model, Problem
from raters.models.families.task import Beside, Settings, Task
from raters.models.fitted_model import FittedModel
from raters.models.fitting import em
from raters.models.fitting.fit import from_run
from raters.models.votes import Votes

Array = NDArray[Any]


def fit_beside(parts: Sequence[Votes], row: Model, settings: Settings, rule: em.Rule) -> list[FittedModel]:
    """What ``fit(part, row.name, start="votes")`` gives for each table; for models of which ``row.side_by_side`` is true."""
    whole = side_by_side(parts)
    item, rater = (np.cumsum([0, *sizes]) for sizes in zip(*((v.n_items, v.n_raters) for v in parts), strict=True))
    of_item, of_rater = (np.repeat(np.arange(len(parts)), np.diff(ends)) for ends in (item, rater))
    plain = Task.of(whole, None, settings)
    task = Task(whole, smoothing=plain.smoothing, uniform=plain.uniform, beside=Beside(of_item, of_rater, len(parts)))

    def taken(at: int, params: Params, q: Array) -> tuple[Params, Array]:
        items, raters = slice(item[at], item[at + 1]), slice(rater[at], rater[at + 1])
        rows = {**dict.fromkeys(row.by_rater, raters), **dict.fromkeys(row.by_item, items)}
        return {name: x[rows.get(name, at)].copy() for name, x in params.items()}, q[items].copy()

    fits = em.run_beside(Problem(row, task), whole.shares(), len(parts), taken, rule=rule)
    return [
        from_run(Problem(row, Task.of(part, None, settings)), settings, got, "votes")
        for part, got in zip(parts, fits, strict=True)
    ]


def side_by_side(parts: Sequence[Votes]) -> Votes:
    """The votes of all tables, as items and raters of one."""
    items, raters = tuple(x for v in parts for x in v.items), tuple(x for v in parts for x in v.raters)
    table = sparse.block_diag([v.table for v in parts], format="csr")
    return Votes(items, raters, parts[0].labels, sparse.csr_array(table))
