"""How large a confusion matrix for every rater would be."""

from __future__ import annotations

from raters.errors import UsageError
from raters.models.votes import Votes

MEMORY = 2**30
"""Bytes that a confusion matrix for every rater may take."""


def require_room(
    votes: Votes, what: str, hint: str = "Use model='one_coin', which needs one number for each rater."
) -> None:
    """Refuse a matrix for every rater that would not fit in memory."""
    if size := too_large(votes):
        raise UsageError(f"{what} would take {size}. {hint}")


def too_large(votes: Votes) -> str:
    """How large a matrix for every rater would be, if that exceeds the limit."""
    size = votes.n_raters * votes.n_labels**2 * 8
    if size <= MEMORY:
        return ""
    shape = f"{votes.n_raters:,} raters x {votes.n_labels:,} x {votes.n_labels:,} labels"
    return f"{size / 2**30:.1f} GiB: {shape} (the limit is {MEMORY / 2**30:.3g} GiB)"
