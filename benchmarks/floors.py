"""The floors that K labels set, estimated from a table, over those of the true distributions: mean and sd over tables.

    python benchmarks/floors.py [tables]

400 items of two labels. A table's ratio moves with the disagreements that it happens to show, so that of Brier, which is
unbiased, is subtracted: what remains is the error of the estimated distribution of items. Where nearly all raters agree,
K labels hardly tell "a little on every item" from "much on a few", and KL and Jensen-Shannon depend on it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from raters.reliability.soft.floors import crowd
from raters.reliability.soft.scores import SCORES, expected

Array = np.ndarray
ITEMS = 400
NAMES = ("manhattan", "jensen_shannon", "kl", "cross_entropy")
CROWDS: dict[str, Callable[[np.random.Generator], Array]] = {
    "beta(.5, .5)": lambda r: r.beta(0.5, 0.5, ITEMS),
    "beta(.2, .2)": lambda r: r.beta(0.2, 0.2, ITEMS),
    "beta(.1, .1)": lambda r: r.beta(0.1, 0.1, ITEMS),
    "beta(2, 5)": lambda r: r.beta(2, 5, ITEMS),
    "beta(.1, 2)": lambda r: r.beta(0.1, 2, ITEMS),
    "90 % at .02, others even": lambda r: np.where(r.random(ITEMS) < 0.9, 0.02, r.random(ITEMS)),
    "90 % at 0, others even": lambda r: np.where(r.random(ITEMS) < 0.9, 0.0, r.random(ITEMS)),
    "half at .01, half at .99": lambda r: np.where(r.random(ITEMS) < 0.5, 0.01, 0.99),
    "all at .03": lambda r: np.full(ITEMS, 0.03),
}


def ratios(draw: Callable[[np.random.Generator], Array], k: int, seed: int) -> list[float]:
    """For each score, the estimated floor over the true one, less the ratio of Brier's, plus 1."""
    rng = np.random.default_rng((seed, k))
    x = draw(rng)
    p = np.column_stack([x, 1 - x])
    counts = rng.multinomial(k, p)
    found, shares = crowd(counts[:, None], np.full(ITEMS, k)), counts / k
    brier = (1 - (shares**2).sum(1)).mean() / (k - 1) / expected(SCORES["brier"], k, p).mean()
    return [found.expected(SCORES[n], 1.0) / expected(SCORES[n], k, p).mean() - brier + 1 for n in NAMES]


if __name__ == "__main__":
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    sys.stdout.write(f"{'crowd':<26}{'K':>3}" + "".join(f"{n:>22}" for n in NAMES) + "\n")
    for name, draw in CROWDS.items():
        for k in (5, 10):
            made = np.array([ratios(draw, k, seed) for seed in range(tables)])
            cells = "".join(f"{m:>14.3f} ({s:.3f})" for m, s in zip(made.mean(0), made.std(0), strict=True))
            sys.stdout.write(f"{name:<26}{k:>3}{cells}\n")
            sys.stdout.flush()
