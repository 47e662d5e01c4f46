"""Scale and label order: as given, or inferred from the labels and reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine, counted
from raters.engines.patterns import PatternEngine
from raters.errors import DataError, UsageError, brief, listed, of_rater
from raters.io.labels.numbers import as_numbers
from raters.io.sources.rows import written
from raters.notes.note import Note
from raters.scales.scale import Scale

GIVEN = Note("scale_given")
FEW = 11
"""Up to this many distinct whole numbers are treated as ordered categories."""


@dataclass(frozen=True)
class Settled:
    """What is known about the labels."""

    scale: Scale
    reason: Note
    labels: tuple[Any, ...]
    keys: NDArray[Any]
    declared: bool
    period: float | None
    warning: Note | None = None


@dataclass(frozen=True)
class Found:
    """Distinct labels as the engine holds them, in order, with the engine to look up where one occurs."""

    keys: NDArray[Any]
    counts: NDArray[Any]
    kind: str
    source: str
    engine: Engine
    by_position: bool = False
    mixed: bool = False
    ordered: bool = False


def decide(found: Found, given: Scale | None, declared: Sequence[Any] | None, period: float | None) -> Settled:
    """Scale and label order from what was found and what was given."""
    check_options(given, declared, period)
    if found.kind != "text":
        finite(found)
    keys = found.keys if declared is None else declared_keys(found, declared)
    labels = presented(keys, found.kind)
    scale, reason = (given, GIVEN) if given else assumed(found, keys)
    check_scale(found, scale, declared)
    warning = advice(found, scale, reason) if not given else None
    return Settled(scale, reason, labels, keys, declared is not None, period, warning)


def check_options(scale: Scale | None, declared: Sequence[Any] | None, period: float | None) -> None:
    """Errors in the options themselves."""
    if isinstance(declared, str) or (declared is not None and len(declared) == 0):
        raise UsageError(f"labels={declared!r}: give a list of labels, in order, such as labels=['no', 'yes'].")
    if declared is not None and len(set(map(written, declared))) < len(declared):
        raise UsageError(f"labels= names a label twice: {listed(declared)}.")
    if period is not None and (scale is None or not scale.turns or not period > 0):
        raise UsageError(f"period={period!r} must be a positive number, and it applies only to scale='circular'.")


def finite(found: Found) -> None:
    """No infinities among numbers."""
    bad = found.keys[~np.isfinite(found.keys)]
    if len(bad):
        raise DataError(
            f"{found.source}: label {float(bad[0])} is not a finite number ({where(found, bad[:1])}). "
            "Drop these rows, or pass missing=[float('inf')]."
        )


def declared_keys(found: Found, declared: Sequence[Any]) -> NDArray[Any]:
    """Declared labels as the engine holds them; every label found must be among them."""
    if found.kind == "text":
        keys = np.array([written(v) for v in declared], dtype=object)
    else:
        numbers = as_numbers([int(v) if isinstance(v, bool | np.bool_) else v for v in declared])
        if numbers is None:
            what = "true and false" if found.kind == "bool" else "numbers"
            raise UsageError(f"labels=[{listed(declared)}], but the labels of {found.source} are {what}.")
        keys = np.array(numbers, dtype=np.float64)
    off = ~among(found.keys, keys)
    if off.any():
        raise off_scale(found, found.keys[off], declared)
    return keys


def among(keys: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Which keys occur among the others."""
    known = set(others.tolist())
    return np.array([key in known for key in keys.tolist()], dtype=bool)


def off_scale(found: Found, off: NDArray[Any], declared: Sequence[Any]) -> DataError:
    """A label that was not declared."""
    shown = presented(off, found.kind)
    verb = "label {} is" if len(off) == 1 else "labels {} are"
    return DataError(
        f"{found.source}: {verb.format(listed(shown))} not on the scale [{listed(declared, 20)}] ({where(found, off)})."
        f" Pass labels=[{listed([*declared, *shown], 20)}] in order, or missing=[{listed(shown, 20)}] to drop these"
        " rows."
    )


def where(found: Found, keys: NDArray[Any]) -> str:
    """The number of annotations with one of these labels, and the first of them."""
    n = int(found.counts[among(found.keys, keys)].sum())
    if isinstance(found.engine, PatternEngine):
        return counted(n, "annotation")
    at = found.engine.query(
        "SELECT item, rater FROM annotations JOIN off ON label = key ORDER BY row, item LIMIT 1",
        off={"key": keys[:1000]},
    )
    return f"{counted(n, 'annotation')}; first: item {brief(at['item'][0])}{of_rater(at['rater'][0])}"


