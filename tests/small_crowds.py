"""Small crowds: drawn from given confusion matrices, or written out."""

from typing import Any

import numpy as np

import raters
from raters.models.base.votes import Votes


def crowd(
    theta: np.ndarray, n_items: int = 400, share: float = 1.0, seed: int = 0, pi: Any = None
) -> tuple[Votes, np.ndarray]:
    """Labels of raters with these confusion matrices, and the truth."""
    rng = np.random.default_rng(seed)
    n_raters, k = theta.shape[:2]
    truth = rng.choice(k, n_items, p=pi)
    item, rater = np.nonzero(rng.random((n_items, n_raters)) < share)
    p = np.cumsum(theta[rater, truth[item]], 1)
    label = (p < rng.random((len(item), 1))).sum(1).clip(max=k - 1)
    names = [f"r{j}" for j in range(n_raters)]
    return Votes.of_codes(item, rater, label, labels=range(k), raters=names, items=range(n_items)), truth


def coin(accuracy: float, k: int = 2) -> np.ndarray:
    return np.where(np.eye(k, dtype=bool), accuracy, (1 - accuracy) / (k - 1))


ROWS = [(f"i{i}", f"r{j}", "abc"[(i + (i * j) % 4 // 3) % 3]) for i in range(30) for j in range(4)]


def read(rows: Any, **options: Any) -> raters.Annotations:
    return raters.read(rows, **({"scale": "nominal"} | options))


def right_in_four_of_five(n_items: int, n_raters: int, k: int = 2) -> list[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n_items)
    return [
        (f"i{i}", f"r{j}", f"k{truth[i] if rng.random() < 0.8 else rng.integers(0, k)}")
        for i in range(n_items)
        for j in range(n_raters)
    ]
