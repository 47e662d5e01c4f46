"""Artstein & Poesio (2008), Computational Linguistics 34, 555-596."""

import pytest
from tables import Folded, same, square

ACTS = (46, 0, 0), (6, 32, 6), (0, 0, 10)
DISTANCE = (0, 1, 0.5), (1, 0, 0.5), (0.5, 0.5, 0)


def test_two_labels():
    ask = Folded(square((20, 10), (20, 50)))
    s, pi, kappa = (ask(name, interval=None) for name in ("brennan_prediger", "scott", "cohen"))
    assert [same(e.observed, ".7") for e in (s, pi, kappa)] == [True] * 3
    assert same(s.value, ".4") and same(pi.value, ".341") and same(kappa.value, ".348")
    assert s.expected == 0.5 and same(pi.expected, ".545") and same(kappa.expected, ".540")


def test_dialogue_acts():
    ask = Folded(square(*ACTS, labels=["STAT", "IReq", "Chck"]))
    for name, value in (("brennan_prediger", ".82"), ("scott", ".7995"), ("cohen", ".8013"), ("krippendorff", ".80")):
        e = ask(name, interval=None)
        assert same(e.value, value) and same(e.observed, ".88"), name


def test_weighted():
    ask = Folded(square(*ACTS, labels=["STAT", "IReq", "Chck"]))
    alpha, kappa = (ask(name, distance=DISTANCE, interval=None) for name in ("krippendorff", "cohen"))
    assert same(alpha.observed, ".09") and same(alpha.expected, ".4879") and same(alpha.value, ".8156")
    assert kappa.observed == pytest.approx(0.09) and same(kappa.expected, ".4900") and same(kappa.value, ".8163")
