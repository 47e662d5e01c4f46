"""Against gold, from which nothing is learned."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from small_crowds import coin, crowd

import raters
from raters.errors import UsageError
from raters.models.base.votes import Votes


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


@pytest.mark.parametrize("name", ["wawa", "zero_based_skill"])
def test_a_weighted_vote_is_scored_by_the_labels_it_gives_and_not_by_its_shares(name: str) -> None:
    votes, truth = crowd(np.stack([coin(0.8)] * 5), 200, seed=3)
    gold = {i: int(x) for i, x in enumerate(truth)}
    found = raters.evaluate(gold, raters.consensus(votes, name), gold=True)
    right = np.mean([raters.consensus(votes, "wawa").labels[i] == x for i, x in gold.items()])
    assert found["wawa"].value == pytest.approx(right) and right > 0.9
    assert "Share of the vote for the label (not a probability)" in str(found)
    assert found[0].value == pytest.approx(
        np.mean([raters.consensus(votes, name).labels[i] == x for i, x in gold.items()])
    )


@pytest.mark.parametrize("name", ["wawa", "zero_based_skill"])
def test_raters_are_compared_with_the_winners_of_a_weighted_vote_and_not_with_its_shares(name: str) -> None:
    votes, truth = crowd(np.stack([coin(0.9)] * 3 + [coin(0.7)] * 2), 400, seed=5)
    c = raters.consensus(votes, name)
    right = np.array(
        [np.mean(votes.label_of[votes.rater_of == j] == truth[votes.item_of[votes.rater_of == j]]) for j in range(5)]
    )
    assert c.accuracy == pytest.approx(right, abs=0.04)
    shown = [e.details["accuracy"] for e in sorted(raters.models.information(c, interval=None), key=lambda e: e.name)]
    assert shown == pytest.approx(right, abs=0.04)
    assert c.prevalence == pytest.approx(np.bincount(truth) / 400, abs=0.03)
    found = raters.evaluate(c.labels, c, interval=None)
    assert any("counts votes" in w for w in found["ceiling"].warnings)
    assert not any("counts votes" in w for w in raters.evaluate(c.labels, raters.consensus(votes))["ceiling"].warnings)


def test_tied_votes_are_shared_out_for_the_majority_and_the_check_says_so() -> None:
    votes = Votes.of_codes([0, 0, 1, 1, 2, 2, 3, 3], [0, 1] * 4, [0, 0, 1, 1, 0, 1, 1, 0], labels=("a", "b"))
    gold = dict(enumerate("abbb"))
    found = raters.evaluate(gold, raters.consensus(votes, "majority"), gold=True)
    assert (found[0].value, found["majority"].value) == (0.5, 0.75)
    assert "the votes of 2 gold items are tied" in str(found) and "the first of them is given" in str(found)


def test_the_check_names_models_that_were_not_tried() -> None:
    votes, truth = crowd(np.stack([coin(0.8, 4)] * 20), 60, seed=3)
    few = Votes.of_codes(
        *zip(*[(i, (i + j) % 20, int(truth[i])) for i in range(60) for j in range(3)], strict=True), labels=votes.labels
    )
    found = raters.evaluate({i: int(x) for i, x in enumerate(truth)}, raters.consensus(few, "majority"), gold=True)
    assert "dawid_skene" not in {e.name for e in found}
    assert "Dawid-Skene was not tried: raters gave about 9 labels each" in str(found)


def test_a_model_of_ordered_labels_is_checked_where_labels_are_ordered() -> None:
    rng = np.random.default_rng(1)
    rows = [(i, j, int(np.clip(i % 4 + rng.integers(-1, 2), 0, 3))) for i in range(60) for j in range(5)]
    ann = raters.read(rows, scale="ordinal")
    found = raters.evaluate({i: i % 4 for i in range(60)}, raters.consensus(ann), gold=True)
    assert "ordinal" in {e.name for e in found}


def test_a_fit_is_not_checked_by_what_it_learned_from() -> None:
    votes, truth = crowd(np.stack([coin(0.85)] * 4), 40)
    gold = {i: int(truth[i]) for i in range(10)}
    with pytest.raises(UsageError, match="fitted with the same gold"):
        raters.evaluate(gold, raters.consensus(votes, "dawid_skene", gold=gold), gold=True)


def test_gold_as_text_is_matched_with_numbers_by_its_spelling() -> None:
    votes, truth = crowd(np.stack([coin(0.85)] * 4), 40)
    c = raters.consensus(votes, "majority")
    text = raters.evaluate({str(i): str(x) for i, x in enumerate(truth)}, c, gold=True)
    assert text[0].value == raters.evaluate({i: int(x) for i, x in enumerate(truth)}, c, gold=True)[0].value
    learned = [raters.consensus(votes, "one_coin", gold={0: x}).posterior for x in (str(truth[0]), int(truth[0]))]
    assert np.array_equal(*learned)
    with pytest.raises(raters.errors.DataError, match="gold label 'two' of item 0 is not one of the labels 0, 1"):
        raters.evaluate({0: "two"}, c, gold=True)


@pytest.mark.parametrize("n", ["a", 0, 1.5, None, True])
def test_a_number_of_labellings_that_is_none_is_refused(n: Any) -> None:
    votes, _ = crowd(np.stack([coin(0.85)] * 4), 10)
    with pytest.raises(UsageError, match="is not a whole number"):
        raters.consensus(votes, "one_coin").sample(n)


def test_whole_labellings_are_drawn_by_their_probability() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 3), 30)
    c = raters.consensus(votes, "one_coin", tempering=0.5)
    drawn = c.sample(4000, seed=1)
    shares = np.stack([(drawn == x).mean(0) for x in c.votes.labels], -1)
    assert drawn.shape == (4000, 30) and shares == pytest.approx(c.posterior, abs=0.04)
    assert np.array_equal(drawn, c.sample(4000, seed=1))
