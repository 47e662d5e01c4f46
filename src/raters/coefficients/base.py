"""The components of coefficients: sums over weighted items, and observed and expected agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError
from raters.items import Lifted, Place, by_group
from raters.notes.note import Note
from raters.scales import Kernel

Array = NDArray[Any]
FULL_BY_CHANCE = Note("full_by_chance")


@dataclass(frozen=True)
class Parts:
    """Observed and expected agreement (or disagreement), one for every row of weights."""

    observed: Array
    expected: Array
    perfect: float
    unit: float = 1.0
    mean: Array | None = None
    """The value if it is not computed from these parts: a mean of coefficients, or a ratio of areas."""
    skipped: Array | None = None
    """Number of undefined coefficients that are excluded from the mean."""

    @property
    def value(self) -> Array:
        """(observed - expected) / (perfect - expected); nan if expected agreement is perfect."""
        if self.mean is not None:
            return self.mean
        room = self.perfect - self.expected
        empty = np.abs(np.real(room)) <= 1e-13 * self.unit
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(empty, np.nan, (self.observed - self.expected) / np.where(empty, 1, room))


class Sums:
    """Sums over items by name, each ``(..., size)`` or ``(...,)``: a view of one flat array."""

    def __init__(
        self, flat: Array, layout: Mapping[str, slice | int], places: Mapping[str, Place] | None = None
    ) -> None:
        self._flat, self._layout, self.places = flat, layout, places or {}

    def __getattr__(self, name: str) -> Array:
        found = self.occurring(name)
        return self.places[name].whole(found) if name in self.places else found

    def occurring(self, name: str) -> Array:
        """The same without the columns that never occur, if ``places`` has their place."""
        try:
            return np.asarray(self._flat[..., self._layout[name]])
        except KeyError:
            raise AttributeError(name) from None


def safe_divide(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator; nan if the denominator is 0."""
    empty = np.real(denominator) == 0
    return np.where(empty, np.nan, numerator / np.where(empty, 1, denominator))


def _scaled(rows: Any, by: Array) -> Any:
    return sparse.diags_array(by) @ rows if sparse.issparse(rows) else rows * by[:, None]


def _inverse(r: Array) -> Array:
    return np.where(r > 0, 1 / np.maximum(r, 1), 0.0)


def _labels(x: Lifted, scaled: bool = True) -> Any:
    """Label counts, or shares, of items, whatever the features of the kernel are."""
    if x.items.moments is not None:
        raise UsageError(
            "this coefficient counts labels, but there are too many distinct values; use krippendorff or iota."
        )
    if x.kernel.features is None:
        return _scaled(x.sums, _inverse(x.r)) if scaled else x.sums
    items = x.items.merged()
    return _scaled(items.counts, _inverse(items.per_item)) if scaled else items.counts


TERMS: Mapping[str, Callable[[Lifted], Any]] = {
    # one number for each item
    "labelled": lambda x: (x.r >= 1).astype(float),
    "paired": lambda x: (x.r >= 2).astype(float),
    "agree": lambda x: np.where(x.r >= 2, x.pair / np.maximum(x.r * (x.r - 1), 1), 0.0),
    "annotations": lambda x: x.r,
    "pair_labels": lambda x: np.where(x.r >= 2, x.items.per_item, 0.0),
    "pair_labels_agree": lambda x: np.where(x.r >= 2, x.items.per_item * x.pair / np.maximum(x.r * (x.r - 1), 1), 0.0),
    "pairings": lambda x: x.r * (x.r - 1),
    "pairings_agree": lambda x: np.where(x.r >= 2, x.pair, 0.0),
    "pairable_n": lambda x: np.where(x.r >= 2, x.r, 0.0),
    "pairable_agree": lambda x: np.where(x.r >= 2, x.pair / np.maximum(x.r - 1, 1), 0.0),
    "pairable_own": lambda x: np.where(x.r >= 2, x.own, 0.0),
    # one number for each item and feature (label)
    "shares": lambda x: _scaled(x.sums, _inverse(x.r)),
    "label_shares": _labels,
    "pooled": lambda x: x.sums,
    "label_pooled": lambda x: _labels(x, scaled=False),
    "pairable": lambda x: _scaled(x.sums, (x.r >= 2).astype(float)),
    # one number for each item, group and feature
    "by_group": lambda x: by_group(x.items, x.kernel),
    "group_n": lambda x: x.items.per_group,
}
"""What an item adds to each sum. A coefficient names those that it needs, and may define its own."""

