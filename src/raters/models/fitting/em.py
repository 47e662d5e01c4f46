"""Expectation-maximisation: the only loop. A model is a pair of pure functions, ``expect`` and ``maximise``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import Params, normalised, winners
from raters.models.base.votes import Votes
from raters.models.families import dawid_skene, one_coin
from raters.models.families.spec import Problem, Task
from raters.models.fitting.gold import covered

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


Array = NDArray[Any]
MOST = 2**24
"""Largest number of confusion-matrix cells for which gold labels start full matrices."""
BEST = ("votes", "majority", "diagonal")
"""The fixed starts that ``best`` tries, in addition to random ones."""


def by_votes(votes: Votes, rng: np.random.Generator) -> Array:
    """Shares of the votes."""
    return votes.shares()


def by_majority(votes: Votes, rng: np.random.Generator) -> Array:
    """The label with the most votes; ties are split."""
    return winners(votes.counts)


def by_diagonal(votes: Votes, rng: np.random.Generator) -> Array:
    """Posteriors if every rater were right with weight .7 and gave each other label with weight .3/K."""
    k = votes.n_labels
    return normalised(votes.counts * (np.log(0.7) - np.log(0.3 / k)))[0]


def by_random(votes: Votes, rng: np.random.Generator) -> Array:
    """A draw from Dirichlet(1 + votes) for every item."""
    draw = rng.standard_gamma(1 + votes.counts)
    return np.asarray(draw / draw.sum(1, keepdims=True))


MAKE: Mapping[str, Callable[[Votes, np.random.Generator], Array]] = {
    "votes": by_votes,
    "majority": by_majority,
    "diagonal": by_diagonal,
    "random": by_random,
    "paper": by_diagonal,
}
STARTS = ("best", *MAKE)


def shaken(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """(item, label): the best end so far, with a random quarter to three quarters of the items taken from another
    start.
    """
    return _mixed(best, other, rng.random(len(best)) < rng.uniform(0.25, 0.75))


def nudged(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """The same for a twentieth to a quarter of the items."""
    return _mixed(best, other, rng.random(len(best)) < rng.uniform(0.05, 0.25))


def recast(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """The same for all items of one label and a tenth of the others: a label may stand for a different kind of item."""
    label = rng.integers(best.shape[1])
    return _mixed(best, other, (best.argmax(1) == label) | (rng.random(len(best)) < 0.1))


def _mixed(best: Array, other: Array, part: Array) -> Array:
    return np.asarray(np.where(part[:, None], other, best))


SHAKES: Mapping[str, Callable[[Array, Array, np.random.Generator], Array]] = {
    "shaken": shaken,
    "nudged": nudged,
    "recast": recast,
}
"""Starts near the best end so far, used in turn. On add-v and date-n of Passonneau and Carpenter these end higher than
five hundred random ones.
"""


def begin(name: str, votes: Votes, gold: Array | None, rng: np.random.Generator) -> Array:
    """(item, label): the expected truth at the start; gold labels initialise the matrices of their raters."""
    if gold is None:
        return MAKE[name](votes, rng)
    at = np.flatnonzero(gold >= 0)
    known = np.zeros((votes.n_items, votes.n_labels))
    known[at, gold[at]] = 1
    small = votes.n_raters * votes.n_labels**2 <= MOST
    first = Problem((dawid_skene if small else one_coin).MODEL, Task(votes, gold, smoothing=1.0, uniform=True))
    informed, _ = first.expect(first.maximise(known))
    reached = np.bincount(votes.item_of, covered(votes, gold)[votes.rater_of], votes.n_items) > 0
    if name == "random":
        hint = informed * votes.per_item[:, None]
        draw = rng.standard_gamma(1 + np.where(reached[:, None], hint, votes.counts))
        informed = other = draw / draw.sum(1, keepdims=True)
    else:
        other = MAKE[name](votes, rng)
    q = np.where(reached[:, None], informed, other)
    q[at] = known[at]
    return np.asarray(q)
