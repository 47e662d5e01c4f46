"""Figures that are functions of sums over items, and their replicates: all figures use the same weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.intervals import IntervalSpec, by_percentile
from raters.inference.weights import multinomial

Array = NDArray[Any]
Function = Callable[[Array], Array]
"""From sums (replicate, sum) to figures (figure, replicate)."""
MOST_DRAWS = 20_000_000
MOST_PRODUCTS = 4_000_000_000
BATCHES = 500
"""If items times resamples (times sums) exceed a limit, items are first summed in this many random batches, and batches are drawn."""
CELLS = 8_000_000


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


def replicated(terms: Terms, function: Function, resamples: int, seed: int) -> tuple[Array, Array]:
    """The figures of the data, (figure,), and of bootstrap samples of items, (figure, replicate)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        point = function(terms.sums())[:, 0]
        if not resamples or terms.n < 2:
            return point, np.full((len(point), 0), np.nan)
        rng = np.random.default_rng(seed)
        weight, table = _drawn_from(terms, resamples, rng)
        rows = max(1, CELLS // max(table.shape[1], 1))
        draws = [
            function(np.asarray(weights[at : at + rows] @ table))
            for weights in multinomial(weight, resamples, rng)
            for at in range(0, len(weights), rows)
        ]
    return point, np.concatenate(draws, 1)


def _drawn_from(terms: Terms, resamples: int, rng: np.random.Generator) -> tuple[Array, Any]:
    """The units that are resampled, with their counts: kinds of items, or random batches of very many items.

    Items that add the same to every sum are of one kind, identified by a random linear combination of what they add. The
    sums of a sample of batches vary like those of a sample of items.
    """
    form = np.random.default_rng(20250101).random(terms.width)
    place, code = 0, np.zeros(terms.n)
    for block in terms.blocks:
        code += block @ form[place : place + block.shape[1]]
        place += block.shape[1]
    _, first, kind, weight = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    n = len(weight)
    few = n * resamples <= MOST_DRAWS and n * resamples * terms.width <= MOST_PRODUCTS
    if few or n < 2 * BATCHES:
        table = sparse.hstack([b[first] for b in terms.blocks], format="csr")
        return weight.astype(float), table.toarray() if n * table.shape[1] <= CELLS else table
    batch = np.empty(terms.n, np.int64)
    batch[np.argsort(kind, kind="stable")] = rng.permutation(terms.n) % BATCHES
    into = sparse.csr_array((np.ones(terms.n), (batch, np.arange(terms.n))), (BATCHES, terms.n))
    summed = [into @ b for b in terms.blocks]
    if BATCHES * terms.width <= 4 * CELLS:
        return np.ones(BATCHES), np.concatenate([s.toarray() for s in summed], 1)
    return np.ones(BATCHES), sparse.hstack(summed, format="csr")


def checked(interval: str | None, level: float, resamples: int, seed: int) -> IntervalSpec:
    """The interval specification for figures of judges: bootstrap over items, or none."""
    if interval not in ("auto", "bootstrap", None):
        raise UsageError(f"interval={interval!r}: figures of judges take interval='bootstrap' (over items) or None.")
    return IntervalSpec("bootstrap", level, resamples, seed)


def estimate(name: str, value: float, draws: Array, spec: IntervalSpec, why: str = "", **facts: Any) -> Estimate:
    """A figure with the percentile interval of its replicates; ``why``: the reason if it is undefined."""
    warnings = tuple(facts.pop("warnings", ()))
    if not np.isfinite(value):
        return Estimate(name, np.nan, level=spec.level, warnings=(*warnings, why or "it cannot be computed"), **facts)
    if not draws.size:
        return Estimate(name, float(value), level=spec.level, warnings=warnings, **facts)
    found = by_percentile(draws, spec)
    if found.low == found.high == value:
        warnings = (
            *warnings,
            f"{'nearly ' if found.se > 0 else ''}every bootstrap sample gives the same value, so the interval is too narrow: further items may well differ",
        )
    return Estimate(name, float(value), found.low, found.high, found.se, spec.level, "bootstrap",
                    warnings=(*warnings, *found.warnings), **facts)  # fmt: skip
