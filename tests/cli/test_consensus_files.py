"""Files of ``raters consensus``: what they contain is what their names say."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import raters
from raters.errors import UsageError


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two questions, 12 items, three raters."""
    rows = [
        (i, j, "ny"[(i + (j == 2) * (i % 3 == 0)) % 2], q)
        for q in ("tone", "spam")
        for i in range(12)
        for j in range(3)
    ]
    there = tmp_path / "t.csv"
    there.write_text("item,rater,label,question\n" + "".join(f"{i},r{j},{x},{q}\n" for i, j, x, q in rows))
    return there


ONE = ("--question", "tone", "--model", "one_coin")


def test_matrices_are_json_if_the_name_says_so(run: Any, table: Path) -> None:
    there = table.parent / "m.json"
    code, out, _ = run("consensus", table, *ONE, "--matrices", there)
    found = json.loads(there.read_text())
    c = raters.consensus(raters.read(table, question="tone", scale="nominal"), "one_coin")
    assert code == 0 and "settled" in out
    assert found["labels"] == ["n", "y"] and found["prevalence"] == [0.5, 0.5]
    assert found["confusion"]["r2"][0] == pytest.approx(c.confusion[2][0].tolist())


def test_labels_are_json_if_the_name_says_so_and_the_terminal_still_has_the_summary(run: Any, table: Path) -> None:
    there = table.parent / "labels.json"
    code, out, _ = run("consensus", table, *ONE, "-o", there)
    assert code == 0 and "12 items" in out
    assert len(json.loads(there.read_text())["items"]["label"]) == 12


def test_names_of_other_kinds_of_files_are_refused_before_any_work(run: Any, table: Path) -> None:
    for option, name, kinds in (
        ("--matrices", "m.xlsx", ".csv or .json"),
        ("-o", "l.xlsx", ".csv or .json"),
        ("--raters", "r.json", ".csv"),
        ("--adjudicate", "s.xlsx", ".csv"),
    ):
        code, out, err = run("consensus", table, *ONE, option, table.parent / name)
        assert code == 2 and not out and f"give it a name that ends in {kinds}." in err
        assert not (table.parent / name).exists()


def test_matrices_of_tasks_and_of_sets(run: Any, table: Path) -> None:
    there = table.parent / "m.csv"
    code, _, _ = run("consensus", table, "--by", "question", "--model", "one_coin", "--matrices", there)
    rows = list(csv.DictReader(there.read_text().splitlines()))
    assert code == 0 and {r["question"] for r in rows} == {"tone", "spam"} and len(rows) == 2 * 3 * 4
    sets = table.parent / "sets.csv"
    sets.write_text(
        "item,rater,label\n"
        + "".join(f"{i},r{j},{'a;b' if (i + j) % 3 else 'a'}\n" for i in range(12) for j in range(3))
    )
    json_there = table.parent / "m.json"
    code, _, _ = run(
        "consensus", sets, "--scale", "sets", "--sep", ";", "--model", "one_coin", "--matrices", json_there
    )
    assert code == 0 and set(json.loads(json_there.read_text())["label"]) == {"a", "b"}


def test_a_name_that_is_not_the_column_of_the_questions_is_refused(run: Any, table: Path) -> None:
    code, out, err = run("consensus", table, "--by", "nonsense")
    assert code == 2 and not out and "--by nonsense does not name the questions" in err and "--by question" in err
    with pytest.raises(UsageError, match="by='nonsense' does not name the questions"):
        raters.consensus(table, by="nonsense")
    assert set(raters.consensus(table, "majority", by="question")) == {"tone", "spam"}


def test_numbers_have_neither_a_check_nor_matrices_and_the_command_says_what_there_is(run: Any, tmp_path: Path) -> None:
    data, gold = tmp_path / "n.csv", tmp_path / "g.csv"
    data.write_text("item,rater,label\n" + "".join(f"q{i},r{j},{i + j / 7}\n" for i in range(12) for j in range(3)))
    gold.write_text("item,label\nq1,1.0\n")
    code, _, err = run("consensus", data, "--scale", "interval", "--check", gold)
    assert code == 2 and "written by -o" in err and ".posterior" not in err
    code, _, err = run("consensus", data, "--scale", "interval", "--matrices", tmp_path / "m.csv")
    assert code == 2 and "--raters FILE" in err and ".params" not in err
