"""Rows written out as files, and read back."""

import gzip
from pathlib import Path
from typing import Any

from raters.annotations import Annotations

ROWS = [("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", "no")]
CSV = "item,rater,label\n" + "".join(f"{i},{r},{v}\n" for i, r, v in ROWS)


def long(ann: Annotations) -> list[tuple[Any, ...]]:
    """The annotations in the order of the source."""
    found = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row, item, rater")
    return list(zip(*(found[c].tolist() for c in ("item", "rater", "label")), strict=True))


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path
