"""Agresti (1992), Stat. Methods Med. Res. 1, 201-218: two pathologists, carcinoma of the uterine cervix."""

import pytest
from tables import Folded, same, square


def test_kappa():
    e = Folded(square((22, 2, 2, 0), (5, 7, 14, 0), (0, 2, 36, 0), (0, 1, 17, 10)))("cohen", interval=None)
    assert same(e.value, ".493")
    assert e.observed == pytest.approx(75 / 118)
    assert e.expected == pytest.approx((26 * 27 + 26 * 12 + 38 * 69 + 28 * 10) / 118**2)
