"""The quick search for names that are written in an unusual way misses none that the slow one finds."""

import duckdb
import pytest

import raters
from raters.io.labels.spelling import BARE, UNUSUAL

NAMES = [
    "a", "a b", "é", "ß", "1", "A", "É", "aB", " a", "a ", "\ta", "a\t", "\na", "a\n", "a\r", "\ra",
    "\xa0a", "a\xa0", "a\u2003", "İ", "a\xa0b", "ǅ", "0x1F", "語", "語 ", "-", "#",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_unusual_names(name: str) -> None:
    text = f"(SELECT decode(unhex('{name.encode().hex()}')) AS item)"
    slow, quick = duckdb.sql(f"SELECT item <> {BARE}, {UNUSUAL} FROM {text} AS t").fetchall()[0]
    assert quick == slow


@pytest.mark.parametrize("other", ["Post 1", "post 1 ", "\xa0post 1", "post 1\t"])
def test_items_that_differ_only_by_spaces_or_case_are_said(other: str) -> None:
    rows = [(item, rater, "xy"[len(item) % 2]) for item in ("post 1", "post 2", other) for rater in ("a", "b")]
    assert any("differ only by spaces or letter case" in note for note in raters.read(rows, scale="nominal").warnings)
