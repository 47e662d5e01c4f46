r"""MACE: a rater either knows the truth, or labels by a habit of their own.

.. math:: p(y_{ij} \mid z_i) = t_j [y_{ij} = z_i] + (1 - t_j)\, \xi_j(y_{ij})

``trust`` :math:`t_j` has a Beta and ``habit`` :math:`\xi_j` a Dirichlet prior; prevalence is equal over labels. Whether a
label came from knowledge is hidden too, so the M step splits the expected hits between knowledge and habit.

Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL, 1120-1130.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models import matching
from raters.models.dawid_skene import prevalence, rows_to_one
from raters.models.em import Params, log
from raters.models.one_coin import share
from raters.models.votes import Votes

Array = NDArray[Any]


@dataclass(frozen=True)
class Mace:
    """Parameters: ``prevalence`` (label,), ``trust`` (rater,), ``habit`` (rater, label)."""

    votes: Votes
    gold: Array | None = None
    smoothing: float = 0.01
    prior: Array | None = None
    uniform: bool = True

    def _logs(self, params: Params, votes: Votes) -> tuple[Array, Array]:
        guess = (1 - params["trust"])[:, None] * params["habit"]  # (rater, label)
        hit = guess + params["trust"][:, None]
        return log(hit).ravel()[votes.table.indices], log(guess).ravel()[votes.table.indices]

    def expect(self, params: Params) -> tuple[Array, float]:
        return matching.posterior(self.votes, self.gold, *self._logs(params, self.votes), params["prevalence"])

    def maximise(self, expected: Array, params: Params | None = None) -> Params:
        v = self.votes
        given = v.per_rater  # (rater, label)
        hits = np.bincount(v.table.indices, v.weighted(v.table.data) * v.given(expected), given.size)
        hits = hits.reshape(given.shape)
        if params is None:
            params = {"trust": np.full(v.n_raters, 0.5), "habit": np.full(given.shape, 1 / v.n_labels)}
        trust = params["trust"][:, None]
        guess = (1 - trust) * params["habit"]
        with np.errstate(invalid="ignore"):
            known = hits * np.where(trust + guess > 0, trust / (trust + guess), 0)  # hits that came from knowledge
        guessed = np.maximum(given - known, 0)
        return {
            "prevalence": prevalence(v, expected, self.smoothing, self.uniform, self.gold),
            "trust": share(known.sum(1) + self.smoothing, guessed.sum(1) + self.smoothing),
            "habit": rows_to_one(guessed + self.smoothing),
        }

    def penalty(self, params: Params) -> float:
        if not self.smoothing:
            return 0.0
        t = params["trust"]
        total = log(t).sum() + log(1 - t).sum() + log(params["habit"]).sum()
        return self.smoothing * float(total + (0.0 if self.uniform else log(params["prevalence"]).sum()))

    def cells(self, params: Params, votes: Votes) -> Array:
        return matching.cells(votes, *self._logs(params, votes))

    def confusion(self, params: Params) -> Array:
        t = params["trust"][:, None, None]
        return np.asarray(t * np.eye(self.votes.n_labels) + (1 - t) * params["habit"][:, None, :])
