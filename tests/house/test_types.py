"""A type checker sees the options, refuses wrong ones, and knows what comes back."""

import re
from pathlib import Path

from mypy import api

ROOT = Path(__file__).resolve().parents[2]
CALLS = """
from pathlib import Path
from typing import assert_type

import raters

rows = [("a", "r", "x"), ("a", "s", "x")]
assert_type(raters.agreement(rows), raters.results.Estimate)
assert_type(raters.agreement(raters.read(Path("labels.csv"), item="doc"), by="topic"), raters.results.EstimateTable)
assert_type(raters.agreement_table(rows)[:2], raters.results.EstimateTable)
assert_type(raters.agreement_table(rows)["cohen"], raters.results.Estimate)
assert_type(raters.xrr(rows, rows, distance="nominal"), raters.results.CrossReliability)
assert_type(raters.xrr(rows, pool="city"), raters.results.CrossReliability)
assert_type(raters.xrr(rows, pool="city", by="topic"), raters.results.CrossTable)
assert_type(raters.xrr_table(rows, rows, rows), raters.results.CrossTable)
assert_type(raters.krr("labels.csv", 3), raters.results.Estimate)
assert_type(raters.icc(rows, level=0.9), raters.results.EstimateTable)
assert_type(raters.krr(rows, 3, by="topic"), raters.results.EstimateTable)
assert_type(raters.consensus(raters.read(rows, label="answer")), raters.results.Consensus)
assert_type(raters.alt_test(rows, rows), raters.results.AltTest)
assert_type(raters.alt_test_table(rows, rows)[:1], raters.results.AltTests)
assert_type(raters.judge(rows, rows)["gpt"], raters.results.JudgeReport)
assert_type(raters.judge(rows, rows)[:1], raters.results.JudgeReports)
assert_type(raters.calibrate(rows, rows, sample="random", interval=None), raters.results.Calibration)
assert_type(raters.bands(raters.agreement(rows))["altman"].of_value, str)
assert_type(raters.plan(rows, interval=None), raters.results.Plan)

raters.agreement(rows, "fleiss", weight="quadratic")  # wrong
raters.krr(rows, nonsense=1)  # wrong
raters.xrr(rows, rows, wieghts="linear")  # wrong
raters.agreement(3)  # wrong
raters.icc(rows, levle=0.9)  # wrong
raters.report(rows, intervall=None)  # wrong
raters.alt_test(rows, rows, epsilom=0.2)  # wrong
"""


def test_types_of_calls(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MYPYPATH", "src")
    calls = tmp_path / "typed_calls.py"
    calls.write_text(CALLS, encoding="utf-8")
    out, err, _ = api.run(["--strict", "--config-file", "pyproject.toml", str(calls)])
    wrong = {n for n, line in enumerate(CALLS.splitlines(), 1) if line.endswith("# wrong")}
    found = {int(n) for n in re.findall(r"typed_calls\.py:(\d+): error", out)}
    assert not err and found == wrong and len(wrong) == 7, out
