"""Sets of labels: each label is a separate task (present or not), with the model that its labels favour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations, counted
from raters.errors import DataError, UsageError
from raters.estimate import SCHEMA, Result, jsonable
from raters.models.base.votes import Votes
from raters.models.choosing.auto import AUTO
from raters.models.choosing.too_little import LEAST_ITEMS, too_rare
from raters.models.held_out.power import checked
from raters.models.result import Consensus, fit_one
from raters.notes.note import Note, in_json

Array = NDArray[Any]
MOST = 200
"""Largest number of labels that are fitted separately."""
REFUSED = ("gold", "priors", "items", "uncertainty")
AS_PUBLISHED = (
    "with a probability of at least .99 under the models as published, which held-out labels have not checked"
)


@dataclass(frozen=True, repr=False)
class SetConsensus(Result):
    """The set of labels of each item, with a :class:`Consensus` for each label (present or not)."""

    per_label: Mapping[Any, Consensus]
    """Label -> the fit of its presence, whose labels are True and False."""
    items: tuple[Any, ...]
    notes: tuple[Note, ...] = ()

    @cached_property
    def labels(self) -> dict[Any, frozenset[Any]]:
        """Item -> the labels that are present; may be empty."""
        there = {name: c.labels for name, c in self.per_label.items()}
        return {i: frozenset(name for name, found in there.items() if found[i]) for i in self.items}

    @cached_property
    def label_certainty(self) -> Array:
        """(item, label): how settled the presence or absence of each label is."""
        return np.stack([c.certainty for c in self.per_label.values()], -1)

    @cached_property
    def certainty(self) -> Array:
        """(item,): how settled the whole set is: the product over labels, as if they were independent."""
        return np.asarray(self.label_certainty.prod(1))

    def to_columns(self, *, soft: bool = True) -> dict[str, list[Any]]:
        """One row for each item: its set, how settled it is, and with ``soft`` the probability of each label."""
        sets = self.labels
        made: dict[str, list[Any]] = {
            "item": list(self.items),
            "label": [sorted(map(str, sets[i])) for i in self.items],
            "certainty": self.certainty.tolist(),
            "annotations": [int(n) for n in next(iter(self.per_label.values())).votes.per_item],
        }
        if soft:
            made |= {f"p({name})": c._shares[:, 1].tolist() for name, c in self.per_label.items()}
        return made

    def rows(self) -> list[dict[str, Any]]:
        """One for each label: the number of items that have it, the model, and how settled it is."""
        return [
            {
                "label": name,
                "items": sum(map(bool, c.labels.values())),
                "model": c.model,
                "settled": float(np.mean(c.certainty >= 0.99)),
                "mean_settled": float(np.mean(c.certainty)),
            }
            for name, c in self.per_label.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        columns = self.to_columns(soft=False)
        items = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        found = {"schema": SCHEMA, "labels": self.rows(), "items": items, **in_json(self.notes)}
        return dict(jsonable(found))

    def __str__(self) -> str:
        sure = float(np.mean(self.certainty >= 0.99))
        known = all(checked(c) for c in self.per_label.values() if c.definition.likelihood)
        how = "that is settled with a probability of at least .99"
        lines = [
            (
                f"{counted(len(self.items), 'item')}, {counted(len(self.per_label), 'label')}, each a separate task"
                " (present or not)"
            ),
            (
                f"{sure:.1%} of the items have a set {how if known else AS_PUBLISHED}; only gold labels can show which"
                " are right"
            ),
        ]
        for row in self.rows():
            lines.append(
                f"{row['label']}: on {counted(row['items'], 'item')}, {row['model']}, {row['settled']:.1%}"
                f" {'settled at .99' if known else 'at .99'}"
            )
        return "\n".join([*lines, *(f"note: {w}" for w in self.notes)])


def consensus_of_sets(ann: Annotations, model: str = AUTO, **options: Any) -> SetConsensus:
    """Fit each label of a table of sets; see :func:`raters.consensus`."""
    for name in REFUSED:
        if options.get(name):
            raise UsageError(f"{name}= does not apply to sets of labels. To use it, fit each label as a separate task.")
    whole = Votes.of(ann)
    names = sorted({x for s in whole.labels for x in s}, key=str)
    if not names:
        raise DataError("all sets are empty: there is nothing to decide.")
    if len(names) > MOST:
        raise UsageError(
            f"there are {len(names):,} labels in the sets; each is fitted separately, and the limit is {MOST}."
        )
    given = {k: x for k, x in options.items() if k not in REFUSED}
    if model == AUTO:
        given["of_set"] = True
    fits = {name: fit_one(_there(whole, name), model, **given) for name in names}
    made = SetConsensus(fits, whole.items)
    empty = sum(not s for s in made.labels.values())
    given_empty = any(len(s) == 0 for s in whole.labels)
    said = () if not empty or given_empty else (Note("empty_sets", {"n": empty}),)
    return SetConsensus(fits, whole.items, (*said, *(of_rare(fits, whole) if model == AUTO else ())))


def of_rare(fits: Mapping[Any, Consensus], whole: Votes) -> tuple[Note, ...]:
    """A note on the labels for which no model was tried, unless there are too few items for any."""
    n = sum(bool(too_rare(c.votes)) for c in fits.values())
    if not n or int((whole.per_item > 0).sum()) < LEAST_ITEMS:
        return ()
    return (Note("rare_labels_by_vote", {"n": n, "of": len(fits), "least": LEAST_ITEMS}),)


def _there(whole: Votes, name: Any) -> Votes:
    """Whether each set contains the label."""
    holds = np.array([name in s for s in whole.labels], dtype=np.int64)
    return Votes.of_codes(
        whole.item_of,
        whole.rater_of,
        holds[whole.label_of],
        count=whole.table.data,
        labels=(False, True),
        items=whole.items,
        raters=whole.raters,
    )
