"""Notes about labels that look like something else: a missing label, a code for one, or words with an order."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from raters.errors import brief

NOTHING = frozenset(
    {
        "na",
        "n/a",
        "n.a.",
        "nan",
        "null",
        "#n/a",
        "#na",
        "missing",
        "-",
        "--",
        "?",
        "not labelled",
        "not labeled",
        "skip",
        "skipped",
    }
)
CODES = (-1, -9, -99, -999, 88, 99, 888, 999, 9999)
"""Numbers that surveys use as codes for a missing answer."""
SCALES = (
    ("strongly disagree", "disagree", "somewhat disagree", "slightly disagree", "neither agree nor disagree", "neither", "neutral", "undecided",
     "slightly agree", "somewhat agree", "agree", "strongly agree"),
    ("never", "rarely", "seldom", "occasionally", "sometimes", "often", "frequently", "usually", "always"),
    ("very poor", "poor", "very bad", "bad", "fair", "ok", "okay", "average", "acceptable", "good", "very good", "excellent"),
    ("very low", "low", "medium", "moderate", "high", "very high"),
    ("none", "not at all", "slight", "slightly", "mild", "a little", "somewhat", "moderate", "moderately", "very", "severe", "extremely"),
    ("very unlikely", "unlikely", "possible", "likely", "very likely"),
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
)  # fmt: skip


def told(keys: Any, counts: Any, kind: str) -> tuple[str, ...]:
    """Notes about labels that were kept unchanged."""
    if kind == "text":
        return (*nothing_said(keys.tolist(), counts.tolist()), *ordered_words(keys.tolist()))
    return codes_apart(keys.tolist(), counts.tolist()) if kind == "number" else ()


def nothing_said(labels: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    """Words that often stand for a missing label."""
    return tuple(
        f"{brief(label)} counts as a label ({n:,} annotation{'' if n == 1 else 's'}); pass missing=[{brief(label)}] "
        f"(--missing {shlex.quote(label)}) if it marks a missing label"
        for label, n in zip(labels, counts, strict=True)
        if label.casefold() in NOTHING
    )


def codes_apart(labels: Sequence[float], counts: Sequence[int]) -> tuple[str, ...]:
    """A note about a number far from the other labels that surveys use as a code for a missing answer."""
    odd = [(x, int(n)) for x, n in zip(labels, counts, strict=True) if x in CODES]
    rest = [x for x in labels if x not in CODES]
    if not odd or len(rest) < 2 or min(rest) < 0 or max(rest) > 11:
        return ()
    return tuple(
        f"label {int(x)} is far from the others ({n:,} annotation{'' if n == 1 else 's'}), like a code for a missing answer; "
        f"pass missing=[{int(x)}] (--missing {int(x)}) if it is one"
        for x, n in odd
    )


def ordered_words(labels: Sequence[str]) -> tuple[str, ...]:
    """A note about words that are the points of an ordered scale.

    >>> ordered_words(["agree", "disagree", "neutral"])[0][-56:]
    'scale ordinal --labels disagree,neutral,agree) to use it'
    """
    for scale in SCALES:
        places = {label: scale.index(label.casefold()) for label in labels if label.casefold() in scale}
        if len(places) == len(labels) >= 3:
            order = ",".join(sorted(labels, key=lambda label: places[label]))
            return (
                "the labels look like points of an ordered scale, but were read without an order; pass scale='ordinal' and labels= in order "
                f"(--scale ordinal --labels {shlex.quote(order)}) to use it",
            )
    return ()
