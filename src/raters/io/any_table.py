"""What every function accepts in place of annotations; :func:`raters.read` alone is told how to read it."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Protocol

from raters.annotations import Annotations
from raters.io.read import read


class Frame(Protocol):
    """A dataframe or a relation of any library: an object with columns."""

    @property
    def columns(self) -> Any: ...


class ArrowStream(Protocol):
    """An object that provides its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Source = Annotations | str | PathLike[str] | Iterable[Any] | Frame | ArrowStream
"""What every function accepts in place of annotations: whatever :func:`raters.read` reads by itself."""


def table(source: Source | None, **fixed: Any) -> Annotations:
    """The annotations of a source; annotations are returned unchanged.

    ``fixed``: what the function requires of a source that is not read yet, such as sets of labels.
    """
    return source if isinstance(source, Annotations) else read(source, **fixed)
