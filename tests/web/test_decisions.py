"""Decisions: written through, never overwritten, found again."""

import csv
import io
import os

import pytest

import raters
from raters.errors import DataError
from raters.web.decisions import Decision, Log, log_of


def label(item, label, question=""):
    return Decision(question, item, "label", label)


def test_each_decision_is_in_the_file_before_append_returns(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    assert log.append(label("a", "yes"), 0)
    assert Log(log.path).of("")["a"].label == "yes"
    assert os.stat(log.path).st_mode & 0o777 == 0o600


def test_two_windows_do_not_overwrite_each_other(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    assert log.append(label("a", "yes"), 0)
    assert not log.append(label("a", "no"), 0)  # the other window was drawn before the first decision
    assert log.of("")["a"].label == "yes"
    assert log.append(label("a", "no"), log.times("", "a"))
    assert log.of("")["a"].label == "no"


def test_undo_takes_back_the_last_and_shows_the_one_before(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    log.append(label("a", "yes"), 0)
    log.append(label("a", "no"), 1)
    log.append(Decision("", "a", "undo"), 2)
    assert log.of("")["a"].label == "yes"
    log.append(Decision("", "a", "undo"), 3)
    assert log.of("") == {} and len(log.lines()) == 4


def test_a_line_that_a_crash_cut_off_is_lost_alone(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    log.append(label("a", "yes"), 0)
    with log.path.open("ab") as file:
        file.write(b'{"question": "", "item": "b", "kind": "la')
    assert set(log.of("")) == {"a"}
    log.append(label("c", "no"), 0)
    assert set(log.of("")) == {"a", "c"}


def test_another_file_of_that_name_is_refused_in_a_line(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    log.path.write_text("not json\n")
    with pytest.raises(DataError, match=r"x.jsonl, line 1: this is no decision"):
        log.lines()


def test_what_was_decided_is_gold_for_a_consensus(tmp_path):
    log = Log(tmp_path / "x.jsonl")
    log.append(label("q1", "yes"), 0)
    log.append(Decision("", "q2", "skip"), 0)
    log.append(label("=q3", "no\nnever", "other"), 0)
    rows = list(csv.DictReader(io.StringIO(log.csv(""))))
    assert [(r["item"], r["label"]) for r in rows] == [("q1", "yes")]
    assert "'=q3" in log.csv("other")
    ann = raters.read([(f"q{i}", r, "yes") for i in range(12) for r in "abc"] + [("q99", "a", "no")])
    assert raters.consensus(ann, "majority", gold={r["item"]: r["label"] for r in rows}).labels["q1"] == "yes"


def test_the_place_is_beside_a_named_file_and_never_in_the_folder_of_uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "labels.csv"
    path.write_text("x")
    assert log_of([path], "ab" * 32, named=True).path.parent == tmp_path
    assert tmp_path / "data" in log_of([path], "ab" * 32, named=False).path.parents
