"""k-rater reliability by slice, against several replications, from a few ratings, and by several methods at once."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner
from ratings import wide

import raters
from raters import examples
from raters.cli import cli
from raters.errors import DataError, UsageError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    spread = {"easy": 3.0, "hard": 0.5}
    return [
        (f"{topic}{i}", f"r{j}", topic, round(float(m + rng.normal()), 3))
        for topic, s in spread.items()
        for i in range(40)
        for m in [rng.normal() * s]
        for j in range(6)
    ]


@pytest.fixture(scope="module")
def ann(rows):
    return raters.read([dict(zip(("item", "rater", "topic", "label"), r, strict=True)) for r in rows], scale="interval")


def alone(rows, topic):
    return raters.read([(i, r, v) for i, r, t, v in rows if t == topic], scale="interval")


def test_a_slice_is_its_table_alone(ann, rows):
    table = raters.krr(ann, 3, by="topic", interval="F")
    assert [e.name for e in table] == ["easy", "hard"] and table.of == "topic" and table[0].by == "topic"
    for e in table:
        own = raters.krr(alone(rows, e.name), 3, interval="F")
        assert (e.value, e.low, e.high) == pytest.approx((own.value, own.low, own.high), abs=1e-12)
    assert table["easy"].value > table["hard"].value + 0.2


def test_slices_of_votes(rows):
    labels = [(i, r, t, "high" if v > 0 else "low") for i, r, t, v in rows]
    ann = raters.read([dict(zip(("item", "rater", "topic", "label"), r, strict=True)) for r in labels])
    for e in raters.krr(ann, 3, by="topic", interval=None):
        own = raters.read([(i, r, v) for i, r, t, v in labels if t == e.name], scale="nominal", labels=["high", "low"])
        assert e.value == pytest.approx(raters.krr(own, 3, interval=None).value, abs=1e-12)


def test_curves_by_slice_and_their_chart(ann):
    table = raters.krr_curve(ann, [1, 3], by="topic", interval=None)
    assert [e.name for e in table] == ["easy: IRR (k = 1)", "easy: k = 3", "hard: IRR (k = 1)", "hard: k = 3"]
    assert table["hard: k = 3"].value == raters.krr(ann, 3, by="topic", interval=None)["hard"].value
    assert "hard" in json.dumps(table.plot().to_dict())


def test_a_slice_that_is_too_small_says_so(rows):
    few = [
        dict(zip(("item", "rater", "topic", "label"), r, strict=True)) for r in rows if r[2] == "easy" or r[1] == "r0"
    ]
    table = raters.krr(raters.read(few, scale="interval"), 2, method="split", by="topic", interval=None)
    assert np.isfinite(table["easy"].value)
    assert np.isnan(table["hard"].value) and "needs 4 labels" in table["hard"].warnings[0]
    with pytest.raises(UsageError, match="column about items"):
        raters.krr(raters.read(few, scale="interval"), 2, by="rater")


def test_several_replications_are_the_mean_over_their_pairs():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(300, 1))
    x, y, z = (wide(truth + rng.normal(size=(300, 4)) * s) for s in (0.5, 1.0, 2.0))
    three = raters.krr(x, 4, against=[y, z], resamples=200)
    pairs = [raters.krr(a, 4, against=b, interval=None) for a, b in ((x, y), (x, z), (y, z))]
    disagreement = np.mean([e.observed for e in pairs])
    assert three.observed == pytest.approx(disagreement, rel=0.01)
    assert three.value == pytest.approx(np.mean([e.value for e in pairs]), abs=0.02)
    # the definition: alpha of the three columns of means
    means = np.column_stack([np.asarray(values(a)).mean(1) for a in (x, y, z)])
    assert three.value == pytest.approx(raters.agreement(wide(means), interval=None).value, abs=0.005)
    assert three.low < three.value < three.high and "3 replications" in three.title
    with pytest.raises(UsageError, match="distinguishes two sides"):
        raters.krr(x, 4, against=[y, z], coefficient="cohen")
    assert raters.krr(x, 4, against=[y], interval=None).value == pairs[0].value


def values(ann):
    got = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY item, rater")
    return got["label"].astype(float).reshape(ann.n_items, -1)


def test_replications_that_share_no_item():
    rows = [[("a", 1, 1.5), ("a", 2, 2)], [("a", 1, 1.0), ("b", 2, 2.5)], [("b", 1, 1.5), ("b", 2, 2)]]
    x, y, z = (raters.read(r, scale="interval") for r in rows)
    with pytest.raises(DataError, match="no item in common"):
        raters.krr(x, 1, against=[y, z])


def test_spearman_brown_from_two_ratings(ann):
    e = raters.krr(ann, 6, method="spearman_brown", ratings=2, seed=3)
    assert e.details["ratings"] == 2 and e.n_annotations == 160 and "2 ratings of each item" in e.warnings[0]
    assert "from 2 random ratings of each item" in e.title
    assert raters.krr(ann, 6, ratings=2, seed=3).value == e.value
    assert raters.krr(ann, 6, ratings=6, interval=None).value == pytest.approx(raters.krr(ann, 6, interval=None).value)
    drawn = [raters.krr(ann, 6, ratings=2, seed=s, interval=None).value for s in range(12)]
    assert len(set(drawn)) == 12 and np.mean(drawn) == pytest.approx(raters.krr(ann, 6, interval=None).value, abs=0.02)
    with pytest.raises(UsageError, match="spearman_brown"):
        raters.krr(ann, 6, method="split", ratings=2)
    with pytest.raises(UsageError, match="at least two ratings"):
        raters.krr(ann, 6, ratings=1)


def test_figure_1_in_one_call(ann, rows):
    rng = np.random.default_rng(9)
    again = raters.read([(i, f"s{r}", v + rng.normal() * 0.1) for i, r, _, v in rows], scale="interval")
    table = raters.krr_curve(
        ann, [1, 3, 6], against=again, method=["empirical", "icc", "spearman_brown"], ratings=2, resamples=100
    )
    assert len(table) == 9 and {e.details["series"] for e in table} == {"empirical", "icc", "spearman_brown"}
    assert all(e.low < e.value < e.high for e in table)
    assert table["icc: k = 6"].value == raters.krr(ann, 6, interval=None).value
    spec = json.dumps(table.plot().to_dict())
    assert all(name in spec for name in ("empirical", "icc", "spearman_brown"))
    with pytest.raises(UsageError, match="pass only one of them"):
        raters.krr_curve(ann, [1], method=["icc", "split"], by="topic")


def test_errors_advise_only_what_works():
    words = raters.read([[0, 1, 1], [1, 1, 0]], layout="wide", scale="nominal")
    with pytest.raises(
        DataError, match=r"empirical allows k up to 3; for a larger k, omit against= and use method='model'\.$"
    ):
        raters.krr(words, 4, against=words)


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
def test_the_median_at_k_of_all_labels(scale):
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, (60, 1))
    ann = wide(np.clip(truth + rng.integers(-1, 2, (60, 5)), 1, 5), scale)
    e = raters.krr(ann, 5, aggregate="median", resamples=100)
    assert 0.5 < e.value <= 1 and e.details["aggregate"] == "median"


def test_the_median_of_many_different_numbers_at_k_of_all_labels():
    """Normal ratings of reliability .5: two medians of four correlate by .770 (400,000 items drawn); the bins add .05
    to .09, and it is said.
    """
    rng = np.random.default_rng(3)
    ann = wide(rng.normal(size=(80, 1)) + rng.normal(size=(80, 4)))
    e = raters.krr(ann, aggregate="median", interval=None)
    assert e.details["k"] == 4 and e.details["method"] == "model" and any("upper bound" in w for w in e.warnings)
    assert 0.770 - 0.05 < e.value < 0.770 + 0.15


def test_on_the_command_line(rows, tmp_path):
    path = tmp_path / "labels.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("item", "rater", "topic", "label"), *rows])
    common = [str(path), "--scale", "interval", "--interval", "none", "--format", "json"]

    def run(*more):
        return json.loads(CliRunner().invoke(cli, ["krr", *common, *more], catch_exceptions=False).output)["estimates"]

    assert [e["name"] for e in run("--by", "topic", "--k", "3")] == ["easy", "hard"]
    assert len(run("--by", "topic", "--k", "3", "--curve")) == 6
    assert run("--k", "3", "--ratings", "2")[-1]["ratings"] == 2
    assert run("--k", "2", "--against", str(path), "--against", str(path))[-1]["replications_compared"] == 3


def test_by_on_a_table_without_the_column():
    with pytest.raises(UsageError, match="no column 'topic'"):
        raters.krr(examples.fleiss_1971(), 3, by="topic")
