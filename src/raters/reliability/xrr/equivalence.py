"""A verdict against a stated margin: is one pool as good as another?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy import special

from raters.errors import UsageError
from raters.estimate import Estimate, Result, jsonable, shown

LEAST = 0.5
"""A smaller margin was probably meant as a loss (0.1 for 0.9)."""


@dataclass(frozen=True, repr=False)
class Equivalence(Result):
    """Whether normalised kappa_x is shown to be at least the margin, below it, or neither."""

    verdict: str
    """``equivalent``, ``not equivalent`` or ``inconclusive``."""
    margin: float
    figure: Estimate
    p: float
    """The p-value of the one-sided test that the figure is at or below the margin, from its standard error."""
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict, "margin": self.margin, "p": jsonable(self.p), "sentence": self.sentence,
            "figure": self.figure.to_dict(),
        }  # fmt: skip

    def to_columns(self) -> dict[str, list[Any]]:
        return {k: [v] for k, v in self.to_dict().items() if k != "figure"}

    def __str__(self) -> str:
        return self.sentence


def verdict_of(figure: Estimate, margin: float, pools: tuple[str, str]) -> Equivalence:
    """Compare the whole interval with the margin: absence of a difference is not evidence of equivalence."""
    if not 0 < margin <= 1:
        raise UsageError(f"margin={margin:g}: pass a share of what the IRRs allow, between 0 and 1, such as 0.9.")
    if margin < LEAST:
        raise UsageError(
            f"margin={margin:g}: pools are equivalent if normalised kappa_x is at least the margin, and 1 is a perfect replication. For a loss of at most "
            f"{margin:g} use {1 - margin:g}; a margin below {LEAST:g} does not show equivalence."
        )
    x, y = pools
    p = float(special.ndtr((margin - figure.value) / figure.se)) if figure.se > 0 else math.nan
    if not math.isfinite(figure.low):
        why = figure.warnings[-1] if figure.warnings else "it has no interval"
        return Equivalence(
            "inconclusive", margin, figure, math.nan, f"{x} and {y}: equivalence is inconclusive ({why})."
        )
    interval = f"normalised kappa between the pools {shown(figure.value, 3)}, {figure.level:.0%} interval {shown(figure.low, 3)} to {shown(figure.high, 3)}"
    if figure.low >= margin:
        said, word = f"equivalent within the margin: the whole interval is at least {margin:g}", "equivalent"
    elif figure.high < margin:
        said, word = f"not equivalent: the whole interval is below {margin:g}", "not equivalent"
    else:
        said = (
            f"equivalence is inconclusive: the interval contains the margin of {margin:g}; more items would narrow it"
        )
        word = "inconclusive"
    return Equivalence(word, margin, figure, p, f"{x} and {y}: {said} ({interval}).")
