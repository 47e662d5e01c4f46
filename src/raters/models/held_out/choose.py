"""Choose a model by held-out labels: every model predicts them, and the simplest within one standard error of the best
is chosen, or a vote if models gain little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import Candidate, FittedModel, HardItems
from raters.models.base.probabilities import log
from raters.models.base.votes import Votes
from raters.models.families import voting
from raters.models.families.registry import MODELS, too_large
from raters.models.families.spec import Model, Settings, Vote
from raters.models.fitting import em
from raters.models.fitting.checks import too_few_for_matrices
from raters.models.fitting.fit import fit
from raters.models.held_out.few_labels import with_assumed
from raters.models.held_out.folds import Fold, by_item, chances, folds, foretold, scores
from raters.models.held_out.folds_at_once import ahead
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
HOPELESS, LEAST_HELD = 6, 500
"""A model is given up if it is behind the best by so many standard errors on at least so many held-out labels."""
MOST_KEPT = 200_000
"""Fits with up to so many numbers by item and label are kept, so that the one that is chosen is not fitted again."""
Fits = dict[tuple[str, str, int], FittedModel]
LITTLE, BEYOND_DOUBT = 0.025, 3.0
"""The gain over a vote, in nats per label, and in standard errors, up to which the vote is kept. So little is gained
from raters whose accuracy varies by a standard deviation of about .09; and in sparse crowds, or where raters make the
same errors, models that predict a little better give worse labels."""
FEW_EACH = 100
"""The rule applies to raters with fewer labels: with more, their skills are known well enough, and raters who make the
same errors are found.
"""
FAST: Mapping[str, Any] = {"start": "votes", "tolerance": 1e-7, "max_iter": 300}
RULE = em.Rule(FAST["tolerance"], FAST["max_iter"])


@dataclass(frozen=True)
class Entry:
    """A model as a candidate."""

    model: Model
    prevalence: str

    @property
    def options(self) -> dict[str, Any]:
        return {} if isinstance(self.model.method, Vote) else {"prevalence": self.prevalence}


def entries(
    votes: Votes, *, ordered: bool = False, priors: bool = False, prevalence: str | None = None, drawn: bool = False
) -> list[Entry]:
    """The models that can be tried, the simplest first; models with equal prevalence are also tried with learned
    prevalence.

    ``drawn``: only those with parameters to draw.
    """
    made = []
    for row in MODELS.values():
        if not fits(row, votes, ordered, priors, drawn) or excluded(row, votes):
            continue
        ways = [prevalence] if prevalence else ["uniform", "learned"] if row.uniform else ["learned"]
        made += [Entry(row, way) for way in ways]
    return sorted(made, key=lambda e: (e.model.rank, e.prevalence))


def fits(row: Model, votes: Votes, ordered: bool, priors: bool, drawn: bool) -> bool:
    """Whether a model suits these labels and this call."""
    if row.numbers or (row.ordered and not (ordered and votes.n_labels > 2)) or (priors and not row.takes_priors):
        return False
    return not (drawn and isinstance(row.sampler, str)) and (row.likelihood or row.rank <= 1)


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


def not_tried(votes: Votes, *, ordered: bool = False, priors: bool = False, drawn: bool = False) -> tuple[Note, ...]:
    """Notes that name the suitable models that were not tried, with the reasons."""
    why: dict[str, Note] = {}
    titles: dict[str, list[str]] = {}
    for row in sorted(MODELS.values(), key=lambda row: row.rank):
        if fits(row, votes, ordered, priors, drawn) and (note := excluded(row, votes)):
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


def compare(
    votes: Votes,
    tried: Sequence[Entry],
    settings: Settings,
    *,
    gold: Mapping[Any, Any] | None = None,
    dealt: Sequence[Fold] = (),
    kept: Fits | None = None,
) -> tuple[Candidate, ...]:
    """Every model with the power at which it predicts best, the best first.

    A model that is hopelessly behind after some of the folds is not fitted to the rest. ``dealt``: the folds, where
    they are at hand; ``kept``: takes the fits to small tables, for ``tempered``.
    """
    dealt = dealt or deal(votes, settings)
    totals = [{p: np.zeros((votes.n_items, 2)) for p in _powers(e)} for e in tried]
    by_fold: list[list[Array]] = [[] for _ in tried]
    left = list(range(len(tried)))
    kept = {} if kept is None else kept
    once = votes.n_annotations >= LEAST_HELD * len(dealt)  # whether models may be given up after one fold
    for turn, fold in enumerate(dealt):
        if turn == once:
            kept |= ahead([(tried[at].model, tried[at].prevalence) for at in left], settings, gold, dealt[turn:], RULE)
        for at in left:
            for _, c in fitted(votes, tried[at], settings, gold, [fold], kept):
                given = chances(c, fold.held)
                for p, total in totals[at].items():
                    q, counted = at_power(c, p)
                    total += by_item(scores(foretold(c, fold.held, q, counted, given)), fold.held)
            by_fold[at].append(_best(totals[at]))
        left = [at for at in left if is_vote(tried[at].model.name) or not _hopeless(by_fold, at, left)]
    best = {at: max(total, key=lambda p, t=total: t[p][:, 0].sum()) for at, total in enumerate(totals)}  # type: ignore[misc]
    return ranked(tried, best, by_fold)


def _best(total: Mapping[float, Array]) -> Array:
    """(item, 2): scores and labels at the power that predicts best so far."""
    return max(total.values(), key=lambda t: float(t[:, 0].sum())).copy()


def _hopeless(by_fold: Sequence[Sequence[Array]], at: int, left: Sequence[int]) -> bool:
    """Whether a model is so far behind the best that further folds would not bring it back."""
    so_far = {one: by_fold[one][-1] for one in left}
    top = max(left, key=lambda one: float(so_far[one][:, 0].sum()))
    gap, se = _behind(so_far[top], so_far[at])
    return bool(so_far[top][:, 1].sum() >= LEAST_HELD and gap > HOPELESS * se)


def _behind(top: Array, other: Array) -> tuple[float, float]:
    """How far one model's scores are behind another's on the same labels, and the standard error over items."""
    gap = top[:, 0] - other[:, 0]
    return float(gap.sum()), float(gap.std(ddof=1) * np.sqrt(len(gap))) if len(gap) > 1 else np.inf


def _mean(total: Array) -> float:
    return float(total[:, 0].sum() / max(total[:, 1].sum(), 1))


def tempered(votes: Votes, entry: Entry, settings: Settings, **how: Any) -> tuple[float, HardItems | None]:
    """A power on the likelihood or an allowance for hard items, as :func:`estimated`; and what is assumed about items
    if they have too few labels.
    """
    power, hard = estimated(votes, entry, settings, **how)
    return power, with_assumed(votes, hard) if applies(entry.model) else hard


def estimated(
    votes: Votes,
    entry: Entry,
    settings: Settings,
    *,
    gold: Mapping[Any, Any] | None = None,
    dealt: Sequence[Fold] = (),
    kept: Fits | None = None,
) -> tuple[float, HardItems | None]:
    """The power, or the allowance for hard items, that makes held-out labels most probable."""
    powers = dict.fromkeys(_powers(entry), 0.0)
    totals: dict[HardItems, float] = dict.fromkeys(TRIED, 0.0) if applies(entry.model) else {}
    for fold, c in fitted(votes, entry, settings, gold, dealt or deal(votes, settings), kept):
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


def deal(votes: Votes, settings: Settings) -> tuple[Fold, ...]:
    """The folds of labels that are held out.

    Folds are assigned at random: if they were assigned in turn, each of five raters would be one fold, and unknown to
    the fit that predicts it.
    """
    return tuple(folds(votes, seed=settings.seed))


def fitted(
    votes: Votes,
    entry: Entry,
    settings: Settings,
    gold: Mapping[Any, Any] | None,
    dealt: Sequence[Fold],
    kept: Fits | None = None,
) -> Iterator[tuple[Fold, FittedModel]]:
    """A model fitted to each fold's training labels, or the fit that was kept."""
    known = None if gold is None else {i: x for i, x in gold.items() if i in set(votes.items)} or None
    for fold in dealt:
        key = (entry.model.name, entry.prevalence, id(fold))
        c = None if kept is None else kept.get(key)
        if c is None:
            c = fit(
                fold.train,
                entry.model.name,
                smoothing=max(settings.smoothing, 0.01),
                gold=known,
                priors=settings.priors or None,
                seed=settings.seed,
                **FAST,
                **entry.options,
            )
        if kept is not None and c.posterior.size <= MOST_KEPT:
            kept[key] = c
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


