"""Figures that one function computes from shared sums over items, so that all are on the same replicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.inference.limits import IntervalSpec
from raters.inference.statistic import STEP
from raters.items import dense

Array = NDArray[Any]
Function = Callable[[Array], Array]
"""From sums (replicate, sum) to figures (figure, replicate)."""
MOST_DRAWS = 20_000_000
MOST_PRODUCTS = 4_000_000_000
BATCHES = 500
"""If items times resamples (times sums) exceed a limit, items are first summed in this many random batches, which are
then the units.
"""
CELLS = 8_000_000


@dataclass(frozen=True, eq=False)
class Joint:
    """Figures as one function of sums that are linear in the weights of the units."""

    weight: Array
    """(unit,): how many items are of each kind, or 1 for each batch of items."""
    terms: Any
    """(unit, sum)"""
    function: Function
    smooth: bool = True
    """Whether the figures have derivatives. Where they jump, neither the delta method nor the jackknife holds, and the
    bootstrap takes their place.
    """

    def values(self, weights: Array) -> Array:
        """(figure, replicate): the figures for each row of ``weights``."""
        rows = self._rows
        return np.concatenate(
            [self.function(np.asarray(weights[at : at + rows] @ self.terms)) for at in range(0, len(weights), rows)], 1
        )

    def influences(self) -> Array:
        """(figure, unit): derivatives by the weight of each unit, by a complex step in each sum."""
        at, width = self.weight @ self.terms, self.terms.shape[1]
        slopes = []
        for start in range(0, width, self._rows):
            step = np.eye(min(self._rows, width - start), width, start)
            slopes.append(self.function(at + 1j * STEP * step).imag / STEP)
        return np.asarray((self.terms @ np.concatenate(slopes, 1).T).T)

    def left_out(self) -> Array:
        """(figure, unit): the figures without one item of each kind, or without each batch."""
        at, rows = self.weight @ self.terms, self._rows
        every = range(0, len(self.weight), rows)
        return np.concatenate([self.function(at - dense(self.terms[i : i + rows])) for i in every], 1)

    @property
    def _rows(self) -> int:
        """Rows of sums that are computed at once."""
        return max(1, CELLS // max(int(self.terms.shape[1]), 1))


class Terms:
    """What each item adds to the sums, block by block; each block has its slice."""

    def __init__(self, n: int) -> None:
        self.n, self.width, self.blocks = n, 0, list[sparse.csr_array]()

    def add(self, block: Any) -> slice:
        """Add (item, sum) or (item,) terms, and return their slice."""
        table = sparse.csr_array(block if block.ndim == 2 else block[:, None])
        self.blocks.append(table)
        start, self.width = self.width, self.width + table.shape[1]
        return slice(start, self.width)

    def sums(self) -> Array:
        """(1, sum): sums over all items."""
        return np.concatenate([np.asarray(b.sum(0)).ravel() for b in self.blocks] or [np.zeros(0)])[None]

    def joint(self, function: Function, spec: IntervalSpec, smooth: bool = True) -> Joint:
        """The figures as a function of weights: of kinds of items, or of random batches of very many items.

        Items that add the same to every sum are of one kind, identified by a random linear combination of what they
        add. The sums of a sample of batches vary like those of a sample of items.
        """
        form = np.random.default_rng(20250101).random(self.width)
        place, code = 0, np.zeros(self.n)
        for block in self.blocks:
            code += block @ form[place : place + block.shape[1]]
            place += block.shape[1]
        _, first, kind, weight = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
        draws = len(weight) * spec.resamples
        if (draws <= MOST_DRAWS and draws * self.width <= MOST_PRODUCTS) or len(weight) < 2 * BATCHES:
            table = sparse.hstack([b[first] for b in self.blocks], format="csr")
            small = len(weight) * table.shape[1] <= CELLS
            return Joint(weight.astype(float), table.toarray() if small else table, function, smooth)
        batch = np.empty(self.n, np.int64)
        mixed = np.random.default_rng(spec.seed).permutation(self.n)
        batch[np.argsort(kind, kind="stable")] = mixed % BATCHES
        into = sparse.csr_array((np.ones(self.n), (batch, np.arange(self.n))), (BATCHES, self.n))
        summed = sparse.hstack([into @ b for b in self.blocks], format="csr")
        return Joint(
            np.ones(BATCHES), summed.toarray() if BATCHES * self.width <= 4 * CELLS else summed, function, smooth
        )
