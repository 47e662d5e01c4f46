"""What raters are worth and what to label next, on large tables: short roads against long ones."""

from typing import Any

import numpy as np
import pytest
from confused import coin, crowd

import raters
from raters.models import votes
from raters.models.entropy import bits, expected_bits, mutual
from raters.models.families import matching
from raters.models.families.dawid_skene import by_matrices, expected_counts
from raters.models.families.registry import DISCRETE, make, model_of
from raters.models.fitting import fit
from raters.models.fitting.em import log
from raters.models.result import Settings
from raters.models.uses import blind_raters as blind
from raters.models.uses import queries as next
from raters.models.votes import Votes


@pytest.mark.parametrize(("k", "power", "n"), [(2, 0, 40), (2, 1, 80), (3, 0, 100), (5, 0, 220), (5, 1, 1900)])
def test_bits_of_a_blind_rater_by_chi_squared_and_by_simulation(k: int, power: int, n: int) -> None:
    """At about 8 labels in the rarest cell: the quantile within 5 %, and p values as often below .05 and .01 as they say."""
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
    c = fit.consensus(table, start="votes")
    got = blind.by_chance(c, mutual(c.confusion, c.prevalence), np.random.default_rng(0))
    long = blind.by_simulation(
        table.per_rater, c.prevalence, 0.01, mutual(c.confusion, c.prevalence), np.random.default_rng(0)
    )
    assert np.array_equal(got, long)


def test_three_who_know_are_found_among_many_who_guess() -> None:
    """That needs p values below .05 * 3 / 303, which no simulation of 1,000 draws has."""
    theta = np.stack([*[coin(0.8)] * 3, *[np.full((2, 2), 0.5)] * 300])
    table, truth = crowd(theta, 1200, share=0.1, seed=3)
    found = raters.information(fit.consensus(table, start="votes", gold=dict(enumerate(truth.tolist()))))
    assert {"r0", "r1", "r2"}.isdisjoint(found.spammers) and len(found.spammers) >= 297
    assert max(e.details["p"] for e in found if e.name in ("r0", "r1", "r2")) < 0.05 * 3 / 303


# -- a few items at a time


@pytest.mark.parametrize("name", list(DISCRETE))
def test_parts_of_any_size_give_the_same_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    n, k = 300, 3
    item, rater, label = rng.integers(0, 50, n), rng.integers(0, 6, n), rng.integers(0, k, n)
    item[item == 7] = 8  # an item without labels
    weight = rng.integers(0, 3, 50).astype(float)
    whole = Votes.of_codes(item, rater, label, labels=range(k), items=range(50), raters=range(6))
    found = []
    for size in (1, 17, 1 << 17):
        monkeypatch.setattr(votes, "PART", size)
        table = Votes(whole.items, whole.raters, whole.labels, whole.table, weight)
        assert sum(len(part.table.data) for _, part in table.parts()) == len(whole.table.data)
        assert [i for at, part in table.parts() for i in range(at.start, at.stop)] == list(range(50))
        made = make(name, table, None, Settings())
        params = made.maximise(whole.shares(), None)
        found.append((made.expect(made.maximise(made.expect(params)[0], params)), made.penalty(params)))
    for (q, total), penalty in found[1:]:
        assert np.allclose(q, found[0][0][0], atol=1e-12)
        assert (total, penalty) == pytest.approx((found[0][0][1], found[0][1]))


@pytest.mark.parametrize("name", ["one_coin", "mace"])
def test_a_label_and_whether_it_is_right_against_whole_matrices(name: str) -> None:
    """The E step of one-coin and MACE is that of Dawid-Skene with their matrices; hits are the diagonal of its counts."""
    table, _ = crowd(np.stack([coin(a, 4) for a in (0.9, 0.6, 0.4, 0.2)]), 80, share=0.7)
    c = fit.consensus(table, name, start="votes", prevalence="learned")
    made: Any = model_of(c)
    q, total = by_matrices(made.task, c.params, log(c.confusion))
    assert np.allclose(q, c.posterior, atol=1e-9) and total == pytest.approx(c.log_likelihood)
    counts = expected_counts(table, q)
    assert np.allclose(matching.hits(table, q), np.einsum("rkk->rk", counts), atol=1e-12)


# -- what to label next


@pytest.mark.parametrize("by", ["item", "pair", "new"])
@pytest.mark.parametrize("per_rater", [None, 2])
def test_the_search_is_exact_however_little_is_looked_at(
    by: str, per_rater: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    theta = np.stack([coin(a, 3) for a in (0.95, 0.8, 0.6, 0.5, 0.34)])
    table, _ = crowd(theta, 300, share=0.5, seed=9)
    c = fit.consensus(table, start="votes")
    monkeypatch.setattr(next, "CELLS", 7 * theta.size)  # seven items at once
    looked: list[int] = []
    plain = next.expected_bits
    monkeypatch.setattr(next, "expected_bits", lambda q, m: looked.append(len(q)) or plain(q, m))  # type: ignore[func-returns-value]
    found = raters.next_labels(c, 8, by=by, per_rater=per_rater)
    every = expected_bits(c.posterior, c.confusion)  # (item, rater)
    if by == "pair":
        given = {(int(i), int(j)) for i, j in zip(table.item_of, table.rater_of, strict=True)}
        best = [max(((every[i, j], i, j) for j in range(5) if (i, j) not in given), default=None) for i in range(300)]
        rows, used = [], np.zeros(5, int)
        for row in sorted((r for r in best if r is not None), key=lambda r: -r[0]):
            if per_rater is None or used[row[2]] < per_rater:
                rows.append(row)
                used[row[2]] += 1
        assert [r.bits for r in found] == pytest.approx([r[0] for r in rows[:8]])
        assert [(r.item, r.rater) for r in found][:3] == [(i, f"r{j}") for _, i, j in rows[:3]]
    else:
        weight = table.per_rater.sum(1) / table.n_annotations
        value = every @ weight if by == "item" else expected_bits(c.posterior, next.crowd(c))
        assert [r.bits for r in found] == pytest.approx(sorted(value, reverse=True)[:8])
        assert [r.item for r in found][:2] == np.argsort(-value, kind="stable")[:2].tolist()
    if by == "item":
        assert sum(looked) < 150  # the limit by the mean rater spares half the items and more
        assert (expected_bits(c.posterior, c.confusion) <= bits(c.posterior)[:, None] + 1e-12).all()
