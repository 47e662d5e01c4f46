"""Encodings, headers, separators and numbers as people write them; each is found and said, and an option settles it."""

import io
import sys

import openpyxl
import pytest

import raters
from raters.errors import RatersError, UsageError
from raters.io.sources.header import find_header

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
WORDS = ["no", "yes", "maybe"]
ROWS = [(f"d{i}", *(WORDS[(i * (j + 1) + (i == 3) * j) % 3] for j in range(3))) for i in range(12)]
LONG = [(row[0], who, row[1 + j]) for row in ROWS for j, who in enumerate(("Ann", "Bob", "Cem"))]
VALUE = raters.agreement(raters.read(LONG, scale="nominal"), interval=None).value


def text(rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in rows)


def same(ann):
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (12, 3, 36), str(ann)
    assert raters.agreement(ann, interval=None).value == pytest.approx(VALUE, abs=1e-12)


WIDE = [("doc", "Ann", "Bob", "Cem"), *ROWS]
FILES = {
    "a title": ([("Coding, spring"[:6],), *WIDE], ",", "1 row above the table skipped"),
    "a title and empty cells": (
        [("Coding", "", "", ""), ("", "", "", ""), *WIDE],
        ",",
        "1 row above the table skipped",
    ),
    "remarks": ([("# made 2024",), ("# by hand",), ("item", "rater", "label"), *LONG], ",", "2 rows above"),
    "names in two rows": ([("doc", "Tone", "", ""), ("", "Ann", "Bob", "Cem"), *ROWS], ";", "joined from two rows"),
    "a described header": (
        [WIDE[0], ("The document", "What does Ann say?", "What does Bob say?", "What does Cem say?"), *ROWS],
        ",",
        "the second row describes",
    ),
    "no header": (ROWS, ",", "no header: the first row looks like"),
    "no header, long": (LONG, "\t", "no header"),
    "spaces": ([("item", "rater", "label"), *LONG], " ", ""),
    "pipes": ([("item", "rater", "label"), *LONG], "|", ""),
}


@pytest.mark.parametrize("name", [name for name in FILES if name != "no header, long"])
def test_where_the_names_are(name, tmp_path):
    rows, mark, note = FILES[name]
    path = tmp_path / "a.csv"
    path.write_text(text(rows, mark))
    ann = raters.read(path)
    same(ann)
    assert not note or any(note in said for said in ann.warnings), ann.warnings


def test_header_settles_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text(ROWS))
    assert raters.read(path, header=0).n_items == 12
    path.write_text(text([("doc", "Tone", "", ""), ("", "Ann", "Bob", "Cem"), *ROWS]))
    assert set(raters.read(path, header=2).labels) == set(WORDS)
    assert raters.read(path, header=1, scale="nominal", layout="wide", item="doc").dropped == {"missing item": 3}


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["a", "b"], ["yes", "no"], ["no", "no"]], ("a", "b")),
        ([["", "1", "2", "3"], ["x", "4", "0", "1"], ["y", "2", "2", "1"], ["z", "1", "1", "3"], ["w", "5", "0", "0"]], ("", "1", "2", "3")),
        ([["", "101", "102"], *[[str(i), "4", "5"] for i in range(9)]], ("", "101", "102")),
        ([["item", "rater", "label"], *[["item", "rater", "label"]] * 5], ("item", "rater", "label")),
    ],
)  # fmt: skip
def test_what_stays_a_header(rows, names):
    assert find_header(rows).names == names


@pytest.mark.parametrize(
    ("encoding", "said"), [("cp1252", "Windows-1252"), ("latin-1", "Latin-1"), ("utf-16", "UTF-16")]
)
def test_encodings_are_found_and_said(encoding, said, tmp_path):
    odd = {"cp1252": "caf\xe9 \u2013 5 \u20ac", "latin-1": "caf\xe9\x81", "utf-16": "caf\xe9"}[encoding]
    path = tmp_path / "a.csv"
    path.write_bytes(text([("item", "rater", "label"), *((f"{a} {odd}", b, c) for a, b, c in LONG)]).encode(encoding))
    ann = raters.read(path)
    same(ann)
    assert any(said in note for note in ann.warnings)
    assert odd in str(ann.engine.query("SELECT min(item) AS i FROM annotations")["i"][0])
    with pytest.raises(RatersError, match="is not utf-8"):
        raters.read(path, encoding="utf-8")


