"""The quick search for names that are written in an unusual way misses none that the slow one finds."""

import duckdb
import pytest

import raters
from raters.io.labels.spelling import BARE, UNUSUAL

NAMES = [
    "a", "a b", "é", "ß", "1", "A", "É", "aB", " a", "a ", "\ta", "a\t", "\na", "a\n", "a\r", "\ra",
    "\xa0a", "a\xa0", "a\u2003", "İ", "a\xa0b", "ǅ", "0x1F", "語", "語 ", "-", "#", "e\u0301", "a\u200bb", "a\u00adb", "\ufeffa",
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


@pytest.mark.parametrize("other", ["caf\xe9\xa0one", "cafe\u0301 one", "caf\xe9\u200b one", "caf\xe9 one\u200b"])
def test_names_and_labels_that_look_the_same_are_said(other: str) -> None:
    one = "caf\xe9 one"
    pairs = {"items": [(i, r, "xy"[len(i) % 2]) for i in (one, "b", other) for r in ("a", "b")],
             "raters": [(i, r, "xy"[i % 2]) for i in range(4) for r in (one, other)]}  # fmt: skip
    for what, rows in pairs.items():
        said = [n for n in raters.read(rows, scale="nominal").warnings if "differ" in n]
        assert (
            len(said) == 1 and said[0].startswith(what) and "cannot be seen" in said[0] and "type them again" in said[0]
        )
    labels = raters.read([(i, r, (one, other, "b")[i % 3]) for i in range(9) for r in "ab"], scale="nominal")
    assert any("labels" in n and "cannot be seen" in n for n in labels.warnings) == (len(labels.labels) == 3)


def test_two_spellings_of_a_number_as_labels_are_said(tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "item,rater,label\n" + "".join(f"{i},{r},{('1e3', '1000', 'many')[i % 3]}\n" for i in range(9) for r in "ab")
    )
    assert any("write the same number in different ways" in n for n in raters.read(path, scale="nominal").warnings)
