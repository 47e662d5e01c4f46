"""The chance of raters who draw sets, simulated: against enumeration, and weighed anew."""

import numpy as np
import pytest
from coded_sets import NAMES, drawing, drawn, table

from raters.reliability.sets.chance import MEASURES, Drawing, Likelihood, Reweighted, Sampler, draw, exact, simulate
from raters.reliability.sets.multilabel import multilabel


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
    want = [
        d.sizes[2] * p[0] * p[1] / (1 - p[0]),
        d.sizes[1] * p[2],
        d.sizes[0],
        d.sizes[3] * p[3] * p[1] / (1 - p[3]) * p[0] / (1 - p[3] - p[1]),
    ]
    np.testing.assert_allclose(Likelihood(sets)(d), want, rtol=1e-12)


def test_weighing_anew_moves_with_the_raters() -> None:
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


def test_simulated_agrees_with_exact() -> None:
    ann = drawn(100)
    exact, simulated = (
        multilabel(ann, interval=None),
        multilabel(ann, chance="simulated", simulations=2000, interval=None),
    )
    assert (exact.chance, simulated.chance) == ("exact", "simulated")
    for name in NAMES[2:6]:
        e, s = exact[name], simulated[name]
        assert e.details["chance_se"] == 0 and 0 < s.details["chance_se"] < 0.002
        assert abs(e.expected - s.expected) < 4.5 * s.details["chance_se"]
        assert any("chance was simulated on 200,000 pairs" in w for w in s.warnings)
    wide = multilabel(ann, chance="simulated")["boot_match"]
    assert wide.high - wide.low == pytest.approx(
        multilabel(ann)["boot_match"].high - multilabel(ann)["boot_match"].low, rel=0.05
    )


def test_too_many_sets_are_simulated_with_intervals() -> None:
    rng = np.random.default_rng(0)
    pairs = [(set(rng.integers(0, 40, 6).tolist()), set(rng.integers(0, 40, 6).tolist()) | {i % 40}) for i in range(60)]
    found = multilabel(table(pairs), resamples=300)
    assert found.chance == "simulated" and "exact chance would take" in " ".join(found["boot_f1"].warnings)
    assert found["boot_f1"].low < found["boot_f1"].value < found["boot_f1"].high
    assert found["boot_f1"].se == pytest.approx(multilabel(table(pairs), interval="delta")["boot_f1"].se, rel=0.35)


def test_the_work_of_a_likelihood_is_the_labels_drawn() -> None:
    """Four people with sets of up to 25 of 83 labels took minutes: empty places were computed, too."""
    sets = np.array([[0, 1, 2, 3], [1, -1, -1, -1], [-1, -1, -1, -1], [2, 0, -1, -1]])
    assert sum(map(len, Likelihood(sets).places)) == (sets >= 0).sum()
