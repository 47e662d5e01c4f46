"""The method ``model`` of kRR: the mixing distribution, what it determines, and what it leaves open."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse, special
from scipy.stats import multinomial

import raters
from raters.agree.request import request
from raters.items import Items
from raters.reliability.krr.aggregates import Aggregate, as_good_as, majority, median
from raters.reliability.krr.vote_model.answers import answer_shares
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.moments import moments
from raters.reliability.krr.vote_model.npmle import em_steps, likelihood_of, npmle, squared_em
from raters.reliability.krr.vote_model.simplex import free_points, grid_points, lattice
from raters.reliability.krr.vote_model.tilted import Calibrated, tilted

MAJORITY = Aggregate("majority", "random", shares=majority)
PLAIN = request("krippendorff")
KS = [1, 3, 5, 9, 15, 31, 61]
TRUTH = np.array([0.161, 0.293, 0.398, 0.527, 0.625, 0.734, 0.802])


def nominal(x):
    return raters.read(np.asarray(x), layout="wide", scale="nominal")


@pytest.fixture(scope="module")
def dices(data_dir):
    whole = json.loads(
        gzip.decompress((data_dir / "judge-bench" / "dices" / "dices_350_crowdsourced.json.gz").read_bytes())
    )
    code = {"No": 0, "Unsure": 1, "Yes": 2}
    return np.array(
        [[code[v] for v in one["annotations"]["safety"]["individual_human_scores"]] for one in whole["instances"]]
    )


@pytest.mark.shared
def test_dices_icc_and_curve(dices):
    ann = raters.read(dices, layout="wide", scale="interval")
    table = raters.icc(ann)
    assert (round(table["ICC(1)"].value, 4), round(table["ICC(k)"].value, 4)) == (0.1924, 0.9670)
    curve = raters.krr_curve(ann, [1, 10, 123], interval=None)
    r = table["ICC(1)"].value
    assert [e.value for e in curve] == pytest.approx([k * r / (1 + (k - 1) * r) for k in (1, 10, 123)])


@pytest.mark.shared
def test_dices_split_is_the_truth(dices):
    curve = raters.krr_curve(nominal(dices), [1, 5, 31, 61], method="split", draws=120, interval=None)
    assert [e.value for e in curve] == pytest.approx(TRUTH[[0, 2, 5, 6]], abs=0.009)


@pytest.mark.shared
@pytest.mark.slow
def test_dices_from_ten_labels_an_item(dices):
    """Fitted to 10 random labels of each item, the model foretells the vote of up to 61."""
    rng = np.random.default_rng(1)
    values, covered = [], np.zeros(len(KS))
    for _ in range(8):
        some = np.take_along_axis(dices, np.argsort(rng.random(dices.shape), 1)[:, :10], 1)
        curve = raters.krr_curve(nominal(some), KS, method="model", resamples=300)
        values.append([e.value for e in curve])
        covered += [e.low <= t <= e.high for e, t in zip(curve, TRUTH, strict=True)]
        assert [e.details["extrapolated"] for e in curve] == [False] * 3 + [True] * 4
        assert all(e.details["fit_p"] > 0.01 for e in curve[1:])
    assert np.abs(np.mean(values, 0) - TRUTH).max() <= 0.03
    assert covered.min() >= 7


CASES = {
    "two labels, balanced": (2, 6, lambda rng, n: rng.dirichlet([0.5, 0.5], n)),
    "two labels, skewed": (2, 10, lambda rng, n: rng.dirichlet([0.2, 2.0], n)),
    "three labels": (3, 8, lambda rng, n: rng.dirichlet([1.0, 0.5, 0.3], n)),
    "four labels, few an item": (4, 4, lambda rng, n: rng.dirichlet([0.4] * 4, n)),
    "three labels, many an item": (3, 40, lambda rng, n: rng.dirichlet([2.0, 1.0, 1.0], n)),
    "true labels and noise": (3, 8, lambda rng, n: 0.55 * np.eye(3)[rng.integers(0, 3, n)] + 0.15),
    "eight labels": (8, 10, lambda rng, n: rng.dirichlet([0.3] * 8, n)),
    "eight labels, skewed": (8, 10, lambda rng, n: rng.dirichlet([2, 1, 0.5, 0.3, 0.2, 0.1, 0.1, 0.1], n)),
    "eight true labels and noise": (8, 10, lambda rng, n: right_and_noise(rng, n, 8)),
    "twenty labels": (20, 6, lambda rng, n: rng.dirichlet([0.2] * 20, n)),
}


def right_and_noise(rng, n, q):
    """A right label on each item, on some items harder to see than on others."""
    share = rng.beta(4, 2, n)[:, None]
    return share * np.eye(q)[rng.integers(0, q, n)] + (1 - share) / q


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_split_wherever_the_data_can_check(case):
    q, n, draw = CASES[case]
    rng = np.random.default_rng(3)
    p = draw(rng, 400)
    x = (rng.random((400, n, 1)) > np.cumsum(p, 1)[:, None, :-1]).sum(-1)
    ann = raters.read(x, layout="wide", scale="nominal", labels=list(range(q)))
    ks = sorted({1, 2, n // 4, n // 2} - {0})
    model = raters.krr_curve(ann, ks, method="model", resamples=300)
    split = raters.krr_curve(ann, ks, method="split", interval=None)
    for m, s in zip(model, split, strict=True):
        assert m.low <= s.value <= m.high, (m, s)
        assert not m.details["extrapolated"]


def labels_of(rng, p, n):
    x = (rng.random((len(p), n, 1)) > np.cumsum(p, 1)[:, None, :-1]).sum(-1)
    return raters.read(x, layout="wide", scale="nominal", labels=list(range(p.shape[1])))


@pytest.mark.parametrize("n", [5, 10])
def test_range_contains_the_truth_with_many_labels(n):
    rng = np.random.default_rng(n)
    p = right_and_noise(rng, 600, 8)
    answer = answer_shares(p, 9, MAJORITY, rng)[1]
    truth = 1 - (1 - (answer**2).sum(1).mean()) / (1 - (answer.mean(0) ** 2).sum())
    e = raters.krr(labels_of(rng, p, n), 9, method="model")
    assert e.low < truth < e.high and e.low <= e.value <= e.high
    assert e.interval == "moments" and e.details["extrapolated"]
    if n == 10:  # half of what it takes is checked, and the point is near
        assert e.value == pytest.approx(truth, abs=0.03) and e.high - e.low < 0.3


def test_range_contains_the_truth_of_sharp_kinds():
    """Items of three kinds, seven labels in ten right: no smooth distribution, and still one that the data allow."""
    truth = 0.886
    inside = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        p = 0.55 * np.eye(3)[rng.integers(0, 3, 350)] + 0.15
        e = raters.krr(labels_of(rng, p, 8), 9, method="model")
        assert e.value < truth
        inside.append(e.low < truth < e.high + 0.005)
    assert sum(inside) >= 6


def test_range_contains_the_truth_of_sharp_kinds_with_many_labels():
    """Moments of such items lie at the edge of what points can show, where noise puts them outside."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p = 0.5 * np.eye(5)[rng.integers(0, 5, 300)] + 0.1
        e = raters.krr(labels_of(rng, p, 10), 9, method="model")
        assert e.low < 0.857 < e.high and e.high - e.low < 0.2


