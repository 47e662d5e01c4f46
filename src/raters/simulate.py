"""Simulated tables of labels with known truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.io.read import read


@dataclass(frozen=True)
class Simulated:
    """Drawn labels as columns, and the truth they were drawn from."""

    item: NDArray[np.int64]  # (annotation,)
    rater: NDArray[np.int64]  # (annotation,)
    label: NDArray[np.int64]  # (annotation,): 0 .. n_labels - 1
    truth: NDArray[np.int64]  # (item,)
    n_labels: int

    def columns(self, names: Sequence[Any] | None = None) -> dict[str, NDArray[Any]]:
        """item, rater and label as columns, labels under their names if given."""
        label = self.label if names is None else np.array(names, dtype=object)[self.label]
        return {"item": self.item, "rater": self.rater, "label": label}

    def annotations(self) -> Annotations:
        """The same as annotations on a nominal scale, on which every label is declared."""
        return read(self.columns(), scale="nominal", labels=range(self.n_labels))


def labels(
    n_items: int,
    n_raters: int,
    n_labels: int,
    *,
    accuracy: float | Sequence[float] = 0.8,
    prevalence: Sequence[float] | None = None,
    missing: float = 0.0,
    seed: int | np.random.Generator = 0,
) -> Simulated:
    """Draw labels: a rater gives the true label with probability ``accuracy``, otherwise one of the others at random.

    ``accuracy``: one number, or one for each rater. ``prevalence``: the share of each label among the items (equal by
    default). ``missing``: the share of annotations left out.

    >>> drawn = labels(1000, 3, 2, accuracy=[1.0, 1.0, 0.5], seed=1)
    >>> bool((drawn.label[drawn.rater == 1] == drawn.truth).all())
    True
    """
    if n_items < 1 or n_raters < 1 or n_labels < 1:
        raise UsageError("simulate.labels needs at least one item, one rater and one label.")
    rng = np.random.default_rng(seed)
    skill = np.broadcast_to(np.asarray(accuracy, dtype=float), (n_raters,))
    truth = rng.choice(n_labels, n_items, p=prevalence).astype(np.int64)
    right = rng.random((n_items, n_raters)) < skill
    wrong = (truth[:, None] + rng.integers(1, max(n_labels, 2), (n_items, n_raters))) % n_labels
    given = np.where(right, truth[:, None], wrong)  # (item, rater)
    at = np.flatnonzero(rng.random(n_items * n_raters) >= missing)
    return Simulated(at // n_raters + 1, at % n_raters + 1, given.ravel()[at], truth, n_labels)


@dataclass(frozen=True)
class SimulatedSets:
    """Simulated sets of labels by two raters, one or two labels each, and the parameters behind them."""

    first: NDArray[np.int64]  # (item, place): labels 0 .. n_labels - 1 of the first rater; -1: no second label
    second: NDArray[np.int64]
    prevalence: NDArray[np.float64]  # (label,)
    intersecting: NDArray[np.bool_]  # (item,): drawn to share a label

    @property
    def entropy(self) -> float:
        """Entropy of the prevalence, in bits."""
        p = self.prevalence[self.prevalence > 0]
        return float(-(p * np.log2(p)).sum())

    def columns(self) -> dict[str, Any]:
        """item, rater and label (a list) as columns."""
        n = len(self.first)
        lists = [[int(k) for k in row if k >= 0] for table in (self.first, self.second) for row in table]
        return {"item": np.tile(np.arange(1, n + 1), 2), "rater": ["c1"] * n + ["c2"] * n, "label": lists}

    def annotations(self) -> Annotations:
        """The same as annotations on the scale of sets, on which every label is declared."""
        return read(self.columns(), scale="sets", labels=range(len(self.prevalence)))


def multilabel(
    n_items: int = 100,
    n_labels: int = 5,
    *,
    double: float | Sequence[float] = 0.25,
    intersection: float = 0.75,
    prevalence: Sequence[float] | None = None,
    entropy: float | None = None,
    seed: int | np.random.Generator = 0,
) -> SimulatedSets:
    """Draw label sets of two raters, as in section 5 of Marchal et al. (2022).

    ``double``: the probability that a rater gives an item two labels (one number, or one for each rater).
    ``intersection``: the share of items, exactly, on which the raters share a label; on the others they share none.
    Labels are drawn by ``prevalence`` (equal by default), or with this ``entropy`` in bits, which must be above 0 and
    at most log2 of ``n_labels``. A second label is drawn from the labels that are left.

    >>> drawn = multilabel(100, 5, double=1.0, intersection=0.9, seed=1)
    >>> int(drawn.intersecting.sum()), int((drawn.first[:, 1] >= 0).sum()), round(drawn.entropy, 2)
    (90, 100, 2.32)

    Marchal, Scholman, Yung & Demberg (2022), COLING.
    """
    twice = np.broadcast_to(np.asarray(double, float), (2,))
    if n_items < 1 or not 0 <= intersection <= 1 or twice.min() < 0 or twice.max() > 1:
        raise UsageError("simulate.multilabel needs items, and shares double= and intersection= between 0 and 1.")
    p = _prevalence(n_labels, prevalence, entropy)
    needed = 2 + int((twice > 0).sum())
    if np.count_nonzero(p) < needed:
        raise UsageError(f"{np.count_nonzero(p)} labels are too few for sets that share none: use {needed} or more.")
    rng = np.random.default_rng(seed)
    together = np.zeros(n_items, bool)
    together[rng.permutation(n_items)[: round(n_items * intersection)]] = True
    gives_two = rng.random((2, n_items)) < twice[:, None]
    common = rng.choice(n_labels, n_items, p=p)
    first = np.stack([common, np.where(gives_two[0], _next(p, [common], rng), -1)], -1)
    # the second rater starts from the common label, or from what the first rater did not give
    start = np.where(together, common, _next(p, [common, first[:, 1]], rng))
    apart = [np.where(together, -1, first[:, j]) for j in (0, 1)]
    second = np.stack([start, np.where(gives_two[1], _next(p, [start, *apart], rng), -1)], -1)
    return SimulatedSets(first, second, p, together)


def _next(p: NDArray[np.float64], taken: Sequence[NDArray[np.int64]], rng: np.random.Generator) -> NDArray[np.int64]:
    """(item,): a label for each item, by p among those that are not taken (-1: nothing is)."""
    left = np.tile(p, (len(taken[0]), 1))
    for labels_ in taken:
        rows = np.flatnonzero(labels_ >= 0)
        left[rows, labels_[rows]] = 0
    ends = np.cumsum(left, 1)
    return np.asarray((ends <= rng.random(len(left))[:, None] * ends[:, -1:]).sum(1), np.int64)


def _prevalence(n_labels: int, given: Sequence[float] | None, entropy: float | None) -> NDArray[np.float64]:
    """Label shares: as given, equal, or falling by a constant factor to reach an entropy."""
    if given is not None:
        p = np.asarray(given, float)
        if len(p) != n_labels or p.min() < 0 or p.sum() <= 0 or entropy is not None:
            raise UsageError(f"prevalence= takes {n_labels} nonnegative shares, and cannot be combined with entropy=.")
        return np.asarray(p / p.sum())
    if entropy is None:
        return np.full(n_labels, 1 / n_labels)
    if not 0 < entropy <= np.log2(n_labels) + 1e-9:
        raise UsageError(f"entropy={entropy} is not between 0 and log2({n_labels}) = {np.log2(n_labels):.3f} bits.")

    def shares(slope: float) -> NDArray[np.float64]:
        x = np.exp(-slope * np.arange(n_labels))
        return np.asarray(x / x.sum())

    def bits(slope: float) -> float:
        q = shares(slope)
        return float(-(q * np.log2(np.maximum(q, 1e-300))).sum())

    low, high = 0.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if bits(middle) > entropy else (low, middle)
    return shares((low + high) / 2)
