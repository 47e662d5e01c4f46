"""Consensus: the fit of an annotation model, and everything that can be done with it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape
from os import PathLike
from typing import Any, Unpack

from numpy.typing import NDArray

from raters.charts.of_results import certainty_chart, confusion_chart
from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, frame, jsonable
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.models.fitted_model import FittedModel
from raters.models.uses import new_data, sheets, store
from raters.models.uses.labellings import labellings
from raters.models.uses.summary import summary
from raters.models.uses.why import Why, why
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

    @classmethod
    def of(cls, fit: FittedModel) -> Consensus:
        """The same fit with its uses."""
        return cls(**{f.name: getattr(fit, f.name) for f in fields(fit)})

    def why(self, item: Any) -> Why:
        """Each rater's contribution to the log posterior of an item."""
        return why(self, item)

    @takes_tables("ann")
    def predict(self, ann: Source, **reading: Unpack[Reading]) -> Consensus:
        """The posterior of new items given these raters, without refitting; unknown raters count as average."""
        return self.of(new_data.predict(self, table(ann)))

    @takes_tables("ann")
    def update(self, ann: Source, **reading: Unpack[Reading]) -> Consensus:
        """Fit these annotations together with new ones, starting from this fit."""
        return self.of(new_data.update(self, table(ann)))

    def sample(self, n: int = 1, *, seed: int = 0) -> Array:
        """(n, item): whole labellings drawn from the posterior, for training or imputation; None if an item has no label.

        >>> import raters
        >>> raters.consensus(raters.examples.demo()).sample(3).shape
        (3, 200)
        """
        return labellings(self, n, seed)

    def to_columns(self, *, soft: bool = True) -> dict[str, list[Any]]:
        """One row for each item: its label, certainty, number of labels, and with ``soft`` the whole posterior."""
        return sheets.columns(self, soft=soft)

    def to_frame(self) -> Any:
        """``to_columns`` as a pandas (else polars) dataframe."""
        return frame(self.to_columns())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values: items with their labels, and raters with their estimated parameters."""
        columns = self.to_columns(soft=False)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        about = {"model": self.model, "labels": list(self.label_names), "raters": list(self.raters)}
        found = {"prevalence": self.prevalence.tolist(), "converged": self.converged, "warnings": list(self.warnings)}
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
        store.save(self, path, force=force)

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
    return Consensus.of(store.load(path))
