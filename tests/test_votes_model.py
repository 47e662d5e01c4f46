"""The method ``model`` of kRR: the mixing distribution, what it determines, and what it leaves open."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raters
from raters.reliability.aggregates import Aggregate, majority, median
from raters.reliability.mixture import Mixture, em_steps, lattice, likelihood_of, npmle, squared_em, support_points
from raters.reliability.votes import answer_shares

MAJORITY = Aggregate("majority", "random", shares=majority)
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
}


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
            at = m.extreme(sign * (one**2).sum(1), 1.92)
            assert m.log_likelihood(at) >= -1.93
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
    monkeypatch.setattr("raters.reliability.votes.MOST_CELLS", 0)
    drawn, _ = answer_shares(p, 9, MAJORITY, np.random.default_rng(1))
    assert drawn.mean(0) == pytest.approx(exact.mean(0), abs=0.004)


def table(seed, q=3, n=6, items=200):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.full(q, 0.6), items)).astype(float)
    rows, weight = np.unique(counts, axis=0, return_counts=True)
    return rows, weight.astype(float)


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=15)
def test_em_never_decreases_and_newton_finds_the_maximum(seed, q):
    counts, weight = table(seed, q)
    points = support_points(counts, weight, np.random.default_rng(seed))
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
    m = Mixture(counts, weight, support_points(counts, weight, np.random.default_rng(0)))
    assert -1.93 < m.log_likelihood(m.fitted[0]) <= 0
    assert m.log_likelihood(m.maximum) == pytest.approx(0, abs=1e-6)
    assert (m.fitted[0] > 1e-6).sum() > (m.maximum > 1e-6).sum()


def test_bootstrap_refits_have_the_spread_of_exact_ones():
    counts, weight = table(1, 2, 8, 500)
    m = Mixture(counts, weight, support_points(counts, weight, np.random.default_rng(0)))
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
