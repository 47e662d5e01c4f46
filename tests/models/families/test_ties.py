"""One table of rules decides ties: a consensus and an aggregate of kRR mean the same by the same name."""

import numpy as np
import pytest

import raters
from raters.models.base.ties import ONE_ANSWER
from raters.notes.note import Note
from raters.reliability.krr.aggregates import majority

ROWS = [(f"i{i}", r, x) for i in range(400) for r, x in (("a", "no"), ("b", "yes"))] + [("j", "a", "no")]


@pytest.mark.parametrize("rule", ONE_ANSWER)
def test_a_vote_of_a_consensus_is_decided_by_the_shares_of_the_aggregate(rule):
    c = raters.consensus(raters.read(ROWS, scale="nominal"), "majority", ties=rule, seed=1)
    share = majority(np.array([[1, 1]]), rule)[0]
    got = [c.labels[f"i{i}"] for i in range(400)]
    assert [np.mean([x == y for x in got]) for y in ("no", "yes")] == pytest.approx(share, abs=0.1)
    assert (got[0] is None) == (not share.any()) and c.labels["j"] == "no"
    assert c.notes == (Note(f"tied_{rule}", {"n": 400, "items": 401}),)


def test_split_has_no_single_answer():
    with pytest.raises(raters.UsageError, match="ties='split'"):
        raters.krr(raters.read(ROWS, scale="nominal"), k=1, ties="split")
