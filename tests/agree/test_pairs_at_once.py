"""All pairs of raters at once give what each pair alone gives."""

import dataclasses

import numpy as np
import pytest

import raters
from raters.agree import agreement as slices
from raters.coefficients import REGISTRY

ALL = raters.simulate.labels(60, 6, 3, accuracy=[0.9, 0.8, 0.7, 0.6, 0.5, 0.4], missing=0.3, seed=2).columns()


def same(one, other):
    for a, b in zip(one, other, strict=True):
        x, y = dataclasses.asdict(a), dataclasses.asdict(b)
        for name in x:
            number = isinstance(x[name], float)
            assert x[name] == (pytest.approx(y[name], rel=1e-12, abs=1e-14, nan_ok=True) if number else y[name]), name


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize(
    "name", ["krippendorff", "cohen", "percent", "scott", "gwet", "brennan_prediger", "bangdiwala"]
)
def test_as_each_pair_alone(monkeypatch, scale, name):
    ann = raters.read(ALL, scale=scale)
    if name == "bangdiwala" and scale != "nominal":
        return
    quick = raters.per_pair(ann, name, interval=None)
    assert len(quick) == 15 and name in REGISTRY
    monkeypatch.setattr(slices, "pairs_at_once", lambda *_: {})
    same(quick, raters.per_pair(ann, name, interval=None))


def test_a_pair_without_a_value_says_why(monkeypatch):
    rows = [(i, r, "x" if r != "c" else "xy"[i % 2]) for i in range(5) for r in "abc"]
    ann = raters.read(rows, scale="nominal")
    quick = raters.per_pair(ann, "krippendorff", interval=None)
    assert np.isnan(quick[0].value) and "every label is 'x'" in quick[0].warnings[-1]
    monkeypatch.setattr(slices, "pairs_at_once", lambda *_: {})
    same(quick, raters.per_pair(ann, "krippendorff", interval=None))


def test_repeats_and_intervals_go_the_longer_way():
    ann = raters.read(ALL, scale="nominal")
    req, kernel, items = slices._by_rater(ann, "cohen", {"interval": "delta"})
    assert slices.pairs_at_once(req, items, kernel, [(0, 1)], ()) == {}
    twice = dataclasses.replace(items, counts=items.counts * 2)
    req, kernel, _ = slices._by_rater(ann, "cohen", {"interval": None})
    assert slices.pairs_at_once(req, twice, kernel, [(0, 1)], ()) == {}
    assert slices.pairs_at_once(req, items, kernel, [(0, 1)], ())
