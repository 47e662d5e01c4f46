"""Influence, delta, jackknife, bootstrap and BCa: each against a definition, and against one another."""

import math

import numpy as np
import pytest
from tables import Folded, ask, bag, kernel, same

import raters
from raters import examples, simulate
from raters.agree.agreement_spec import request
from raters.agree.estimating import entering, statistic
from raters.coefficients import REGISTRY
from raters.inference.intervals import IntervalSpec, interval
from raters.inference.statistic import Linear, MidRanks
from raters.inference.weights import multinomial

LABELS = [0, 1, 3]


def made(n_items=14, n_raters=3, missing=0.25, repeats=False, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n_items)
    rows = []
    for i in range(n_items):
        for j in range(n_raters):
            for _ in range(1 + (repeats and rng.random() < 0.5)):
                if rng.random() >= missing:
                    rows.append((f"i{i}", f"r{j}", LABELS[truth[i] if rng.random() < 0.7 else rng.integers(3)]))
    return rows


def statistics():
    """(name, statistic): every coefficient, plain and weighted, ordinal alpha, and alpha between groups."""
    for name, row in REGISTRY.items():
        rows = made(n_raters=row.exactly or 3)
        for weights in ("identity", "linear", "quadratic"):
            yield f"{name} {weights}", built(name, rows, row.between_groups, weights=weights)
    for scale in ("ordinal", "interval", "ratio", "circular"):
        yield f"alpha {scale}", built("krippendorff", made(), False, scale)
        yield f"alpha {scale} between groups", built("krippendorff", made(repeats=True), True, scale)
        yield f"iota {scale}", built("iota", made(repeats=True), True, scale)
    for name in ("fleiss", "gwet"):
        yield f"{name} pooled", built(name, made(), False, margins="pooled")


def built(name, rows, grouped, scale="nominal", **options):
    req = request(name, **options)
    given = {k: v for k, v in options.items() if k == "weights"}
    items, k = bag(rows, LABELS, grouped), kernel(name, LABELS, scale, **given)
    return statistic(req, entering(req, items, k), k, len(LABELS))


ALL = dict(statistics())


def value(stat, weights):
    return stat.parts(np.asarray(weights)[None]).value[0]


@pytest.mark.parametrize("name", ALL)
def test_influence_is_the_derivative_by_the_weights(name):
    stat, h = ALL[name], 1e-5
    steps = h * np.eye(len(stat.weight))
    numeric = [(value(stat, stat.weight + s) - value(stat, stat.weight - s)) / (2 * h) for s in steps]
    assert np.abs(numeric).max() > 1e-3  # there is something to differentiate
    np.testing.assert_allclose(stat.influence(), numeric, atol=1e-8)


@pytest.mark.parametrize("name", ALL)
def test_left_out_is_the_value_without_one_item(name):
    stat = ALL[name]
    each = [value(stat, stat.weight - s) for s in np.eye(len(stat.weight))]
    np.testing.assert_allclose(stat.left_out(), each, atol=1e-12)


def test_both_kinds_of_statistic_are_here():
    assert {type(s) for s in ALL.values()} == {Linear, MidRanks}


def test_delta_and_jackknife_by_hand():
    """Percent agreement of complete data is a mean, so both are the standard error of a mean."""
    rows = made(missing=0, n_raters=2)
    each = [float(a[2] == b[2]) for a, b in zip(rows[::2], rows[1::2], strict=True)]
    for method in ("delta", "jackknife"):
        e = ask(rows, LABELS, "percent", interval=method, level=0.9)
        assert e.se == pytest.approx(np.std(each, ddof=1) / math.sqrt(len(each)), abs=1e-14)
        reach = 1.7709333959868729 * e.se  # t with 13 df
        assert (e.low, e.high) == pytest.approx((e.value - reach, min(1, e.value + reach)), abs=1e-9)


@pytest.fixture(scope="module")
def large():
    drawn = simulate.labels(
        4000, 4, 4, accuracy=(0.9, 0.8, 0.7, 0.75), prevalence=(0.4, 0.3, 0.2, 0.1), missing=0.3, seed=5
    )
    return Folded(raters.read(drawn.columns(), scale="ordinal", labels=range(4)))


@pytest.mark.parametrize("name", [n for n, row in REGISTRY.items() if row.exactly is None])
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_on_large_data_all_standard_errors_agree(large, name, weights):
    delta, jackknife, bootstrap = (
        large(name, weights=weights, interval=m, resamples=1500, seed=2) for m in ("delta", "jackknife", "bootstrap")
    )
    assert jackknife.se == pytest.approx(delta.se, rel=5e-3)
    assert bootstrap.se == pytest.approx(
        delta.se, rel=4 / math.sqrt(2 * 1500)
    )  # four standard errors of a standard error
    for e in (jackknife, bootstrap):
        assert (e.low, e.high) == pytest.approx((delta.low, delta.high), abs=0.4 * delta.se)


