"""Every model by name: those of this package, and those that other packages register."""

from __future__ import annotations

from raters.errors import UsageError, listed
from raters.models.base.votes import Votes
from raters.models.families import dawid_skene, gaussian, glad, hierarchical, mace, one_coin, ordinal, voting
from raters.models.families.spec import Model
from raters.plugins import Registry

MODELS: Registry[Model] = Registry(
    (
        voting.MODEL,
        voting.WAWA,
        voting.ZERO_BASED_SKILL,
        dawid_skene.MODEL,
        one_coin.MODEL,
        hierarchical.MODEL,
        mace.MODEL,
        glad.MODEL,
        ordinal.MODEL,
        gaussian.MODEL,
    ),
    "raters.models",
    Model,
)


UNNAMED: dict[str, Model] = {}
"""Rows of fits that ``auto`` makes, which nobody asks for by name."""


def model_named(name: str) -> Model:
    """The row of a model; an unknown name is an error that lists the known ones.

    >>> model_named("mace").title
    'MACE'
    """
    if name in UNNAMED:
        return UNNAMED[name]
    if name not in MODELS:
        raise UsageError(f"model={name!r} is not known. Use one of {listed(MODELS, len(MODELS))}.")
    return MODELS[name]


def names(**facts: bool) -> tuple[str, ...]:
    """The names of the models with these properties.

    >>> names(numbers=True)[0]
    'gaussian'
    """
    return tuple(name for name, row in MODELS.items() if all(getattr(row, k) is v for k, v in facts.items()))


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
