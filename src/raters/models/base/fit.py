"""The result of a fit: the label of each item, how settled it is, and how each rater errs. :class:`Consensus` adds
the uses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, brief, listed
from raters.models.base.probabilities import bits, expected_counts, limits, stated, tails, winners
from raters.models.base.votes import Votes
from raters.models.families.registry import model_named, require_room
from raters.models.families.spec import Model, Settings, Task, had
from raters.notes.note import Note

Array = NDArray[Any]


@dataclass(frozen=True)
class Draws:
    """Draws of the parameters, and what they imply for the items."""

    method: str
    """``posterior`` or ``bootstrap``."""
    values: Mapping[str, Array]
    """Name -> (draw, ...): ``prevalence``, ``confusion`` and the model's own parameters."""
    posterior: Array | None = None
    """(item, label): probabilities that include the uncertainty about raters; for numbers (item, 2), mean and standard
    deviation.
    """
    rhat: Mapping[str, Array] = field(default_factory=dict)
    """Split R-hat after the chains' labels were matched; above 1.05, the chains do not agree."""
    ess: Mapping[str, Array] = field(default_factory=dict)
    """Effective sample size."""
    matched: int = 0
    """Chains whose labels were switched, and realigned before the chains were compared."""
    notes: tuple[Note, ...] = ()

    def interval(self, name: str, level: float = 0.95) -> tuple[Array, Array]:
        """Equal-tailed limits of a parameter."""
        if name not in self.values:
            raise UsageError(f"no draws of {name!r}; there are draws of {listed(self.values)}.")
        low, high = np.quantile(self.values[name], tails(level), axis=0)
        return low, high


@dataclass(frozen=True)
class Start:
    """One start of the loop and where it ended."""

    name: str
    objective: float
    log_likelihood: float
    iterations: int
    converged: bool
    reason: str
    items_differ: int
    """Items whose label differs from that of the start that was kept."""


@dataclass(frozen=True)
class HardItems:
    """Items on which labels do not depend on the truth: as held-out labels favour them, or ``assumed`` if items have
    too few labels.
    """

    habit: float
    """The share of items that raters label by habit, whatever the truth."""
    own: float
    """The share of items that divide or mislead raters, each with its own label shares."""
    strength: float = 1.0
    """How similar the label shares of the latter are, as a number of labels."""
    assumed: bool = False


@dataclass(frozen=True)
class Mixture:
    """Several predictive models of an item's labels, and how much each of them counts."""

    models: tuple[str, ...]
    weights: Array
    """(model,): how well they predict whole held-out items; sums to 1."""
    shares: Array
    """(item, model): the weights, given the item's labels."""
    ease: Array
    """(item,): how far labels depend on what is true of the item; the rest is habit."""
    wins: Array
    """(item, label): the probability that a label would win a very large vote of such raters."""
    chance: float
    """The probability that all agreement is chance."""
    gain: float
    """How much better than the vote it predicts held-out items, in nats for each label."""
    part: int = 0
    """The items from which the weights come; 0 for all."""
    copied: tuple[tuple[int, int, float, int], ...] = ()
    """Two raters, the share of labels that one copied, and the items that both labelled."""


@dataclass(frozen=True)
class Choice:
    """Which model was chosen, and why."""

    model: str
    why: str
    """The reason in a sentence or two."""


