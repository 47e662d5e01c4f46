"""k-rater reliability by six methods, against each other and against the truth."""

import numpy as np
import pytest
from ratings import replications, wide

import raters
from raters import examples
from raters.errors import DataError, UsageError


@pytest.mark.parametrize("labels", [2, 3, 6])
def test_split_model_and_empirical_against_the_truth(labels):
    """1,000 items, 8 labels each from a known distribution: bias under .01 of the reliability of these items' votes."""
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.full(labels, 0.7), 1000)
        cumulative = np.cumsum(p, 1)[:, None, :-1]
        x, y = ((rng.random((1000, 8, 1)) > cumulative).sum(-1) for _ in range(2))
        truth = true_votes(p, 3)
        ann, other = wide(x, "nominal"), wide(y, "nominal")
        found = [raters.krr(ann, 3, method=m, interval=None).value for m in ("split", "model")]
        found.append(raters.krr(ann, 3, against=other, draw="items", interval=None).value)
        errors.append(np.array(found) - truth)
    # the mean of five samples has a standard error of about .004
    assert np.abs(np.mean(errors, 0)).max() < 0.01


def true_votes(p, k):
    """Alpha of the majority of k, ties at random, by brute force over all ordered draws."""
    q = p.shape[1]
    draws = np.stack(np.meshgrid(*[np.arange(q)] * k, indexing="ij"), -1).reshape(-1, k)
    counts = np.stack([(draws == c).sum(1) for c in range(q)], 1)
    tied = counts == counts.max(1, keepdims=True)
    answer = (p[:, draws].prod(-1)) @ (tied / tied.sum(1, keepdims=True))
    return 1 - (1 - (answer**2).sum(1).mean()) / (1 - (answer.mean(0) ** 2).sum())


def test_k_of_one_is_agreement():
    ann = examples.fleiss_1971()
    alpha = raters.agreement(ann, interval=None).value
    assert raters.krr_curve(ann, [1], interval=None)[0].value == pytest.approx(alpha)
    assert raters.krr(ann, 1, method="split", interval=None).value == pytest.approx(alpha, abs=1e-9)


def test_split_by_enumeration():
    """Fleiss' table, k = 3: every division of the six labels of an item, written out."""
    from itertools import combinations

    rows = [[int(c) - 1 for c in word] for word in examples.FLEISS_1971.split()]
    for k in (3,):
        pairs = np.zeros((len(rows), 5, 5))
        for i, row in enumerate(rows):
            both = [(*a, *(set(range(6)) - set(a))) for a in combinations(range(6), 3)]
            for at in both:
                a, b = vote([row[j] for j in at[:k]]), vote([row[j] for j in at[k : 2 * k]])
                pairs[i] += np.outer(a, b) / len(both)
        margin = pairs.sum((0, 2)) + pairs.sum((0, 1))
        n = margin.sum()
        expected = 1 - (margin @ margin - n) / (n * (n - 1))
        alpha = 1 - (1 - np.trace(pairs.mean(0))) / expected
        found = raters.krr(examples.fleiss_1971(), k, method="split", replications=6000, interval=None)
        assert found.value == pytest.approx(alpha, abs=0.006)


def vote(labels):
    counts = np.bincount(labels, minlength=5)
    tied = counts == counts.max()
    return tied / tied.sum()


@pytest.mark.parametrize("coefficient", ["gwet", "cohen", "percent"])
def test_any_coefficient(coefficient):
    e = raters.krr(examples.fleiss_1971(), 3, coefficient=coefficient, resamples=200)
    assert e.low < e.value < e.high <= 1
    model = raters.krr(examples.fleiss_1971(), 3, coefficient=coefficient, method="model", resamples=200)
    assert model.value == pytest.approx(e.value, abs=0.08)
    beside = any(n.code == "one_label_alone" for n in e.notes)
    assert beside == (coefficient != "cohen")  # which compares two aggregates, but not the labels of six raters


def test_scales_and_aggregates():
    ann = examples.hayes_krippendorff_2007()
    ordinal = raters.krr(ann, 2, resamples=200)
    assert ordinal.details["aggregate"] == "median" and "37 of 40 items" in ordinal.warnings[0]
    assert raters.krr(ann, 2, method="model", resamples=200).value == pytest.approx(ordinal.value, abs=0.06)
    ratio = examples.hayes_krippendorff_2007("ratio")
    assert 0 < raters.krr(ratio, 2, method="split", interval=None).value < 1
    assert raters.krr(ratio, 2, aggregate="median", method="split", interval=None).details["aggregate"] == "median"
    own = raters.krr(ann, 2, aggregate=lambda x: x.max(1), interval=None)
    assert 0 < own.value < 1
    first = raters.krr(examples.fleiss_1971(), 3, aggregate=lambda x: x[:, 0], interval=None)
    assert first.value == pytest.approx(raters.agreement(examples.fleiss_1971(), interval=None).value, abs=0.02)


