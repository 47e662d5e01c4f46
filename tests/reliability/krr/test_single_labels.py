"""One label, and a vote of two: the agreement of the table itself, whatever the seed."""

import numpy as np
import pytest
from ratings import wide

import raters
from raters import examples


def table(scale, seed=0, values=4, items=60, each=6):
    rng = np.random.default_rng(seed)
    at = rng.normal(size=(items, 1)) + rng.normal(size=(items, each))
    return wide(np.clip(np.round(at + values / 2), 1, values), scale)


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
@pytest.mark.parametrize("method", [None, "split", "model"])
@pytest.mark.parametrize("seed", [0, 7])
def test_one_label_is_the_agreement_of_the_table_with_its_interval(scale, method, seed):
    ann = table(scale)
    alpha = raters.agreement(ann, resamples=200, seed=seed)
    one = raters.krr(ann, 1, method=method, resamples=200, seed=seed)
    assert one.value == pytest.approx(alpha.value, abs=1e-9)
    assert (one.low, one.high, one.se) == pytest.approx((alpha.low, alpha.high, alpha.se), abs=1e-9)


@pytest.mark.parametrize("coefficient", ["fleiss", "gwet"])
def test_of_any_coefficient(coefficient):
    ann = table("nominal")
    for method in ("split", "model"):
        one = raters.krr(ann, 1, method=method, coefficient=coefficient, interval=None)
        assert one.value == pytest.approx(raters.agreement(ann, coefficient, interval=None).value, abs=1e-9)


def test_one_mean_is_the_rating():
    ann = table("interval")
    by_split = raters.krr(ann, 1, method="split", aggregate="mean", interval=None).value
    assert by_split == pytest.approx(raters.agreement(ann, interval=None).value, abs=1e-9)
    by_icc = raters.krr(ann, 1, method="icc", interval=None).value
    assert by_icc == pytest.approx(raters.icc(ann)["ICC(1)"].value, abs=1e-9)
    stepped = raters.krr(ann, 1, method="spearman_brown", coefficient="fleiss", interval=None).value
    assert stepped == pytest.approx(raters.agreement(ann, "fleiss", interval=None).value, abs=1e-9)


def test_a_vote_of_two_with_a_random_tie_is_one_label():
    ann = examples.fleiss_1971()
    one, two = (raters.krr(ann, k, resamples=200) for k in (1, 2))
    assert (two.value, two.low, two.high) == (one.value, one.low, one.high)
    assert raters.krr(ann, 2, ties="first", interval=None).value != one.value


def test_the_error_of_the_draws_is_stated_and_far_below_the_interval():
    ann = table("nominal", items=80)
    e = raters.krr(ann, 3, resamples=200)
    error = e.details["drawing_error"]
    assert 0 < error < (e.high - e.low) / 20
    few = table("nominal", items=30)
    others = [raters.krr(few, 3, seed=s, replications=60, interval=None) for s in range(16)]
    seen = np.std([o.value for o in others], ddof=1)
    assert np.mean([o.details["drawing_error"] for o in others]) == pytest.approx(seen, rel=0.6)


def test_the_median_of_two_numbers_is_their_mean():
    """k = 2 of ordinal numbers by split, against every division of an item's labels written out."""
    from itertools import permutations

    rng = np.random.default_rng(3)
    rows = np.clip(np.round(rng.normal(3, 1, (25, 1)) + rng.normal(0, 1, (25, 4))), 1, 5)
    found = raters.krr(wide(rows, "ordinal"), 2, replications=4000, interval=None)
    pairs = [
        ((r[a] + r[b]) / 2, (r[c] + r[d]) / 2, i) for i, r in enumerate(rows) for a, b, c, d in permutations(range(4))
    ]
    values = sorted({x for p in pairs for x in p[:2]})
    margin = np.array([sum(int(p[0] == v) + int(p[1] == v) for p in pairs) for v in values]) / len(pairs) * len(rows)
    rank = dict(zip(values, np.cumsum(margin) - margin / 2, strict=True))
    observed = np.mean([(rank[a] - rank[b]) ** 2 for a, b, _ in pairs])
    n, r = margin.sum(), np.array([rank[v] for v in values])
    expected = 2 * (n * (margin @ r**2) - (margin @ r) ** 2) / (n * (n - 1))
    assert found.value == pytest.approx(1 - observed / expected, abs=0.01)
    assert found.value > raters.krr(wide(rows, "ordinal"), 1, interval=None).value + 0.02


def test_the_model_and_the_split_agree_on_the_median_of_two():
    ann = table("ordinal", items=400, each=8)
    by = {m: raters.krr(ann, 2, method=m, interval=None).value for m in ("split", "model")}
    assert by["model"] == pytest.approx(by["split"], abs=0.02)
