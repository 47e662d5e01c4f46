"""What a model is: one row of the registry, which carries every fact that the rest of the house asks for.

A model is a set of pure functions of a :class:`Task` and of parameters. What a model cannot do stands in its row as a
sentence that says why, so that nobody has to compare names.
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
    """What is expected at the only start; None: the starts for labels (votes, majority, diagonal, random)."""
    start_name: str = ""
    """What that only start is called."""
    tolerance: float = 0.0
    """The finest relative gain that is worth a further step, where steps are small."""


@dataclass(frozen=True)
class Vote:
    """Computed without a likelihood: the labels of an item are weighed and added up."""

    params: Callable[[Task], Params]
    """What is learned of the raters; nothing where every vote counts alike."""
    weigh: Callable[[Params, Votes], Array]
    """(cell,): what each label that was given counts for."""
    decide: Callable[[Array], Array]
    """From (item, label) sums of weights to (item, label) shares."""
    reason: str
    """How the result was reached, in a few words."""
    notes: Callable[[Task], tuple[str, ...]] = lambda task: ()
    """What a user should know of this result."""


@dataclass(frozen=True)
class Model:
    """A model and every fact about it. Fields that hold a text in place of a function say why there is none."""

    name: str
    title: str
    rater: str
    """What a rater is in this model."""
    reference: str
    method: EM | Vote
    """How the model is fitted or computed."""
    expect: Callable[[Task, Params], tuple[Any, float]]
    """Given the parameters: (item, label) posteriors (mean and variance of numbers), and the log-likelihood of the labels."""
    cells: Callable[[Params, Votes], Array] | str
    """(cell, true label): what each label that was given adds to the log posterior of its item."""
    confusion: Callable[[Task, Params], Array] | str
    """(rater, true label, given label)"""
    sampler: Sampler | str
    """How ``uncertainty="posterior"`` draws."""
    numbers: bool = False
    """Whether labels and truth are numbers."""
    uniform: bool = False
    """Whether prevalence is held equal over labels unless it is to be learned."""
    dense: bool = False
    """Whether the parameters are a full matrix for every rater."""
    takes_priors: bool = False
    """Whether counts from elsewhere can be used."""
    by_rater: tuple[str, ...] = ()
    """Parameters with one entry for each rater; none: the model learns nothing about raters."""
    by_item: tuple[str, ...] = ()
    """Parameters with one entry for each item."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """By-rater parameter -> the parameter that an unknown rater has instead of the raters' average."""
    unknown_raters: str = ""
    """Why ``predict`` cannot take raters whom the fit does not know; empty: they count as average ones."""
    shares: Callable[[Task, Array], Array] | None = None
    """(item, label): what certainty is read from, where it is not the posterior."""
    undecided: Callable[[Task, Array], Array] | None = None
    """(item,): which items stay without a label although they have some."""
    certainty: str = "probability"
    """What the certainty of a label is."""
    foretell: Callable[[Task, Params, Votes], Array] | None = None
    """(cell,): how probable each label of other votes on the same items is, where it does not follow from the true label alone."""
    rank: float = 9.0
    """How much a model has to learn, for choosing the simpler of two that predict equally well."""
    ordered: bool = False
    """Whether the model needs labels in an order."""
    bootstrap_holds: int | None = None
    """In how many of 100 simulated cases 95 % bootstrap intervals held the truth, where this is too few (benchmarks/model_coverage.py)."""
    least_labels: int = 0
    """Raters with fewer labels than this are mentioned in a warning."""
    overconfident: bool = False
    """Whether posteriors are too near 0 and 1 where raters gave few labels for each cell of a matrix."""

    @property
    def likelihood(self) -> bool:
        """Whether the model says how probable each label of a rater is, given a true label."""
        return not isinstance(self.cells, str)

    def posterior(self, expected: Any) -> Array:
        """What is expected of the truth as a result holds it: of numbers, (item, 2) means and standard deviations."""
        return np.stack([expected[0], np.sqrt(expected[1])], -1) if self.numbers else expected

    def expected(self, posterior: Array) -> Any:
        """The other way round."""
        return (posterior[:, 0], posterior[:, 1] ** 2) if self.numbers else posterior


@dataclass(frozen=True)
class Problem:
    """A model and its task: what the loop runs."""

    model: Model
    task: Task

    def expect(self, params: Params) -> tuple[Any, float]:
        return self.model.expect(self.task, params)

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
    """What a row offers, or an error with its sentence that says why there is none."""
    if isinstance(what, str):
        raise UsageError(what)
    return what


def of_items(params: Params, at: Any, by_item: tuple[str, ...]) -> Params:
    """The parameters for these items alone."""
    return {**params, **{name: params[name][at] for name in by_item}} if by_item else params
