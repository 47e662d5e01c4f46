"""The chance of raters who draw sets: enumerated, and by brute force over ordered draws."""

from itertools import permutations

import numpy as np
import pytest
from coded_sets import drawing
from hypothesis import given, settings
from hypothesis import strategies as st

from raters.reliability.sets.chance import MEASURES, Drawing, Enumeration, exact, steps


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


def test_cost() -> None:
    assert steps(5, 5) == 3**5 and steps(20, 2) == 1 + 20 * 2 + 190 * 4
