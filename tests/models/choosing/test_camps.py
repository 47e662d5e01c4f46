"""Two camps of raters who err alike: the vote is the answer, unless one camp is shown to know more."""

import numpy as np
import pytest

import raters
from raters.models.choosing.camps import camps
from raters.models.votes import Votes


def crowd(seed, *, cued=0.0, lured=0.0, skill=0.8, n=300, j=12):
    """Half of the raters follow a cue, right half of the time, or are lured; the others are right as often as ``skill``."""
    rng = np.random.default_rng(seed)
    truth, half = rng.integers(0, 2, n), np.arange(j) < j // 2
    right = rng.random((n, j)) < np.where(half, 0.8, skill)
    right &= ~((rng.random(n) < lured)[:, None] & half & (rng.random((n, j)) < 0.8))
    follows = (rng.random(n) < cued)[:, None] & half & (rng.random((n, j)) < 0.9)
    right = np.where(follows, (rng.random(n) < 0.5)[:, None], right)
    item, rater = np.divmod(np.arange(n * j), j)
    label = np.where(right, truth[:, None], 1 - truth[:, None]).ravel()
    return Votes.of_codes(item, rater, label, labels=range(2)), truth


def expected_of_vote(votes, truth):
    """Accuracy of the vote, ties shared out."""
    counts = votes.counts
    top = counts == counts.max(1, keepdims=True)
    return np.mean(top[np.arange(len(truth)), truth] / top.sum(1))


def test_half_of_the_raters_follow_a_cue():
    found = []
    for seed in range(3):
        votes, truth = crowd(seed, cued=0.3)
        c = raters.consensus(votes)
        model = raters.consensus(votes, "one_coin", start="votes")
        found.append([np.mean(c.codes == truth), expected_of_vote(votes, truth), np.mean(model.codes == truth)])
        assert c.model == "majority"
        assert "two camps" in c.choice.against[0]
        assert "6 of 12 raters against the other 6" in c.choice.why
    auto, vote, model = np.mean(found, 0)
    assert auto > vote - 0.015
    assert model < vote - 0.015  # what would have been the answer


def test_a_camp_that_knows_more_is_believed():
    votes, truth = crowd(0, lured=0.2, skill=0.95)
    c = raters.consensus(votes)
    assert c.model != "majority"
    assert np.mean(c.codes == truth) > expected_of_vote(votes, truth) + 0.01


@pytest.mark.parametrize("j", [4, 7, 15])
def test_raters_who_err_independently_form_no_camps(j):
    for seed in range(8):
        votes, _ = crowd(seed, n=120, j=j)
        assert camps(raters.consensus(votes, "hierarchical", start="votes", tolerance=1e-6)) is None


def test_gold_decides_between_camps():
    votes, truth = crowd(0, cued=0.3)
    c = raters.consensus(votes, gold={i: int(truth[i]) for i in range(60)})
    assert c.choice.against == ()
