"""Two camps of raters who err alike are named, unless one of them is shown to know more."""

import numpy as np
import pytest
from pools import hs_brexit

import raters
from raters.models.base.votes import Votes
from raters.models.held_out.choose import FAST
from raters.models.rater_quality.camps import _wrong, camps


def crowd(seed, *, cued=0.0, lured=0.0, skill=0.8, n=300, j=12):
    """Half of the raters follow a cue, right half of the time, or are lured; the others are right as often as
    ``skill``.
    """
    rng = np.random.default_rng(seed)
    truth, half = rng.integers(0, 2, n), np.arange(j) < j // 2
    right = rng.random((n, j)) < np.where(half, 0.8, skill)
    right &= ~((rng.random(n) < lured)[:, None] & half & (rng.random((n, j)) < 0.8))
    follows = (rng.random(n) < cued)[:, None] & half & (rng.random((n, j)) < 0.9)
    right = np.where(follows, (rng.random(n) < 0.5)[:, None], right)
    item, rater = np.divmod(np.arange(n * j), j)
    label = np.where(right, truth[:, None], 1 - truth[:, None]).ravel()
    return Votes.of_codes(item, rater, label, labels=range(2)), truth


def test_half_of_the_raters_follow_a_cue():
    for seed in range(2):
        votes, _ = crowd(seed, cued=0.3)
        said = [n for n in raters.consensus(votes).notes if n.code == "raters_in_camps"]
        assert len(said) == 1 and said[0].facts["n_raters"] == 12 and said[0].facts["followed"] == 6


def test_a_camp_that_knows_more_is_believed():
    votes, truth = crowd(0, lured=0.2, skill=0.95)
    c = raters.consensus(votes)
    assert "raters_in_camps" not in {n.code for n in c.notes}
    assert np.mean(c.codes == truth) > np.mean(votes.counts.argmax(1) == truth) + 0.01


@pytest.mark.parametrize("j", [4, 7, 15])
def test_raters_who_err_independently_form_no_camps(j):
    for seed in range(8):
        votes, _ = crowd(seed, n=120, j=j)
        assert camps(raters.consensus(votes, "hierarchical", start="votes", tolerance=1e-6)) is None


def test_gold_decides_between_camps():
    votes, truth = crowd(0, cued=0.3)
    c = raters.consensus(votes, gold={i: int(truth[i]) for i in range(60)})
    assert "raters_in_camps" not in {n.code for n in c.notes}


def uneven(seed, n=400, j=20, k=4, each=6):
    """Eight raters know little; the others know most, and fail together on hard items."""
    rng = np.random.default_rng(seed)
    truth, ease, weak = rng.integers(0, k, n), rng.normal(0, 1.5, n), np.arange(j) < 8
    right = 1 / (1 + np.exp(-np.where(weak, -0.4 + 0.2 * ease[:, None], 2.2 + ease[:, None])))
    label = np.where(rng.random((n, j)) < right, truth[:, None], (truth[:, None] + rng.integers(1, k, (n, j))) % k)
    item, rater = np.repeat(np.arange(n), each), np.concatenate([rng.permutation(j)[:each] for _ in range(n)])
    return Votes.of_codes(item, rater, label[item, rater], labels=range(k))


def test_raters_who_know_more_and_fail_together_on_hard_items_are_no_camp():
    for seed in range(3):
        assert camps(raters.consensus(uneven(seed), "hierarchical", **FAST)) is None


@pytest.mark.shared
def test_hate_speech_by_a_target_group_and_a_control_group(data_dir):
    """Without the test, MACE overrules 101 majorities of 4 to 2, for three of six raters."""
    votes = Votes.of(raters.read(hs_brexit(data_dir), scale="nominal"))
    found = camps(raters.consensus(votes, "hierarchical", **FAST))
    assert found is not None
    assert [r for r, x in zip(votes.raters, found.followed, strict=True) if x] == ["Ann4", "Ann5", "Ann6"]
    assert found.errors[0] > 2 * found.errors[1]


@pytest.mark.parametrize("all_of_them", [True, False])
def test_a_camp_of_everybody_or_nobody_has_no_errors_to_compare(all_of_them):
    votes, _ = crowd(0, n=20, j=4)
    assert np.isnan(_wrong(votes, np.full(4, all_of_them)))


def test_counts_are_not_integers_where_no_vote_is_left():
    votes, _ = crowd(0, n=20, j=4)
    none = votes.kept(0 * votes.table.data)
    assert none.counts.dtype == none.per_rater.dtype == votes.counts.dtype
