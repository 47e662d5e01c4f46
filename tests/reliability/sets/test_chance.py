"""The chance of coders who draw sets: enumerated, by brute force over ordered draws, and simulated."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raters.reliability.sets.chance import MEASURES, Drawing, Enumeration, exact, steps
from raters.reliability.sets.simulated_chance import Reweighted, Sampler, draw, likelihood, simulate


def drawing(seed: int, n_labels: int, largest: int, *, unused: int = 0) -> Drawing:
    rng = np.random.default_rng(seed)
    labels = rng.dirichlet(np.ones(n_labels - unused))
    return Drawing(rng.dirichlet(np.ones(largest + 1))[None], np.concatenate([labels, np.zeros(unused)])[None])


def sets_of(d: Drawing) -> dict[frozenset[int], float]:
    """The probability of each set, over all orders in which it can be drawn."""
    found: dict[frozenset[int], float] = {}
    p = d.labels[0]
    for m, share in enumerate(d.sizes[0]):
        for order in permutations(np.flatnonzero(p).tolist(), m):
            q, left = share, 1.0
            for k in order:
                q, left = q * p[k] / left, left - p[k]
            found[frozenset(order)] = found.get(frozenset(order), 0.0) + q
    return found


def brute(a: Drawing, b: Drawing, both_empty: float = 1.0) -> dict[str, float]:
    total = dict.fromkeys(MEASURES, 0.0)
    for s, p in sets_of(a).items():
        for t, q in sets_of(b).items():
            n = len(s & t)
            if s and t:
                values = (float(n > 0), n / len(s), n / len(t), 2 * n / (len(s) + len(t)))
            else:
                values = (both_empty if not s and not t else 0.0,) * 4
            for name, v in zip(MEASURES, values, strict=True):
                total[name] += p * q * v
    return total


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(4, 6), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 1.0]))
def test_enumeration_is_the_expectation(seed: int, n_labels: int, m: int, n: int, both_empty: float) -> None:
    a, b = drawing(seed, n_labels, m, unused=seed % 2), drawing(seed + 1, n_labels, n)
    found, want = exact(a, b, both_empty), brute(a, b, both_empty)
    for name in MEASURES:
        assert found[name][0] == pytest.approx(want[name], abs=1e-12)


def test_sets_of_all_labels_always_match() -> None:
    every = Drawing(np.array([[0, 0, 0, 0, 1.0]]), np.full((1, 4), 0.25))
    assert exact(every, drawing(1, 4, 2))["boot_match"][0] == pytest.approx(1 - drawing(1, 4, 2).sizes[0, 0])


def test_paper_uniform_doubles() -> None:
    """Section 5.1: .70 with five categories, .38 with ten."""
    for n_labels, want in ((5, 0.70), (10, 0.38)):
        two = Drawing(np.array([[0, 0, 1.0]]), np.full((1, n_labels), 1 / n_labels))
        assert exact(two, two)["boot_match"][0] == pytest.approx(want, abs=0.005)


def test_rows_are_independent_and_smooth() -> None:
    a, b = drawing(1, 5, 2), drawing(2, 5, 3)
    rows = [Drawing(np.repeat(d.sizes, 3, 0), np.repeat(d.labels, 3, 0)) for d in (a, b)]
    many, one = Enumeration(5, 3).expected(*rows, 1.0), exact(a, b)
    for name in MEASURES:
        np.testing.assert_allclose(many[name], one[name][0], rtol=1e-13)
    # a complex step and a difference give the same slope
    way = np.array([1.0, -1, 0, 0, 0])
    up, down = (exact(Drawing(a.sizes, a.labels + h * way), b) for h in (1e-6, -1e-6))
    slope = exact(Drawing(a.sizes, a.labels + 1e-20j * way), b)
    for name in MEASURES:
        assert slope[name][0].imag / 1e-20 == pytest.approx((up[name][0] - down[name][0]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_simulation_agrees_within_its_error(seed: int) -> None:
    a, b = drawing(seed, 6, 3), drawing(seed + 9, 6, 2)
    found, want = simulate(a[0], b[0], 400_000, 10, 1.0, np.random.default_rng(seed)), exact(a, b)
    for name in MEASURES:
        assert found.se[name] < 0.001
        assert abs(found.mean[name] - want[name][0]) < 4.5 * found.se[name]


def test_draws_without_replacement() -> None:
    """Also where nearly all the probability is on one label, so that drawing again would take long."""
    d = Drawing(np.array([0, 0, 0.5, 0.5]), np.array([0.99999, 0.000005, 0.000005]))
    sets = draw(d, 2000, np.random.default_rng(0))
    for row in sets:
        kept = row[row >= 0]
        assert len(set(kept.tolist())) == len(kept) >= 2
    counts = np.bincount(sets[(sets >= 0).sum(1) == 2][:, 1], minlength=3)
    assert 0.4 < counts[1] / counts[1:].sum() < 0.6


def test_sampler_follows_the_shares() -> None:
    shares = np.array([0.5, 0, 0.3, 0.2 - 1e-7, 1e-7])
    counts = np.bincount(Sampler(shares).one(2_000_000, np.random.default_rng(1)), minlength=5)
    assert counts[1] == 0
    np.testing.assert_allclose(counts / 2_000_000, shares, atol=0.002)


def test_likelihood_is_that_of_the_order() -> None:
    d = drawing(4, 5, 3)[0]
    sets = np.array([[0, 1, -1], [2, -1, -1], [-1, -1, -1], [3, 1, 0]])
    p = d.labels
    want = [d.sizes[2] * p[0] * p[1] / (1 - p[0]), d.sizes[1] * p[2], d.sizes[0],
            d.sizes[3] * p[3] * p[1] / (1 - p[3]) * p[0] / (1 - p[3] - p[1])]  # fmt: skip
    np.testing.assert_allclose(likelihood(d, sets), want, rtol=1e-12)


def test_weighing_anew_moves_with_the_coders() -> None:
    a, b = drawing(1, 6, 3), drawing(2, 6, 2)
    drawn = simulate(a[0], b[0], 100_000, 50_000, 1.0, np.random.default_rng(0))
    near = Reweighted(a[0], b[0], drawn, {m: float(v[0]) for m, v in exact(a, b).items()}, 1.0)
    labels = a.labels * np.array([1.3, 0.8, 1, 1, 1.1, 0.9])
    sizes = a.sizes * np.array([1, 1.2, 0.9, 0.8])
    moved = Drawing(sizes / sizes.sum(), labels / labels.sum())
    for name in MEASURES:
        start, want = exact(a, b)[name][0], exact(moved, b)[name][0]
        assert near.expected(a, b, 1.0)[name][0] == pytest.approx(start, abs=1e-12)
        assert near.expected(moved, b, 1.0)[name][0] - start == pytest.approx(want - start, abs=0.003)


def test_cost() -> None:
    assert steps(5, 5) == 3**5 and steps(20, 2) == 1 + 20 * 2 + 190 * 4
