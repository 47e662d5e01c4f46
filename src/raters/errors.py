"""What can be wrong with what a user gave.

Every message is one line: what was found, where, and what to do.
"""

import sys
import warnings

SPANS_REFUSED = (
    "spans or relations, which are not supported: agreement is about one label, or one set of labels, of each item by each "
    "rater. Make an item of each unit that could be labelled (a token, a sentence, a marked span), with one row for each "
    "rater and unit, also where a rater left the unit unmarked."
)
"""How every command refuses labels that are placed inside items."""


class RatersError(ValueError):
    """Anything a user can put right; the command line prints it and exits with 2."""


class DataError(RatersError):
    """Something in the data: a broken row, a label off the scale, nothing to read."""


class UsageError(RatersError):
    """Something in the call: an unknown column, option, scale or coefficient."""


class RatersWarning(UserWarning):
    """The result stands, but rests on a guess or leaves something out."""


def warn(message: str) -> None:
    """Warn with a :class:`RatersWarning` that points to the line outside raters from which it was called."""
    frame, level = sys._getframe(1), 2  # 2: the line that called this
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "raters":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RatersWarning, stacklevel=level)


def listed(values: object, limit: int = 8) -> str:
    """Values as they read in a message, the list cut short where it is long.

    >>> listed(["no", "yes"])
    "'no', 'yes'"
    >>> listed(range(100), limit=3)
    '0, 1, 2, ... (100 in all)'
    """
    items = list(values)  # type: ignore[call-overload]
    shown = ", ".join(brief(v) for v in items[:limit])
    return shown if len(items) <= limit else f"{shown}, ... ({len(items):,} in all)"


def brief(value: object, limit: int = 60) -> str:
    """One value as Python writes it, on one line and cut short.

    >>> brief("a" * 100, limit=8)
    "'aaaaaaa..."
    """
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= limit else text[:limit] + "..."