def test_ordinal_medians_of_seven_labels():
    rng = np.random.default_rng(4)
    p = np.exp(-((np.arange(7) - rng.uniform(0, 6, (500, 1))) ** 2) / 2)
    x = (rng.random((500, 6, 1)) > np.cumsum(p / p.sum(1, keepdims=True), 1)[:, None, :-1]).sum(-1)
    ann = raters.read(x, layout="wide", scale="ordinal", labels=list(range(7)))
    for k in (1, 3):
        model = raters.krr(ann, k, method="model", resamples=300)
        assert model.low < raters.krr(ann, k, method="split", interval=None).value < model.high


def test_range_contains_the_truth_and_narrows_with_labels():
    rng = np.random.default_rng(9)
    p = rng.beta(0.6, 0.6, 500)
    width = []
    for n in (4, 12):
        e = raters.krr(nominal(rng.random((500, n)) < p[:, None]), 25, method="model")
        answer = answer_shares(np.column_stack([p, 1 - p]), 25, MAJORITY, rng)[1]
        truth = 1 - (1 - (answer**2).sum(1).mean()) / (1 - (answer.mean(0) ** 2).sum())
        assert e.low < truth < e.high and e.interval == "likelihood" and "extrapolated" in e.warnings[0]
        width.append(e.high - e.low)
    assert width[1] < width[0]