def test_on_large_data_gwets_standard_error_is_near(large):
    for name in ("fleiss", "gwet", "krippendorff"):
        plain, gwet = (large(name, weights="identity", interval="delta", se=se).se for se in (None, "gwet"))
        assert gwet == pytest.approx(plain, rel=0.05)


def test_coverage_of_the_bootstrap_replicates():
    """The replicates are those of drawing items with replacement: mean and variance of the counts."""
    weight = np.array([3.0, 1, 6])
    drawn = np.concatenate(list(multinomial(weight, 20_000, np.random.default_rng(0))))
    assert (drawn.sum(1) == 10).all()
    p = weight / 10
    np.testing.assert_allclose(drawn.mean(0), weight, atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), 10 * (np.diag(p) - np.outer(p, p)), atol=0.08)


def test_many_patterns_are_drawn_item_by_item_from_the_same_law():
    weight = np.ones(300)
    weight[:3] = 5
    drawn = np.concatenate(list(multinomial(weight, 3000, np.random.default_rng(1))))
    assert drawn.shape == (3000, 300) and (drawn.sum(1) == weight.sum()).all()
    assert np.abs(drawn.mean(0) - weight).max() < 0.25
    assert drawn[:, 5].var() == pytest.approx(1, abs=0.1)


def test_the_same_seed_gives_the_same_figures_and_another_does_not():
    ann = examples.four_raters()
    one, two, other = (raters.agreement(ann, resamples=300, seed=s) for s in (4, 4, 5))
    assert one == two
    assert (one.low, one.se) != (other.low, other.se) and one.value == other.value
    assert one.interval == "imaginary" and one.level == 0.95


@pytest.mark.parametrize("method", ["bootstrap", "bca", "delta", "jackknife"])
def test_wider_levels_give_wider_intervals(method):
    ask_ = Folded(examples.hayes_krippendorff_2007())
    narrow, wide = (ask_("krippendorff", interval=method, level=level, seed=1) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert narrow.se == wide.se and narrow.interval == method


def test_bca_follows_efron():
    """Limits recomputed from the replicates and the jackknife in plain steps."""
    from statistics import NormalDist

    stat, normal = ALL["fleiss identity"], NormalDist()
    spec = IntervalSpec("bca", 0.9, 999, 7)
    at = float(value(stat, stat.weight))
    draws = np.concatenate([stat.parts(w).value for w in multinomial(stat.weight, 999, np.random.default_rng(7))])
    assert np.isfinite(draws).all()
    z0 = normal.inv_cdf((np.sum(draws < at) + np.sum(draws == at) / 2) / 999)
    left = [value(stat, stat.weight - s) for s in np.eye(len(stat.weight))]
    d = np.mean(left) - np.array(left)
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    limits = [normal.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (normal.inv_cdf(0.05), normal.inv_cdf(0.95))]
    found = interval(stat, at, spec)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, limits)), abs=1e-9)


def test_bca_shifts_a_skewed_interval_down():
    """Near 1 replicates crowd at the top; BCa reaches lower than the percentiles."""
    drawn = simulate.labels(60, 2, 2, accuracy=0.97, seed=3).annotations()
    plain, bca = (raters.agreement(drawn, "cohen", interval=m, resamples=4000) for m in ("bootstrap", "bca"))
    assert bca.low < plain.low and bca.high <= plain.high


def test_limits_stay_in_the_range_of_the_coefficient():
    e = raters.agreement(examples.four_raters(), "percent", interval="delta", level=0.999)
    assert e.high == 1 and e.low >= 0
    rows = [("a", "x", 1), ("a", "y", 0), ("b", "x", 0), ("b", "y", 1), ("c", "x", 1), ("c", "y", 1)]
    assert ask(rows, [0, 1], "cohen", interval="delta", level=0.99).low == -1


def test_a_value_below_the_usual_range_keeps_its_interval():
    """Items rated once move the margins: kappa is far below -1 here, and no limit may lie above it."""
    rows = [("s", "a", 0), ("s", "b", 1), ("t", "a", 1), ("t", "b", 0)]
    rows += [(f"{r}{i}", r, 0) for r in "ab" for i in range(50)]
    for method in ("delta", "jackknife"):
        e = ask(rows, [0, 1], "cohen", interval=method)
        assert e.low < e.value < -20 < e.high


def test_percent_prints_as_irrcac_does():
    assert same(raters.agreement(examples.four_raters(), "percent", interval="delta", se="gwet").low, ".542")
