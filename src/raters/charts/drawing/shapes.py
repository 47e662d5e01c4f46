"""What a drawing is made of: each shape knows its place, the room it takes and its SVG."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape

_BY_WIDTH = {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[]ft\\", 333: "()-`r", 334: "{}", 355: '"', 389: "*", 469: "^", 500: "Jckvsxyz",
    556: "#$0123456789?L_abdeghnopqu–", 584: "+<=>~−", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W",
    1000: "…—", 1015: "@",
}  # fmt: skip
_WIDTHS = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
_USUAL, _FULL = 600, 1000


@cache
def _width(letter: str) -> int:
    """Thousandths of the font's size; accents have no width, and letters that are not in the table are taken to be
    wide.
    """
    base = unicodedata.normalize("NFD", letter)[0]
    if base in _WIDTHS:
        return _WIDTHS[base]
    if unicodedata.combining(base):
        return 0
    return _FULL if unicodedata.east_asian_width(base) in "WF" else _USUAL


def width(text: str, size: float) -> float:
    """Pixels that a text takes.

    >>> width("0.5", 10)
    13.9
    """
    return round(sum(map(_width, text)) * size / 1000, 6)


def cut(text: str, size: float, limit: float) -> str:
    """A text that takes no more room than there is.

    >>> cut("a long name", 10, 30)
    'a lo…'
    """
    if width(text, size) <= limit:
        return text
    kept = len(text)
    while kept and width(text[:kept] + "…", size) > limit:
        kept -= 1
    return text[:kept] + "…"


Bounds = tuple[float, float, float, float]
"""Left, top, right, bottom."""
BASELINES = {"top": 0.79, "middle": 0.3, "bottom": -0.21, "alphabetic": 0.0}
"""How far below its place the foot of a text stands, in sizes of its font."""
ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def number(value: float) -> str:
    """A coordinate to the tenth of a pixel.

    >>> number(2.04), number(-0.01)
    ('2', '0')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Ink:
    """How a shape is filled and drawn; what is not said is not drawn."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    opacity: float = 1.0
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    dash: Sequence[float] = ()
    cap: str | None = None

    def svg(self) -> str:
        made = f' fill="{escape(self.fill)}"' if self.fill else ""
        made += f' fill-opacity="{self.fill_opacity:.3g}"' if self.fill and self.fill_opacity != 1 else ""
        if self.stroke:
            made += f' stroke="{escape(self.stroke)}"'
            made += f' stroke-opacity="{self.stroke_opacity:.3g}"' if self.stroke_opacity != 1 else ""
            made += f' stroke-width="{self.width:.3g}"' if self.width != 1 else ""
            made += f' stroke-dasharray="{",".join(map(str, self.dash))}"' if self.dash else ""
            made += f' stroke-linecap="{escape(self.cap)}"' if self.cap else ""
        return made + (f' opacity="{self.opacity:.3g}"' if self.opacity != 1 else "")

    @property
    def outside(self) -> float:
        """How far the pen may reach beyond the shape, at its corners too."""
        return self.width if self.stroke else 0.0


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    wide: float
    tall: float
    ink: Ink

    def bounds(self) -> Bounds:
        o = self.ink.outside
        return self.x - o, self.y - o, self.x + self.wide + o, self.y + self.tall + o

    def moved(self, dx: float, dy: float) -> Box:
        return replace(self, x=self.x + dx, y=self.y + dy)

    def svg(self) -> str:
        x, y, wide, tall = map(number, (self.x, self.y, self.wide, self.tall))
        return f'<path d="M{x},{y}h{wide}v{tall}h-{wide}Z"{self.ink.svg()}/>'


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    size: float
    """The area of the square around it."""
    ink: Ink

    @property
    def radius(self) -> float:
        return math.sqrt(self.size) / 2

    def bounds(self) -> Bounds:
        r = self.radius + self.ink.outside
        return self.x - r, self.y - r, self.x + r, self.y + r

    def moved(self, dx: float, dy: float) -> Dot:
        return replace(self, x=self.x + dx, y=self.y + dy)

    def svg(self) -> str:
        return f'<circle cx="{number(self.x)}" cy="{number(self.y)}" r="{number(self.radius)}"{self.ink.svg()}/>'


@dataclass(frozen=True)
class Path:
    """Straight lines from point to point."""

    points: Sequence[tuple[float, float]]
    ink: Ink
    closed: bool = False

    def bounds(self) -> Bounds:
        o = self.ink.outside
        xs, ys = zip(*self.points, strict=True)
        return min(xs) - o, min(ys) - o, max(xs) + o, max(ys) + o

    def moved(self, dx: float, dy: float) -> Path:
        return replace(self, points=[(x + dx, y + dy) for x, y in self.points])

    def svg(self) -> str:
        steps = "L".join(f"{number(x)},{number(y)}" for x, y in self.points)
        return f'<path d="M{steps}{"Z" if self.closed else ""}"{self.ink.svg()}/>'


@dataclass(frozen=True)
class Text:
    """Words at a place, turned about it by ``angle`` degrees; ``dx`` and ``dy`` turn with them."""

    x: float
    y: float
    lines: Sequence[str]
    size: float
    fill: str
    align: str = "center"
    baseline: str = "middle"
    dx: float = 0.0
    dy: float = 0.0
    angle: float = 0.0
    opacity: float = 1.0

    @property
    def foot(self) -> float:
        return self.dy + math.floor(BASELINES[self.baseline] * self.size + 0.5)

    @property
    def apart(self) -> float:
        """From line to line."""
        return self.size + 2

    def bounds(self) -> Bounds:
        wide = max((width(line, self.size) for line in self.lines), default=0.0)
        left = self.dx - {"left": 0.0, "center": wide / 2, "right": wide}[self.align]
        top = self.foot - math.floor(0.8 * self.size + 0.5)
        tall = self.size + self.apart * (len(self.lines) - 1)
        turn = math.radians(self.angle)
        corners = [(x, y) for x in (left, left + wide) for y in (top, top + tall)]
        xs = [self.x + x * math.cos(turn) - y * math.sin(turn) for x, y in corners]
        ys = [self.y + x * math.sin(turn) + y * math.cos(turn) for x, y in corners]
        return min(xs), min(ys), max(xs), max(ys)

    def moved(self, dx: float, dy: float) -> Text:
        return replace(self, x=self.x + dx, y=self.y + dy)

    def svg(self) -> str:
        anchor = ANCHORS[self.align]
        style = f' text-anchor="{anchor}" font-size="{self.size:g}px" fill="{escape(self.fill)}"'
        style += f' opacity="{self.opacity:.3g}"' if self.opacity != 1 else ""
        made = ""
        for i, line in enumerate(self.lines):
            dx, dy = self.dx, self.foot + i * self.apart
            place = (
                f' x="{number(dx)}" y="{number(dy)}" transform="translate({number(self.x)},{number(self.y)})'
                f' rotate({self.angle:g})"'
            )
            if not self.angle:
                place = f' x="{number(self.x + dx)}" y="{number(self.y + dy)}"'
            made += f"<text{place}{style}>{escape(line, quote=False)}</text>"
        return made


Shape = Box | Dot | Path | Text


def around(shapes: Iterable[Shape], start: Bounds) -> Bounds:
    """The room that shapes take together with a given rectangle."""
    for shape in shapes:
        start = joined(start, shape.bounds())
    return start


def joined(one: Bounds, other: Bounds, down: float = 0.0) -> Bounds:
    """The rectangle around two, the second moved downwards."""
    left, top, right, bottom = other
    return min(one[0], left), min(one[1], top + down), max(one[2], right), max(one[3], bottom + down)
