"""Judges pooled by their confusion matrices (Dawid and Skene), tempered if shared errors make that overconfident."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from raters.estimate import jsonable
from raters.judges.people_and_judges import Sides

Array = NDArray[Any]
FOLDS = 5
SMOOTHING = 0.5
"""Added to every count of a confusion matrix."""
CLEAR = 0.9
"""Below this eta, the pooled labels are called overconfident."""


@dataclass(frozen=True)
class Tempered:
    """How much the judges' evidence must be discounted when their likelihoods are multiplied."""

    eta: float
    """The power of the product of likelihoods that predicts people's consensus best on held-out items; 1 if they are
    independent.
    """
    effective: float
    """eta times the number of judges."""
    log_loss: float
    """Log loss of the consensus at eta = 1, on held-out items."""
    log_loss_tempered: float

    @property
    def overconfident(self) -> bool:
        return self.eta < CLEAR

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items()} | {"overconfident": self.overconfident}


def tempered(said: Array, truth: Array, k: int, seed: int = 0) -> Tempered | None:
    """eta by held-out log-likelihood of the consensus, with confusion matrices from the other four folds.

    .. math:: p(c) \\propto \\pi_c \\left[\\prod_a \\theta_a(y_a \\mid c)\\right]^\\eta
    """
    n, judges = said.shape
    if n < 10 * FOLDS or len(np.unique(truth)) < 2:
        return None
    fold = np.random.default_rng(seed).permutation(n) % FOLDS
    prior, evidence = np.zeros((n, k)), np.zeros((n, k))
    for f in range(FOLDS):
        train, test = fold != f, fold == f
        prior[test], evidence[test] = evidence_of(said[test], *confusion_matrices(said[train], truth[train], k))

    def loss(eta: float) -> float:
        logits = prior + eta * evidence
        return float(-(logits[np.arange(n), truth] - special.logsumexp(logits, 1)).mean())

    best = optimize.minimize_scalar(loss, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-7})
    return Tempered(float(best.x), float(best.x * judges), loss(1.0), float(best.fun))


def confusion_matrices(said: Array, truth: Array, k: int) -> tuple[Array, Array]:
    """(class,): log shares; (judge, class, label): log probabilities of each judge's labels."""
    prior = np.bincount(truth, minlength=k) + SMOOTHING
    theta = np.full((said.shape[1], k, k), SMOOTHING)
    for a in range(said.shape[1]):
        at = said[:, a] >= 0
        np.add.at(theta[a], (truth[at], said[at, a]), 1)
    return np.log(prior / prior.sum()), np.log(theta / theta.sum(2, keepdims=True))


def evidence_of(said: Array, prior: Array, theta: Array) -> tuple[Array, Array]:
    """(item, class) each: the prior, and the sum of the judges' log likelihoods; a missing label adds nothing."""
    total = np.zeros((len(said), len(prior)))
    for a in range(said.shape[1]):
        at = said[:, a] >= 0
        total[at] += theta[a][:, said[at, a]].T
    return np.broadcast_to(prior, total.shape), total


def pooled_labels(s: Sides, seed: int = 0) -> tuple[Array, Array, Tempered | None]:
    """(item,) code of the most probable label and (item, label) tempered probabilities, for all items that any judge
    labelled.

    The confusion matrices are estimated on the items with a consensus of people.
    """
    k = len(s.labels)
    at = (s.consensus >= 0) & (s.said >= 0).any(1)
    found = tempered(s.said[at], s.consensus[at], k, seed)
    prior, evidence = evidence_of(s.said, *confusion_matrices(s.said[at], s.consensus[at], k))
    eta = 1.0 if found is None else found.eta
    posterior = special.softmax(prior + eta * evidence, axis=1)
    return posterior.argmax(1), posterior, found
