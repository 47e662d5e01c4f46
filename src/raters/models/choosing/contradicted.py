"""Held-out labels against a model that overrules majorities: do they side with it as often as it expects, or with the
majority?
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel, HardItems
from raters.models.base.votes import Votes
from raters.models.choosing.choose import at_power
from raters.models.choosing.hard_items import foretold_with
from raters.models.choosing.held_out import Fold, chances, foretold
from raters.models.choosing.tempering import calibrated
from raters.notes.note import Note

Array = NDArray[Any]
LEAST_LABELS = 30
"""Held-out labels, on items whose majority is overruled, that it takes to contradict a model."""
BEYOND_CHANCE = 3.5
"""Standard errors, over items, by which they side with the model less often than it expects."""


@dataclass(frozen=True)
class Sides:
    """Held-out labels of items on which a model overrules the majority of the other labels."""

    labels: int
    with_model: float
    """The share of them that are the model's label."""
    expected: float
    """The share that the model expects."""
    with_majority: float
    z: float
    """How much less often than expected they side with the model rather than with the majority, in standard errors over
    items.
    """

    @property
    def against(self) -> bool:
        """Whether they contradict the model."""
        return self.labels >= LEAST_LABELS and self.z < -BEYOND_CHANCE and self.with_majority > self.with_model


def sides(fits: Iterable[tuple[Fold, FittedModel]], power: float, hard: HardItems | None) -> Sides:
    """With whom held-out labels side; ``fits``: each fold with the model fitted to its other labels."""
    n, mine, theirs, hoped, gap = 0.0, 0.0, 0.0, 0.0, np.zeros(0)
    for fold, c in fits:
        codes, counts = calibrated(c, power, hard=hard).codes, c.votes.counts
        top = counts.argmax(1)
        clear = (counts == counts.max(1, keepdims=True)).sum(1) == 1
        held = fold.held.kept(
            np.where((clear & (codes != top) & (codes >= 0))[fold.held.item_of], fold.held.table.data, 0)
        )
        if not held.n_annotations:
            continue
        said = [
            np.bincount(held.item_of, held.table.data * (held.label_of == of[held.item_of]), held.n_items)
            for of in (codes, top)
        ]
        chance = [_chance(c, as_if(held, of), power, hard) for of in (codes, top)]
        n, mine, theirs, hoped = (
            n + held.n_annotations,
            mine + said[0].sum(),
            theirs + said[1].sum(),
            hoped + chance[0].sum(),
        )
        gap = (gap if len(gap) else np.zeros(held.n_items)) + said[0] - said[1] - chance[0] + chance[1]
    spread = float(np.sqrt((gap**2).sum()))
    return Sides(
        int(n), mine / max(n, 1), hoped / max(n, 1), theirs / max(n, 1), float(gap.sum()) / spread if spread else 0.0
    )


def as_if(held: Votes, codes: Array) -> Votes:
    """The same items and raters, as if every label were the one of these (item,) codes."""
    return Votes.of_codes(
        held.item_of,
        held.rater_of,
        codes[held.item_of],
        count=held.table.data,
        labels=held.labels,
        items=held.items,
        raters=held.raters,
    )


def _chance(c: FittedModel, held: Votes, power: float, hard: HardItems | None) -> Array:
    """(item,): how many of these labels the model expects."""
    given = chances(c, held)
    q, counted = at_power(c, power)
    p = (
        foretold(c, held, q, counted, given)
        if hard is None
        else next(foretold_with(c, held, given, [hard], q))[1][:, 0]
    )
    return np.bincount(held.item_of, held.table.data * p, held.n_items)


def note(found: Sides) -> Note:
    """Why the model is not used."""
    shares = {"with_model": found.with_model, "expected": found.expected, "with_majority": found.with_majority}
    return Note("held_out_labels_contradict", shares)
