"""``raters fold``, and commands that read folds."""

import json

import pytest


@pytest.fixture
def folds(run, file, tmp_path):
    """The table of the other commands as two folds, by topic, and as one file each."""
    lines = file.read_text(encoding="utf-8").splitlines()
    made = []
    for topic in "pq":
        part = tmp_path / f"{topic}.csv"
        part.write_text("\n".join([lines[0], *(x for x in lines[1:] if x.endswith(topic))]), encoding="utf-8")
        code, out, _ = run("fold", part, "-o", tmp_path / f"{topic}.fold", "--group", "rater")
        assert code == 0 and "patterns of 20 items" in out and "names of 3 values of 'rater'" in out
        made.append(tmp_path / f"{topic}.fold")
    return made


def test_folds_say_what_the_table_says(run, file, folds):
    told = [json.loads(run("agree", *given, "--format", "json")[1]) for given in ([file], folds)]
    assert told[0]["estimates"] == told[1]["estimates"] and len(told[0]["estimates"]) > 5
    assert told[1]["data"]["layout"] == "fold" and told[1]["data"]["engine"] == "fold"


def test_drift(run, folds):
    code, out, _ = run("agree", *folds, "--by", "fold", "-c", "krippendorff")
    assert code == 0 and "the 2 windows" in out and "more than chance (Q = " in out
    code, out, _ = run("agree", folds[0], "--against", folds[1])
    assert code == 0 and "not paired" in out


def test_krr_of_folds(run, file, folds):
    told = [json.loads(run("krr", *given, "--k", 1, "--format", "json")[1]) for given in ([file], folds)]
    assert told[0]["estimates"][0]["value"] == told[1]["estimates"][0]["value"]


def test_folds_of_folds(run, folds, tmp_path):
    whole = tmp_path / "whole.fold"
    assert run("fold", *folds, "-o", whole)[0] == 0
    assert json.loads(whole.read_text(encoding="utf-8"))["sample"]["level"] == 0
    one, two = (json.loads(run("agree", *given, "--format", "json")[1])["estimates"] for given in ([whole], folds))
    assert one == two


def test_what_is_wrong_is_said(run, file, folds, tmp_path):
    assert "-o NAME.fold" in run("fold", file)[2]
    assert "-o NAME.fold" in run("fold", file, "-o", tmp_path / "x.json")[2]
    assert "exists already" in run("fold", file, "-o", folds[0])[2]
    assert "is not a fold. Fold it first" in run("agree", folds[0], file)[2]
    assert "fixed when a table is folded" in run("agree", *folds, "--item", "doc")[2]
    assert "needs single annotations" in run("consensus", *folds)[2]
