"""Crowds whose confusion matrices are given."""

from typing import Any

import numpy as np

from raters.models.votes import Votes


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
