r"""One-coin: every rater is right with one probability, whatever the truth, and errs evenly.

.. math:: p(y_{ij} \mid z_i) = a_j \text{ if } y_{ij} = z_i, \text{ else } (1 - a_j) / (K - 1)

Prevalence is equal over labels unless it is asked to be learned: learned, it can run away with one label
(bluebirds: 58 % right instead of 72 %).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.models import matching
from raters.models.dawid_skene import prevalence
from raters.models.em import Params, log
from raters.models.votes import Votes

Array = NDArray[Any]


@dataclass(frozen=True)
class OneCoin:
    """Parameters: ``prevalence`` (label,) and ``accuracy`` (rater,), with ``smoothing`` added to right and wrong."""

    votes: Votes
    gold: Array | None = None
    smoothing: float = 0.01
    prior: Array | None = None
    """(rater, true label, given label): counts from elsewhere."""
    uniform: bool = True

    def _logs(self, params: Params, votes: Votes) -> tuple[Array, Array]:
        a = params["accuracy"]
        return log(a)[votes.rater_of], log((1 - a) / max(votes.n_labels - 1, 1))[votes.rater_of]

    def _before(self) -> tuple[Array, Array]:
        """(rater,): right and wrong labels before the data."""
        s = np.full(self.votes.n_raters, self.smoothing)
        if self.prior is None:
            return s, s
        right = np.einsum("rkk->r", self.prior)
        return s + right, s + self.prior.sum((1, 2)) - right

    def expect(self, params: Params) -> tuple[Array, float]:
        return matching.posterior(self.votes, self.gold, *self._logs(params, self.votes), params["prevalence"])

    def maximise(self, expected: Array, params: Params | None = None) -> Params:
        v = self.votes
        n = v.weighted(v.table.data)
        right = np.bincount(v.rater_of, n * v.given(expected), v.n_raters)
        total = np.bincount(v.rater_of, n, v.n_raters)
        before = self._before()
        return {
            "prevalence": prevalence(v, expected, self.smoothing, self.uniform, self.gold),
            "accuracy": share(right + before[0], np.maximum(total - right, 0) + before[1]),
        }

    def penalty(self, params: Params) -> float:
        right, wrong = self._before()
        a = params["accuracy"]
        total = float(xlogy(right, a).sum() + xlogy(wrong, 1 - a).sum())
        return total + (0.0 if self.uniform or not self.smoothing else self.smoothing * log(params["prevalence"]).sum())

    def cells(self, params: Params, votes: Votes) -> Array:
        return matching.cells(votes, *self._logs(params, votes))

    def confusion(self, params: Params) -> Array:
        a, k = params["accuracy"][:, None, None], self.votes.n_labels
        return np.where(np.eye(k, dtype=bool), a if k > 1 else 1.0, (1 - a) / max(k - 1, 1))

    def sample(self, counts: Array, params: Params, rng: np.random.Generator) -> Array:
        before = self._before()
        right = np.einsum("rkk->r", counts)
        accuracy = rng.beta(1 + right + before[0], 1 + counts.sum((1, 2)) - right + before[1])
        return self.confusion({"accuracy": accuracy})


def share(right: Array, wrong: Array) -> Array:
    """right / (right + wrong); a half where there is neither."""
    total = right + wrong
    return np.asarray(np.where(total > 0, right / np.where(total > 0, total, 1), 0.5))
