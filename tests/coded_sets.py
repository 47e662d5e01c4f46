"""Sets of labels by two raters: tables, and the measures on them."""

from itertools import combinations
from typing import Any

import numpy as np

import raters
from raters import simulate
from raters.io.read import read
from raters.reliability.sets.chance import Drawing
from raters.reliability.sets.statistics import Options, Sets, statistics, two_raters
from raters.scales.sets import LabelSet

NAMES = [
    "soft_match",
    "augmented",
    "boot_match",
    "boot_precision",
    "boot_recall",
    "boot_f1",
    "alpha_masi",
    "alpha_jaccard",
]
KAPPAS = NAMES[:6]
TABLE_1 = [("A", "AB"), ("AB", "BC"), ("AB", "AB")]


def table(pairs: list[tuple[Any, Any]], names: tuple[str, str] = ("c1", "c2"), **options: Any) -> raters.Annotations:
    rows = [
        (i, who, list(s)) for i, row in enumerate(pairs) for who, s in zip(names, row, strict=True) if s is not None
    ]
    return read(rows, scale="sets", **options)


def drawn(n: int = 60, seed: int = 0, **options: Any) -> raters.Annotations:
    return simulate.multilabel(
        n, 5, **{"double": (0.2, 0.5), "intersection": 0.8, "seed": seed, **options}
    ).annotations()


def measures(sets: simulate.SimulatedSets) -> dict[str, np.ndarray]:
    """Observed, expected and adjusted, without the detour of a table."""
    q = len(sets.prevalence)
    labels = [LabelSet(c) for m in (1, 2) for c in combinations(range(q), m)]
    at = {frozenset(s): i for i, s in enumerate(labels)}
    x, y = (np.array([at[frozenset(row[row >= 0].tolist())] for row in t]) for t in (sets.first, sets.second))
    found, _ = statistics(two_raters(np.ones(len(x)), x, y, Sets(labels, range(q)), Options()), Options())
    parts = {name: s.parts(s.weight[None]) for name, s in found.items()}
    return {name: np.array([p.observed[0], p.expected[0], p.value[0]]) for name, p in parts.items()}


def drawing(seed: int, n_labels: int, largest: int, *, unused: int = 0) -> Drawing:
    rng = np.random.default_rng(seed)
    labels = rng.dirichlet(np.ones(n_labels - unused))
    return Drawing(rng.dirichlet(np.ones(largest + 1))[None], np.concatenate([labels, np.zeros(unused)])[None])
