"""Designs of agreement studies, drawn from a grid by a seed, and populations of items with a known true value.

A population is a large number of items (``POPULATION``), each labelled by every rater; a study draws items from it, and
labels go missing at random. The true value is the coefficient of the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from raters.agree.agreement_spec import Request, request
from raters.agree.estimating import entering, statistic
from raters.items import Items
from raters.scales import MID_RANKS, Kernel, agreement_kernel, interval_kernel

Array = np.ndarray[Any, Any]
POPULATION = 200_000
ITEMS = (20, 30, 50, 100, 200, 500, 1000)
VALUES = (0.05, 0.3, 0.6, 0.8, 0.9, 0.97, 0.99)
RATERS = (2, 3, 5, 10)
NOMINAL = ("krippendorff", "fleiss", "cohen", "gwet", "brennan_prediger", "percent")
MECHANISMS = ("copies", "hard items", "Dirichlet")


@dataclass(frozen=True)
class Design:
    """One kind of study."""

    kind: str
    """nominal, ordinal, squared, normal or skewed."""
    coefficient: str
    items: int
    value: float
    """Of alpha on labels; the true value of another coefficient follows from the population."""
    labels: int
    skewed: bool
    raters: int
    missing: float
    mechanism: str
    seed: int

    @property
    def words(self) -> str:
        labels = (
            "" if self.kind in ("normal", "skewed") else f", {self.labels} labels{' skewed' if self.skewed else ''}"
        )
        return (
            f"{self.kind} {self.coefficient}, {self.items} x {self.raters}{labels}, {self.mechanism},"
            f" {self.missing:.0%} missing"
        )


def drawn_designs(n: int, seed: int) -> list[Design]:
    """So many designs from the grid: six in ten nominal, three along a scale, one of numbers."""
    rng = np.random.default_rng(seed)
    return [_design(rng, i) for i in range(n)]


def _design(rng: np.random.Generator, seed: int) -> Design:
    kind = str(rng.choice(["nominal", "ordinal", "squared", "normal", "skewed"], p=[0.6, 0.15, 0.15, 0.05, 0.05]))
    coefficient, labels, mechanism = "krippendorff", int(rng.integers(2, 11)), str(rng.choice(MECHANISMS))
    if kind == "nominal":
        coefficient = str(rng.choice(NOMINAL))
    elif kind != "normal" and kind != "skewed":
        labels, mechanism = int(rng.choice([5, 7, 11])), "neighbours"
        coefficient = "krippendorff" if kind == "ordinal" else str(rng.choice(["krippendorff", "cohen", "gwet"]))
    else:
        mechanism = "item plus error"
    raters = int(rng.choice(RATERS))
    if coefficient == "cohen" and raters > 2:
        coefficient = "conger"
    if coefficient == "conger" and raters == 10:
        raters = 5
    return Design(
        kind,
        coefficient,
        int(rng.choice(ITEMS)),
        float(rng.choice(VALUES)),
        labels,
        bool(rng.random() < 0.5),
        raters,
        float(rng.choice([0.0, 0.3])),
        mechanism,
        seed,
    )


def ratings(d: Design, rng: np.random.Generator, n: int = POPULATION) -> Array:
    """(item, rater): label codes, or numbers; -1 or nan where missing."""
    if d.kind in ("normal", "skewed"):
        return _numbers(d, rng, n)
    margin = np.ones(d.labels) / d.labels
    if d.skewed:  # down to 5 % together for the last labels, or the last of two
        margin = 0.55 ** np.arange(d.labels)
        margin = margin / margin.sum() if d.labels > 2 else np.array([0.95, 0.05])
    x = _neighbours(d, margin, rng, n) if d.mechanism == "neighbours" else _labels(d, margin, rng, n)
    x[rng.random(x.shape) < d.missing] = -1
    return x


def _labels(d: Design, margin: Array, rng: np.random.Generator, n: int) -> Array:
    own = rng.choice(d.labels, (n, d.raters), p=margin)
    common = rng.choice(d.labels, (n, 1), p=margin)
    if d.mechanism == "copies":  # each rater sees the item's label, or guesses
        return np.where(rng.random(own.shape) < np.sqrt(d.value), common, own)
    if d.mechanism == "hard items":  # all agree, or all guess
        return np.where(rng.random((n, 1)) < d.value, common, own)
    # p of each item from a Dirichlet distribution around the margin: labels are new, or those of earlier raters
    x, mass = own.copy(), (1 - d.value) / d.value
    for t in range(1, d.raters):
        again = rng.random(n) > mass / (mass + t)
        x[again, t] = x[again, rng.integers(0, t, int(again.sum()))]
    return x


def _neighbours(d: Design, margin: Array, rng: np.random.Generator, n: int) -> Array:
    """The true point, one more or one less; errors grow as the true value falls, and at .3 or less some are
    anywhere.
    """
    truth = rng.choice(d.labels, (n, 1), p=margin)
    slip = rng.random((n, d.raters)) < min(1.0, 4 * (1 - d.value))
    near = np.clip(truth + slip * rng.choice([-1, 1], slip.shape), 0, d.labels - 1)
    anywhere = rng.random(slip.shape) < max(0.0, 0.7 - d.value)
    return np.where(anywhere, rng.choice(d.labels, slip.shape, p=margin), near)


def _numbers(d: Design, rng: np.random.Generator, n: int) -> Array:
    """The item's value and an error: normal, or items and errors skewed (gamma with shape 4, skewness 1)."""

    def noise(*shape: int) -> Array:
        return rng.standard_normal(shape) if d.kind == "normal" else (rng.standard_gamma(4.0, shape) - 4) / 2

    x = np.sqrt(d.value) * noise(n, 1) + np.sqrt(1 - d.value) * noise(n, d.raters)
    x[rng.random(x.shape) < d.missing] = np.nan
    return np.asarray(x)


