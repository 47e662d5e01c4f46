"""Ceilings, and validity beside reliability."""

import csv
import gzip
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from ratings import wide

import raters
from raters.cli import cli
from raters.errors import DataError, UsageError


@pytest.mark.parametrize("rho, top, true", [(0.5, 0.7071067812, 0.8485281374), (0.8, 0.894427191, 0.6708203932)])
def test_from_published_figures(rho, top, true):
    table = raters.ceiling(reliability=rho, systems={"A": 0.6})
    assert (table["highest correlation"].value, table["A with the truth"].value) == pytest.approx((top, true))
    assert "treated as known" in table["A with the truth"].warnings[0]
    assert any(
        "above the ceiling" in w
        for w in raters.ceiling(reliability=0.3, systems={"A": 0.6})["A with the truth"].warnings
    )


def made(n=2000, k=5, rho1=0.5, seed=0):
    """Ratings with a known reliability, a system that knows the truth, and a worse one."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n) * np.sqrt(rho1)
    ann = wide(truth[:, None] + rng.normal(size=(n, k)) * np.sqrt(1 - rho1))
    noisy = truth + rng.normal(size=n) * 0.5
    return (
        ann,
        truth,
        {"knows": dict(enumerate(truth, 1)), "noisy": dict(enumerate(noisy, 1))},
        np.corrcoef(truth, noisy)[0, 1],
    )


def test_a_system_that_knows_the_truth_reaches_the_ceiling():
    ann, _, systems, r = made()
    table = raters.ceiling(ann, systems, resamples=200)
    top = table["highest correlation"]
    assert top.value == pytest.approx(math.sqrt(raters.icc(ann)["ICC(k)"].value), abs=1e-9)
    assert top.low < math.sqrt(5 * 0.5 / 3) < top.high
    assert table["knows"].value == pytest.approx(top.value, abs=0.01)
    assert table["knows with the truth"].value == pytest.approx(1, abs=0.015)
    assert table["noisy with the truth"].low < r < table["noisy with the truth"].high


def test_votes_have_a_ceiling_too():
    rng = np.random.default_rng(3)
    p = rng.beta(0.8, 0.8, 800)
    labels = (rng.random((800, 9)) < p[:, None]).astype(int)
    ann = wide(labels, "nominal")
    best = {i: int(x > 0.5) for i, x in enumerate(p, 1)}
    table = raters.ceiling(ann, {"best": best, "constant": dict.fromkeys(best, 1)}, k=3, resamples=200)
    q = p**3 + 3 * p**2 * (1 - p)
    truth = float(np.maximum(q, 1 - q).mean())
    top = table["highest accuracy"]
    assert top.value == pytest.approx(truth, abs=0.02) and top.low <= truth <= top.high
    assert table["best"].value > table["constant"].value
    assert table["highest kappa"].value == pytest.approx(2 * truth - 1, abs=0.05)


def test_the_mean_of_k_with_known_answers():
    ann, truth, _, _ = made(400, 6)
    gold = dict(enumerate(truth, 1))
    table = raters.krr_curve(ann, [1, 2, 6], gold=gold, resamples=200)
    x = np.array(ann.engine.query("SELECT item, label FROM annotations ORDER BY item, rater")["label"], float).reshape(
        400, 6
    )
    assert table["k = 6"].value == pytest.approx(np.corrcoef(x.mean(1), truth)[0, 1], abs=1e-9)
    # one rating: the covariance of single ratings, every column counted
    single = np.corrcoef(x.T.ravel(), np.tile(truth, 6))[0, 1]
    assert table["k = 1"].value == pytest.approx(single, abs=1e-3)
    assert table["k = all"].value == pytest.approx(1, abs=0.03)
    assert [e.value for e in table] == sorted(e.value for e in table)
    assert raters.krr(ann, 2, gold=gold, resamples=200).value == table["k = 2"].value
    for option in ({"method": "split"}, {"weights": "linear"}, {"by": "topic"}, {"replications": 9}):
        with pytest.raises(UsageError, match="does not apply to krr with known answers"):
            raters.krr(ann, 2, gold=gold, **option)


@pytest.mark.shared
def test_snow_2008(data_dir):
    with (data_dir / "snow2008" / "wordsim.standardized.tsv").open(encoding="utf-8") as file:
        rows = [(r[2], r[1], float(r[3]), float(r[4])) for r in list(csv.reader(file, delimiter="\t"))[1:]]
    ann, gold = raters.read([r[:3] for r in rows], scale="interval"), {r[0]: r[3] for r in rows}
    table = raters.krr_curve(ann, [1, 10], gold=gold, interval=None)
    assert round(table["k = 10"].value, 4) == 0.9519  # the paper's .952
    assert table["k = 1"].value < table["k = 10"].value < table["k = all"].value
    with gzip.open(data_dir / "snow2008" / "rte.standardized.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [(r[2], r[1], r[3], r[4]) for r in list(csv.reader(file, delimiter="\t"))[1:]]
    ann, gold = raters.read([r[:3] for r in rows], scale="nominal"), {r[0]: r[3] for r in rows}
    assert raters.krr(ann, 10, gold=gold, interval=None).value == pytest.approx(
        0.8969, abs=0.0016
    )  # ties split by 100 draws: sd .0005


def test_refusals():
    ann, truth, _, _ = made(20, 3)
    with pytest.raises(UsageError, match="not both"):
        raters.ceiling(ann, reliability=0.5)
    with pytest.raises(DataError, match="answers no item"):
        raters.ceiling(ann, {"A": {"elsewhere": 1.0}})
    with pytest.raises(DataError, match="not a number"):
        raters.ceiling(ann, {"A": {1: "high"}})
    with pytest.raises(UsageError, match="name -> "):
        raters.ceiling(ann, {"A": 0.5})
    part = raters.ceiling(ann, {"A": {i: truth[i - 1] for i in range(1, 11)}}, interval=None)
    assert "10 of 20 items" in part["reliability"].warnings[0]


def test_on_the_command_line(tmp_path):
    rng = np.random.default_rng(5)
    truth = rng.normal(size=60)
    labels, scores, gold = (tmp_path / f"{name}.csv" for name in ("labels", "scores", "gold"))
    labels.write_text(
        "item,rater,label\n"
        + "".join(f"i{i},r{j},{t + rng.normal():.3f}\n" for i, t in enumerate(truth) for j in range(4))
    )
    scores.write_text(
        "item,alpha,beta\n" + "".join(f"i{i},{t:.3f},{t + rng.normal():.3f}\n" for i, t in enumerate(truth))
    )
    gold.write_text("item,label\n" + "".join(f"i{i},{t:.3f}\n" for i, t in enumerate(truth)))
    common = ["krr", str(labels), "--scale", "interval", "--resamples", "100"]

    def run(*more):
        return CliRunner().invoke(cli, [*common, *more], catch_exceptions=False).output

    text = run("--scores", str(scores))
    assert text.startswith("highest correlation of any system") and "beta with the truth" in text
    told = json.loads(run("--gold", str(gold), "--format", "json"))
    assert [e["name"] for e in told["estimates"]] == ["k = 1", "k = 2", "k = 3", "k = 4", "k = all"]
    assert (
        "No system can correlate with this mean by more than 0.889"
        in CliRunner().invoke(cli, ["krr", "--irr", ".43", "--k", "5"]).output
    )
