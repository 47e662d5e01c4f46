"""The part of a documentation page that a benchmark writes, between two comments."""

from __future__ import annotations

from pathlib import Path


def put(page: Path, first: str, last: str, text: str) -> None:
    """Replace what stands between the comments; everything else stays."""
    before, rest = page.read_text(encoding="utf-8").split(first)
    page.write_text(f"{before}{first}\n\n{text}\n\n{last}{rest.split(last)[1]}", encoding="utf-8")
