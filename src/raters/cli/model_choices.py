"""The values that ``--model``, ``--start`` and ``--ties`` accept, read from the registry only when needed."""

from __future__ import annotations

from collections.abc import Iterable

from raters.cli.options import FromRegistry


def _models() -> Iterable[str]:
    from raters.models.choosing.auto import AUTO
    from raters.models.families.registry import MODELS
    from raters.models.uncertainty import bayes

    return dict.fromkeys((AUTO, *MODELS, *bayes.MODELS))


def _starts() -> Iterable[str]:
    from raters.models.fitting.starts import STARTS

    return STARTS


def _ties() -> Iterable[str]:
    from raters.models.families.majority import TIES

    return TIES


MODEL, START, TIES = FromRegistry(_models), FromRegistry(_starts), FromRegistry(_ties)


def numbers(model: str) -> bool:
    """Whether a model applies to numbers."""
    from raters.models.families.registry import MODELS

    return model in MODELS and MODELS[model].numbers
