"""Rules for ties: each has its words."""

import pytest

import raters
from raters.models.base.ties import TIES

ROWS = [(i, r, "xyz"[j if i % 3 == 0 else i % 2]) for i in range(12) for j, r in enumerate("abc")]


@pytest.mark.parametrize("ties", TIES)
def test_a_consensus_says_how_it_decided_ties(ties):
    fit = raters.consensus(raters.read(ROWS, scale="nominal"), model="majority", ties=ties)
    (said,) = [n for n in fit.notes if n.code.startswith("tied_")]
    assert said.facts == {"n": 4, "items": 12} and str(said).startswith("4 of 12 votes are tied; ")
