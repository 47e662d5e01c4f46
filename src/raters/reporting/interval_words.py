"""How intervals were found, in words that stand under a table and in a methods section."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.estimate import Estimate
from raters.inference.intervals import EVERY, method_title

RANGES = ("likelihood", "moments")
"""Intervals that are the range of what the data allow, where they do not determine a figure."""


def as_sentence(note: str) -> str:
    """A note as a whole sentence; a name that one types keeps its small letter.

    >>> as_sentence("sets were read from text"), as_sentence("alpha_x is low."), as_sentence("Two lines:")
    ('Sets were read from text.', 'alpha_x is low.', 'Two lines:')
    """
    first = note.split(" ", 1)[0]
    typed = any(sign in first for sign in "_=`'\"") or note.startswith("raters ")
    return (note if typed else note[:1].upper() + note[1:]) + ("" if note.endswith((".", "!", "?", ":")) else ".")


PUBLISHED = "published"
"""Limits that a paper states, carried to another figure: no data stand behind them here."""


def interval_note(estimates: Sequence[Estimate]) -> str:
    """One sentence: the level, each method with its reference, and what is resampled.

    >>> interval_note([Estimate("fleiss", 0.5, 0.4, 0.6, interval="bootstrap")])
    '95% intervals by the percentile bootstrap (Efron 1979) over items.'
    """
    unsaid = (None, PUBLISHED, *RANGES)
    there = [e for e in estimates if e.interval not in unsaid and math.isfinite(e.low)]
    allowed = _allowed([e for e in estimates if e.interval in RANGES and math.isfinite(e.low)], bool(there))
    if not there:
        return allowed
    ways = dict.fromkeys((e.interval, e.sampled) for e in there)
    said = [f"by {cited(name)} over {sampled}" for name, sampled in ways]
    return f"{there[0].level:.0%} intervals {'; '.join(said)}.{' ' if allowed else ''}{allowed}"


def _allowed(ranged: Sequence[Estimate], beside: bool) -> str:
    """Which figures have the range of what the data allow instead of an interval; ``beside``: others have intervals."""
    if not ranged:
        return ""
    by = " or ".join(dict.fromkeys(f"their {e.interval}" for e in ranged))
    names = list(dict.fromkeys(e.name for e in ranged))
    who = f"{', '.join(names[:3])}{f' and {len(names) - 3:,} more' if len(names) > 3 else ''}: " if beside else ""
    rule = f"the range that the data allow by {by}, at {ranged[0].level:.0%}"
    return (
        f"{who}{rule} (not an interval of that kind)."
        if beside
        else f"Ranges: what the data allow by {by} at {ranged[0].level:.0%}."
    )


def cited(name: str | None) -> str:
    """A method with its first reference.

    >>> cited("imaginary")
    'a Bayesian bootstrap with one prior item (Ferguson 1973)'
    """
    row = EVERY.get(name or "")
    if row is None:
        return {
            "F": "the F distribution",
            "t": "the t distribution",
            "noncentral t": "the noncentral t distribution",
            "t, paired": "the t distribution, items paired",
            "t, different items": "the t distribution, different items",
            "posterior": "draws from a Dirichlet posterior",
            "draws": "Dirichlet draws of the judge's errors and of its labels",
            "jeffreys": "Jeffreys' rule for shares",
            "z": "Fisher's z",
            "satterthwaite": "the F distribution (Satterthwaite)",
            "dirichlet": "draws of each rater's error rates",
            "skill": "what the others' labels alone allow (raters not shown to carry information)",
        }.get(str(name), str(name))
    return f"{row.title} ({row.cited})" if row.cited else row.title


def in_words(name: str | None, resamples: int) -> str:
    """The method as a methods section says it."""
    row = EVERY.get(name or "")
    return row.words.format(resamples=f"{resamples:,}") if row else method_title(name)
