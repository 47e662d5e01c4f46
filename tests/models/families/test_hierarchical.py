"""The hierarchical model: the crowd's matrix by Newton's steps against a general optimiser, and raters with few
labels.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import polygamma
from scipy.stats import dirichlet_multinomial, gamma

from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.families.hierarchical import evidence, raised, trigamma


def counts(seed: int, n_raters: int = 12, k: int = 3, size: int = 30) -> np.ndarray:
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.array([6.0, 1.5, 0.5])[:k], (n_raters, k))
    return np.array([[rng.multinomial(rng.integers(0, size), row) for row in one] for one in theta]).astype(float)


def test_evidence_is_dirichlet_multinomial_with_a_gamma_prior() -> None:
    """Differences of the evidence, so that the constants of the counts fall away."""
    n = counts(0)
    a, b = np.random.default_rng(1).gamma(2, 1, (2, 3, 3))

    def direct(alpha: np.ndarray) -> np.ndarray:
        each = [[dirichlet_multinomial(alpha[k], int(one[k].sum())).logpmf(one[k]) for k in range(3)] for one in n]
        return np.sum(each, 0) + gamma(2).logpdf(alpha).sum(1)

    assert evidence(a, n) - evidence(b, n) == pytest.approx(direct(a) - direct(b))


def test_steps_end_at_the_maximum_and_soon() -> None:
    n = counts(2)
    alpha = np.ones((3, 3))
    for _ in range(12):
        alpha, _ = raised(alpha, n)
    for k in range(3):
        one = n[:, [k]]
        best = minimize(lambda x, one=one: -float(evidence(np.exp(x)[None], one)[0]), np.zeros(3), tol=1e-10)
        assert alpha[k] == pytest.approx(np.exp(best.x), rel=1e-3)
        assert evidence(alpha, n)[k] >= -best.fun - 1e-9


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6), scale=st.sampled_from([1e-3, 0.1, 1.0, 30.0, 1e4]), size=st.sampled_from([1, 5, 200])
)
def test_no_step_lowers_the_evidence(seed: int, scale: float, size: int) -> None:
    n = counts(seed, size=size)
    alpha = np.random.default_rng(seed).gamma(1, scale, (3, 3)) + 1e-6
    for _ in range(5):
        after, _ = raised(alpha, n)
        assert np.isfinite(after).all() and (after > 0).all()
        assert (evidence(after, n) >= evidence(alpha, n) - 1e-9 * np.abs(evidence(alpha, n))).all()
        alpha = after


def test_trigamma_is_scipys() -> None:
    x = np.exp(np.random.default_rng(0).uniform(-12, 8, 2000))
    assert trigamma(x) == pytest.approx(polygamma(1, x), rel=1e-12)


def test_hierarchical_shrinks_raters_with_few_labels_towards_the_crowd() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 300)
    item, rater = np.nonzero(rng.random((300, 6)) < 1.0)
    label = np.where(rng.random(len(item)) < 0.85, truth[item], 1 - truth[item])
    keep = (rater != 5) | (item < 3)
    label = np.where(rater == 5, 1 - truth[item], label)  # three labels, all wrong
    votes = Votes.of_codes(item[keep], rater[keep], label[keep], labels="ab")
    plain, pooled = consensus(votes, "dawid_skene"), consensus(votes, "hierarchical")
    assert plain.accuracy[5] < 0.1 < 0.5 < pooled.accuracy[5]
    assert np.abs(pooled.accuracy[:5] - plain.accuracy[:5]).max() < 0.03
