"""Every model by name: those of this package, and those that other packages register."""

from __future__ import annotations

from raters.errors import UsageError, listed
from raters.models.families import (
    dawid_skene,
    gaussian,
    glad,
    hierarchical,
    mace,
    majority,
    one_coin,
    ordinal,
    wawa,
    zero_based_skill,
)
from raters.models.families.spec import Model
from raters.plugins import Registry

MODELS: Registry[Model] = Registry(
    (
        majority.MODEL,
        wawa.MODEL,
        zero_based_skill.MODEL,
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


def model_named(name: str) -> Model:
    """The row of a model; an unknown name is an error that lists the known ones.

    >>> model_named("mace").title
    'MACE'
    """
    if name not in MODELS:
        raise UsageError(f"model={name!r} is not known. Use one of {listed(MODELS, len(MODELS))}.")
    return MODELS[name]


def names(**facts: bool) -> tuple[str, ...]:
    """The names of the models with these properties.

    >>> names(numbers=True)[0]
    'gaussian'
    """
    return tuple(name for name, row in MODELS.items() if all(getattr(row, k) is v for k, v in facts.items()))
