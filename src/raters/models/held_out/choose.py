"""What held-out labels ask of a model: the power on its likelihood, or the allowance for hard items, that predicts them best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel, HardItems
from raters.models.base.probabilities import log
from raters.models.base.votes import Votes
from raters.models.families.registry import MODELS, too_large
from raters.models.families.spec import Model, Settings, Vote
from raters.models.fitting.checks import too_few_for_matrices
from raters.models.fitting.fit import fit
from raters.models.held_out.few_labels import with_assumed
from raters.models.held_out.folds import Fold, chances, folds, foretold, scores
from raters.models.held_out.hard_items import GAIN, TRIED, applies, foretold_with
from raters.models.held_out.tempering import POWERS, softened, weakened
from raters.notes.note import Note

Array = NDArray[Any]
MOST = 60_000
"""Annotations used for choosing; from a larger table, those of evenly spaced items."""
MOST_CELLS = 4_000_000
"""Total size of all raters' matrices above which models with a matrix for every rater are not tried."""
ON_A_LINE = 8
"""How many times more numbers a model of places on a line works on."""
MOST_NUMBERS = 10_000_000
"""Annotations times labels used for choosing."""
FAST: Mapping[str, Any] = {"start": "votes", "tolerance": 1e-7, "max_iter": 300}


@dataclass(frozen=True)
class Entry:
    """A model as a candidate."""

    model: Model
    prevalence: str

    @property
    def options(self) -> dict[str, Any]:
        return {} if isinstance(self.model.method, Vote) else {"prevalence": self.prevalence}


def entries(votes: Votes, *, ordered: bool = False) -> list[Entry]:
    """The models that can be tried, the simplest first; models with equal prevalence are also tried with learned
    prevalence.
    """
    made = []
    for row in MODELS.values():
        if fits(row, votes, ordered) and not excluded(row, votes):
            made += [Entry(row, way) for way in (("uniform", "learned") if row.uniform else ("learned",))]
    return sorted(made, key=lambda e: (e.model.rank, e.prevalence))


def fits(row: Model, votes: Votes, ordered: bool) -> bool:
    """Whether a model suits these labels."""
    if row.numbers or (row.ordered and not (ordered and votes.n_labels > 2)):
        return False
    return row.likelihood or row.rank <= 1


def excluded(row: Model, votes: Votes) -> Note | None:
    """Why a model that suits these labels is not tried because there are too many or too few of them; None if it is
    tried.
    """
    k, n = votes.n_labels, votes.n_raters
    if row.dense and (too_large(votes) or n * k**2 > MOST_CELLS):
        return Note("not_tried_too_large", {"labels": k, "n_raters": n})
    if row.ordered and n * k**2 > MOST_CELLS // ON_A_LINE:
        return Note("not_tried_too_slow", {"labels": k, "n_raters": n})
    if row.overconfident and too_few_for_matrices(votes):
        each = float(np.median(votes.per_rater.sum(1)))
        return Note("not_tried_too_few_labels", {"each": each, "cells": k * (k - 1)})
    return None


def not_tried(votes: Votes, *, ordered: bool = False) -> tuple[Note, ...]:
    """Notes that name the suitable models that were not tried, with the reasons."""
    why: dict[str, Note] = {}
    titles: dict[str, list[str]] = {}
    for row in sorted(MODELS.values(), key=lambda row: row.rank):
        if fits(row, votes, ordered) and (note := excluded(row, votes)):
            why[note.code] = note
            titles.setdefault(note.code, []).append(row.title)
    return tuple(
        Note(code, {"models": " and ".join(titles[code]), "n": len(titles[code]), **note.facts})
        for code, note in why.items()
    )


def sample(votes: Votes, most: int = MOST) -> Votes:
    """Evenly spaced items, in the order of their names, with about ``most`` annotations; fewer if there are very many
    labels.
    """
    most = min(most, max(MOST_NUMBERS // max(votes.n_labels, 1), 1000))
    if votes.n_annotations <= most:
        return votes
    step = -(-votes.n_annotations // most)
    order = sorted(range(votes.n_items), key=lambda i: str(votes.items[i]))
    return votes.rows(np.array(sorted(order[::step])))


def tempered(votes: Votes, entry: Entry, settings: Settings) -> tuple[float, HardItems | None]:
    """A power on the likelihood or an allowance for hard items, as :func:`estimated`; and what is assumed about items
    if they have too few labels.
    """
    power, hard = estimated(votes, entry, settings)
    return power, with_assumed(votes, hard) if applies(entry.model) else hard


def estimated(votes: Votes, entry: Entry, settings: Settings) -> tuple[float, HardItems | None]:
    """The power, or the allowance for hard items, that makes held-out labels most probable."""
    powers = dict.fromkeys(_powers(entry), 0.0)
    totals: dict[HardItems, float] = dict.fromkeys(TRIED, 0.0) if applies(entry.model) else {}
    for fold, c in fitted(votes, entry, settings):
        given, n = chances(c, fold.held), fold.held.table.data
        for p in powers:
            q, counted = at_power(c, p)
            powers[p] += float(n @ scores(foretold(c, fold.held, q, counted, given)))
        if totals:
            for hard, chance in foretold_with(c, fold.held, given):
                for one, total in zip(hard, n @ log(chance), strict=True):
                    totals[one] += float(total)
    power = max(powers, key=lambda p: powers[p])
    best = max(totals, key=lambda hard: totals[hard], default=None)
    return (1.0, best) if best is not None and totals[best] > powers[power] + GAIN else (power, None)


def fitted(votes: Votes, entry: Entry, settings: Settings) -> Iterator[tuple[Fold, FittedModel]]:
    """A model fitted to each fold's training labels.

    Folds are assigned at random: if they were assigned in turn, each of five raters would be one fold, and unknown to
    the fit that predicts it.
    """
    for fold in folds(votes, seed=settings.seed):
        c = fit(
            fold.train,
            entry.model.name,
            smoothing=max(settings.smoothing, 0.01),
            priors=settings.priors or None,
            seed=settings.seed,
            **FAST,
            **entry.options,
        )
        yield fold, c


def _powers(entry: Entry) -> tuple[float, ...]:
    return POWERS if entry.model.likelihood else (1.0,)


def at_power(c: FittedModel, power: float) -> tuple[Array, Votes]:
    """The posterior when each label counts by ``power``; or, if held-out labels do not follow from it, the votes
    counted that way.
    """
    if c.definition.foretell is None:
        return softened(c.posterior, c.prevalence, power), c.votes
    return c.posterior, weakened(c.votes, power)
