"""Check the options of a fit before the work, and warn about its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.models.base.fit import FittedModel
from raters.models.base.ties import TIES
from raters.models.base.votes import Votes
from raters.models.families.registry import names
from raters.models.families.spec import PREVALENCE, Model, Settings
from raters.models.fitting.em import STARTS
from raters.models.fitting.gold import compared, doubts
from raters.notes.note import Note

Array = NDArray[Any]
FEW_FOR_A_CELL = 8
"""Labels per rater for each off-diagonal cell, below which a fit of whole matrices is overconfident."""
DOMINANT = 0.8
"""The share of one label at which an equal prevalence is worth a warning."""
MANY_TO_JUDGE = 200
"""Total labels below which no such warning is needed: nobody would trust the posteriors literally."""


def check_options(start: str, smoothing: float, prevalence: str | None, ties: str) -> None:
    check_known("start", start, STARTS)
    check_known("prevalence", prevalence, (None, "learned", "uniform"))
    check_known("ties", ties, tuple(TIES))
    if not 0 <= smoothing < np.inf:
        raise UsageError(f"smoothing={smoothing} is not a number of 0 or more; 0.01 is usual.")


def check_call(
    ann: Any,
    *,
    start: str = "best",
    smoothing: float = 0.01,
    prevalence: str | None = None,
    ties: str = "split",
    restarts: Any = None,
    max_iter: Any = 1,
    seed: Any = 0,
    **rest: Any,
) -> None:
    """Check what ``consensus`` was called with, before the work."""
    check_options(start, smoothing, prevalence, ties)
    check_numbers(max_iter=(max_iter, 1), restarts=(restarts, 0), seed=(seed, 0))
    if not isinstance(ann, Annotations | Votes):
        raise UsageError(f"consensus needs annotations, not {type(ann).__name__}: raters.consensus(raters.read(...)).")


def check_known(what: str, value: Any, known: Sequence[Any]) -> None:
    if value not in known:
        raise UsageError(f"{what}={value!r} is not known. Use one of {listed(x for x in known if x is not None)}.")


def check_numbers(**given: tuple[Any, int]) -> None:
    """Check whole numbers, each with its least sensible value."""
    for name, (value, least) in given.items():
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if value is not None and not (whole and value >= least):
            raise UsageError(f"{name}={brief(value)} is not a whole number of {least} or more.")


SQUARES_HOLD = 1e-100, 1e100
"""Floats can hold the squares of numbers in this range, and, at one end, the squares of those squares."""


def check_table(ann: Annotations | Votes, votes: Votes, model: Model) -> None:
    """Check that the table has what the model needs: raters, labels, numbers."""
    if isinstance(ann, Annotations) and not ann.n_raters and model.by_rater:
        raise UsageError(
            "this table does not say who gave which label, so nothing can be learned about raters. Use"
            " model='majority'."
        )
    if not votes.n_annotations:
        raise DataError("no annotations: there is nothing to fit.")
    numbers = (not isinstance(ann, Annotations) or ann.numeric) and _are_numbers(votes.labels)
    if model.numbers and not numbers:
        raise UsageError(
            f"model={model.name!r} needs numbers; the labels are {listed(votes.labels)}. Use 'dawid_skene'."
        )
    largest = max(map(abs, votes.labels), default=0) if model.numbers else 0
    if largest and not SQUARES_HOLD[0] < largest < SQUARES_HOLD[1]:
        raise DataError(
            f"model={model.name!r} estimates variances, and the squares of labels like {largest:g} are beyond what a"
            f" float can hold. Divide all labels by {largest:.0e}."
        )


def _are_numbers(labels: Sequence[Any]) -> bool:
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in labels)


def prior_matrices(priors: FittedModel | Mapping[Any, Any] | None, votes: Votes, model: Model) -> dict[Any, Array]:
    """Rater -> counts, and counts of labels under ``prevalence``; from a consensus, its expected counts of each
    rater.
    """
    if priors is None:
        return {}
    if not model.takes_priors:
        raise UsageError(f"model={model.name!r} takes no priors; {listed(names(takes_priors=True))} do.")
    if isinstance(priors, FittedModel):
        if priors.votes.labels != votes.labels:
            raise DataError(
                f"the priors are for labels {listed(priors.votes.labels)}, the data have {listed(votes.labels)}. Read"
                " both with the same labels=."
            )
        return dict(zip(priors.raters, priors.expected_counts, strict=True))
    if not isinstance(priors, Mapping):
        raise UsageError(
            f"priors={type(priors).__name__}: pass an earlier consensus, or a mapping from rater to matrix of counts."
        )
    k = votes.n_labels
    made = {rater: np.asarray(counts, dtype=float) for rater, counts in priors.items()}
    for rater, counts in made.items():
        if rater == PREVALENCE and counts.shape == (k,) and (np.isfinite(counts) & (counts >= 0)).all():
            continue
        if rater == PREVALENCE and counts.ndim == 1:
            raise UsageError(
                f"priors['prevalence'] is not {k} counts of items, one for each label {listed(votes.labels)}."
            )
        if counts.shape != (k, k) or not (np.isfinite(counts) & (counts >= 0)).all():
            raise UsageError(
                f"priors[{rater!r}] is not a {k} x {k} table of counts, one row for each true label"
                f" {listed(votes.labels)}."
            )
    return made


def learnable(votes: Votes, gold: Array | None, settings: Settings) -> bool:
    """Whether there is anything to compare a label with: another rater's label, gold, or priors."""
    return gold is not None or bool(settings.priors) or bool(compared(votes).any())


