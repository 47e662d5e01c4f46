"""``raters judge``: verdict, gate, estimates, formats."""

import json
import random
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three people and two judges; the judges label 300 more items."""
    rng = random.Random(4)
    folder = tmp_path_factory.mktemp("judge")
    truth = [rng.choice("xy") for _ in range(400)]
    say = lambda i, wrong: truth[i] if rng.random() > wrong else rng.choice("xy")  # noqa: E731
    people = [f"i{i},{p},{say(i, 0.2)},human" for i in range(100) for p in ("ana", "ben", "chi")]
    good = [f"i{i},good,{say(i, 0.1)},model" for i in range(400)]
    bad = [f"i{i},bad,{say(i, 0.9)},model" for i in range(400)]
    head = "item,rater,label,kind\n"
    for name, rows in (("people", people), ("good", good), ("both", [*good, *bad]), ("all", [*people, *good, *bad])):
        (folder / f"{name}.csv").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    plain = "\n".join(f"{r.split(',')[0]},{r.split(',')[2]}" for r in good)
    (folder / "gpt.csv").write_text("item,label\n" + plain + "\n", encoding="utf-8")
    return folder


FAST = ("--resamples", "200")


def test_a_verdict_in_words(run, files):
    code, out, _ = run(
        "judge", files / "people.csv", "--model", files / "good.csv", *FAST, "--margin", "0.2", "--scale", "nominal"
    )
    assert code == 0 and out.startswith("good may stand in for these people.")
    assert "The judge 'good' may stand in for these people: it is at most 0.2 worse than" in out
    row = next(line for line in out.splitlines() if line.startswith("people with each other"))
    assert row.endswith("  kappa_people") and "rows: the judge; columns: the majority of people" in out


def test_a_file_without_raters_is_one_judge(run, files):
    _, out, _ = run("judge", files / "people.csv", "--model", files / "gpt.csv", *FAST, "--format", "json")
    whole = json.loads(out)
    assert whole["judges"][0]["judge"] == "gpt"
    _, other, _ = run("judge", files / "people.csv", "--model", files / "good.csv", *FAST, "--format", "json")
    values = [{e["name"]: e["value"] for e in json.loads(text)["estimates"]} for text in (out, other)]
    assert values[0] == values[1]


@pytest.mark.parametrize("how", [("--judges", "good,bad"), ("--judges-from", "kind")])
def test_one_file_with_both(run, files, how):
    code, out, _ = run("judge", files / "all.csv", *how, *FAST, "--margin", "0.2")
    assert (
        code == 0
        and out.startswith("Of 2 judges, 1 may stand in for people, 1 should not yet.")
        and "independent ones" in out
        and "The judge 'bad' should not stand in" not in out
        and "The judge 'bad' should not stand in" in run("judge", files / "all.csv", *how, *FAST, "--details")[1]
    )


def test_the_gate(run, files):
    given = ("judge", files / "people.csv", "--model", files / "both.csv", *FAST)
    code, _, err = run(*given, "--fail-under", "advantage:low=0.7", "--fail-under", "kappa=0.5")
    assert code == 1 and "bad: the lower limit of advantage is" in err and "(and 1 more)" in err
    code, _, _ = run(
        "judge", files / "people.csv", "--model", files / "good.csv", *FAST, "--fail-under", "advantage:low=0.5"
    )
    assert code == 0
    code, _, err = run(*given, "--fail-under", "charm=1")
    assert code == 2 and "there is no figure of that name. Use one of kappa, kappa_people" in err
    code, _, err = run(*given, "--fail-under", "kappa:high=1")
    assert code == 2 and "is not NAME[:low]=NUMBER" in err


def test_junit(run, files, tmp_path):
    out = tmp_path / "judge.xml"
    code, _, _ = run(
        "judge",
        files / "people.csv",
        "--model",
        files / "both.csv",
        *FAST,
        "--fail-under",
        "kappa:low=0.3",
        "--format",
        "junit",
        "-o",
        out,
    )
    suite = ET.parse(out).getroot()
    assert code == 1 and suite.get("tests") == "2" and suite.get("failures") == "1"
    assert {c.get("classname"): c.find("failure") is not None for c in suite.iter("testcase")} == {
        "bad": True,
        "good": False,
    }


@pytest.mark.parametrize("sample", ["random", "other"])
def test_what_the_labels_are_worth(run, files, sample):
    given = (
        "judge",
        files / "people.csv",
        "--model",
        files / "both.csv",
        "--judge",
        "good",
        "--estimate",
        "prevalence",
        "--sample",
        sample,
    )
    code, out, _ = run(*given, "--half-width", "0.05")
    assert code == 0 and "as people would label all items" in out and "needs people's labels on" in out
    whole = json.loads(run(*given, "--format", "json")[1])
    assert whole["n"] == 100 and whole["n_judged"] == 300 and whole["sample"] == sample


def test_how_the_items_were_chosen_is_asked_for(run, files):
    code, _, err = run("judge", files / "people.csv", "--model", files / "good.csv", "--estimate", "prevalence")
    assert code == 2 and "say how the items with human labels were chosen" in err
    code, _, err = run("judge", files / "people.csv")
    assert code == 2 and "say which raters are models: --model FILE" in err


def test_models_keep_their_names(run, files, tmp_path):
    """--anonymize hides people; judges are none."""
    for i, given in enumerate(
        (
            ("all.csv", "--judges", "good,bad"),
            ("all.csv", "--judges-from", "kind"),
            ("people.csv", "--model", files / "both.csv"),
        )
    ):
        key = tmp_path / f"key{i}.csv"
        code, out, _ = run("judge", files / given[0], *given[1:], "--anonymize", "--key", key, *FAST)
        assert code == 0 and "good" in out and "ana" not in out
        assert "good" not in key.read_text() and "ana" in key.read_text()


def test_numbers_for_labels(run, files):
    given = (
        "judge",
        files / "people.csv",
        "--model",
        files / "good.csv",
        "--duplicates",
        "first",
        "--sample",
        "random",
    )
    code, out, _ = run(*given, "--estimate", "mean", "--score", "x=1,y=0", "--format", "json")
    mean = json.loads(out)["estimates"][0]["value"]
    _, shares, _ = run(*given, "--estimate", "prevalence", "--format", "json")
    assert code == 0 and abs(mean - json.loads(shares)["estimates"][0]["value"]) < 0.05
    code, _, err = run(*given, "--estimate", "mean", "--score", "x=one")
    assert code == 2 and "for example win=1,tie=0.5,loss=0" in err


def test_the_command_of_the_example_workflow(run, files, tmp_path, monkeypatch):
    """The documented workflow is run as it stands, on files of the names it uses."""
    text = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
    (command,) = [line.split("- run: raters ")[1] for line in text.splitlines() if "- run: raters judge" in line]
    (tmp_path / "people.csv").write_text((files / "people.csv").read_text())
    (tmp_path / "judge.csv").write_text((files / "gpt.csv").read_text())
    monkeypatch.chdir(tmp_path)
    code, _, _ = run(*command.split(), *FAST)
    suite = ET.parse(tmp_path / "judge.xml").getroot()
    assert code == (int(suite.get("failures")) > 0) and [c.get("name") for c in suite.iter("testcase")] == [
        "advantage:low >= 0.5",
        "kappa:low >= 0.6",
    ]


def test_json_says_which_checks_passed(run, files):
    _, out, _ = run(
        "judge",
        files / "people.csv",
        "--model",
        files / "good.csv",
        *FAST,
        "--fail-under",
        "kappa=0.99",
        "--format",
        "json",
    )
    (check,) = json.loads(out)["checks"]
    assert check["judge"] == "good" and not check["passed"] and "below 0.99" in check["said"]


def _two_files(tmp_path):
    """People's and a judge's file under different names of columns; the judge's has two versions."""
    people, model = tmp_path / "people.csv", tmp_path / "gpt.csv"
    people.write_text(
        "id,annotator,verdict\n" + "".join(f"q{i},{p},{'ok' if i % 3 else 'bad'}\n" for i in range(60) for p in "xyz")
    )
    rows = [f"q{i},{'ok' if i % m else 'bad'},{v}\n" for v, m in (("v1", 3), ("v2", 4)) for i in range(60)]
    model.write_text("id,gpt_says,version\n" + "".join(rows))
    return people, model


