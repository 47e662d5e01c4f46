"""Figures of spans as functions of one weight per document, which is all that intervals need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Parts
from raters.inference.statistic import Linear, value_alone

Array = NDArray[Any]
CELLS = 4_000_000


def pooled_f1(both: Array, all_: Array) -> Linear:
    """F1 from (document,) sums over pairs: what matches, and what there is."""

    def function(sums: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            return value_alone(np.where(np.real(sums[..., 1]) > 0, 2 * sums[..., 0] / sums[..., 1], np.nan))

    return Linear(np.ones(len(both)), np.stack([both, all_], 1), function)


@dataclass(frozen=True, eq=False)
class MeanOfPairs:
    """The mean of F1 over the pairs of raters for whom it is defined."""

    weight: Array
    both: sparse.csr_array
    """(document, pair): what matches."""
    all: sparse.csr_array
    """(document, pair): what there is."""

    def parts(self, weights: Array) -> Parts:
        step = max(1, CELLS // max(self.both.shape[1], 1))
        return value_alone(
            np.concatenate(
                [
                    _mean(weights[i : i + step] @ self.both, weights[i : i + step] @ self.all)
                    for i in range(0, max(len(weights), 1), step)
                ]
            )
        )

    def influence(self) -> Array:
        both, all_ = self.weight @ self.both, self.weight @ self.all
        there = all_ > 0
        safe = np.where(there, all_, 1)
        f, n = 2 * both / safe, max(int(there.sum()), 1)
        return np.asarray((self.both @ (there * 2 / safe) - self.all @ (there * f / safe)) / n)

    def left_out(self) -> Array:
        """Only the pairs of a document change without it."""
        both, all_ = self.weight @ self.both, self.weight @ self.all
        rows, at = self.all.tocoo(), self.both.tocsr()
        document, pair = rows.coords
        less = all_[pair] - rows.data
        was = 2 * both[pair] / all_[pair]
        there = less > 0.5  # counts: nothing is left
        mine = np.asarray(at[document, pair]).ravel() if len(document) else np.zeros(0)
        now = np.where(there, 2 * (both[pair] - mine) / np.where(there, less, 1), 0.0)
        n = np.bincount(document, ~there, self.all.shape[0])
        change = np.bincount(document, now - was, self.all.shape[0])
        defined = all_ > 0
        total = float((2 * both[defined] / all_[defined]).sum())
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total + change) / (int(defined.sum()) - n))


def _mean(both: Array, all_: Array) -> Array:
    there = np.real(all_) > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(there, 2 * both / np.where(there, all_, 1), 0).sum(-1) / there.sum(-1))