def notes_of(c: FittedModel, gold: Mapping[Any, Any] | None) -> list[Note]:
    """What to know about a fit."""
    v, model = c.votes, c.definition
    said: list[Note] = []
    if c.starts and not c.converged:
        said.append(Note("not_converged", {"n": len(c.trace) or c.starts[0].iterations}))
    said += about_raters(v, c.gold, c.settings, model.least_labels)
    if model.overconfident and not c.settings.priors and (said_of := _too_sure(v)):
        said.append(said_of)
    if said_of := equal_prevalence(c):
        said.append(said_of)
    if (empty := int((v.per_item == 0).sum())) > 0:
        said.append(Note("items_without_labels", {"n": empty}))
    if gold:
        said += doubts(gold, v, c.codes if model.likelihood else None)
    return said


def about_raters(v: Votes, gold: Array | None, settings: Settings, least: int) -> list[Note]:
    """Notes on too little data, whatever the model; raters with fewer labels than ``least`` are counted."""
    said: list[Note] = []
    if v.n_labels == 1:
        said.append(Note("all_the_same_label"))
    elif v.n_raters and not learnable(v, gold, settings):
        said.append(Note("one_rater" if v.n_raters == 1 else "no_shared_items"))
    given = v.per_rater.sum(1)
    if few := int(((given > 0) & (given < least)).sum()):
        said.append(Note("raters_with_few_labels", {"n": few, "n_raters": v.n_raters, "least": least}))
    return said


def too_few_for_matrices(v: Votes) -> bool:
    """Whether raters gave too few labels for a whole matrix each: the fit would follow noise."""
    cells, each = v.n_labels * (v.n_labels - 1), float(np.median(v.per_rater.sum(1)))
    return each < FEW_FOR_A_CELL * cells


def equal_prevalence(c: FittedModel) -> Note | None:
    """A note if the prevalence is assumed to be equal and one label dominates, because this can pull items to rare
    labels; None otherwise.
    """
    v = c.votes
    if not (c.definition.uniform and c.settings.uniform) or v.n_labels < 2 or not (v.per_item > 0).any():
        return None
    shares = v.shares()[v.per_item > 0].mean(0)
    top = int(shares.argmax())
    if shares[top] < DOMINANT:
        return None
    return Note("equal_prevalence", {"share": float(shares[top]), "label": v.labels[top]})


def _too_sure(v: Votes) -> Note | None:
    """A whole matrix for each rater from few labels: posteriors are too close to 0 and 1."""
    cells, each = v.n_labels * (v.n_labels - 1), float(np.median(v.per_rater.sum(1)))
    if v.n_raters < 2 or not cells or not too_few_for_matrices(v) or each * v.n_raters < MANY_TO_JUDGE:
        return None
    return Note("overconfident_matrices", {"each": each, "cells": cells})