def test_exact_margins_leave_this_much_open():
    """A million items: the likelihood fixes the margins of n labels, and what they leave open at k = 61 stays wide."""
    grid = np.linspace(0, 1, 101)
    mixing = np.exp(-(((grid - 0.55) / 0.22) ** 2) / 2)
    mixing /= mixing.sum()
    points = np.column_stack([grid, 1 - grid])
    spans = []
    for n in (5, 10):
        patterns = lattice(2, n)
        ways = np.array(
            [float(np.prod([*range(n - a + 1, n + 1)]) / np.prod([*range(1, a + 1)])) for a, _ in patterns.tolist()]
        )
        weight = 1e6 * ways * ((points[None] ** patterns[:, None]).prod(-1) @ mixing)
        one = answer_shares(points, 61, MAJORITY, np.random.default_rng(0))[1]
        m = Mixture(patterns.astype(float), weight, points)
        ends = []
        for sign in (-1, 1):
            at = m.extreme(sign * (one**2).sum(1), 0.95)
            assert m.log_likelihood(at) >= -np.log(20) - 0.01
            ends.append(float(at @ (one**2).sum(1)))
        truth = float(mixing @ (one**2).sum(1))
        assert ends[0] < truth < ends[1]
        spans.append(ends[1] - ends[0])
    assert spans[0] > spans[1] > 0.02


@given(st.integers(2, 4), st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=30)
def test_votes_by_enumeration_and_by_brute_force(q, k, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(q), 3)
    both, one = answer_shares(p, k, MAJORITY, np.random.default_rng(0))
    draws = np.stack(np.meshgrid(*[np.arange(q)] * k, indexing="ij"), -1).reshape(-1, k)
    counts = np.stack([(draws == c).sum(1) for c in range(q)], 1)
    expected = p[:, draws].prod(-1) @ majority(counts, "random")
    assert one == pytest.approx(expected)
    assert both.sum((1, 2)) == pytest.approx(np.ones(3)) and both.sum(2) == pytest.approx(one)


def test_votes_by_draws_agree_with_enumeration(monkeypatch):
    p = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    exact, _ = answer_shares(p, 9, MAJORITY, np.random.default_rng(1))
    monkeypatch.setattr("raters.reliability.krr.vote_model.answers.MOST_CELLS", 0)
    drawn, _ = answer_shares(p, 9, MAJORITY, np.random.default_rng(1))
    assert drawn.mean(0) == pytest.approx(exact.mean(0), abs=0.004)


def points_for(counts, weight, seed):
    q = counts.shape[1]
    if q in (2, 3):
        return grid_points(q, int(counts.sum(1).max()))
    return free_points(counts, weight, np.random.default_rng(seed))


def table(seed, q=3, n=6, items=200):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.full(q, 0.6), items)).astype(float)
    rows, weight = np.unique(counts, axis=0, return_counts=True)
    return rows, weight.astype(float)


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=15)
def test_em_never_decreases_and_newton_finds_the_maximum(seed, q):
    counts, weight = table(seed, q)
    points = points_for(counts, weight, seed)
    likelihood = likelihood_of(counts, points)
    mixing, seen = np.full((1, len(points)), 1 / len(points)), []
    for _ in range(30):
        mixing = em_steps(likelihood, weight[None], mixing, 1)
        seen.append(float(weight @ np.log(likelihood @ mixing[0])))
    assert (np.diff(seen) > -1e-9).all() and mixing.sum() == pytest.approx(1)
    best = npmle(likelihood, weight)
    assert best.min() >= 0 and best.sum() == pytest.approx(1)
    assert weight @ np.log(likelihood @ best) >= seen[-1] - 1e-9
    slope = (weight / (likelihood @ best)) @ likelihood
    assert slope.max() <= weight.sum() * (1 + 1e-6)  # no point would raise the likelihood: this is the maximum
    fast = squared_em(likelihood, weight[None], mixing, 20)[0]
    assert weight @ np.log(likelihood @ fast) >= seen[-1] - 1e-9


