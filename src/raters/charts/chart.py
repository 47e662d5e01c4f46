"""A chart as a frozen value: one Vega-Lite specification for every output, and words for those who cannot see it.

Text and lines are drawn in one colour that a page replaces by its own, and surfaces in colours that let the page shine
through, so that charts read in light and dark. Each picture is drawn twice, for a page and for a telephone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raters.charts.drawing.picture import svg
from raters.charts.drawing.scales import BeyondDrawing
from raters.errors import UsageError
from raters.words import printable
from raters.writing import write_whole

INK = "#5b6470"
"""A placeholder for the page's text colour, replaced when the SVG is put into a page."""
BLUE, RED, GREY, GREEN, AMBER = "#3b7dd8", "#d1603d", "#8a94a0", "#3f9a63", "#c98a1b"
PALETTE = (BLUE, "#e08a2e", "#5aa469", "#b65fae", GREY, "#c9b23a")
"""Labels of one picture; more of them are drawn otherwise."""
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
Rows = list[dict[str, Any]]
Spec = dict[str, Any]


@dataclass(frozen=True)
class Canvas:
    """How much room a drawing has."""

    width: int
    names: int
    """Pixels that the names beside an axis may take."""
    letters: int
    font: int = 13

    @property
    def narrow(self) -> bool:
        return self.width < 500


MOST_BESIDE = 18
"""On a narrow screen longer names than this stand above their figures, where they have the whole width."""
WIDE, NARROW = Canvas(960, 272, 40), Canvas(368, 140, 22, 12)


@dataclass(frozen=True)
class Chart:
    """A chart by its specification. In a notebook it shows itself; ``save("figure.pdf")`` writes it for a paper."""

    name: str
    caption: str
    alt: str
    """What the chart shows, in words."""
    spec: Mapping[str, Any]
    narrow: Mapping[str, Any] = field(default_factory=dict)
    """The same for a narrow screen."""

    def svg(self, *, narrow: bool = False) -> str:
        """The chart as static SVG: drawn here, and by Vega itself where the specification says more than is drawn
        here.
        """
        spec = self.narrow if narrow and self.narrow else self.spec
        try:
            return svg(spec)
        except BeyondDrawing:
            import vl_convert

            return str(vl_convert.vegalite_to_svg(dict(spec)))

    def png(self, scale: float = 2.0) -> bytes:
        """The chart as PNG, for slides and papers."""
        import vl_convert

        return bytes(vl_convert.vegalite_to_png({**self.spec, "background": "white"}, scale=scale))

    def pdf(self) -> bytes:
        """The chart as PDF, for papers."""
        import vl_convert

        return bytes(vl_convert.vegalite_to_pdf({**self.spec, "background": "white"}))

    def altair(self) -> Any:
        """The chart as an ``altair.Chart`` (or a layered one), to change it or to make it interactive."""
        import altair

        return altair.Chart.from_dict({**self.spec, "description": self.alt})

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the chart; the ending of the name (.svg .png .pdf) chooses the format."""
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in DRAW:
            raise UsageError(f"{path.name!r} has no known format; use a name that ends in one of {', '.join(DRAW)}.")
        return write_whole(path, DRAW[ending](self), force)

    def _repr_svg_(self) -> str:
        return self.svg()


DRAW = {".svg": lambda chart: chart.svg().encode(), ".png": Chart.png, ".pdf": Chart.pdf}
"""Endings of file names, and what draws the bytes of each."""


def finish(draw: Callable[[Canvas], Spec], name: str, caption: str, words: str, right: int = 8) -> Chart:
    """A picture in the house's fonts and colours; ``words`` follow the caption for those who cannot see it.

    ``draw``: from the room that there is to what is drawn in it. ``right``: pixels that are kept for figures beside the
    picture.
    """
    wide, narrow = (_whole(draw(room), room, right) for room in (WIDE, NARROW))
    return Chart(name, caption, f"{caption} {words}.".lstrip(), wide, narrow)


def _whole(spec: Spec, room: Canvas, right: int) -> Spec:
    text = {"labelFontSize": room.font, "titleFontSize": room.font, "labelColor": INK, "titleColor": INK}
    config = {
        "background": "transparent",
        "font": FONT,
        "padding": {"left": 16, "top": 8, "right": right, "bottom": 6},
        "view": {"stroke": None},
        "axis": {
            **text,
            "gridColor": INK,
            "gridOpacity": 0.15,
            "domainColor": INK,
            "domainOpacity": 0.5,
            "tickColor": INK,
            "tickOpacity": 0.5,
            "titleFontWeight": "normal",
            "labelLimit": room.names,
            "labelFont": FONT,
            "titleFont": FONT,
            "titlePadding": 8,
        },
        "legend": {**text, "titleFontWeight": "normal", "labelLimit": room.names},
        "text": {"color": INK, "font": FONT, "fontSize": room.font},
    }
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "config": config,
        "width": room.width,
        "autosize": {"type": "fit-x", "contains": "padding"},
        **spec,
    }
    made: Spec = _printable(whole)
    return made


def _printable(spec: Any) -> Any:
    """A specification in which no text turns the writing or steers anything: titles of axes are names of columns."""
    if isinstance(spec, str):
        return printable(spec)
    if isinstance(spec, dict):
        return {printable(key): _printable(value) for key, value in spec.items()}
    return [_printable(value) for value in spec] if isinstance(spec, (list, tuple)) else spec


def data(rows: Rows) -> Spec:
    """Rows as the data of a picture, held inside its specification."""
    return {"values": rows}


def short(text: object, most: int = 40) -> str:
    """A name as shown on an axis: printable and shortened.

    >>> short("a" * 50, 8)
    'aaaaaaa…'
    """
    text = printable(str(text))
    return text if len(text) <= most else text[: most - 1] + "…"


def axis_names(names: Iterable[object], most: int = 40) -> list[str]:
    """Names as shown on an axis; names that become equal when shortened are numbered, so that none hides another.

    >>> axis_names(["a" * 50, "b", "a" * 60], 4)
    ['aaa…', 'b', 'aaa… (2)']
    """
    seen: Counter[str] = Counter()
    made = []
    for name in names:
        cut = short(name, most)
        seen[cut] += 1
        made.append(cut if seen[cut] == 1 else f"{cut} ({seen[cut]})")
    return made


def rows_axis(names: Sequence[str], room: Canvas) -> Spec:
    """Names one below the other, in their order, each on its own line."""
    return {
        "field": "name",
        "type": "nominal",
        "sort": list(names),
        "title": None,
        "axis": {
            "labelOverlap": False,
            "ticks": False,
            "domain": False,
            "labelPadding": 8,
            "labelLimit": room.names,
            "minExtent": extent(names, room),
        },
    }


def extent(names: Sequence[str], room: Canvas) -> float:
    """Room for names, reckoned for wide fonts: a page may not have the one that the drawing was measured with."""
    return min(1.17 * room.names, 7.6 * max(map(len, names), default=1)) + 8


def limits(
    values: Sequence[float], lows: Sequence[float] | None, highs: Sequence[float] | None
) -> list[tuple[float, float, float]]:
    """Each value with its limits; a limit that is unknown is the value itself."""
    lows, highs = lows or [math.nan] * len(values), highs or [math.nan] * len(values)
    return [
        (v, low if math.isfinite(low) else v, high if math.isfinite(high) else v)
        for v, low, high in zip(values, lows, highs, strict=True)
    ]
