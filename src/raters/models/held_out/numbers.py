r"""Numbers: how far raters are weighted by their own precision and corrected for their own bias, chosen by held-out
labels.

A model with a precision for each rater trusts those most whose labels vary least around the others', which need not be
those who are right: many raters of emotions answer 0 to most items. And where groups of raters share no items, their
biases cannot be told from the truth. So raters are pulled to the common variance and to no bias as if each had given
``alike`` more labels like that; ``alike`` is the largest whose squared error for held-out labels,

.. math:: \sum (y_{ij} - \hat\mu_i)^2,

is within one standard error (over items) of the smallest. Unlike the likelihood, this error does not reward a model for
knowing which raters are noisy or biased: it shows only whether the values of the items become better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations, counted
from raters.models.base.fit import Choice, FittedModel
from raters.models.base.votes import Votes
from raters.models.families import gaussian
from raters.models.fitting.checks import check_table
from raters.models.fitting.fit import fit
from raters.models.held_out import choose
from raters.models.held_out.folds import FOLDS, folds

ALIKE = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0)
"""The simplest first: with 1,000 more labels of the common variance and without bias, raters have the same weight, as
in a mean.
"""
LEAST_ITEMS = 10
MOST = 10_000
"""Annotations used for choosing."""
FAST: dict[str, Any] = {"tolerance": 1e-7, "max_iter": 300}


def fit_numbers(ann: Annotations, votes: Votes, items: Sequence[Any], options: Mapping[str, Any]) -> FittedModel:
    """The model for numbers, with raters weighted as held-out labels ask for."""
    name = gaussian.MODEL.name
    check_table(ann, votes, gaussian.MODEL)
    alike, why = chosen(choose.sample(votes, MOST), int(options.get("seed", 0)))
    found = fit(ann, name, items=items, alike=alike, **options)
    return replace(found, choice=Choice(name, f"The labels are numbers ({ann.scale}). {why}"))


def chosen(votes: Votes, seed: int) -> tuple[float, str]:
    """The pull of variances to the common one, and the reason in a sentence."""
    if votes.n_labels < 2:
        return ALIKE[0], "All raters have the same weight: they all gave the same number."
    several = int((votes.per_item > 1).sum())
    if several < LEAST_ITEMS or votes.n_raters < 2:
        return (
            ALIKE[0],
            (
                f"All raters have the same weight: {counted(several, 'item')} with several labels cannot show how"
                " raters differ."
            ),
        )
    dealt, errors = tuple(folds(votes, FOLDS, seed)), []
    for alike in ALIKE:
        total = np.zeros(votes.n_items)
        for fold in dealt:
            c, held = fit(fold.train, gaussian.MODEL.name, alike=alike, **FAST), fold.held
            known = (c.votes.per_item > 0)[held.item_of]
            off = np.array(votes.labels, float)[held.label_of] - c.posterior[held.item_of, 0]
            total += np.bincount(held.item_of, np.where(known, held.table.data * off**2, 0), votes.n_items)
        errors.append(total)
    best = int(np.argmin([x.sum() for x in errors]))
    behind = [x - errors[best] for x in errors]
    near = next(at for at, gap in enumerate(behind) if gap.sum() <= gap.std(ddof=1) * np.sqrt(len(gap)))
    return ALIKE[near], _why(near, *(float(x.sum()) for x in (errors[0], errors[near], errors[-1])))


def _why(near: int, all_alike: float, found: float, own: float) -> str:
    """The choice in a sentence, from the squared errors with equal weights, as chosen, and if each has their own
    precision and bias.
    """
    how = "weighting them by their own precision and correcting their bias"
    if near == 0 and own <= all_alike:
        return f"All raters have the same weight: {how} predicts held-out labels no better beyond the standard error."
    if near == 0:
        return (
            f"All raters have the same weight: {how} predicts held-out labels worse (squared error"
            f" {own / all_alike - 1:.1%} larger)."
        )
    pulled = f" (as if each had given {ALIKE[near]:g} more labels of the common precision and without bias)"
    return (
        "Raters are weighted by their own precision and corrected for their"
        f" bias{'' if near == len(ALIKE) - 1 else pulled}: compared with equal weights, this reduces the squared error"
        f" for held-out labels by {1 - found / all_alike:.1%}."
    )
