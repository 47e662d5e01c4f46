"""Exports on the command line: questions, rows to keep, several files, a report of all questions."""

import json

import pytest
from commands import FAST
from made_exports import EXPORTS, MTURK, lines, ls_choice, ls_task, write


@pytest.fixture
def two_questions(tmp_path):
    def annotation(who, tone, topic):
        return {
            **ls_choice(who, tone),
            "result": ls_choice(who, tone)["result"] + ls_choice(who, topic, name="topic")["result"],
        }

    tasks = [
        ls_task(i, f"t{i}", *(annotation(who, "xy"[(i + who) % 3 == 0], "ab"[i % 2]) for who in (1, 2, 3)))
        for i in range(12)
    ]
    return write(tmp_path, {"labels.json": json.dumps(tasks)})


def test_a_question_is_chosen(run, tmp_path):
    path = write(tmp_path, {"x.csv": MTURK})
    code, out, err = run("consensus", str(path))
    assert code == 2 and "contains 2 questions" in err and err.count("\n") == 1
    code, out, err = run("agree", str(path), *FAST)
    assert code == 0 and "Of 2 variables" in out
    code, out, err = run("agree", str(path), "--question", "tone", "--keep", "rejected", *FAST)
    assert code == 0 and "2 items, 2 raters, 1 to 2 labels each" in out


@pytest.mark.parametrize("command", ["agree", "report", "krr", "plan", "consensus", "multilabel"])
def test_every_command_takes_a_question(run, two_questions, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(command, str(two_questions), "--question", "tone")
    assert code == 0, err


def test_several_files_make_one_table(run, tmp_path):
    files = {
        f"{who}.jsonl": lines(*({"id": i, "text": str(i), "label": [label]} for i, label in enumerate(given)))
        for who, given in (("ann", "xyxy"), ("bob", "xyxx"))
    }
    folder = write(tmp_path, files)
    code, out, _ = run("agree", str(folder / "ann.jsonl"), str(folder / "bob.jsonl"), *FAST)
    assert code == 0 and "4 items, 2 raters, 2 labels each" in out
    code, out, _ = run("agree", str(folder), *FAST)
    assert code == 0 and "4 items, 2 raters, 2 labels each" in out


def test_the_report_answers_for_all_questions(run, two_questions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("report", str(two_questions), "--resamples", "200")
    assert code == 0, err
    page = (tmp_path / "labels-report.html").read_text(encoding="utf-8")
    top = page[: page.index("<main")]
    assert 'href="#q1"' in top and 'href="#q2"' in top
    assert 'id="q1-agreement"' in page and 'id="q2-agreement"' in page
    assert "topic: " in out and "tone: " in out
    code, out, _ = run("report", str(two_questions), "--format", "json", "--resamples", "200")
    made = json.loads(out)
    assert list(made["data"]["questions"]) == ["tone", "topic"]
    code, out, _ = run("report", str(two_questions), "--format", "json", "--question", "topic", "--resamples", "200")
    alone = [s["answer"] for s in json.loads(out)["sections"] if s["key"] == "agreement"]
    assert alone == [s["answer"] for s in made["sections"] if s["key"] == "q2-agreement"]


def test_raters_have_the_same_codes_in_all_questions(run, two_questions, tmp_path):
    code, _, err = run(
        "report", str(two_questions), "--anonymize", "-o", str(tmp_path / "x.html"), "--resamples", "200"
    )
    assert code == 0, err
    assert len((tmp_path / "x-key.csv").read_text(encoding="utf-8").splitlines()) == 4


def test_predictions_are_judges(run, tmp_path):
    path = write(tmp_path, EXPORTS["label_studio"][0])
    code, out, _ = run("agree", str(path), "--keep", "predicted", *FAST)
    assert code == 0 and "2 items, 3 raters, 2 labels each" in out
