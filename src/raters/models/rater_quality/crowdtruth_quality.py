"""CrowdTruth's quality of items, raters and labels, each weighted by the other two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import SCHEMA, Result, jsonable, shown, text_table
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.models.base.votes import Votes
from raters.scales.sets import membership

Array = NDArray[Any]
TINY = 1e-8
MOVED = 0.001
MOST_ROUNDS = 1_000


@dataclass(frozen=True, repr=False)
class CrowdTruth(Result):
    """Quality scores between 0 and 1; none is corrected for chance."""

    items: dict[Any, float]
    """UQS: how far an item's raters agree, weighted by their quality; nan if only one rater labelled it."""
    raters: dict[Any, float]
    """WQS: agreement with other raters (WWA) times agreement with the item as a whole (WUA)."""
    labels: dict[Any, float]
    """AQS: how often another rater of the item gives the same label; 1 for open vocabularies."""
    item_labels: dict[tuple[Any, Any], float]
    """UAS: the share of an item's raters, weighted by quality, who gave the label."""
    agreement: dict[Any, float]
    """WWA of each rater."""
    consistency: dict[Any, float]
    """WUA of each rater."""
    rounds: int
    open_vocabulary: bool
    warnings: tuple[str, ...] = ()

    def top(self) -> dict[Any, Any]:
        """The label with the highest share of each item."""
        best: dict[Any, tuple[float, Any]] = {}
        for (item, label), score in self.item_labels.items():
            if item not in best or score > best[item][0]:
                best[item] = (score, label)
        return {item: label for item, (_, label) in best.items()}

    def to_dict(self) -> dict[str, Any]:
        plain = {
            name: [{"name": str(k), "score": jsonable(v)} for k, v in getattr(self, name).items()]
            for name in ("items", "raters", "labels")
        }
        return {"schema": SCHEMA, "rounds": self.rounds, "warnings": list(self.warnings), **plain}

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each rater."""
        return {
            "rater": list(self.raters),
            "quality": list(self.raters.values()),
            "agreement": list(self.agreement.values()),
            "consistency": list(self.consistency.values()),
        }

    def __str__(self) -> str:
        known = [v for v in self.items.values() if np.isfinite(v)]
        lines = [
            f"CrowdTruth, {self.rounds} rounds: mean item quality {shown(float(np.mean(known)))}, mean rater quality"
            f" {shown(float(np.mean(list(self.raters.values()))))}."
        ]
        worst = sorted(self.raters.items(), key=lambda kv: kv[1])[:10]
        lines += text_table(["rater", "quality"], [[str(k), shown(v)] for k, v in worst])
        return "\n".join([*lines, *(f"note: {w}" for w in self.warnings)])


@takes_tables()
def crowdtruth(ann: Source, *, open_vocabulary: bool = False, **reading: Unpack[Reading]) -> CrowdTruth:
    """Item, rater and label quality of CrowdTruth 2.0; labels may be sets.

    Every score starts at 1, and each round uses the scores of the last, until none changes by .001.
    ``open_vocabulary``: labels are compared only with those seen on the item, and label quality is 1. A label given
    twice in one answer counts once. An item with one rater has no quality (nan), while the authors' package gives 0 and
    lowers the rater's quality for it.

    Dumitrache, Inel, Aroyo, Timmermans & Welty (2018), CrowdTruth 2.0, arXiv:1808.06080.

    >>> import raters
    >>> quality = crowdtruth(raters.examples.four_raters())
    >>> len(quality.items), len(quality.raters)
    (12, 4)
    """
    ann = table(ann)
    if not ann.n_raters:
        raise UsageError("CrowdTruth scores raters, and this table does not name them.")
    votes = Votes.of(ann)
    cells = _Cells.of(ann, votes)
    state = _State(np.ones(votes.n_items), np.ones(len(votes.raters)), np.ones(cells.x.shape[1]))
    rounds = 0
    while rounds < MOST_ROUNDS:
        rounds += 1
        fresh = cells.step(state, open_vocabulary)
        moved = max(float(np.abs(a - b).max(initial=0)) for a, b in zip(fresh.scores, state.scores, strict=True))
        state = fresh
        if moved < MOVED:
            break
    return cells.result(state, rounds, ann, votes, open_vocabulary)


@dataclass(frozen=True)
class _State:
    unit: Array
    worker: Array
    label: Array
    wwa: Array | None = None
    wua: Array | None = None

    @property
    def scores(self) -> tuple[Array, ...]:
        return self.unit, self.worker, self.label


@dataclass(frozen=True)
class _Cells:
    """One row for each (item, rater): the labels given, as 0 and 1."""

    x: sparse.csr_array
    item: Array
    rater: Array
    pairs: tuple[Array, Array]
    """Rows of two raters of the same item, each pair once."""
    names: tuple[Any, ...]

    @classmethod
    def of(cls, ann: Annotations, votes: Votes) -> _Cells:
        key = votes.item_of.astype(np.int64) * len(votes.raters) + votes.rater_of
        cells, row = np.unique(key, return_inverse=True)
        names = ann.members if ann.scale == "sets" else votes.labels
        given = sparse.csr_array((np.ones(len(row)), (row, votes.label_of)), (len(cells), votes.n_labels))
        if ann.scale == "sets":
            given = sparse.csr_array(given @ membership(votes.labels, ann.members))
        given.data = np.minimum(given.data, 1.0)
        item, rater = cells // len(votes.raters), cells % len(votes.raters)
        first = np.searchsorted(item, np.arange(votes.n_items + 1))
        left, right = [], []
        for a, b in pairwise(first):
            i, j = np.triu_indices(b - a, 1)
            left.append(i + a)
            right.append(j + a)
        return cls(given, item, rater, (np.concatenate(left), np.concatenate(right)), tuple(names))

    def step(self, s: _State, open_vocabulary: bool) -> _State:
        unit, worker, weight = s.unit, s.worker, np.ones_like(s.label) if open_vocabulary else s.label
        a, b = self.pairs
        w_a, w_b = worker[self.rater[a]], worker[self.rater[b]]
        weighted = self.x.multiply(weight[None, :]).tocsr()
        norm = np.sqrt(np.asarray(weighted.multiply(self.x).sum(1)).ravel())
        together = np.asarray(weighted[a].multiply(self.x[b]).sum(1)).ravel()
        cosine = np.where(norm[a] * norm[b] > 0, together / np.maximum(norm[a] * norm[b], 1e-300), 0.0)
        n = len(unit)
        uqs = _ratio(np.bincount(self.item[a], cosine * w_a * w_b, n), np.bincount(self.item[a], w_a * w_b, n))
        u = unit[self.item[a]]
        size = len(worker)
        above = np.bincount(self.rater[a], cosine * w_b * u, size) + np.bincount(self.rater[b], cosine * w_a * u, size)
        below = np.bincount(self.rater[a], w_b * u, size) + np.bincount(self.rater[b], w_a * u, size)
        wwa = _ratio(above, below)
        wua = self._with_unit(unit, worker, weight, weighted, norm)
        aqs = np.ones_like(s.label) if open_vocabulary else self._labels(unit, worker)
        return _State(uqs, wwa * wua, aqs, wwa, wua)

    def _with_unit(self, unit: Array, worker: Array, weight: Array, weighted: Any, norm: Array) -> Array:
        """WUA: the cosine of a rater's labels with the sum of the others', averaged over items by their quality."""
        n, size = len(unit), len(worker)
        w = worker[self.rater]
        own = self.x.multiply(w[:, None]).tocsr()
        by_item = sparse.csr_array((np.ones(len(w)), (self.item, np.arange(len(w)))), (n, len(w)))
        others = (by_item @ own)[self.item] - own
        dot = np.asarray(weighted.multiply(others).sum(1)).ravel() * w
        length = (
            np.sqrt(np.maximum(np.asarray(others.multiply(others).multiply(weight[None, :]).sum(1)).ravel(), 0))
            * norm
            * w
        )
        cosine = np.where(length > 1e-12, dot / np.maximum(length, 1e-300), TINY)
        u = unit[self.item]
        several = (np.bincount(self.item, minlength=n) > 1)[self.item]
        return _ratio(np.bincount(self.rater, u * cosine * several, size), np.bincount(self.rater, u * several, size))

    def _labels(self, unit: Array, worker: Array) -> Array:
        """AQS: over ordered pairs of raters who share items, how often one gives a label that the other gave."""
        size = len(worker)
        a, b = np.concatenate(self.pairs), np.concatenate(self.pairs[::-1])
        pair, which = np.unique(self.rater[a].astype(np.int64) * size + self.rater[b], return_inverse=True)
        u = unit[self.item[a]]
        gather = sparse.csr_array((u, (which.ravel(), np.arange(len(a)))), (len(pair), len(a)))
        both = gather @ self.x[a].multiply(self.x[b]).tocsr()
        given = gather @ self.x[b]
        w = worker[pair // size] * worker[pair % size]
        share = given.copy()
        share.data = np.asarray(both[_rows(given), given.indices]).ravel() / np.maximum(given.data, 1e-300)
        there = given.copy()
        there.data = (given.data > 0).astype(float)
        share.data = share.data * there.data
        return np.maximum(_ratio(np.asarray(w @ share), np.asarray(w @ there)), TINY)

    def result(self, s: _State, rounds: int, ann: Annotations, votes: Votes, open_vocabulary: bool) -> CrowdTruth:
        n = np.bincount(self.item, minlength=votes.n_items)
        alone = int((n == 1).sum())
        said = (f"{alone:,} items have one rater: no quality is given for them",) if alone else ()
        w = s.worker[self.rater]
        total = np.bincount(self.item, w, votes.n_items)
        gather = sparse.csr_array((w, (self.item, np.arange(len(w)))), (votes.n_items, len(w)))
        shares = (gather @ self.x).tocoo()
        uas = {
            (votes.items[i], self.names[k]): float(v / total[i])
            for i, k, v in zip(shares.row.tolist(), shares.col.tolist(), shares.data.tolist(), strict=True)
            if total[i] > 0
        }
        unit = np.where(n > 1, s.unit, np.nan)
        raters = list(votes.raters)
        wwa, wua = (x if x is not None else s.worker for x in (s.wwa, s.wua))
        used = np.asarray(self.x.sum(0)).ravel() > 0
        return CrowdTruth(
            dict(zip(votes.items, unit.tolist(), strict=True)),
            dict(zip(raters, s.worker.tolist(), strict=True)),
            {name: float(q) for name, q, there in zip(self.names, s.label, used, strict=True) if there},
            uas,
            dict(zip(raters, wwa.tolist(), strict=True)),
            dict(zip(raters, wua.tolist(), strict=True)),
            rounds,
            open_vocabulary,
            said,
        )


def _rows(m: Any) -> Array:
    return np.repeat(np.arange(m.shape[0]), np.diff(m.indptr))


def _ratio(above: Array, below: Array) -> Array:
    return np.where(below > 0, above / np.where(below > 0, below, 1), TINY)
