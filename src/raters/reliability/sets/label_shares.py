"""How often each label is given by two crowds, and how far apart they are."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import EstimateTable
from raters.inference.limits import IntervalSpec
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items.align import align, unified
from raters.reliability.sets.comparing_sets import draws_of, of_draws
from raters.scales.sets import membership

Array = NDArray[Any]


@takes_tables("x", "y", fixed={"scale": "sets"})
def label_shares(
    x: Source, y: Source, *, interval: str | None = "auto", level: float = 0.95, resamples: int = 2000, seed: int = 0,
    **reading: Unpack[Reading],
) -> EstimateTable:  # fmt: skip
    """Compare the share of sets that contain each label in two crowds: second minus first, with an interval over items.

    ``details["first"]`` and ``["second"]`` are the two shares; an item counts once, however many raters it has. The last row, ``apart``, is half
    the sum of absolute differences of the label distributions (shares among all given labels): 0 if they are the same, 1 if they share nothing.

    >>> from raters.io import read
    >>> x = read([(i, "a", ["A"]) for i in range(4)], scale="sets")
    >>> y = read([(i, "b", ["A", "B"]) for i in range(4)], scale="sets")
    >>> {e.name: e.value for e in label_shares(x, y, interval=None)}
    {'A': 0.0, 'B': 1.0, 'apart': 0.5}
    """
    first, second = table(x), table(y)
    for ann in (first, second):
        if ann.scale != "sets":
            raise UsageError(f"label_shares needs sets of labels; read {ann.source} with scale='sets'.")
    a, b = unified([first, second])
    names, parts = align([a, b])
    has = membership(a.labels, a.members)
    q = len(a.members)
    terms = []
    for part in parts:
        n = part.per_item[:, None]
        held = (part.merged().counts @ has).toarray() / np.maximum(n, 1)
        terms.append(np.concatenate([(n > 0) * 1.0, held], 1))
    whole = np.concatenate(terms, 1)  # (item, 1 + labels of the first, 1 + labels of the second)
    spec = IntervalSpec("bootstrap", level, resamples, seed)

    def shares(s: Array) -> tuple[Array, Array]:
        return s[..., 1 : 1 + q] / s[..., :1], s[..., 2 + q :] / s[..., 1 + q : 2 + q]

    def gap(s: Array) -> Array:
        one, two = shares(s)
        return two - one

    def apart(s: Array) -> Array:
        one, two = (p / p.sum(-1, keepdims=True) for p in shares(s))
        return np.asarray(np.abs(one - two).sum(-1) / 2)

    one, two = (p[0] for p in shares(whole.sum(0)[None]))

    def of_label(k: int) -> Linear:
        return Linear(np.ones(len(names)), whole, lambda s: value_alone(gap(s)[..., k]))

    stats = [*map(of_label, range(q)), Linear(np.ones(len(names)), whole, lambda s: value_alone(apart(s)))]
    draws = [None] * len(stats) if interval is None else list(draws_of(stats, len(names), spec))
    values = [*gap(whole.sum(0)[None])[0].tolist(), float(apart(whole.sum(0)[None])[0])]
    called = [*map(str, a.members), "apart"]
    titles = [*(f"share of {m}: second minus first" for m in called[:-1]), "distance of the label distributions"]
    details: list[dict[str, Any]] = [{"first": float(f), "second": float(s)} for f, s in zip(one, two, strict=True)]
    rows = [
        of_draws(n, t, v, d, len(names), spec, coefficient="share", details=more)
        for n, t, v, d, more in zip(called, titles, values, draws, [*details, {}], strict=True)
    ]
    return EstimateTable(tuple(rows), of="label")
