"""A chart as a frozen value: one Vega-Lite specification for every output, and words for those who cannot see it.

Text and lines are drawn in one colour that a page replaces by its own, so that charts read in light and dark.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raters.errors import UsageError
from raters.escaping import printable
from raters.writing import write_whole

INK = "#5b6470"
"""A placeholder for the page's text colour, replaced when the SVG is put into a page."""
BLUE, RED, GREY = "#3b7dd8", "#d1603d", "#9aa4b0"
WIDTH = 560
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Chart:
    """A chart by its specification. In a notebook it shows itself; ``save("figure.pdf")`` writes it for a paper."""

    name: str
    caption: str
    alt: str
    """What the chart shows, in words."""
    spec: Mapping[str, Any]

    def svg(self) -> str:
        """The chart as static SVG."""
        import vl_convert

        return str(vl_convert.vegalite_to_svg(dict(self.spec)))

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


def finish(drawn: Any, name: str, caption: str, words: str) -> Chart:
    """An Altair chart in the house's fonts and colours; ``words`` follow the caption for those who cannot see it."""
    spec = (
        drawn.configure(background="transparent", font=FONT, padding={"left": 28, "top": 8, "right": 28, "bottom": 8})
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=INK, gridOpacity=0.15, domainColor=INK, tickColor=INK, labelFontSize=12,
            titleFontSize=12, titleFontWeight="normal", labelLimit=240, labelFont=FONT, titleFont=FONT,
        )
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=12)
        .configure_text(color=INK, font=FONT)
        .to_dict()
    )  # fmt: skip
    return Chart(name, caption, f"{caption} {words}.".lstrip(), _printable(spec))


def _printable(spec: Any) -> Any:
    """A specification in which no text turns the writing or steers anything: titles of axes are names of columns."""
    if isinstance(spec, str):
        return printable(spec)
    if isinstance(spec, dict):
        return {printable(key): _printable(value) for key, value in spec.items()}
    return [_printable(value) for value in spec] if isinstance(spec, list) else spec


def data(rows: Rows) -> Any:
    """Rows as the data of a chart, held inside its specification."""
    import altair as alt

    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def short(text: object, most: int = 40) -> str:
    """A name as it stands on an axis: printable and cut.

    >>> short("a" * 50, 8)
    'aaaaaaa…'
    """
    text = printable(str(text))
    return text if len(text) <= most else text[: most - 1] + "…"


def axis_names(names: Iterable[object], most: int = 40) -> list[str]:
    """Names as they stand on an axis; those that are the same once they are cut are numbered, so that none hides another.

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


def limits(
    values: Sequence[float], lows: Sequence[float] | None, highs: Sequence[float] | None
) -> list[tuple[float, float, float]]:
    """Each value with its limits; a limit that is unknown is the value itself."""
    lows, highs = lows or [math.nan] * len(values), highs or [math.nan] * len(values)
    return [
        (v, low if math.isfinite(low) else v, high if math.isfinite(high) else v)
        for v, low, high in zip(values, lows, highs, strict=True)
    ]
