"""Tables of raters who know the true label with a given probability, and else guess."""

from collections.abc import Sequence

import numpy as np

import raters
from raters.annotations import Annotations


def table(n: int, seed: int, accuracy: Sequence[float], labels: str = "abcd") -> Annotations:
    """``n`` items labelled by one rater for each accuracy; equal accuracies make raters who are alike."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(labels), n)
    rows = [
        (f"i{i}", f"r{j}", labels[truth[i] if rng.random() < p else rng.integers(0, len(labels))])
        for i in range(n)
        for j, p in enumerate(accuracy)
    ]
    return raters.read(rows, scale="nominal")