class Population:
    """Items of a design folded to patterns, and studies as counts of these."""

    def __init__(self, d: Design, resamples: int) -> None:
        self.design, self.rng = d, np.random.default_rng([7, d.seed])
        weights = None if d.kind != "squared" or d.coefficient == "krippendorff" else "quadratic"
        self.req: Request = request(d.coefficient, weights=weights, resamples=resamples, seed=d.seed)
        x = ratings(d, self.rng)
        self.values = x if d.kind in ("normal", "skewed") else None
        self.kernel = _kernel(d)
        if self.values is None:
            self._fold(x)
        whole = self.items(np.arange(len(x)) if self.values is not None else None)
        used = entering(self.req, whole, self.kernel)
        stat = statistic(self.req, used, self.kernel, d.labels)
        self.true = float(stat.parts(stat.weight[None] * 1e4).value[0])

    def _fold(self, x: Array) -> None:
        d = self.design
        if d.coefficient in ("cohen", "conger"):
            rows, self.which = np.unique(x, axis=0, return_inverse=True)
            at = np.nonzero(rows >= 0)
            columns = at[1] * d.labels + rows[at]
            shape = (len(rows), d.raters * d.labels)
            self.counts = sparse.coo_array((np.ones(len(at[0])), (at[0], columns)), shape).tocsr()
        else:
            bags = (x[:, :, None] == np.arange(d.labels)).sum(1, dtype=np.int8)
            rows, self.which = np.unique(bags, axis=0, return_inverse=True)
            self.counts = sparse.csr_array(rows.astype(float))
        self.which = self.which.ravel()
        self.total = np.bincount(self.which, minlength=len(rows)).astype(float)

    def items(self, at: Array | None) -> Items:
        """The items drawn; None: the whole population. Items without a label are left out."""
        d = self.design
        if self.values is not None:
            return _moments(self.values[at])
        weight = self.total if at is None else np.bincount(self.which[at], minlength=len(self.total)).astype(float)
        here = np.flatnonzero(weight)
        groups = tuple(range(d.raters)) if d.coefficient in ("cohen", "conger") else (None,)
        return Items(weight[here], self.counts[here], tuple(range(d.labels)), groups, n_raters=d.raters).labelled()

    def study(self) -> Items:
        return self.items(self.rng.integers(0, POPULATION, self.design.items))


def _kernel(d: Design) -> Kernel:
    position = np.arange(1.0, d.labels + 1)
    if d.kind == "ordinal":
        return MID_RANKS
    if d.kind == "squared":
        return agreement_kernel("quadratic", position, tuple(range(d.labels)), None)
    if d.kind == "nominal":
        return Kernel("identity", 1.0, total=float(d.labels))
    return interval_kernel(0.0, 1.0)


def _moments(x: Array) -> Items:
    """Sums of 1, x and x^2 of each item."""
    there = np.isfinite(x)
    x = x[there.any(1)]
    there = np.isfinite(x)
    zero = np.where(there, x, 0.0)
    counts = np.stack([there.sum(1).astype(float), zero.sum(1), (zero**2).sum(1)], -1)
    values = x[there]
    labels = tuple(np.sort(values)) if len(values) < 20_000 else tuple(range(21))
    return Items(
        np.ones(len(x)),
        sparse.csr_array(counts),
        labels,
        moments=(0.0, float(values.var()), float(np.ptp(values))),
        n_raters=x.shape[1],
    )
