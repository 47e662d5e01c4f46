"""Alpha with absolute differences: figures of two own forms, and of irrCAC with linear weights; and for very many
values.
"""

import csv
import json
import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import ask, same

import raters
from raters import examples
from raters.scales import distance_kernel

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def alpha(ann, **options):
    return raters.agreement(ann, distance="absolute", **{"interval": None, **options})


def test_small_tables():
    e = alpha(examples.four_raters("interval"))
    assert same(e.observed, ".2666666667") and same(e.expected, "1.335897436") and same(e.value, ".8003839")
    assert e.parts == "disagreement" and e.weights == "absolute"
    e = alpha(raters.read(SHROUT_FLEISS, layout="wide", scale="interval"))
    assert same(e.observed, "3.083333333") and same(e.expected, "3.155797101") and same(e.value, ".0229621")


@pytest.mark.shared
def test_larger_tables(data_dir, oracles_dir):
    b30 = json.loads((oracles_dir / "more.json").read_text())["icc_reml"]["b30"]["data"]
    lesion = json.loads((data_dir / "alt-test" / "lesion" / "human_annotations.json").read_text())
    wordsim = []
    for part in ("set1", "set2"):
        head, *rows = csv.reader((data_dir / "wordsim353" / f"{part}.csv").read_text().splitlines())
        for i, row in enumerate(rows):
            wordsim += [(f"{part} {i}", f"{part} {r}", float(v)) for r, v in zip(head[3:], row[3:], strict=True) if v]
    anger = raters.read(
        data_dir / "snow2008" / "anger.standardized.tsv",
        item="orig_id",
        rater="!amt_worker_ids",
        label="response",
        scale="interval",
        duplicates="keep",
    )
    tables = {
        ".4863014": raters.read(b30, scale="interval"),
        ".5746155": raters.read(
            [(i, r, v) for r, given_ in lesion.items() for i, v in given_.items() if v is not None], scale="interval"
        ),
        ".3720183": raters.read(wordsim, scale="interval"),
        ".2801868": anger,
    }
    for printed, ann in tables.items():
        assert same(alpha(ann).value, printed)


def loops(rows):
    """D_o and D_e, pair by pair."""
    by_item = {}
    for item, _, value in rows:
        by_item.setdefault(item, []).append(value)
    bags = [b for b in by_item.values() if len(b) > 1]
    every = [v for b in bags for v in b]
    n = len(every)
    observed = sum(abs(x - y) / (len(b) - 1) for b in bags for x, y in permutations(b, 2)) / n
    return observed, sum(abs(x - y) for x, y in permutations(every, 2)) / (n * (n - 1))


CELLS = st.lists(st.lists(st.sampled_from([0.0, 0.5, 2.0, 7.0, 7.25]), min_size=2, max_size=4), min_size=2, max_size=7)


@settings(max_examples=60)
@given(CELLS)
def test_against_loops_and_equal_to_linear_weights(cells):
    rows = [(i, j, v) for i, row in enumerate(cells) for j, v in enumerate(row)]
    labels = [0.0, 0.5, 2.0, 7.0, 7.25]
    e = ask(rows, labels, "krippendorff", "interval", distance="absolute", interval="delta")
    assert (e.observed, e.expected) == pytest.approx(loops(rows), abs=1e-12)
    linear = ask(rows, labels, "krippendorff", "interval", weights="linear", interval="delta")
    assert e.value == pytest.approx(linear.value, abs=1e-12, nan_ok=True)
    assert e.se == pytest.approx(linear.se, abs=1e-9, nan_ok=True)


@settings(max_examples=40)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12, unique=True), st.randoms())
def test_the_form_stands_for_its_matrix(values, random):
    x = np.array(random.sample(values, len(values)))
    few, many = (distance_kernel("absolute", x, tuple(x), dense=d) for d in (100, 0))
    rng = np.random.default_rng(len(x))
    s, t = rng.random((3, len(x))), rng.random((3, len(x)))
    for a, b in ((s, t), (s + 1j * t, t), (s[0], t[0])):
        np.testing.assert_allclose(many.product(a, b), few.product(a, b), rtol=1e-12, atol=1e-9)
    i, j = rng.integers(0, len(x), (2, 5))
    np.testing.assert_allclose(many.form[i, j], few.form[i, j])
    assert many.total == pytest.approx(few.total, rel=1e-12, abs=1e-9) and many.form.shape == few.form.shape


def numbers(n_items, n_raters=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(50, 10, n_items)[:, None] + rng.normal(0, 4, (n_items, n_raters))


@pytest.mark.parametrize("coefficient", ["krippendorff", "iota", "conger", "fleiss", "light"])
@pytest.mark.parametrize("interval", ["delta", "bootstrap", "jackknife", "bca"])
def test_many_values_give_what_a_matrix_gives(coefficient, interval):
    ann = raters.read(numbers(90).round(2), layout="wide", scale="interval")
    assert len(ann.labels) > 200
    x = np.array(ann.labels)
    options = {"interval": interval, "resamples": 100}
    one = raters.agreement(ann, coefficient, distance="absolute", **options)
    other = raters.agreement(ann, coefficient, distance=np.abs(x[:, None] - x), **options)
    for part in ("value", "observed", "expected", "se", "low", "high"):
        assert getattr(one, part) == pytest.approx(getattr(other, part), rel=1e-8), part


def test_pools_and_raters_drawn_anew_work_without_the_matrix():
    table = numbers(80, 4).round(2)
    rows = [
        {"item": i, "rater": j, "label": float(v), "pool": "xy"[j % 2]}
        for i, row in enumerate(table)
        for j, v in enumerate(row)
    ]
    ann = raters.read(rows, scale="interval")
    x = np.array(ann.labels)
    for call in (
        lambda d: raters.agreement(ann, distance=d, sample="raters"),
        lambda d: raters.xrr(ann, pool="pool", distance=d, interval="delta", permutations=20).kappa_x,
    ):
        one, other = call("absolute"), call(np.abs(x[:, None] - x))
        assert (one.value, one.se) == pytest.approx((other.value, other.se), rel=1e-8)


def test_thirty_thousand_different_values_take_seconds():
    """A table of values by values would have 7 GB, and a step in every sum would take a quarter of an hour."""
    table = numbers(10_000)
    ann = raters.read(table, layout="wide", scale="interval")
    assert len(ann.labels) == 30_000
    start = time.perf_counter()
    e = alpha(ann, interval="delta")
    assert time.perf_counter() - start < 20
    flat = np.sort(table.ravel())
    n = len(flat)
    expected = 2 * float((2 * np.arange(1, n + 1) - n - 1) @ flat) / (n * (n - 1))
    observed = float(np.abs(table[:, :, None] - table[:, None, :]).sum() / 2 / n)
    assert (e.observed, e.expected, e.value) == pytest.approx((observed, expected, 1 - observed / expected), rel=1e-10)
    assert e.low < e.value < e.high and e.se == pytest.approx(0.0035, abs=0.002)


def test_a_gross_error_moves_it_less_than_squares():
    table = numbers(200).round(1)
    spoiled = table.copy()
    spoiled[0, 0] = 900.0
    moved = [
        raters.agreement(raters.read(table, layout="wide", scale="interval"), distance=d, interval=None).value
        - raters.agreement(raters.read(spoiled, layout="wide", scale="interval"), distance=d, interval=None).value
        for d in ("absolute", "interval")
    ]
    assert 0 < moved[0] < moved[1] / 5
