r"""Chance agreement of two raters who draw sets of labels from their own distributions.

A rater draws the number of labels from their distribution of set sizes, then that many *different* labels from their
label distribution, one after the other, renormalising what is left. Both distributions are sums over items, so chance
is a function of sums, and smooth: intervals differentiate through it and recompute it in every replicate.

Marchal, Scholman, Yung & Demberg (2022), COLING, section 4; here the expectation, not only a simulation of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[Any]
MEASURES = ("boot_match", "boot_precision", "boot_recall", "boot_f1")
MOST_STEPS = 2_000_000
"""Chance is enumerated up to this many pairs of a set and a subset of it; simulated beyond."""
CELLS = 2_000_000
IN_CACHE = 100_000
"""So many numbers at a time: what is computed of them stays in the cache of a processor."""


@dataclass(frozen=True)
class Drawing:
    """How raters draw, for each row of sums: shares of set sizes and of labels."""

    sizes: Array
    """(..., size): shares of sets with 0, 1, 2, ... labels."""
    labels: Array
    """(..., label): shares of labels among all given labels."""

    def __getitem__(self, at: Any) -> Drawing:
        return Drawing(self.sizes[at], self.labels[at])


def steps(n_labels: int, largest: int) -> int:
    """The cost of enumeration: pairs of a set of at most ``largest`` labels and a subset of it.

    >>> steps(20, 2), steps(5, 5)
    (801, 243)
    """
    return sum(comb(n_labels, m) * 2**m for m in range(min(largest, n_labels) + 1))


class Enumeration:
    """All sets of at most ``largest`` of ``n_labels`` labels, by size, with what holds for any distribution over
    them.
    """

    def __init__(self, n_labels: int, largest: int) -> None:
        self.n_labels, self.largest = n_labels, min(largest, n_labels)
        self.sets = [_combinations(n_labels, m) for m in range(self.largest + 1)]
        self.without = [self._without(m) for m in range(self.largest + 1)]

    def _without(self, m: int) -> list[Array]:
        """For each position i: the set of m - 1 labels that is left when a set loses its i-th label."""
        every = _codes(self.sets[m - 1], self.n_labels) if m else np.zeros(0, np.int64)
        return [np.searchsorted(every, _codes(np.delete(self.sets[m], i, axis=1), self.n_labels)) for i in range(m)]

    @cached_property
    def subsets(self) -> dict[tuple[int, int], sparse.csr_array]:
        """(m, c) -> (set of m labels, set of c labels): 1 if the second is in the first."""
        found = {}
        for m in range(1, self.largest + 1):
            for c in range(1, m + 1):
                every = _codes(self.sets[c], self.n_labels)
                parts = [
                    np.searchsorted(every, _codes(self.sets[m][:, list(at)], self.n_labels))
                    for at in combinations(range(m), c)
                ]
                rows = np.tile(np.arange(len(self.sets[m])), len(parts))
                shape = (len(self.sets[m]), len(every))
                found[m, c] = sparse.coo_array((np.ones(len(rows)), (rows, np.concatenate(parts))), shape).tocsr()
        return found

    def probabilities(self, labels: Array) -> list[Array]:
        r"""By size m: (..., set), the probability of each set of m labels by successive draws.

        .. math:: P(S) = \sum_{j \in S} P(S \setminus j) \frac{p_j}{1 - p(S \setminus j)}
        """
        shape = labels.shape[:-1]
        found, left = [np.ones((*shape, 1), labels.dtype)], np.ones((*shape, 1), labels.dtype)
        for m in range(1, self.largest + 1):
            # nothing is left where a rater has no other label; such sets have no probability
            free = np.where(left.real > 1e-12, 1 / np.where(left.real > 1e-12, left, 1), 0)
            before = found[-1] * free
            now = sum(before[..., self.without[m][i]] * labels[..., self.sets[m][:, i]] for i in range(m))
            found.append(np.asarray(now))
            left = 1 - labels[..., self.sets[m]].sum(-1)
        return found

    def expected(self, a: Drawing, b: Drawing, both_empty: float) -> dict[str, Array]:
        """The expectation of each measure; see :func:`exact`."""
        rows = a.labels.shape[0]
        chunk = max(1, CELLS // max(sum(map(len, self.sets)), 1))
        parts = [self._expected(a[i : i + chunk], b[i : i + chunk], both_empty) for i in range(0, rows, chunk)]
        return {name: np.concatenate([p[name] for p in parts]) for name in MEASURES}

    def _expected(self, a: Drawing, b: Drawing, both_empty: float) -> dict[str, Array]:
        pa = self.probabilities(a.labels)
        pb = pa if b.labels is a.labels else self.probabilities(b.labels)
        within_a = [self._inclusion(p, m) for m, p in enumerate(pa)]
        within_b = within_a if pb is pa else [self._inclusion(p, m) for m, p in enumerate(pb)]
        empty = both_empty * a.sizes[..., 0] * b.sizes[..., 0]
        found = dict.fromkeys(MEASURES, empty)
        sizes_a, sizes_b = range(1, a.sizes.shape[-1]), range(1, b.sizes.shape[-1])
        for m in sizes_a:
            for n in sizes_b:
                # labels shared, on average, by a set of m and a set of n: every measure except the match is linear in
                # them
                both = a.sizes[..., m] * b.sizes[..., n] * (within_a[m] * within_b[n]).sum(-1)
                found["boot_precision"] = found["boot_precision"] + both / m
                found["boot_recall"] = found["boot_recall"] + both / n
                found["boot_f1"] = found["boot_f1"] + 2 * both / (m + n)
        found["boot_match"] = empty + self._match(pa, pb, a, b)
        return found

    def _inclusion(self, p: Array, m: int) -> Array:
        """(..., label): the probability that a set of m labels contains the label."""
        return np.asarray(p @ self.subsets[m, 1]) if m else np.zeros((*p.shape[:-1], self.n_labels), p.dtype)

    def _match(self, pa: list[Array], pb: list[Array], a: Drawing, b: Drawing) -> Array:
        r"""By inclusion and exclusion, linear in the sets:
        :math:`\sum_C (-1)^{|C|+1} P(C \subseteq A) P(C \subseteq B)`.
        """
        total = np.zeros(a.sizes.shape[:-1], pa[0].dtype)
        for c in range(1, min(a.sizes.shape[-1], b.sizes.shape[-1])):
            x, y = self._containing(pa, a.sizes, c), self._containing(pb, b.sizes, c)
            total = total + (-1) ** (c + 1) * (x * y).sum(-1)
        return total

    def _containing(self, p: list[Array], sizes: Array, c: int) -> Array:
        """(..., set of c labels): the probability that the drawn set contains it."""
        parts = (sizes[..., m, None] * (p[m] @ self.subsets[m, c]) for m in range(c, sizes.shape[-1]))
        return np.asarray(sum(parts))


def _combinations(n: int, m: int) -> Array:
    """(set, m): all sets of m labels, each in order, in the order of their codes."""
    flat = np.fromiter(chain.from_iterable(combinations(range(n), m)), np.int64, comb(n, m) * m)
    return flat.reshape(comb(n, m), m)


def _codes(sets: Array, n: int) -> Array:
    """One number for each set, in the order of the sets."""
    code = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        code = code * n + sets[:, i]
    return code


def exact(a: Drawing, b: Drawing, both_empty: float = 1.0) -> dict[str, Array]:
    r"""Chance of each measure, by enumeration of the sets that raters can draw.

    >>> half = Drawing(np.array([[0, 0.0, 1.0]]), np.full((1, 5), 0.2))
    >>> {name: float(v[0].round(6)) for name, v in exact(half, half).items()}
    {'boot_match': 0.7, 'boot_precision': 0.4, 'boot_recall': 0.4, 'boot_f1': 0.4}
    """
    largest = max(a.sizes.shape[-1], b.sizes.shape[-1]) - 1
    return Enumeration(a.labels.shape[-1], largest).expected(a, b, both_empty)


CHUNK = 1 << 18


@dataclass(frozen=True)
class Simulated:
    """Pairs of sets drawn at one point, and the error of the mean of each measure over them."""

    a: Array
    """(pair, place): the labels of the first rater in the order in which they were drawn; -1 if there is none."""
    b: Array
    mean: Mapping[str, float]
    se: Mapping[str, float]
    n: int


def simulate(a: Drawing, b: Drawing, n: int, kept: int, both_empty: float, rng: np.random.Generator) -> Simulated:
    """Average each measure over n pairs of sets, and keep some of the pairs.

    One multinomial draw gives the number of pairs for each combination of sizes; pairs of the same sizes are drawn
    together.
    """
    sample_a, sample_b = Sampler(a.labels), Sampler(b.labels)
    cells = rng.multinomial(n, np.outer(a.sizes, b.sizes).ravel()).reshape(len(a.sizes), len(b.sizes))
    sums, squares = np.zeros(len(MEASURES)), np.zeros(len(MEASURES))
    for k, m in zip(*np.nonzero(cells), strict=True):
        shared = np.zeros(min(k, m) + 1)  # how many pairs share 0, 1, ... labels
        for start in range(0, cells[k, m], CHUNK):
            size = min(CHUNK, cells[k, m] - start)
            both = _shared(sample_a(size, k, rng), sample_b(size, m, rng), size)
            shared += np.bincount(both, minlength=len(shared))
        values = _values(np.arange(len(shared)), k, m, both_empty)
        sums, squares = sums + values @ shared, squares + values**2 @ shared
    mean = sums / n
    se = np.sqrt(np.maximum(squares / n - mean**2, 0) / n)
    return Simulated(draw(a, kept, rng), draw(b, kept, rng), _by_name(mean), _by_name(se), n)


def _by_name(values: Array) -> dict[str, float]:
    return dict(zip(MEASURES, map(float, values), strict=True))


def _shared(x: list[Array], y: list[Array], size: int) -> Array:
    """(pair,): how many labels two sets share; each set is given as one array per position."""
    both: Array = np.zeros(size, np.int64 if len(x) > 127 else np.uint8)
    for i in x:
        for j in y:
            both += i == j
    return both


def _values(both: Array, size_a: int, size_b: int, both_empty: float) -> Array:
    """(measure, ...): each measure of two sets of these sizes that share ``both`` labels."""
    if size_a == 0 or size_b == 0:
        return np.full((len(MEASURES), len(both)), both_empty if size_a == size_b else 0.0)
    return np.stack([(both > 0).astype(float), both / size_a, both / size_b, 2 * both / (size_a + size_b)])


def draw(drawing: Drawing, n: int, rng: np.random.Generator) -> Array:
    """(set, place): n sets, with labels in the order in which they were drawn, and -1 if there is none."""
    sizes = rng.choice(len(drawing.sizes), n, p=drawing.sizes / drawing.sizes.sum())
    sample = Sampler(drawing.labels)
    sets = np.full((n, max(int(sizes.max(initial=0)), 1)), -1, np.int32)
    for m in range(1, int(sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(sizes == m)
        if len(rows):
            sets[rows, :m] = np.stack(sample(len(rows), m, rng), -1)
    return sets


class Sampler:
    """Draws labels with given shares.

    The first 16 bits of a uniform number nearly always determine the label; the other bits are drawn only if
    they do not. If a set already has the label, another is drawn, which leaves the others in proportion.
    """

    def __init__(self, shares: Array) -> None:
        self.shares = np.asarray(shares, float) / np.sum(shares)
        self.ends = np.cumsum(self.shares)
        self.ends[np.flatnonzero(self.shares)[-1] :] = 1.0
        edges = np.arange(2**16 + 1) / 2**16
        first, last = np.searchsorted(self.ends, edges[:-1], "right"), np.searchsorted(self.ends, edges[1:], "left")
        self.label: Array = np.where(first == last, first, -1).astype(np.int16 if len(shares) < 2**15 else np.int32)
        self.all_known = bool((self.label >= 0).all())

    def one(self, n: int, rng: np.random.Generator) -> Array:
        bits = rng.integers(0, 2**16, n, dtype=np.uint16)
        label: Array = self.label[bits]
        if not self.all_known:
            at = np.flatnonzero(label < 0)
            label[at] = np.searchsorted(self.ends, (bits[at] + rng.random(len(at))) / 2**16, "right")
        return label

    def __call__(self, n: int, places: int, rng: np.random.Generator) -> list[Array]:
        """n sets of ``places`` labels: one array for each position."""
        sets: list[Array] = []
        for _ in range(places):
            label = self.one(n, rng)
            rows = _taken(sets, label, None)
            tries = 0
            while len(rows):
                if tries == 25:
                    label[rows] = _directly(self.shares, np.stack([x[rows] for x in sets], -1), rng)
                    break
                label[rows] = self.one(len(rows), rng)
                rows = rows[_taken(sets, label, rows)]
                tries += 1
            sets.append(label)
        return sets


def _taken(sets: list[Array], label: Array, rows: Array | None) -> Array:
    """Whether the label is already in the set."""
    now = label if rows is None else label[rows]
    again = np.zeros(len(now), bool)
    for x in sets:
        again |= (x if rows is None else x[rows]) == now
    return np.flatnonzero(again)


def _directly(labels: Array, before: Array, rng: np.random.Generator) -> Array:
    """One more label for each set, if nearly all the probability is used up: drawn from what is left, in chunks."""
    out = np.empty(len(before), np.int32)
    chunk = max(1, CELLS // len(labels))
    for i in range(0, len(before), chunk):
        part = before[i : i + chunk]
        left = np.tile(labels, (len(part), 1))
        np.put_along_axis(left, part.astype(np.int64), 0.0, axis=1)
        total = np.cumsum(left, axis=1)
        at = rng.random(len(part)) * total[:, -1]
        out[i : i + chunk] = (total <= at[:, None]).sum(1)
    return out


def _measured(x: Array, y: Array, both_empty: float) -> Array:
    """(pair, measure): each measure on each pair of sets."""
    size_x, size_y = (x >= 0).sum(1), (y >= 0).sum(1)
    both = np.zeros(len(x))
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            both += (x[:, i] == y[:, j]) & (x[:, i] >= 0)
    out = np.zeros((len(x), len(MEASURES)))
    for k, m in {(int(k), int(m)) for k, m in zip(size_x, size_y, strict=True)}:
        at = (size_x == k) & (size_y == m)
        out[at] = _values(both[at], k, m, both_empty).T
    return out


class Reweighted:
    """Chance near a point, from pairs drawn at that point, each weighted by its likelihood ratio."""

    def __init__(self, a: Drawing, b: Drawing, drawn: Simulated, mean: Mapping[str, float], both_empty: float) -> None:
        self.values = _measured(drawn.a, drawn.b, both_empty)  # (pair, measure)
        # at the point itself, use the mean, which is known more precisely
        self.shift = np.array([mean[name] for name in MEASURES]) - self.values.mean(0)
        self.of_a, self.of_b = Likelihood(drawn.a), Likelihood(drawn.b)
        self.at_point = self.of_a(a), self.of_b(b)

    def expected(self, a: Drawing, b: Drawing, both_empty: float) -> dict[str, Array]:
        rows, chunk = a.labels.shape[0], max(1, IN_CACHE // len(self.values))
        parts = []
        for i in range(0, rows, chunk):
            at = slice(i, i + chunk)
            ratio = self.of_a(a[at]) / self.at_point[0] * (self.of_b(b[at]) / self.at_point[1])
            parts.append((ratio @ self.values) / ratio.sum(-1, keepdims=True) + self.shift)
        found = np.concatenate(parts)
        return {name: found[..., k] for k, name in enumerate(MEASURES)}


class Likelihood:
    """The probability of drawing these labels in this order, of each of the sets: (..., set)."""

    def __init__(self, sets: Array) -> None:
        sizes = (sets >= 0).sum(1)
        order = np.argsort(-sizes, kind="stable")  # the sets that have another label stand first, at every place
        self.sizes, self.back = sizes[order], np.argsort(order)
        self.places = [sets[order[: np.count_nonzero(sizes > i)], i] for i in range(sets.shape[1])]

    def __call__(self, drawing: Drawing) -> Array:
        p = np.ascontiguousarray(drawing.sizes[..., self.sizes])
        left = np.ones_like(p)
        for labels in self.places:
            here, rest = drawing.labels[..., labels], left[..., : len(labels)]
            # nothing is left where a rater has no other label; such sets have no probability
            some = rest.real > 1e-12
            p[..., : len(labels)] *= np.where(some, here / np.where(some, rest, 1), 0)
            rest -= here
        return p[..., self.back]
