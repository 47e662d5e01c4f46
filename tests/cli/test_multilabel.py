"""``raters multilabel``: open, call one function, print."""

import csv
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import raters
from raters.cli import cli

ROWS = [("1", "A;B", "B"), ("2", "A", "A"), ("3", "C", "B;C"), ("4", "A;C", ";"), ("5", "B", "B"), ("6", "C", "B")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sets.csv"
    lines = [f"{i},{who},{s},{'xy'[int(i) % 2]}" for i, x, y in ROWS for who, s in (("ann", x), ("bob", y))]
    path.write_text("item,rater,label,topic\n" + "\n".join(lines) + "\n")
    return path


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["multilabel", *map(str, args)])


def test_text_answers_first_and_names_both_raters(file: Path) -> None:
    out = run(file, "--sep", ";").output
    assert out.startswith("Boot-F1 is 0.36 (95% interval") and out.count("\n") <= 18
    out = " ".join(run(file, "--sep", ";", "--details").output.split())
    for said in (
        "labels per annotation",
        "entropy",
        "Treating each set as a single label",
        "not that of the true labels",
        "Which measure to report",
        "Each label against the rest",
    ):
        assert said in out


def test_json_is_the_same_table(file: Path) -> None:
    found = json.loads(run(file, "--sep", ";", "--format", "json", "--who", "bob,ann").output)
    ann = raters.read(file, scale="sets", sep=";")
    want = raters.multilabel(ann, who=["bob", "ann"])
    assert found["schema"] == 1 and found["data"]["members"] == ["A", "B", "C"]
    assert found["estimates"] == [e.to_dict() for e in want]
    assert found["beside"]["final"]["one"] == 4 and found["estimates"][3]["of"] == "bob"


def test_options(file: Path, tmp_path: Path) -> None:
    final = tmp_path / "final.csv"
    assert run(file, "--sep", ";", "--aim", "uncertainty", "--interval", "none", "--final", final).output.startswith(
        "Augmented kappa"
    )
    rows = list(csv.reader(final.read_text().splitlines()))
    assert rows[:2] == [["item", "label", "n_shared"], ["1", "B", "1"]] and rows[4] == ["4", "", "0"]
    assert "slice" in run(file, "--sep", ";", "--by", "topic", "--interval", "delta").output
    assert run(file, "--sep", ";", "--per", "label", "--format", "csv", "--interval", "none").output.count("\n") == 4
    assert "pooled" in run(file, "--sep", ";", "--pooled", "--interval", "none", "--format", "json").output
    assert "| precision, beyond chance (boot_precision)" in run(
        file, "--sep", ";", "--format", "markdown"
    ).output.replace("\\", "")
    assert "simulated" in run(file, "--sep", ";", "--chance", "simulated", "--interval", "none").output
    assert r"\toprule" in run(file, "--sep", ";", "--format", "latex").output


@pytest.mark.parametrize(
    "args", [["--scale", "nominal"], ["--who", "ann"], ["--sep", ";", "--who", "ann,zoe"], ["--labels", "A,B"]]
)
def test_bad_use_is_one_line(file: Path, args: list[str]) -> None:
    result = run(file, *args)
    assert result.exit_code != 0 and result.exception is not None
    assert "\n" not in str(result.exception).strip()


def test_agree_takes_sets_too(file: Path) -> None:
    result = CliRunner().invoke(cli, ["agree", str(file), "--scale", "sets", "--sep", ";", "--format", "json"])
    found = {e["name"]: e["value"] for e in json.loads(result.output)["estimates"]}
    ann = raters.read(file, scale="sets", sep=";")
    assert found["krippendorff"] == pytest.approx(raters.agreement(ann, interval=None).value)
    assert "gwet" not in found


def test_it_leads_with_f1_and_alpha_and_says_how_much_room_there_is(run, tmp_path):
    """Sets that all hold one common label always match, by chance too."""
    rng = random.Random(5)
    rows = [f"{i},{p},a;{rng.choice('bcd')};{rng.choice('efg')}" for i in range(60) for p in ("x", "y")]
    file = tmp_path / "sets.csv"
    file.write_text("item,rater,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    code, out, _ = run("multilabel", file, "--sep", ";", "--resamples", "50")
    lead = " ".join(out.split())
    assert (
        code == 0
        and "F1" in lead
        and "alpha" in lead
        and "chance alone gives" in lead
        and "to show agreement in" in lead
    )