def presented(keys: NDArray[Any], kind: str) -> tuple[Any, ...]:
    """Labels as the user wrote them: whole numbers as int, truth values as bool."""
    if kind == "text":
        return tuple(keys.tolist())
    if kind == "bool":
        return tuple(bool(k) for k in keys)
    whole = bool(np.all(keys == np.floor(keys))) and bool(np.all(np.abs(keys) < 2**63))
    return tuple(keys.astype(np.int64).tolist() if whole else keys.tolist())


def assumed(found: Found, keys: NDArray[Any]) -> tuple[Scale, Note]:
    """The scale that labels suggest, and why."""
    if found.ordered:
        return Scale.ordinal, Note("scale_of_ordered_column")
    if found.kind == "text":
        return Scale.nominal, Note("scale_of_mixed_labels" if found.mixed else "scale_of_text")
    if found.kind == "bool":
        return Scale.nominal, Note("scale_of_truth_values")
    if found.by_position:
        return Scale.nominal, Note("scale_by_position")
    if np.isin(keys, (0, 1)).all():
        return Scale.nominal, Note("scale_of_0_and_1")
    whole = bool(np.all(keys == np.floor(keys)))
    why = Note("scale_of_whole_numbers" if whole else "scale_of_numbers", {"n": len(keys)})
    return (Scale.ordinal if whole and len(keys) <= FEW else Scale.interval), why


def advice(found: Found, scale: Scale, reason: Note) -> Note | None:
    """The warning that goes with an assumption about numbers."""
    if scale.equality or reason.code == "scale_of_ordered_column":
        return None
    return Note("confirm_scale", {"source": found.source, "why": reason, "scale": str(scale)})


def check_scale(found: Found, scale: Scale, declared: Sequence[Any] | None) -> None:
    """Raise an error if the labels cannot be on the scale."""
    if found.kind == "text" and scale.ranks and declared is None:
        raise DataError(
            f"{found.source}: an ordinal scale of text labels needs their order. "
            f"State it from lowest to highest: raters.read(..., labels=[{listed(found.keys, 20)}])."
        )
    if found.kind == "text" and scale.numbers:
        key = next((k for k in found.keys if as_numbers([k]) is None), found.keys[0])
        raise DataError(
            f"{found.source}: scale={scale!r} needs numbers, but there are labels such as {brief(key)}"
            f" ({where(found, np.array([key], dtype=object))}). Use scale='nominal' or 'ordinal', convert them, or pass"
            f" missing=[{brief(key)}]."
        )
    if scale.zero and len(found.keys) and found.keys.min() < 0:
        low = found.keys[:1]
        raise DataError(
            f"{found.source}: scale={scale!r} does not allow negative labels, but {float(low[0]):g} occurs"
            f" ({where(found, low)}). Use scale='interval'."
        )


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
ORDERED_ANSWERS = (
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


def told(keys: Any, counts: Any, kind: str) -> tuple[Note, ...]:
    """Notes about labels that were kept unchanged."""
    if kind == "text":
        return (*nothing_said(keys.tolist(), counts.tolist()), *ordered_words(keys.tolist()))
    return codes_apart(keys.tolist(), counts.tolist()) if kind == "number" else ()


def nothing_said(labels: Sequence[str], counts: Sequence[int]) -> tuple[Note, ...]:
    """Words that often stand for a missing label."""
    return tuple(
        Note("looks_missing", {"label": label, "n": int(n)})
        for label, n in zip(labels, counts, strict=True)
        if label.casefold() in NOTHING
    )


def codes_apart(labels: Sequence[float], counts: Sequence[int]) -> tuple[Note, ...]:
    """A note about a number far from the other labels that surveys use as a code for a missing answer."""
    odd = [(x, int(n)) for x, n in zip(labels, counts, strict=True) if x in CODES]
    rest = [x for x in labels if x not in CODES]
    if not odd or len(rest) < 2 or min(rest) < 0 or max(rest) > 11:
        return ()
    return tuple(Note("code_of_missing", {"label": int(x), "n": n}) for x, n in odd)


def ordered_words(labels: Sequence[str]) -> tuple[Note, ...]:
    """A note about words that are the points of an ordered scale.

    >>> ordered_words(["agree", "disagree", "neutral"])[0].facts
    {'labels': ['disagree', 'neutral', 'agree']}
    """
    for scale in ORDERED_ANSWERS:
        places = {label: scale.index(label.casefold()) for label in labels if label.casefold() in scale}
        if len(places) == len(labels) >= 3:
            return (Note("ordered_words", {"labels": sorted(labels, key=lambda label: places[label])}),)
    return ()
