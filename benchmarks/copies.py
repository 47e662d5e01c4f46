"""How often honest raters who agree throughout are counted once, and how often a copy is: simulated crowds.

python benchmarks/copies.py 20
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from raters.models.base.votes import Votes
from raters.models.choosing.copies import copies

HONEST = (
    # items, experts, how often they are right, the others, how often those are, labels an item, labels, share of hard
    # items
    (300, 4, 1.0, 8, 0.65, 5, 4, 0.0),
    (300, 3, 1.0, 9, 0.65, 5, 4, 0.0),
    (300, 4, 0.98, 8, 0.75, 5, 3, 0.0),
    (200, 5, 1.0, 7, 0.7, 5, 2, 0.0),
    (200, 4, 0.97, 8, 0.7, 5, 2, 0.0),
    (150, 4, 0.98, 6, 0.8, 5, 3, 0.0),
    (100, 4, 0.98, 4, 0.75, 5, 3, 0.0),
    (60, 2, 0.98, 3, 0.75, 5, 3, 0.0),
    (40, 2, 0.99, 2, 0.8, 4, 3, 0.0),
    (100, 2, 1.0, 3, 0.65, 3, 2, 0.0),
    (60, 0, 0.0, 10, 0.97, 10, 2, 0.0),
    (60, 4, 0.99, 6, 0.7, 10, 3, 0.1),
    (60, 0, 0.0, 10, 0.98, 10, 4, 0.1),
    (100, 2, 0.99, 1, 0.7, 3, 2, 0.0),
    (60, 6, 0.99, 2, 0.6, 8, 2, 0.0),
)
BATCHES = (
    # batches of 40 items with raters of their own, labels an item, labels, share of experts, right, the others
    (20, 3, 2, 0.5, 0.99, 0.75),
    (20, 3, 5, 0.5, 0.99, 0.75),
    (20, 5, 2, 0.5, 0.98, 0.7),
    (20, 5, 5, 0.4, 0.99, 0.7),
)
ACCURACIES = (0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
SHARED = (35, 60, 100, 200)
Array = Any


def answers(rng: np.random.Generator, truth: Array, right: Array, k: int) -> Array:
    return np.where(rng.random(len(truth)) < right, truth, (truth + rng.integers(1, k, len(truth))) % k)


def crowd(seed: int, n: int, right: Array, per: int, k: int, hard: float = 0.0, copy: bool = False) -> Votes:
    """Raters who label random items; on hard items, half of the answers are one wrong label."""
    rng = np.random.default_rng(seed)
    truth, item = rng.integers(0, k, n), np.repeat(np.arange(n), per)
    rater = np.concatenate([rng.choice(len(right), per, replace=False) for _ in range(n)])
    label = answers(rng, truth[item], right[rater], k)
    lure = np.where(rng.random(n) < hard, (truth + rng.integers(1, k, n)) % k, -1)[item]
    label = np.where((lure >= 0) & (rng.random(len(item)) < 0.5), lure, label)
    same = np.flatnonzero(rater == 0) if copy else np.zeros(0, int)
    who = np.r_[rater, np.full(len(same), len(right))]
    return Votes.of_codes(np.r_[item, item[same]], who, np.r_[label, label[same]], labels=range(k))


def batches(seed: int, many: int, per: int, k: int, experts: float, good: float, rest: float, n: int = 40) -> Votes:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, many * n)
    item = np.concatenate([np.tile(np.arange(b * n, b * n + n), per) for b in range(many)])
    rater = np.repeat(np.arange(many * per), n)
    right = np.where(rng.random(many * per) < experts, good, rest)
    return Votes.of_codes(item, rater, answers(rng, truth[item], right[rater], k), labels=range(k))


def main(times: int) -> None:
    found = []
    for n, experts, good, others, rest, per, k, hard in HONEST:
        right = np.r_[np.full(experts, good), np.full(others, rest)]
        found.append(sum(bool(copies(crowd(s, n, right, per, k, hard))) for s in range(times)))
    found += [sum(bool(copies(batches(s, *design))) for s in range(times)) for design in BATCHES]
    print(f"honest pairs counted once in {sum(found)} of {times * len(found)} crowds; by design {found}")  # noqa: T201
    print("| labels | labels an item | shared items |", *(f" {a:g} |" for a in ACCURACIES))  # noqa: T201
    print("|---|---|---|" + "---|" * len(ACCURACIES))  # noqa: T201
    for k, per in ((2, 5), (2, 10), (4, 5)):
        for shared in SHARED:
            row = [_power(a, k, per, shared, times) for a in ACCURACIES]
            print(f"| {k} | {per} | about {shared} |", *(f" {x:.2f} |" for x in row), flush=True)  # noqa: T201


def _power(accuracy: float, k: int, per: int, shared: int, times: int) -> float:
    right = np.r_[accuracy, np.full(9, 0.8)]
    made = [crowd(s, shared * 10 // per, right, per, k, copy=True) for s in range(times)]
    return sum(copies(votes) == ((0, 10),) for votes in made) / times


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
