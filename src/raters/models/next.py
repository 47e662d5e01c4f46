r"""What to label next: the expected information of the next label, and when to stop.

A label of item i by rater j is expected to carry

.. math:: I_{ij} = H\Big(\sum_k q_{ik} \theta_{jk\cdot}\Big) - \sum_k q_{ik} H(\theta_{jk\cdot})

bits. It never exceeds the doubt that is left, :math:`H(q_i)`, so items are searched in the order of their doubt, and the
search stops when no item left can do better: exact, and fast on a million items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.estimate import frame
from raters.models.dawid_skene import rows_to_one
from raters.models.result import Consensus, bits

Array = NDArray[Any]
BY = ("item", "pair", "new")
CHUNK = 512


@dataclass(frozen=True)
class NextLabel:
    """One label to ask for."""

    item: Any
    rater: Any
    """Who should give it; None: any rater, or a new one."""
    bits: float
    """What it is expected to tell about the item."""
    certainty: float
    """How certain the item's label is now."""


@dataclass(frozen=True)
class NextLabels(Sequence[NextLabel]):
    """Labels to ask for, the most informative first, and whether to stop."""

    rows: tuple[NextLabel, ...]
    certain: float
    """The share of items whose label is as certain as asked for."""
    stop: bool
    """Whether enough items are certain."""
    rule: str

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __iter__(self) -> Iterator[NextLabel]:
        return iter(self.rows)

    def to_columns(self) -> dict[str, list[Any]]:
        return {name: [getattr(r, name) for r in self.rows] for name in ("item", "rater", "bits", "certainty")}

    def to_frame(self) -> Any:
        return frame(self.to_columns())


def next_labels(
    c: Consensus,
    n: int = 100,
    *,
    by: str = "item",
    raters: Sequence[Any] | None = None,
    per_item: int = 1,
    per_rater: int | None = None,
    share: float = 0.95,
    certainty: float = 0.99,
) -> NextLabels:
    """The ``n`` labels that are expected to tell most, one for each item.

    ``by``: ``item`` (by a rater of this crowd, as active as so far), ``pair`` (which rater should label which item; pairs that
    are there already are left out), ``new`` (by a new rater, who errs as the crowd does on the whole).
    ``raters``: those who can be asked. ``per_item``, ``per_rater``: most labels in this round. The rule to stop:
    a ``share`` of the items at ``certainty``.

    >>> import raters
    >>> found = next_labels(raters.consensus(raters.examples.demo()), n=3, by="pair")
    >>> len(found), found.stop
    (3, False)
    """
    if by not in BY:
        raise UsageError(f"by={by!r} is not known. Use one of {listed(BY)}.")
    if c.numeric or c.model == "majority":
        raise UsageError(f"next_labels needs a model of raters and labels; this is {c.model!r}.")
    if n < 0 or per_item < 1:
        raise UsageError(f"n={n}, per_item={per_item}: ask for 0 labels or more, and at least 1 for each item.")
    done = float(np.mean(np.nan_to_num(c.certainty) >= certainty))
    rule = f"stop when {share:.0%} of the items are at {certainty:g}"
    rows = _best(c, n, by, raters, per_item, per_rater)
    return NextLabels(tuple(rows), done, done >= share, rule)


def expected_bits(q: Array, confusion: Array) -> Array:
    """(item,): bits that a label of this (true, given) matrix is expected to carry about items with posterior q.

    >>> expected_bits(np.array([[0.5, 0.5], [1.0, 0.0]]), np.eye(2)).tolist()
    [1.0, 0.0]
    """
    return np.asarray(np.maximum(bits(q @ confusion) - q @ bits(confusion), 0))


def crowd(c: Consensus) -> Array:
    """(true, given): the matrix of the crowd on the whole, raters counted by their labels."""
    return rows_to_one(c.expected_counts.sum(0) + c.settings.smoothing)


def _best(
    c: Consensus, n: int, by: str, raters: Sequence[Any] | None, per_item: int, per_rater: int | None
) -> list[NextLabel]:
    who = _who(c, raters)
    score = _scorer(c, by, who)
    known = np.zeros(c.votes.n_items, bool) if c.gold is None else c.gold >= 0
    open_ = np.flatnonzero(~known)
    order = open_[np.argsort(-c.entropy[open_], kind="stable")]
    found = np.empty((0, 3))  # (candidate, 3): bits, item, rater or -1
    for i in range(0, len(order), CHUNK):
        at = order[i : i + CHUNK]
        if per_rater is None and len(found) >= n and (n == 0 or found[n - 1, 0] >= c.entropy[at[0]]):
            break
        found = np.concatenate([found, score(at, per_item)])
        found = found[np.argsort(-found[:, 0], kind="stable")]
        if per_rater is None:
            found = found[:n]
    if per_rater is not None and by == "pair":
        found = found[_limited(found[:, 2].astype(int), per_rater)]
    return [
        NextLabel(c.items[int(i)], None if j < 0 else c.raters[int(j)], float(b), float(c.certainty[int(i)]))
        for b, i, j in found[:n]
    ]


def _who(c: Consensus, raters: Sequence[Any] | None) -> Array:
    if raters is None:
        return np.arange(c.votes.n_raters)
    code = {name: j for j, name in enumerate(c.raters)}
    odd = [r for r in raters if r not in code]
    if odd:
        raise UsageError(f"no rater {odd[0]!r}; raters are {listed(c.raters)}.")
    return np.array([code[r] for r in raters])


def _scorer(c: Consensus, by: str, who: Array) -> Callable[[Array, int], Array]:
    """From items to rows of (bits, item, rater)."""
    if by == "new":
        matrix = crowd(c)

        def new(at: Array, per_item: int) -> Array:
            return np.stack([expected_bits(c.posterior[at], matrix), at, np.full(len(at), -1)], -1)

        return new
    weight = c.votes.per_rater.sum(1)[who]
    weight = weight / max(weight.sum(), 1)

    def table(at: Array) -> Array:
        return np.stack([expected_bits(c.posterior[at], c.confusion[j]) for j in who], -1)  # (item, rater)

    def item(at: Array, per_item: int) -> Array:
        return np.stack([table(at) @ weight, at, np.full(len(at), -1)], -1)

    def pair(at: Array, per_item: int) -> Array:
        value = table(at)
        v = c.votes.rows(at)
        given = np.zeros((len(at), c.votes.n_raters), bool)
        given[v.item_of, v.rater_of] = True
        value[given[:, who]] = -1
        top = np.argsort(-value, 1, kind="stable")[:, :per_item]
        rows = np.stack([np.take_along_axis(value, top, 1), np.repeat(at[:, None], top.shape[1], 1), who[top]], -1)
        rows = rows.reshape(-1, 3)
        return rows[rows[:, 0] >= 0]

    return item if by == "item" else pair


def _limited(rater: Array, most: int) -> Array:
    """Which rows stay if a rater may occur at most so often; rows are in order of preference."""
    order = np.argsort(rater, kind="stable")
    first = np.searchsorted(rater[order], rater[order])
    kept = np.zeros(len(rater), bool)
    kept[order[np.arange(len(rater)) - first < most]] = True
    return kept
