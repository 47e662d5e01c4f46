"""Every function accepts whatever ``read`` accepts (a path, a frame, rows), with ``read``'s column options in addition
to its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any, Protocol, TypedDict, TypeVar

from raters.annotations import Annotations
from raters.io.read import read
from raters.io.table import SeveralQuestions
from raters.options import asks

F = TypeVar("F", bound=Callable[..., Any])


class Frame(Protocol):
    """A dataframe or a relation of any library: an object with columns."""

    @property
    def columns(self) -> Any: ...


class ArrowStream(Protocol):
    """An object that provides its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Source = Annotations | str | PathLike[str] | Iterable[Any] | Frame | ArrowStream
"""What every function accepts in place of annotations: whatever :func:`raters.read` reads."""


class Reading(TypedDict, total=False):
    """How to read a source; :func:`raters.read` has more options."""

    item: str | Sequence[str] | None
    """The column of the items (or several columns); identified by its name if omitted."""
    rater: str | Sequence[str] | None
    """The column of the raters."""
    label: str | None
    """The column of the labels."""
    scale: str | None
    """``nominal ordinal interval ratio circular sets``; inferred from the labels and reported if omitted."""
    labels: Sequence[Any] | None
    """The labels in order, including those that do not occur."""
    question: str | None
    """For an export of a labelling tool: which question to read, if there are several."""


READING = frozenset(Reading.__annotations__)


def table(source: Source) -> Annotations:
    """The annotations of a source; annotations are returned unchanged."""
    return source if isinstance(source, Annotations) else read(source)


def takes_tables(
    *names: str,
    options: type = Reading,
    keep: tuple[type, ...] = (),
    fixed: Mapping[str, Any] | None = None,
    several: tuple[str, ...] = (),
    together: Callable[[dict[str, Any], Mapping[str, Any]], Any] | None = None,
) -> Callable[[F], F]:
    """Read the arguments for the parameters ``names`` (by default the first), and check options as ``asks`` does.

    ``options``: the TypedDict behind ``**options``, which has the keys of ``Reading``. ``keep``: other types that the
    function accepts unchanged. ``fixed``: further options for ``read``, for sources that are not read yet. ``several``:
    parameters that take one table or a list of tables or paths, which the function gets as a tuple.
    ``together``: from the results for every question of a source that asks several, and the options, to one result;
    ``scale`` and ``labels`` may then be a dictionary, with those of each question.
    """

    def decorate(function: F) -> F:
        parameters = inspect.signature(function).parameters
        positions = list(parameters)
        wanted = frozenset(names or [name for name in positions if name != "self"][:1])
        many = next((i for i, p in enumerate(parameters.values()) if p.kind is p.VAR_POSITIONAL), None)

        def is_table(at: int) -> bool:
            return positions[at if many is None else min(at, many)] in wanted

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            try:
                return answer(*args, **given)
            except SeveralQuestions as found:
                asked = found.questions
                if together is None:
                    raise
            return together({q: answer(*args, **for_question(given, q)) for q in asked}, given)

        def answer(*args: Any, **given: Any) -> Any:
            how = {name: given.pop(name) for name in READING & given.keys()}
            if how or any(not isinstance(x, Annotations) for x in args):
                args = tuple(
                    opened(x, how, keep, fixed) if i >= len(positions) or is_table(i) else x for i, x in enumerate(args)
                )
            for name in wanted & given.keys():
                if name in several and _tables(given[name]):
                    given[name] = tuple(opened(one, how, keep, fixed) for one in given[name])
                else:
                    given[name] = opened(given[name], how, keep, fixed)
            return function(*args, **given)

        return asks(options=options)(call)  # type: ignore[return-value]

    return decorate


def for_question(given: Mapping[str, Any], question: str) -> dict[str, Any]:
    """The options for one question; from a dictionary of scales or labels, its own."""
    own = {k: v.get(question) for k, v in given.items() if k in ("scale", "labels") and isinstance(v, Mapping)}
    return {**given, **own, "question": question}


def _tables(given: Any) -> bool:
    """Whether this is a list of tables, not the rows of one table."""
    return isinstance(given, (list, tuple)) and all(isinstance(x, Annotations | str | PathLike) for x in given)


def opened(source: Any, how: Mapping[str, Any], keep: tuple[type, ...], fixed: Mapping[str, Any] | None) -> Any:
    """One source as annotations; None and the types in ``keep`` are returned unchanged."""
    if source is None or isinstance(source, keep) or (isinstance(source, Annotations) and not how):
        return source
    more = {} if fixed is None or isinstance(source, Annotations) else fixed
    return read(source, **{**more, **how})
