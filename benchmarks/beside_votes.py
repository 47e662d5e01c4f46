"""What a classifier beside the votes changes, and whether it helps. python benchmarks/beside_votes.py [tables]."""

from __future__ import annotations

import sys
import warnings

import numpy as np

import raters

DESIGNS = {
    "2 labels, .9/.1, 3 raters right .75": (200, 3, 10, [0.9, 0.1], (0.75, 0.75)), "3 labels, 3 raters right .65": (200, 3, 10, [0.4, 0.3, 0.3], (0.65, 0.65)),
    "2 labels, .5, 5 raters right .7": (200, 5, 10, [0.5, 0.5], (0.7, 0.7)), "100 items, 3 raters right .7": (100, 3, 10, [0.5, 0.5], (0.7, 0.7)),
    "5 labels, 3 raters right .6": (200, 3, 10, [0.2] * 5, (0.6, 0.6)), "300 items, .7/.3, 2 raters right .8": (300, 2, 10, [0.7, 0.3], (0.8, 0.8)),
    "3 raters right .55 to .95": (200, 3, 20, [0.5, 0.5], (0.55, 0.95)), "5 raters right .9": (200, 5, 10, [0.5, 0.5], (0.9, 0.9)),
    ".8/.2, 3 raters right .85": (200, 3, 10, [0.8, 0.2], (0.85, 0.85)), "400 items, .6/.4, 3 raters right .75": (400, 3, 30, [0.6, 0.4], (0.75, 0.75)),
}  # fmt: skip
KINDS = ("random", "adversarial", "right .85", "right .85, sure of itself")


def table(
    rng: np.random.Generator, n: int, k: int, raters_: int, prevalence: list[float], right: tuple[float, float]
) -> tuple[np.ndarray, list[tuple[int, str, int]]]:
    """The true labels, and the rows of labels of raters, k of them on each item."""
    q, skill = len(prevalence), rng.uniform(*right, raters_)
    truth = rng.choice(q, n, p=prevalence)
    rows = []
    for i in range(n):
        for r in rng.choice(raters_, k, replace=False):
            given = truth[i] if rng.random() < skill[r] else (truth[i] + rng.integers(1, q)) % q
            rows.append((i, f"r{r}", int(given)))
    return truth, rows


def probabilities(rng: np.random.Generator, truth: np.ndarray, q: int, kind: str) -> np.ndarray:
    """A classifier: right .85 of the time, random, or adversarial (sure of a wrong label)."""
    if kind == "random":
        return rng.dirichlet(np.ones(q), len(truth))
    right, sure = rng.random(len(truth)) < (0.15 if kind == "adversarial" else 0.85), 0.98 if "sure" in kind else 0.8
    said = np.where(right, truth, (truth + rng.integers(1, q, len(truth))) % q)
    return np.eye(q)[said] * sure + (1 - sure) / q


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, (n, k, raters_, prevalence, right) in DESIGNS.items():
        for kind in KINDS:
            none, moved = 0, []
            for seed in range(tables):
                rng = np.random.default_rng(seed)
                truth, rows = table(rng, n, k, raters_, prevalence, right)
                m = probabilities(rng, truth, len(prevalence), kind)
                ann = raters.read(rows, scale="nominal", labels=list(range(len(prevalence))))
                c = raters.consensus(ann, "one_coin", prevalence="learned")
                found = raters.with_classifier(ann, {i: dict(enumerate(x)) for i, x in enumerate(m.tolist())}, fitted=c)
                none += not found.changed
                moved.append(
                    np.mean([found.labels[i] == t for i, t in enumerate(truth)])
                    - np.mean([c.labels[i] == t for i, t in enumerate(truth)])
                )
            sys.stdout.write(
                f"{name}, {kind}: nothing changed in {none / tables:.3f}, accuracy {np.mean(moved):+.4f}, lower by .005 in {np.mean(np.array(moved) <= -0.005):.3f} of {tables}\n"
            )
            sys.stdout.flush()