@dataclass(frozen=True)
class FittedModel:
    """The data of a fit and what follows from them; users hold it as :class:`Consensus`, which adds the uses."""

    model: str
    votes: Votes
    posterior: Array
    """(item, label): probabilities; for ``gaussian`` (item, 2): mean and standard deviation."""
    params: Mapping[str, Array]
    """The model's own parameters, by name."""
    trace: tuple[float, ...] = ()
    """The objective after each iteration of the start that was kept."""
    log_likelihoods: tuple[float, ...] = ()
    start: str = ""
    starts: tuple[Start, ...] = ()
    converged: bool = True
    reason: str = ""
    gold: Array | None = None
    """(item,): codes of gold labels (values for ``gaussian``), -1 (nan) for none."""
    settings: Settings = field(default_factory=Settings)
    uncertainty: Draws | None = None
    notes: tuple[Note, ...] = ()
    power: float = 1.0
    """The weight of a label in the posterior: below 1 if held-out labels show that raters make the same errors."""
    decided: Array | None = None
    """(item,): codes of the labels if the posterior does not decide them, as for a vote whose posterior says how
    settled it is.
    """
    choice: Choice | None = None
    """Why this model, if it was chosen from the data."""
    hard: HardItems | None = None
    """Hard items that the posterior allows for, if held-out labels show that there are some."""
    mixture: Mixture | None = None
    """What was mixed, in a fit of ``auto``."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes in sentences."""
        return tuple(map(str, self.notes))

    @property
    def items(self) -> tuple[Any, ...]:
        return self.votes.items

    @property
    def raters(self) -> tuple[Any, ...]:
        return self.votes.raters

    @property
    def label_names(self) -> tuple[Any, ...]:
        """The columns of the posterior."""
        return ("mean", "sd") if self.numeric else self.votes.labels

    @cached_property
    def definition(self) -> Model:
        """The model's row in the registry."""
        return model_named(self.model)

    @property
    def numeric(self) -> bool:
        """Whether the truth is a number."""
        return self.definition.numbers

    @cached_property
    def task(self) -> Task:
        """The votes with the options of the fit."""
        return Task.of(self.votes, self.gold, self.settings)

    @cached_property
    def codes(self) -> Array:
        """(item,): the code of the label, -1 if an item has none."""
        if self.numeric:
            raise UsageError(f"a {self.model} consensus has numbers, not labels; see .posterior.")
        best = self.posterior.argmax(1) if self.decided is None else self.decided.copy()
        best[~self._labelled] = -1
        if self.definition.undecided is not None and self.decided is None:
            best[self.definition.undecided(self.task, self.posterior)] = -1
        return np.asarray(best)

    @property
    def _labelled(self) -> Array:
        known = self.votes.per_item > 0
        if self.gold is not None:
            known = known | (np.isfinite(self.gold) if self.numeric else self.gold >= 0)
        return np.asarray(known)

    @cached_property
    def labels(self) -> dict[Any, Any]:
        """Item -> label; None if an item has no labels, or a tied vote abstains."""
        if self.numeric:
            means = self.posterior[:, 0].tolist()
            return {x: m if k else None for x, m, k in zip(self.items, means, self._labelled.tolist(), strict=True)}
        names = (*self.votes.labels, None)  # code -1 is the last
        return {item: names[code] for item, code in zip(self.items, self.codes.tolist(), strict=True)}

    @cached_property
    def certainty(self) -> Array:
        """(item,): how settled the label is if held-out labels had a say, as in ``auto``; else its probability under
        the model as published, at most .9999, or its share in a plain vote.
        """
        if self.numeric:
            raise UsageError(f"a {self.model} consensus has a standard deviation for each item; see .posterior[:, 1].")
        sure = np.where(self._labelled, self._shares.max(1), np.nan)
        if self.decided is not None:
            sure = np.where(self.codes >= 0, self.posterior[np.arange(len(sure)), np.maximum(self.codes, 0)], np.nan)
        plain = self.decided is None and not self.definition.likelihood
        return sure if plain else stated(sure, self.gold, self.votes.per_item, self.votes.n_labels)

    @cached_property
    def wins(self) -> Array:
        """(item, label): the probability that a label would win a very large vote of such raters; ``posterior`` is the
        probability that it is true under the model. The two differ where raters share an error.
        """
        if self.mixture is not None:
            return self.mixture.wins
        if self.numeric or self.decided is None:
            raise UsageError(f"only model='auto' says which label would win a very large vote; this is {self.model!r}.")
        return self.posterior

    @cached_property
    def entropy(self) -> Array:
        """(item,): entropy of the posterior, in bits."""
        if self.numeric:
            raise UsageError(f"a {self.model} consensus has a standard deviation for each item; see .posterior[:, 1].")
        return bits(self._shares)

    @property
    def _shares(self) -> Array:
        """(item, label): the source of the certainty: for a vote, its shares, since its posterior is the winner."""
        if self.definition.shares is None or self.decided is not None:
            return self.posterior
        return self.definition.shares(self.task, self.posterior)

    @property
    def _truth(self) -> Array:
        """(item, label): what raters are compared with: the posterior, or the winner of a vote whose posterior is its
        shares.
        """
        return self.posterior if self.definition.likelihood or self.decided is not None else winners(self.posterior)

    @cached_property
    def prevalence(self) -> Array:
        """(label,): the share of each label among the items."""
        if "prevalence" in self.params:
            return self.params["prevalence"]
        return np.empty(0) if self.numeric else np.asarray(self._truth[self._labelled].mean(0))

    @cached_property
    def confusion(self) -> Array:
        """(rater, true label, given label): how each rater labels, given the truth; rows sum to 1."""
        made = had(self.definition.confusion)
        require_room(
            self.votes, "a confusion matrix for every rater", "The model's parameters for each rater are in .params."
        )
        return np.asarray(made(self.task, self.params))

    @cached_property
    def expected_counts(self) -> Array:
        """(rater, true label, given label): how often each label was given for each truth, in expectation."""
        return expected_counts(self.votes, self._truth * self._labelled[:, None])

    @cached_property
    def accuracy(self) -> Array:
        """(rater,): the probability that a label is right, for items distributed by the prevalence."""
        return np.asarray(np.einsum("k,rkk->r", self.prevalence, self.confusion))

    def confusion_interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper limits of the matrices: from the draws if there are any (``uncertainty=``), otherwise Beta
        quantiles of the expected counts, which are too narrow if items are uncertain.
        """
        had(self.definition.confusion)
        if self.uncertainty is not None:
            return self.uncertainty.interval("confusion", level)
        return limits(self.expected_counts + 1 + self.settings.smoothing, level)

    @property
    def objective(self) -> float:
        return self.trace[-1] if self.trace else math.nan

    @property
    def log_likelihood(self) -> float:
        return self.log_likelihoods[-1] if self.log_likelihoods else math.nan

    @property
    def modes(self) -> int:
        """How many different modes the starts reached (objectives that differ by more than .01)."""
        found = sorted(s.objective for s in self.starts)
        return sum(1 for i, x in enumerate(found) if i == 0 or x - found[i - 1] > 0.01)

    def where(self, item: Any) -> int:
        """The row of an item."""
        if (at := self._rows.get(item)) is None:
            raise UsageError(f"no item {brief(item)}; items are like {brief(self.items[0])}.")
        return at

    @cached_property
    def _rows(self) -> dict[Any, int]:
        return {item: i for i, item in enumerate(self.items)}

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: the result of the fit; derived values are computed again, and the table stays where it is."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.compare}

    def __repr__(self) -> str:
        v, kind = self.votes, type(self).__name__
        return f"<{kind} {self.model}: {v.n_items:,} items, {v.n_raters:,} raters, {v.n_annotations:,} annotations>"


def noted(c: FittedModel, *more: Note) -> FittedModel:
    """The fit with more notes."""
    return replace(c, notes=(*c.notes, *more))
