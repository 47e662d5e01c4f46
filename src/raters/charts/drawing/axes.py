"""Axes: what they draw, and the room that they take."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from raters.charts.drawing import numbers
from raters.charts.drawing.layers import BeyondDrawing, Layer, Spec
from raters.charts.drawing.letters import cut
from raters.charts.drawing.scales import Along, Scale
from raters.charts.drawing.shapes import Bounds, Ink, Path, Shape, Text, around

TICK, GAP, BETWEEN = 5, 2, 40
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
        count = self.said.get("tickCount", math.ceil(self.long / BETWEEN))
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
        away = (TICK if self.said.get("ticks", True) else 0) + self.said.get("labelPadding", GAP)
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
