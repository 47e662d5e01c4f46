"""Two pools of raters drawn from one population, in which raters differ in leniency: some rate everything higher."""

import numpy as np

import raters
from raters.annotations import Annotations


def lenient(seed: int, items: int = 100, each: int = 5, spread: float = 1.0, shift: float = 0.0) -> Annotations:
    """Every rater rates every item; ``shift``: how much higher those of the second pool rate."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1, items)
    own = rng.normal(0, spread, 2 * each) + np.repeat([0.0, shift], each)
    ratings = np.round(level[:, None] + own + rng.normal(0, 0.7, (items, 2 * each)), 1)
    return raters.read(
        {
            "item": np.repeat(np.arange(items), 2 * each),
            "rater": np.tile([f"r{j}" for j in range(2 * each)], items),
            "label": ratings.ravel(),
            "pool": np.tile(np.repeat(["a", "b"], each), items),
        },
        scale="interval",
    )
