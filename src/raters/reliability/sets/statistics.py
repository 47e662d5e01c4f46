"""Multi-label measures as statistics: functions of sums over items, with chance recomputed whenever the sums change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Parts, safe_divide
from raters.inference.statistic import DENSE, Linear
from raters.reliability.sets.chance import MEASURES, MOST_STEPS, Drawing, Enumeration, steps
from raters.reliability.sets.simulated_chance import Reweighted, simulate
from raters.reliability.sets.terms import BASELINE, Options, Terms

Array = NDArray[Any]
MOST_REPLICATED = 50_000_000
"""Up to this many steps over all replicates, chance is enumerated in each replicate; beyond that, drawn pairs are reweighted."""
MOST_PAIRS = 10_000_000
KEPT = 5000
KAPPAS = ("soft_match", "augmented", BASELINE)


def kappa(terms: Terms, name: str, both_empty: float) -> Linear:
    r"""Observed agreement relative to :math:`\sum_k P(k|a) P(k|b)`: soft-match, augmented kappa, and kappa with each set as one label."""
    sides = [_used(m) for m in _aligned(terms.margins[name])]
    width = sides[0].shape[1]
    scale = np.ones(width)
    if name != BASELINE:
        scale[-1] = both_empty

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            a = flat[..., 2 : 2 + width]
            b = flat[..., 2 + width :] if len(sides) > 1 else a
            chance = (safe_divide(a, a.sum(-1)[..., None]) * safe_divide(b, b.sum(-1)[..., None]) * scale).sum(-1)
            return Parts(safe_divide(flat[..., 1], flat[..., 0]), chance, 1.0)

    return Linear(terms.weight, _beside([terms.both, terms.observed[name]], sides), function)


def _aligned(sides: tuple[sparse.csr_array, ...]) -> tuple[sparse.csr_array, ...]:
    """The same columns for all sides: those that any side uses, and the last."""
    total = np.sum([np.asarray(s.sum(0)).ravel() for s in sides], axis=0)
    keep = np.flatnonzero(total > 0)
    keep = np.append(keep[keep < len(total) - 1], len(total) - 1)
    return tuple(sparse.csr_array(s[:, keep]) for s in sides)


def _used(side: sparse.csr_array) -> sparse.csr_array:
    side.eliminate_zeros()
    return side


def _beside(numbers: Sequence[Array], tables: Sequence[sparse.csr_array]) -> Any:
    whole = sparse.hstack([sparse.csr_array(np.stack(numbers, -1)), *tables], format="csr")
    return whole.toarray() if whole.shape[0] * whole.shape[1] <= DENSE else whole


Expected = Callable[[Drawing, Drawing, float], dict[str, Array]]


def _shifted(every: Enumeration, by: Mapping[str, float]) -> Expected:
    def expected(a: Drawing, b: Drawing, both_empty: float) -> dict[str, Array]:
        return {m: v + by[m] for m, v in every.expected(a, b, both_empty).items()}

    return expected


class Boot:
    """Match, precision, recall and F1 relative to the chance of raters who draw sets from the same distributions."""

    def __init__(self, terms: Terms, options: Options) -> None:
        self.options, self.n_sides = options, len(terms.margins["labels"])
        given = np.sum([np.asarray(s.sum(0)).ravel() for s in terms.margins["labels"]], axis=0)
        self.used = np.flatnonzero(given > 0)
        self.largest = int(max(np.flatnonzero(np.asarray(s.sum(0)).ravel())[-1] for s in terms.margins["sizes"]))
        sides = []
        for sizes, labels in zip(terms.margins["sizes"], terms.margins["labels"], strict=True):
            sides += [sizes[:, : self.largest + 1], labels[:, self.used]]
        self.terms = _beside([terms.both, *(terms.observed[m] for m in MEASURES)], sides)
        self.weight = terms.weight
        self.se: Mapping[str, float] = dict.fromkeys(MEASURES, 0.0)
        self.n_drawn = 0
        self._last: tuple[Array, dict[str, Array]] | None = None
        self.expected: Expected
        self._settle()

    @cached_property
    def cost(self) -> int:
        return steps(len(self.used), self.largest)

    @property
    def exact(self) -> bool:
        return self.options.chance == "exact" and self.cost <= MOST_STEPS

    def _settle(self) -> None:
        """Enumerate if that is cheap, in every replicate or only at the point; otherwise simulate."""
        o = self.options
        flat = np.asarray(self.weight @ self.terms)[None, :]
        every = Enumeration(len(self.used), self.largest) if self.cost <= MOST_STEPS else None
        cheap = self.cost * o.replicates <= MOST_REPLICATED
        if every is not None and self.exact and cheap:
            self.expected = every.expected
            return
        x, y = self.drawings(flat)
        point = None if every is None else every.expected(x, y, o.both_empty)
        n = KEPT if self.exact else int(min(max(flat[0, 0], 1) * o.simulations, MOST_PAIRS))
        drawn = simulate(x[0], y[0], n, KEPT, o.both_empty, np.random.default_rng(o.seed))
        if not self.exact:
            self.se, self.n_drawn = drawn.se, n
        if every is not None and point is not None and cheap:
            # simulated on request: away from the point, chance changes as in the enumeration
            shift = {m: drawn.mean[m] - float(point[m][0]) for m in MEASURES}
            self.expected = _shifted(every, shift)
            return
        mean = {m: float(point[m][0]) for m in MEASURES} if self.exact and point is not None else drawn.mean
        self.expected = Reweighted(x[0], y[0], drawn, mean, o.both_empty).expected

    def drawings(self, flat: Array) -> tuple[Drawing, Drawing]:
        """The distributions from which each side draws, from the sums."""
        found, at, size, labels = [], 1 + len(MEASURES), self.largest + 1, len(self.used)
        for _ in range(self.n_sides):
            s, k = flat[..., at : at + size], flat[..., at + size : at + size + labels]
            found.append(Drawing(safe_divide(s, s.sum(-1)[..., None]), _shares_of(k)))
            at += size + labels
        return found[0], found[-1]

    def all(self, flat: Array) -> dict[str, Array]:
        """Chance of the four measures at these sums, computed once for all four."""
        last = self._last
        if last is not None and last[0].shape == flat.shape and np.array_equal(last[0], flat, equal_nan=True):
            return last[1]
        rows = flat.reshape(-1, flat.shape[-1])
        with np.errstate(invalid="ignore", divide="ignore"):
            a, b = self.drawings(rows)
            found = self.expected(a, b, self.options.both_empty)
        shaped = {m: v.reshape(flat.shape[:-1]) for m, v in found.items()}
        self._last = flat, shaped
        return shaped

    def measure(self, name: str) -> Linear:
        place = 1 + MEASURES.index(name)

        def function(flat: Array) -> Parts:
            with np.errstate(invalid="ignore", divide="ignore"):
                return Parts(safe_divide(flat[..., place], flat[..., 0]), self.all(flat)[name], 1.0)

        return Linear(self.weight, self.terms, function)


def _shares_of(counts: Array) -> Array:
    """Shares of labels; a rater who gave none draws none."""
    total = counts.sum(-1)[..., None]
    none = total.real == 0
    return np.asarray(np.where(none, 0, counts / np.where(none, 1, total)))


def statistics(terms: Terms, options: Options) -> tuple[dict[str, Linear], Boot]:
    """Every measure as a statistic, and the object that computes chance."""
    boot = Boot(terms, options)
    found = {name: kappa(terms, name, options.both_empty) for name in KAPPAS}
    return found | {name: boot.measure(name) for name in MEASURES}, boot