Function = Callable[[Sums, Kernel, int], Parts]
"""From sums over items, the kernel and the number of labels to observed, expected and value."""


@dataclass(frozen=True)
class Coefficient:
    """A row of the registry: a pure function of sums over items, what it needs, and every fact about it."""

    name: str
    title: str
    function: Function
    terms: tuple[str, ...]
    """The sums that the function takes, each a name of ``TERMS`` or of ``own_terms``."""
    paper: str
    synonyms: tuple[str, ...] = ()
    """Other names that people use."""
    bibtex: str = ""
    own_terms: Mapping[str, Callable[[Lifted], Any]] = field(default_factory=dict, hash=False)
    """Sums that no other coefficient uses, in the form of ``TERMS``."""

    between_groups: bool = False
    """Whether only labels of different groups (raters) are compared; otherwise every label with every other."""
    exactly: int | None = None
    """The number of groups, if it is fixed."""
    instead: str = ""
    """What to use if there are more groups."""
    enters: int = 1
    """An item counts if it has at least this many labels, or labels of this many groups."""
    same_for_two: str | None = None
    """The coefficient that it equals if two raters labelled all items."""
    against_others: str | None = None
    """The coefficient that replaces it when one rater is compared with all others together."""
    irr: bool = False
    """Whether it can measure agreement within a pool when pools are compared (xRR): it accepts any distance."""

    usual: str = ""
    """The place in a short table that it fills; the first that applies fills it."""
    weighted_title: str = ""
    """Its name if labels are weighted; the same name if empty."""
    weighs_by_scale: bool = True
    """Whether it uses the scale's weights in a table of all coefficients; otherwise it weights labels only on
    request.
    """
    by_scale: bool = False
    """Whether the scale determines the distance, unless weights are given."""
    mid_ranks: bool = False
    """Whether it compares mid-ranks on ordinal scales, as ordinal alpha does."""
    takes_distance: bool = True
    """Whether it accepts a distance; otherwise it needs agreement between 0 and 1."""
    by_band: bool = False
    """Weights must depend on the distance of two labels in positions, whatever their values."""
    counts_labels: bool = False
    """Whether chance agreement depends on the number of possible labels."""
    pooled: tuple[Function, tuple[str, ...]] | None = None
    """The form and its sums with ``margins="pooled"``: every annotation has equal weight, rather than every item."""

    beyond_chance: bool = True
    """Whether 0 means chance agreement, so that the bands and axes for agreement beyond chance apply."""
    from_parts: bool = True
    """The value is (observed - expected) / (perfect - expected), or a mean of such values: a single item then also has
    a value.
    """
    one_label: int | None = None
    """If all labels are the same, it is 1 if the scale has at least this many labels; None means that it is
    undefined.
    """
    undefined: Note = FULL_BY_CHANCE
    """Why it has no value on items that can be compared."""
    lowest: float = -1.0

    irrcac: bool = True
    """Whether irrCAC defines a standard error for it (``se="gwet"``)."""
    large_sample: Function | None = None
    """The form that irrCAC's standard error linearises, if it is a different one."""
    slope: Callable[[Sums, Kernel, int], Mapping[str, Array]] | None = None
    """The derivative of the value by each sum in closed form, for very many sums; otherwise it is found by complex
    steps.
    """

    def term(self, name: str) -> Callable[[Lifted], Any]:
        """What an item adds to a sum."""
        return self.own_terms.get(name) or TERMS[name]
