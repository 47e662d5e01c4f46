"""How wide a text is, reckoned in Arial, so that a drawing is the same whichever fonts are installed."""

from __future__ import annotations

import unicodedata
from functools import cache

_BY_WIDTH = {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[]ft\\", 333: "()-`r", 334: "{}", 355: '"', 389: "*", 469: "^", 500: "Jckvsxyz",
    556: "#$0123456789?L_abdeghnopqu–", 584: "+<=>~−", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W",
    1000: "…—", 1015: "@",
}  # fmt: skip
_WIDTHS = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
_USUAL, _FULL = 600, 1000


@cache
def _width(letter: str) -> int:
    """Thousandths of the font's size; accents have no width, and letters that are not in the table are taken to be wide."""
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
