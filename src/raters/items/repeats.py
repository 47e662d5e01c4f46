"""Raters who label an item more than once: an error unless ``duplicates=`` states what to do."""

from __future__ import annotations

from collections.abc import Iterable

from raters.annotations import Annotations
from raters.errors import SPANS_REFUSED, DataError


def check_repeats(ann: Annotations, group: str | None, by: str | None) -> None:
    """Raise an error for a rater who labels an item twice, unless ``duplicates=`` states what to do."""
    if not ann.repeats or ann.duplicates != "error":
        return
    more = [ann.engine.quote(c) for c in (group, by) if c is not None and c in ann.extras]
    if more:
        got = ann.engine.query(
            f"SELECT count(*) AS n FROM (SELECT item FROM annotations GROUP BY item, rater, {', '.join(more)} HAVING count(*) > 1) AS r"
        )
        if not int(got["n"][0]):
            return
    refuse_spans(ann)
    item, rater = ann.first_repeat or ("?", "?")
    raise DataError(
        f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater (first: item {item!r}, rater {rater!r}). "
        "Pass duplicates='first', 'last' or 'keep' to read() (--duplicates on the command line)."
    )


def refuse_spans(ann: Annotations) -> None:
    """Repeats in a table with columns that locate a label within an item are not repeats but spans, and none may be dropped."""
    spans = _span_columns(ann.extras)
    if not ann.repeats or ann.duplicates != "error" or spans is None:
        return
    raise DataError(
        f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater, and columns {spans[0]!r} and {spans[1]!r} "
        f"look like {SPANS_REFUSED} Pass duplicates= if these columns mean something else."
    )


SPANS = ({"start", "begin", "charstart", "startoffset", "startchar", "beginoffset", "head", "arg1"},
         {"end", "stop", "charend", "endoffset", "endchar", "tail", "arg2"})  # fmt: skip


def _span_columns(columns: Iterable[str]) -> tuple[str, str] | None:
    """Two columns that place a label inside an item, or between two parts of it."""
    plain_names = {c.lower().replace("_", "").replace("-", "").replace(" ", ""): c for c in columns}
    first, last = (next((plain_names[n] for n in sorted(names) if n in plain_names), None) for names in SPANS)
    return (first, last) if first is not None and last is not None else None
