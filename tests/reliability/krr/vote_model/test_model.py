"""The method ``model`` of kRR: the mixing distribution, what it determines, and what it leaves open."""

import gzip
import json

import numpy as np
import pytest
from vote_models import MAJORITY

import raters
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.simplex import answer_shares, lattice

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
    curve = raters.krr_curve(nominal(dices), [1, 5, 31, 61], method="split", replications=120, interval=None)
    assert [e.value for e in curve] == pytest.approx(TRUTH[[0, 2, 5, 6]], abs=0.009)


@pytest.mark.shared
@pytest.mark.long("coverage")
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


SHORT = ("two labels, skewed", "true labels and noise", "four labels, few an item")


@pytest.mark.parametrize(
    "case", [case if case in SHORT else pytest.param(case, marks=pytest.mark.long("coverage")) for case in CASES]
)
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
@pytest.mark.long("coverage")
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


@pytest.mark.long("coverage")
def test_range_contains_the_truth_of_sharp_kinds():
    """Items of three kinds, seven labels in ten right: no smooth distribution, and still one that the data allow."""
    truth = 0.886
    inside = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        p = 0.55 * np.eye(3)[rng.integers(0, 3, 350)] + 0.15
        e = raters.krr(labels_of(rng, p, 8), 9, method="model")
        assert e.value < truth + 0.005
        inside.append(e.low < truth < e.high + 0.005)
    assert sum(inside) >= 6


@pytest.mark.long("coverage")
def test_range_contains_the_truth_of_sharp_kinds_with_many_labels():
    """Moments of such items lie at the edge of what points can show, where noise puts them outside."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p = 0.5 * np.eye(5)[rng.integers(0, 5, 300)] + 0.1
        e = raters.krr(labels_of(rng, p, 10), 9, method="model")
        assert e.low < 0.857 < e.high and e.high - e.low < 0.2


@pytest.mark.long("coverage")
def test_ordinal_medians_of_seven_labels():
    rng = np.random.default_rng(4)
    p = np.exp(-((np.arange(7) - rng.uniform(0, 6, (500, 1))) ** 2) / 2)
    x = (rng.random((500, 6, 1)) > np.cumsum(p / p.sum(1, keepdims=True), 1)[:, None, :-1]).sum(-1)
    ann = raters.read(x, layout="wide", scale="ordinal", labels=list(range(7)))
    models = raters.krr_curve(ann, [1, 3], method="model", resamples=300)
    splits = raters.krr_curve(ann, [1, 3], method="split", interval=None)
    for model, split in zip(models, splits, strict=True):
        assert model.low < split.value < model.high


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


def test_misfit_is_seen():
    """Two raters who always differ: no bag of independent labels does that."""
    x = np.array([[0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]] * 60)
    assert raters.krr(nominal(x), 3, method="model", interval=None).details["fit_p"] < 0.01  # of 2: agreement itself


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
    models = raters.krr_curve(ann, [2, 3, 4], method="model", resamples=200, **asked)
    splits = raters.krr_curve(ann, [2, 3, 4], method="split", interval=None, **asked)
    for model, split in zip(models, splits, strict=True):
        assert model.low < split.value < model.high


def test_labels_at_random_may_agree_by_chance_alone():
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 4, (150, 6))
        assert raters.krr(nominal(x), 3, method="model", resamples=100).low == 0
