"""Errors in the user's data or calls. Every message is one line: what was found, where, and what to do."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SPANS_REFUSED = (
    "places in a picture, a recording or a dialogue, or relations; what is read has a start and an end in one text."
    " Write them as a table with columns document, rater, start, end and label (offsets in the whole text, or"
    " milliseconds), or make an item of each unit that could be labelled (a token, a paragraph, a box that was matched"
    " before), with one row for each rater and unit, including units that a rater left unmarked."
)
"""What to do with labels that are placed inside items and are no spans of a text."""


class RatersError(ValueError):
    """An error that the user can correct; the command line prints it and exits with code 2."""


class DataError(RatersError):
    """An error in the data, such as a broken row, a label that is not on the scale, or an empty table."""


class UsageError(RatersError):
    """An error in the call, such as an unknown column, option, scale or coefficient."""


class NotInFile(UsageError):
    """An option that does not apply to this file: a column that it lacks, or a question if it is not an export of a
    tool.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class NoColumn(UsageError):
    """No column of a file looks like the item, the rater or the label."""

    def __init__(self, role: str, message: str) -> None:
        super().__init__(message)
        self.role = role


class RatersWarning(UserWarning):
    """The result is valid, but depends on an assumption or excludes something."""


def warn(message: str) -> None:
    """Issue a :class:`RatersWarning` that points to the calling line outside raters."""
    frame, level = sys._getframe(1), 2  # 2: the line that called this
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "raters":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RatersWarning, stacklevel=level)


def interrupted(error: BaseException) -> bool:
    """Whether an error is what DuckDB makes of Ctrl-C."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"


def listed(values: object, limit: int = 8) -> str:
    """The values as they appear in a message; a long list is shortened.

    >>> listed(["no", "yes"])
    "'no', 'yes'"
    >>> listed(range(100), limit=3)
    '0, 1, 2, ... (100 in all)'
    """
    items = list(values)  # type: ignore[call-overload]
    shown = ", ".join(brief(v) for v in items[:limit])
    return shown if len(items) <= limit else f"{shown}, ... ({len(items):,} in all)"


_hidden = ContextVar("hidden", default=False)


@contextmanager
def raters_hidden(hidden: bool) -> Iterator[None]:
    """While this runs, messages do not say which rater they are about, if this was asked for."""
    token = _hidden.set(hidden)
    try:
        yield
    finally:
        _hidden.reset(token)


def of_rater(rater: object) -> str:
    """The rater of a place in the data, after the item; empty if there is none, or if raters are hidden."""
    return "" if rater is None or _hidden.get() else f", rater {brief(rater)}"


def brief(value: object, limit: int = 60) -> str:
    """One value as Python writes it, on one line and cut short.

    >>> brief("a" * 100, limit=8)
    "'aaaaaaa..."
    """
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= limit else text[:limit] + "..."
