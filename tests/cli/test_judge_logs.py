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
    lines = [{k: r[k] for k in kept} | {"model_a": r["model_2"], "model_b": r["model_1"], "judge": p,
              "winner": {"model_1": "model_b", "model_2": "model_a"}.get(r["g1_winner"], "tie")} for r in rows for p in ("ann", "bob")]  # fmt: skip
    people.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    code, out, _ = run("judge", people, "--model", log, "--resamples", "50")
    assert code == 0 and "\nLabels are read as winners of pairs" in out
    assert (
        "17 of 29 pairs had the same verdict in both orders (59%); of 10 that flipped, 9 went to the system shown first (p = 0.0215)"
        in out
    )
    assert "judge and person agree in" in out and "By people phi-3" in out
