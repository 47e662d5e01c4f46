"""Tables from which nothing can be learned about raters, so that the vote is taken without trying a model: the reasons,
in sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.models.base.votes import Votes
from raters.models.families.spec import Settings
from raters.models.fitting.checks import learnable
from raters.models.fitting.gold import gold_codes
from raters.models.held_out.folds import FOLDS

LEAST_ITEMS = 10
"""Items that it takes to learn how raters differ; with fewer, a model that fits them says more than they can."""


def nothing_to_choose(ann: Annotations | Votes, votes: Votes, options: Mapping[str, Any]) -> str:
    """Why no model of raters can be tried; empty if one can."""
    if isinstance(ann, Annotations) and not ann.n_raters:
        return "The table does not say who gave which label, so only a majority vote is possible."
    if votes.n_labels < 2:
        return "There is only one label."
    if votes.n_annotations < 2 * FOLDS:
        return f"There are {votes.n_annotations:,} labels, too few to hold some out."
    known = gold_codes(options["gold"], votes) if options.get("gold") else None
    settings = Settings(priors={None: np.zeros(0)} if options.get("priors") else {})
    return (
        ""
        if learnable(votes, known, settings)
        else "No item has labels from two raters, so nothing can be learned about them."
    )


def too_few_items(votes: Votes, options: Mapping[str, Any]) -> str:
    """Why no model is tried on a handful of items, unless something else is known of the raters."""
    n = int((votes.per_item > 0).sum())
    if n >= LEAST_ITEMS or options.get("gold") or options.get("priors"):
        return ""
    return f"There {'is 1 item' if n == 1 else f'are {n} items'}, too few to learn how raters differ."


def too_rare(votes: Votes) -> str:
    """Why no model is tried for a label of sets that hardly any item has, or that nearly all have; ``votes``: absent or
    present.

    Where raters differ on one item alone, a model explains it by raters who never err, and 11 votes of 20 settle as
    much as 20. Hidden votes are predicted better by the vote, and a table has many such labels (docs/models.md).
    """
    absent, present = (int((n > 0).sum()) for n in votes.counts.T)
    if min(absent, present) >= LEAST_ITEMS:
        return ""
    what, n = ("gave the label", present) if present <= absent else ("left the label out", absent)
    return f"Raters {what} on {'1 item' if n == 1 else f'{n} items'}, too few to learn how they differ."
