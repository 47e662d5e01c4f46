"""Warrens (2010), Adv. Data Anal. Classif. 4, 271-286: thirty items, eight raters, two labels.

Two of the figures come from observed agreement rounded to .9179 before the correction for chance.
"""

from itertools import combinations

import pytest
from tables import Folded, same, wide

import raters

TABLE = (
    " NNNNNNNN" * 14 + " NNNANNNN NNNNNNNA" + " AAAAAAAA" * 10 + " AANAAAAN AANAAAAN AANANAAN AANANANN"
)  # fmt: skip


def rounded(e):
    return (0.9179 - e.expected) / (1 - e.expected)


def test_averages_over_pairs():
    ask = Folded(wide(TABLE))
    for name, value in (("brennan_prediger", ".8358"), ("fleiss", ".8324")):
        e = ask(name, interval=None)
        assert same(e.observed, ".9179") and same(rounded(e), value), name
        assert e.value == pytest.approx(float(value), abs=1e-4)
    for name in ("hubert", "conger"):
        e = ask(name, interval=None)
        assert same(e.observed, ".9179") and same(e.value, ".8326")


def test_light_is_the_mean_of_all_28_kappas():
    ann = wide(TABLE)
    e = raters.agreement(ann, "light", interval=None)
    pairs = raters.per_pair(ann, "cohen", interval=None)
    assert len(pairs) == 28 == len(list(combinations(range(8), 2)))
    assert e.value == pytest.approx(sum(p.value for p in pairs) / 28, abs=1e-14)
    assert e.value == pytest.approx(0.8325, abs=1e-4)
