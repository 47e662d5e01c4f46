"""Two raters who give numbers: how far their labels lie apart."""

from __future__ import annotations

import math

from raters.errors import RatersError
from raters.estimate import EstimateTable, shown
from raters.reliability.variance.bland_altman import bland_altman
from raters.reporting.context import Context
from raters.reporting.verdict_values import OPEN, Figure


def limits_of_two(c: Context) -> EstimateTable | None:
    """The limits of agreement; None unless there are two raters, whose labels are numbers."""
    if c.ann.scale not in ("interval", "ratio") or c.ann.n_raters != 2:
        return None
    try:
        found = bland_altman(c.ann, level=c.level, interval=c.interval and "auto")
    except RatersError:
        return None
    return found if all(math.isfinite(e.value) for e in found) else None


def apart(c: Context) -> Figure | None:
    """The same as a figure of the first screen."""
    found = limits_of_two(c)
    if found is None:
        return None
    bias, low, high = (found[name] for name in ("bias", "lower limit", "upper limit"))
    one, other = (str(bias.details[k]) for k in ("rater_a", "rater_b"))
    more = "higher" if bias.value > 0 else "lower"
    shift = (
        f"On average, {one!r} gives labels that are {shown(abs(bias.value), 2)} {more} than those of {other!r}."
        if bias.low > 0 or bias.high < 0 or not math.isfinite(bias.low)
        else f"Neither is shown to give higher labels than the other (mean difference {shown(bias.value, 2)}; {bias.level:.0%} interval {shown(bias.low, 2)} to {shown(bias.high, 2)})."
    )
    text = f"Limits of agreement: about 95% of the differences ({one!r} minus {other!r}) lie between them. {shift}"
    shows = f"{shown(low.value, 2)} to {shown(high.value, 2)}"
    return Figure("How far two labels lie apart", shows, "95% of the differences", OPEN, text)
