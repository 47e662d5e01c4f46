"""A legend above the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.charts.drawing.layers import BeyondDrawing, Layer, Spec
from raters.charts.drawing.letters import cut, width
from raters.charts.drawing.marks import palette
from raters.charts.drawing.shapes import Box, Ink, Shape, Text

SIDE, CELL, GAP, APART, BETWEEN, AWAY, START = 10.0, 12.0, 4.0, 10.0, 2.0, 18.0, 1.0
"""The side of a square, the least room for it, its distance from its word, that of columns and of rows, of the legend from the picture, and
how far to the right it begins."""


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
