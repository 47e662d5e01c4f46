"""What a rater who does not look would seem to tell: by chi-squared, by simulation, and against the others."""

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters.models import consensus
from raters.models.base.probabilities import mutual
from raters.models.base.votes import Votes
from raters.models.rater_quality import skill as blind
from raters.models.rater_quality.skill import by_chance, by_others


def test_a_rater_against_the_others_by_plain_loops() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 4), 30, share=0.7)
    repeated = Votes.of_codes(
        [*votes.item_of, 0, 0], [*votes.rater_of, 1, 1], [*votes.label_of, 0, 2], labels=range(3), raters=votes.raters
    )
    for model in ("dawid_skene", "one_coin"):
        c = consensus(repeated, model, start="votes")
        expected = np.zeros((4, 3, 3))
        given = list(zip(repeated.item_of, repeated.rater_of, repeated.label_of, repeated.table.data, strict=True))
        for i, j, y, n in given:
            p = c.prevalence.copy()
            for i2, j2, y2, n2 in given:
                if i2 == i and j2 != j:
                    p *= c.confusion[j2, :, y2] ** n2
            expected[j, :, y] += n * p / p.sum()
        assert np.allclose(by_others(c), expected)


def test_the_null_quantile_is_that_of_a_blind_rater() -> None:
    votes, _ = crowd(np.stack([coin(0.9)] * 4), 200)
    c = consensus(votes, "dawid_skene")
    quantile, _ = by_chance(c, mutual(c.confusion, c.prevalence), c.prevalence, np.random.default_rng(0))
    # 2 n ln 2 I is chi-squared with (K - 1)^2 = 1 degree of freedom
    assert quantile[0] == pytest.approx(3.841 / (2 * 200 * np.log(2)), rel=0.15)


@pytest.mark.parametrize(("k", "power", "n"), [(2, 0, 40), (2, 1, 80), (3, 0, 100), (5, 0, 220), (5, 1, 1900)])
def test_bits_of_a_blind_rater_by_chi_squared_and_by_simulation(k: int, power: int, n: int) -> None:
    """At about 8 labels in the rarest cell: the quantile within 5 %, and p values as often below .05 and .01 as they
    say.
    """
    rng = np.random.default_rng(k * n)
    pi = np.arange(1, k + 1) ** power / (np.arange(1, k + 1) ** power).sum()
    given = np.round(n * pi[::-1])[None]
    assert (given[0] * pi[:, None]).min() >= 8 * 0.95
    drawn = rng.multinomial(int(given.sum()), np.outer(pi, given[0] / given.sum()).ravel(), 8000).reshape(-1, k, k)
    null = mutual((drawn + 0.01) / (drawn + 0.01).sum(-1, keepdims=True), pi)
    quantile, p = blind.by_chi_squared(np.repeat(given, len(null), 0), pi, null)
    assert quantile[0] == pytest.approx(np.quantile(null, 0.95), rel=0.05)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.011)
    assert np.mean(p < 0.01) == pytest.approx(0.01, abs=0.005)
    simulated, q = blind.by_simulation(given, pi, 0.01, null[:1], rng)
    assert simulated[0] == pytest.approx(quantile[0], rel=0.12)
    assert q[0] == pytest.approx(p[0], abs=0.06)


def test_raters_with_the_same_labels_share_a_null_and_few_labels_are_simulated() -> None:
    given = np.array([[3.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]])
    quantile, p = blind.by_simulation(
        given, np.array([0.3, 0.7]), 0.01, np.array([0.1, 0.1, 5.0, 0.0]), np.random.default_rng(1)
    )
    assert quantile[0] == quantile[2] and p[0] > p[2] == pytest.approx(1 / 1001)
    assert p[3] == 1
    table, _ = crowd(np.stack([coin(0.9)] * 4), 12)
    c = consensus(table, "dawid_skene", start="votes")
    got = blind.by_chance(c, mutual(c.confusion, c.prevalence), c.prevalence, np.random.default_rng(0))
    long = blind.by_simulation(
        table.per_rater, c.prevalence, 0.01, mutual(c.confusion, c.prevalence), np.random.default_rng(0)
    )
    assert np.array_equal(got, long)


def test_three_who_know_are_found_among_many_who_guess() -> None:
    """That needs p values below .05 * 3 / 303, which no simulation of 1,000 draws has."""
    theta = np.stack([*[coin(0.8)] * 3, *[np.full((2, 2), 0.5)] * 300])
    table, truth = crowd(theta, 1200, share=0.1, seed=3)
    found = raters.information(consensus(table, "dawid_skene", start="votes", gold=dict(enumerate(truth.tolist()))))
    assert {"r0", "r1", "r2"}.isdisjoint(found.spammers) and len(found.spammers) >= 290
    assert max(e.details["p"] for e in found if e.name in ("r0", "r1", "r2")) < 0.05 * 3 / 303
