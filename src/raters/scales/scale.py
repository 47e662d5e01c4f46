"""The scales of labels: one row for each, whose fields say what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from raters.errors import UsageError, listed

UNLESS_SAID: Mapping[str, Any] = {
    "categories": False,
    "ordered": False,
    "amounts": False,
    "turns": False,
    "zero": False,
    "of_sets": False,
    "thing": "label",
    "word": "label",
    "listed": "labels from a list",
    "distance": None,
    "weights": None,
    "aggregate": "majority",
    "similarity": "rmse",
}
"""The fields of a row that does not name them."""
_AMOUNTS = {"ordered": True, "amounts": True, "listed": "numbers", "aggregate": "mean"}


class Scale(StrEnum):
    """What the labels of a table are. Outside, a scale is its name; inside, code asks for a field and never for a name.

    >>> Scale("ordinal").ordered, Scale.ordinal == "ordinal", f"scale={Scale.ordinal!r}"
    (True, True, "scale='ordinal'")
    """

    nominal = "nominal", {"categories": True, "distance": "nominal", "similarity": "match"}
    ordinal = "ordinal", {"categories": True, "ordered": True, "aggregate": "median"}
    interval = "interval", {**_AMOUNTS, "distance": "interval", "weights": "quadratic"}
    ratio = "ratio", {**_AMOUNTS, "zero": True, "distance": "ratio", "weights": "ratio"}
    circular = (
        "circular",
        {"turns": True, "listed": "directions on a circle", "distance": "circular", "weights": "circular"},
    )
    sets = (
        "sets",
        {
            "of_sets": True,
            "thing": "label set",
            "word": "set",
            "listed": "sets of labels",
            "distance": "masi",
            "metric": "MASI distance between sets, Passonneau 2006",
            "weights": "masi",
            "similarity": "jaccard",
        },
    )

    categories: bool
    """Labels come from a short list, so that each has its own share, votes and row of a table."""
    ordered: bool
    """Labels lie on a line, from lowest to highest."""
    amounts: bool
    """Labels are numbers that have a mean and differences."""
    turns: bool
    """Labels are numbers on a circle, which has a period."""
    zero: bool
    """Labels are numbers above a true zero."""
    of_sets: bool
    """An annotation holds several labels."""
    thing: str
    """What one annotation is called."""
    word: str
    """The same where space is short."""
    listed: str
    """What all labels together are called."""
    metric: str
    """How alpha compares labels, as a methods section says it."""
    distance: str | None
    """The distance of Krippendorff's alpha; None if it depends on how often each label was given."""
    weights: str | None
    """The default weights of the kappas; None if labels are only equal or different there."""
    aggregate: str
    """How kRR aggregates the labels of an item."""
    similarity: str
    """How the alternative annotator test compares a label with another."""

    def __new__(cls, name: str, said: Mapping[str, Any] = UNLESS_SAID) -> Scale:
        row = str.__new__(cls, name)
        row._value_ = name
        vars(row).update({"metric": f"{name} metric", **UNLESS_SAID, **said})
        return row

    __repr__ = str.__repr__

    @classmethod
    def _missing_(cls, value: object) -> Scale:
        raise UsageError(f"scale={value!r} is not known. Use one of {listed([str(row) for row in cls])}.")

    @property
    def ranks(self) -> bool:
        """Labels have an order and no distances."""
        return self.ordered and not self.amounts

    @property
    def equality(self) -> bool:
        """Labels are only equal or different."""
        return self.categories and not self.ordered

    @property
    def numbers(self) -> bool:
        """Labels must be numbers."""
        return self.amounts or self.turns
