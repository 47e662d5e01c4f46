"""Randolph (2005), Free-marginal multirater kappa: it is Brennan and Prediger's, for several raters."""

import pytest
from tables import Folded, same, wide


def test_example_2():
    ask = Folded(wide("YYY YYN YYN YYY"))
    fixed, free = (ask(name, interval=None) for name in ("fleiss", "brennan_prediger"))
    assert same(fixed.value, "-.20") and same(free.value, ".33")
    assert fixed.observed == free.observed == pytest.approx(2 / 3)
    assert fixed.expected == pytest.approx((10**2 + 2**2) / 12**2) and free.expected == 0.5
