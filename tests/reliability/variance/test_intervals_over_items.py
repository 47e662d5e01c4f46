"""Intervals over items of the intraclass correlations and of Bland and Altman's limits, by another road."""

import numpy as np
import pytest

import raters

RNG = np.random.default_rng(4)
MATRIX = np.round(RNG.normal(size=(40, 1)) + RNG.normal(scale=0.7, size=(40, 3)), 2)
ANN = raters.read(MATRIX, layout="wide", scale="interval")


@pytest.mark.parametrize("form", ["ICC(1)", "ICC(C,1)", "ICC(A,1)"])
@pytest.mark.parametrize("interval", ["bootstrap", "delta", "jackknife", "bca"])
def test_icc_has_the_interval_that_krr_gives_single_ratings(form, interval):
    ours = raters.icc(ANN, interval=interval, resamples=300, seed=5, level=0.9)[form]
    other = raters.krr(ANN, 1, method="icc", form=form, interval=interval, resamples=300, seed=5, level=0.9)
    assert (ours.value, ours.low, ours.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)
    assert ours.interval == interval and ours.level == 0.9


def test_icc_without_an_interval():
    plain, auto = raters.icc(ANN, interval=None), raters.icc(ANN)
    assert [e.value for e in plain] == [e.value for e in auto]
    assert all(np.isnan(e.low) and e.interval is None for e in plain) and auto["ICC(1)"].interval == "F"


def test_the_jackknife_of_the_limits_leaves_each_item_out():
    found = raters.bland_altman(ANN, who=[1, 2], interval="jackknife")
    d = MATRIX[:, 0] - MATRIX[:, 1]

    def limits(x):
        return np.array([x.mean(), x.mean() - 1.959964 * x.std(ddof=1), x.mean() + 1.959964 * x.std(ddof=1)])

    n = len(d)
    left = np.array([limits(np.delete(d, i)) for i in range(n)])
    se = np.sqrt((n - 1) / n * ((left - left.mean(0)) ** 2).sum(0))
    assert [e.value for e in found] == pytest.approx(limits(d).tolist(), abs=1e-6)
    assert [e.se for e in found] == pytest.approx(se.tolist(), rel=1e-6)
