"""The definition of a model: one row of the registry, with every fact that other modules need.

A model is a set of pure functions of a :class:`Task` and of parameters. For what a model cannot do, its row holds a
sentence that says why, so no other module has to compare names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.families.drawing import Sampler
from raters.models.families.probabilities import Params
from raters.models.families.task import Task
from raters.models.votes import Votes

Array = NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True)
class EM:
    """Fitted by expectation-maximisation; the E step is the model's ``expect``."""

    maximise: Callable[[Task, Any, Params | None], Params]
    """M step: parameters that raise the expected log-likelihood and the penalty together."""
    penalty: Callable[[Task, Params], float]
    """The log density of the prior, up to a constant."""
    start: Callable[[Task], Any] | None = None
    """The expected truth at the model's only start; None for the starts for labels (votes, majority, diagonal, random)."""
    start_name: str = ""
    """The name of that only start."""
    within: Callable[[Task, Params], tuple[Any, float]] | None = None
    """The E step inside the loop, if the M step needs something else than the posterior; None for ``expect``."""
    tolerance: float = 0.0
    """The smallest relative gain that is worth another step, for models whose steps are small."""


@dataclass(frozen=True)
class Vote:
    """Computed without a likelihood: the labels of an item are weighted and added up."""

    params: Callable[[Task], Params]
    """What is learned about the raters; nothing if all votes count equally."""
    weigh: Callable[[Params, Votes], Array]
    """(cell,): the weight of each given label."""
    decide: Callable[[Array], Array]
    """From (item, label) sums of weights to (item, label) shares."""
    reason: str
    """How the result was reached, in a few words."""
    notes: Callable[[Task], tuple[str, ...]] = lambda task: ()
    """What a user should know about this result."""


@dataclass(frozen=True)
class Model:
    """A model and every fact about it. A field that holds text instead of a function says why there is none."""

    name: str
    title: str
    rater: str
    """What a rater is in this model."""
    reference: str
    method: EM | Vote
    """How the model is fitted or computed."""
    expect: Callable[[Task, Params], tuple[Any, float]]
    """Given the parameters: (item, label) posteriors (for numbers, mean and variance), and the log-likelihood of the labels."""
    cells: Callable[[Params, Votes], Array] | str
    """(cell, true label): what each label that was given adds to the log posterior of its item."""
    confusion: Callable[[Task, Params], Array] | str
    """(rater, true label, given label)"""
    sampler: Sampler | str
    """How ``uncertainty="posterior"`` draws."""
    numbers: bool = False
    """Whether labels and truth are numbers."""
    uniform: bool = False
    """Whether prevalence is fixed to be equal over labels unless the user asks to learn it."""
    dense: bool = False
    """Whether the parameters are a full matrix for every rater."""
    takes_priors: bool = False
    """Whether counts from elsewhere can be used."""
    by_rater: tuple[str, ...] = ()
    """Parameters with one entry for each rater; empty if the model learns nothing about raters."""
    by_item: tuple[str, ...] = ()
    """Parameters with one entry for each item."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """By-rater parameter -> the parameter that an unknown rater has instead of the raters' average."""
    unknown_raters: str = ""
    """Why ``predict`` cannot take raters unknown to the fit; empty if they count as average raters."""
    shares: Callable[[Task, Array], Array] | None = None
    """(item, label): the source of the certainty, if it is not the posterior."""
    undecided: Callable[[Task, Array], Array] | None = None
    """(item,): which items remain undecided although raters labelled them."""
    certainty: str = "probability"
    """The name of the certainty of a label."""
    foretell: Callable[[Task, Params, Votes], Array] | None = None
    """(cell,): how probable each label of other votes on the same items is, if it does not follow from the true label alone."""
    rank: float = 9.0
    """How much a model has to learn, for choosing the simpler of two that predict equally well."""
    ordered: bool = False
    """Whether the model needs labels in an order."""
    bootstrap_holds: int | None = None
    """In how many of 100 simulated cases 95 % bootstrap intervals covered the truth, if these are too few (benchmarks/model_coverage.py)."""
    least_labels: int = 0
    """Raters with fewer labels than this are counted in a warning."""
    side_by_side: bool = False
    """Whether several fits can be made in one (:class:`raters.models.families.task.Beside`)."""
    overconfident: bool = False
    """Whether posteriors are too close to 0 and 1 if raters gave few labels for each cell of a matrix."""

    @property
    def likelihood(self) -> bool:
        """Whether the model gives the probability of each label of a rater, given a true label."""
        return not isinstance(self.cells, str)

    def posterior(self, expected: Any) -> Array:
        """The expected truth as a result stores it; for numbers, (item, 2) means and standard deviations."""
        return np.stack([expected[0], np.sqrt(expected[1])], -1) if self.numbers else expected

    def expected(self, posterior: Array) -> Any:
        """The inverse of ``posterior``."""
        return (posterior[:, 0], posterior[:, 1] ** 2) if self.numbers else posterior


@dataclass(frozen=True)
class Problem:
    """A model and its task: what the loop runs."""

    model: Model
    task: Task

    def expect(self, params: Params) -> tuple[Any, float]:
        return self.model.expect(self.task, params)

    @property
    def within(self) -> Callable[[Params], tuple[Any, float]] | None:
        """The E step inside the loop, if it is another than ``expect``."""
        step = self._em.within
        return None if step is None else lambda params: step(self.task, params)

    def maximise(self, expected: Any, params: Params | None = None) -> Params:
        return self._em.maximise(self.task, expected, params)

    def penalty(self, params: Params) -> float:
        return self._em.penalty(self.task, params)

    def cells(self, params: Params, votes: Votes) -> Array:
        return had(self.model.cells)(params, votes)

    def confusion(self, params: Params) -> Array:
        return had(self.model.confusion)(self.task, params)

    @property
    def _em(self) -> EM:
        if not isinstance(self.model.method, EM):
            raise UsageError(f"{self.model.name!r} is not fitted iteratively.")
        return self.model.method


def had(what: T | str) -> T:
    """The function in a row, or an error with the row's sentence that says why there is none."""
    if isinstance(what, str):
        raise UsageError(what)
    return what


def of_items(params: Params, at: Any, by_item: tuple[str, ...]) -> Params:
    """The parameters restricted to these items."""
    return {**params, **{name: params[name][at] for name in by_item}} if by_item else params
