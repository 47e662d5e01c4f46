r"""The mixture: several predictive models of an item's labels, weighted by how well they predict whole held-out items.

:math:`q_i = \sum_m r_{im} q_{im}` with :math:`r_{im} \propto w_m L_{im}`, where :math:`L_{im}` is the probability that
model m gives to all labels of item i, and w maximises :math:`\sum_i \log \sum_m w_m L_{im} + \sum_m \log w_m`.

All agreement may be chance: the evidence of the mixture against habits alone is g with standard error se, and with
probability :math:`p_0 = \Phi(-g / se)` nothing follows from the labels but their shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, ndtr

from raters.models.base.settled_vote import Variety, log_chance, settled
from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Judged
from raters.models.families.registry import MODELS

Array = NDArray[Any]
PLAIN = {"habit": "habits alone", "vote": "the vote"}
"""The models that know nothing about the truth, and nothing about raters."""
TILT = 0.05
"""How far the answer leans to the votes of an item if all agreement is chance."""
PRICE = 2.0
"""Nats that the mixture must gain over habits: what it has learned more."""


@dataclass(frozen=True)
class Answer:
    """What the mixture says of each item."""

    truth: Array
    """(item, label): the probability that the label is true under the model."""
    wins: Array
    """(item, label): the probability that the label would win a very large vote of such raters."""
    shares: Array
    """(item, model): how much each model counts for the item."""
    ease: Array
    """(item,): how far its labels depend on its truth."""


def title(name: str) -> str:
    """What a model of the mixture is called."""
    return PLAIN.get(name) or MODELS[name].title


def by_habit(cells: Cells, habit: Array) -> Array:
    """(item,): log probability of an item's labels if each rater answers by habit."""
    return np.bincount(cells.item, cells.weight * np.log(habit[cells.rater, cells.label]), cells.n_items)


def by_vote(counts: Array, variety: Variety) -> Array:
    """(item,): log probability of an item's votes, shares of its labels integrated out."""
    n = counts.sum(1)
    each = [np.log(w) + log_chance(counts, n, a) for w, a in zip(variety.weight, variety.alpha, strict=True)]
    return np.asarray(np.logaddexp.reduce(each, 0))


def weights(logs: Array) -> Array:
    """(model,): the best weights for (model, item) log evidence.

    >>> weights(np.log([[0.5, 0.5, 0.5, 0.5], [0.1, 0.1, 0.1, 0.1]])).round(2).tolist()
    [0.8, 0.2]
    """
    n, w = len(logs), np.full(len(logs), 1 / len(logs))
    top = np.exp(logs - logs.max(0))
    for _ in range(500):
        r = w[:, None] * top
        new = ((r / r.sum(0)).sum(1) + 1) / (logs.shape[1] + n)
        if np.abs(new - w).max() < 1e-9:
            break
        w = new
    return np.asarray(w)


def chance(logs: Array, w: Array) -> float:
    """The probability that habits alone predict as well: all agreement is then chance."""
    gain = np.logaddexp.reduce(np.log(w)[:, None] + logs, 0) - logs[0]
    return float(ndtr(-(gain.sum() - PRICE) / max(np.sqrt(len(gain)) * gain.std(), 1e-9)))


def base(total: Array) -> Array:
    """(label,): the shares of the labels if agreement is chance: equal, unless the counts tell otherwise.

    >>> base(np.array([66.0, 54.0])).round(2).tolist(), base(np.array([990.0, 10.0])).round(2).tolist()
    ([0.51, 0.49], [0.99, 0.01])
    """
    k, n = len(total), total.sum()
    unequal = gammaln(k) - gammaln(n + k) + gammaln(total + 1).sum() + n * np.log(k)
    own = (total + 1) / (n + k)
    return np.asarray(own + expit(-unequal) * (1 / k - own))


def if_chance(counts: Array, shares: Array) -> Array:
    """(item, label): ``shares``, moved to the votes of the item just so far that no majority is overruled."""
    votes = counts / np.maximum(counts.sum(1, keepdims=True), 1e-12)
    rows = np.arange(len(votes))
    top = np.where(votes >= votes.max(1, keepdims=True) - 1e-9, shares, -1).argmax(1)
    behind = np.maximum(shares - shares[top][:, None], 0)
    ahead = votes[rows, top][:, None] - votes
    need = np.where(behind > 0, (behind + TILT * ahead) / np.maximum(behind + ahead, 1e-12), 0)
    lean = np.clip(np.maximum(need.max(1), TILT), 0, 1)[:, None]
    lean = np.where(counts.sum(1, keepdims=True) > 0, lean, 0)
    return np.asarray((1 - lean) * shares + lean * votes)


def answer(c: Cells, said: Sequence[Judged], w: Array, p0: float, shares: Array) -> Answer:
    """What all models say together."""
    scores = np.log(w)[:, None] + np.stack([x.log for x in said])
    r = np.exp(scores - np.logaddexp.reduce(scores, 0))
    truth, wins = (sum(one[:, None] * getattr(x, n) for one, x in zip(r, said, strict=True)) for n in ("truth", "wins"))
    if p0 > 0:
        flat = if_chance(c.counts, shares)
        truth, wins = ((1 - p0) * x + p0 * flat for x in (truth, wins))
    at = np.flatnonzero(c.gold >= 0)
    truth[at] = np.eye(c.n_labels)[c.gold[at]]
    ease = (r * np.stack([x.ease for x in said])).sum(0)
    return Answer(truth / truth.sum(1, keepdims=True), wins / wins.sum(1, keepdims=True), r.T, ease)


def plain(c: Cells, habit: Array, votes: Variety) -> list[Judged]:
    """What habits and the vote say; ``votes``: how they vary over items."""
    at, made = np.flatnonzero(c.gold >= 0), []
    margin = np.broadcast_to(c.margin, c.counts.shape)
    for log, q, ease in (by_habit(c, habit), margin, 0.0), (by_vote(c.counts, votes), settled(c.counts, votes), 1.0):
        of_gold = np.zeros(len(q))
        of_gold[at] = np.log(np.maximum(q[at, c.gold[at]], 1e-12))
        made.append(Judged(log + of_gold, q, q, np.full(len(q), ease)))
    return made
