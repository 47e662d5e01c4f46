"""Why an item has its label: what each rater's label adds to the log odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.errors import UsageError
from raters.models.families.probabilities import LEAST, log
from raters.models.families.spec import of_items
from raters.models.fitted_model import FittedModel


@dataclass(frozen=True)
class Contribution:
    """One rater's label of the item, and its contribution."""

    rater: Any
    label: Any
    weight: float
    """Added to the log odds of the item's label against its rival (natural logarithm), times the label's power."""
    logs: tuple[float, ...]
    """log p(label | truth) for each possible truth."""


@dataclass(frozen=True)
class Why:
    """The log odds of an item's label against its strongest rival, by contribution."""

    item: Any
    label: Any
    rival: Any
    """The vote's winner if the model overrules it, otherwise the second most probable label."""
    vote: Any
    certainty: float
    prevalence: float
    """What the prevalence of the two labels adds."""
    contributions: tuple[Contribution, ...]
    power: float = 1.0
    """The weight of each label, below 1 after tempering."""
    gold: bool = False
    """Whether the label was given as gold: it then holds whatever the odds."""
    hard: bool = False
    """Whether the model allows for hard items: the label is then less settled than the odds suggest."""

    @property
    def overruled(self) -> bool:
        """Whether the model's label is not the vote's."""
        return bool(self.vote is not None and self.vote != self.label)

    @property
    def log_odds(self) -> float:
        return self.prevalence + sum(c.weight for c in self.contributions)

    @property
    def by_prevalence(self) -> bool:
        """Whether the prevalence of the labels decides: the raters' labels alone favour the rival."""
        return bool(self.contributions) and sum(c.weight for c in self.contributions) < 0 < self.log_odds

    def __str__(self) -> str:
        lines = [
            f"{self.item}: {self.label!r} at {self.certainty:.4f}, {self._how()}",
            f"{self.prevalence:+9.3f}  prevalence",
            *([f"           (each label counts for {self.power:g} of one)"] if self.power < 1 else []),
            *(f"{c.weight:+9.3f}  {c.rater}: {c.label}" for c in self.contributions),
            f"{self.log_odds:+9.3f}  log odds of {self.label!r} against {self.rival!r}",
            *(["           (if the item is not hard; the probability above allows for them)"] if self.hard else []),
        ]
        return "\n".join(lines)

    def _how(self) -> str:
        if self.gold:
            return f"given as gold; the evidence of the raters' labels against {self.rival!r}:"
        if not self.contributions:
            return "the most frequent label, since nobody labelled this item"
        votes = [c.label for c in self.contributions]
        count = f"({votes.count(self.label)}:{votes.count(self.rival)} against {self.rival!r})"
        if self.overruled:
            return f"overrules the vote {count}"
        return f"breaks a tie {count}" if self.vote is None else f"is also the vote's {count}"


def why(c: FittedModel, item: Any) -> Why:
    """Each rater's contribution, the strongest first.

    >>> import raters
    >>> found = raters.consensus(raters.examples.demo()).why("review 001")
    >>> abs(found.log_odds) > 0
    True
    """
    cells = c.definition.cells
    if isinstance(cells, str):
        raise UsageError(f"why() needs a model of raters and labels, which {c.model!r} is not: {cells}.")
    if c.votes.n_labels < 2:
        raise UsageError("why() needs at least two labels, but there is only one.")
    at = c.where(item)
    votes = c.votes.rows(np.array([at]))
    logs = (
        np.maximum(cells(of_items(c.params, [at], c.definition.by_item), votes), LEAST) * c.power
    )  # (cell, true label)
    q, counts = c.posterior[at], c.votes.counts[at]
    best = int(c.codes[at]) if c.codes[at] >= 0 else int(q.argmax())
    top = np.flatnonzero(counts == counts.max()) if counts.any() else np.empty(0, int)
    vote = int(top[0]) if len(top) == 1 else None
    base = np.maximum(log(c.prevalence), LEAST)
    rest = base + votes.table.data @ logs
    rest[best] = -np.inf
    rival = vote if vote is not None and vote != best else int(rest.argmax())
    names = c.votes.labels
    rows = [
        Contribution(c.raters[r], names[label], float(n * (row[best] - row[rival])), tuple((n * row).tolist()))
        for r, label, n, row in zip(votes.rater_of, votes.label_of, votes.table.data, logs, strict=True)
    ]
    rows.sort(key=lambda row: -abs(row.weight))
    return Why(
        item, names[best], names[rival], None if vote is None else names[vote], float(c.certainty[at] if c.codes[at] >= 0 else q[best]),
        float(base[best] - base[rival]), tuple(rows), c.power, c.gold is not None and bool(c.gold[at] >= 0),
        c.hard is not None,
    )  # fmt: skip
