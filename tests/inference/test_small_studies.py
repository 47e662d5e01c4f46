"""Intervals that hold in small studies: the imaginary item by quadrature, laws, degenerate cases, and coverage."""

import numpy as np
import pytest
from scipy import integrate, sparse, stats
from small_studies import PLAIN, table, two_raters

import raters
from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate
from raters.inference.prior_item import MASS, imagine
from raters.inference.weights import POPULATION, dirichlet_process
from raters.items import Items

# the base: what the imaginary item may show


def test_the_imaginary_item_of_two_labels_is_an_integral_over_p():
    """p is Beta(1.5, 1.5) for items with two labels, Beta(1/2, 1/2) for those with more."""
    three = Items(np.array([9.0, 4.0]), sparse.csr_array([[3.0, 0.0], [0.0, 3.0]]), ("no", "yes"))
    for items, r, a in ((two_raters(9, 2, 4), 2, 1.5), (three, 3, 0.5)):
        wide, base = imagine(items, along=False)
        n = len(items.weight)
        for row, share in zip(wide.counts.toarray()[n:], base[n:], strict=True):

            def chance(p, row=row, r=r, a=a):
                return stats.binom.pmf(row[1], r, p) * stats.beta.pdf(p, a, a)

            assert share == pytest.approx(integrate.quad(chance, 0, 1)[0], abs=1e-6)
        assert (base[:n] == 0).all() and base.sum() == pytest.approx(1) and (wide.weight[n:] == 0).all()


def test_along_a_scale_the_imaginary_raters_differ_by_a_point_or_two():
    items = Items(np.ones(5), sparse.csr_array(2 * np.eye(5)), tuple(range(5)))
    wide, base = imagine(items, along=True)
    shown = wide.counts.toarray()[5:]
    for row, share in zip(shown, base[5:], strict=True):
        points = np.repeat(np.arange(5), row.astype(int))
        orders = 1 if points[0] == points[1] else 2

        def near(t, points=points):
            return np.prod(stats.binom.pmf(points, 4, t)) * stats.beta.pdf(t, 0.5, 0.5)

        apart = (1 / 5) * ((1 / 5 + 1) if points[0] == points[1] else 1 / 5) / 2
        want = orders * (0.75 * integrate.quad(near, 0, 1)[0] + 0.25 * apart)
        assert share == pytest.approx(want, abs=1e-6)


def test_listed_and_drawn_patterns_are_of_one_distribution(monkeypatch):
    items = Items(np.array([5.0, 5.0]), sparse.csr_array([[3.0, 0, 0], [0, 2.0, 0]]), ("a", "b", "c"))
    means = []
    for most in (300, 0):
        import raters.inference.prior_item as module

        if most == 0:
            monkeypatch.setattr(module, "_listed", lambda *given: None)
            monkeypatch.setattr(module, "MOST_PATTERNS", 40_000)
        wide, base = imagine(items, along=False, seed=1)
        r = wide.per_item
        means.append([base @ r, base @ (wide.counts.max(1).toarray().ravel() == r)])
    assert means[0] == pytest.approx(means[1], abs=0.02)


def test_two_labels_of_two_kinds_are_drawn_as_they_are_listed(monkeypatch):
    import raters.inference.prior_item as module

    monkeypatch.setattr(module, "_listed", lambda *given: None)
    monkeypatch.setattr(module, "MOST_PATTERNS", 40_000)
    wide, base = imagine(two_raters(9, 2, 4), along=False, seed=1)
    mixed = (wide.counts.toarray() == 1).all(1)
    assert base[mixed].sum() == pytest.approx(3 / 8, abs=0.01)


def test_along_a_scale_the_upper_limit_is_not_below_that_without_the_imaginary_item():
    """Ten raters who differ by a point on one item in five: the imaginary item would hold the limit down."""
    rng = np.random.default_rng(3)
    points = rng.integers(0, 7, (40, 1)) + (rng.random((40, 10)) < 0.03)
    table = raters.read(points.tolist(), layout="wide", scale="ordinal")
    default, plain = (raters.agreement(table, interval=i, resamples=4000) for i in ("auto", "bootstrap"))
    assert default.interval == "imaginary" and default.high >= plain.high - 0.002 and default.low <= plain.low


def test_labels_that_nobody_used_are_not_imagined_unless_only_one_was():
    wide, base = imagine(two_raters(9, 2, 4, tuple("abcdefghij")), along=False)
    assert base[3:].size == 3 and wide.counts[3:].toarray()[:, 2:].sum() == 0
    one = Items(np.array([9.0]), sparse.csr_array([[2.0]]), ("a",))
    wide, _ = imagine(one, along=False)
    assert len(wide.labels) == 2 and wide.counts.toarray()[:, 1].sum() > 0


def test_raters_keep_their_places_and_absences():
    counts = sparse.csr_array(
        [[1.0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1.0]]
    )  # rater 3 of the first, 2 of the second are absent
    items = Items(np.array([3.0, 1.0]), counts, ("a", "b"), (0, 1, 2))
    wide, base = imagine(items, along=False)
    shapes = wide.per_group.toarray()[2:]
    assert base[2:][shapes[:, 2] == 0].sum() == pytest.approx(0.75)
    assert {tuple(row) for row in shapes.tolist()} == {(1, 1, 0), (1, 0, 1)}


