"""Against gold, from which nothing is learned."""

import numpy as np
import pytest
from scipy.stats import binomtest
from small_crowds import coin, crowd

import raters
from raters.errors import UsageError


def test_accuracy_of_models_and_raters_and_the_calibration_curve() -> None:
    votes, truth = crowd(np.stack([coin(0.85, 3)] * 4 + [coin(0.5, 3)]), 150, seed=2)
    gold = {i: int(truth[i]) for i in range(0, 150, 2)}
    c = raters.consensus(votes, "dawid_skene")
    found = raters.evaluate(gold, c, gold=True)
    right = sum(c.labels[i] == x for i, x in gold.items())
    exact = binomtest(right, 75).proportion_ci(0.95)
    assert (found[0].value, found[0].low, found[0].high) == pytest.approx((right / 75, exact.low, exact.high))
    assert {"majority", "one_coin", "mace"} <= {e.name for e in found}
    worst = min(found.raters, key=lambda e: e.value)  # type: ignore[attr-defined]
    assert worst.name == "r4" and worst.n_items == 75
    curve = found.calibration  # type: ignore[attr-defined]
    assert sum(e.n_items for e in curve) == 75 and all(e.low <= e.value <= e.high for e in curve)
    assert "that the model did not see" in str(found)
    assert c.posterior == pytest.approx(raters.consensus(votes, "dawid_skene").posterior)


def test_a_fit_is_not_checked_by_what_it_learned_from() -> None:
    votes, truth = crowd(np.stack([coin(0.85)] * 4), 40)
    gold = {i: int(truth[i]) for i in range(10)}
    with pytest.raises(UsageError, match="fitted with the same gold"):
        raters.evaluate(gold, raters.consensus(votes, "dawid_skene", gold=gold), gold=True)


def test_whole_labellings_are_drawn_by_their_probability() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 3), 30)
    c = raters.consensus(votes, "one_coin", tempering=0.5)
    drawn = c.sample(4000, seed=1)
    shares = np.stack([(drawn == x).mean(0) for x in c.votes.labels], -1)
    assert drawn.shape == (4000, 30) and shares == pytest.approx(c.posterior, abs=0.04)
    assert np.array_equal(drawn, c.sample(4000, seed=1))
