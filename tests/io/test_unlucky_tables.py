"""Tables that look right and are not: each was once read as something else without a word."""

import json

import duckdb
import pytest

import raters
from raters.errors import DataError, UsageError

HEADER = "item,rater,label\n"
ROWS = "".join(f"i{i},r{j},{'no' if i * j % 2 else 'yes'}\n" for i in range(4) for j in range(3))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_put_one_behind_another_repeat_their_header(tmp_path, mark):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + ROWS + mark + HEADER + ROWS.replace("r", "s"), encoding="utf-8")
    found = raters.read(path)
    assert (found.n_items, found.n_raters, found.n_annotations, found.labels) == (4, 6, 24, ("no", "yes"))
    assert "1 row left out that repeats the header" in found.warnings


@pytest.mark.parametrize("name", ["label", "étiquette", "o'clock", "Label", "标签"])
@pytest.mark.parametrize("around", ["", " ", "\xa0", "\u2003"])
def test_a_repeated_header_is_found_whatever_is_around_its_names(tmp_path, name, around):
    again = ",".join(f"{around}{cell}{around}" for cell in ("item", "rater", name)) + "\n"
    rows = "".join(f"item{i},rater{j},{name}{around}{'x' if i * j % 2 else 'y'}\n" for i in range(4) for j in range(3))
    path = tmp_path / "a.csv"
    path.write_text(f"item,rater,{name}\n{rows}{again}{rows.replace('rater', 'coder')}", encoding="utf-8")
    found = raters.read(path, label=name)
    assert (found.n_items, found.n_raters, found.n_annotations, len(found.labels)) == (4, 6, 24, 2)
    assert "1 row left out that repeats the header" in found.warnings


def test_two_headers_are_no_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + HEADER)
    with pytest.raises(DataError, match="a header but no rows"):
        raters.read(path)


def test_numbers_stay_numbers_where_the_header_is_repeated(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "a,x,1\na,y,2\n" + HEADER + "b,x,3\nb,y,3\n")
    assert raters.read(path, scale="interval").labels == (1, 2, 3)


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff", "\u2060", "\xa0"])
def test_what_nobody_sees_around_a_label_makes_no_other_label(unseen):
    found = raters.read([("a", "x", "yes" + unseen), ("a", "y", "yes"), ("b", "x", "no"), ("b", "y", unseen + "no")])
    assert found.labels == ("no", "yes")
    assert any("spaces around the label were removed in 2 annotations" in note for note in found.warnings)


def test_answers_to_several_questions_in_a_cell_are_no_raters(tmp_path):
    path = tmp_path / "a.json"
    rows = [
        {"item": i, "rater": f"r{j}", "label": {"tone": "ab"[(i + j) % 2], "topic": "xyz"[i % 3]}}
        for i in range(9)
        for j in range(3)
    ]
    path.write_text(json.dumps(rows))
    with pytest.raises(DataError, match="column 'label' holds lists or objects"):
        raters.read(path)


def test_a_column_that_is_there_twice_is_no_second_row_of_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label,rater\n" + "".join(f"i{i},r{i % 3},no,s{i % 2}\n" for i in range(6)))
    with pytest.raises(UsageError, match="Nothing was computed"):
        raters.read(path)


def test_raters_who_always_say_the_same_are_raters_beside_a_third():
    said = {"ann": "nnn", "bob": "nyn", "cas": "yyy"}
    rows = [{"id": i, **{name: labels[i] for name, labels in said.items()}} for i in range(3)]
    found = raters.read(rows, layout="wide")
    assert (found.n_items, found.n_raters, found.n_annotations) == (3, 3, 9)


def test_an_item_of_which_all_say_what_nobody_says_of_another(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "rater,age,Q0,Q1,Q2,Q3\n"
        + "".join(f"{r},{a},yes,yes,no,{r} says so\n" for r, a in (("ann", 31), ("bob", 42), ("cas", 53)))
    )
    ann = raters.read(path)
    assert (ann.n_items, ann.n_annotations, ann.labels) == (3, 9, ("no", "yes"))
    assert "not items: 'age', 'Q3'" in str(ann)


def test_a_number_beyond_every_float_is_no_reason_to_stop_looking(tmp_path):
    rows = [f"{i},{1 + i % 3},{1 + i % 2},{'21e400' if i == 5 else 1 + i % 3}" for i in range(12)]
    path = tmp_path / "a.csv"
    path.write_text("nr,x1,x2,x3\n" + "\n".join(rows) + "\n")
    with pytest.raises(DataError, match=r"label inf is not a finite number .*item .5., rater .x3."):
        raters.read(path, rater="x1:x3")


def test_a_table_without_rows_in_which_totals_are_sought(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql("SELECT 'a' AS item, 'b' AS rater, 'c' AS label WHERE false").write_parquet(str(path))
    with pytest.raises(DataError, match="no annotations in it"):
        raters.read(path)
