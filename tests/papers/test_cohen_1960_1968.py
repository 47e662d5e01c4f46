"""Cohen (1960), Educ. Psychol. Meas. 20, 37-46; (1968), Psychol. Bull. 70, 213-220."""

import pytest
from tables import Folded, same, square

FIRST = (25, 12, 3), (13, 2, 15), (12, 16, 2)
SECOND = (88, 14, 18), (10, 40, 10), (2, 6, 12)
DISAGREEMENT = (0, 1, 3), (1, 0, 6), (3, 6, 0)


def test_table_1():
    e = Folded(square(*FIRST))("cohen", interval=None)
    assert same(e.observed, ".29") and same(e.expected, ".35")
    assert e.value == pytest.approx((0.29 - 0.35) / 0.65, abs=1e-12)


def test_table_2():
    ask = Folded(square(*SECOND))
    e = ask("cohen", interval=None)
    assert same(e.observed, ".70") and same(e.expected, ".41") and same(e.value, ".492")
    assert same(ask("gwet", interval=None).value, ".576")


def test_weighted_kappa():
    ask = Folded(square(*SECOND))
    e = ask("cohen", distance=DISAGREEMENT, interval=None)
    assert same(e.value, ".348") and e.parts == "disagreement"
    assert (e.observed, e.expected) == pytest.approx((0.90, 1.38), abs=1e-12)
    # the same as agreement weights 1 - v / max v
    weights = [[1 - v / 6 for v in row] for row in DISAGREEMENT]
    assert ask("cohen", weights=weights, interval=None).value == pytest.approx(e.value, abs=1e-14)
