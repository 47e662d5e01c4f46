"""What an interval implies about single labels: the rule of alpha's author, in words."""

from __future__ import annotations

import math
from typing import Any

from raters.agree.bands import CLOSE
from raters.annotations import counted
from raters.estimate import Estimate, shown
from raters.reporting.document import BAD, GOOD, MIDDLE, OPEN
from raters.reporting.names import RANGES

OWN_RULE = (0.667, 0.8)
"""The bands that the author of alpha drew, for alpha alone."""


def word_of(e: Estimate) -> tuple[str, str]:
    """What the whole interval implies about single labels under Krippendorff's rule (.667 and .8), and its tone.

    >>> word_of(Estimate("alpha", 0.35, 0.31, 0.39)), word_of(Estimate("alpha", 0.7, 0.2, 0.9, n_items=3))
    (('too low to use alone', 'bad'), ('cannot tell from 3 items', 'open'))
    >>> word_of(Estimate("alpha", 0.6, 0.5, 0.66))
    ('a close call: the interval ends at 0.66', 'open')
    """
    if not math.isfinite(e.value):
        return "cannot be measured", OPEN
    if not (math.isfinite(e.low) and math.isfinite(e.high)):
        return "without an interval nothing can be said", OPEN
    side = side_of(e, OWN_RULE[0])
    if side != "above":
        said = {
            "below": ("too low to use alone", BAD),
            "across": (f"cannot tell from {counted(e.n_items, 'item')}", OPEN),
        }
        return said.get(side, (close_call(e, OWN_RULE[0]), OPEN))
    if e.low >= OWN_RULE[1]:
        return ("reliable, but only just" if side_of(e, OWN_RULE[1]) == "close" else "reliable"), GOOD
    return "good enough for tentative conclusions", MIDDLE


def one_label_is(e: Estimate, thing: str) -> str:
    """The same as the beginning of a sentence.

    >>> one_label_is(Estimate("alpha", 0.35, 0.31, 0.39), "label")
    'One label is not reliable enough here'
    """
    tone = word_of(e)[1]
    if tone == OPEN:
        if side_of(e, OWN_RULE[0]) == "close":
            return f"Whether one {thing} is reliable enough here is a close call"
        return (
            f"{counted(e.n_items, 'item')} do{'es' * (e.n_items == 1)} not show whether one {thing} is reliable enough"
        )
    said = {BAD: "not reliable enough", MIDDLE: "good enough for tentative conclusions", GOOD: "reliable"}[tone]
    return f"One {thing} is {said} here"


def looks_misread(ann: Any, e: Estimate) -> bool:
    """Whether raters agree less than by chance, beyond doubt, in a table whose columns were not named: then these are
    hardly labels of the same items.
    """
    return bool(getattr(ann, "guessed", False) and e.high < 0)


def side_of(e: Estimate, mark: float) -> str:
    """On which side of a limit an interval lies: below, above, across, or too close to it to tell.

    >>> [side_of(Estimate("a", 0.6, low, high), 0.667) for low, high in ((0.5, 0.6), (0.5, 0.66), (0.5, 0.7), (0.67, 0.7), (0.7, 0.8))]
    ['below', 'close', 'across', 'close', 'above']
    """
    if min(abs(e.low - mark), abs(e.high - mark)) < CLOSE:
        return "close"
    return "below" if e.high < mark else "above" if e.low >= mark else "across"


def close_call(e: Estimate, mark: float) -> str:
    """What is said where an interval ends next to a limit."""
    ends, at = ("ends", e.high) if abs(e.high - mark) < CLOSE else ("begins", e.low)
    return f"a close call: the {'range' if e.interval in RANGES else 'interval'} {ends} at {shown(at, 2)}"
