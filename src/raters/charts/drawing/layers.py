"""The part of Vega-Lite that our charts use, as layers; whatever else a specification says is refused, not guessed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.charts.drawing.numbers import FORMS

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
    "x": _PLACE, "y": _PLACE, "x2": {"field"}, "y2": {"field", "datum"}, "text": {"field", "type", "format"},
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
