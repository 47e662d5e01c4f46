"""CSV: one writer for every command; no cell is run by a spreadsheet."""

import csv
import io

import pytest

from raters.writing import csv_text, printable


@pytest.mark.parametrize("start", "=+-@\t\r")
def test_cells_and_names_that_a_spreadsheet_would_run_are_text(start):
    text = csv_text([f"{start}head", "n"], [(f"{start}cell", -1.5), ([f"{start}a", "b"], None)])
    head, first, second = csv.reader(io.StringIO(text, newline=""))
    assert head == [f"'{start}head", "n"]
    assert first == [f"'{start}cell", "-1.5"], "numbers stay numbers"
    assert second == [f"'{start}a; b", ""]


def test_commas_quotes_and_lines_come_back_as_they_were():
    cells = ["a,b", 'say "no"', "two\nlines", "é"]
    assert list(csv.reader(io.StringIO(csv_text("wxyz", [cells]))))[1] == cells


def test_marks_that_turn_the_writing_are_replaced():
    assert printable("a\u202eb\x07c é") == "a\ufffdb\ufffdc é"
