"""One figure of a table has one interval, under whatever name and by whichever function it is asked for."""

import numpy as np
import pytest

import raters


def labels(raters_, n_labels=2, items=80, seed=3, **more):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_labels, size=items)
    return [
        {"item": i, "rater": r, "label": "abc"[t if rng.random() < 0.8 else rng.integers(n_labels)], **more}
        for i, t in enumerate(truth)
        for r in raters_
    ]


def limits(e):
    return e.low, e.high, e.se, e.interval


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
@pytest.mark.parametrize("coefficient", ["krippendorff", "gwet", "percent"])
def test_each_of_two_labels_and_of_two_raters_is_the_whole_table(scale, coefficient):
    ann = raters.read(labels("xy"), scale=scale, labels=["a", "b"])
    whole = raters.agreement(ann, coefficient, resamples=200)
    assert np.isfinite(whole.low)
    rows = [
        e for f in (raters.per_label, raters.per_rater, raters.per_pair) for e in f(ann, coefficient, resamples=200)
    ]
    same = [e for e in rows if e.value == pytest.approx(whole.value, rel=1e-9)]
    assert len(same) >= 3 and {limits(e) for e in same} == {limits(whole)}


def test_one_of_three_labels_has_an_interval_of_its_own():
    ann = raters.read(labels("xy", n_labels=3), scale="nominal")
    whole = raters.agreement(ann, resamples=200)
    assert all(limits(e) != limits(whole) for e in raters.per_label(ann, resamples=200))


@pytest.mark.parametrize("irr", ["krippendorff", "cohen"])
def test_agreement_within_a_pool_is_that_of_the_pool_alone(irr):
    one, two = labels("uv", pool="x"), labels("wz", seed=5, pool="y")
    tables = [raters.read(rows, item="item", rater="rater", label="label", scale="nominal") for rows in (one, two)]
    found = raters.xrr(*tables, irr=irr, resamples=200)
    for e, ann in zip((found.irr_x, found.irr_y), tables, strict=True):
        assert limits(e) == limits(raters.agreement(ann, irr, resamples=200)), e.name
    whole = raters.read(one + two, item="item", rater="rater", label="label", scale="nominal")
    beside = raters.xrr(whole, pool="pool", irr=irr, resamples=200)
    assert limits(beside.irr_x) == limits(found.irr_x) and limits(beside.irr_y) == limits(found.irr_y)
