"""Estimate and tables of them: frozen values at full precision; nothing is rounded here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any, overload

SCHEMA = 1


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, its parts, and what to know about it.

    >>> e = Estimate("fleiss", 0.5, low=0.4, high=0.6)
    >>> float(e)
    0.5
    """

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    se: float = math.nan
    level: float = 0.95
    interval: str | None = None
    """How the interval was found, a name of the registry of methods (imaginary, stabilised, bootstrap, ...); None: the point alone."""
    observed: float = math.nan
    expected: float = math.nan
    parts: str = "agreement"
    """Whether observed and expected are agreement or disagreement."""
    n_items: int = 0
    n_raters: int = 0
    n_annotations: int = 0
    warnings: tuple[str, ...] = ()
    coefficient: str = ""
    weights: str = ""
    """The weights or the distance that were used."""
    title: str = ""
    sampled: str = "items"
    """What the interval draws anew (items, clusters, raters); all else is held fixed."""
    by: str | None = None
    """The column that this slice is of, if any."""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __float__(self) -> float:
        return float(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; undefined numbers are None, with the reason among the warnings."""
        row = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "details"}
        row |= self.details
        return {key: jsonable(v) for key, v in row.items()}

    def __str__(self) -> str:
        text = f"{self.title or self.name} = {shown(self.value)}"
        if self.interval is not None and math.isfinite(self.low):
            text += f" ({self.level:.0%} interval {shown(self.low)} to {shown(self.high)}, {self.interval})"
        return text + "".join(f"; {w}" for w in self.warnings)

    def _repr_html_(self) -> str:
        return EstimateTable((self,))._repr_html_()


COLUMNS = (
    "name",
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


@dataclass(frozen=True)
class EstimateTable(Sequence[Estimate]):
    """Several estimates: a sequence that can also be asked by name.

    >>> t = EstimateTable((Estimate("fleiss", 0.5), Estimate("scott", 0.25)))
    >>> [e.name for e in t], t["scott"].value
    (['fleiss', 'scott'], 0.25)
    """

    estimates: Sequence[Estimate]

    def __len__(self) -> int:
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    @overload
    def __getitem__(self, key: int | str) -> Estimate: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Estimate]: ...
    def __getitem__(self, key: int | str | slice) -> Estimate | Sequence[Estimate]:
        if isinstance(key, str):
            for e in self.estimates:
                if e.name == key:
                    return e
            raise KeyError(key)
        return self.estimates[key]

    def to_dict(self) -> dict[str, Any]:
        """``{"schema": 1, "estimates": [...]}``."""
        return {"schema": SCHEMA, "estimates": [e.to_dict() for e in self.estimates]}

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns for any dataframe: ``pandas.DataFrame(table.to_columns())``."""
        rows = [e.to_dict() for e in self.estimates]
        return {name: [row.get(name) for row in rows] for name in dict.fromkeys(key for row in rows for key in row)}

    def to_frame(self) -> Any:
        """A pandas (else polars) dataframe; without either, ``to_columns()`` gives plain lists."""
        return frame(self.to_columns())

    def __str__(self) -> str:
        return "\n".join(map(str, self.estimates))

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{c.replace('_', ' ')}</th>" for c in (*COLUMNS, "warnings"))
        body = "".join(_html_row(e) for e in self.estimates)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


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


def _html_row(e: Estimate) -> str:
    cells = [shown(getattr(e, c)) for c in COLUMNS] + ["; ".join(e.warnings)]
    if "against" in e.details:
        cells[0] += f" ({e.details['of']} against {e.details['against']})"
    return "<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in cells) + "</tr>"


def jsonable(value: Any) -> Any:
    """A value as JSON has it: nan and infinity are None, tuples are lists, numpy numbers are Python's."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(v) for v in value]
    return value


def name_of(value: Any) -> str:
    """The name of an estimate that is of one label, rater, item or value of a column; a missing value is called so."""
    return "(missing)" if value is None else str(value)


def shown(value: Any, digits: int = 4) -> str:
    """A number as people read it: 4 digits, whole numbers with thousands separators, undefined as 'undefined'."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.{digits}f}" if math.isfinite(value) else "undefined"
