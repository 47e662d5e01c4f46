"""From values to places: numbers along a line, names in slots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def step(low: float, high: float, count: float) -> float:
    """The distance of about ``count`` round numbers between two: 1, 2 or 5 times a power of ten.

    >>> step(0, 1, 10), step(0, 37, 5)
    (0.1, 10.0)
    """
    raw = (high - low) / max(count, 1)
    if not raw > 0:
        return 0.0
    power = math.floor(math.log10(raw))
    error = raw / 10**power
    factor = 10 if error >= math.sqrt(50) else 5 if error >= math.sqrt(10) else 2 if error >= math.sqrt(2) else 1
    return float(factor * 10**power) if power >= 0 else factor / 10**-power


def ticks(low: float, high: float, count: float) -> list[float]:
    """Round numbers between two, about ``count`` of them.

    >>> ticks(0, 1, 5)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    apart = step(low, high, count)
    if not apart:
        return [low]
    over = (
        round(1 / apart) if apart < 1 else 0
    )  # a division by a whole number gives 0.3 where a product gives 0.30000000000000004
    first, last = math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9)
    return [i / over if over else i * apart for i in range(first, last + 1)]


def nice(low: float, high: float) -> tuple[float, float]:
    """Limits moved outwards to round numbers."""
    for _ in range(10):
        apart = step(low, high, 10)
        if not apart:
            break
        moved = (math.floor(low / apart + 1e-12) * apart, math.ceil(high / apart - 1e-12) * apart)
        if moved == (low, high):
            break
        low, high = moved
    return low, high


def decimals(apart: float) -> int:
    """Digits after the point that tell numbers apart which lie this far from each other."""
    return max(0, -math.floor(math.log10(abs(apart)) + 1e-12)) if apart else 0


def written(value: float, form: str | None, apart: float = 0.0) -> str:
    """A number in one of the forms that our axes use.

    >>> written(0.25, ".0%"), written(-1.5, None, 0.5), written(0.50, ".2~f")
    ('25%', '−1.5', '0.5')
    """
    text = _written(abs(value), form, apart)
    return f"−{text}" if value < 0 and any(digit in "123456789" for digit in text) else text


def _written(value: float, form: str | None, apart: float) -> str:
    if form is None:
        return f"{value:,.{decimals(apart)}f}" if apart else f"{value:,.3g}"
    if form == "d":
        return f"{value:.0f}"
    if form.endswith("~f"):
        text = f"{value:{form[:-2]}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:{form}}"


FORMS = (None, "d", ".0%", ".1f", ".2f", ".2~f")


Spec = Mapping[str, Any]


class BeyondDrawing(Exception):
    """A specification says something that is not drawn here."""


@dataclass(frozen=True)
class Layer:
    mark: Spec
    encoding: Spec
    rows: Sequence[Spec]

    @property
    def kind(self) -> str:
        return str(self.mark["type"])


_TOP = {"$schema", "config", "width", "height", "autosize", "padding", "data", "layer", "mark", "encoding", "title"}
_LAYER = {"data", "mark", "encoding"}
_TEXT = {"align", "baseline", "dx", "dy", "fontSize", "angle"}
_MARK = {
    "type", "color", "opacity", "filled", "size", "height", "thickness", "stroke", "strokeWidth", "strokeOpacity", "strokeDash", "strokeCap",
    "yOffset", *_TEXT,
}  # fmt: skip
_MARKS = {"bar", "rect", "rule", "tick", "point", "circle", "line", "area", "text"}
_PLACE = {"field", "type", "sort", "title", "axis", "scale", "value", "datum", "bandPosition"}
_STYLE = {"field", "type", "sort", "title", "legend", "scale"}
_CHANNELS = {
    "x": _PLACE, "y": _PLACE, "x2": {"field"}, "y2": {"field", "datum", "value"}, "text": {"field", "type", "format"},
    "color": _STYLE, "fill": _STYLE, "fillOpacity": _STYLE, "opacity": _STYLE,
}  # fmt: skip
_AXIS = {
    "tickCount", "tickMinStep", "format", "grid", "labelOverlap", "ticks", "domain", "labelPadding", "labelLimit", "minExtent", "orient", "labelAngle",
    "labelAlign", "labelBaseline", "values", "labelExpr",
}  # fmt: skip
_SCALE = {"domain", "nice", "zero", "domainMax", "type", "range"}
_LEGEND = {"orient", "columns", "symbolType", "columnPadding"}
_TITLE = {"text", "anchor", "fontSize", "fontWeight", "color", "font"}


def layers(spec: Spec) -> list[Layer]:
    """The layers of a specification, the lowest first."""
    _only(spec, _TOP, "the picture")
    _only(spec.get("title") or {}, _TITLE, "a title")
    if spec.get("autosize") != {"type": "fit-x", "contains": "padding"}:
        raise BeyondDrawing("another size")
    parts = spec.get("layer", [{k: spec[k] for k in _LAYER if k in spec}])
    return [_layer(part, spec) for part in parts]


def _layer(part: Spec, spec: Spec) -> Layer:
    _only(part, _LAYER, "a layer")
    mark = part["mark"]
    _only(mark, _MARK, "a mark")
    _only(dict.fromkeys([mark["type"]]), _MARKS, "the marks")
    for channel, how in part["encoding"].items():
        _only({channel: None}, set(_CHANNELS), "the channels")
        _only(how, _CHANNELS[channel], channel)
        _only(how.get("axis") or {}, _AXIS, "an axis")
        _only(how.get("scale") or {}, _SCALE, "a scale")
        _only(how.get("legend") or {}, _LEGEND, "a legend")
        for form in (how.get("format"), (how.get("axis") or {}).get("format")):
            if form not in FORMS:
                raise BeyondDrawing(f"the format {form}")
    rows = part.get("data", spec.get("data", {"values": []}))["values"]
    numeric = [
        how["field"] for how in part["encoding"].values() if how.get("type") == "quantitative" and "field" in how
    ]
    return Layer(mark, part["encoding"], [row for row in rows if all(math.isfinite(row[field]) for field in numeric)])


def _only(given: Spec, known: set[str], what: str) -> None:
    if extra := set(given) - known:
        raise BeyondDrawing(f"{what}: {', '.join(sorted(extra))}")


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