def test_the_fit_is_one_the_data_do_not_tell_from_the_maximum():
    counts, weight = table(5)
    m = Mixture(counts, weight, points_for(counts, weight, 0))
    assert -3 < m.log_likelihood(m.fitted[0]) <= 0
    assert m.log_likelihood(m.maximum) == pytest.approx(0, abs=1e-6)
    assert (m.fitted[0] > 1e-6).sum() > (m.maximum > 1e-6).sum()


def test_bootstrap_refits_have_the_spread_of_exact_ones():
    counts, weight = table(1, 2, 8, 500)
    m = Mixture(counts, weight, points_for(counts, weight, 0))
    rows = np.random.default_rng(1).multinomial(500, weight / 500, 60).astype(float)
    square = (m.support**2).sum(1)
    fast, exact = m.refit(rows, False) @ square, np.array([npmle(m.likelihood, w) @ square for w in rows])
    assert fast.std() == pytest.approx(exact.std(), rel=0.05) and fast == pytest.approx(exact, abs=0.003)


def test_misfit_is_seen():
    """Two raters who always differ: no bag of independent labels does that."""
    x = np.array([[0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]] * 60)
    assert raters.krr(nominal(x), 2, method="model", interval=None).details["fit_p"] < 0.01


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=6))
def test_median_shares(rows):
    counts = np.array(rows)
    shares = median(counts, "random")
    for c, s in zip(counts, shares, strict=True):
        labels = np.repeat(np.arange(4), c)
        if len(labels):
            assert s @ np.arange(4) == pytest.approx(np.median(labels)) or np.median(labels) % 1
            assert s.sum() == pytest.approx(1)


