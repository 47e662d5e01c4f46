"""Annotation models and what users give them: too little, too much, or wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raters
from raters.errors import DataError, UsageError
from raters.models.families.registry import MODELS
from raters.models.fitting.fit import consensus
from raters.models.votes import Votes

LABELLED = [m for m in MODELS if m != "gaussian"]


def rows(n_items: int, n_raters: int, k: int = 2) -> list[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n_items)
    return [
        (f"i{i}", f"r{j}", f"k{truth[i] if rng.random() < 0.8 else rng.integers(0, k)}")
        for i in range(n_items)
        for j in range(n_raters)
    ]


@pytest.mark.parametrize("model", LABELLED)
def test_one_rater(model: str) -> None:
    given = rows(20, 1)
    c = raters.consensus(raters.read(given, scale="nominal"), model=model)
    if model != "majority":
        assert any("one rater only" in w for w in c.warnings)
    assert np.isfinite(c.posterior).all()
    assert c.labels.keys() == {i for i, _, _ in given}


@pytest.mark.parametrize("model", LABELLED)
def test_one_label_only(model: str) -> None:
    ann = raters.read([(i, r, "yes") for i in range(5) for r in range(3)], scale="nominal")
    c = raters.consensus(ann, model=model)
    assert c.posterior.tolist() == [[1.0]] * 5 and set(c.labels.values()) == {"yes"}
    assert any("one label only" in w for w in c.warnings)
    assert float(raters.information(c)[0]) == 0


@pytest.mark.parametrize("model", MODELS)
def test_an_item_without_labels_stays_without_one(model: str) -> None:
    given = [(i, j, int(k[1:])) for i, j, k in rows(12, 3)] + [("i99", "r0", None)]
    ann = raters.read(given, scale="interval" if model == "gaussian" else "nominal")
    c = raters.consensus(ann, model=model, items=["i99", "i1"])
    assert c.labels["i99"] is None and c.labels["i1"] is not None
    assert len(c.items) == 13
    assert any("1 items have no label" in w for w in c.warnings)


def test_a_rater_with_one_label_and_repeats() -> None:
    given = [*rows(20, 3), ("i0", "rare", "k1"), *[("i1", "r0", "k1")] * 3]
    c = raters.consensus(raters.read(given, scale="nominal"))
    assert c.votes.n_annotations == 64
    assert c.confusion[c.raters.index("rare")].sum(1).tolist() == pytest.approx([1, 1])
    assert any("fewer than 5 labels" in w for w in c.warnings)
    first = raters.consensus(raters.read(given, scale="nominal", duplicates="first"))
    assert first.votes.n_annotations == 61


def test_five_hundred_labels_an_item_do_not_underflow() -> None:
    ann = raters.read(rows(12, 500, 4), scale="nominal")
    for model in LABELLED:
        c = raters.consensus(ann, model=model, start="votes", tolerance=1e-6)
        assert np.isfinite(c.posterior).all() and (c.posterior.max(1) > 0.99).all()
        assert np.isfinite(c.log_likelihood) or model == "majority"


def test_a_thousand_labels_are_refused_where_matrices_would_not_fit() -> None:
    rng = np.random.default_rng(0)
    item, rater = rng.integers(0, 300, 5000), rng.integers(0, 200, 5000)
    label = (item * 3 + (rng.random(5000) < 0.2) * rng.integers(1, 1000, 5000)) % 1000
    votes = Votes.of_codes(item, rater, label, labels=range(1000))
    for model in ("dawid_skene", "hierarchical"):
        with pytest.raises(UsageError, match=r"1\.5 GiB.*Use model='one_coin'"):
            consensus(votes, model)
    for model in ("one_coin", "mace", "glad"):
        c = consensus(votes, model, start="votes", tolerance=1e-6, gold={0: 0})
        assert np.mean([c.labels[i] == i * 3 for i in range(300)]) > 0.9
    with pytest.raises(UsageError, match="a confusion matrix for every rater would take"):
        _ = c.confusion


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "magic"}, "model='magic' is not known. Use one of 'majority', 'dawid_skene'"),
        ({"start": "middle"}, "start='middle' is not known"),
        ({"ties": "both"}, "ties='both' is not known"),
        ({"smoothing": -1}, "smoothing=-1 is not a number from 0 up"),
        ({"prevalence": "high"}, "prevalence='high' is not known"),
        ({"uncertainty": "some"}, "uncertainty='some' is not known"),
        ({"model": "majority", "uncertainty": "posterior"}, "or uncertainty='bootstrap'"),
        ({"model": "gaussian"}, "needs numbers"),
        ({"gold": {"i0": "k7"}}, "gold label 'k7' of item 'i0' is not one of the labels 'k0', 'k1'"),
        ({"gold": {"elsewhere": "k0"}}, "no gold item is among the items"),
        ({"gold": ["k0"]}, "give a mapping from item to label"),
    ],
)
def test_bad_requests_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=r"^[^\n]*$") as caught:
        raters.consensus(raters.read(rows(5, 2), scale="nominal"), **options)
    assert message in str(caught.value)


def test_a_table_without_raters_can_only_vote() -> None:
    counts = raters.read([[3, 1], [0, 4]], layout="counts", scale="nominal")
    with pytest.raises(UsageError, match="Use model='majority'"):
        raters.consensus(counts)
    assert list(raters.consensus(counts, model="majority").labels.values()) == list(counts.labels)


def test_the_inputs_are_not_changed_and_the_same_seed_gives_the_same_figures() -> None:
    ann, gold = raters.read(rows(30, 4, 3), scale="nominal"), {"i0": "k1"}
    a = raters.consensus(ann, gold=gold, uncertainty="posterior", draws=40, seed=5)
    b = raters.consensus(ann, gold=gold, uncertainty="posterior", draws=40, seed=5)
    assert gold == {"i0": "k1"}
    assert np.array_equal(a.posterior, b.posterior) and a.uncertainty is not None and b.uncertainty is not None
    assert np.array_equal(a.uncertainty.values["confusion"], b.uncertainty.values["confusion"])


def test_not_converged_is_said() -> None:
    c = raters.consensus(raters.read(rows(50, 4, 3), scale="nominal"), start="votes", max_iter=2)
    assert not c.converged and "without convergence" in c.warnings[0]


@pytest.mark.spark
def test_the_same_on_spark(spark: Any) -> None:
    given = rows(15, 3, 3)
    frame = spark.createDataFrame(given, "item STRING, rater STRING, label STRING")
    a, b = (raters.consensus(raters.read(x, scale="nominal"), start="votes") for x in (given, frame))
    assert a.items == b.items and a.raters == b.raters and np.array_equal(a.posterior, b.posterior)


# -- command line


def run(*args: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "raters.cli", *map(str, args)], capture_output=True, text=True, cwd=cwd
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(f"{i},{j},{k}\n" for i, j, k in rows(40, 4)))
    return path


def test_command_line(file: Path, tmp_path: Path) -> None:
    done = run(
        "consensus", file, "-o", "gold.csv", "--threshold", ".9", "--raters", "raters.csv", "--next", 5,
        "--adjudicate", "sheet.csv", "--soft", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].endswith("0.9 or more under dawid_skene.")
    assert "next:" in done.stdout and done.stdout.count("by a new rater") == 5
    head, *lines = (tmp_path / "gold.csv").read_text().splitlines()
    assert head == "item,label,certainty,n_labels,entropy,p(k0),p(k1)" and len(lines) == 40
    assert len((tmp_path / "raters.csv").read_text().splitlines()) == 5
    sheet = (tmp_path / "sheet.csv").read_text().splitlines()
    assert sheet[0].startswith("item,answer,")
    answered = [sheet[0], *(x.replace(",,", ",k1,", 1) for x in sheet[1:])]
    (tmp_path / "sheet.csv").write_text("\n".join(answered) + "\n")
    again = run("consensus", file, "--gold", "sheet.csv", "--format", "csv", cwd=tmp_path)
    assert again.returncode == 0
    labels = dict(x.split(",")[:2] for x in again.stdout.splitlines()[1:])
    assert all(labels[x.split(",")[0]] == "k1" for x in answered[1:])


def test_command_line_json(file: Path, tmp_path: Path) -> None:
    done = run("consensus", file, "--format", "json", "--model", "mace", "--start", "votes", cwd=tmp_path)
    whole = json.loads(done.stdout)
    assert whole["schema"] == 1 and {"data", "estimates", "consensus", "items"} <= whole.keys()
    assert whole["consensus"]["model"] == "mace" and len(whole["items"]["label"]) == 40
    assert {e["name"] for e in whole["estimates"]} == {"r0", "r1", "r2", "r3"}


def test_command_line_refuses(file: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("mine")
    done = run("consensus", file, "-o", "gold.csv", cwd=tmp_path)
    assert done.returncode == 2 and "exists already" in done.stderr and (tmp_path / "gold.csv").read_text() == "mine"
    done = run("consensus", file, "--gold", "nowhere.csv", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.strip().count("\n") == 0 and "cannot read nowhere.csv" in done.stderr
    (tmp_path / "odd.csv").write_text("item,label\ni0,k9\n")
    done = run("consensus", file, "--gold", "odd.csv", cwd=tmp_path)
    assert done.returncode == 2 and "is not one of 'k0', 'k1'" in done.stderr
