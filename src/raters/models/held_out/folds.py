r"""Held-out labels: how well a model predicts them from the item's other labels and from what it learned about the
rater.

Annotations are put in the order of (item, rater) as text, and the fold of an annotation is its place modulo 5. A model
is fitted to the other four folds, and a label that was held out scores

.. math:: \log \sum_k p(z_i = k \mid \text{training labels of } i)\, \theta_j(k, y)

in nats, one label at a time. A rater without training labels has the crowd's matrix, an item without any has the
prevalence. A vote predicts by its shares with labels of the margin added. The score shows how *settled* the answer is,
not whether it is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import log, row_sums, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families.spec import Task, Vote, had, of_items

Array = NDArray[Any]
FOLDS = 5
LEAST = 1e-12
"""A label that a model considers impossible scores as if it were this probable: every model is smoothed."""


@dataclass(frozen=True)
class Fold:
    """The labels to learn from, and those to predict, one cell for each distinct (item, rater, label)."""

    train: Votes
    held: Votes


def folds(votes: Votes, n: int = FOLDS, seed: int | None = None) -> Iterator[Fold]:
    """Annotations in the order of (item, rater) as text, assigned to folds in turn; with a seed, at random."""
    cell = np.repeat(np.arange(len(votes.table.data)), votes.table.data.astype(np.int64))
    place = np.empty(len(cell), np.int64)
    if seed is None:
        item, rater = (
            _ranks(names)[at] for names, at in ((votes.items, votes.item_of), (votes.raters, votes.rater_of))
        )
        place[np.lexsort((votes.label_of[cell], rater[cell], item[cell]))] = np.arange(len(cell))
    else:
        place = np.random.default_rng(seed).permutation(len(cell))
    of = place % n
    for f in range(n):
        held = np.bincount(cell[of == f], minlength=len(votes.table.data)).astype(float)
        yield Fold(votes.kept(votes.table.data - held), votes.kept(held))


def _ranks(names: tuple[Any, ...]) -> Array:
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=lambda i: str(names[i]))] = np.arange(len(names))
    return rank


def foretold(c: FittedModel, held: Votes, q: Array, votes: Votes, given: Array | None = None) -> Array:
    """(cell,): how probable each held-out label is; ``q``: the items' posteriors from ``votes``, the training labels
    with their weights.

    ``given``: the result of ``chances``, if already computed.
    """
    row = c.definition
    if isinstance(row.method, Vote):
        return held.given(vote_shares(c))
    if row.foretell is not None:
        return row.foretell(Task.of(votes, c.gold, c.settings), c.params, held)
    known = chances(c, held) if given is None else given
    return row_sums(q.take(held.item_of, 0) * known)


def chances(c: FittedModel, held: Votes) -> Any:
    """(cell, true label): how probable each held-out label is for every true label; None if the model does not define
    it.
    """
    row = c.definition
    if isinstance(row.method, Vote) or row.foretell is not None:
        return None
    if row.dense:
        given = c.confusion[held.rater_of, :, held.label_of]
    else:
        given = np.exp(had(row.cells)(of_items(c.params, slice(None), row.by_item), held))
    new = np.flatnonzero((c.votes.per_rater.sum(1) == 0)[held.rater_of])  # cells of unseen raters: the crowd's matrix
    if len(new):
        crowd = rows_to_one(c.posterior.T @ c.votes.weighted_items(c.votes.counts) + c.settings.smoothing)
        given[new] = crowd[:, held.label_of[new]].T
    return np.asarray(given)


def vote_shares(c: FittedModel) -> Array:
    """(item, label): shares of the votes, with K/2 labels of the margin added."""
    v, k = c.votes, c.votes.n_labels
    if not isinstance(c.definition.method, Vote):
        return v.shares()
    n = counted(c)
    margin = rows_to_one(v.counts.sum(0))
    made = n + k / 2 * margin
    return np.asarray(made / made.sum(1, keepdims=True))


def counted(c: FittedModel) -> Array:
    """(item, label): votes by their weights, scaled to a mean of 1, so that they count labels."""
    v, vote = c.votes, c.definition.method
    if not isinstance(vote, Vote):
        return v.counts
    weight = v.table.data * vote.weigh(c.params, v)
    total = float(weight.sum())
    return v.summed(weight * (float(v.table.data.sum()) / total if total > 0 else 1.0))


def scores(p: Array) -> Array:
    """(cell,): log probabilities."""
    return log(np.maximum(p, LEAST))
