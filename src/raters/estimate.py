"""Estimates and tables of estimates: frozen values at full precision; nothing is rounded here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from html import escape
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from raters.charts.of_results import estimate_chart
from raters.errors import UsageError, listed
from raters.notes.note import Note
from raters.words import printable

Row = TypeVar("Row")

SHORT = 160
"""The greatest length of a repr."""


class AmbiguousKeyError(UsageError, KeyError):
    """Several rows of a table have the requested name."""

    def __str__(self) -> str:
        return str(self.args[0])


def row_named(rows: Sequence[Row], names: Sequence[str], key: str) -> Row:
    """The row with this name; an error if none or several have it.

    >>> row_named([1, 2], ["a", "b"], "b")
    2
    """
    found = [row for row, name in zip(rows, names, strict=True) if name == key]
    if len(found) > 1:
        raise AmbiguousKeyError(f"{len(found):,} rows are called {key!r}; use their positions, 0 to {len(rows) - 1}.")
    if found:
        return found[0]
    raise no_row(key, names)


def no_row(key: object, names: Sequence[str]) -> KeyError:
    """The error for a name that no row has, with the nearest name."""
    near = get_close_matches(str(key), names, n=1)
    return KeyError(f"no row {key!r}; {f'did you mean {near[0]!r}?' if near else f'the rows are {listed(names)}.'}")


class Result:
    """The base class of results. Subclasses define ``__str__``, ``to_dict`` and ``to_columns``."""

    notes: tuple[Note, ...]
    """What has to be said about it, if anything."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes in sentences."""
        return tuple(map(str, self.notes))

    def __repr__(self) -> str:
        lines = str(self).splitlines() or [""]
        said = lines[0] if len(lines[0]) <= SHORT else lines[0][: SHORT - 1] + "…"
        return f"<{type(self).__name__}: {said}>"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(printable(line))}</p>" for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; undefined numbers are None."""
        raise NotImplementedError

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns for any dataframe: ``pandas.DataFrame(result.to_columns())``; undefined numbers are nan."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """A pandas (else polars) dataframe; without either, ``to_columns()`` gives plain lists."""
        return frame(self.to_columns())


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns; a missing number is nan, any other missing value is None.

    >>> columns_of([{"a": 1.5}, {"a": None, "b": "x"}])
    {'a': [1.5, nan], 'b': [None, 'x']}
    """
    names = dict.fromkeys(key for row in rows for key in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return {name: _numbers(column) for name, column in columns.items()}


def _numbers(column: list[Any]) -> list[Any]:
    there = [x for x in column if x is not None]
    if not there or len(there) == len(column) or not all(type(x) in (int, float) for x in there):
        return column
    return [math.nan if x is None else x for x in column]


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns as a pandas (else polars) dataframe."""
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError(
                "to_frame needs pandas or polars: pip install pandas; to_columns() needs neither."
            ) from None
        return polars.DataFrame(columns, strict=False)
    return pandas.DataFrame(columns)


def plain(value: Any) -> Any:
    """A value as a plain Python object: numpy numbers become Python's, tuples become lists; nan stays nan."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


class Told:
    """Part of a result, which JSON tells as it is: all fields, and the properties that ``also`` names."""

    also: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; undefined numbers are None."""
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        return {name: jsonable(getattr(self, name)) for name in (*names, *self.also)}


def jsonable(value: Any) -> Any:
    """A value ready for JSON: nan and infinity become None, tuples become lists, numpy numbers become Python's, and
    results what they tell.
    """
    if hasattr(value, "to_dict"):
        return jsonable(value.to_dict())
    if hasattr(value, "item") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(v) for v in value]
    return value


def p_shown(p: float, draws: float = 0, digits: int = 3) -> str:
    """A p-value in a sentence; after so many random draws, which cannot show a smaller one, the least is a limit.

    >>> p_shown(0.0321), p_shown(1 / 1000, 999), p_shown(0.002, 999)
    ('p = 0.0321', 'p <= 0.001', 'p = 0.002')
    """
    least = 1 / (draws + 1) if draws else 0.0
    return f"p {'<=' if p <= least * (1 + 1e-9) else '='} {p:.{digits}g}"


def shown(value: Any, digits: int = 4) -> str:
    """A number as text: 4 digits, whole numbers with thousands separators, nan as 'undefined'.

    >>> shown(0.5), shown(12345), shown(-1e-17), shown(-0.04, 1)
    ('0.5000', '12,345', '0.0000', '0.0')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "undefined"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text  # there is no minus zero


def html_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in HTML, everything escaped."""
    heads = "".join(f"<th scope='col'>{escape(printable(str(c)))}</th>" for c in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(printable(str(c)))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in plain text, columns aligned, everything printable."""
    head, rows = [printable(c) for c in head], [[printable(c) for c in row] for row in rows]
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    return ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in (head, *rows)]