# the posterior, by draws and by quadrature


def test_percent_agreement_of_a_tiny_table_by_quadrature():
    """Three patterns; agreement of the posterior is beta: items that agree, and the imaginary one if it does."""
    e = estimate(request("percent", resamples=40_000), two_raters(6, 2, 2), PLAIN)
    agree, apart = 8 + 5 / 8, 2 + 3 / 8
    want = stats.beta.ppf([0.025, 0.975], agree, apart)
    assert (e.low, e.high) == pytest.approx(want, abs=0.005)
    assert e.se == pytest.approx(stats.beta.std(agree, apart), abs=0.003)


def test_alpha_of_a_tiny_table_by_quadrature():
    """The three shares are Dirichlet(6 5/16, 2 3/8, 2 5/16): integrated on a fine grid."""
    e = estimate(request("krippendorff", resamples=40_000), two_raters(6, 2, 2), PLAIN)
    x, y = np.meshgrid(*[(np.arange(600) + 0.5) / 600] * 2)
    inside = x + y < 1
    a, d = x[inside], y[inside]  # both no, apart
    b = 1 - a - d
    density = a ** (6 + 5 / 16 - 1) * d ** (2 + 3 / 8 - 1) * b ** (2 + 5 / 16 - 1)
    p = b + d / 2
    alpha = 1 - d / (2 * p * (1 - p))
    order = np.argsort(alpha)
    cumulated = np.cumsum(density[order]) / density.sum()
    want = np.interp([0.025, 0.975], cumulated, alpha[order])
    assert (e.low, e.high) == pytest.approx(want, abs=0.01)


def test_without_mass_it_is_the_bayesian_bootstrap():
    rows = np.concatenate(
        list(dirichlet_process(np.array([5.0, 3.0, 0.0]), np.array([0, 0, 1.0]), 0.0, 20_000, np.random.default_rng(0)))
    )
    share = rows[:, 0] / POPULATION
    assert (rows[:, 2] == 0).all() and rows.sum(1) == pytest.approx(np.full(len(rows), POPULATION))
    assert share.mean() == pytest.approx(5 / 8, abs=0.005) and share.std() == pytest.approx(
        stats.beta.std(5, 3), abs=0.005
    )


def test_the_parts_of_the_imaginary_mass_are_those_of_gamma_variables():
    base = np.array([0.0, 0.2, 0.8])
    rows = (
        np.concatenate(list(dirichlet_process(np.array([4.0, 0, 0]), base, MASS, 40_000, np.random.default_rng(0))))
        / POPULATION
    )
    assert rows[:, 1].mean() == pytest.approx(0.2 / 5, abs=0.002) and rows[:, 2].mean() == pytest.approx(
        0.8 / 5, abs=0.003
    )
    assert rows[:, 2].std() == pytest.approx(stats.beta.std(0.8, 4.2), abs=0.003)


# laws


@pytest.mark.parametrize("coefficient", ["krippendorff", "fleiss", "cohen", "gwet", "brennan_prediger", "percent"])
def test_renaming_and_order_move_the_limits_within_their_monte_carlo_error(coefficient):
    rng = np.random.default_rng(3)
    matrix = np.where(rng.random((40, 2)) < 0.8, rng.integers(0, 3, (40, 1)), rng.integers(0, 3, (40, 2)))
    one = raters.agreement(table(matrix), coefficient, resamples=8000)
    renamed = raters.agreement(table(np.array(["z", "m", "a"])[matrix]), coefficient, resamples=8000)
    shuffled = raters.agreement(table(matrix[rng.permutation(40)]), coefficient, resamples=8000)
    assert (one.low, one.high) == pytest.approx((renamed.low, renamed.high), abs=0.02)
    assert (one.low, one.high, one.value) == (shuffled.low, shuffled.high, shuffled.value)
    assert one.low <= one.value <= one.high


def test_a_pattern_that_is_split_in_two_leaves_the_posterior():
    whole = two_raters(20, 6, 14)
    parts = Items(
        np.array([12.0, 8, 6, 14]), sparse.csr_array([[2.0, 0], [2, 0], [1, 1], [0, 2]]), ("no", "yes"), n_raters=2
    )
    one, other = (estimate(request("krippendorff", resamples=20_000), x, PLAIN) for x in (whole, parts))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01) and one.value == other.value


def test_engines_give_the_same_figures():
    matrix = np.random.default_rng(1).integers(0, 3, (30, 3))
    from_matrix = raters.read(matrix, layout="wide", scale="nominal")
    from_rows = raters.read([(f"{i}", f"{j}", int(k)) for (i, j), k in np.ndenumerate(matrix)], scale="nominal")
    one, other = (raters.agreement(x, "fleiss") for x in (from_matrix, from_rows))
    assert (one.low, one.high, one.se) == (other.low, other.high, other.se)


def test_many_items_leave_nothing_of_the_imaginary_one():
    items = two_raters(40_000, 10_000, 50_000)
    one, other = (estimate(request("krippendorff", interval=m), items, PLAIN) for m in ("auto", "bootstrap"))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.001)


# degenerate cases
