"""Wong & Paritosh (2022), k-Rater Reliability: WordSim-353 and Figure 1."""

import csv

import pytest
from ratings import replications, wide

import raters

WORDSIM = {"ICC(1)": 0.590497, "ICC(k)": 0.949356, "ICC(A,1)": 0.591519, "ICC(A,k)": 0.949559, "ICC(C,1)": 0.611354,
           "ICC(C,k)": 0.953379}  # fmt: skip


def wordsim_rows(data_dir, *names):
    files = [(data_dir / "wordsim353" / f"{name}.csv").read_text().splitlines()[1:] for name in names]
    return [[float(x) for x in row[3:]] for lines in files for row in csv.reader(lines)]


@pytest.fixture(scope="module")
def wordsim(data_dir):
    return wide([row[:13] for row in wordsim_rows(data_dir, "set1", "set2")])


@pytest.mark.shared
def test_wordsim(wordsim):
    table = raters.icc(wordsim)
    assert {e.name: round(e.value, 6) for e in table} == WORDSIM
    assert round(raters.agreement(wordsim, interval=None).value, 4) == 0.5899
    for method in ("icc", "spearman_brown"):
        assert round(raters.krr(wordsim, k=13, aggregate="mean", method=method, interval=None).value, 6) == 0.949356
    boot = raters.krr(wordsim, k=13, method="bootstrap", replications=50, interval=None)
    assert boot.value == pytest.approx(0.955, abs=0.001)
    assert round(boot.details["limit"], 5) == 0.95534 and "biased upward" in boot.warnings[0]
    # the paper prints .590 for one rating and .950 for thirteen: the first is one-way, the second two-way
    assert round(table["ICC(1)"].value, 3) == 0.590 and round(table["ICC(A,k)"].value, 3) == 0.950


@pytest.mark.shared
@pytest.mark.parametrize("name, single, average", [("set1", 0.6677, 0.9631), ("set2", 0.4741, 0.9352)])
def test_wordsim_by_set(data_dir, name, single, average):
    table = raters.icc(wide(wordsim_rows(data_dir, name)))
    assert (round(table["ICC(1)"].value, 4), round(table["ICC(k)"].value, 4)) == (single, average)


@pytest.mark.shared
def test_wordsim_split_agrees_with_icc(wordsim):
    split = raters.krr(wordsim, k=6, method="split", interval="delta")
    icc = raters.krr(wordsim, k=6, method="icc", interval="F")
    assert split.value == pytest.approx(icc.value, abs=0.003)
    assert (icc.low, icc.high) == pytest.approx((split.low, split.high), abs=0.006)
    assert icc.interval == "F" and split.details["draws"] > 100


def test_figure_1_three_curves_coincide():
    x, y = replications()
    ann, other = wide(x), wide(y)
    ks = [1, 2, 4, 8, 13]
    empirical = raters.krr_curve(ann, ks, method="empirical", against=other, interval=None)
    icc = raters.krr_curve(ann, ks, method="icc", interval=None)
    two = raters.krr_curve(wide(x[:, :2]), ks, method="spearman_brown", interval=None)
    assert [e.name for e in icc][:2] == ["IRR (k = 1)", "k = 2"]
    assert empirical[0].details["draw"] == "columns"
    for a, b, c in zip(empirical, icc, two, strict=True):
        assert a.value == pytest.approx(b.value, abs=0.04) and c.value == pytest.approx(b.value, abs=0.06)
    assert [e.value for e in empirical] == sorted(e.value for e in empirical)
    assert empirical[-1].value == pytest.approx(13 * 0.574 / (1 + 12 * 0.574), abs=0.015)
