"""A statistic is a pure function of one weight per pattern; intervals need nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Coefficient, Parts, Sums
from raters.errors import UsageError
from raters.items import Blocks, Lifted, Occupied, cell_shares, dense
from raters.scales import Kernel

Array = NDArray[Any]
DENSE = 20_000_000
STEP = 1e-20
MOST_LEFT_OUT = 20_000
MANY_SUMS = 1_000
"""Above this many sums a closed form of the derivative is used, if there is one."""


def value_alone(value: Array) -> Parts:
    """A value that is not computed from observed and expected agreement."""
    nothing = np.full(np.shape(value), np.nan)
    return Parts(nothing, nothing, 1.0, mean=value)


class Statistic(Protocol):
    """What intervals require of a statistic."""

    @property
    def weight(self) -> Array:
        """(pattern,): how many items show each pattern."""

    def parts(self, weights: Array) -> Parts:
        """Observed, expected and value for each row of ``weights``: (replicate, pattern)."""

    def influence(self) -> Array:
        """(pattern,): the derivative of the value by the weight of each pattern."""

    def left_out(self) -> Array:
        """(pattern,): the value without one item of each pattern."""


@dataclass(frozen=True)
class Linear:
    """A function of a few sums over items, each linear in the weights."""

    weight: Array
    terms: Any
    """(pattern, sum): what an item of this pattern adds to each sum."""
    function: Callable[[Array], Parts]
    slope: Callable[[Array], Array] | None = None
    """The derivative of the value by each sum, if there is a closed form."""

    def parts(self, weights: Array) -> Parts:
        step = max(1, DENSE // max(self.terms.shape[1], 1))
        done = [
            self.function(np.asarray(weights[i : i + step] @ self.terms)) for i in range(0, max(len(weights), 1), step)
        ]
        return done[0] if len(done) == 1 else joined(done)

    def influence(self) -> Array:
        """By complex steps: in each sum, or in the direction of each pattern, whichever are fewer; in closed form if
        there are many.
        """
        at = self.weight @ self.terms
        n_patterns, n_sums = self.terms.shape
        if self.slope is not None and min(n_sums, n_patterns) > MANY_SUMS:
            return np.asarray(self.terms @ self.slope(at))
        chunk = max(1, 4_000_000 // max(n_sums, 1))
        if n_sums <= n_patterns:
            steps = (_unit_rows(i, min(i + chunk, n_sums), n_sums) for i in range(0, n_sums, chunk))
        else:
            steps = (_rows(self.terms, i, i + chunk) for i in range(0, n_patterns, chunk))
        slope = np.concatenate([self.function(at + 1j * STEP * step).value.imag / STEP for step in steps])
        return np.asarray(self.terms @ slope if n_sums <= n_patterns else slope)

    def left_out(self) -> Array:
        at = self.weight @ self.terms
        chunk = max(1, 4_000_000 // max(self.terms.shape[1], 1))
        n = self.terms.shape[0]
        return np.concatenate([self.function(at - _rows(self.terms, i, i + chunk)).value for i in range(0, n, chunk)])


@dataclass(frozen=True)
class MidRanks:
    """Ordinal alpha: interval alpha on the mid-ranks of the pooled margin, which change with the weights."""

    weight: Array
    counts: sparse.csr_array
    """(pattern, label), labels in their order: label counts; between groups, shares summed over groups."""
    r: Array
    """(pattern,): labels, or groups, per item: two or more."""
    cells: tuple[sparse.csr_array, Array] | None = None
    """Between groups: (cell, label) shares of each (item, group), and the pattern of each cell."""

    def parts(self, weights: Array) -> Parts:
        size = max(self.counts.shape[0] if self.cells is None else self.cells[0].shape[0], self.counts.shape[1], 1)
        chunk = max(1, 4_000_000 // size)
        chunks = [self._parts(weights[i : i + chunk]) for i in range(0, len(weights), chunk)]
        return Parts(np.concatenate([c[0] for c in chunks]), np.concatenate([c[1] for c in chunks]), 0.0)

    def _parts(self, weights: Array) -> tuple[Array, Array]:
        n_k = np.asarray(weights @ self.counts)
        n = n_k.sum(-1)
        rank = np.cumsum(n_k, -1) - n_k / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = (weights * self._within(rank).T).sum(-1) / n
            together = 2 * (n * (n_k * rank**2).sum(-1) - (n_k * rank).sum(-1) ** 2)
            expected = (together - (weights * self._own(rank).T).sum(-1)) / (n * (n - 1))
        # all labels equal: the difference of two large numbers is noise
        one = (n_k > 0).sum(-1) < 2
        return observed, np.where(one, 0.0, expected)

    def _within(self, rank: Array) -> Array:
        """(pattern, replicate): squared differences of ranks summed over the item's pairs, over r - 1.

        The pairs of a bag minus those of a cell with itself: 2 [(r - 1) sum R^2 - (sum R)^2 + sum over cells (mean
        R)^2].
        """
        r = self.r[:, None]
        squares, total = self.counts @ (rank**2).T, self.counts @ rank.T
        own = squares if self.cells is None else self._sum_cells((self.cells[0] @ rank.T) ** 2)
        return np.asarray(2 * (squares + (own - total**2) / (r - 1)))

    def _own(self, rank: Array) -> Array:
        """(pattern, replicate): squared differences of ranks within the cells, summed; a single label has none."""
        if self.cells is None:
            return np.zeros((1, len(rank)))
        return np.asarray(2 * (self.counts @ (rank**2).T - self._sum_cells((self.cells[0] @ rank.T) ** 2)))

    def _sum_cells(self, x: Array) -> Array:
        """(cell, ...) summed to (pattern, ...)."""
        if self.cells is None:
            return x
        start = np.flatnonzero(np.diff(self.cells[1], prepend=-1))
        return np.asarray(np.add.reduceat(x, start, axis=0))

    def influence(self) -> Array:
        """By the chain rule: the direct term, and the change of the ranks with the margin."""
        c, w, r = self.counts, self.weight, self.r
        n_k = w @ c
        n = n_k.sum()
        rank = np.cumsum(n_k) - n_k / 2
        within = self._within(rank[None])[:, 0]
        a = float(w @ within)
        first, second = n_k @ rank, n_k @ rank**2
        own = np.broadcast_to(self._own(rank[None])[:, 0], w.shape)
        b = 2 * (n * second - first**2) - float(w @ own)
        b_rank = 4 * n_k * (n * rank - first)
        if self.cells is not None:
            b_rank = b_rank - 4 * (rank * n_k - (w[self.cells[1]] * (self.cells[0] @ rank)) @ self.cells[0])
        b_margin = 2 * (second + n * rank**2 - 2 * first * rank)
        da = within + c @ through_ranks(self._slope(rank))
        db = c @ (b_margin + through_ranks(b_rank)) - own
        return np.asarray(-(r * a / b + (n - 1) * da / b - (n - 1) * a * db / b**2))

    def _slope(self, rank: Array) -> Array:
        """(label,): the derivative of the weighted sum of ``_within`` by each rank."""
        c, w = self.counts, self.weight / (self.r - 1)
        if self.cells is None:
            own = rank * (w @ c)
        else:
            cells, row = self.cells
            own = (w[row] * (cells @ rank)) @ cells
        return np.asarray(4 * (rank * (self.weight @ c) + own - (w * (c @ rank)) @ c))

    def left_out(self) -> Array:
        return without_each(self)


def joined(parts: Sequence[Parts]) -> Parts:
    """The parts of several chunks of replicates, concatenated."""
    first = parts[0]
    mean = None if first.mean is None else np.concatenate([p.mean for p in parts if p.mean is not None])
    observed, expected = (np.concatenate([getattr(p, name) for p in parts]) for name in ("observed", "expected"))
    return Parts(observed, expected, first.perfect, first.unit, mean)


def without_each(stat: Statistic) -> Array:
    """The value without one unit of each pattern, one row of weights for each: for statistics without a faster
    method.
    """
    n = len(stat.weight)
    if n > MOST_LEFT_OUT:
        raise UsageError(f"leaving out each of {n:,} different items is too slow; use interval='delta'.")
    chunk = max(1, 4_000_000 // max(n, 1))
    rows = (_unit_rows(i, min(i + chunk, n), n) for i in range(0, n, chunk))
    return np.concatenate([stat.parts(stat.weight - row).value for row in rows])


def through_ranks(slope: Array) -> Array:
    """The slope by the margin, given the slope by the mid-ranks: R_k = sum_{l<k} n_l + n_k / 2."""
    return np.asarray(np.cumsum(slope[::-1])[::-1] - slope / 2)


def _unit_rows(start: int, stop: int, n: int) -> Array:
    rows = np.zeros((stop - start, n))
    rows[np.arange(stop - start), np.arange(start, stop)] = 1
    return rows


def _rows(matrix: Any, start: int, stop: int) -> Array:
    return dense(matrix[start:stop])


def mid_ranks(x: Lifted) -> MidRanks:
    """The statistic of ordinal alpha on lifted items (one-hot features); items with one label are omitted."""
    at = np.flatnonzero(x.r >= 2)
    counts = sparse.csr_array(x.sums)[at]
    cells = None
    if len(x.items.groups) > 1 and not x.items.once:
        shares, row = cell_shares(x.items, x.kernel)
        kept = np.isin(row, at)
        cells = shares[kept], np.searchsorted(at, row[kept])
    return MidRanks(x.items.weight[at], counts, x.r[at], cells)


def linear(coefficient: Coefficient, x: Lifted, q: int) -> Linear:
    """The statistic of a coefficient on lifted items."""
    blocks: dict[str, Any] = {}
    for name in coefficient.terms:
        blocks[name] = coefficient.term(name)(x)
    terms, layout = _beside(blocks, len(x.r))
    kernel: Kernel = x.kernel
    places = {name: block.place for name, block in blocks.items() if isinstance(block, Occupied)}

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            return coefficient.function(Sums(flat, layout, places), kernel, q)

    def slope(flat: Array) -> Array:
        by = coefficient.slope(Sums(flat, layout, places), kernel, q) if coefficient.slope else {}
        flat_by = (by[name][places[name].at] if name in places else by[name] for name in layout)
        return np.concatenate([np.atleast_1d(x) for x in flat_by])

    return Linear(x.items.weight, terms, function, slope if coefficient.slope else None)


def _beside(blocks: dict[str, Any], n: int) -> tuple[Any, dict[str, slice | int]]:
    """All blocks side by side, as one array if that is small, and the position of each block."""
    layout: dict[str, slice | int] = {}
    at = 0
    for name, block in blocks.items():
        layout[name] = at if block.ndim == 1 else slice(at, at + block.shape[1])
        at += 1 if block.ndim == 1 else block.shape[1]
    columns = tuple(b[:, None] if b.ndim == 1 else b for b in blocks.values())
    if n * at <= DENSE or all(isinstance(c, np.ndarray) for c in columns):
        return np.concatenate([dense(c) for c in columns], 1), layout
    return Blocks(columns), layout