def test_percentages_are_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text([("item", "r1", "r2"), *((i, f"{10 * (i % 5)}%", f"{10 * (i % 4)} %") for i in range(12))]))
    ann = raters.read(path)
    assert ann.labels == (0, 10, 20, 30, 40) and any("percentages" in note for note in ann.warnings)


def test_two_labels_in_a_cell_are_no_decimal(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        text([("id", "annotators", "annotations"), *((i, "ann,bob", f"{i % 2},{i % 3 % 2}") for i in range(12))], ";")
    )
    ann = raters.read(path)
    assert ann.labels == (0, 1) and ann.n_annotations == 24


def test_a_sheet_for_each_rater_and_merged_headers(tmp_path):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for j, who in enumerate(("Ann", "Bob", "Cem")):
        sheet = book.create_sheet(who)
        for row in [("doc", "label"), *((r[0], r[1 + j]) for r in ROWS)]:
            sheet.append(row)
    book.save(tmp_path / "sheets.xlsx")
    ann = raters.read(tmp_path / "sheets.xlsx")
    same(ann)
    assert "one sheet for each rater" in ann.recognised and "'Bob'" in ann.recognised
    book = openpyxl.Workbook()
    for row in [("Coding of news",), (), ("doc", "Tone", None, None), (None, "Ann", "Bob", "Cem"), *ROWS]:
        book.active.append(row)
    book.active.merge_cells("B3:D3")
    book.save(tmp_path / "merged.xlsx")
    same(raters.read(tmp_path / "merged.xlsx"))


def test_patterns_and_folders(tmp_path):
    for j, who in enumerate(("Ann", "Bob", "Cem")):
        (tmp_path / f"{who}.csv").write_text(text([("doc", "label"), *((r[0], r[1 + j]) for r in ROWS)]))
        (tmp_path / who).mkdir()
        (tmp_path / who / "labels.csv").write_text(text([("doc", "label"), *((r[0], r[1 + j]) for r in ROWS)]))
    for source in (f"{tmp_path}/*.csv", f"{tmp_path}/*/labels.csv"):
        ann = raters.read(source)
        same(ann)
        assert "file" in ann.extras and any("3 files make one table" in note for note in ann.warnings)
    for who in ("Ann", "Bob", "Cem"):
        (tmp_path / f"{who}.csv").unlink()
    same(raters.read(tmp_path))


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_standard_input(kind, monkeypatch):
    content = text([("item", "rater", "label"), *LONG])
    if kind == "json":
        content = "[" + ",".join(f'{{"item": "{a}", "rater": "{b}", "label": "{c}"}}' for a, b, c in LONG) + "]"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    same(raters.read("-"))


def test_quotes_are_text_in_a_file_with_tabs_that_was_written_without_quoting(tmp_path):
    """Where a quoted reading breaks and every line has as many fields as the header; in quotes they stay quotes."""
    path = tmp_path / "labels.tsv"
    path.write_text(
        'item\trater\tlabel\n"Stomp" wins\tann\tno\n"Stomp" wins\tbob\tyes\nq2\tann\tno\nq2\tbob\tno\n',
        encoding="utf-8",
    )
    ann = raters.read(path)
    assert ann.to_columns()["item"][0] == '"Stomp" wins' and any(
        "quotes are part of the text" in n for n in ann.warnings
    )
    path.write_text('item\trater\tlabel\n"q\t1"\tann\tno\n"q\t1"\tbob\tyes\nq2\tann\tno\n', encoding="utf-8")
    ann = raters.read(path)
    assert ann.to_columns()["item"][0] == "q\t1" and not any("quotes are part" in n for n in ann.warnings)


def test_rows_above_the_header_are_left_out_where_that_is_asked(tmp_path):
    path = tmp_path / "tone.csv"
    rows = [["Study", "of", "tone"], ["", "", ""], ["made", "by", "K"], ["id", "coder1", "coder2"]]
    rows += [[f"t{i}", "xy"[i % 2], "xy"[i % 3 == 0]] for i in range(20)]
    path.write_text("\n".join(map(",".join, rows)))
    ann = raters.read(path, skip=2)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (20, 2, 40)
    assert raters.look(path, skip=2)[0].raters == ("coder1", "coder2")
    with pytest.raises(UsageError, match="skip=40 leaves no header"):
        raters.read(path, skip=40)
