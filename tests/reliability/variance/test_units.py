"""Agreement does not depend on the unit of the ratings, however large or small."""

import numpy as np
import pytest

import raters

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
UNITS = [1e80, 1e160, 1e200, 1e-120, 1e-160, 1e-200]
PLAIN = np.array(SHROUT_FLEISS, float)
MANY = np.random.default_rng(0).normal(size=(30, 1)) + np.random.default_rng(1).normal(size=(30, 4))


def read(matrix, long=False, scale="interval"):
    if not long:
        return raters.read(matrix, layout="wide", scale=scale)
    rows = [(i, j, float(x)) for i, row in enumerate(matrix) for j, x in enumerate(row)]
    return raters.read(rows, scale=scale)


def figures(e):
    return e.value, e.low, e.high


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("long", [False, True])
def test_icc(unit, long):
    plain, other = raters.icc(read(PLAIN, long)), raters.icc(read(PLAIN * unit, long))
    for a, b in zip(plain, other, strict=True):
        assert figures(b) == pytest.approx(figures(a), abs=1e-9), a.name
        assert b.details["F"] == pytest.approx(a.details["F"], rel=1e-9) and not b.warnings


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("matrix", [PLAIN, MANY], ids=["few values", "many values"])
@pytest.mark.parametrize("long", [False, True])
def test_alpha(unit, matrix, long):
    for name in ("krippendorff", "iota"):
        plain, other = (raters.agreement(read(m, long), name, interval="delta") for m in (matrix, matrix * unit))
        assert figures(other) == pytest.approx(figures(plain), abs=1e-9)
        assert other.warnings == plain.warnings


def test_a_power_of_two_changes_nothing_at_all():
    for matrix in (PLAIN, MANY):
        plain, other = (raters.agreement(read(m), interval="delta") for m in (matrix, matrix * 2.0**300))
        assert figures(other) == figures(plain)
        assert other.observed == plain.observed * 2.0**600
        # sums of matrix products depend in the last bit on where memory begins
        for a, b in zip(raters.icc(read(matrix)), raters.icc(read(matrix * 2.0**300)), strict=True):
            assert figures(b) == pytest.approx(figures(a), rel=1e-13)


@pytest.mark.parametrize("unit", UNITS)
def test_weights_by_value(unit):
    plain, other = (
        raters.agreement(read(m), "fleiss", weights="quadratic", interval=None).value for m in (MANY, MANY * unit)
    )
    assert other == pytest.approx(plain, abs=1e-9)
    assert raters.krr(read(MANY * unit), 4, interval=None).value == pytest.approx(
        raters.krr(read(MANY), 4, interval=None).value, abs=1e-9
    )


@pytest.mark.parametrize("unit", UNITS)
def test_concordance_and_limits(unit):
    plain, other = (read(m[:, :2]) for m in (MANY, MANY * unit))
    assert figures(raters.ccc(other)) == pytest.approx(figures(raters.ccc(plain)), abs=1e-9)
    for a, b in zip(raters.bland_altman(plain), raters.bland_altman(other), strict=True):
        assert np.array(figures(b)) / unit == pytest.approx(figures(a), rel=1e-9), a.name
        assert b.details["sd"] / unit == pytest.approx(a.details["sd"], rel=1e-9)


@pytest.mark.parametrize("unit", [1e160, 1e-200])
def test_variances_that_no_number_holds_are_refused(unit):
    with pytest.raises(raters.DataError, match=r"squares of labels like .* are beyond what a float can hold"):
        raters.consensus(read(MANY * unit), model="gaussian")
