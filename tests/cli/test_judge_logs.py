"""``raters judge`` on evaluation logs."""

import json

import pytest


@pytest.mark.shared
def test_mt_bench_from_the_command_line(run, data_dir, tmp_path):
    """The 29 pairs of the log, beside people made up from its first order."""
    log = next((data_dir / "exports" / "mt-bench").glob("*pair.jsonl"))
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    people = tmp_path / "people.jsonl"
    kept = ("question_id", "turn")
    lines = [
        {k: r[k] for k in kept}
        | {
            "model_a": r["model_2"],
            "model_b": r["model_1"],
            "judge": p,
            "winner": {"model_1": "model_b", "model_2": "model_a"}.get(r["g1_winner"], "tie"),
        }
        for r in rows
        for p in ("ann", "bob")
    ]
    people.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    code, out, _ = run("judge", people, "--model", log, "--resamples", "50")
    assert code == 0 and "\nLabels are read as winners of pairs" in out
    assert (
        "17 of 29 pairs had the same verdict in both orders (59%); of 10 that flipped, 9 went to the system shown first"
        " (p = 0.0215)" in out
    )
    assert "judge and person agree in" in out and "According to people, phi-3" in out


def _people(path, labels):
    lines = [f"{item},{p},{label}" for item, label in labels.items() for p in ("ann", "bob", "eve")]
    path.write_text("item,rater,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.shared
def test_the_question_of_a_log_is_not_asked_of_the_peoples_table(run, data_dir, tmp_path):
    """DeepEval: a log asks several questions, people's CSV none."""
    log = next((data_dir / "exports" / "deepeval").glob("*.json"))
    people = _people(tmp_path / "people.csv", {"sample_test_case": 0.4})
    code, _, err = run("judge", people, "--model", log)
    assert code == 2 and "contains 2 questions: 'Answer Relevancy' (1 label), 'Faithfulness'" in err
    code, out, _ = run("judge", people, "--model", log, "--question", "Faithfulness", "--resamples", "20")
    assert code == 0 and "Read as an export of DeepEval" in out and "Question 'Faithfulness' of 2" in out
    assert "It is not clear yet whether" in out


def test_a_deepeval_log_with_cases_enough(run, tmp_path):
    """The shape of DeepEval's own file, with cases enough for a verdict."""
    metric = {"name": "Faithfulness", "threshold": 0.5, "success": True, "evaluationModel": "gpt-5.4"}
    cases = [
        {"name": f"t{i}", "actualOutput": "x", "metricsData": [{**metric, "score": [0.2, 0.9, 0.6][i % 3]}]}
        for i in range(150)
    ]
    log = tmp_path / "run.json"
    log.write_text(json.dumps({"testRunData": {"testCases": cases}}), encoding="utf-8")
    people = _people(tmp_path / "people.csv", {f"t{i}": [0.2, 0.9, 0.6][i % 3] for i in range(150)})
    code, out, _ = run("judge", people, "--model", log, "--resamples", "50")
    assert code == 0 and "\nThe judge 'gpt-5.4' may stand in for these people" in out


@pytest.mark.shared
@pytest.mark.parametrize(
    "log", ["inspect/meridian*.eval", "promptfoo/*sample-export.json", "promptfoo/*redteam*", "promptfoo/*output.csv"]
)
def test_genuine_logs_beside_made_people(run, data_dir, tmp_path, log):
    import raters

    file = next((data_dir / "exports").glob(log))
    ann = raters.read(file, duplicates="keep")
    got = ann.engine.query("SELECT item, min(label) AS label FROM annotations GROUP BY item")
    people = tmp_path / "people.csv"
    lines = [
        f'"{i}",{p},{x}'
        for i, x in zip(got["item"].tolist(), got["label"].tolist(), strict=True)
        for p in ("ann", "bob")
    ]
    people.write_text("item,rater,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    code, out, _ = run("judge", people, "--model", file, "--resamples", "20")
    assert (
        code == 0 and "not clear yet" in out and ("items labelled by people" in out or "agreement is undefined" in out)
    )
