"""Consensus: which label each item has, how certain that is, and what each rater is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, brief
from raters.estimate import frame
from raters.models.entropy import bits
from raters.models.families.dawid_skene import expected_counts, limits, rows_to_one
from raters.models.votes import Votes

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.models.uncertainty.posterior_draws import Draws
    from raters.models.uses.why import Why

Array = NDArray[Any]


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
    """Items whose label is not the one of the start that was kept."""


@dataclass(frozen=True)
class Settings:
    """What a fit was asked for, as far as another fit needs it."""

    smoothing: float = 0.01
    uniform: bool = False
    ties: str = "split"
    seed: int = 0
    priors: Mapping[Any, Array] = field(default_factory=dict)
    """Rater -> (true label, given label): counts from elsewhere."""


@dataclass(frozen=True)
class Consensus:
    """The fit of an annotation model; made by :func:`raters.consensus`.

    >>> import raters
    >>> c = raters.consensus(raters.examples.demo())
    >>> c.labels["review 001"], c.posterior.shape
    ('negative', (200, 3))
    """

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
    settings: Settings = Settings()
    uncertainty: Draws | None = None
    warnings: tuple[str, ...] = ()

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

    @property
    def numeric(self) -> bool:
        """Whether the truth is a number."""
        return self.model == "gaussian"

    @cached_property
    def codes(self) -> Array:
        """(item,): the code of the label, -1 where an item has none."""
        if self.numeric:
            raise UsageError("a gaussian consensus has numbers, not labels; see .posterior.")
        best = self.posterior.argmax(1)
        best[~self._labelled] = -1
        if self.model == "majority" and self.settings.ties == "abstain":
            best[self.posterior.max(1) < 1 - 1e-9] = -1
        return np.asarray(best)

    @property
    def _labelled(self) -> Array:
        known = self.votes.per_item > 0
        if self.gold is not None:
            known = known | (np.isfinite(self.gold) if self.numeric else self.gold >= 0)
        return np.asarray(known)

    @cached_property
    def labels(self) -> dict[Any, Any]:
        """Item -> label; None where an item has no label of its own, or a tied vote abstains."""
        if self.numeric:
            means = self.posterior[:, 0].tolist()
            return {x: m if k else None for x, m, k in zip(self.items, means, self._labelled.tolist(), strict=True)}
        names = (*self.votes.labels, None)  # code -1 is the last
        return {item: names[code] for item, code in zip(self.items, self.codes.tolist(), strict=True)}

    @cached_property
    def certainty(self) -> Array:
        """(item,): the probability of the label; for a vote, its share of the votes; nan without a label."""
        if self.numeric:
            raise UsageError("a gaussian consensus has a standard deviation for each item; see .posterior[:, 1].")
        return np.asarray(np.where(self._labelled, self._shares.max(1), np.nan))

    @cached_property
    def entropy(self) -> Array:
        """(item,): bits of doubt left in the posterior."""
        if self.numeric:
            raise UsageError("a gaussian consensus has a standard deviation for each item; see .posterior[:, 1].")
        return bits(self._shares)

    @property
    def _shares(self) -> Array:
        """(item, label): the posterior; for a vote its shares, but for gold items, which are certain."""
        if self.model != "majority":
            return self.posterior
        if self.gold is None:
            return self.votes.shares()
        return np.where((self.gold >= 0)[:, None], self.posterior, self.votes.shares())

    @cached_property
    def prevalence(self) -> Array:
        """(label,): the share of each label among the items."""
        if "prevalence" in self.params:
            return self.params["prevalence"]
        if self.numeric:
            return np.empty(0)
        return np.asarray(self.posterior[self._labelled].mean(0))

    @cached_property
    def confusion(self) -> Array:
        """(rater, true label, given label): how each rater labels, given the truth; rows sum to 1."""
        if self.numeric:
            raise UsageError("a gaussian consensus has .params['bias'] and ['variance'] for each rater, no confusion.")
        from raters.models.families.registry import model_of, needs

        needs(self.votes, "a confusion matrix for every rater", "What the model knows of each rater is in .params.")
        made = model_of(self)
        if made is None:
            return rows_to_one(self.expected_counts + self.settings.smoothing)
        return np.asarray(made.confusion(self.params))

    @cached_property
    def expected_counts(self) -> Array:
        """(rater, true label, given label): how often each label was given for each truth, in expectation."""
        return expected_counts(self.votes, self.posterior * self._labelled[:, None])

    @cached_property
    def accuracy(self) -> Array:
        """(rater,): the probability that a label is right, for items as common as the prevalence says."""
        return np.asarray(np.einsum("k,rkk->r", self.prevalence, self.confusion))

    def confusion_interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper limits of the confusion matrices.

        From the draws where there are any (``uncertainty=``). Else by Beta quantiles of the expected counts, which hold
        the items' posteriors fixed and so are too narrow where these are in doubt.
        """
        if self.numeric:
            raise UsageError("a gaussian consensus has no confusion; uncertainty='posterior' draws bias and variance.")
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
        """How many different ends the starts reached (objectives that differ by more than .01)."""
        found = sorted(s.objective for s in self.starts)
        return sum(1 for i, x in enumerate(found) if i == 0 or x - found[i - 1] > 0.01)

    def where(self, item: Any) -> int:
        """The row of an item."""
        at = self._rows.get(item)
        if at is None:
            raise UsageError(f"no item {brief(item)}; items are like {brief(self.items[0])}.")
        return at

    @cached_property
    def _rows(self) -> dict[Any, int]:
        return {item: i for i, item in enumerate(self.items)}

    def why(self, item: Any) -> Why:
        """Each rater's contribution to the log posterior of an item."""
        from raters.models.uses.why import why

        return why(self, item)

    def predict(self, ann: Annotations) -> Consensus:
        """The posterior of new items under these raters, nothing fitted anew; unknown raters count as average ones."""
        from raters.models.uses.new_data import predict

        return predict(self, ann)

    def update(self, ann: Annotations) -> Consensus:
        """The fit of these annotations and more, from where this one stood."""
        from raters.models.uses.new_data import update

        return update(self, ann)

    def to_columns(self, *, soft: bool = True) -> dict[str, list[Any]]:
        """One row for each item: its label, certainty, number of labels, and with ``soft`` the whole posterior."""
        from raters.models.sheets import columns

        return columns(self, soft=soft)

    def to_frame(self) -> Any:
        """``to_columns`` as a pandas (else polars) dataframe."""
        return frame(self.to_columns())

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Everything to one file (numpy's ``.npz``, no pickles); :func:`raters.models.load` reads it."""
        from raters.models.store import save

        save(self, path, force=force)

    def __repr__(self) -> str:
        v = self.votes
        return f"<Consensus {self.model}: {v.n_items:,} items, {v.n_raters:,} raters, {v.n_annotations:,} annotations>"

    def __str__(self) -> str:
        from raters.models.summary import summary

        return "\n".join(summary(self))
