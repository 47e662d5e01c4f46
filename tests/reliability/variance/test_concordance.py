"""Kendall's W, Lin's concordance, Bland-Altman limits, against R (irr, epiR) and Bland & Altman 1986."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ratings import wide
from scipy import stats

import raters
from raters.errors import UsageError
from raters.reliability.variance.bland_altman import limits_of
from raters.reliability.variance.concordance import Ranks

FILES = {"anxiety": "anxiety", "video": "video", "sf": "shrout_fleiss_1979"}
# Peak expiratory flow, first readings: Wright meter and mini meter, 17 people (Bland & Altman 1986, Table 1).
PEFR = list(
    zip(
        [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427],
        [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451],
        strict=True,
    )
)


@pytest.fixture(scope="module")
def oracle(oracles_dir):
    rows = {
        k: [[float(x) for x in r] for r in list(csv.reader((oracles_dir / f"{f}.csv").read_text().splitlines()))[1:]]
        for k, f in FILES.items()
    }
    figures = {
        (r["dataset"], r["coef"], r["stat"]): r["value"]
        for r in csv.DictReader((oracles_dir / "irr_psych_epir_R.csv").read_text().splitlines())
    }
    return rows, figures


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_figures_from_r(oracle, name):
    rows, figures = oracle
    w = raters.kendall_w(wide(rows[name]), interval=None)
    assert w.value == pytest.approx(float(figures[name, "kendall.Wt", "value"]))
    assert w.details["chisq"] == pytest.approx(float(figures[name, "kendall.Wt", "chisq"]))
    assert w.details["uncorrected"] == pytest.approx(float(figures[name, "kendall.W", "value"]))
    overall = raters.ccc(wide(rows[name]), interval=None)
    assert overall.value == pytest.approx(float(figures[name, "occc", "est"]))
    two = raters.ccc(wide([r[:2] for r in rows[name]]))
    if figures[name, "ccc.1-2", "est"] == "NA":  # one rater does not vary: no covariance, and no interval
        assert two.value == 0 and np.isnan(two.low) and "same value" in two.warnings[0]
    else:
        expected = [float(figures[name, "ccc.1-2", s]) for s in ("est", "lower", "upper")]
        assert [two.value, two.low, two.high] == pytest.approx(expected)


@given(st.integers(3, 8), st.integers(2, 4), st.integers(0, 10_000))
def test_kendall_is_the_mean_spearman(n, m, seed):
    x = np.random.default_rng(seed).integers(0, 4, (n, m))
    if (np.ptp(x, axis=0) == 0).any():
        return
    w = Ranks(x).parts(np.ones((1, n))).value[0]
    pairs = [stats.spearmanr(x[:, a], x[:, b]).statistic for a in range(m) for b in range(a)]
    ss = np.array([np.var(stats.rankdata(c)) for c in x.T])
    # with ties, pairs weigh by their variances; without, this is the plain mean
    weights = [np.sqrt(ss[a] * ss[b]) for a in range(m) for b in range(a)]
    mean = 2 * np.dot(pairs, weights) / (m * ss.sum()) + 1 / m
    assert w == pytest.approx(mean)


def test_kendall_bootstrap_is_seeded_and_contains_the_value():
    table = wide(np.random.default_rng(3).normal(size=(60, 1)) * 1.5 + np.random.default_rng(4).normal(size=(60, 4)))
    a, b = raters.kendall_w(table, seed=1), raters.kendall_w(table, seed=1)
    assert a == b and a.low < a.value < a.high and a.interval == "bootstrap"
    jack = raters.kendall_w(table, interval="jackknife")
    assert jack.se == pytest.approx(a.se, rel=0.25)


def test_bland_altman_1986():
    bias, lower, upper = raters.bland_altman(wide(PEFR))
    assert round(bias.value, 1) == -2.1 and round(bias.details["sd"], 1) == 38.8
    assert (round(bias.low, 1), round(bias.high, 1)) == (-22.0, 17.8)
    assert lower.value == pytest.approx(bias.value - 1.959964 * bias.details["sd"])
    assert lower.low < lower.value < lower.high < bias.low < upper.low < upper.value < upper.high


def test_coverage_of_the_limits():
    """Exact under normality: the true limit is inside 95 % of the time, within four standard errors."""
    rng = np.random.default_rng(8)
    found = [limits_of(rng.normal(size=12), 0.95, 0.95)[2][1] for _ in range(300)]
    hit = np.mean([f.low <= 1.959964 <= f.high for f in found])
    assert abs(hit - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 300)


def test_refusals_and_missing():
    three = wide([[1.5, 2, 3], [2, 2, None], [4, 3, 1], [2, 1, 1]])
    with pytest.raises(UsageError, match="compares 2 raters, but there are 3"):
        raters.bland_altman(three)
    names = raters.bland_altman(three, who=[1, 2])
    assert names["bias"].n_items == 4
    assert raters.kendall_w(three, interval=None).n_items == 3
    assert "3 of 4 items" in raters.kendall_w(three, interval=None).warnings[0]
    with pytest.raises(UsageError, match="no rater 'zoe'"):
        raters.ccc(three, who=["zoe", "x"])
    with pytest.raises(UsageError, match="ranks labels"):
        raters.kendall_w(raters.read([("a", "x", "p"), ("a", "y", "q")], scale="nominal"))
    flat = raters.kendall_w(wide([[1, 1], [1, 1]]), interval=None)
    assert np.isnan(flat.value) and "no order" in flat.warnings[0]
