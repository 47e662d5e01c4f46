"""Every command's JSON follows the published schema."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import raters
from raters.cli import COMMANDS

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schema"
QUICK = ("--resamples", "60", "--format", "json")
CALLS = {
    "agree": [("{file}", *QUICK), ("{file}", "--per", "rater", *QUICK), ("{file}", "--by", "topic", *QUICK), ("{file}", "--against", "{file}", *QUICK)],
    "krr": [("{file}", "--k", "2", *QUICK), ("{file}", "--curve", "--k", "3", *QUICK)],
    "plan": [("{file}", *QUICK)],
    "xrr": [("{pools}", "--pool", "pool", *QUICK), ("{pools}", "--pool", "pool", "--by", "half", *QUICK), ("{file}", "{file}", "--names", "a,b", *QUICK)],
    "multilabel": [("{sets}", "--sep", ";", *QUICK), ("{sets}", "--sep", ";", "--per", "label", *QUICK)],
    "consensus": [("{file}", "--model", "dawid_skene", "--format", "json")],
    "report": [("{file}", *QUICK, "-o", "{out}"), ("{pools}", *QUICK, "-o", "{out}")],
    "demo": [("--format", "json", "-o", "{out}")],
    "judge": [
        ("{people}", "--model", "{judges}", *QUICK),
        ("{people}", "--model", "{judges}", "--interval", "none", "--format", "json"),
        ("{people}", "--model", "{judges}", "--estimate", "prevalence", "--sample", "random", "--judge", "m", "--half-width", "0.1", "--format", "json"),
    ],
    "evaluate": [("{judges}", "{people}", *QUICK), ("{judges}", "{people}", "--each", "item", "--interval", "none", "--format", "json")],
    "groups": [("{sides}", "--by", "side", "--least-raters", "2", "--test", "20", "--format", "json")],
    "look": [("{file}", "--format", "json")],
}  # fmt: skip
ELSEWHERE = {"help", "convert", "fold", "reproduce", "check", "meeting", "rank", "serve", "watch"}
"""Commands whose output is no table of estimates: convert writes CSV or Parquet, fold a file of patterns, reproduce a
paper's figures, check the limits of a share of errors, meeting a list of items, rank an order of systems, serve a page,
watch weeks and their alarm.
"""


def schema(name):
    found = json.loads((SCHEMAS / f"{name}-1.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


@pytest.fixture(scope="module")
def files(file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    rows = [
        f"i{i},{p}{j},{'xyz'[(i + (i * j) % 4 // 3) % 3]},{p},{i % 2}" for i in range(30) for p in "ab" for j in (1, 2)
    ]
    (folder / "pools.csv").write_text("\n".join(["item,rater,label,pool,half", *rows]), encoding="utf-8")
    sides = [f"i{i},{s}{j},{'xyz'[(i + (i * j) % 4 // 3) % 3]},{s}" for i in range(30) for s in "ab" for j in (1, 2, 3)]
    (folder / "sides.csv").write_text("\n".join(["item,rater,label,side", *sides]), encoding="utf-8")
    sets = [f"i{i},r{j},{'A;B' if (i + j) % 3 else 'B'}" for i in range(20) for j in (1, 2)]
    (folder / "sets.csv").write_text("\n".join(["item,rater,label", *sets]), encoding="utf-8")
    people = [f"i{i},p{j},{'xyz'[(i + (i * j) % 5 // 4) % 3]}" for i in range(40) for j in (1, 2, 3)]
    judges = [f"i{i},{m},{'xyz'[(i + (i * 3 + ord(m)) % 6 // 5) % 3]}" for i in range(40) for m in "mn"]
    for name, rows in (("people", people), ("judges", judges)):
        (folder / f"{name}.csv").write_text("\n".join(["item,rater,label", *rows]), encoding="utf-8")
    more = {name: folder / f"{name}.csv" for name in ("people", "judges")}
    return {
        **more,
        "file": file,
        "pools": folder / "pools.csv",
        "sides": folder / "sides.csv",
        "sets": folder / "sets.csv",
    }


def test_every_command_is_held_to_the_schema():
    assert set(CALLS) | ELSEWHERE == set(COMMANDS), "add the JSON of the new command to CALLS"


@pytest.mark.parametrize(("command", "args"), [(c, a) for c, calls in CALLS.items() for a in calls])
def test_json_follows_the_schema(run, files, tmp_path, command, args):
    out = tmp_path / "out.json"
    code, printed, err = run(command, *(a.format(**files, out=out) for a in args))
    assert code == 0, err
    whole = json.loads(out.read_text(encoding="utf-8") if out.exists() else printed)
    kind = "report" if command in ("report", "demo") else "estimates"
    assert [e.message for e in schema(kind).iter_errors(whole)] == []
    assert whole["estimates"] or command in ("consensus", "look")


def test_the_schema_refuses_what_is_not_one_of_ours(files):
    good = raters.agreement_table(files["file"], interval="delta").to_dict()
    assert schema("estimates").is_valid(good)
    good["estimates"][0]["value"] = "high"
    assert not schema("estimates").is_valid(good)
    assert not schema("estimates").is_valid({"schema": 2, "estimates": []})
