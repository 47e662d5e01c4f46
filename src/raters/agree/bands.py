"""Conventional bands for coefficients, reported in addition to the interval and never in its place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from scipy import special

from raters.coefficients import REGISTRY
from raters.errors import UsageError
from raters.estimate import SCHEMA, Estimate, Result, jsonable, row_named, shown, text_table
from raters.notes.note import Note
from raters.options import asks

SCHEMES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "landis_koch": (
        (0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"), (-1.0, "poor"),
    ),
    "altman": ((0.8, "very good"), (0.6, "good"), (0.4, "moderate"), (0.2, "fair"), (-1.0, "poor")),
    "fleiss": ((0.75, "excellent"), (0.4, "intermediate to good"), (-1.0, "poor")),
    "krippendorff": ((0.8, "reliable"), (0.667, "good for tentative conclusions"), (-1.0, "not reliable enough")),
}  # fmt: skip
"""For each author, from the top: where a band begins, and its name.

Landis & Koch (1977), Biometrics 33; Altman (1991), Practical Statistics for Medical Research; Fleiss (1981),
Statistical Methods for Rates and Proportions; Krippendorff (2004), Content Analysis.
"""

CLOSE = 0.01
"""An end of an interval that is closer than this to a limit is on neither side of it: another seed moves the end by
about as much.
"""
FEW_ITEMS = 100
"""Items below which the bands that the data support are too high too often."""


@dataclass(frozen=True)
class Band:
    """One author's names for the value and the two limits, and the band that the interval supports."""

    scheme: str
    of_value: str
    of_limits: tuple[str, str] | None
    supported: str | None
    """The highest band that the coefficient reaches with the requested probability (Gwet's benchmarking).

    None if only the lowest band qualifies but the interval extends beyond it: the data then support no band.
    """
    probability: float
    """The probability that the coefficient lies in the supported band or above; nan if none is supported."""


