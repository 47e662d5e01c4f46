"""``--fail-under``: thresholds, and whether a table meets them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from raters.cli.choices import coefficient_name
from raters.cli.options import stop

if TYPE_CHECKING:
    from raters.estimate import Estimate

Threshold = tuple[str, bool, float]


def threshold(given: str) -> Threshold:
    """``[COEFFICIENT[:low]=]NUMBER`` as (coefficient or "", lower limit?, number)."""
    name, _, number = given.rpartition("=")
    name, _, limit = name.partition(":")
    try:
        if limit not in ("", "low") or math.isnan(float(number)):
            raise ValueError
        return name and coefficient_name(name), limit == "low", float(number)
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is not [COEFFICIENT[:low]=]NUMBER, for example krippendorff:low=0.667.",
            param_hint="--fail-under",
        ) from None


def check(table: Sequence[Estimate], lead: Estimate | str | None, thresholds: Sequence[Threshold]) -> None:
    """Exit with code 1 if a figure is undefined or below its threshold."""
    missed = []
    figures = [e for e in table if e.name != "difference"]
    for name, low, number in thresholds:
        about = [e for e in figures if e.coefficient == (name or _main(figures))]
        if not about:
            there = ", ".join(dict.fromkeys(e.coefficient for e in figures))
            stop(f"--fail-under {name}: this table has no {name}; it has {there or 'no figures'}.")
        if not name and lead is not None and not isinstance(lead, str):
            about = [lead]
        for e in about:
            figure = e.low if low else e.value
            if not figure >= number:
                what = f"the lower limit of {e.name}" if low else e.name
                missed.append(f"{what} is {'undefined' if figure != figure else f'{figure:.4f}'}, below {number:g}")
    if missed:
        more = f" (and {len(missed) - 1} more)" if len(missed) > 1 else ""
        stop(f"{missed[0]}{more}", 1)


def _main(table: Sequence[Estimate]) -> str:
    """The main coefficient of a table: alpha if present, otherwise the first."""
    from raters.coefficients import DEFAULT

    names = [e.coefficient for e in table]
    return DEFAULT if DEFAULT in names or not names else names[0]
