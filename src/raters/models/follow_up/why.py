"""Why an item has its label: what each rater's label adds to the log odds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted
from raters.errors import UsageError
from raters.models.base.fit import Draws, FittedModel
from raters.models.base.probabilities import LEAST, log
from raters.models.choosing.mixture import title
from raters.models.families.spec import of_items
from raters.models.fitting.em import SHAKES
from raters.models.fitting.fit import SAME_MODE
from raters.models.held_out.few_labels import assumed, few_each
from raters.models.held_out.power import as_used, checked

LEAST_SHARE = 0.005
"""Models of a mixture that count for less are not named."""


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
    models: tuple[tuple[str, float], ...] = ()
    """How much each model of a mixture counts for this item."""
    ease: float = 1.0
    """How far the labels depend on what is true of the item; the rest is habit."""
    wins: float = math.nan
    """The probability that the label would win a very large vote of such raters."""

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
            *self._mixed(),
        ]
        return "\n".join(lines)

    def _mixed(self) -> list[str]:
        """What stands between these odds and the probability: how hard the item is, and what the other models say."""
        if not self.models:
            return []
        counts = ", ".join(f"{title(name)} {share:.0%}" for name, share in self.models if share >= LEAST_SHARE)
        return [
            "           (by the raters' matrices; the probability above is the mixture's)",
            f"mixture: {counts}; {self.ease:.0%} of each label depends on the item, the rest on habit",
            f"it would win a very large vote of such raters with a probability of {self.wins:.4f}",
        ]

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
        item,
        names[best],
        names[rival],
        None if vote is None else names[vote],
        float(c.certainty[at] if c.codes[at] >= 0 else q[best]),
        float(base[best] - base[rival]),
        tuple(rows),
        c.power,
        c.gold is not None and bool(c.gold[at] >= 0),
        c.hard is not None,
        *_mixture(c, at, best),
    )


def _mixture(c: FittedModel, at: int, best: int) -> tuple[tuple[tuple[str, float], ...], float, float]:
    """The models that count for an item, the most first, how easy it is, and its chance in a very large vote."""
    m = c.mixture
    if m is None:
        return (), 1.0, math.nan
    order = np.argsort(-m.shares[at], kind="stable")
    return tuple((m.models[i], float(m.shares[at, i])) for i in order), float(m.ease[at]), float(m.wins[at, best])


MOST_KINDS = 6
"""Largest number of labels that are counted one by one."""
LOST = 3
"""Least number of items of a label at which the summary says that hardly any of them is settled."""


def summary(c: FittedModel) -> list[str]:
    """What the fit found, the most important lines first."""
    return [repr(c)[1:-1], *findings(c)]


def findings(c: FittedModel, told: bool = False) -> list[str]:
    """What the fit found; ``told``: without the majorities that were overruled and the
    equal prevalence, which were told before.
    """
    lines = []
    if c.choice is not None:
        lines.append(f"model chosen: {c.choice.why}")
    if not c.numeric:
        sure = float(np.mean(c.certainty[c._labelled] >= 0.99)) if c._labelled.any() else math.nan
        lines.append(f"{sure:.1%} of the items have {certain_at(c, 0.99)}; only gold labels can show which are right")
        lines += [] if told else list(filter(None, [overruled(c)]))
    if c.starts and not c.trace:
        lines.append(c.reason)
    elif c.starts:
        best = f"start {c.start!r}: objective {c.objective:.2f}, log-likelihood {c.log_likelihood:.2f}"
        lines.append(f"{best} after {len(c.trace)} iterations ({c.reason})")
    if len(c.starts) > 1:
        most = max(s.items_differ for s in c.starts)
        reached = f"{len(c.starts)} starts reached {counted(c.modes, 'mode')}; {found_again(c)}"
        lines.append(
            f"{reached}; labels of the other starts differ from these on up to {counted(most, 'item')}"
            if most
            else reached
        )
    if c.uncertainty is not None:
        lines.append(drawn(c.uncertainty))
    return [*lines, *(f"note: {n}" for n in c.notes if not (told and n.code == "equal_prevalence"))]


def found_again(c: FittedModel) -> str:
    """How many starts reached the best solution independently: those near an earlier end return to it by themselves,
    and are no evidence.

    >>> import raters
    >>> found_again(raters.consensus(raters.examples.demo(), "dawid_skene"))
    '10 of 10 independent starts reached the best'
    """
    n, of = times_found(c)
    if n > 1:
        return f"{n} of {of} independent starts reached the best"
    who = "only 1" if n else "none"
    start = "" if n or of == len(c.starts) else ", which was found by starts near an earlier one"
    return f"{who} of {of} independent starts reached the best{start}: a better one may exist, and another seed may find it"


def times_found(c: FittedModel) -> tuple[int, int]:
    """How many of the independent starts reached the best solution, and of how many."""
    ends = [s.objective for s in c.starts if s.name not in SHAKES]
    return sum(c.objective - x < SAME_MODE for x in ends), len(ends)


def certain_at(c: FittedModel, at: float) -> str:
    """What a certainty of at least ``at`` means: that of a plain vote is its share, and that of a model as published
    its own probability.

    >>> import raters
    >>> certain_at(raters.consensus(raters.examples.demo(), "majority"), 0.99)
    'a label with at least 99% of their votes'
    """
    if not c.definition.likelihood and c.decided is None:
        return f"a label with at least {100 * at:.4g}% of their votes"
    if not checked(c):
        return (
            f"a label with a probability of at least {at:g} under {c.model} {as_used(c)}, which held-out labels have"
            " not checked"
        )
    return f"a label that is settled with a probability of at least {at:g}"


def by_label(c: FittedModel, at: float) -> str:
    """A sentence that counts how many items of each label are this settled, if there are few labels; otherwise
    empty.
    """
    kinds, n, sure = _per_label(c, at)
    if not 1 < len(kinds) <= MOST_KINDS:
        return ""
    verb = "are settled"
    if not c.definition.likelihood and c.decided is None:
        verb = "reach this share"
    elif not checked(c):
        verb = "reach this probability"
    counts = [(f"{sure[k]:,} of {n[k]:,}", f'labelled "{c.votes.labels[k]}"') for k in kinds]
    (count, label), *rest = counts
    said = ", ".join([f"{count} items {label} {verb}", *(f"{many} {which}" for many, which in rest)])
    named = lost_labels(c, at)
    more = (
        f"; a training set of them would lack more than three quarters of the items labelled {named}" if named else ""
    )
    return f"By label: {said}{more}."


def lost_labels(c: FittedModel, at: float) -> str:
    """Labels of which hardly any item is this settled although many other items are; empty if there are none, or too
    many labels to tell.
    """
    return _either([f'"{label}"' for label, _, _ in _lost(c, at)])


def few_settled(c: FittedModel, at: float) -> str:
    """How few items of such labels are settled, in a phrase; empty if there are none."""
    lost = _lost(c, at)
    if len(lost) == 1:
        label, n, sure = lost[0]
        return f'{f"only {sure:,}" if sure else "none"} of the {n:,} labelled "{label}"'
    return f"fewer than a quarter of those labelled {lost_labels(c, at)}" if lost else ""


def _lost(c: FittedModel, at: float) -> list[tuple[str, int, int]]:
    """Labels of which less than a quarter of the items is this settled: the label, its items and how many of them
    are.
    """
    kinds, n, sure = _per_label(c, at)
    if not 1 < len(kinds) <= MOST_KINDS or sure.sum() * 4 <= n.sum():
        return []
    return [(str(c.votes.labels[k]), int(n[k]), int(sure[k])) for k in kinds if n[k] >= LOST and sure[k] * 4 < n[k]]


def _per_label(c: FittedModel, at: float) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
    """The labels that items have, the most frequent first; of every label how many items have it, and how many of them
    are this settled.
    """
    n = np.bincount(c.codes[c.codes >= 0], minlength=c.votes.n_labels)
    sure = np.bincount(c.codes[(c.codes >= 0) & (c.certainty >= at)], minlength=c.votes.n_labels)
    return [int(k) for k in np.argsort(-n, kind="stable") if n[k]], n, sure


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}" if names else ""


def overruled(c: FittedModel) -> str:
    """On how many items the label is not the one given most often, in a sentence; empty if there are none.

    >>> import raters
    >>> overruled(raters.consensus(raters.examples.demo(), "majority"))
    ''
    """
    counts = c.votes.counts
    clear = ((counts == counts.max(1, keepdims=True, initial=0)).sum(1) == 1) & (c.codes >= 0)
    if c.gold is not None:
        clear &= c.gold < 0
    n = int((counts.argmax(1) != c.codes)[clear].sum())
    return (
        f"On {n:,} of {counted(int(clear.sum()), 'item')} without a tie, the answer differs from the label given most"
        " often."
        if n
        else ""
    )


def assumed_items(c: FittedModel) -> str:
    """That items have too few labels to show which of them divide raters, in a sentence; empty if nothing was
    assumed.
    """
    if c.hard is None or not c.hard.assumed:
        return ""
    if assumed(c.votes) is None:  # labels were added since
        return (
            f"{c.hard.own:.0%} of the items are assumed to divide raters, because they had too few labels when the"
            " model was chosen."
        )
    return (
        f"Most items have {few_each(c.votes)} labels or fewer, too few to show which items divide raters;"
        f" {c.hard.own:.0%} are assumed to."
    )


def drawn(d: Draws) -> str:
    """How many draws there are, and whether the chains agree."""
    said = f"uncertainty {d.method!r}: {counted(len(next(iter(d.values.values()))), 'draw')}"
    if not d.rhat:
        return said
    worst, least = max(float(r.max()) for r in d.rhat.values()), min(float(e.min()) for e in d.ess.values())
    return f"{said}, split R-hat at most {worst:.2f}, effective sample size at least {least:,.0f}"
