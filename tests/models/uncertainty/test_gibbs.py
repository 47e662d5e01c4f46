"""Gibbs sampling against posteriors found by summing over every truth and integrating over every parameter."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import betaln, comb, expit, gammaln

from raters.errors import UsageError
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.uncertainty.sampling import Draws

S = 0.3
"""Smoothing: large enough for a mistake in the prior to show."""
TINY = Votes.of_codes([0, 0, 1, 1, 1, 2, 3, 3], [0, 1, 0, 1, 1, 1, 0, 1], [0, 0, 1, 0, 1, 1, 0, 1], labels="ab")
"""Four items, two raters: a missing label, an item with one label, a rater who contradicts themself."""


def truths(votes: Votes, gold: dict[int, int] | None = None) -> list[np.ndarray]:
    known = gold or {}
    return [
        np.array(z)
        for z in product(*([known[i]] if i in known else range(votes.n_labels) for i in range(votes.n_items)))
    ]


def tables(votes: Votes, z: np.ndarray) -> np.ndarray:
    """(rater, true, given) by a loop."""
    found = np.zeros((votes.n_raters, votes.n_labels, votes.n_labels))
    for i, r, g, n in zip(votes.item_of, votes.rater_of, votes.label_of, votes.table.data, strict=True):
        found[r, z[i], g] += n
    return found


def dirichlet(counts: np.ndarray, before: Any) -> float:
    """log of the integral of prod p^counts over Dirichlet(before), last axis, summed over the others."""
    a = counts + before
    b = np.broadcast_to(before, counts.shape)
    return float((gammaln(a).sum(-1) - gammaln(a.sum(-1)) - gammaln(b).sum(-1) + gammaln(b.sum(-1))).sum())


def average(votes: Votes, parts: list[tuple[np.ndarray, float, dict[str, Any]]]) -> dict[str, np.ndarray]:
    """Posterior means, from (truth, log weight, means given the truth)."""
    logs = np.array([w for _, w, _ in parts])
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    found = {
        name: sum(w * np.asarray(m[name]) for w, (_, _, m) in zip(weight, parts, strict=True)) for name in parts[0][2]
    }
    eye = np.eye(votes.n_labels)
    return found | {"posterior": sum(w * eye[z] for w, (z, _, _) in zip(weight, parts, strict=True))}


def drawn(votes: Votes, model: str, **asked: Any) -> Draws:
    found = consensus(votes, model, smoothing=S, uncertainty="posterior", start="votes", **asked).uncertainty
    assert found is not None
    return found


def agrees(found: Draws, exact: dict[str, np.ndarray], off: float = 0.02) -> None:
    """6,000 draws: a mean of something between 0 and 1 is good to about .004, or .008 where neighbours are alike."""
    for name, value in exact.items():
        mean = found.posterior if name == "posterior" else found.values[name].mean(0)
        assert np.abs(mean - value).max() < off, name


def test_dawid_skene_by_summing_over_truths() -> None:
    priors = {0: np.array([[3.0, 1.0], [0.5, 2.0]]), 1: np.array([[2.0, 0.0], [1.0, 2.0]])}
    before = np.stack([priors[0], priors[1]]) + 1 + S
    parts = []
    for z in truths(TINY):
        n, share = tables(TINY, z), np.bincount(z, minlength=2)
        means = {
            "prevalence": (share + 1 + S) / (4 + 2 * (1 + S)),
            "confusion": (n + before) / (n + before).sum(-1, keepdims=True),
        }
        parts.append((z, dirichlet(n, before) + dirichlet(share, 1 + S), means))
    agrees(drawn(TINY, "dawid_skene", priors=priors, draws=6000), average(TINY, parts))


def test_one_coin_by_summing_over_truths() -> None:
    votes = TINY.relabelled("abc")
    parts = []
    for z in truths(votes):
        n = tables(votes, z)
        right = np.einsum("rkk->r", n)
        wrong = n.sum((1, 2)) - right
        weight = (betaln(1 + S + right, 1 + S + wrong) - wrong * np.log(2)).sum()
        parts.append((z, float(weight), {"accuracy": (1 + S + right) / (2 + 2 * S + right + wrong)}))
    agrees(drawn(votes, "one_coin", draws=6000), average(votes, parts))


@pytest.mark.long("chains")
def test_mace_by_summing_over_truths_and_knowledge() -> None:
    parts = []
    for z in truths(TINY):
        n = tables(TINY, z)
        total, trust, habit = 0.0, [], []
        for table in n:
            hits, given = np.diag(table).astype(int), table.sum(0)
            cases = []
            for known in product(*(range(h + 1) for h in hits)):
                guessed, m = given - np.array(known), sum(known)
                w = comb(hits, known).prod() * np.exp(
                    betaln(1 + S + m, 1 + S + guessed.sum()) + dirichlet(guessed, 1 + S)
                )
                cases.append((w, (1 + S + m) / (2 + 2 * S + given.sum()), (guessed + 1 + S) / (guessed + 1 + S).sum()))
            size = sum(w for w, _, _ in cases)
            total += np.log(size)
            trust.append(sum(w * t for w, t, _ in cases) / size)
            habit.append(sum(w * h for w, _, h in cases) / size)
        parts.append((z, float(total), {"trust": trust, "habit": habit}))
    agrees(drawn(TINY, "mace", draws=6000), average(TINY, parts))


@pytest.mark.long("chains")
def test_hierarchical_by_summing_over_truths_and_draws_of_the_crowd() -> None:
    gold = {0: 0, 1: 1}
    crowd = np.random.default_rng(0).gamma(2.0, 1.0, (100_000, 1, 2, 2))  # from the prior
    parts = []
    for z in truths(TINY, gold):
        n = tables(TINY, z)
        a = n + crowd
        logs = gammaln(a).sum(-1) - gammaln(a.sum(-1)) - gammaln(crowd).sum(-1) + gammaln(crowd.sum(-1))
        w = np.exp(logs.sum((1, 2)))
        share = np.bincount(z, minlength=2)
        means = {
            "crowd": (w[:, None, None] * crowd[:, 0]).mean(0) / w.mean(),
            "confusion": (w[:, None, None, None] * a / a.sum(-1, keepdims=True)).mean(0) / w.mean(),
        }
        parts.append((z, float(np.log(w.mean())) + dirichlet(share, 1 + S), means))
    exact = average(TINY, parts)
    found = drawn(TINY, "hierarchical", gold={0: "a", 1: "b"}, draws=6000)
    agrees(found, {name: exact[name] for name in ("confusion", "posterior")})
    assert np.abs(found.values["crowd"].mean(0) / exact["crowd"] - 1).max() < 0.06  # of size 2, deviation 1.4


@pytest.mark.long("chains")
def test_glad_by_quadrature() -> None:
    votes = Votes.of_codes([0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0, 0, 1, 0, 1], labels="ab")
    x, w = np.polynomial.hermite_e.hermegauss(24)
    grid = np.stack(np.meshgrid(*[x + 1] * 4, indexing="ij"), -1).reshape(-1, 4)  # two abilities, two eases: N(1, 1)
    weight = np.prod(np.stack(np.meshgrid(*[w] * 4, indexing="ij"), -1).reshape(-1, 4), 1)
    parts = []
    for z in truths(votes):
        p = weight.copy()
        for i, r, g, n in zip(votes.item_of, votes.rater_of, votes.label_of, votes.table.data, strict=True):
            s = expit(grid[:, r] * np.exp(grid[:, 2 + i]))
            p *= (s if z[i] == g else 1 - s) ** n
        mean = p @ grid / p.sum()
        parts.append((z, float(np.log(p.sum())), {"ability": mean[:2], "ease": mean[2:]}))
    agrees(drawn(votes, "glad", draws=5000), average(votes, parts), off=0.08)  # deviations of 1


@pytest.mark.long("chains")
def test_gaussian_by_a_grid() -> None:
    y = np.array([[1.0, 1.6], [2.0, 2.9], [4.5, 4.4], [3.0, np.nan], [0.5, 1.5], [5.0, 6.5]])
    item, rater = np.nonzero(np.isfinite(y))
    values, code = np.unique(y[item, rater], return_inverse=True)
    votes = Votes.of_codes(item, rater, code, labels=values.tolist())
    n = len(item)
    given = y[item, rater]
    mean = np.bincount(item, given) / np.bincount(item)
    within = ((given - mean[item]) ** 2).sum() / (n - 6)
    wide = given.var()
    same_item, same_rater = (np.equal.outer(a, a).astype(float) for a in (item, rater))
    logs = [np.linspace(-7, 5, 45), np.linspace(-7, 5, 45), np.linspace(-3, 8, 45)]
    s0, s1, v = (np.exp(x.ravel()) for x in np.meshgrid(*logs, indexing="ij"))
    noise = np.stack([s0, s1], -1)[:, rater]
    cov = noise[:, :, None] * np.eye(n) + v[:, None, None] * same_item + wide * same_rater
    inverse, one = np.linalg.inv(cov), np.ones(n)
    exact = inverse.sum((1, 2))
    center = (inverse @ given).sum(1) / exact
    off = given - center[:, None]
    fit = -(np.linalg.slogdet(cov)[1] + np.log(exact) + np.einsum("gi,gij,gj->g", off, inverse, off)) / 2
    prior = -(np.log(s0) + within / s0 + np.log(s1) + within / s1) / 2 + np.log(v) / 2  # of the logarithms
    weight = np.exp(fit + prior - (fit + prior).max())
    weight /= weight.sum()
    apart = (
        wide * ((rater == 0) * 1.0 - (rater == 1)) / 2
    )  # covariance of half the difference of the biases with each label
    half = np.einsum("i,gij,gj->g", apart, inverse, off)
    mu = center[:, None] + v[:, None] * np.stack(
        [(inverse @ off[:, :, None])[:, item == i, 0].sum(1) for i in range(6)], -1
    )
    level = wide / 2 * np.einsum("i,gij,gj->g", one, inverse, off)  # the mean of the biases
    found = consensus(votes, "gaussian", uncertainty="posterior", draws=6000).uncertainty
    assert found is not None and found.posterior is not None
    assert found.values["bias"].mean(0) == pytest.approx([weight @ half, -(weight @ half)], abs=0.02)
    assert np.log(found.values["variance"]).mean(0) == pytest.approx(
        [weight @ np.log(s0), weight @ np.log(s1)], abs=0.06
    )
    assert np.log(found.values["spread"]).mean() == pytest.approx(weight @ np.log(v), abs=0.03)
    assert found.posterior[:, 0] == pytest.approx(weight @ (mu + level[:, None]), abs=0.03)


def test_a_vote_and_two_numbers_have_nothing_to_draw() -> None:
    with pytest.raises(UsageError, match="a vote has no parameters to sample"):
        consensus(TINY, "majority", uncertainty="posterior")
    with pytest.raises(UsageError, match="needs at least three labelled items"):
        consensus(
            Votes.of_codes([0, 0, 1], [0, 1, 0], [0, 1, 1], labels=[1.0, 2.0]), "gaussian", uncertainty="posterior"
        )
    said = str(consensus(TINY, "mace", uncertainty="posterior", draws=8))
    assert (
        "uncertainty 'posterior': 16 draws, split R-hat at most " in said and "effective sample size at least " in said
    )
    assert "uncertainty 'bootstrap': 3 draws" in str(consensus(TINY, uncertainty="bootstrap", draws=3)).splitlines()
    found = drawn(TINY, "mace", draws=8)
    with pytest.raises(UsageError, match="no draws of 'ability'; there are draws of"):
        found.interval("ability")


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_gold_repeats_items_without_labels_and_one_label_are_drawn_too(model: str) -> None:
    votes = TINY.with_items([9, 10])
    found = drawn(votes, model, gold={9: "b", 0: "a"}, draws=40, prevalence="learned")
    assert found.posterior is not None and found.posterior[[0, 4], [0, 1]].tolist() == [1.0, 1.0]
    assert np.allclose(found.posterior.sum(1), 1) and "prevalence" in found.rhat
    assert all(np.isfinite(x).all() for x in found.values.values())
    alone = drawn(Votes.of_codes([0, 0, 1], [0, 1, 1], [0, 0, 0], labels="a"), model, draws=40)
    assert np.allclose(alone.values["confusion"], 1) and found.values["confusion"].dtype == np.float32


def test_numbers_with_gold_keep_their_level() -> None:
    """A bias of all raters shows only against gold: 20 of 60 items say that everybody is 2 too high."""
    rng = np.random.default_rng(3)
    mu = rng.normal(0, 1, 60)
    item, rater = np.divmod(np.arange(300), 5)
    values, code = np.unique((mu[item] + 2 + 0.5 * rng.standard_normal(300)).round(3), return_inverse=True)
    votes = Votes.of_codes(item, rater, code, labels=values.tolist())
    gold = {i: float(mu[i]) for i in range(20)}
    found = consensus(votes, "gaussian", gold=gold, uncertainty="posterior", draws=400).uncertainty
    assert found is not None and found.posterior is not None
    low, high = found.interval("bias", 0.999)
    assert (low < 2).all() and (high > 2).all() and (high - low).max() < 1
    assert np.allclose(found.posterior[:20, 1], 0, atol=1e-6) and found.posterior[:20, 0] == pytest.approx(mu[:20])
    assert np.abs(found.posterior[20:, 0] - mu[20:]).mean() < 0.3


def test_what_is_too_large_is_thinned_or_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "raters.models.uncertainty.sampling.MOST", 4 * 40 * 8 // 2
    )  # half of 40 draws of two 2 x 2 matrices
    assert len(drawn(TINY, "dawid_skene", draws=40).values["confusion"]) < 20
    found = drawn(TINY, "mace", draws=40).values
    assert "confusion" not in found and "accuracy" not in found and len(found["trust"]) > 0
