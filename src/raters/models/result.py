"""Consensus: the fit of an annotation model and all that can be done with it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Unpack

from raters.estimate import frame
from raters.models.fitted_model import FittedModel
from raters.models.uses import new_data, sheets, store
from raters.models.uses.summary import summary
from raters.models.uses.why import Why, why
from raters.tables import Reading, Source, table, takes_tables


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
        """The posterior of new items under these raters, nothing fitted anew; unknown raters count as average ones."""
        return self.of(new_data.predict(self, table(ann)))

    @takes_tables("ann")
    def update(self, ann: Source, **reading: Unpack[Reading]) -> Consensus:
        """The fit of these annotations and more, from where this one stood."""
        return self.of(new_data.update(self, table(ann)))

    def to_columns(self, *, soft: bool = True) -> dict[str, list[Any]]:
        """One row for each item: its label, certainty, number of labels, and with ``soft`` the whole posterior."""
        return sheets.columns(self, soft=soft)

    def to_frame(self) -> Any:
        """``to_columns`` as a pandas (else polars) dataframe."""
        return frame(self.to_columns())

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Everything to one file (numpy's ``.npz``, no pickles); :func:`raters.models.load` reads it."""
        store.save(self, path, force=force)

    def __str__(self) -> str:
        return "\n".join(summary(self))


def load(path: str | PathLike[str]) -> Consensus:
    """A fit that was saved."""
    return Consensus.of(store.load(path))
