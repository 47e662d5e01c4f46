"""Sheets of a consensus: columns, a threshold, and adjudication out and back as gold."""

import csv
from pathlib import Path

import numpy as np
import pytest
from small_crowds import ROWS, read

import raters
from raters import models
from raters.errors import DataError
from raters.models.follow_up import sheets


def test_columns_and_threshold(demo: raters.results.Consensus) -> None:
    table = demo.to_columns()
    assert list(table) == ["item", "label", "certainty", "n_labels", "entropy", *(f"p({x})" for x in demo.label_names)]
    assert len(demo.to_frame()) == 200
    strict = sheets.columns(demo, threshold=0.99)
    assert sum(x is None for x in strict["label"]) == int((demo.certainty < 0.99).sum()) > 0


def test_adjudication_sheet_and_back_as_gold(demo: raters.results.Consensus, tmp_path: Path) -> None:
    sheet = models.adjudication(demo, threshold=0.99)
    assert set(sheet["item"]) == {i for i, p in zip(demo.items, demo.certainty, strict=True) if p < 0.99}
    sheet["answer"][:3] = ["neutral", "positive", "neutral"]
    path = tmp_path / "sheet.csv"
    path.write_text(models.to_csv(sheet))
    gold = models.read_answers(path, demo)
    assert gold == dict(zip(sheet["item"][:3], ["neutral", "positive", "neutral"], strict=True))
    again = raters.consensus(raters.examples.demo(), "dawid_skene", gold=gold)
    assert all(again.labels[i] == x and again.certainty[again.where(i)] == 1 for i, x in gold.items())
    assert not set(gold) & set(models.adjudication(again)["item"])
    path.write_text("item,answer\nreview 001,splendid\n")
    with pytest.raises(DataError, match="answer 'splendid' of item 'review 001' is not one of"):
        models.read_answers(path, demo)


def test_names_that_a_spreadsheet_would_run_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [("=1+1", r, k) for r, k in enumerate("aab")] + [("-x", r, k) for r, k in enumerate("bba")]
    c = raters.consensus(raters.read(rows, scale="nominal"), model="majority")
    sheet = models.adjudication(c)
    sheet["answer"] = ["b"] * 2
    path = tmp_path / "s.csv"
    path.write_text(models.to_csv(sheet))
    with path.open() as file:
        assert {row["item"] for row in csv.DictReader(file)} == {"'=1+1", "'-x"}
    assert models.read_answers(path, c) == {"=1+1": "b", "-x": "b"}


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    c = raters.consensus(raters.read([(i, r, (i + r) % 3) for i in range(9) for r in range(3)], scale="nominal"))
    path = tmp_path / "s.csv"
    path.write_text("item,answer\n4,2\n")
    assert models.read_answers(path, c) == {4: 2}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_sheet_comes_back_as_spreadsheets_write_it(
    separator: str, demo: raters.results.Consensus, tmp_path: Path
) -> None:
    sheet = models.adjudication(demo)
    sheet["answer"][0], sheet["answer"][1] = "neutral", " positive "
    path = tmp_path / "sheet.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(sheet)
        writer.writerows(zip(*sheet.values(), strict=True))
    gold = models.read_answers(path, demo)
    assert gold == {sheet["item"][0]: "neutral", sheet["item"][1]: "positive"}
    c = raters.consensus(raters.examples.demo(), "dawid_skene", gold=gold)
    assert all(c.labels[item] == label for item, label in gold.items())


@pytest.mark.parametrize(
    "content, says",
    [
        (b"item,answer\nreview 001,caf\xe9\n", "UTF-8"),
        (b"item,answer\nreview 001,negative\nreview 001,positive\n", "two answers"),
        (b'item,answer\n"review 001,negative\n', "line"),
        (b"other,answer\nreview 001,negative,more\n", "no columns"),
        (b"item,answer\nreview 001," + b"x" * 2_000_000 + b"\n", "line"),
    ],
)
def test_a_bad_sheet_is_refused(content: bytes, says: str, demo: raters.results.Consensus, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        models.read_answers(path, demo)


def test_labels_with_blanks_and_formulas_come_back(tmp_path: Path) -> None:
    names = {"a": "yes ", "b": "=cmd|' /C calc'!A0", "c": "-1"}
    c = raters.consensus(read([(f"={i}", r, names[x]) for i, r, x in ROWS]), "dawid_skene")
    sheet = models.adjudication(c, threshold=1.01)
    sheet["answer"] = sheet["label"]
    path = tmp_path / "sheet.csv"
    path.write_text(models.to_csv(sheet))
    assert not any(line.startswith(("=", "-", "@", "+")) for line in path.read_text().splitlines())
    assert models.read_answers(path, c) == c.labels


@pytest.mark.parametrize("model", ["majority", "wawa", "zero_based_skill", "dawid_skene"])
def test_shares_are_shares(model):
    """A vote of five to one is .833 and .167, not 1 and 0: the largest share is the certainty beside it."""
    rows = [(f"q{i}", f"r{j}", "no" if j == i % 6 else "yes") for i in range(12) for j in range(6)]
    c = raters.consensus(raters.read(rows), model)
    made = c.to_columns(soft=True)
    both = np.column_stack([made["p(no)"], made["p(yes)"]])
    assert both.sum(1) == pytest.approx(1)
    if model == "majority":
        assert both[:, 1] == pytest.approx(5 / 6)
    if model != "dawid_skene":
        assert both.max(1) == pytest.approx(made["certainty"])
