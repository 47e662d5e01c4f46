"""The values that ``--model``, ``--start``, ``--prevalence`` and ``--ties`` accept, read from the registry only when needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from raters.cli.options import FromRegistry


def _models() -> Iterable[str]:
    from raters.models.choosing.auto import AUTO
    from raters.models.families.registry import MODELS
    from raters.models.uncertainty import bayes

    return dict.fromkeys((AUTO, *MODELS, *bayes.MODELS))


def _starts() -> Iterable[str]:
    from raters.models.fitting.em import STARTS

    return STARTS


def _ties() -> Iterable[str]:
    from raters.models.families.voting import TIES

    return TIES


class Tempering(click.ParamType[float | str]):
    """``held_out``, or the weight of a label."""

    name = "tempering"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """A number where it is one; the library refuses everything else that it does not know."""
        try:
            return float(value)
        except ValueError:
            return str(value)


TEMPERING = Tempering()
PREVALENCE = click.Choice(["learned", "uniform"])
MODEL, START, TIES = FromRegistry(_models), FromRegistry(_starts), FromRegistry(_ties)


def numbers(model: str) -> bool:
    """Whether a model applies to numbers."""
    from raters.models.families.registry import MODELS

    return model in MODELS and MODELS[model].numbers
