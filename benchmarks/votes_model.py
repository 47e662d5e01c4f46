"""The model of votes against known truth: its error, and how often its interval or range holds the truth.

python benchmarks/votes_model.py [--tables 4] [--items 300]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import raters
from raters.reliability.krr.aggregates import Aggregate, majority
from raters.reliability.krr.vote_model.simplex import answer_shares

VOTE = Aggregate("majority", "random", shares=majority)
KS = (3, 9, 25)
Draw = Callable[[np.random.Generator, int], Any]


def kinds(q: int, right: float) -> Draw:
    """Items of q sharp kinds: a right label, and the rest evenly."""
    return lambda rng, n: right * np.eye(q)[rng.integers(0, q, n)] + (1 - right) / q


def graded(q: int) -> Draw:
    """A right label on each item, on some items harder to see."""

    def draw(rng: np.random.Generator, n: int) -> Any:
        share = rng.beta(4, 2, n)[:, None]
        return share * np.eye(q)[rng.integers(0, q, n)] + (1 - share) / q

    return draw


def easy_and_hard(q: int) -> Draw:
    return lambda rng, n: np.where(rng.random((n, 1)) < 0.5, kinds(q, 0.95)(rng, n), kinds(q, 0.4)(rng, n))


CASES: dict[str, Draw] = {
    "two sharp kinds": kinds(2, 0.4),
    "three sharp kinds": kinds(3, 0.55),
    "five sharp kinds": kinds(5, 0.5),
    "two labels, half easy": easy_and_hard(2),
    "six labels, half easy": easy_and_hard(6),
    "eight labels, graded": graded(8),
    "Dirichlet, two": lambda rng, n: rng.dirichlet([0.6, 0.6], n),
    "Dirichlet, four": lambda rng, n: rng.dirichlet([0.6] * 4, n),
    "Dirichlet, eight": lambda rng, n: rng.dirichlet([0.3] * 8, n),
    "Dirichlet, eight, skewed": lambda rng, n: rng.dirichlet([2, 1, 0.5, 0.3, 0.2, 0.1, 0.1, 0.1], n),
}


def truth_of(draw: Draw, k: int) -> float:
    p = draw(np.random.default_rng(99), 6000)
    both, one = answer_shares(p, k, VOTE, np.random.default_rng(0))
    agree = np.trace(both, axis1=1, axis2=2).mean()
    return float(1 - (1 - agree) / (1 - (one.mean(0) ** 2).sum()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--items", type=int, default=300)
    asked = parser.parse_args()
    print("| items | labels each | k | truth | mean error | mean limits | hold the truth (to .005) |")  # noqa: T201
    print("|---|---|---|---|---|---|---|")  # noqa: T201
    for name, draw in CASES.items():
        truth = {k: truth_of(draw, k) for k in KS}
        for n in (5, 10):
            found: dict[int, list[Any]] = {k: [] for k in KS}
            for seed in range(asked.tables):
                rng = np.random.default_rng(seed)
                p = draw(rng, asked.items)
                x = (rng.random((len(p), n, 1)) > np.cumsum(p, 1)[:, None, :-1]).sum(-1)
                ann = raters.read(x, layout="wide", scale="nominal", labels=list(range(p.shape[1])))
                for e in raters.krr_curve(ann, KS, method="model", resamples=200)[1:]:
                    found[e.details["k"]].append((e.value, e.low, e.high))
            for k in KS:
                value, low, high = np.array(found[k]).T
                held = np.mean((low - 0.005 <= truth[k]) & (truth[k] <= high + 0.005))
                limits = f"{low.mean():.2f} to {high.mean():.2f}"
                row = (name, n, k, f"{truth[k]:.3f}", f"{value.mean() - truth[k]:+.3f}", limits, f"{held:.2f}")
                print("|", " | ".join(map(str, row)), "|", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
