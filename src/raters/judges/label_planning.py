"""How many human labels an interval of a given half-width needs, with and without the judge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy import special

from raters.estimate import jsonable, shown

NEVER = "no number of human labels reaches this half-width; have the judge label more items"


@dataclass(frozen=True)
class LabelsNeeded:
    """Human labels for an interval of value +- half-width; nan if no number of them is enough."""

    half_width: float
    human_only: float
    with_judge: float
    with_judge_low: float
    """The number at the end of the correlation's interval at which the judge is better."""
    with_judge_high: float
    floor: float
    """The half-width with infinitely many human labels: to get below it, only more judged items help."""
    road: str
    of: str = ""
    """The figure that the plan is for."""

    @property
    def sentence(self) -> str:
        figure = f" for {self.of}{',' if ',' in self.of else ''}" if self.of else ""
        head = (
            f"An interval of ±{self.half_width:g}{figure} needs {_up(self.human_only)} human labels without the judge"
        )
        if math.isnan(self.with_judge):
            return f"{head}; with the judge's errors alone, {NEVER} (at best ±{shown(self.floor, 3)})."
        span = (
            f" ({_up(self.with_judge_low)} to {_up(self.with_judge_high)}, given the uncertainty of the pilot about the judge's quality)"
            if math.isfinite(self.with_judge_low)
            else ""
        )
        return f"{head}, and {_up(self.with_judge)} with it{span}."

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items()} | {"sentence": self.sentence}


def _up(n: float) -> str:
    return "more than is possible" if not math.isfinite(n) else f"{math.ceil(n - 1e-9):,}"


def human_only(variance: float, half_width: float, level: float = 0.95) -> float:
    """Human labels without a judge: variance (z / h)^2."""
    return variance * (_z(level) / half_width) ** 2


def by_prediction(variance: float, rho2: float, judged: float, half_width: float, level: float = 0.95) -> float:
    """Human labels if a judge with squared correlation ``rho2`` labelled ``judged`` more items.

    .. math:: \\sigma^2 \\left[\\frac{1-\\rho^2}{n} + \\frac{\\rho^2}{n+N}\\right] = (h/z)^2

    >>> round(by_prediction(0.25, 0.64, 1000, 0.05), 4)
    174.8893
    """
    goal = (half_width / _z(level)) ** 2 / variance
    b = goal * judged - 1
    return float((-b + math.sqrt(b**2 + 4 * goal * (1 - rho2) * judged)) / (2 * goal))


def effective(n: float, judged: float, rho2: float) -> float:
    """How many human labels alone would be as precise: n (n + N) / (n + (1 - rho2) N)."""
    return n * (n + judged) / (n + (1 - rho2) * judged)


def by_errors(
    p: float, sensitivity: float, specificity: float, judged: float, half_width: float, level: float = 0.95
) -> float:
    """Human labels, drawn at random, from which the judge's errors are known well enough; nan if none are enough.

    >>> round(by_errors(0.5, 0.9, 0.9, 1000, 0.05), 4), by_errors(0.5, 0.7, 0.7, 1000, 0.05)
    (540.5132, nan)
    """
    j = sensitivity + specificity - 1
    q = p * sensitivity + (1 - p) * (1 - specificity)
    room = (half_width * j / _z(level)) ** 2 - q * (1 - q) / judged
    if room <= 0:
        return math.nan
    return (p * sensitivity * (1 - sensitivity) + (1 - p) * specificity * (1 - specificity)) / room


def floor_of_errors(p: float, sensitivity: float, specificity: float, judged: float, level: float = 0.95) -> float:
    """The half-width that perfect knowledge of the judge's errors would reach."""
    q = p * sensitivity + (1 - p) * (1 - specificity)
    return _z(level) * math.sqrt(q * (1 - q) / judged) / (sensitivity + specificity - 1)


def break_even(p: float) -> float:
    """Accuracy above which correcting the judge's errors beats the human labels alone, with a random subset and unlimited judge labels.

    >>> round(break_even(0.1), 8)
    0.92874646
    """
    return 0.5 + 1 / (2 * math.sqrt(1 + 4 * p * (1 - p)))


def allocation(p: float, sensitivity: float, specificity: float) -> float:
    """The best share of positives among items that people label to learn the judge's errors."""
    one, zero = p * math.sqrt(sensitivity * (1 - sensitivity)), (1 - p) * math.sqrt(specificity * (1 - specificity))
    return one / (one + zero) if one + zero > 0 else 0.5


def correlation_limits(r: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Fisher's limits of a correlation from n items."""
    if n < 4 or abs(r) >= 1:
        return -1.0 if n < 4 else r, 1.0 if n < 4 else r
    reach = _z(level) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def _z(level: float) -> float:
    return float(special.ndtri((1 + level) / 2))