@given(st.integers(0, 1000), st.integers(2, 5), st.integers(2, 5), st.booleans())
@settings(max_examples=20)
def test_moments_are_unbiased(seed, q, n, ordered):
    """Over all tables of n labels that a point can show, the estimates have the point's own value as their mean."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(q), 1)
    counts = lattice(q, n).astype(float)
    chance = np.array([multinomial.pmf(c, n, p[0]) for c in counts])
    ann = raters.read(
        rng.integers(0, q, (3, 4)), layout="wide", scale="ordinal" if ordered else "nominal", labels=list(range(q))
    )
    items = Items(np.ones(len(counts)), sparse.csr_array(counts), ann.labels, (None,))
    found = moments(PLAIN, ann, MAJORITY, items, p, n, seed)
    assert chance @ found.of_patterns == pytest.approx(found.of_points[0])


def test_moments_of_votes_are_unbiased():
    counts = lattice(3, 6).astype(float)
    p = np.array([[0.5, 0.3, 0.2]])
    chance = np.array([multinomial.pmf(c, 6, p[0]) for c in counts])
    ann = raters.read(np.arange(12).reshape(3, 4) % 3, layout="wide", scale="ordinal", labels=[0, 1, 2])
    many = np.full(len(counts), 100.0)  # so that each table is split often
    found = moments(PLAIN, ann, MAJORITY, Items(many, sparse.csr_array(counts), ann.labels, (None,)), p, 6, 0)
    assert found.of_points.shape == (1, 14)
    assert chance @ found.of_patterns == pytest.approx(found.of_points[0], abs=0.01)


def calibrated(seed, q=5, n=6, items=300):
    counts, weight = table(seed, q, n, items)
    points = points_for(counts, weight, seed)
    ann = raters.read(np.arange(4 * q).reshape(q, 4) % q, layout="wide", scale="nominal", labels=list(range(q)))
    bag = Items(weight, sparse.csr_array(counts), ann.labels, (None,))
    return Calibrated(counts, weight, points, moments(PLAIN, ann, MAJORITY, bag, points, n, seed), seed)


@given(st.integers(0, 1000))
@settings(max_examples=5)
def test_the_fit_has_the_moments_of_the_data(seed):
    m = calibrated(seed)
    mixing, scaled = m.fitted[0], m.moments.scaled(m.weight)  # in units of their errors, from their means
    assert mixing.min() >= 0 and mixing.sum() == pytest.approx(1)
    off, away = mixing @ scaled.of_points, m.base[0] @ scaled.of_points
    assert np.abs(off).max() < 0.5 and off @ off <= away @ away


def test_tilting_by_newton_and_by_a_general_search():
    rng = np.random.default_rng(2)
    points, base = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(40))
    means, errors = np.array([[0.3, -0.2, 0.1]]), np.diag([1.0, 0.5, 0.2])
    mixing, tilt = tilted(base, points, means, errors, np.zeros((1, 3)))

    def entropy(log):
        p = np.exp(log - special.logsumexp(log))
        off = p @ points - means[0]
        return p @ np.log(p / base) + off @ np.linalg.solve(errors, off) / 2

    found = optimize.minimize(entropy, np.log(base), options={"gtol": 1e-9})
    assert entropy(np.log(mixing[0])) == pytest.approx(found.fun, abs=1e-8)
    assert mixing[0] == pytest.approx(base * np.exp(points @ tilt[0]) / (base @ np.exp(points @ tilt[0])))
    same, none = tilted(base, points, base[None] @ points, errors, np.zeros((1, 3)))
    assert same[0] == pytest.approx(base) and none == pytest.approx(np.zeros((1, 3)))


def test_extremes_lie_inside_the_confidence_set_and_beyond_all_others():
    m = calibrated(3)
    slope = (m.support**3).sum(1)
    scaled = m.moments.scaled(m.weight)
    inverse = np.linalg.pinv(scaled.covariance(m.weight), rcond=1e-9, hermitian=True)
    limit = m._least + 2 * np.log(20)

    def distance(mixing):
        off = mixing @ scaled.of_points
        return np.einsum("ij,jk,ik->i", off, inverse, off)

    ends = np.stack([m.extreme(sign * slope, 0.95) for sign in (-1, 1)])
    assert ends.min() >= 0 and ends.sum(1) == pytest.approx([1, 1])
    assert (distance(ends) <= limit * (1 + 1e-6)).all() and (distance(ends) > 0.8 * limit).all()
    rows = np.random.default_rng(0).multinomial(300, m.weight / 300, 200).astype(float)
    others = m.refit(rows, True)
    inside = distance(others) <= limit
    assert inside.any()
    assert ends[0] @ slope <= (others[inside] @ slope).min() and ends[1] @ slope >= (others[inside] @ slope).max()
    exact = optimize.minimize(  # by a general search on the points that the least squares chose
        lambda x: -(x @ slope[used]), ends[1][used := np.flatnonzero(ends[1])], method="SLSQP",
        bounds=[(0, 1)] * len(used), constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: limit - distance(_spread(x, used, len(slope)))[0]},
        ],
    )  # fmt: skip
    assert ends[1] @ slope == pytest.approx(-exact.fun, abs=0.01)


def _spread(x, used, points):
    whole = np.zeros((1, points))
    whole[0, used] = x
    return whole


@given(st.integers(0, 1000), st.integers(2, 4), st.integers(1, 4))
@settings(max_examples=20)
def test_a_tie_broken_at_random_adds_nothing(seed, q, half):
    p = np.random.default_rng(seed).dirichlet(np.ones(q), 4)
    k = 2 * half
    same = as_good_as(MAJORITY, k, q)
    one, other = (answer_shares(p, j, MAJORITY, np.random.default_rng(0))[1] for j in (k, k - 1))
    assert (same == k - 1) == np.allclose(one, other)


@pytest.mark.parametrize("asked", [
    {"scale": "nominal", "coefficient": "fleiss", "weights": "linear"},
    {"scale": "ordinal", "ties": "abstain"},
    {"scale": "interval", "aggregate": "median"},
])  # fmt: skip
def test_agrees_with_split_for_weights_ties_and_medians(asked):
    """What is moved to the data is what the coefficient asked for adds up, not agreement alone."""
    rng = np.random.default_rng(1)
    x = np.clip(np.round(2 + rng.normal(0, 1, (800, 1)) + rng.normal(0, 0.9, (800, 8))), 0, 4).astype(int)
    asked = dict(asked)
    ann = raters.read(x, layout="wide", scale=asked.pop("scale"), labels=list(range(5)))
    for k in (2, 3, 4):
        model = raters.krr(ann, k, method="model", resamples=200, **asked)
        assert model.low < raters.krr(ann, k, method="split", interval=None, **asked).value < model.high


def test_labels_at_random_may_agree_by_chance_alone():
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 4, (150, 6))
        assert raters.krr(nominal(x), 3, method="model", resamples=100).low == 0
