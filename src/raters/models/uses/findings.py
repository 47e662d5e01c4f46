"""What can be said of each rater: no information found, carries information, labels may be reversed, or too few labels to decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.blind_raters import beside_blind, discoveries
from raters.models.choosing.honest_raters import MOST_LABELS, RISING, Evidence, evidence
from raters.models.entropy import mutual
from raters.models.fitted_model import FittedModel
from raters.models.fitting.gold import compared, covered

Array = NDArray[Any]
MORE = 1.5
"""A rater who cannot be judged is asked for at least this many times the labels given so far."""


@dataclass(frozen=True)
class Findings:
    """One entry for each rater."""

    known: Evidence
    given: Array
    """(rater, label): all labels, including those that the fit did not count."""
    seen: Array
    """Bits by the others' labels; ``null``: the 95 % quantile of a blind rater's; ``p``: how often a blind rater would have as many."""
    null: Array
    p: Array
    chance: Array
    """How often the rater would be right by chance."""
    tried: Array
    """Whether anything can be said."""
    blind: Array
    """No information found."""
    counted: Array
    """The same, and the labels are counted nevertheless."""
    unclear: Array
    contrary: Array
    """Not found to carry information; the labels may be reversed."""
    hostile: Array
    """Found to carry information; the labels may be reversed."""
    constant: Array
    needed: Array


def findings(c: FittedModel, rate: float, rng: np.random.Generator) -> Findings:
    """Every rater of ``c.all_votes``: those whose labels the fit did not count are judged, too."""
    every = replace(c, votes=c.all_votes)
    seen, null, p = beside_blind(every, rng)
    tried = compared(every.votes) & (c.votes.n_labels > 1)  # nothing can be said about the others
    if c.gold is not None:
        tried |= covered(every.votes, c.gold)
    given, known = every.votes.per_rater, evidence(every)
    constant = ((given > 0).sum(1) == 1) & (given.sum(1) >= 2)
    # Who labels only items of one kind, and always in the same way, may seem to know what others know.
    informed, agrees, contradicts, rises = (
        _found(x, tried, rate) & ~constant for x in (p, known.above_chance, known.below_chance, known.rising)
    )
    contradicts &= known.rising > RISING
    aside = set() if c.choice is None else set(c.choice.blind)  # their labels were not counted
    left_out = np.array([r in aside for r in c.raters], bool)
    blind = (tried & ~informed & ~agrees & ~contradicts & known.named) | left_out
    unclear = tried & ~(informed | agrees | rises | contradicts | blind)
    chance = np.einsum("k,rkl->rl", c.prevalence, c.confusion) @ c.prevalence
    wrong = (c.accuracy < chance) & (mutual(c.confusion, c.prevalence) > 0) & (known.rising > RISING)
    needed = np.maximum(np.minimum(known.needed, MOST_LABELS), np.where(unclear, MORE * given.sum(1), 0))
    return Findings(
        known, given, seen, null, p, chance, tried, blind, blind & ~left_out, unclear,
        (blind | unclear) & known.contrary & ~constant, ~blind & (contradicts | (informed & wrong)), constant, needed,
    )  # fmt: skip


def _found(p: Array, tried: Array, rate: float) -> Array:
    """(rater,): discoveries among the raters who can be tested."""
    found = np.zeros(len(p), bool)
    found[tried] = discoveries(p[tried], rate)
    return found
