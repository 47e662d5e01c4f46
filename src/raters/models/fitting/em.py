"""Expectation-maximisation: the only loop. A model is a pair of pure functions, ``expect`` and ``maximise``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    rule = rule or Rule()
    objectives: list[float] = []
    likelihoods: list[float] = []
    for found, q, objective, likelihood in steps(model, expected, params, within):
        objectives.append(float(objective))
        likelihoods.append(float(likelihood))
        if progress is not None:
            progress(name, len(objectives), objectives[-1])
        if (end := ended(rule, objectives, likelihoods)) is not None:
            last = q if within is None else model.expect(found)[0]
            return Fit(found, last, tuple(objectives), tuple(likelihoods), *end)
    raise AssertionError("steps have no end")


def run_beside(
    model: Model, expected: Any, n: int, taken: Callable[[int, Params, Any], tuple[Params, Any]], *, rule: Rule
) -> list[Fit]:
    """Several fits in one loop, each to its own end, as by ``run``; ``taken``: parameters and expectation of one of them."""
    objectives: list[list[float]] = [[] for _ in range(n)]
    likelihoods: list[list[float]] = [[] for _ in range(n)]
    found: dict[int, Fit] = {}
    for params, q, objective, likelihood in steps(model, expected):
        for at in set(range(n)) - set(found):
            objectives[at].append(float(objective[at]))
            likelihoods[at].append(float(likelihood[at]))
            if (end := ended(rule, objectives[at], likelihoods[at])) is not None:
                found[at] = Fit(*taken(at, params, q), tuple(objectives[at]), tuple(likelihoods[at]), *end)
        if len(found) == n:
            break
    return [found[at] for at in range(n)]


def steps(
    model: Model, expected: Any, params: Params | None = None, within: Callable[[Params], tuple[Any, Any]] | None = None
) -> Iterator[tuple[Params, Any, Any, Any]]:
    """M and E steps in turn, without end: parameters, expectation, objective and log-likelihood."""
    step = within or model.expect
    while True:
        params = model.maximise(expected, params)
        expected, likelihood = step(params)
        yield params, expected, likelihood + model.penalty(params), likelihood


def ended(rule: Rule, objectives: Sequence[float], likelihoods: Sequence[float]) -> tuple[bool, str] | None:
    """Whether the loop converged, and why it ends; None if it goes on."""
    watched = objectives if rule.watch == "objective" else likelihoods
    if len(watched) > 1:
        change = abs(watched[-1] - watched[-2])
        if change <= rule.tolerance * abs(watched[-2]):
            return True, f"the {rule.watch.replace('_', '-')} changed by {change:.2g} in iteration {len(watched)}"
    if len(objectives) >= rule.max_iter:
        return False, f"stopped after {rule.max_iter} iterations without convergence; increase max_iter"
    return None
