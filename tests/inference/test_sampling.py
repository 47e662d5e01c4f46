"""Units of sampling: clusters of items, raters, both. Each against a brute-force replicate of its definition."""

from itertools import product

import numpy as np
import pytest

import raters
from raters.agree.agreement_spec import request
from raters.agree.estimating import kernel_of, statistic
from raters.inference.resampled_units import ByRater
from raters.items import fold, lift

COEFFICIENTS = ["krippendorff", "fleiss", "gwet", "brennan_prediger", "percent"]


def rows(n_items=40, n_raters=4, seed=0, missing=0.25):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n_items)
    return [
        (f"i{i}", f"r{j}", int(truth[i]) if rng.random() < 0.7 else int(rng.integers(0, 3)), f"d{i % 9}")
        for i, j in product(range(n_items), range(n_raters))
        if rng.random() > missing
    ]


def table(data, scale="nominal"):
    return raters.read(
        [dict(zip(("item", "rater", "label", "doc"), row, strict=True)) for row in data], scale=scale, labels=[0, 1, 2]
    )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_items_as_clusters_are_items(coefficient):
    ann = table(rows())
    for interval in ("delta", "jackknife"):
        plain = raters.agreement(ann, coefficient, interval=interval)
        blocks = raters.agreement(ann, coefficient, interval=interval, cluster="item")
        assert blocks.value == pytest.approx(plain.value, rel=1e-12)
        assert blocks.se == pytest.approx(plain.se, rel=1e-12)


@pytest.mark.parametrize(
    "scale, coefficient", [("nominal", "krippendorff"), ("ordinal", "krippendorff"), ("nominal", "conger")]
)
def test_cluster_jackknife_leaves_out_whole_clusters(scale, coefficient):
    data = rows()
    got = raters.agreement(table(data, scale), coefficient, interval="jackknife", cluster="doc")
    left = np.array(
        [
            raters.agreement(table([r for r in data if r[3] != f"d{k}"], scale), coefficient, interval=None).value
            for k in range(9)
        ]
    )
    assert got.se == pytest.approx(np.sqrt(8 / 9 * ((left - left.mean()) ** 2).sum()), rel=1e-9)
    assert got.sampled == "clusters of doc"


def test_clusters_that_agree_in_themselves_widen_the_interval():
    rng = np.random.default_rng(5)
    data = []
    for doc in range(30):
        good = rng.random() < 0.5
        for i in range(20):
            truth = int(rng.integers(0, 3))
            for j in range(3):
                label = truth if good or rng.random() < 0.2 else int(rng.integers(0, 3))
                data.append((f"{doc}-{i}", f"r{j}", label, f"d{doc}"))
    ann = table(data)
    assert raters.agreement(ann, cluster="doc").se > 2 * raters.agreement(ann).se


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_rater_jackknife_leaves_out_each_rater(scale, coefficient):
    data = rows()
    got = raters.agreement(table(data, scale), coefficient, sample="raters")
    left = np.array(
        [
            raters.agreement(table([r for r in data if r[1] != f"r{j}"], scale), coefficient, interval=None).value
            for j in range(4)
        ]
    )
    assert got.interval == "jackknife"  # fewer than eight raters
    assert got.se == pytest.approx(np.sqrt(3 / 4 * ((left - left.mean()) ** 2).sum()), rel=1e-6)


def brute_fleiss(data, copies):
    """Fleiss' kappa where rater r stands ``copies[r]`` times, and copies of one rater are never compared."""
    observed, shares, n = [], np.zeros(3), 0
    for item in {r[0] for r in data}:
        mine = [(r[1], r[2]) for r in data if r[0] == item for _ in range(copies[r[1]])]
        if not mine:
            continue
        n += 1
        shares += np.bincount([label for _, label in mine], minlength=3) / len(mine)
        pairs = [a == b for (r, a), (s, b) in product(mine, mine) if r != s]
        if pairs:
            observed.append(np.mean(pairs))
    expected = ((shares / n) ** 2).sum()
    return (np.mean(observed) - expected) / (1 - expected)


def test_a_rater_drawn_twice_never_agrees_with_the_copy():
    data = rows(seed=3)
    ann = table(data)
    req = request("fleiss")
    items = fold(ann, group="rater")[None]
    stat = ByRater(req.coefficient, items, kernel_of(req, ann))
    for copies in ([1, 1, 1, 1], [2, 0, 1, 1], [3, 1, 0, 0], [0, 2, 2, 0]):
        got = stat.parts(np.array([copies], float)).value[0]
        assert got == pytest.approx(brute_fleiss(data, dict(zip(items.groups, copies, strict=True))), rel=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_item_weights_with_all_raters_once_are_the_usual_statistic(scale):
    ann = table(rows(seed=4), scale)
    req = request("krippendorff")
    kernel = kernel_of(req, ann)
    items = fold(ann, group="rater")[None]
    items = items.where(np.flatnonzero(lift(items.merged(), kernel).r >= 2))
    weights = (
        np.random.default_rng(0).multinomial(50, np.full(len(items.weight), 1 / len(items.weight)), 7).astype(float)
    )
    usual = statistic(req, items.merged(), kernel, 3).parts(weights)
    both = ByRater(req.coefficient, items, kernel).both(np.ones((7, 4)), weights)
    np.testing.assert_allclose(both.value, usual.value, rtol=1e-9)


def test_both_is_wider_than_items_alone():
    data = rows(200, 20, seed=6, missing=0.6)
    ann = table(data)
    items, both = (raters.agreement(ann, sample=s) for s in ("items", "both"))
    assert both.se > items.se and both.low <= items.low < items.high <= both.high


def test_refusals():
    ann = table(rows())
    with pytest.raises(raters.UsageError, match="describes these particular raters"):
        raters.agreement(ann, "conger", sample="raters")
    with pytest.raises(raters.UsageError, match="keep sample="):
        raters.agreement(ann, cluster="doc", sample="raters")
    with pytest.raises(raters.UsageError, match="se='gwet' is computed over items"):
        raters.agreement(ann, cluster="doc", se="gwet")
    with pytest.raises(raters.UsageError, match="no column 'chapter'"):
        raters.agreement(ann, cluster="chapter")