def test_columns_that_only_one_file_has(run, tmp_path):
    people, model = _two_files(tmp_path)
    for more in (
        ["--label", "verdict", "--model-rater", "version"],
        ["--rater", "annotator", "--model-rater", "version"],
        ["--model-label", "gpt_says", "--model-rater", "version"],
    ):
        code, out, _ = run("judge", people, "--model", model, *more, "--resamples", "20", "--format", "json")
        assert code == 0 and '"label": "verdict"' in out and '"label": "gpt_says"' in out
    code, _, err = run("judge", people, "--model", model, "--label", "nothing")
    assert code == 2 and "no column 'nothing' for --label" in err
    code, _, err = run("judge", people, "--judges", "x", "--model-label", "verdict")
    assert code == 2 and "--model-label names a column of the judges' file" in err


def test_an_assumed_scale_is_said_once(run, tmp_path):
    people, model = tmp_path / "people.csv", tmp_path / "m.csv"
    people.write_text(
        "item,rater,label\n" + "".join(f"{i},{p},{1 + (i + (p == 'x')) % 5}\n" for i in range(40) for p in "xyz")
    )
    model.write_text("item,rater,label\n" + "".join(f"{i},m,{1 + i % 5}\n" for i in range(40)))
    code, out, _ = run("judge", people, "--model", model, "--resamples", "20")
    assert code == 0 and out.count("whole numbers were read as ordinal") == 1


