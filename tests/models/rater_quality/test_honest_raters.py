"""Evidence against a rater: what honest raters of the crowd would score, and who is named."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import raters
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit
from raters.models.rater_quality.evidence import _below, _cumulants, evidence
from raters.models.rater_quality.skill import GRID, SHAPES, _crowd, of_others, skills


def crowd(seed: int, each: int, right: float, sd: float, blind: int, k: int = 2, n: int = 60) -> Votes:
    """Raters with about so many labels each, five for each item; the first of them label at random."""
    rng = np.random.default_rng(seed * 1000 + each)
    n_items = n * each // 5
    item = np.repeat(np.arange(n_items), 5)
    rater = np.argsort(rng.random((n_items, n)), 1)[:, :5].ravel()
    truth = rng.integers(0, k, n_items)[item]
    accuracy = np.where(np.arange(n) < blind, 1 / k, np.clip(rng.normal(right, sd, n), 1 / k + 0.01, 0.99))
    knows = rng.random(len(item)) < accuracy[rater]
    label = np.where(knows, truth, (truth + rng.integers(1, k, len(item))) % k)
    return Votes.of_codes(item, rater, label, labels=range(k), raters=range(n))


ONCE: dict[str, Any] = {"start": "votes", "restarts": 0}


def named(votes: Votes) -> np.ndarray:
    found = raters.information(fit(votes, "one_coin", **ONCE), interval=None).spammers
    return np.isin(np.arange(votes.n_raters), found)


@pytest.mark.long("null rate")
def test_most_random_raters_are_found_at_fifty_labels_in_a_binary_crowd_that_is_75_right() -> None:
    """An upper limit of the skill alone found .48 of these; the best test that could be finds .84."""
    hit = np.stack([named(crowd(seed, 50, 0.75, 0, 9)) for seed in range(6)])
    assert hit[:, :9].mean() >= 0.65
    assert hit[:, 9:].mean() <= 0.05


@pytest.mark.parametrize(
    ("each", "right", "sd", "blind"), [(20, 0.7, 0.06, 0), (50, 0.75, 0.06, 9), (200, 0.7, 0.06, 9)]
)
@pytest.mark.long("null rate")
def test_few_honest_raters_are_named_if_skills_vary(each: int, right: float, sd: float, blind: int) -> None:
    """An upper limit of the skill alone named .096 in the first of these and .069 in the last."""
    hit = np.concatenate([named(crowd(seed, each, right, sd, blind))[blind:] for seed in range(4)])
    assert hit.mean() <= 0.05


def test_few_honest_raters_are_named_if_skills_vary_widely_and_many_label_at_random() -> None:
    """.063 were named here (200 crowds): a spread of .2 in skill was taken to be improbable, and those who scored low
    made honest raters seem more skilled.
    """
    hit = np.stack([named(crowd(seed, 100, 0.7, 0.1, 18)) for seed in range(1, 9)])
    assert hit[:, 18:].mean() <= 0.05
    assert hit[:, :18].mean() >= 0.35


def test_a_rater_is_judged_by_the_skills_of_the_others() -> None:
    known = skills(fit(crowd(3, 20, 0.75, 0.1, 6, n=20), "one_coin", **ONCE))
    for j in (0, 7, 19):
        _, weight, _ = _crowd(np.delete(known.log_likelihood, j, 0))
        assert known.without[j] == pytest.approx(SHAPES @ weight.sum(0), abs=1e-9)


def test_the_crowd_shows_its_skill_and_how_many_label_at_random() -> None:
    for blind, share in ((0, 0.0), (18, 0.3)):
        found = skills(fit(crowd(1, 100, 0.85, 0.03, blind), "one_coin", **ONCE))
        assert found.share == pytest.approx(share, abs=0.06)
        assert found.mean == pytest.approx(0.7, abs=0.06)
        assert found.honest.sum() == pytest.approx(1)
        assert (found.blind[:blind] > 0.5).mean() > 0.9 if blind else (found.blind < 0.1).all()


def test_a_score_is_as_low_as_simulated_raters_say() -> None:
    """The share of raters of skill .5 who score lower, by three cumulants and by 20,000 simulated raters."""
    rng, n, skill = np.random.default_rng(3), 30, 0.5
    q, habit = rng.dirichlet([0.6, 0.3, 0.3], n), np.array([0.5, 0.3, 0.2])
    scores = np.log(1 + 0.6 * (q / habit - 1))
    p = skill * q + (1 - skill) * habit
    label = (p.cumsum(1)[:, None, :] < rng.random((n, 20_000, 1))).sum(-1)
    drawn = np.take_along_axis(scores, label, 1).sum(0)
    moments = [(habit * scores**x).sum(1) for x in (1, 2, 3)]
    more = [(q * scores**x).sum(1) - b for x, b in zip((1, 2, 3), moments, strict=True)]
    mean, variance, third = (
        sum(t.sum() * skill**x for x, t in enumerate(terms)) for terms in _cumulants(*moments, *more)
    )
    assert mean == pytest.approx(drawn.mean(), abs=0.05)
    assert variance == pytest.approx(drawn.var(), rel=0.05)
    for share in (0.01, 0.05, 0.2):
        at = np.quantile(drawn, share)
        assert float(_below(at, mean, variance, third)) == pytest.approx(share, abs=0.01)


def test_posteriors_of_others_by_plain_loops_also_if_a_rater_repeats_a_label() -> None:
    item, rater, label = [0, 0, 0, 0, 1, 1], [0, 0, 1, 2, 0, 2], [0, 1, 0, 1, 1, 1]
    votes = Votes.of_codes(item, rater, label, labels="ab")
    weight, prior = np.array([0.5, 0.7, 1.1, 0.2, 0.4, 0.9]), np.array([0.3, 0.7])
    expected = []
    for i, j in zip(item, rater, strict=True):
        score = np.log(prior)
        for i2, j2, y, w in zip(item, rater, label, weight, strict=True):
            score[y] += w * (i2 == i and j2 != j)
        expected.append(np.exp(score) / np.exp(score).sum())
    assert np.allclose(of_others(votes, weight, prior, None), expected)
    gold = of_others(votes, weight, prior, np.array([1, -1]))
    assert np.allclose(gold[:4], [0, 1]) and np.allclose(gold[4:], expected[4:])


def test_who_is_weak_among_experts_or_contradicts_them_is_not_named_and_who_says_one_label_is() -> None:
    """Raters 0 to 3: right 7 times in 10, always the opposite, always the same label, at random."""
    rng, n_items, n = np.random.default_rng(5), 240, 24
    truth = rng.integers(0, 2, n_items)
    label = np.where(rng.random((n_items, n)) < 0.95, truth[:, None], 1 - truth[:, None])
    label[:, 0] = np.where(np.arange(n_items) % 10 < 7, truth, 1 - truth)
    label[:, 1] = 1 - truth
    label[:, 2] = 0
    label[:, 3] = rng.integers(0, 2, n_items)
    item, rater = np.nonzero(rng.random((n_items, n)) < 0.25)
    keep = (rater != 0) | (item < 80)  # about 20 labels of the weak rater
    votes = Votes.of_codes(item[keep], rater[keep], label[item, rater][keep], labels=range(2), raters=range(n))
    found = raters.information(fit(votes, "one_coin", **ONCE), interval=None)
    assert set(found.spammers) == {2, 3} and 1 in found.adversaries


def test_who_cannot_be_judged_is_asked_for_more_labels_than_they_gave() -> None:
    c = fit(crowd(2, 20, 0.65, 0.05, 6), "one_coin", **ONCE)
    table = raters.information(c, interval=None)
    assert table.too_few
    assert all(table[str(j)].details["needed"] >= 1.5 * table[str(j)].n_annotations for j in table.too_few)
    found = evidence(c)
    assert ((found.tail >= 0) & (found.tail <= 1) & (found.blind >= 0) & (found.blind <= 1)).all()
    assert GRID[0] == 0 and found.skills.log_likelihood[:, 0] == pytest.approx(0)


@pytest.mark.parametrize(("right", "k", "each"), [(0.7, 3, 20), (0.75, 2, 20)])
def test_with_as_many_labels_as_are_said_to_be_needed_most_raters_are_decided(right: float, k: int, each: int) -> None:
    """Of the honest raters with three labels, 93 in 100 were still undecided."""
    few = [raters.information(fit(crowd(s, each, right, 0, 9, k), "one_coin", **ONCE), interval=None) for s in range(4)]
    needed = int(np.median([t[str(j)].details["needed"] for t in few for j in t.too_few]))
    assert 1.2 * each <= needed <= 5 * each
    then = [
        raters.information(fit(crowd(s, needed, right, 0, 9, k), "one_coin", **ONCE), interval=None) for s in (4, 5)
    ]
    assert sum(len(t.too_few) for t in then) <= 0.35 * sum(map(len, then))


def test_who_labels_at_random_is_found_if_one_label_is_rare() -> None:
    """With equally common labels, as `one_coin` assumes them, six of nine seemed to carry information."""
    rng, n, n_items = np.random.default_rng(4), 60, 1200
    item = np.repeat(np.arange(n_items), 5)
    rater = np.argsort(rng.random((n_items, n)), 1)[:, :5].ravel()
    truth = (rng.random(n_items) < 0.03)[item]
    right = rng.random(len(item)) < np.where(rater < 9, 0.5, 0.97)
    votes = Votes.of_codes(item, rater, np.where(right, truth, ~truth), labels=range(2), raters=range(n))
    assert set(raters.information(fit(votes, "one_coin", **ONCE), interval=None).spammers) == set(range(9))


def likert(seed: int, each: int, drifting: int, blind: int, n: int = 60) -> Votes:
    """Five degrees; the first raters label at random, and the next ones give one degree more than they see."""
    rng = np.random.default_rng(seed)
    n_items = n * each // 5
    item = np.repeat(np.arange(n_items), 5)
    rater = np.argsort(rng.random((n_items, n)), 1)[:, :5].ravel()
    truth = rng.choice(5, n_items, p=[0.1, 0.2, 0.4, 0.2, 0.1])[item]
    off = rng.choice([-1, 0, 1], len(item), p=[0.22, 0.56, 0.22]) + ((rater >= blind) & (rater < blind + drifting))
    label = np.where(rater < blind, rng.integers(0, 5, len(item)), np.clip(truth + off, 0, 4))
    return replace(Votes.of_codes(item, rater, label, labels=range(5), raters=range(n)), ordered=True)


def test_who_gives_one_degree_more_than_the_others_is_not_named_and_is_no_adversary() -> None:
    """Without the order of the labels, .08 of the honest raters were named here, nearly all of them those who give one
    degree more.
    """
    drifted = set(map(str, range(9, 27)))
    found = [raters.information(fit(likert(s, 40, 18, 9), "one_coin", **ONCE), interval=None) for s in range(2)]
    honest = [r for t in found for r in t.spammers if r >= 9]
    assert len(honest) <= 2 and not any(drifted & set(map(str, t.adversaries)) for t in found)
    assert sum(r < 9 for t in found for r in t.spammers) >= 0.5 * 18
    plain = [
        raters.information(fit(replace(likert(s, 40, 18, 9), ordered=False), "one_coin", **ONCE), interval=None)
        for s in range(2)
    ]
    assert sum(r >= 9 for t in plain for r in t.spammers) > len(honest)


def test_labels_that_rise_with_the_others_by_plain_loops() -> None:
    votes = likert(1, 12, 4, 3, 15)
    c = fit(votes, "one_coin", **ONCE)
    found = evidence(c)
    q = found.skills.of_others @ np.arange(5)
    for j in (0, 4, 14):
        mine = votes.rater_of == j
        expected = stats.pearsonr(votes.label_of[mine], q[mine], alternative="greater").pvalue
        assert found.rising[j] == pytest.approx(expected, rel=1e-6)
    assert (evidence(fit(replace(votes, ordered=False), "one_coin", **ONCE)).rising == 1).all()


def test_two_experts_among_many_who_answer_by_habit_are_not_named_and_the_others_are() -> None:
    """The votes say little here; the model that was fitted knows whom to believe."""
    rng, n_items, n = np.random.default_rng(1), 100, 20
    truth = rng.integers(0, 4, n_items)
    habit = rng.dirichlet([1, 1, 1, 1], n)
    label = (habit.cumsum(1)[None] < rng.random((n_items, n, 1))).sum(-1)
    label[:, :2] = np.where(rng.random((n_items, 2)) < 0.95, truth[:, None], label[:, :2])
    item, rater = np.nonzero(rng.random((n_items, n)) < 0.5)
    votes = Votes.of_codes(item, rater, label[item, rater], labels=range(4), raters=range(n))
    found = raters.information(raters.consensus(votes, "mace"), interval=None).spammers
    assert {0, 1}.isdisjoint(found) and len(found) >= 15