SCHEMA = 1
PRIOR_ITEM = "Bayesian bootstrap with one prior item"
"""The printed name of the interval ``imaginary``."""
MOST_PRINTED = 200
UNWEIGHTED = ("identity", "nominal", "identity kappa")
"""Weights and distances by which labels are equal or not."""
"""Longer tables are printed up to this many rows."""


@dataclass(frozen=True, repr=False)
class Estimate(Result):
    """A number with its interval, its components and its warnings.

    >>> e = Estimate("fleiss", 0.5, low=0.4, high=0.6)
    >>> float(e), f"{e:.2f}", e > 0.4
    (0.5, '0.50', True)
    >>> e
    <Estimate: fleiss = 0.5000 (0.4000 to 0.6000)>
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    se: float = math.nan
    level: float = 0.95
    interval: str | None = None
    """The method of the interval (imaginary, stabilised, bootstrap, ...); None if there is only the point estimate."""
    observed: float = math.nan
    expected: float = math.nan
    parts: str = "agreement"
    """Whether observed and expected are agreement or disagreement."""
    n_items: int = 0
    n_raters: int = 0
    n_annotations: int = 0
    notes: tuple[Note, ...] = ()
    """What has to be said about the figure, and why it has no value if it has none."""
    coefficient: str = ""
    weights: str = ""
    """The agreement weights or the distance used."""
    title: str = ""
    sampled: str = "items"
    """The unit resampled for the interval (items, clusters, raters); everything else is held fixed."""
    by: str | None = None
    """The column that this estimate is a slice of, if any."""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            if getattr(self, name) == 0:
                object.__setattr__(self, name, 0.0)  # never -0.0, which reads as a tiny negative figure

    @property
    def unweighted(self) -> bool:
        """Whether labels were compared as equal or not."""
        return self.weights in UNWEIGHTED

    @property
    def undefined(self) -> Note | None:
        """Why the figure, or its interval, has no value; None if it has one, or nothing is known."""
        return next((n for n in reversed(self.notes) if n.level == "undefined"), None)

    @property
    def compared_as(self) -> str:
        """How labels were compared: equal or not, or by which weights or distance; "" if that does not apply."""
        return "equal or not" if self.unweighted else self.weights

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, spec: str) -> str:
        """``f"{e:.3f}"`` is the value; ``f"{e}"`` is the same as ``str(e)``."""
        return format(float(self.value), spec) if spec else str(self)

    # Estimates are ordered by their values, among themselves and with numbers; == compares all fields.
    def __lt__(self, other: Any) -> bool:
        b = _number(other)
        return NotImplemented if b is None else self.value < b

    def __le__(self, other: Any) -> bool:
        b = _number(other)
        return NotImplemented if b is None else self.value <= b

    def __gt__(self, other: Any) -> bool:
        b = _number(other)
        return NotImplemented if b is None else self.value > b

    def __ge__(self, other: Any) -> bool:
        b = _number(other)
        return NotImplemented if b is None else self.value >= b

    def to_dict(self) -> dict[str, Any]:
        """Plain values; undefined numbers are None, with the reason among the warnings."""
        row = {key: jsonable(v) for key, v in self.row().items()}
        return row | {"notes": [jsonable(n.to_dict()) for n in self.notes]}

    def row(self) -> dict[str, Any]:
        """All fields of the estimate, including its details; undefined numbers are nan."""
        row = {
            "warnings" if f.name == "notes" else f.name: self.warnings if f.name == "notes" else getattr(self, f.name)
            for f in fields(self)
            if f.name != "details"
        }
        return {key: plain(v) for key, v in (row | dict(self.details)).items()}

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns for any dataframe, with one row."""
        return columns_of([self.row()])

    def plot(self) -> Any:
        """The value with its interval, as an Altair chart."""
        return EstimateTable((self,)).plot()

    def __str__(self) -> str:
        text = f"{self.title or self.name} = {shown(self.value)}"
        if self.interval is not None and math.isfinite(self.low):
            how = PRIOR_ITEM if self.interval == "imaginary" else self.interval
            text += f" ({self.level:.0%} interval {shown(self.low)} to {shown(self.high)}, {how})"
        return printable(text + "".join(f"; {w}" for w in self.warnings))

    def __repr__(self) -> str:
        limits = f" ({shown(self.low)} to {shown(self.high)})" if math.isfinite(self.low) else ""
        return f"<Estimate: {self.name} = {shown(self.value)}{limits}>"

    def _repr_html_(self) -> str:
        return EstimateTable((self,))._repr_html_()


COLUMNS = (
    "value",
    "low",
    "high",
    "se",
    "observed",
    "expected",
    "n_items",
    "n_raters",
    "n_annotations",
)


