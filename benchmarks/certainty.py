"""How far ``auto`` can be believed, on simulated crowds: accuracy beside the vote and the best model, and what is
called settled.

python benchmarks/certainty.py          # a table in Markdown, about half a minute
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np

import raters
from raters.models.base.votes import Votes

MODELS = ("majority", "wawa", "one_coin", "mace", "glad", "hierarchical", "dawid_skene")
CROWDS = {  # name: items, raters, labels an item, labels, accuracy, share of hard items, bias
    "dense": (400, 15, 10, 3, 0.8, 0.0, 0.0),
    "sparse, K = 2": (400, 80, 3, 2, 0.8, 0.0, 0.0),
    "sparse, K = 5": (400, 80, 3, 5, 0.7, 0.0, 0.0),
    "biased": (400, 15, 8, 2, 0.85, 0.0, 0.4),
    "hard items": (400, 15, 8, 3, 0.85, 0.3, 0.0),
}


def crowd(
    seed: int, n: int, j: int, each: int, k: int, accuracy: float, hard: float, bias: float
) -> tuple[Votes, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    item = np.repeat(np.arange(n), each)
    rater = np.concatenate([rng.choice(j, each, replace=False) for _ in range(n)])
    skill = np.clip(rng.normal(accuracy, 0.08, j), 1 / k, 0.98)
    is_hard, lure = rng.random(n) < hard, (truth + rng.integers(1, k, n)) % k
    knows = rng.random(len(item)) < np.where(is_hard[item], 0.45, skill[rater])
    label = np.where(
        knows, truth[item], np.where(is_hard[item], lure[item], (truth[item] + rng.integers(1, k, len(item))) % k)
    )
    leaning = rng.random(j) < 0.5
    label = np.where(leaning[rater] & (rng.random(len(item)) < bias), 0, label)
    return Votes.of_codes(item, rater, label, labels=range(k), items=range(n), raters=range(j)), truth


def rows(repeats: int = 3) -> Iterator[str]:
    for name, shape in CROWDS.items():
        found = []
        for seed in range(repeats):
            votes, truth = crowd(seed, *shape)
            began = time.process_time()
            c = raters.consensus(votes)
            took = time.process_time() - began
            others = {m: float(np.mean(raters.consensus(votes, m, start="votes").codes == truth)) for m in MODELS}
            hit, sure = c.codes == truth, np.nan_to_num(c.certainty) >= 0.99
            found.append(
                (hit.mean(), others["majority"], max(others.values()), sure.sum(), hit[sure].sum(), len(truth), took)
            )
        a = np.array(found)
        right = f"{a[:, 4].sum() / a[:, 3].sum():.3f}" if a[:, 3].sum() else "none"
        yield (
            f"| {name} | {a[:, 0].mean():.3f} | {a[:, 1].mean():.3f} | {a[:, 2].mean():.3f} |"
            f" {a[:, 3].sum() / a[:, 5].sum():.2f} | {right} | {a[:, 6].mean():.1f} |"
        )


def main() -> None:
    warnings.simplefilter("ignore")
    head = ("crowd", "`auto`", "vote", "best model", "settled at .99", "of these right", "CPU s")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *rows()]
    print("\n".join(lines))  # noqa: T201


if __name__ == "__main__":
    main()
