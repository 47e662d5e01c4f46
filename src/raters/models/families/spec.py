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
from raters.models.base.probabilities import Params, log
from raters.models.base.votes import Votes
from raters.notes.note import Note

Array = NDArray[Any]


@dataclass(frozen=True)
class Settings:
    """The options of a fit that another fit needs."""

    smoothing: float = 0.01
    uniform: bool = False
    ties: str = "split"
    seed: int = 0
    priors: Mapping[Any, Array] = field(default_factory=dict)
    """Rater -> (true label, given label): counts from elsewhere; ``PREVALENCE`` -> (label,): items of each label."""
    held_out: bool = False
    """Whether a model that the user named was adjusted to held-out labels."""
    alike: float = 1.0
    """For numbers: the labels by which the variance of a rater is pulled to the common one."""
    weighted: bool = False
    """Whether the user gave the weight of a label, so that held-out labels have no say in it."""


PREVALENCE = "prevalence"
"""The key of counts of labels among the priors; a matrix under this key belongs to a rater of this name."""


@dataclass(frozen=True)
class Task:
    """The votes, and what else a model needs to know."""

    votes: Votes
    gold: Array | None = None
    """(item,): codes of gold labels, -1 for none; if the truth is a number, values, with nan for none."""
    smoothing: float = 0.01
    """Added to every count in the M step."""
    prior: Array | None = None
    """(rater, true label, given label): counts from elsewhere."""
    uniform: bool = False
    """Whether prevalence is fixed to be equal over labels."""
    ties: str = "split"
    """How a vote breaks ties."""
    seed: int = 0
    prior_items: Array | None = None
    """(label,): items of each label from elsewhere."""
    alike: float = 1.0
    """For numbers: the labels by which the variance of a rater is pulled to the common one."""

    @classmethod
    def of(cls, votes: Votes, gold: Array | None, settings: Settings) -> Task:
        s = settings
        return cls(votes, gold, s.smoothing, prior_counts(votes, s), s.uniform, s.ties, s.seed, prior_items(s), s.alike)

    def prevalence(self, q: Array) -> Array:
        """(label,): shares of the labels among items that have one from raters or from gold."""
        v, k = self.votes, self.votes.n_labels
        if self.uniform:
            return np.full(k, 1 / k)
        seen = q
        if not v.all_labelled:
            known = v.per_item > 0 if self.gold is None else (v.per_item > 0) | (self.gold >= 0)
            seen = q * known[:, None]
        total = v.weighted_items(seen).sum(0) + self.prevalence_counts
        return np.asarray(total / total.sum(-1, keepdims=True))

    def prevalence_penalty(self, params: Params) -> Any:
        """The log density of the prior of the prevalence, up to a constant."""
        before = self.prevalence_counts
        if self.uniform or not before.any():
            return 0.0
        return (before * log(params["prevalence"])).sum(-1)

    @property
    def prevalence_counts(self) -> Array:
        """(label,): what is added to the item count of each label: smoothing, and items from elsewhere."""
        before = np.full(self.votes.n_labels, float(self.smoothing))
        return before if self.prior_items is None else before + self.prior_items


def prior_counts(votes: Votes, settings: Settings) -> Array | None:
    """(rater, true label, given label): counts from elsewhere for the raters of these votes."""
    if not settings.priors:
        return None
    k = votes.n_labels
    counts = np.zeros((votes.n_raters, k, k))
    for at, rater in enumerate(votes.raters):
        if rater in settings.priors and settings.priors[rater].ndim == 2:
            counts[at] = settings.priors[rater]
    return counts if counts.any() else None


def prior_items(settings: Settings) -> Array | None:
    """(label,): items of each label from elsewhere."""
    found = settings.priors.get(PREVALENCE)
    return found if found is not None and found.ndim == 1 else None


Rng = np.random.Generator
ACCEPTED = 0.44
"""The acceptance rate that is best for a random walk in one dimension (Gelman, Roberts & Gilks 1996)."""