@dataclass(frozen=True, repr=False)
class EstimateTable(Result, Sequence[Estimate]):
    """Several estimates: a sequence that can also be indexed by name.

    >>> t = EstimateTable((Estimate("fleiss", 0.5), Estimate("scott", 0.25)))
    >>> [e.name for e in t], t["scott"].value, "cohen" in t, len(t[:1])
    (['fleiss', 'scott'], 0.25, False, 1)
    >>> print(t)
    name    value
    fleiss  0.5000
    scott   0.2500
    """

    estimates: Sequence[Estimate]
    of: str = field(default="", kw_only=True)
    """What each row describes: a label, a rater, a pair, an item, a coefficient, or a value of a column."""

    def __len__(self) -> int:
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str | tuple):
            return bool(self._found(key))
        return any(e == key for e in self.estimates)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str | tuple[str, str]) -> Estimate: ...
        @overload
        def __getitem__(self, key: slice) -> Self: ...

    def __getitem__(self, key: int | str | tuple[str, str] | slice) -> Estimate | Self:
        """A row by its position, its name, or its name and coefficient; a slice is a table."""
        if isinstance(key, slice):
            return replace(self, estimates=tuple(self.estimates[key]))
        if not isinstance(key, str | tuple):
            return self.estimates[key]
        found = self._found(key)
        if len(found) == 1:
            return found[0]
        if found:
            one = found[0]
            raise AmbiguousKeyError(
                f"{len(found):,} rows are called {key!r}. Use the name and the coefficient, as in "
                f"table[{one.name!r}, {one.coefficient!r}], or iterate over the rows."
            )
        raise no_row(key, [e.name for e in self.estimates])

    def _found(self, key: str | tuple[Any, ...]) -> list[Estimate]:
        name, coefficient = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        return [e for e in self._named.get(name, []) if coefficient in (None, e.coefficient)]

    @cached_property
    def _named(self) -> dict[Any, list[Estimate]]:
        found: dict[Any, list[Estimate]] = {}
        for e in self.estimates:
            found.setdefault(e.name, []).append(e)
        return found

    def to_dict(self) -> dict[str, Any]:
        """``{"schema": 1, "estimates": [...]}``."""
        return {"schema": SCHEMA, "estimates": [e.to_dict() for e in self.estimates]}

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns for any dataframe: ``pandas.DataFrame(table.to_columns())``; undefined numbers are nan."""
        return columns_of([e.row() for e in self.estimates])

    def plot(self, *, axis: str | None = None) -> Any:
        """Every row with its interval, as an Altair chart; ``axis``: the title of the axis."""
        return estimate_chart(self, self.of, axis).altair()

    def __str__(self) -> str:
        several = len({e.coefficient or e.title for e in self.estimates[:MOST_PRINTED]}) > 1
        named = self.of in ("", "coefficient")
        limits = any(math.isfinite(e.low) for e in self.estimates[:MOST_PRINTED])
        head = [self.of or "name"]
        head += ["" if named else "coefficient"] if several else []
        titles = {e.title for e in self.estimates[:MOST_PRINTED]} - {""}
        head += [titles.pop() if len(titles) == 1 and not several else "value"]
        compared = len({e.compared_as for e in self.estimates[:MOST_PRINTED]}) > 1
        head += [f"{self.estimates[0].level:.0%} interval"] if limits else []
        head += ["labels compared as"] if compared else []
        rows = []
        for e in self.estimates[:MOST_PRINTED]:
            cells = [e.name, *([e.title if e.title != e.name else ""] if several else []), shown(e.value)]
            cells += [f"{shown(e.low)} to {shown(e.high)}" if math.isfinite(e.low) else ""] if limits else []
            rows.append([*cells, *([e.compared_as] if compared else [])])
        lines = text_table(head, rows)
        if len(self) > MOST_PRINTED:
            lines.append(f"... ({len(self):,} rows in all)")
        return "\n".join([*lines, *self._said()])

    def _said(self) -> list[str]:
        """Each warning once, with the rows it applies to."""
        about: dict[str, list[str]] = {}
        for e in self.estimates[:MOST_PRINTED]:
            for w in e.warnings:
                about.setdefault(w, []).append(e.name)
        return [f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}: {w}" for w, names in about.items()]

    def __repr__(self) -> str:
        names = ", ".join(e.name for e in self.estimates[:4])
        more = ", ..." if len(self) > 4 else ""
        what = f" by {self.of}" if self.of else ""
        return f"<{type(self).__name__}{what}, {len(self):,} row{'' if len(self) == 1 else 's'}: {names}{more}>"

    def _repr_html_(self) -> str:
        head = [self.of or "name", *(c.replace("_", " ") for c in COLUMNS), "warnings"]
        rows = [_html_row(e) for e in self.estimates[:MOST_PRINTED]]
        return html_table(head, rows)


def _number(other: Any) -> float | None:
    """The number that an estimate is compared with; None if it cannot be compared."""
    return float(other) if isinstance(other, Estimate | Real) else None


def _html_row(e: Estimate) -> list[str]:
    name = e.name + (f" ({e.details['of']} against {e.details['against']})" if "against" in e.details else "")
    return [name, *(shown(getattr(e, c)) for c in COLUMNS), "; ".join(e.warnings)]


def name_of(value: Any) -> str:
    """The name of the estimate for a label, a rater, an item or a value of a column; None becomes "(missing)"."""
    return "(missing)" if value is None else str(value)
