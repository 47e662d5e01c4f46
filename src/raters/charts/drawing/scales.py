"""From values to places: numbers along a line, names in slots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.charts.drawing.layers import BeyondDrawing, Layer, Spec
from raters.charts.drawing.numbers import nice

SLOT_BARS = 0.9
"""The share of its slot that a bar fills."""


@dataclass(frozen=True)
class Along:
    """Numbers from ``low`` at the pixel ``start`` to ``high`` at the pixel ``end``."""

    low: float
    high: float
    log: bool
    start: float
    end: float

    def at(self, value: float, position: float = 0.5) -> float:
        low, high, value = (
            (math.log(v) for v in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        )
        return self.start + (self.end - self.start) * ((value - low) / (high - low) if high > low else 0.5)

    @property
    def zero(self) -> float:
        """Where bars begin."""
        return self.at(min(max(0.0, self.low), self.high))


@dataclass(frozen=True)
class Slots:
    """Names in slots of one size; ``filled``: the share of a slot that its bar takes."""

    names: Mapping[Any, int]
    """Each name and the number of its slot."""
    step: float
    filled: float

    def at(self, name: Any, position: float = 0.5) -> float:
        return self.step * (self.names[name] + 0.5 + (position - 0.5) * self.filled)


Scale = Along | Slots


def scale(channel: str, stack: Sequence[Layer], long: float | Spec) -> Scale:
    """The scale of x or y for all layers; ``long``: its pixels, or ``{"step": pixels}`` for each name."""
    used = [(layer, layer.encoding[channel]) for layer in stack if "field" in layer.encoding.get(channel, {})]
    kinds = {how.get("type") for _, how in used}
    if kinds <= {"nominal", "ordinal"} and used:
        return _slots(used, long)
    if kinds != {"quantitative"} or isinstance(long, Mapping):
        raise BeyondDrawing(f"{channel} of {kinds or 'nothing'}")
    return _along(channel, used, float(long))


def _slots(used: Sequence[tuple[Layer, Spec]], long: float | Spec) -> Slots:
    given = [row[how["field"]] for layer, how in used for row in layer.rows]
    order = used[0][1].get("sort")
    names = list(order) if order else sorted(set(given))
    if not set(given) <= set(names):
        raise BeyondDrawing("a name without a place")
    marks = {layer.kind for layer, _ in used}
    step = float(long["step"]) if isinstance(long, Mapping) else long / max(len(names), 1)
    return Slots(
        {name: i for i, name in enumerate(names)},
        step,
        1.0 if "rect" in marks else SLOT_BARS if "bar" in marks else 0.0,
    )


def _along(channel: str, used: Sequence[tuple[Layer, Spec]], long: float) -> Along:
    said: dict[str, Any] = {}
    for _, how in used:
        said = {**(how.get("scale") or {}), **said}
    log = said.get("type") == "log"
    if "domain" in said:
        asked = [how["scale"]["domain"] for _, how in used if "domain" in (how.get("scale") or {})]
        low, high = min(d[0] for d in asked), max(d[1] for d in asked)
    else:
        low, high = _covered(channel, used, zero=said.get("zero", True) and not log)
    high = said.get("domainMax", high)
    if said.get("nice", not {"domain", "domainMax"} & set(said)):
        if log:
            raise BeyondDrawing("round limits of a logarithmic scale")
        low, high = nice(low, high)
    start, end = (0.0, long) if channel == "x" else (long, 0.0)
    return Along(float(low), float(high), log, start, end)


def _covered(channel: str, used: Sequence[tuple[Layer, Spec]], zero: bool) -> tuple[float, float]:
    """The range of the values that are drawn."""
    values = [0.0] if zero else []
    for layer, how in used:
        second = layer.encoding.get(f"{channel}2", {})
        values += [row[how["field"]] for row in layer.rows]
        values += [row[second["field"]] for row in layer.rows] if "field" in second else []
        values += [second["datum"]] if "datum" in second else []
    return (min(values), max(values)) if values else (0.0, 1.0)
