"""Expectation-maximisation: the only loop. A model is a pair of pure functions, ``expect`` and ``maximise``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Params = Mapping[str, Array]
Progress = Callable[[str, int, float], None]
"""Called after each iteration with the name of the start, the iteration and the objective."""
CHUNK = 1 << 16
"""Cells of a table that are worked on at once."""


class Model(Protocol):
    """What the loop asks of a model."""

    def expect(self, params: Params) -> tuple[Any, float]:
        """E step: what is expected of the hidden truth, and the log-likelihood of the labels."""
        ...

    def maximise(self, expected: Any, params: Params | None) -> Params:
        """M step: parameters that raise the expected log-likelihood and the penalty together."""
        ...

    def penalty(self, params: Params) -> float:
        """The log density of the prior, up to a constant: objective = log-likelihood + penalty."""
        ...


@dataclass(frozen=True)
class Rule:
    """When to stop: no more than ``max_iter`` rounds, or a gain below ``tolerance`` times the objective's size."""

    tolerance: float = 1e-13
    max_iter: int = 5000
    watch: str = "objective"
    """``"objective"`` or ``"log_likelihood"``."""


@dataclass(frozen=True)
class Fit:
    """Where one run of the loop ended, and how it got there."""

    params: Params
    expected: Any
    objectives: tuple[float, ...]
    log_likelihoods: tuple[float, ...]
    converged: bool
    reason: str

    @property
    def objective(self) -> float:
        return self.objectives[-1]

    @property
    def log_likelihood(self) -> float:
        return self.log_likelihoods[-1]

    @property
    def iterations(self) -> int:
        return len(self.objectives)


def run(
    model: Model,
    expected: Any,
    params: Params | None = None,
    *,
    rule: Rule | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Fit:
    """Alternate M and E steps from what is expected at the start; the last E step is of the last parameters."""
    rule = rule or Rule()
    objectives: list[float] = []
    likelihoods: list[float] = []
    while True:
        params = model.maximise(expected, params)
        expected, likelihood = model.expect(params)
        objectives.append(likelihood + model.penalty(params))
        likelihoods.append(likelihood)
        if progress is not None:
            progress(name, len(objectives), objectives[-1])
        watched = objectives if rule.watch == "objective" else likelihoods
        if len(watched) > 1:
            change = abs(watched[-1] - watched[-2])
            if change <= rule.tolerance * abs(watched[-2]):
                reason = f"the {rule.watch.replace('_', '-')} changed by {change:.2g} in iteration {len(watched)}"
                return Fit(params, expected, tuple(objectives), tuple(likelihoods), True, reason)
        if len(objectives) >= rule.max_iter:
            reason = f"stopped after {rule.max_iter} iterations without convergence; raise max_iter"
            return Fit(params, expected, tuple(objectives), tuple(likelihoods), False, reason)


def normalised(scores: Array, gold: Array | None = None, weight: Array | None = None) -> tuple[Array, float]:
    """(item, label) log joint probabilities as posteriors, and their log-likelihood.

    ``gold``: (item,) codes, -1 for none; a gold item is certain, and counts by the joint probability of its label.
    Computed in place, in log space: 500 labels an item do not underflow.

    >>> q, log_likelihood = normalised(np.log([[0.00975, 0.0768]]))
    >>> q.round(2).tolist()
    [[0.11, 0.89]]
    """
    if gold is not None:
        at = np.flatnonzero(gold >= 0)
        known = scores[at, gold[at]]
        scores[at] = -np.inf
        scores[at, gold[at]] = known
    total = 0.0
    step = max(1, CHUNK // max(scores.shape[1], 1))
    for i in range(0, len(scores), step):
        t = scores[i : i + step].T.copy()  # (label, item): reductions over the long axis are much the faster
        top = t.max(0)
        top[~np.isfinite(top)] = 0
        t -= top
        np.exp(t, out=t)
        size = t.sum(0)
        logs = top + log(size)
        if weight is not None:  # an item that does not count may be impossible
            logs = np.where(weight[i : i + step] > 0, logs, 0) * weight[i : i + step]
        total += float(logs.sum())
        t[:, size == 0] = 1 / len(t)
        t /= np.where(size > 0, size, 1)
        scores[i : i + step] = t.T
    return scores, total


def log(x: Array) -> Array:
    """Logarithm with log 0 = -inf, said without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))
