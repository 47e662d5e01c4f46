"""Why an item has its label: what each rater contributes."""

import numpy as np
import pytest
from small_crowds import ROWS, coin, crowd, read

import raters
from raters.errors import UsageError
from raters.models import consensus


def test_why_adds_up_and_reads_off_an_overruled_vote() -> None:
    theta = np.stack([coin(0.95), coin(0.6), coin(0.6), coin(0.9)])
    votes, _ = crowd(theta, 500, seed=3)
    c = consensus(votes, "dawid_skene")
    for i in range(0, 500, 17):
        found = c.why(i)
        p = c.posterior[i]
        k, r = c.label_names.index(found.label), c.label_names.index(found.rival)
        assert found.log_odds == pytest.approx(np.log(p[k] / p[r]))
    overruled = [c.why(i) for i in range(500) if (w := c.why(i)).vote is not None and w.overruled]
    assert overruled
    assert "overrules the vote" in str(overruled[0])
    assert overruled[0].contributions[0].rater in ("r0", "r3")  # those who are worth most
    with pytest.raises(UsageError, match="no item"):
        c.why("nowhere")


@pytest.mark.parametrize("model", ["one_coin", "hierarchical", "mace", "glad"])
def test_why_of_the_other_models(model: str) -> None:
    votes, _ = crowd(np.stack([coin(0.8, 3)] * 4), 60)
    c = consensus(votes, model, start="votes")
    found = c.why(5)
    k, r = found.label, found.rival
    tolerance = 0.2 if model == "hierarchical" else 1e-6  # whose E step averages over matrices
    assert found.log_odds == pytest.approx(np.log(c.posterior[5][k] / c.posterior[5][r]), rel=tolerance, abs=1e-6)


def test_why_says_what_is_gold_and_what_nobody_labelled() -> None:
    c = raters.consensus(raters.examples.demo(), gold={"review 001": "negative"}, items=["new"])
    assert c.why("review 001").gold and "given as gold" in str(c.why("review 001"))
    assert "nobody labelled this item" in str(c.why("new")) and not c.why("new").gold


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_contributions_sum_to_the_log_posterior(model: str) -> None:
    c = raters.consensus(read([*ROWS, ROWS[0]], duplicates="keep"), model, smoothing=0.05)
    for i, item in enumerate(c.items):
        logs = np.log(c.prevalence) + sum(np.array(x.logs) for x in c.why(item).contributions)
        p = np.exp(logs - logs.max())
        assert p / p.sum() == pytest.approx(c.posterior[i], abs=1e-9)


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_why_without_smoothing_has_a_rival(model: str) -> None:
    c = raters.consensus(read([(i, j, "ab"[i % 2]) for i in range(20) for j in range(3)]), model, smoothing=0)
    found = c.why(0)
    assert (found.label, found.rival) == ("a", "b") and 0 < found.log_odds < np.inf
    assert all(0 < x.weight < np.inf for x in found.contributions)