def test_ties():
    rows = wide([[0, 0, 1, 1]] * 10 + [[0, 0, 0, 0]] * 10 + [[1, 1, 1, 1]] * 10, "nominal")
    values = {t: raters.krr(rows, 2, ties=t, interval=None).value for t in ("random", "first", "last", "abstain")}
    assert values["abstain"] > values["random"]
    assert raters.krr(rows, 2, interval=None).details["aggregate"] == "majority (ties random)"
    with pytest.raises(UsageError, match="ties="):
        raters.krr(rows, 2, ties="coin")


def test_unequal_numbers_are_normal():
    rng = np.random.default_rng(2)
    p = rng.beta(0.5, 0.5, 400)
    rows = [(i, j, int(rng.random() < p[i])) for i in range(400) for j in range(rng.integers(1, 9))]
    ann = raters.read(rows, scale="nominal")
    split, model = (raters.krr(ann, 3, method=m, resamples=300) for m in ("split", "model"))
    assert "items that have at least 6 labels" in split.warnings[0]
    assert model.n_items == 400 and split.n_items < 400
    assert model.low < split.value < model.high
    assert raters.krr(ann, interval=None).details["k"] in (4, 5)


def test_second_replication():
    x, y = replications(30, 4)
    with pytest.raises(DataError, match="no item in common"):
        raters.krr(
            raters.read([("a", 1, 1.5), ("a", 2, 2)], scale="interval"),
            2,
            against=raters.read([("b", 1, 1.5), ("b", 2, 2)], scale="interval"),
        )
    with pytest.raises(UsageError, match="different scales"):
        raters.krr(wide(x), 2, against=wide(y.round(), "ordinal"))
    with pytest.raises(DataError, match="empirical allows k up to 4"):
        raters.krr(wide(x), 5, against=wide(y))
    part = raters.krr(wide(x), 2, against=wide(y[:20]), resamples=200)
    assert part.n_items == 20 and "20 of 30 items" in part.warnings[0]


def test_the_same_seed_gives_the_same_figures():
    ann = examples.fleiss_1971()
    a, b = (raters.krr(ann, 3, seed=7, resamples=200) for _ in range(2))
    assert a == b and a != raters.krr(ann, 3, seed=8, resamples=200)
    assert {"k", "method", "aggregate", "extrapolated"} <= set(a.to_dict())


@pytest.mark.parametrize("q", [2, 3, 4])
def test_the_model_is_of_the_items_behind_the_sample(q):
    """Labels that are all noise have reliability 0; alpha's small-sample term would put 1 / (2 items) beneath every
    figure.
    """
    rng = np.random.default_rng(q)
    ann = wide(rng.integers(0, q, (20, 6)), "nominal")
    e = raters.krr(ann, 9, method="model")
    assert e.details["extrapolated"] and e.low < 0.005
    # 1 - Do / De of the parts that are shown, and De from margins alone
    assert e.value == pytest.approx((e.observed - e.expected) / (1 - e.expected), abs=1e-5)
    assert e.expected >= 1 / q - 1e-6


def test_two_way_forms_say_which_items_they_use():
    x = np.random.default_rng(2).normal(size=(20, 4))
    x[3, 1] = np.nan
    e = raters.krr(wide(x), 4, form="ICC(A,1)", resamples=100)
    assert e.n_items == 19 and "19 of 20 items that all 4 raters rated" in e.warnings[0]


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_numbers_by_the_model_at_any_k(aggregate):
    rng = np.random.default_rng(8)
    x = np.clip(np.round(3 + rng.normal(size=(300, 1)) + rng.normal(0, 0.9, (300, 10))), 1, 5)
    ann = wide(x.astype(int))
    curves = (raters.krr_curve(ann, [2, 5], aggregate=aggregate, method=m, resamples=200) for m in ("model", "split"))
    for model, split in zip(*curves, strict=True):
        assert model.low < split.value < model.high
    far = raters.krr(ann, 10**6, aggregate=aggregate, method="model")
    assert 0.9 < far.value <= 1 and far.high == pytest.approx(1, abs=0.01)


def test_one_label_stands_beside_k():
    """What the paper advises: the reliability of single labels next to that of the aggregate."""
    from raters import examples

    ann = examples.fleiss_1971()
    three = raters.krr(ann, k=3, resamples=100)
    one = raters.krr_curve(ann, ks=[1, 3], resamples=100)[0]
    (note,) = [n for n in three.notes if n.code == "one_label_alone"]
    assert note.facts["value"] == one.value and f"one label alone: {one.value:.4f} (95% interval" in str(three)
    assert not any(n.code == "one_label_alone" for n in raters.krr(ann, k=1, resamples=100).notes)
    rng = np.random.default_rng(0)
    numbers = [
        (i, f"r{j}", float(x + y)) for i, x in enumerate(rng.normal(size=40)) for j, y in enumerate(rng.normal(size=4))
    ]
    mean = raters.krr(raters.read(numbers, scale="interval"), k=4, interval=None)
    (note,) = [n for n in mean.notes if n.code == "one_label_alone"]
    assert note.facts["value"] == pytest.approx(
        raters.icc(raters.read(numbers, scale="interval"), interval=None)["ICC(1)"].value
    )