def test_models_in_several_files(run, tmp_path):
    """Each is compared, as in one file of all judges; the last one alone was used, without a word."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    right = {who: rng.random(60) < share for who, share in (("ann", 0.85), ("bob", 0.85), ("m0", 0.95), ("m1", 0.6))}
    rows = {
        who: [f"q{i},{t if ok else 1 - t}" for i, (t, ok) in enumerate(zip(truth, found, strict=True))]
        for who, found in right.items()
    }
    people, whole = tmp_path / "people.csv", tmp_path / "all.csv"
    people.write_text("item,label,rater\n" + "".join(f"{r},{who}\n" for who in ("ann", "bob") for r in rows[who]))
    whole.write_text("item,label,rater\n" + "".join(f"{r},{who}\n" for who in ("m0", "m1") for r in rows[who]))
    for who in ("m0", "m1"):
        (tmp_path / f"{who}.csv").write_text("item,label\n" + "".join(f"{r}\n" for r in rows[who]))
    judge = ("judge", str(people), "--format", "json", "--resamples", "50")
    files = [x for who in ("m0", "m1") for x in ("--model", str(tmp_path / f"{who}.csv"))]
    several, one = (json.loads(run(*judge, *more)[1]) for more in (files, ["--model", str(whole)]))
    figures = [[(e["name"], e["value"], e["low"]) for e in told["estimates"]] for told in (several, one)]
    assert figures[0] == figures[1] and [j["judge"] for j in several["judges"]] == ["m0", "m1"]
    twice = ("--model", tmp_path / "m0.csv") * 2
    code, _, said = run("judge", people, *twice)
    assert code == 2 and "both stand for 'm0'" in said
    code, _, said = run("judge", people, "--model", whole, "--epsilon", "0.1", "--epsilon", "0.2")
    assert code == 2 and "--epsilon is given 2 times" in said
