"""``raters consensus``."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_crowds import ROWS, right_in_four_of_five

from raters.cli import cli


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(",".join(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize(
    "args, says",
    [
        (["--threshold", "99"], "--threshold 99 is not a probability"),
        (["--threshold", "nan"], "not a probability"),
        (["-o", "x.csv", "--raters", "./x.csv"], "name the same file"),
        (["--seed", "-1"], "--seed"),
        (["--gold", "sheet.csv"], "no answers yet"),
        (["--model", "gaussian", "--compare"], "--compare applies to labels"),
        (["--model", "gaussian", "--adjudicate", "x.csv"], "--adjudicate applies to labels"),
    ],
)
def test_options_that_cannot_be_had_stop_before_the_work(
    run: Any, table: Path, args: list[str], says: str, monkeypatch: Any
) -> None:
    monkeypatch.chdir(table.parent)
    Path("sheet.csv").write_text("item,answer,label\ni1,,a\n")
    code, out, err = run("consensus", table, *args)
    assert code == 2 and out == "" and err.count("\n") == 1 and says in err
    assert not Path("x.csv").exists()


def test_numbers_have_no_table_of_bits_and_no_head_of_one(run: Any, tmp_path: Path) -> None:
    data = tmp_path / "n.csv"
    data.write_text("item,rater,label\n" + "".join(f"{i},{r},{i + r / 10}\n" for i in range(8) for r in range(3)))
    for format_ in ("text", "markdown"):
        code, out, _ = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--format", format_)
        assert code == 0 and "observed" not in out and "---" not in out and "\n\n\n" not in out
        assert out.startswith("The gaussian model") and "8 items, 3 raters" in out


def test_gold_numbers_need_not_be_among_the_labels(run: Any, tmp_path: Path) -> None:
    data, gold, out = tmp_path / "n.csv", tmp_path / "g.csv", tmp_path / "out.csv"
    data.write_text("item,rater,label\n" + "".join(f"{i},{r},{i + r / 10}\n" for i in range(8) for r in range(3)))
    gold.write_text("item,label\n3,3.0625\n")
    code, _, _ = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--gold", gold, "-o", out)
    assert code == 0
    found = {row["item"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert float(found["3"]["value"]) == 3.0625 and float(found["3"]["sd"]) == 0
    gold.write_text("item,label\n3,much\n")
    code, _, err = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--gold", gold)
    assert code == 2 and "'much'" in err and "not a number" in err


def program(*args: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "raters.cli", *map(str, args)], capture_output=True, text=True, cwd=cwd
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(f"{i},{j},{k}\n" for i, j, k in right_in_four_of_five(40, 4)))
    return path


def items_of(file: Path) -> list[str]:
    """The items of the file, in order."""
    return list(dict.fromkeys(line.split(",")[0] for line in file.read_text().splitlines()[1:]))


def test_command_line(file: Path, tmp_path: Path) -> None:
    (tmp_path / "known.csv").write_text("item,label\n" + "".join(f"{x},k0\n" for x in items_of(file)[:20]))
    done = program(
        "consensus",
        file,
        "-o",
        "gold.csv",
        "--threshold",
        ".9",
        "--raters",
        "raters.csv",
        "--next",
        5,
        "--adjudicate",
        "sheet.csv",
        "--soft",
        "--model",
        "dawid_skene",
        "--check",
        "known.csv",
        "--matrices",
        "m.csv",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    first = " ".join(done.stdout.split())
    assert (
        "a probability of at least 0.9 under dawid_skene as published, which held-out labels have not checked."
        " Adjusted to" in first
    )
    assert re.search(r"label items settled leaning open k\d \d+ \d+ \d+ \d+ k\d \d+ \d+ \d+ \d+", first)
    assert "Against 20 gold labels that the model did not see:" in first
    assert len((tmp_path / "m.csv").read_text().splitlines()) == 1 + 4 * 2 * 2  # raters, true labels, given labels
    assert "Next: " in done.stdout and done.stdout.count("by a new rater") == 5
    head, *lines = (tmp_path / "gold.csv").read_text().splitlines()
    assert head == "item,label,probability,weight,n_labels,p(k0),p(k1)" and len(lines) == 40
    assert len((tmp_path / "raters.csv").read_text().splitlines()) == 5
    sheet = (tmp_path / "sheet.csv").read_text().splitlines()
    assert sheet[0].startswith("item,answer,")
    answered = [sheet[0], *(x.replace(",,", ",k1,", 1) for x in sheet[1:])]
    (tmp_path / "sheet.csv").write_text("\n".join(answered) + "\n")
    again = program("consensus", file, "--gold", "sheet.csv", "--format", "csv", cwd=tmp_path)
    assert again.returncode == 0
    labels = dict(x.split(",")[:2] for x in again.stdout.splitlines()[1:])
    assert all(labels[x.split(",")[0]] == "k1" for x in answered[1:])


def test_command_line_json(file: Path, tmp_path: Path) -> None:
    done = program("consensus", file, "--format", "json", "--model", "mace", "--start", "votes", cwd=tmp_path)
    whole = json.loads(done.stdout)
    assert whole["schema"] == 1 and {"data", "estimates", "consensus", "items"} <= whole.keys()
    assert whole["consensus"]["model"] == "mace" and len(whole["items"]["label"]) == 40
    assert {e["name"] for e in whole["estimates"]} == {"r0", "r1", "r2", "r3"}


def test_command_line_refuses(file: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("mine")
    done = program("consensus", file, "-o", "gold.csv", cwd=tmp_path)
    assert done.returncode == 2 and "exists already" in done.stderr and (tmp_path / "gold.csv").read_text() == "mine"
    done = program("consensus", file, "--gold", "nowhere.csv", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.strip().count("\n") == 0 and "cannot read nowhere.csv" in done.stderr
    (tmp_path / "odd.csv").write_text("item,label\ni0,k9\n")
    done = program("consensus", file, "--gold", "odd.csv", cwd=tmp_path)
    assert done.returncode == 2 and "is not one of 'k0', 'k1'" in done.stderr


def test_a_sheet_for_adjudication_shows_what_was_labelled(tmp_path):
    rows = [f'q{i},{r},{"ab"[(i + (r == "z")) % 2]},"What item {i} says, whole"' for i in range(12) for r in "xyz"]
    (tmp_path / "a.csv").write_text("\n".join(["item,rater,label,text", *rows]))
    asked = ["consensus", str(tmp_path / "a.csv"), "--model", "majority", "--adjudicate", str(tmp_path / "sheet.csv")]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, done.output
    head, first, *_ = (tmp_path / "sheet.csv").read_text().splitlines()
    assert head.startswith("item,text,answer") and "What item" in first and "says, whole" in first


def test_a_model_fitted_where_the_rows_are(run: Any, table: Path) -> None:
    import duckdb

    import raters

    out = table.parent / "labels.parquet"
    code, said, _ = run("consensus", table, "--on-engine", "--model", "one_coin", "-o", out)
    assert code == 0 and "Scale assumed: nominal" in said and "no check by held-out labels" in said
    here = raters.consensus(table, "one_coin", start="votes")
    sure = int((here.certainty >= 0.99).sum())
    assert f"{sure:,} of {len(here.items):,} items" in said and f"log-likelihood {here.log_likelihood:.4f}" in said
    right = sorted(float(m.diagonal() @ here.prevalence) for m in here.confusion)
    median = (right[(len(right) - 1) // 2] + right[len(right) // 2]) / 2
    assert f"median {median:.2f}, lowest {right[0]:.2f}" in said
    rows = duckdb.read_parquet(str(out)).fetchall()
    assert {item: label for item, label, _ in rows} == here.labels


@pytest.mark.parametrize(
    "args, says",
    [
        ([], "--on-engine fits one model that you name"),
        (["--model", "one_coin"], "-o labels.parquet"),
        (["--model", "one_coin", "-o", "x.csv"], "-o labels.parquet"),
        (["--model", "one_coin", "--next", "3"], "--next needs the labels in memory"),
        (["--model", "one_coin", "--soft"], "--soft needs the labels in memory"),
        (["--model", "one_coin", "-o", "x.parquet", "--card", "c.md"], "--card needs the labels in memory"),
        (["--shares"], "--on-engine needs a model of raters; it cannot be combined with --shares"),
        (["--model", "one_coin", "--threshold", ".9"], "--threshold needs the labels in memory"),
        (["--model", "one_coin", "--start", "votes"], "--start cannot be combined"),
        (["--model", "one_coin", "--format", "json"], "--format cannot be combined"),
    ],
)
def test_what_is_not_fitted_there_is_refused(run: Any, table: Path, args: list[str], says: str) -> None:
    code, out, err = run("consensus", table, "--on-engine", *args)
    assert code == 2 and out == "" and err.count("\n") == 1 and says in err


def test_settled_is_one_number(run: Any, tmp_path: Path) -> None:
    """``consensus``, the report and the page state the same items; ``plan`` asks the same fit."""
    import raters
    from raters.reporting.report import report
    from raters.web.consensus import USUAL, settled

    data = tmp_path / "many.csv"
    drawn = raters.simulate.labels(150, 8, 2, missing=0.4, accuracy=[0.95, 0.9, 0.9, 0.8, 0.8, 0.7, 0.7, 0.6], seed=3)
    rows = zip(*drawn.columns(["no", "yes"]).values(), strict=True)
    data.write_text("item,rater,label\n" + "".join(f"{i},r{j},{x}\n" for i, j, x in rows))
    c = raters.consensus(data)
    n = int((c.certainty >= 0.99).sum())
    assert 0 < n < 150
    first = f"{n} of 150 items ({n / 150:.0%}) are settled"
    assert run("consensus", data)[1].startswith(first) and settled(c, USUAL).startswith(first)
    assert f"settled {n / 150:.0%} ({n} items)" in json.dumps(report(data).to_dict(), ensure_ascii=False)
    there = raters.plan(data, consensus=c, interval=None)["labels per item until settled"].value
    _, out, _ = run("plan", data, "--settled", "0.99", "--format", "json")
    rows = json.loads(out)["estimates"]
    assert next(e["value"] for e in rows if e["name"] == "labels per item until settled") == there


def test_plan_says_why_it_knows_no_raters(run: Any, tmp_path: Path) -> None:
    data = tmp_path / "few.csv"
    data.write_text("item,rater,label\na,1,yes\na,2,no\nb,1,yes\nb,2,yes\n")
    code, _, err = run("plan", data, "--settled", "0.99")
    assert code == 2 and "depends on what raters know" in err and "too few" in err


FOUR = "item,rater,label\n" + "".join(
    f"{i},r{j},{'yes' if i in 'ad' or (i == 'c' and j < 3) else 'no'}\n" for i in "abcd" for j in (1, 2, 3)
)


def test_a_named_model_on_four_items_does_not_call_them_settled(run: Any, tmp_path: Path) -> None:
    """Dawid-Skene states .9999 on four items with three labels each; the first line says what that is worth."""
    data = tmp_path / "four.csv"
    data.write_text(FOUR)
    code, out, _ = run("consensus", data, "--model", "dawid_skene")
    first = out
    assert code == 0 and first.startswith(
        "4 of 4 items (100%) have a label with a probability of at least 0.99 under dawid_skene as published"
    )
    assert "Adjusted to held-out labels (--tempering held_out), 0 of 4 are settled." in first
    assert "--tempering held_out or --model auto states less" in out and "are settled," not in out
    code, out, err = run("consensus", data, "--model", "dawid_skene", "--format", "csv")
    assert code == 0 and "dawid_skene as published" in err and out.startswith("item,label")
    code, out, _ = run("consensus", data, "--model", "dawid_skene", "--tempering", "held_out")
    assert out.startswith("0 of 4 items (0%) are settled") and "as published" not in out
    code, _, err = run("consensus", data, "--model", "dawid_skene", "--tempering", "much")
    assert code == 2 and "--tempering much is not known" in err
    code, _, err = run("consensus", data, "--model", "dawid_skene", "--tempering", "nan")
    assert code == 2 and "--tempering nan is not known" in err


def test_a_weight_of_labels_that_the_user_gives_is_named_and_nothing_is_adjusted(run: Any, tmp_path: Path) -> None:
    """The count of settled items was computed from the weakened fit, not from the model as published."""
    data = tmp_path / "four.csv"
    data.write_text(FOUR)
    _, out, _ = run("consensus", data, "--model", "one_coin", "--tempering", "0.1")
    first = out
    assert "under one_coin with labels that count for 0.1 of one, which held-out labels have not checked" in first
    assert "as published" not in out and "Adjusted" not in out
    assert "abels count for 0.1 of one, as given by --tempering" in out


@pytest.mark.parametrize(
    "options, said",
    [
        (("--model", "one_coin", "--ties", "first"), "--ties first was not used: one_coin is not a vote"),
        (("--model", "majority", "--tempering", "0.5"), "--tempering 0.5 was not used: a vote counts whole labels"),
        (("--scale", "interval", "--labels", "0,1", "--tempering", "held_out"), "--tempering held_out was not used"),
    ],
)
def test_an_option_without_effect_is_said(options: tuple[str, ...], said: str, run: Any, tmp_path: Path) -> None:
    data = tmp_path / "four.csv"
    data.write_text(FOUR.replace("yes", "1").replace("no", "0"))
    code, out, err = run("consensus", data, *options)
    assert code == 0 and said in out, out + err


def test_majorities_that_are_overruled_are_on_the_first_line(run: Any, tmp_path: Path) -> None:
    """Two raters who are always right and three who answer at random: the model follows the two."""
    import numpy as np

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    label = np.where(np.arange(5) < 2, truth[:, None], rng.integers(0, 2, (80, 5)))
    lost = int(((label.sum(1) > 2) != truth).sum())
    data = tmp_path / "l.csv"
    data.write_text(
        "item,rater,label\n"
        + "".join(f"i{i},r{j},{'ny'[x]}\n" for i, row in enumerate(label) for j, x in enumerate(row))
    )
    _, out, _ = run("consensus", data, "--model", "one_coin")
    assert (
        lost > 3 and f"On {lost} of 80 items without a tie, the answer differs from the label given most often." in out
    )
    assert " ".join(out.split()).count("given most often") == 1  # the summary below does not repeat it
    _, out, _ = run("consensus", data, "--model", "majority")
    assert "given most often" not in out


def test_camps_are_named_with_their_evidence(run: Any, tmp_path: Path) -> None:
    """Raters see the same severity and draw the line in two places."""
    import numpy as np

    rng = np.random.default_rng(0)
    severity, line = rng.normal(-0.7, 1, 500), np.where(np.arange(10) < 5, 1.2, 0.0)
    label = (severity[:, None] + rng.normal(0, 0.5, (500, 10)) > line + rng.normal(0, 0.1, 10)).astype(int)
    data = tmp_path / "lines.csv"
    data.write_text(
        "item,rater,label\n"
        + "".join(f"i{i},r{j},{'ny'[x]}\n" for i, row in enumerate(label) for j, x in enumerate(row))
    )
    _, out, _ = run("consensus", data)
    assert "raters form two camps whose members make the same errors" in out


def test_who_gave_too_few_labels_is_named_with_the_number_needed(run: Any, tmp_path: Path) -> None:
    """The table has a new rater's bits on top, from three labels."""
    import numpy as np

    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    rows = [f"q{i},r{j},{truth[i] if rng.random() < 0.9 else 1 - truth[i]}" for i in range(60) for j in range(5)]
    rows += [f"q{i},new,{truth[i]}" for i in range(3)]
    (tmp_path / "a.csv").write_text("\n".join(["item,rater,label", *rows]))
    code, out, _ = run("consensus", tmp_path / "a.csv", "--model", "one_coin")
    said = "1 of 6 raters gave too few labels to decide whether they carry information: 'new' (needs about "
    assert code == 0 and said in " ".join(out.split())
