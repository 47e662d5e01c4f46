"""A specification as SVG: the scales, the axes around the picture, and the width that these leave it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import pairwise

from raters.charts.drawing import scales as numbers
from raters.charts.drawing.marks import Ground, all_shapes, palette
from raters.charts.drawing.scales import Along, BeyondDrawing, Layer, Scale, Slots, Spec, layers, scale
from raters.charts.drawing.shapes import Bounds, Box, Ink, Path, Shape, Text, around, cut, joined, number, width

SIDE, CELL, GAP, APART, BETWEEN, AWAY, START = 10.0, 12.0, 4.0, 10.0, 2.0, 18.0, 1.0
"""The side of a square, the least room for it, its distance from its word, that of columns and of rows, of the legend
from the picture, and how far to the right it begins."""


def legend(stack: Sequence[Layer], style: Spec) -> list[Shape]:
    """The colours of a picture and their names, from the left upper corner at nought."""
    found = [(layer, layer.encoding["color"]) for layer in stack if layer.encoding.get("color", {}).get("legend")]
    if not found:
        if any("domain" in (layer.encoding.get("color", {}).get("scale") or {}) for layer in stack):
            raise BeyondDrawing("a legend of another kind")
        return []
    layer, how = found[0]
    said = how["legend"]
    if said.get("orient") != "top" or said.get("symbolType") != "square" or how.get("title") is not None:
        raise BeyondDrawing("a legend of another kind")
    size = float(style["labelFontSize"])
    names = [cut(str(name), size, style["labelLimit"]) for name in palette(how)]
    columns = said["columns"] or len(names)
    tall = max(CELL, size)
    each = [tall + GAP + max((width(n, size) for n in names[c::columns]), default=0.0) for c in range(columns)]
    made: list[Shape] = []
    for i, (name, colour) in enumerate(zip(names, palette(how).values(), strict=True)):
        row, column = divmod(i, columns)
        x = START + sum(math.ceil(w) + said.get("columnPadding", APART) for w in each[:column])
        y = row * (tall + BETWEEN)
        made.append(
            Box(
                x + (tall - SIDE) / 2,
                y + (tall - SIDE) / 2,
                SIDE,
                SIDE,
                Ink(fill=colour, opacity=layer.mark.get("opacity", 1.0)),
            )
        )
        made.append(Text(x + tall + GAP, y + tall / 2, [name], size, style["labelColor"], align="left"))
    return made


TICK, AXIS_GAP, BETWEEN_TICKS = 5, 2, 40
"""The length of a tick, its distance from its label, and about how many pixels lie between ticks."""
_COSTED = re.compile(r"\[datum\.label, format\(datum\.value \* (\d+), ','\)\]")


@dataclass(frozen=True)
class Axis:
    side: str
    """top, bottom or left."""
    long: float
    scale: Scale
    said: Spec
    title: str | None
    style: Spec
    """The fonts and colours of the whole picture."""

    @property
    def size(self) -> float:
        return float(self.style["labelFontSize"])

    @property
    def numeric(self) -> bool:
        return isinstance(self.scale, Along)

    def _pen(self, what: str) -> Ink:
        return Ink(stroke=self.style[f"{what}Color"], stroke_opacity=self.style[f"{what}Opacity"])

    @cached_property
    def marked(self) -> list[tuple[float, list[str]]]:
        """The places that are marked, and what stands there."""
        if not isinstance(self.scale, Along):
            limit = self.said.get("labelLimit", self.style["labelLimit"])
            return [(self.scale.at(n), [cut(str(n), self.size, limit)]) for n in self.scale.names]
        low, high = self.scale.low, self.scale.high
        count = self.said.get("tickCount", math.ceil(self.long / BETWEEN_TICKS))
        while count > 1 and numbers.step(low, high, count) < self.said.get("tickMinStep", 0):
            count -= 1
        if self.scale.log and "values" not in self.said:
            raise BeyondDrawing("ticks of a logarithmic scale")
        values = self.said.get("values") or numbers.ticks(low, high, count)
        apart = numbers.step(low, high, count)
        form, also = self.said.get("format"), self._also()
        return [(self.scale.at(v), [numbers.written(v, form, apart), *also(v)]) for v in values]

    def _also(self) -> Callable[[float], list[str]]:
        """A second line of each label."""
        expression = self.said.get("labelExpr", "datum.label")
        if expression == "datum.label":
            return lambda value: []
        found = _COSTED.fullmatch(expression)
        if not found:
            raise BeyondDrawing("a label by a formula")
        each = int(found.group(1))
        return lambda value: [f"{value * each:,.12g}"]

    @cached_property
    def labels(self) -> list[Text]:
        """What stands at the marked places, without what would overlap."""
        away = (TICK if self.said.get("ticks", True) else 0) + self.said.get("labelPadding", AXIS_GAP)
        angle = self.said.get("labelAngle", 0)
        made = []
        for at, lines in self.marked:
            text = Text(at, 0, lines, self.size, self.style["labelColor"], angle=angle)
            if self.side == "left":
                text = replace(text, x=-away, y=at, align="right", baseline="middle")
            else:
                sign, base = (1, "top") if self.side == "bottom" else (-1, "bottom")
                text = replace(text, y=sign * away, baseline=self.said.get("labelBaseline", base))
                text = replace(text, align=self.said.get("labelAlign", self._flush(at)))
            made.append(text)
        return made if self.said.get("labelOverlap", self.numeric) is False else _apart(made)

    def _flush(self, at: float) -> str:
        """The first and the last number stay within the picture."""
        if not self.numeric:
            return "center"
        return "left" if abs(at) < 1 else "right" if abs(at - self.long) < 1 else "center"

    def shapes(self, across: float) -> list[Shape]:
        """The axis at its own line as nought; ``across``: how far the lines of its grid reach."""
        upright = self.side == "left"
        away = -1 if self.side in ("left", "top") else 1
        places = [math.floor(at + 0.5) for at, _ in self.marked]

        def line(at: float, to: float, what: str) -> Shape:
            ends = [(0.0, at), (to, at)] if upright else [(at, 0.0), (at, to)]
            return Path(ends, self._pen(what))

        made: list[Shape] = []
        if self.numeric and self.said.get("grid", True):
            made += [line(at, -away * across, "grid") for at in places]
        if self.said.get("ticks", True):
            made += [line(at, away * TICK, "tick") for at in places]
        made += self.labels
        if self.said.get("domain", True):
            made.append(Path([(0, 0), (0, self.long) if upright else (self.long, 0)], self._pen("domain")))
        return made + self._title

    @cached_property
    def _title(self) -> list[Text]:
        if not self.title:
            return []
        reach = around(self.labels, (0, 0, 0, 0))
        taken = {"left": -reach[0], "top": -reach[1], "bottom": reach[3]}[self.side]
        tick = TICK if self.said.get("ticks", True) else 0
        off = max(self.said.get("minExtent", 0), taken, tick) + self.style["titlePadding"]
        text = Text(self.long / 2, 0, [self.title], self.style["titleFontSize"], self.style["titleColor"])
        if self.side == "left":
            return [replace(text, x=-off, y=self.long / 2, angle=-90, baseline="bottom")]
        below = self.side == "bottom"
        return [replace(text, y=off if below else -off, baseline="top" if below else "bottom")]

    def bounds(self) -> Bounds:
        """The room of the labels and the title, at least what is kept in any case."""
        far = max(self.said.get("minExtent", 0), TICK if self.said.get("ticks", True) else 0)
        kept = {"left": (-far, 0, 0, self.long), "top": (0, -far, self.long, 0), "bottom": (0, 0, self.long, far)}[
            self.side
        ]
        return around([*self.labels, *self._title], kept)


def _apart(labels: list[Text]) -> list[Text]:
    """Every second label is left out until none meets another."""
    while len(labels) > 2 and any(_meet(a.bounds(), b.bounds()) for a, b in pairwise(labels)):
        labels = labels[::2]
    return labels


def _meet(one: Bounds, other: Bounds) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def axis(channel: str, stack: Sequence[Layer], scale: Scale | None, long: float, style: Spec) -> Axis | None:
    """The axis of x or y, as the first layer that has one says it."""
    used = [layer.encoding[channel] for layer in stack if "field" in layer.encoding.get(channel, {})]
    if scale is None or not used or used[0].get("axis", {}) is None:
        return None
    said = used[0].get("axis", {})
    side = "left" if channel == "y" else said.get("orient", "bottom")
    if side not in ("left", "top", "bottom") or "title" not in used[0]:
        raise BeyondDrawing(f"an axis on the {side}")
    return Axis(side, long, scale, said, used[0]["title"], style)


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
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{spec["width"]}" height="{tall}" viewBox="0 0'
        f' {spec["width"]} {tall}" font-family="{escape(spec["config"]["font"])}"><g fill="none" stroke-miterlimit="10"'
        f' transform="translate({number(x)},{number(y)})">{body}</g></svg>'
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
