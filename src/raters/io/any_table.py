"""What every function accepts in place of annotations; :func:`raters.read` alone is told how to read it."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Protocol

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.io.read import read
from raters.notes.note import either as in_words
from raters.spans.units import Spans


class Frame(Protocol):
    """A dataframe or a relation of any library: an object with columns."""

    @property
    def columns(self) -> Any: ...


class ArrowStream(Protocol):
    """An object that provides its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Source = Annotations | Spans | str | PathLike[str] | Iterable[Any] | Frame | ArrowStream
"""What every function accepts in place of annotations: whatever :func:`raters.read` reads by itself."""


def table(source: Source | None, **fixed: Any) -> Annotations:
    """The annotations of a source; annotations are returned unchanged.

    ``fixed``: what the function requires of a source that is not read yet, such as sets of labels.
    """
    found = either(source, **fixed)
    if isinstance(found, Spans):
        raise SpansGiven(found)
    return found


class SpansGiven(UsageError):
    """Spans where labels of given items are needed."""

    def __init__(self, found: Spans) -> None:
        super().__init__(
            f"{found.source} holds spans: raters chose what to label. This is for labels of given items, not for spans;"
            " use agree, consensus, judge, krr, xrr or report, or make a label of every token: "
            + in_words(
                "raters.read(raters.spans.tokens.tokens(spans)).", "raters convert PROJECT --unit token -o tokens.csv."
            )
        )
        self.found = found


def either(source: Any, **fixed: Any) -> Annotations | Spans:
    """The annotations or the spans of a source."""
    return source if isinstance(source, Annotations | Spans) else read(source, **fixed)
