"""Posteriors, entropies and mutual information of given parameters; hard cases; CrowdTruth's quality."""

import csv
import gzip
import json

import numpy as np
import pytest

import raters
from raters import examples, models
from raters.errors import UsageError

THETA = {"a": [[0.75, 0.25], [0.40, 0.60]], "b": [[0.65, 0.35], [0.30, 0.70]], "c": [[0.9, 0.1], [0.2, 0.8]]}
PI = [0.2, 0.8]


def test_the_papers_worked_example():
    """Passonneau & Carpenter (2014), section 2.2.1: .00975 and .0768, that is .11 and .89."""
    found = models.posterior_given({"a": 1, "b": 1, "c": 2}, THETA, PI)
    assert found == pytest.approx({1: 0.00975 / (0.00975 + 0.0768), 2: 0.0768 / (0.00975 + 0.0768)})
    assert {k: round(v, 2) for k, v in found.items()} == {1: 0.11, 2: 0.89}
    named = models.posterior_given([("a", "no"), ("b", "no"), ("c", "yes")], THETA, PI, names=["no", "yes"])
    assert named["yes"] == found[2]


def test_entropies_of_the_papers_matrices():
    """The paper prints conditional entropies .71 .60 .47 and information .01 .13 .25; its own numbers give these."""
    left = [models.expected_entropy(PI, m) for m in THETA.values()]
    assert [round(x, 3) for x in left] == [0.664, 0.663, 0.468]
    bits = [models.mutual_information(m, PI) for m in THETA.values()]
    assert [round(x, 3) for x in bits] == [0.058, 0.059, 0.253]
    for x, y in zip(left, bits, strict=True):
        assert x + y == pytest.approx(models.entropy_of(PI))


def test_laws_of_expected_entropy():
    one, two = models.expected_entropy(PI, THETA["a"]), models.expected_entropy(PI, THETA["a"], THETA["c"])
    assert two == pytest.approx(models.expected_entropy(PI, THETA["c"], THETA["a"])) and two < one
    blind = [[0.3, 0.7], [0.3, 0.7]]
    assert models.expected_entropy(PI, blind, blind) == pytest.approx(models.entropy_of(PI))
    assert models.expected_entropy(PI, np.eye(2)) == pytest.approx(0)
    for wrong in ([0.5, 0.6], [1.2, -0.2]):
        with pytest.raises(UsageError, match="not a distribution"):
            models.entropy_of(wrong)
    with pytest.raises(UsageError, match="rows that sum to 1"):
        models.mutual_information([[0.5, 0.4], [0, 1]], PI)
    with pytest.raises(UsageError, match="no matrix for"):
        models.posterior_given({"z": 1}, THETA, PI)


def test_hard_cases_of_fleiss_1971():
    e = raters.hard_cases(examples.fleiss_1971())
    assert e.value == pytest.approx(0.83437, abs=2e-5) and e.details["log_likelihood"] == pytest.approx(
        -249.48293, abs=1e-5
    )
    assert e.low < e.value < e.high and e.value >= e.details["not_unanimous"]
    assert sum(e.details["guessing"]) == pytest.approx(1)


def test_hard_cases_of_two_raters_are_one_less_scott():
    ann = examples.abstractors()
    e = raters.hard_cases(ann)
    assert e.value == pytest.approx(1 - raters.agreement(ann, "scott", interval=None).value)
    uniform = raters.hard_cases(ann, guessing="uniform")
    assert uniform.value == pytest.approx(1 - raters.agreement(ann, "brennan_prediger", interval=None).value)
    assert 0 < e.details["hard_though_agreed"] < e.value < e.high


