"""The shapes of a layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from raters.charts.drawing.scales import Along, BeyondDrawing, Layer, Scale, Slots, Spec, written
from raters.charts.drawing.shapes import Box, Dot, Ink, Path, Shape, Text

FAINT = 0.7
"""Dots and ticks let what lies below shine through, unless a chart says otherwise."""
BLACK = "#000000"


@dataclass(frozen=True)
class Ground:
    """What marks are drawn on."""

    x: Scale | None
    y: Scale | None
    wide: float
    tall: float
    text: Spec
    """The usual look of text."""

    def at(self, channel: str, layer: Layer, row: Spec) -> float:
        """The place of a row; of what has none, the middle."""
        how = layer.encoding.get(channel, {})
        base = channel[0]
        scale = self.x if base == "x" else self.y
        shift = layer.mark.get("yOffset", 0) if base == "y" else 0
        if "value" in how:
            value = how["value"]
            return float({"width": self.wide, "height": self.tall}.get(value, value)) + shift
        if scale is None or not how:
            return (self.wide if base == "x" else self.tall) / 2
        value = how["datum"] if "datum" in how else row[how["field"]]
        return scale.at(value, how.get("bandPosition", 0.5)) + shift


def shapes(layer: Layer, ground: Ground) -> list[Shape]:
    """What a layer draws."""
    if layer.kind in _WHOLE:
        return _WHOLE[layer.kind](layer, ground) if layer.rows else []
    draw = _EACH[layer.kind]
    return [shape for row in layer.rows for shape in draw(layer, row, ground)]


def _colour(layer: Layer, row: Spec) -> str | None:
    """The colour of a row: from its own column, from the colours of a legend, or of the mark."""
    how = layer.encoding.get("fill") or layer.encoding.get("color")
    if not how:
        return layer.mark.get("color")
    value = row[how["field"]]
    if how.get("scale", "none") is None:
        return str(value)
    return str(palette(how)[value])


def palette(how: Spec) -> dict[Any, str]:
    """The colour of each value, for a legend and for marks."""
    said = how.get("scale") or {}
    if "domain" not in said or "range" not in said:
        raise BeyondDrawing("colours that the chart does not name")
    return {name: said["range"][i % len(said["range"])] for i, name in enumerate(said["domain"])}


def _opacity(layer: Layer, row: Spec, usual: float) -> float:
    how = layer.encoding.get("opacity")
    return float(row[how["field"]] if how else layer.mark.get("opacity", usual))


def _filled(layer: Layer, row: Spec, usual: float = 1.0) -> Ink:
    shade = layer.encoding.get("fillOpacity")
    return Ink(
        fill=_colour(layer, row) or BLACK,
        stroke=layer.mark.get("stroke"),
        width=layer.mark.get("strokeWidth", 1.0),
        opacity=_opacity(layer, row, usual),
        fill_opacity=float(row[shade["field"]]) if shade else 1.0,
        stroke_opacity=layer.mark.get("strokeOpacity", 1.0),
    )


def _drawn(layer: Layer, row: Spec, usual: float = 1.0, wide: float = 1.0) -> Ink:
    return Ink(
        stroke=_colour(layer, row) or BLACK,
        width=layer.mark.get("strokeWidth", wide),
        opacity=_opacity(layer, row, usual),
        dash=layer.mark.get("strokeDash", ()),
        cap=layer.mark.get("strokeCap"),
    )


def _ends(channel: str, layer: Layer, row: Spec, ground: Ground) -> tuple[float, float]:
    """From where to where a bar reaches: its two values, from nought to its value, or its slot."""
    scale = ground.x if channel == "x" else ground.y
    at = ground.at(channel, layer, row)
    if f"{channel}2" in layer.encoding:
        other = ground.at(f"{channel}2", layer, row)
    elif isinstance(scale, Along):
        other = scale.zero
    elif isinstance(scale, Slots):
        wide = layer.mark.get("height", scale.step * scale.filled) if channel == "y" else scale.step * scale.filled
        at, other = at - wide / 2, at + wide / 2
    else:
        raise BeyondDrawing("a bar without a place")
    return min(at, other), max(at, other)


def _box(layer: Layer, row: Spec, ground: Ground) -> list[Shape]:
    left, right = _ends("x", layer, row, ground)
    top, bottom = _ends("y", layer, row, ground)
    return [Box(left, top, right - left, bottom - top, _filled(layer, row))]


def _rule(layer: Layer, row: Spec, ground: Ground) -> list[Shape]:
    """A line between two values, or across the whole picture."""
    given = layer.encoding
    xs = _between("x", layer, row, ground) if "x" in given else (0.0, ground.wide)
    ys = _between("y", layer, row, ground) if "y" in given else (0.0, ground.tall)
    return [Path([(xs[0], ys[0]), (xs[1], ys[1])], _drawn(layer, row))]


def _between(channel: str, layer: Layer, row: Spec, ground: Ground) -> tuple[float, float]:
    at = ground.at(channel, layer, row)
    return at, ground.at(f"{channel}2", layer, row) if f"{channel}2" in layer.encoding else at


def _tick(layer: Layer, row: Spec, ground: Ground) -> list[Shape]:
    thick, long = layer.mark["thickness"], layer.mark["size"]
    x, y = ground.at("x", layer, row), ground.at("y", layer, row)
    return [Box(x - thick / 2, y - long / 2, thick, long, _filled(layer, row, FAINT))]


def _dot(layer: Layer, row: Spec, ground: Ground) -> list[Shape]:
    full = layer.kind == "circle" or layer.mark.get("filled", False)
    ink = _filled(layer, row, FAINT) if full else _drawn(layer, row, FAINT, wide=2.0)
    return [Dot(ground.at("x", layer, row), ground.at("y", layer, row), layer.mark.get("size", 30), ink)]


def _text(layer: Layer, row: Spec, ground: Ground) -> list[Shape]:
    how, mark = layer.encoding["text"], layer.mark
    value = row[how["field"]]
    words = written(value, how["format"]) if "format" in how else str(value)
    if not words:
        return []
    return [
        Text(
            ground.at("x", layer, row),
            ground.at("y", layer, row),
            [words],
            mark.get("fontSize", ground.text["fontSize"]),
            _colour(layer, row) or ground.text["color"],
            mark.get("align", "center"),
            mark.get("baseline", "middle"),
            mark.get("dx", 0),
            mark.get("dy", 0),
            mark.get("angle", 0),
            _opacity(layer, row, 1.0),
        )
    ]


def _ordered(layer: Layer, ground: Ground) -> list[Spec]:
    if "color" in layer.encoding:
        raise BeyondDrawing("several lines in one layer")
    return sorted(layer.rows, key=lambda row: ground.at("x", layer, row))


def _line(layer: Layer, ground: Ground) -> list[Shape]:
    rows = _ordered(layer, ground)
    points = [(ground.at("x", layer, row), ground.at("y", layer, row)) for row in rows]
    return [Path(points, _drawn(layer, rows[0], wide=2.0))]


def _area(layer: Layer, ground: Ground) -> list[Shape]:
    rows = _ordered(layer, ground)
    there = [(ground.at("x", layer, row), ground.at("y", layer, row)) for row in rows]
    back = [(ground.at("x", layer, row), ground.at("y2", layer, row)) for row in reversed(rows)]
    return [Path([*there, *back], _filled(layer, rows[0], FAINT), closed=True)]


_EACH: dict[str, Callable[[Layer, Spec, Ground], list[Shape]]] = {
    "bar": _box, "rect": _box, "rule": _rule, "tick": _tick, "point": _dot, "circle": _dot, "text": _text,
}  # fmt: skip
_WHOLE: dict[str, Callable[[Layer, Ground], list[Shape]]] = {"line": _line, "area": _area}


def all_shapes(stack: Sequence[Layer], ground: Ground) -> list[Shape]:
    """What all layers draw, the lowest first."""
    return [shape for layer in stack for shape in shapes(layer, ground)]
