"""Two labels by two raters, no sample of studies: every table of n items, its interval, and how likely it is.

Raters copy the item's label with probability sqrt(value) or guess by the margin, so a study is three counts: both the
first label, both the second, apart. The true value runs from .05 to .99 in small steps, since coverage goes up and down
with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse, special

from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate, statistic
from raters.items import Items
from raters.scales import Kernel

Array = np.ndarray[Any, Any]
Row = dict[str, Any]
PATTERNS = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
PLAIN = Kernel("identity", 1.0, total=2.0)
COEFFICIENTS = ("krippendorff", "gwet", "brennan_prediger", "percent")
VALUES = np.concatenate([[0.05, 0.3, 0.5], np.arange(0.6, 0.995, 0.0025)])


def _items(counts: Array) -> Items:
    here = counts > 0
    return Items(counts[here], sparse.csr_array(PATTERNS[here]), (0, 1), n_raters=2)


def exact(sizes: tuple[int, ...] = (20, 30, 50, 100), resamples: int = 4000) -> Iterator[Row]:
    """Every size, coefficient and margin: mean and least coverage over the true values, and the truth below at the
    most.
    """
    for n in sizes:
        tables = np.array([(i, n - i - j, j) for i in range(n + 1) for j in range(n + 1 - i)], float)
        ways = special.gammaln(n + 1) - special.gammaln(tables + 1).sum(1)
        for name in COEFFICIENTS:
            req = request(name, resamples=resamples)
            found = [estimate(req, _items(t), PLAIN) for t in tables]
            low, high = (np.array([getattr(e, end) for e in found]) for end in ("low", "high"))
            for margin in (0.5, 0.1):
                yield {
                    "items": n,
                    "coefficient": name,
                    "margin": margin,
                    **_coverage(req, tables, ways, low, high, margin),
                }


def _coverage(req: Any, tables: Array, ways: Array, low: Array, high: Array, margin: float) -> Row:
    holds, below = [], []
    known = np.isfinite(low)
    for value in VALUES:
        first, second = (m * m * (1 - value) + m * value for m in (1 - margin, margin))
        share = np.array([first, 1 - first - second, second])
        whole = _items(share * 1e9)
        true = float(statistic(req, whole, PLAIN, 2).parts(whole.weight[None]).value[0])
        likely = np.exp(ways + tables @ np.log(share)) * known
        likely /= likely.sum()
        with np.errstate(invalid="ignore"):
            holds.append(float(likely @ ((low <= true + 1e-9) & (true - 1e-9 <= high))))
            below.append(float(likely @ (true < low - 1e-9)))
    return {
        "mean": float(np.mean(holds)),
        "least": min(holds),
        "below": max(below),
        "under": float(np.mean(np.array(holds) < 0.9)),
        "at": float(VALUES[int(np.argmin(holds))]),
    }


if __name__ == "__main__":
    import sys

    for row in exact():
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()