def test_hard_cases_are_found_again():
    rng = np.random.default_rng(2)
    hard = rng.random(800) < 0.3
    truth = rng.integers(0, 3, 800)
    x = np.where(hard[:, None], rng.choice(3, (800, 5), p=[0.5, 0.3, 0.2]), truth[:, None])
    e = raters.hard_cases(raters.read(x, layout="wide", scale="nominal"))
    assert e.low < 0.3 < e.high and e.value == pytest.approx(hard.mean(), abs=0.02)
    assert e.details["guessing"] == pytest.approx([0.5, 0.3, 0.2], abs=0.05)


def snow(data_dir, name):
    with gzip.open(data_dir / "snow2008" / f"{name}.standardized.tsv.gz", "rt", encoding="utf-8") as file:
        return [(r[2], r[1], r[3], r[4]) for r in list(csv.reader(file, delimiter="\t"))[1:]]


@pytest.mark.shared
def test_crowdtruth_of_snow_2008(data_dir):
    """The authors' own result files."""
    told = json.loads((data_dir.parent / "oracles" / "more.json").read_text())["crowdtruth"]["snow_temp"]
    rows = snow(data_dir, "temp")
    c = raters.crowdtruth(raters.read([r[:3] for r in rows], scale="nominal"))
    assert c.rounds == told["iterations"]
    assert np.mean(list(c.items.values())) == pytest.approx(told["mean_uqs"], abs=1e-9)
    assert np.mean(list(c.raters.values())) == pytest.approx(told["mean_wqs"], abs=1e-9)
    assert c.labels == pytest.approx(told["aqs"], abs=1e-9)
    for kind, ours in (("first_units", c.items), ("first_workers", c.raters)):
        assert {k: ours[k] for k in told[kind]} == pytest.approx(told[kind], abs=1e-9)
    gold = {r[0]: r[3] for r in rows}
    assert np.mean([v == gold[k] for k, v in c.top().items()]) == pytest.approx(told["accuracy_top_uas"])


@pytest.mark.shared
def test_crowdtruth_of_multiple_choice(data_dir):
    told = json.loads((data_dir.parent / "oracles" / "more.json").read_text())["crowdtruth"]["relex_multiple_choice"]
    with (data_dir / "crowdtruth" / "relex-multiple-choice.csv").open(encoding="utf-8") as file:
        rows = [(r["_unit_id"], r["_worker_id"], tuple(r["relations"].split())) for r in csv.DictReader(file)]
    c = raters.crowdtruth(raters.read(rows, scale="sets"))
    assert c.rounds == told["iterations"]
    assert {str(k): v for k, v in c.items.items()} == pytest.approx(told["uqs"], abs=1e-7)
    assert {k.lower(): v for k, v in c.labels.items()} == pytest.approx(
        {k.lower(): told["aqs"][k.lower()] for k in c.labels}, abs=1e-7
    )


@pytest.mark.shared
def test_crowdtruth_of_an_open_vocabulary(data_dir):
    told = json.loads((data_dir.parent / "oracles" / "more.json").read_text())["crowdtruth"]["event_text_open"][
        "as_sets"
    ]
    with gzip.open(
        data_dir / "crowdtruth" / "event-text-sparse-multiple-choice.csv.gz", "rt", encoding="utf-8"
    ) as file:
        rows = [(r["_unit_id"], r["_worker_id"], tuple(json.loads(r["selected_events"]))) for r in csv.DictReader(file)]
    c = raters.crowdtruth(raters.read(rows, scale="sets"), open_vocabulary=True)
    assert c.rounds == told["iterations"] and np.mean(list(c.items.values())) == pytest.approx(
        told["mean_uqs"], abs=1e-9
    )


def test_crowdtruth_of_few():
    rows = [("i", r, "a") for r in "xyz"] + [("j", "x", "a"), ("j", "y", "b"), ("k", "x", "b")]
    c = raters.crowdtruth(raters.read(rows))
    assert c.items["i"] == 1 and np.isnan(c.items["k"]) and "one rater" in c.warnings[0]
    assert c.items["j"] < 0.01 and "mean item quality" in str(c)
    assert c.item_labels["i", "a"] == 1 and c.top()["i"] == "a"