def ranked(
    tried: Sequence[Entry], powers: Mapping[int, float], by_fold: Sequence[Sequence[Array]]
) -> tuple[Candidate, ...]:
    """Mean scores, and how far each is behind the best on the folds that both predicted, with the standard error over
    items.

    ``by_fold``: for each model the scores after each fold that it predicted, (item, 2).
    """
    folds = max(map(len, by_fold))
    top = max(
        (at for at in range(len(tried)) if len(by_fold[at]) == folds), key=lambda at: float(by_fold[at][-1][:, 0].sum())
    )
    rows = []
    for at, entry in enumerate(tried):
        done, (own, n) = len(by_fold[at]), by_fold[at][-1].sum(0)
        gap, se = (x / max(n, 1) for x in _behind(by_fold[top][done - 1], by_fold[at][-1]))
        score = own / max(n, 1) if done == folds else _mean(by_fold[top][-1]) - gap
        rows.append(
            Candidate(entry.model.name, entry.prevalence, powers[at], float(score), float(gap), float(se), done)
        )
    return tuple(sorted(rows, key=lambda c: c.behind))


def simplest(candidates: Sequence[Candidate], each: float = 0.0) -> Candidate:
    """Of those within one standard error of the best, the one with the fewest parameters; of equals, the one that
    predicts better.

    ``each``: the labels of a typical rater. If there are few, a vote is preferred to models that gain little, and not
    beyond doubt.
    """
    near = [c for c in candidates if c.behind <= c.se]
    if each < FEW_EACH and not any(is_vote(c.model) for c in near):
        little = [c for c in candidates if is_vote(c.model) and c.behind <= min(LITTLE, BEYOND_DOUBT * c.se)]
        near = little or near
    least = min(MODELS[c.model].rank for c in near)
    return max((c for c in near if MODELS[c.model].rank == least), key=lambda c: c.score)


def is_vote(name: str) -> bool:
    """Whether a model is a plain or weighted vote."""
    return name == voting.MODEL.name or not MODELS[name].likelihood
