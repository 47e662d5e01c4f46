"""Labels that are the same are one label, whatever is around them; labels that are not are never merged silently."""

import unicodedata
import warnings
from pathlib import Path

import numpy as np
import pytest

import raters
from raters.errors import RatersWarning

CAFE = unicodedata.normalize("NFC", "cafe\u0301")
APART = unicodedata.normalize("NFD", CAFE)


def rows(*labels):
    return [(f"q{i}", r, label) for i, label in enumerate(labels) for r in "ab"]


def test_spaces_around_a_label_do_not_count_and_are_said():
    ann = raters.read(rows("yes", " yes", "yes\t", "no", "\u00a0no"))
    assert ann.labels == ("no", "yes")
    assert "spaces around the label were removed in 6 annotations (such as ' yes')" in ann.warnings
    assert raters.agreement(ann, "percent", interval=None).value == 1


def test_one_unicode_form():
    assert CAFE != APART
    ann = raters.read(rows(CAFE, APART, "tea"))
    assert ann.labels == (CAFE, "tea")
    assert any(
        "2 annotations had labels with the same letters in a different Unicode form" in note for note in ann.warnings
    )
    declared = raters.read(rows(CAFE, "tea"), labels=["tea ", APART], scale="ordinal")
    assert declared.labels == ("tea", CAFE)


def test_a_file_and_a_wide_table(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        f"item,rater,label\n1,a, yes\n1,b,yes \n2,a,{CAFE}\n2,b,{APART}\n3,a,no\n3,b,no\n", encoding="utf-8"
    )
    assert raters.read(path).labels == tuple(sorted([CAFE, "no", "yes"]))
    wide = raters.read([["yes", "yes "], ["no", " no"]], layout="wide")
    assert wide.labels == ("no", "yes")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("item,rater,label\n1,a, 1\n1,b,1 \n2,a,2\n2,b,2\n")
    found = raters.read(numbers, scale="ordinal")
    assert found.labels == (1, 2) and not found.warnings


def test_only_spaces_is_missing_and_missing_is_found_among_spaces():
    ann = raters.read([*rows("yes", "no"), ("q9", "a", "\t"), ("q9", "b", " NA ")], missing=["NA"])
    assert ann.labels == ("no", "yes") and sum(ann.dropped.values()) == 2


def test_case_is_reported_and_never_merged():
    ann = raters.read(rows("Yes", "yes", "no", "NO", "maybe"))
    assert ann.labels == ("NO", "Yes", "maybe", "no", "yes")
    assert (
        "labels differ only by case: 'NO', 'no'; 'Yes', 'yes'; they were kept apart; write them alike if they are the same"
        in ann.warnings
    )
    assert not any("case" in note for note in raters.read(rows("a", "b")).warnings)


@pytest.mark.parametrize(
    "words", ["1 = negative", "1: negative", "1 - negative", "1. negative", "1) negative", "1 neg"]
)
def test_a_code_beside_its_words_is_said_and_is_no_missing_label(words: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    given = (",".join(row) for row in rows("1", words, "2", words, "1"))
    path.write_text("\n".join(["item,rater,label", *given]))
    with pytest.warns(RatersWarning, match="a code with and without its words"):
        ann = raters.read(path)
    assert f"labels '1', {words!r} look like a code with and without its words" in " ".join(ann.warnings)
    assert len(ann.labels) == 3 and not any("missing" in note for note in ann.warnings)


@pytest.mark.parametrize("labels", [("1", "2 = b"), ("pre", "pre-trained"), ("1", "1.5", "x"), ("a", "ab: c")])
def test_labels_that_only_begin_alike_are_no_codes(labels: tuple[str, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RatersWarning)
        assert not any("look like a code" in note for note in raters.read(rows(*labels)).warnings)


def test_truth_and_numbers_differ_unless_declared():
    mixed = [("1", "a", True), ("1", "b", 1), ("2", "a", False), ("2", "b", 0), ("3", "a", 1), ("3", "b", True)]
    with pytest.warns(RatersWarning, match="mixes true and false"):
        ann = raters.read(mixed)
    assert len(ann.labels) == 4
    assert any("were read as different labels" in note for note in ann.warnings)
    for labels in ([0, 1], [False, True]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            said = raters.read(mixed, labels=labels, scale="nominal")
        assert len(said.labels) == 2 and raters.agreement(said, "percent", interval=None).value == 1
        assert not said.warnings


def test_a_note_names_only_what_is_in_the_data():
    codes = np.array([2**60 + 1, 2**60 + 3])
    table = {"item": [1, 1, 2, 2], "rater": [1, 2, 1, 2], "label": codes[[0, 1, 0, 0]]}
    ann = raters.read(table)
    said = next(note for note in ann.warnings if "too long to be exact as numbers" in note)
    assert str(2**60 + 3) in said or str(2**60 + 1) in said


def test_sets():
    ann = raters.read([("1", "a", ["x ", CAFE]), ("1", "b", ["x", APART])], scale="sets")
    assert ann.members == (CAFE, "x") and len(ann.labels) == 1


@pytest.mark.spark
def test_the_same_on_spark(spark):
    frame = spark.createDataFrame(
        [("1", "a", " yes"), ("1", "b", "yes"), ("2", "a", CAFE), ("2", "b", APART)], ["item", "rater", "label"]
    )
    assert raters.read(frame).labels == (CAFE, "yes")
