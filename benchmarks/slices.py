"""How often a report says that agreement differs between two slices of one population: "clearly lower".

    python benchmarks/slices.py [tables]

Raters see the item's label or guess; the column deals items to slices at random. In the last design one slice has a true
alpha of .3 where the others have .8. Each share has a standard error of sqrt(share (1 - share) / tables).
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import raters
from raters.reporting.sections.where import far_apart

DESIGNS = ((2, 30, 0.6, 0.6), (4, 30, 0.6, 0.6), (10, 30, 0.6, 0.6), (4, 100, 0.6, 0.6), (4, 60, 0.8, 0.3))
"""Slices, items in each, true alpha, and that of the first slice."""


def table(rng: np.random.Generator, slices: int, items: int, alpha: float, first: float) -> raters.Annotations:
    """Three raters, two labels of which one has 30 %."""
    n = slices * items
    value = np.where(np.arange(n) % slices == 0, first, alpha)[:, None]
    truth, guess = rng.random((n, 1)) < 0.3, rng.random((n, 3)) < 0.3
    x = np.where(rng.random((n, 3)) < np.sqrt(value), truth, guess).astype(int)
    i, j = np.indices(x.shape).reshape(2, -1)
    return raters.read({"item": i, "rater": j, "label": x[i, j], "topic": i % slices}, scale="nominal")


def main(tables: int) -> None:
    warnings.simplefilter("ignore")
    for design in DESIGNS:
        said = right = 0
        for seed in range(tables):
            ann = table(np.random.default_rng(seed), *design)
            apart = far_apart(raters.agreement(ann, by="topic", resamples=500))
            said += apart is not None
            right += apart is not None and apart[0].name == "0"
        slices, items, alpha, first = design
        sys.stdout.write(
            f"{slices} slices of {items} items, alpha {alpha:g}, first {first:g}: said in {said / tables:.3f} of {tables},"
            f" of the first in {right / tables:.3f}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