@dataclass(frozen=True, repr=False)
class Bands(Result, Sequence[Band]):
    """Every author's band for one estimate; empty if conventional bands do not apply."""

    estimate: Estimate
    rows: tuple[Band, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        return key in ([b.scheme for b in self.rows] if isinstance(key, str) else self.rows)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str) -> Band: ...
        @overload
        def __getitem__(self, key: slice) -> Bands: ...

    def __getitem__(self, key: int | str | slice) -> Band | Bands:
        """A band by its position or by its scheme, such as ``"landis_koch"``; a slice has the same type."""
        if isinstance(key, slice):
            return Bands(self.estimate, self.rows[key])
        return row_named(self.rows, [b.scheme for b in self.rows], key) if isinstance(key, str) else self.rows[key]

    @property
    def notes(self) -> tuple[Note, ...]:  # type: ignore[override]
        """What has to be known about them."""
        if not self.rows or self.estimate.n_items >= FEW_ITEMS:
            return ()
        return (Note("bands_of_few", {"limit": FEW_ITEMS}),)

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "estimate": self.estimate.to_dict(), "bands": [jsonable(vars(b)) for b in self.rows]}

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each author."""
        limits = [b.of_limits or (None, None) for b in self.rows]
        columns: dict[str, list[Any]] = {
            "scheme": [b.scheme for b in self.rows],
            "of_value": [b.of_value for b in self.rows],
        }
        columns |= {"of_low": [low for low, _ in limits], "of_high": [high for _, high in limits]}
        return columns | {name: [getattr(b, name) for b in self.rows] for name in ("supported", "probability")}

    def plot(self) -> Any:
        """The estimate with its interval, as an Altair chart."""
        return self.estimate.plot()

    def __str__(self) -> str:
        rows = [[b.scheme, b.of_value, b.supported or "not settled"] for b in self.rows]
        return (
            "\n".join(
                [
                    *text_table(["scheme", "of the value", "supported by the data"], rows),
                    *(f"note: {w}" for w in self.notes),
                ]
            )
            if rows
            else "no conventional bands apply"
        )

    def __repr__(self) -> str:
        return (
            f"<Bands of {self.estimate.name}:"
            f" {', '.join(f'{b.of_value} ({b.scheme})' for b in self.rows) or 'none apply'}>"
        )


def name_of(value: float, scheme: str) -> str:
    """The band that a value falls into.

    >>> name_of(0.61, "landis_koch"), name_of(0.61, "krippendorff")
    ('substantial', 'not reliable enough')
    """
    bands = SCHEMES[scheme]
    return next((name for start, name in bands if value >= start), bands[-1][1])


@asks()
def bands(e: Estimate, level: float = 0.95) -> Bands:
    """Return each author's conventional band for an estimate.

    ``supported`` is Gwet's probabilistic benchmark: going down from the top, the first band at which the cumulative
    probability of the coefficient (normal, truncated to -1 to 1) reaches ``level``. The lowest band is supported only
    if the whole interval lies in it. The reliability of aggregates has no bands, because it rises with every additional
    label.

    Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 6.

    >>> [b.supported for b in bands(Estimate("fleiss", 0.7, low=0.6, high=0.8, se=0.05))][:2]
    ['substantial', 'good']
    """
    if not 0 < level < 1:
        raise UsageError(f"level={level} is not between 0 and 1; 0.95 is usual.")
    row = REGISTRY.get(e.coefficient)
    if not math.isfinite(e.value) or (row is not None and not row.beyond_chance) or e.details.get("k", 1) != 1:
        return Bands(e, ())  # the bands were defined for chance-corrected agreement of single labels
    return Bands(e, tuple(_band(e, scheme, level) for scheme in SCHEMES))


def _band(e: Estimate, scheme: str, level: float) -> Band:
    limits = (
        (name_of(e.low, scheme), name_of(e.high, scheme)) if math.isfinite(e.low) and math.isfinite(e.high) else None
    )
    if not math.isfinite(e.se) or e.se <= 0:
        return Band(scheme, name_of(e.value, scheme), limits, None, math.nan)
    for start, name in SCHEMES[scheme]:
        reached = _above(start, e)
        if start == -1.0 and _reaches_past(e, scheme):
            return Band(scheme, name_of(e.value, scheme), limits, None, math.nan)
        if reached >= level or start == -1.0:
            return Band(scheme, name_of(e.value, scheme), limits, name, reached)
    raise UsageError(f"scheme {scheme!r} has no lowest band")


def _reaches_past(e: Estimate, scheme: str) -> bool:
    """Whether the interval extends beyond the lowest band."""
    high = e.high if math.isfinite(e.high) else e.value + 1.96 * e.se
    return high >= SCHEMES[scheme][-2][0]


def by_interval(e: Estimate) -> str:
    """What the interval implies under Krippendorff's rule for alpha (.667 and .8); empty without an interval.

    >>> by_interval(Estimate("alpha", 0.7, low=0.6, high=0.8))
    'the data do not settle whether it reaches .667'
    >>> by_interval(Estimate("alpha", 0.5, low=0.4, high=0.6))
    'the whole interval lies below .667: not reliable enough'
    >>> by_interval(Estimate("alpha", 0.6, low=0.5, high=0.66))
    'the whole interval lies below .667: not reliable enough, but this is a close call, because it ends at 0.66'
    """
    if not (math.isfinite(e.low) and math.isfinite(e.high)):
        return ""
    said = _by_limits(e)
    marks = (0.667, 0.8) if e.low >= 0.667 else (0.667,)
    end = next((x for x in (e.low, e.high) for mark in marks if abs(x - mark) < CLOSE), None)
    if end is None:
        return said
    return f"{said}, but this is a close call, because it {'ends' if end == e.high else 'begins'} at {shown(end, 2)}"


def _by_limits(e: Estimate) -> str:
    if e.high < 0.667:
        return "the whole interval lies below .667: not reliable enough"
    if e.low < 0.667:
        return "the data do not settle whether it reaches .667"
    if e.low < 0.8:
        whether = ", and not above .8" if e.high < 0.8 else "; the data do not settle whether it reaches .8"
        return f"the whole interval lies above .667: good for tentative conclusions{whether}"
    return "the whole interval lies above .8: reliable"


def _above(start: float, e: Estimate) -> float:
    """P(coefficient >= start), normal around the value and truncated to -1 ... 1."""

    def below(x: float) -> float:
        return float(special.ndtr((x - e.value) / e.se))

    return (below(1.0) - below(start)) / (below(1.0) - below(-1.0))
