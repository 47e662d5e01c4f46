"""What to do first where labels are sets."""

from __future__ import annotations

import math

from raters.estimate import Estimate, shown
from raters.reporting.cards import OFTEN, label_uses
from raters.reporting.context import Context
from raters.reporting.headline import OWN_RULE
from raters.reporting.verdict_values import Step

NAMED = 3
COUNTING = "Counting each label as given or not given"


def of_sets(c: Context) -> Step:
    """The labels on which raters agree least, as far as they were given often enough to tell."""
    rows = () if isinstance(c.sets, str) else c.sets.per_label
    uses = label_uses(c)
    known = sorted((e for e in rows if math.isfinite(e.value) and uses.get(e.name, 0) >= OFTEN), key=lambda e: e.value)
    if len(rows) < 2 or not known:
        return Step("sets", "Read some items together", "No label can be shown to have less agreement than the others.")
    if len(known) <= NAMED and all(e.high < OWN_RULE[0] for e in known):
        each = _and([f"{shown(e.value, 2)} for {e.name!r}{_limits(e)}" for e in known])
        text = f"Raters disagree about every label. {COUNTING}, alpha is {each}. Write into the codebook, with examples, when each of them applies, and when to give two."
        return Step("sets", "Define more clearly when each label applies", text)
    least = _and([f"{e.name!r} ({shown(e.value, 2)}{_limits(e, ', ', '')})" for e in known[:NAMED]])
    rare = f" Labels given fewer than {OFTEN} times are left aside." if len(known) < len(rows) else ""
    text = f"{COUNTING}, alpha is lowest for {least}.{rare} Write into the codebook, with examples, when to give them."
    return Step("sets", "Define more clearly the labels with the least agreement", text)


def _and(said: list[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _limits(e: Estimate, before: str = " (", after: str = ")") -> str:
    return f"{before}{shown(e.low, 2)} to {shown(e.high, 2)}{after}" if math.isfinite(e.low) else ""
