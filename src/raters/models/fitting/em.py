"""Expectation-maximisation: the only loop. A model is a pair of pure functions, ``expect`` and ``maximise``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from raters.models.families.probabilities import Params

Progress = Callable[[str, int, float], None]
"""Called after each iteration with the name of the start, the iteration and the objective."""


class Model(Protocol):
    """What the loop requires of a model."""

    def expect(self, params: Params) -> tuple[Any, float]:
        """E step: the expectation of the hidden truth, and the log-likelihood of the labels."""
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
    """The end of one run of the loop, and its path."""

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
    within: Callable[[Params], tuple[Any, float]] | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Fit:
    """Alternate M and E steps from the expectation at the start; the last E step uses the last parameters.

    ``within``: the E step inside the loop, if the M step needs something else than what ``expect`` gives at the end.
    """
    rule, step = rule or Rule(), within or model.expect
    objectives: list[float] = []
    likelihoods: list[float] = []
    converged = True
    while True:
        params = model.maximise(expected, params)
        expected, likelihood = step(params)
        objectives.append(likelihood + model.penalty(params))
        likelihoods.append(likelihood)
        if progress is not None:
            progress(name, len(objectives), objectives[-1])
        watched = objectives if rule.watch == "objective" else likelihoods
        if len(watched) > 1:
            change = abs(watched[-1] - watched[-2])
            if change <= rule.tolerance * abs(watched[-2]):
                reason = f"the {rule.watch.replace('_', '-')} changed by {change:.2g} in iteration {len(watched)}"
                break
        if len(objectives) >= rule.max_iter:
            reason, converged = (
                f"stopped after {rule.max_iter} iterations without convergence; increase max_iter",
                False,
            )
            break
    if within is not None:
        expected, _ = model.expect(params)
    return Fit(params, expected, tuple(objectives), tuple(likelihoods), converged, reason)
