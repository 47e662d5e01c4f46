"""Consensus: the fit of an annotation model, and everything that can be done with it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from html import escape
from os import PathLike
from typing import Any

from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.charts.of_results import certainty_chart, confusion_chart
from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, frame, jsonable
from raters.io.any_table import Source, table
from raters.models import saved
from raters.models.base.fit import FittedModel, noted
from raters.models.base.votes import Votes
from raters.models.choosing.auto import AUTO, auto
from raters.models.choosing.stacked import by_matrices
from raters.models.families.spec import Vote
from raters.models.fitting.checks import check_known, check_numbers
from raters.models.fitting.fit import fit
from raters.models.follow_up import sheets
from raters.models.follow_up.training import training
from raters.models.follow_up.why import Why, summary, why
from raters.models.held_out.power import check_tempering, with_tempering
from raters.models.uncertainty.bootstrap import DRAW
from raters.models.uncertainty.sampling import labellings
from raters.notes.note import Note, in_json
from raters.options import asks

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class Consensus(FittedModel):
    """The fit of an annotation model; made by :func:`raters.consensus`.

    >>> import raters
    >>> c = raters.consensus(raters.examples.demo())
    >>> c.labels["review 001"], c.posterior.shape
    ('negative', (200, 3))
    """

    labelled: Annotations | None = field(default=None, repr=False, compare=False)
    """The table that was fitted; None for votes, and for a fit that was loaded."""

    @classmethod
    def of(cls, fit: FittedModel, labelled: Annotations | None = None) -> Consensus:
        """The same fit with its uses."""
        return cls(**{f.name: getattr(fit, f.name) for f in fields(FittedModel)}, labelled=labelled)

    def why(self, item: Any) -> Why:
        """Each rater's contribution to the log posterior of an item."""
        return why(self, item)

    @asks()
    def predict(self, ann: Source) -> Consensus:
        """The posterior of new items given these raters, without refitting; unknown raters count as average."""
        return self.of(saved.predict(self, table(ann)))

    @asks()
    def update(self, ann: Source) -> Consensus:
        """Fit these annotations together with new ones, starting from this fit."""
        return self.of(saved.update(self, table(ann)))

    @asks()
    def sample(self, n: int = 1, *, seed: int = 0) -> Array:
        """(n, item): whole labellings drawn from the posterior, for training or imputation; None if an item has no
        label.

        >>> import raters
        >>> raters.consensus(raters.examples.demo()).sample(3).shape
        (3, 200)
        """
        return labellings(self, n, seed)

    def to_columns(self, *, soft: bool = True) -> dict[str, list[Any]]:
        """One row for each item: its label, certainty, number of labels, and with ``soft`` the whole posterior."""
        return sheets.columns(self, soft=soft)

    def to_frame(self, *, soft: bool | None = None) -> Any:
        """``to_columns`` as a pandas (else polars) dataframe; with ``soft``, the training file that ``raters consensus
        -o gold.parquet`` writes: the item's own column and those that belong to the item, label, probability, weight,
        and if true the share of each label.
        """
        if soft is None:
            return frame(self.to_columns())
        if self.labelled is None:
            raise UsageError("this fit was loaded or made from votes, so the columns of its table are not known.")
        return frame(training(self.labelled, self, soft=soft))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values: items with their labels, and raters with their estimated parameters."""
        columns = self.to_columns(soft=False)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        about = {"model": self.model, "labels": list(self.label_names), "raters": list(self.raters)}
        found = {"prevalence": self.prevalence.tolist(), "converged": self.converged, **in_json(self.notes)}
        return {"schema": SCHEMA, **jsonable(about), **jsonable(found), "items": jsonable(rows)}

    def plot(self, rater: Any = None) -> Any:
        """How settled the items are, or with ``rater=`` how that rater labels given the truth, as an Altair chart."""
        if rater is None:
            return certainty_chart(self.certainty.tolist()).altair()
        names = list(self.raters)
        at = next((i for i, name in enumerate(names) if name == rater or str(name) == str(rater)), None)
        if at is None:
            raise UsageError(f"no rater {rater!r}; there are {listed(names)}.")
        caption = f"How {names[at]} labels an item, given its true label."
        shares = self.confusion[at].tolist()
        chart = confusion_chart(self.label_names, shares, caption, row="true label", column="label given")
        return chart.altair()

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in summary(self))

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Save everything to one file (numpy's ``.npz``, without pickles); :func:`raters.models.load` reads it."""
        saved.save(self, path, force=force)

    def __str__(self) -> str:
        return "\n".join(summary(self))


@asks()
def load(path: str | PathLike[str]) -> Consensus:
    """Load a consensus that was saved with ``Consensus.save``.

    >>> import tempfile
    >>> import raters
    >>> c = raters.consensus(raters.examples.demo(), "majority")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     c.save(f"{folder}/fit.npz")
    ...     load(f"{folder}/fit.npz").labels == c.labels
    True
    """
    return Consensus.of(saved.load(path))


def fit_one(
    ann: Annotations | Votes,
    model: str = AUTO,
    *,
    ties: str = "split",
    uncertainty: str | None = None,
    draws: int | None = None,
    tempering: float | str | None = None,
    **options: Any,
) -> Consensus:
    """The result of :func:`raters.consensus` for one task."""
    check_known("uncertainty", uncertainty, (None, *DRAW))
    check_numbers(draws=(draws, 1))
    check_tempering(tempering)
    if model == AUTO:
        found = auto(ann, ties=ties, drawn=uncertainty == "posterior", **options)
    else:
        found = fit(ann, model, ties=ties, **options)
    if ties != "split" and not isinstance(found.definition.method, Vote):
        found = noted(found, Note("ties_unused", {"ties": ties, "model": found.model}))
    if (asked := options.get("prevalence")) and (isinstance(found.definition.method, Vote) or found.numeric):
        found = noted(found, Note("prevalence_unused", {"prevalence": asked, "model": found.model}))
    found = with_tempering(found, tempering)
    if uncertainty is not None:
        drawn = DRAW[uncertainty](by_matrices(found), draws, int(options.get("seed", 0)))
        found = noted(replace(found, uncertainty=drawn), *drawn.notes)
    return Consensus.of(found, None if isinstance(ann, Votes) else ann)
