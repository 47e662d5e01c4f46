"""Too little, too much or wrong: what a user gets from a model, in Python and on the command line."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import raters
from raters.cli import main
from raters.errors import DataError, UsageError

Rows = list[tuple[Any, Any, Any]]


class Result(NamedTuple):
    exit_code: int
    output: str
    stderr: str


Run = Callable[..., Result]


def rows(n_items: int, accuracies: list[float], k: int = 2, seed: int = 0) -> tuple[Rows, dict[str, str]]:
    """Labels of raters with these accuracies, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_items)
    made = [
        (f"i{i:03}", f"r{j}", f"k{truth[i] if rng.random() < a else (truth[i] + rng.integers(1, k)) % k}")
        for i in range(n_items)
        for j, a in enumerate(accuracies)
    ]
    return made, {f"i{i:03}": f"k{z}" for i, z in enumerate(truth)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``raters consensus`` on these rows, written to a file."""

    def go(given: Rows, *args: Any) -> Result:
        path = tmp_path / "labels.csv"
        path.write_text("item,rater,label\n" + "".join(f"{i},{j},{'' if k is None else k}\n" for i, j, k in given))
        monkeypatch.setattr(sys, "argv", ["raters", "consensus", str(path), "--scale", "nominal", *map(str, args)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Result(code, *capsys.readouterr())

    return go


def labels_of(path: Path) -> dict[str, str]:
    return dict(line.split(",")[:2] for line in path.read_text().splitlines()[1:])  # type: ignore[misc]


def refused(done: Result, what: str) -> None:
    """Exit code 2, one line, no traceback."""
    said = done.stderr.strip()
    assert done.exit_code == 2 and what in said
    assert "\n" not in said and "Traceback" not in said and said.startswith("raters: ")


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_one_rater_is_taken_at_their_word(model: str) -> None:
    """Nobody to compare with: any split of the labels fits as well, so none is looked for."""
    given, _ = rows(20, [0.8])
    c = raters.consensus(raters.read(given, scale="nominal"), model=model)
    assert c.labels == {i: k for i, _, k in given}
    assert c.converged and len(c.trace) == 2 and c.reason.startswith("no overlapping raters")
    assert any(w.startswith("only one rater") for w in c.warnings)
    found = raters.information(c)
    assert found.spammers == () and found[0].details["flags"] == ""


def test_one_rater_on_the_command_line(run: Run, tmp_path: Path) -> None:
    given, _ = rows(20, [0.8])
    done = run(given, "-o", tmp_path / "gold.csv")
    assert done.exit_code == 0 and "Only one rater: nothing can be compared" in " ".join(done.output.split())
    assert "spammer" not in done.output
    assert labels_of(tmp_path / "gold.csv") == {i: k for i, _, k in given}


def test_raters_who_share_no_item_are_taken_at_their_word_unless_there_is_gold() -> None:
    given = [(f"i{i}", f"r{i % 2}", f"k{i % 3}") for i in range(30)]
    ann = raters.read(given, scale="nominal")
    c = raters.consensus(ann, "dawid_skene")
    assert c.labels == {i: k for i, _, k in given} and any(
        "no item has labels from two raters" in w for w in c.warnings
    )
    assert raters.information(c).spammers == ()
    told = raters.consensus(ann, "dawid_skene", gold={f"i{i}": f"k{(i + 1) % 3}" for i in range(0, 20, 2)})
    assert len(told.trace) > 2 and not any("nothing can be compared" in w for w in told.warnings)
    assert told.labels["i20"] == "k0"  # r0 always says one less than gold does


def test_one_label_only(run: Run) -> None:
    given = [(f"i{i}", f"r{j}", "yes") for i in range(5) for j in range(3)]
    c = raters.consensus(raters.read(given, scale="nominal"))
    assert set(c.labels.values()) == {"yes"} and raters.information(c).spammers == ()
    done = run(given)
    assert (
        done.exit_code == 0
        and "All annotations have the same label, so nothing" in " ".join(done.output.split())
        and "spammer" not in done.output
    )


def test_one_annotation_and_none(run: Run) -> None:
    done = run([("a", "b", "c")])
    assert done.exit_code == 0 and done.output.startswith("0 of 1 items (0%) are settled")  # one label settles nothing
    refused(run([]), "a header but no rows")
    refused(run([("a", "b", None)]), "label")


def test_an_item_without_labels(run: Run, tmp_path: Path) -> None:
    given, _ = rows(12, [0.9] * 3)
    c = raters.consensus(raters.read(given, scale="nominal"), items=["i999"])
    assert c.labels["i999"] is None and np.isnan(c.certainty[c.where("i999")])
    done = run([*given, ("i999", "r0", None)], "-o", tmp_path / "gold.csv")
    assert done.exit_code == 0 and "\nNot used: 1 row (missing label).\n" in done.output
    assert len(labels_of(tmp_path / "gold.csv")) == 12


def test_a_rater_with_one_label(run: Run) -> None:
    given, _ = rows(20, [0.9] * 3)
    given.append(("i000", "rare", "k1"))
    done = run(given)
    assert done.exit_code == 0 and "1 of 4 raters gave fewer than 5 labels; 'hierarchical'" in " ".join(
        done.output.split()
    )
    c = raters.consensus(raters.read(given, scale="nominal"), model="hierarchical")
    rare, others = c.accuracy[c.raters.index("rare")], c.accuracy[[c.raters.index(f"r{j}") for j in range(3)]]
    assert 0.5 < rare < others.max()  # an average rater, as far as is known


def test_three_adversaries_of_five_with_and_without_gold(run: Run, tmp_path: Path) -> None:
    given, truth = rows(200, [0.9, 0.9, 0.1, 0.1, 0.1], seed=5)
    ann = raters.read(given, scale="nominal")
    few = dict(list(truth.items())[:10])
    right = {
        name: np.mean([c.labels[i] == truth[i] for i in truth])
        for name, c in (
            ("without", raters.consensus(ann, "dawid_skene")),
            ("with", raters.consensus(ann, "dawid_skene", gold=few)),
        )
    }
    assert right["without"] < 0.1 and right["with"] > 0.9
    assert "2 of 5 raters contradict the others" in str(
        raters.information(raters.consensus(ann, "dawid_skene")).notes[0]
    )
    assert raters.information(raters.consensus(ann, "dawid_skene", gold=few)).notes == ()
    assert "a few gold labels can" in run(given).output
    (tmp_path / "few.csv").write_text("item,label\n" + "".join(f"{i},{k}\n" for i, k in few.items()))
    done = run(given, "--gold", tmp_path / "few.csv", "-o", tmp_path / "gold.csv")
    assert done.exit_code == 0 and done.output.count("labels may be reversed") == 3
    found = labels_of(tmp_path / "gold.csv")
    assert np.mean([found[i] == truth[i] for i in truth]) > 0.9


def test_unknown_gold(run: Run, tmp_path: Path) -> None:
    given, _ = rows(10, [0.8] * 3)
    ann = raters.read(given, scale="nominal")
    with pytest.raises(DataError, match="gold label 'k9' of item 'i000' is not one of the labels 'k0', 'k1'"):
        raters.consensus(ann, "dawid_skene", gold={"i000": "k9"})
    with pytest.raises(DataError, match="no gold item is among the items"):
        raters.consensus(ann, "dawid_skene", gold={"zz": "k0"})
    for text, what in (
        ("i000,k9", "answer 'k9' of item 'i000' is not one of 'k0', 'k1'"),
        ("zz,k0", "item 'zz' is not"),
    ):
        (tmp_path / "odd.csv").write_text(f"item,label\n{text}\n")
        refused(run(given, "--gold", tmp_path / "odd.csv"), what)


def test_five_hundred_labels_an_item(run: Run, tmp_path: Path) -> None:
    given, truth = rows(10, [0.7] * 500, k=3)
    done = run(given, "-o", tmp_path / "gold.csv", "--start", "votes")
    assert done.exit_code == 0 and labels_of(tmp_path / "gold.csv") == truth
    assert done.output.startswith("10 of 10 items (100%) are settled")


def test_a_thousand_labels(run: Run, tmp_path: Path) -> None:
    """By default models that are affordable; one that is asked for by name is refused, and one_coin named."""
    given, truth = rows(60, [0.8] * 200, k=1000)
    done = run(given, "-o", tmp_path / "auto.csv")
    assert done.exit_code == 0 and labels_of(tmp_path / "auto.csv") == truth
    refused(run(given, "--model", "dawid_skene"), "Use --model one_coin, which needs one number for each rater.")
    done = run(given, "--model", "one_coin", "-o", tmp_path / "gold.csv", "--raters", tmp_path / "raters.csv")
    assert done.exit_code == 0 and labels_of(tmp_path / "gold.csv") == truth
    assert "Bits per rater were not computed, because their matrices would take" in " ".join(done.output.split())
    head, *lines = (tmp_path / "raters.csv").read_text().splitlines()
    assert head == "rater,accuracy" and len(lines) == 200
    c = raters.consensus(raters.read(given, scale="nominal"), model="one_coin", start="votes")
    assert c.labels == truth
    with pytest.raises(UsageError, match=r"a confusion matrix for every rater would take .* are in \.params"):
        raters.information(c)
