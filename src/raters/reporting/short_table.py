"""Estimates as a table of an answer: two digits, and only the columns that say something of these rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from raters.coefficients import REGISTRY
from raters.estimate import Estimate, shown
from raters.reporting.answer import Grid
from raters.reporting.names import called

Column = tuple[str, Callable[[Estimate], str]]
DETAILS = ("gain", "change", "accuracy", "flags")
"""Details of an estimate that a short table has, the first to go first where it is too wide."""
SMALL = 0.05


def figure(x: Any, digits: int = 2) -> str:
    """A number with two digits after the point.

    >>> figure(0.3475), figure(1234), figure(float("nan")), figure("often guesses")
    ('0.35', '1,234', '-', 'often guesses')
    """
    return "-" if isinstance(x, float) and not math.isfinite(x) else shown(x, digits)


def value_of(e: Estimate, x: float) -> str:
    """A figure of an estimate: a whole number where it counts something (``details["counts"]``), with two digits of
    the largest of its limits where these are small.

    >>> e = Estimate("bits", 0.004, 0.001, 0.0071)
    >>> value_of(e, e.value), value_of(Estimate("alpha", 0.3475, -0.01, 0.4), 0.3475)
    ('0.0040', '0.35')
    """
    if e.details.get("counts") and math.isfinite(x):
        return figure(int(x))
    most = max((abs(part) for part in (e.value, e.low, e.high) if math.isfinite(part)), default=1.0)
    digits = 2 if not 0 < most < SMALL else min(4, 1 - math.floor(math.log10(most)))
    return figure(float(x), digits)


def limits(e: Estimate) -> str:
    if e.details.get("counts") and math.isfinite(e.low) and not math.isfinite(e.high):
        return f"{value_of(e, e.low)} or more"
    return f"{value_of(e, e.low)} to {value_of(e, e.high)}" if math.isfinite(e.low) and math.isfinite(e.high) else "-"


def name_of(e: Estimate) -> str:
    """A row's name, with the weights where labels were compared by weights."""
    weighted = e.name == e.coefficient and e.parts == "agreement" and e.weights and not e.unweighted
    return f"{called(e)} ({e.weights})" if weighted else called(e)


def short_table(table: Sequence[Estimate], marks: dict[str, str] | None = None) -> Grid:
    """The rows with their figures; ``marks``: what stands behind a name."""
    columns = _columns(table, marks or {})
    rows = tuple(tuple(cell(e) for _, cell in columns) for e in table)
    head = tuple(name for name, _ in columns)
    left = frozenset(i for i, name in enumerate(head) if i == 0 or name in ("coefficient", "compared", "flags"))
    least = tuple(head.index(name) for name in ("items", "by chance", "compared", *DETAILS[:-1]) if name in head)
    return Grid(head, rows, left, least=least)


def _columns(table: Sequence[Estimate], marks: dict[str, str]) -> list[Column]:
    first = "slice" if len(table) and table[0].by else ""
    columns: list[Column] = [
        (first, lambda e: f"{name_of(e)} {marks.get(e.name, '')}".rstrip()),
        *_what_of(table),
        ("value", lambda e: value_of(e, e.value)),
    ]
    if any(math.isfinite(e.low) for e in table):
        columns.append((f"{table[0].level:.0%} interval", limits))
    if any(_chance(e) != "-" for e in table):
        columns.append(("by chance", _chance))
    columns += [_detail(name) for name in DETAILS if any(e.details.get(name, "") != "" for e in table)]
    if len({e.n_items for e in table}) > 1:
        columns.append(("items", lambda e: shown(e.n_items)))
    return columns


def _what_of(table: Sequence[Estimate]) -> list[Column]:
    """Which coefficient each row has, and what it compares, where rows differ in that or are named by something else."""
    columns: list[Column] = []
    several = len({e.coefficient for e in table}) > 1
    if several and any(e.coefficient in REGISTRY and e.name != e.coefficient for e in table):
        columns.append(("coefficient", lambda e: REGISTRY[e.coefficient].title if e.coefficient in REGISTRY else ""))
    if any("against" in e.details for e in table):
        columns.append(
            ("compared", lambda e: "{of} against {against}".format(**e.details) if "against" in e.details else "")
        )
    return columns


def _chance(e: Estimate) -> str:
    """Agreement by chance alone, where the coefficient is corrected for it; a difference of two has none."""
    row = REGISTRY.get(e.coefficient)
    known = (
        "paired" not in e.details
        and e.parts == "agreement"
        and math.isfinite(e.expected)
        and row is not None
        and row.beyond_chance
    )
    return f"{e.expected:.0%}" if known else "-"


def _detail(name: str) -> Column:
    return name, lambda e: figure(e.details.get(name, "-"))