@dataclass
class Steps:
    """Widths of proposals by name, on the log scale; they change only while ``learning``."""

    learning: bool = True
    turn: int = 0
    logs: dict[str, Array] = field(default_factory=dict)

    def width(self, name: str, shape: tuple[int, ...]) -> Array:
        return np.asarray(np.exp(self.logs.setdefault(name, np.zeros(shape))))

    def learn(self, name: str, accepted: Array) -> None:
        if self.learning:
            self.logs[name] = self.logs[name] + (accepted - ACCEPTED) * 3 / np.sqrt(self.turn + 1)


Redraw = Callable[[Task, Array, Params, Rng, Steps], dict[str, Array]]
"""From (item,) codes of the truth and the last parameters to new ones, except prevalence."""


def never(n_labels: int) -> bool:
    return False


@dataclass(frozen=True)
class Sampler:
    """How to sample from a model: the truth given the parameters, then the parameters given the truth, alternately."""

    redraw: Redraw
    sweeps: int = 1
    """Sweeps for each draw that is kept; more than one if successive draws are highly correlated."""
    exchanges: Callable[[int], bool] = never
    """Whether chains may switch true labels, given the number of labels; they are then matched with the fit's."""
    expect: Callable[[Task, Params], tuple[Any, float]] | None = None
    """The E step of the drawn parameters, if it differs from the fit's own."""
    begin: Callable[[Task, Params], Params] | None = None
    """From the parameters of the fit to those that are drawn, if they differ."""
    matrices: Callable[[Task, Array, Params, Rng], Array] | None = None
    """(rater, true label, given label) from a draw of the truth and the parameters; None if they are among the
    parameters.
    """
    reported: Callable[[Task, Params], tuple[dict[str, Array], float]] | None = None
    """For numbers: the parameters as reported, and how far that shifts the truth."""


def walk(name: str, value: Array, density: Callable[[Array], Array], rng: Rng, steps: Steps) -> Array:
    """A Metropolis step for every element, each with a log density of its own."""
    to = value + steps.width(name, value.shape) * rng.standard_normal(value.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        accepted = np.log(rng.random(value.shape)) < density(to) - density(value)
    steps.learn(name, accepted)
    return np.where(accepted, to, value)


def counts(task: Task, truth: Array) -> Array:
    """(rater, true label, given label), earlier counts included."""
    v, k = task.votes, task.votes.n_labels
    at = (v.rater_of.astype(np.int64) * k + truth[v.item_of]) * k + v.label_of
    found = np.bincount(at, v.table.data, v.n_raters * k * k).reshape(v.n_raters, k, k)
    return found if task.prior is None else found + task.prior


def right(task: Task, truth: Array) -> Array:
    """(cell,): whether the label is the truth."""
    return np.asarray(task.votes.label_of == truth[task.votes.item_of])


T = TypeVar("T")


@dataclass(frozen=True)
class EM:
    """Fitted by expectation-maximisation; the E step is the model's ``expect``."""

    maximise: Callable[[Task, Any, Params | None], Params]
    """M step: parameters that raise the expected log-likelihood and the penalty together."""
    penalty: Callable[[Task, Params], float]
    """The log density of the prior, up to a constant."""
    start: Callable[[Task], Any] | None = None
    """The expected truth at the model's only start; None for the starts for labels (votes, majority, diagonal,
    random).
    """
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
    notes: Callable[[Task], tuple[Note, ...]] = lambda task: ()
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
    """Given the parameters: (item, label) posteriors (for numbers, mean and variance), and the log-likelihood of the
    labels.
    """
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
    """(cell,): how probable each label of other votes on the same items is, if it does not follow from the true label
    alone.
    """
    rank: float = 9.0
    """How much a model has to learn, for choosing the simpler of two that predict equally well."""
    ordered: bool = False
    """Whether the model needs labels in an order."""
    bootstrap_holds: int | None = None
    """In how many of 100 simulated cases 95 % bootstrap intervals covered the truth, if these are too few
    (benchmarks/model_coverage.py).
    """
    least_labels: int = 0
    """Raters with fewer labels than this are counted in a warning."""
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
