"""A specification as SVG: the scales, the axes around the picture, and the width that these leave it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from raters.charts.drawing.axes import axis
from raters.charts.drawing.layers import Layer, Spec, layers
from raters.charts.drawing.legend import AWAY, legend
from raters.charts.drawing.marks import Ground, all_shapes
from raters.charts.drawing.scales import Slots, scale
from raters.charts.drawing.shapes import Bounds, Shape, Text, around, joined, number

HALF = 0.5
"""Axes lie between two pixels, which keeps their lines sharp."""
TITLE_AWAY = 4.0


@dataclass(frozen=True)
class Drawn:
    """A picture of a given width, with its left upper corner at nought, and everything around it."""

    shapes: Sequence[Shape]
    bounds: Bounds
    wide: float
    tall: float


def svg(spec: Spec) -> str:
    """The picture; :class:`BeyondDrawing` if the specification says what is not drawn here."""
    stack = layers(spec)
    room = {**spec["config"]["padding"], **spec.get("padding", {})}
    inside = spec["width"] - room["left"] - room["right"]
    trial = _drawn(spec, stack, float(spec["width"]))
    left, right = math.ceil(-trial.bounds[0]), math.ceil(trial.bounds[2] - trial.wide)
    done = _drawn(spec, stack, max(0.0, inside - max(left, 0) - max(right, 0)))
    above, below = (max(0, math.ceil(v)) for v in (-done.bounds[1], done.bounds[3] - done.tall))
    x, y = room["left"] + max(left, 0), room["top"] + above
    tall = number(done.tall + above + below + room["top"] + room["bottom"])
    body = "".join(shape.svg() for shape in done.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{spec["width"]}" height="{tall}" '
        f'viewBox="0 0 {spec["width"]} {tall}" font-family="{escape(spec["config"]["font"])}"><g fill="none" stroke-miterlimit="10" transform="translate({number(x)},{number(y)})">{body}</g></svg>'
    )


def _drawn(spec: Spec, stack: Sequence[Layer], wide: float) -> Drawn:
    config = spec["config"]
    has = {channel: any("field" in layer.encoding.get(channel, {}) for layer in stack) for channel in "xy"}
    y = scale("y", stack, spec["height"]) if has["y"] else None
    tall = y.step * len(y.names) if isinstance(y, Slots) else float(spec["height"])
    x = scale("x", stack, wide) if has["x"] else None
    marks = all_shapes(stack, Ground(x, y, wide, tall, config["text"]))
    sides = [a for a in (axis("x", stack, x, wide, config["axis"]), axis("y", stack, y, tall, config["axis"])) if a]
    bounds = around(marks, (0.0, 0.0, wide, tall))
    around_it: list[Shape] = []
    for side in sides:
        down = tall if side.side == "bottom" else 0.0
        around_it += [shape.moved(HALF, down + HALF) for shape in side.shapes(tall if side.side != "left" else wide)]
        bounds = joined(bounds, side.bounds(), down)
    keys = legend(stack, config["legend"])
    if keys:
        low = around(keys, (0, 0, 0, 0))[3]
        keys = [key.moved(0, bounds[1] - AWAY - low) for key in keys]
        bounds = around(keys, bounds)
    if title := spec.get("title"):
        words = Text(
            bounds[0], bounds[1] - TITLE_AWAY, [title["text"]], title["fontSize"], title["color"], "left", "bottom"
        )
        keys.append(words)
        bounds = around([words], bounds)
    return Drawn([*around_it, *marks, *keys], bounds, wide, tall)
