"""``raters consensus --prevalence``, and what is said if a model takes all labels as equally frequent although one
dominates.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def rare(tmp_path: Path) -> Path:
    """12 % of 300 items are "same"; 30 raters of different accuracy, three for each item."""
    rng = np.random.default_rng(0)
    truth, skill = rng.random(300) < 0.12, rng.uniform(0.8, 0.98, 30)
    rows, gold = ["item,rater,label"], ["item,label"]
    for i, x in enumerate(truth):
        gold.append(f"i{i},{'same' if x else 'diff'}")
        for j in rng.choice(30, 3, replace=False):
            rows.append(f"i{i},r{j},{'same' if x == (rng.random() < skill[j]) else 'diff'}")
    (tmp_path / "gold.csv").write_text("\n".join(gold))
    (tmp_path / "l.csv").write_text("\n".join(rows))
    return tmp_path / "l.csv"


def test_equal_prevalence_is_on_the_first_line_with_what_to_type(run: Any, rare: Path) -> None:
    _, out, _ = run("consensus", rare, "--model", "mace")
    first = out
    assert "Prevalence is assumed equal over labels, but 8" in first and "of the labels are 'diff'" in first
    assert "compare with --prevalence learned." in first and "prevalence=" not in out
    assert out.count("is assumed equal") == 1


def test_a_learned_prevalence_can_be_typed(run: Any, rare: Path) -> None:
    from raters import consensus, read

    code, out, _ = run("consensus", rare, "--model", "mace", "--prevalence", "learned", "--format", "json")
    learned = consensus(read(rare, scale="nominal"), "mace", prevalence="learned")
    assert code == 0 and json.loads(out)["consensus"]["prevalence"] == pytest.approx(learned.prevalence.tolist())
    _, out, _ = run("consensus", rare, "--model", "mace", "--prevalence", "learned")
    assert "is assumed equal" not in out
    _, out, _ = run("consensus", rare, "--model", "majority", "--prevalence", "learned")
    assert "--prevalence learned was not used: majority has no prevalence" in out


def test_a_check_lists_both_prevalences_where_their_labels_differ(run: Any, rare: Path) -> None:
    _, out, _ = run("consensus", rare, "--model", "mace", "--check", rare.parent / "gold.csv")
    shown = {line.split(" right on ")[0].strip() for line in out.splitlines() if " right on " in line}
    assert {"mace", "mace (prevalence learned)"} <= shown
    assert "dawid_skene (prevalence learned)" not in shown


def test_the_engine_takes_a_prevalence_and_says_what_it_assumes(run: Any, rare: Path) -> None:
    there = rare.parent / "labels.parquet"
    _, out, _ = run("consensus", rare, "--on-engine", "--model", "one_coin", "-o", there)
    assert "All labels are taken as equally frequent" in out
    _, out, _ = run(
        "consensus", rare, "--on-engine", "--model", "one_coin", "-o", there, "--force", "--prevalence", "learned"
    )
    assert "All labels are taken as equally frequent" not in out


def test_equal_prevalence_of_sets_and_tasks_is_said_before_their_fits(run: Any, tmp_path: Path) -> None:
    sets = tmp_path / "sets.csv"
    rows = [(i, j, "a;b" if i % 12 == 0 else "a" if i % 2 else "c") for i in range(48) for j in range(3)]
    sets.write_text("item,rater,label\n" + "".join(f"{i},r{j},{x}\n" for i, j, x in rows))
    said = "Prevalence is assumed equal over labels, but in 1 of 3 fits"
    _, out, _ = run("consensus", sets, "--scale", "sets", "--sep", ";", "--model", "mace")
    assert said in out and "compare with --prevalence learned" in out
    _, out, _ = run("consensus", sets, "--scale", "sets", "--sep", ";", "--model", "mace", "--prevalence", "learned")
    assert "is assumed equal" not in out
