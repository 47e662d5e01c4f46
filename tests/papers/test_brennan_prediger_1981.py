"""Brennan & Prediger (1981), Educational and Psychological Measurement 41, 687-699."""

import pytest
from tables import Folded, same, square


@pytest.mark.parametrize(
    "table, kappa",
    [(((50, 0, 0), (10, 10, 10), (20, 0, 0)), ".27"), (((50, 0, 10), (0, 10, 10), (10, 10, 0)), ".29")],
)
def test_the_same_observed_agreement_under_other_margins(table, kappa):
    ask = Folded(square(*table))
    assert same(ask("percent", interval=None).value, ".60")
    assert same(ask("cohen", interval=None).value, kappa)
    e = ask("brennan_prediger", interval=None)
    assert same(e.value, ".40") and e.expected == pytest.approx(1 / 3, abs=1e-15)
