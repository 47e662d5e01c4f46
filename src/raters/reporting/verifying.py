"""An old report against the same figures computed again."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from raters.errors import DataError
from raters.estimate import shown
from raters.reporting.document import Document

CLOSE = 1e-9
"""Figures that differ by less are the same: the last digits depend on the machine."""
CHUNK = 1 << 20


class _Pages(HTMLParser):
    """The texts of a report that are for machines: its datasheet and its figures."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._at: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "pre":
            self._at = dict(attrs).get("id")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._at = None

    def handle_data(self, data: str) -> None:
        if self._at is not None:
            self.texts[self._at] = self.texts.get(self._at, "") + data


def digest(paths: Sequence[Path]) -> str:
    """SHA-256 of the files, one after the other; empty where one of them is no file."""
    found = sha256()
    for path in paths:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                found.update(chunk)
    return found.hexdigest()


def old_report(path: Path) -> tuple[dict[str, Any], dict[str, list[float | None]]]:
    """How a report was made, and its figures."""
    page = _Pages()
    try:
        page.feed(path.read_text(encoding="utf-8"))
        sheet = json.loads(page.texts["datasheet"])
        figures: dict[str, list[float | None]] = json.loads(page.texts["figures"])
        return dict(sheet["made"]), figures
    except (KeyError, TypeError, ValueError):  # ValueError: no UTF-8, no JSON
        raise DataError(
            f"{path.name!r} is not an HTML report that raters can verify: it holds no figures. Reports from version 0.2"
            " on do."
        ) from None


def differences(made: dict[str, Any], figures: dict[str, list[float | None]], new: Document) -> list[str]:
    """What is not the same, in lines; empty where all is."""
    lines = []
    for name, what in (("sha256", "the file"), ("version", "the version of raters")):
        old, now = made.get(name), new.made.get(name)
        if old != now:
            lines.append(f"{what}: {_short(old)} then, {_short(now)} now")
    again = new.figures()
    for name, old in figures.items():
        if name not in again:
            lines.append(f"{name}: no longer there")
        elif not all(map(_same, old, again[name])):
            lines.append(f"{name}: {_figure(old)} then, {_figure(again[name])} now")
    lines += [f"{name}: not there before" for name in again if name not in figures]
    return lines


def _short(x: Any) -> str:
    return str(x)[:12]


def _same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE)


def _figure(figure: Sequence[float | None]) -> str:
    value, low, high = (math.nan if x is None else x for x in figure)
    return shown(value) + (f" ({shown(low)} to {shown(high)})" if math.isfinite(low) else "")
