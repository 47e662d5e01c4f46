"""Checks that a chosen model must pass; if it fails one, the answer is the vote, and the reason is reported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel
from raters.models.choosing.settled_vote import settled
from raters.notes.note import Note

Array = NDArray[Any]
SETTLED = 0.95
"""A vote that is at least this settled is clear."""
OVERRULED, NOBODY, MISNAMED, OTHER_MODE = 0.10, 0.01, 0.10, 0.05
"""Shares of the items at which the vote is preferred."""
RATHER, OF_A_LABEL, FEW = 0.7, 0.5, 3
"""The vote is also preferred if, of the votes for one label that are at least this settled, more than this share and at
least this many are overruled.
"""
LEAST_GOLD = 5
"""Gold labels needed to conclude that the votes are wrong."""
NEAR = 3.0
"""Another mode matters if its objective is within this many nats of the best."""


def doubts(c: FittedModel) -> tuple[Note, ...]:
    """Reasons against the model, the strongest first; none if it passes.

    >>> import raters
    >>> doubts(raters.consensus(raters.examples.demo(), "dawid_skene"))
    ()
    """
    votes, codes = c.votes, c.codes
    seen = (votes.per_item > 0) & (codes >= 0)
    if c.gold is not None:
        seen &= c.gold < 0
    n = int(seen.sum())
    if not n or votes.n_labels < 2 or vote_is_wrong(c):
        return ()
    at = np.flatnonzero(seen)
    said: list[Note] = []
    if (odd := int(by_nobody(c, at).sum())) > NOBODY * n:
        said.append(Note("labels_of_nobody", {"n": odd, "items": n}))
    # without a matrix, a class has its name from raters who know the label, whatever the others usually give
    if c.definition.dense:
        said += misnamed(c, at)
    said += overruled(c, at)
    said += other_modes(c, n)
    return tuple(said)


def vote_is_wrong(c: FittedModel) -> bool:
    """Whether gold labels contradict most votes: the vote is then not an alternative, whatever the model does."""
    if c.gold is None:
        return False
    counts = c.votes.counts
    clear = (counts == counts.max(1, keepdims=True)).sum(1) == 1
    at = np.flatnonzero((c.gold >= 0) & clear)
    wrong = int((counts[at].argmax(1) != c.gold[at]).sum())
    return len(at) >= LEAST_GOLD and 2 * wrong > len(at)


def by_nobody(c: FittedModel, at: Array) -> Array:
    """(item,): whether nobody gave the label; for ordered labels, whether it lies outside the range of those given."""
    counts, codes = c.votes.counts[at], c.codes[at]
    if not c.definition.ordered:
        return np.asarray(counts[np.arange(len(at)), codes] == 0)
    given = counts > 0
    first, last = given.argmax(1), counts.shape[1] - 1 - given[:, ::-1].argmax(1)
    return np.asarray((codes < first) | (codes > last))


def misnamed(c: FittedModel, at: Array) -> list[Note]:
    """True labels for which most raters' labels are something else, so the name does not fit the class."""
    total = c.posterior.T @ c.votes.weighted_items(c.votes.counts)  # (true, given)
    odd = total.argmax(1) != np.arange(len(total))
    n = int(odd[c.codes[at]].sum())
    if n <= MISNAMED * len(at):
        return []
    k = max(np.flatnonzero(odd), key=lambda k: int((c.codes[at] == k).sum()))
    names = c.votes.labels
    share = total[k] / max(total[k].sum(), 1e-300)
    other = int(total[k].argmax())
    labels = {"label": names[k], "share": float(share[k]), "other": names[other], "other_share": float(share[other])}
    return [Note("misnamed_label", {"n": int((c.codes[at] == k).sum()), **labels})]


def overruled(c: FittedModel, at: Array) -> list[Note]:
    counts = c.votes.counts[at]
    clear = settled(counts).max(1) >= SETTLED
    against = clear & (counts[np.arange(len(at)), c.codes[at]] < counts.max(1))
    if c.definition.ordered:  # a neighbouring label does not contradict the vote
        against &= np.abs(c.codes[at] - counts.argmax(1)) > 1
    n, of = int(against.sum()), int(clear.sum())
    if n > OVERRULED * max(of, 1):
        return [Note("clear_majorities_overruled", {"n": n, "majorities": of})]
    return overruled_of_a_label(c, at)


def overruled_of_a_label(c: FittedModel, at: Array) -> list[Note]:
    """A rare label whose votes the model turns into the common one: few items overall, but most of those with that
    label.
    """
    counts = c.votes.counts[at]
    vote, codes = counts.argmax(1), c.codes[at]
    rather = (settled(counts)[np.arange(len(at)), vote] >= RATHER) & (
        (counts == counts.max(1, keepdims=True)).sum(1) == 1
    )
    apart = np.abs(codes - vote) > 1 if c.definition.ordered else codes != vote
    of, n = (np.bincount(vote[x], minlength=counts.shape[1]) for x in (rather, rather & apart))
    bad = np.flatnonzero((n >= FEW) & (n > OF_A_LABEL * of))
    worst = max(bad, key=lambda k: n[k] / of[k], default=None)
    if worst is None:
        return []
    facts = {"n": int(n[worst]), "majorities": int(of[worst]), "label": c.votes.labels[worst]}
    return [Note("majorities_of_a_label_overruled", facts)]


def other_modes(c: FittedModel, n: int) -> list[Note]:
    if not c.starts:
        return []
    top = max(s.objective for s in c.starts)
    rivals = [s for s in c.starts if top - s.objective < NEAR and s.items_differ > OTHER_MODE * n]
    if not rivals:
        return []
    most = max(rivals, key=lambda s: s.items_differ)
    return [Note("another_mode", {"behind": top - most.objective, "n": most.items_differ, "items": n})]
