r"""Hierarchical Dawid-Skene: the raters' confusion matrices are drawn from the crowd's.

.. math:: \theta_{jk\cdot} \sim \mathrm{Dirichlet}(\alpha_k), \qquad \alpha_{kl} \sim \mathrm{Gamma}(2, 1)

A rater with few labels is taken for an average one; how far raters differ is learned. The matrices are integrated out by
variational EM: :math:`q(\theta_{jk}) = \mathrm{Dirichlet}(\alpha_k + n_{jk})`, and the objective is a lower bound of the
evidence, which never falls. The "log-likelihood" beside it is that of the E step, at :math:`E \log \theta`.

Carpenter (2008), Multilevel Bayesian models of categorical data annotation; Paun et al. (2018), TACL 6, 571-585.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

from raters.models.dawid_skene import expected_counts, prevalence, rows_to_one
from raters.models.em import Params, log, normalised
from raters.models.votes import Votes

Array = NDArray[Any]
ROUNDS = 3
"""Updates of the crowd's matrix in one M step."""


@dataclass(frozen=True)
class Hierarchical:
    """Parameters: ``prevalence``, ``crowd`` (true, given): alpha, and ``counts`` (rater, true, given): alpha + n."""

    votes: Votes
    gold: Array | None = None
    smoothing: float = 0.01
    prior: Array | None = None
    uniform: bool = False

    def expect(self, params: Params) -> tuple[Array, float]:
        table = mean_log(params["counts"]).swapaxes(1, 2).reshape(-1, self.votes.n_labels)
        scores = self.votes.table @ table
        scores += log(params["prevalence"])
        return normalised(scores, self.gold, self.votes.weight)

    def maximise(self, expected: Array, params: Params | None = None) -> Params:
        n = expected_counts(self.votes, expected)
        if self.prior is not None:
            n = n + self.prior
        k = self.votes.n_labels
        crowd = k * rows_to_one(n.sum(0) + 1) if params is None else params["crowd"]
        for _ in range(ROUNDS):
            crowd = pooled(crowd, mean_log(crowd + n).sum(0), self.votes.n_raters)
        return {
            "prevalence": prevalence(self.votes, expected, self.smoothing, self.uniform, self.gold),
            "crowd": crowd,
            "counts": crowd + n,
        }

    def penalty(self, params: Params) -> float:
        a, g = params["crowd"], params["counts"]
        # minus the divergence of Dirichlet(g) from Dirichlet(a), summed over raters and truths
        total = ((a - g) * mean_log(g)).sum() + (gammaln(a.sum(-1)) - gammaln(a).sum(-1)).sum() * len(g)
        total -= (gammaln(g.sum(-1)) - gammaln(g).sum(-1)).sum()
        total += (np.log(a) - a).sum()
        if self.prior is not None:  # earlier counts are data: their likelihood belongs to the bound
            total += (self.prior * mean_log(g)).sum()
        if self.smoothing and not self.uniform:
            total += self.smoothing * log(params["prevalence"]).sum()
        return float(total)

    def cells(self, params: Params, votes: Votes) -> Array:
        return np.asarray(np.log(self.confusion(params))[votes.rater_of, :, votes.label_of])

    def confusion(self, params: Params) -> Array:
        return rows_to_one(params["counts"])

    def sample(self, counts: Array, params: Params, rng: np.random.Generator) -> Array:
        """One draw of all confusion matrices, the crowd's held at its estimate."""
        shape = counts + params["crowd"] + (0 if self.prior is None else self.prior)
        return rows_to_one(rng.standard_gamma(shape))


def mean_log(shape: Array) -> Array:
    """E log θ under Dirichlet(shape), over the last axis."""
    return np.asarray(digamma(shape) - digamma(shape.sum(-1, keepdims=True)))


def pooled(alpha: Array, logs: Array, n: int) -> Array:
    """One step of Minka's fixed point for alpha, under Gamma(2, 1): it raises the objective.

    ``logs``: (true, given), the sum over n raters of E log θ. Solves digamma(a) - 1/(n a) = c by Newton in log a.
    """
    target = digamma(alpha.sum(-1, keepdims=True)) + (logs - 1) / n
    x = np.log(alpha)
    for _ in range(8):
        a = np.exp(x)
        off = digamma(a) - 1 / (n * a) - target
        x = x - np.clip(off / (a * (polygamma(1, a) + 1 / (n * a**2))), -2, 2)
    return np.asarray(np.exp(np.clip(x, -30, 30)))
