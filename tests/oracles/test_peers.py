"""Mistakes of other packages that we must not share; docs/coming-from.md lists them. No peer is needed here."""

import subprocess
import sys
import textwrap
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raters
from raters import examples

NAN = float("nan")


def value(ann: raters.Annotations, name: str = "krippendorff", **options: Any) -> float:
    found = raters.agreement(ann, name, interval=None, **options)
    assert isinstance(found, raters.results.Estimate)
    return found.value


def wide(rows: Any, scale: str = "nominal", **options: Any) -> raters.Annotations:
    return raters.read(rows, layout="wide", scale=scale, **options)


def alpha(rows: list[list[Any]], distance: Any) -> float:
    """Alpha from its definition: every ordered pair of labels of an item, and of the whole table."""
    items = [[x for x in row if x is not None] for row in rows]
    items = [row for row in items if len(row) > 1]
    pool = [x for row in items for x in row]
    seen = sum(sum(distance(x, y) for x, y in permutations(row, 2)) / (len(row) - 1) for row in items) / len(pool)
    return 1 - seen / (sum(distance(x, y) for x, y in permutations(pool, 2)) / (len(pool) * (len(pool) - 1)))


def different(x: Any, y: Any) -> float:
    return float(x != y)


def test_a_slider_on_10_000_items_needs_no_table_of_values_by_values() -> None:
    code = """
    import resource, numpy as np, raters
    x = np.random.default_rng(0).integers(0, 101, (10_000, 5))
    raters.agreement(raters.read(x[:50], layout="wide", scale="interval"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    raters.agreement(raters.read(x, layout="wide", scale="interval"), interval="delta")
    raters.agreement(raters.read(x, layout="wide", scale="ordinal"), interval="delta")
    raters.agreement(raters.read(x, layout="wide", scale="nominal"), interval="delta")
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """
    got = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    items_by_values_by_values = 10_000 * 101 * 101 * 8 / 2**20
    assert int(got.stdout) < 300 < items_by_values_by_values


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int64"])
def test_counts_do_not_wrap_around(dtype: str) -> None:
    counts = np.array([[96, 1]] * 5 + [[1, 96]] * 5, dtype=dtype)
    rows = [[0] * int(a) + [1] * int(b) for a, b in counts]
    assert value(raters.read(counts, layout="counts")) == pytest.approx(alpha(rows, different), abs=1e-12)


def test_more_raters_than_a_byte_can_count() -> None:
    x = np.zeros((6, 300), dtype=np.uint8)
    x[3:] = 1
    x[0, :7] = 1
    assert value(wide(x)) == pytest.approx(alpha(x.tolist(), different), abs=1e-12)
    shares = np.array([[293, 7], [300, 0], [300, 0], [0, 300], [0, 300], [0, 300]])
    observed = np.mean((shares * (shares - 1)).sum(1) / (300 * 299))
    expected = ((shares.sum(0) / shares.sum()) ** 2).sum()
    assert value(wide(x), "fleiss") == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)


@pytest.mark.parametrize("name", ["nan", "NaN", "NA", "None", "null"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_a_label_that_reads_like_missing_is_a_label(name: str, as_frame: bool) -> None:
    rows = [[name, name], [name, "yes"], ["yes", "yes"], ["no", "no"], ["no", "yes"]]
    source = pd.DataFrame(rows, columns=["ann", "bob"]) if as_frame else rows
    ann = wide(source)
    assert name in ann.labels and ann.n_annotations == 10 and not ann.dropped
    assert value(ann) == pytest.approx(alpha(rows, different), abs=1e-12)
    assert value(ann) == value(wide([[x.replace(name, "naan") for x in row] for row in rows]))


def test_the_scale_of_a_distance_cancels_out() -> None:
    rows = [[1, 1], [2, 2], [3, 3], [4, 5], [5, 5], [1, 1], [2, 3], [3, 3]]
    for coefficient in ("cohen", "krippendorff", "fleiss"):
        one, four = (
            value(wide(rows, "ordinal"), coefficient, distance=lambda x, y, s=scale: abs(x - y) / s) for scale in (1, 4)
        )
        assert one == pytest.approx(four, abs=1e-12)
    observed = np.mean([abs(x - y) for x, y in rows])
    expected = np.mean([abs(x - y) for x, _ in rows for _, y in rows])
    linear = value(wide(rows, "ordinal"), "cohen", weights="linear")
    assert linear == pytest.approx(1 - observed / expected, abs=1e-12) == 0.84


@pytest.mark.parametrize("coefficient", ["conger", "light", "hubert", "fleiss", "gwet", "krippendorff"])
def test_a_missing_label_is_no_reason_to_fail(coefficient: str) -> None:
    ann = wide([[1, 1, 1], [2, 2, 2], [1, 1, 2], [2, 1, None], [1, 1, 1]])
    assert 0 < value(ann, coefficient) < 1
    assert ann.dropped == {"missing label": 1}


def test_numbers_are_ordered_as_numbers(tmp_path: Any) -> None:
    pairs = [(1, 1), (2, 2), (10, 10), (9, 10), (3, 3), (1, 2), (10, 9), (5, 5), (7, 7), (8, 8)]
    file = tmp_path / "labels.csv"
    file.write_text("item,rater,label\n" + "".join(f"{i},a,{x}\n{i},b,{y}\n" for i, (x, y) in enumerate(pairs)))
    read = raters.read(file, scale="ordinal")
    assert read.labels == (1, 2, 3, 5, 7, 8, 9, 10)
    observed = np.mean([(x - y) ** 2 for x, y in pairs])
    expected = np.mean([(x - y) ** 2 for x, _ in pairs for _, y in pairs])
    assert value(read, "cohen", weights="quadratic") == pytest.approx(1 - observed / expected, abs=1e-12)
    assert value(read, "cohen", weights="quadratic") > 0.98
    # text must say its order: nothing is sorted behind anybody's back
    with pytest.raises(raters.DataError, match="needs their order"):
        wide([["1st", "10th"], ["2nd", "2nd"]], "ordinal")


@pytest.mark.parametrize("source", [np.array, pd.DataFrame, lambda rows: rows])
def test_nan_is_never_a_category(source: Any) -> None:
    rows = [[1, 1, NAN], [2, 2, 2], [1, NAN, 1], [2, 1, 2], [1, 1, 1], [2, 2, NAN], [1, 2, NAN], [2, 2, 2]]
    ann = wide(source(rows))
    assert ann.labels == (1, 2) and ann.n_annotations == 20
    known = [[x for x in row if x == x] for row in rows]
    agree = np.mean([np.mean([x == y for x, y in permutations(row, 2)]) for row in known])
    share = np.mean([np.mean([x == 1 for x in row]) for row in known])
    chance = share**2 + (1 - share) ** 2
    assert value(ann, "fleiss") == pytest.approx((agree - chance) / (1 - chance), abs=1e-12)
    assert value(ann) == pytest.approx(alpha(known, different), abs=1e-12)


def test_weights_follow_the_values_of_labels() -> None:
    rows = [[1, 1], [0, 0], [0, 1], [1, 10], [10, 10], [10, 10], [10, 1], [1, 1]]
    for scale in ("ordinal", "interval"):
        assert value(wide(rows, scale), "cohen", weights="quadratic") == pytest.approx(0.50, abs=0.005)
    by_rank = value(wide(rows, "ordinal"), "cohen", weights="quadratic", weights_by="position")
    assert by_rank == pytest.approx(0.65, abs=0.005)


def test_nothing_is_rounded() -> None:
    found = raters.agreement(wide([[1, 1], [2, 2], [3, 3], [3, 3], [2, 2], [1, 2], [3, 3]]), "gwet", interval="delta")
    assert found.value == pytest.approx(15 / 19, abs=1e-15)
    for number in (found.value, found.low, found.se, found.observed, found.expected):
        assert isinstance(number, float) and abs(number - round(number, 5)) > 1e-9
    assert found.to_dict()["low"] == found.low
    limits = next(iter(raters.icc(wide([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]], "interval"))))
    assert isinstance(limits.low, float) and abs(limits.low - round(limits.low, 2)) > 1e-6


def test_labels_keep_their_case_and_not_the_spaces_around_them() -> None:
    ann = wide([["yes", "Yes"], ["YES", "YES"], ["no", "no"], [" no", "no"]])
    assert ann.labels == ("YES", "Yes", "no", "yes")
    assert value(ann, "percent") == 0.75


def test_what_a_user_gave_is_never_met_by_an_empty_error() -> None:
    with pytest.raises(raters.RatersError, match="items"):
        raters.read([{"item": 1, "rater": 2, "x": 3.0}], item="items", label="x")
    with pytest.raises(raters.RatersError, match=r"unknown coefficient 'kapa'.*Did you mean 'cohen'"):
        raters.agreement(examples.four_raters(), "kapa")


def test_the_objective_of_dawid_skene_never_falls() -> None:
    rng = np.random.default_rng(1)
    truth, skill = rng.choice(5, 60), rng.uniform(0.2, 0.5, 25)
    label = np.where(rng.random((60, 25)) < skill, truth[:, None], rng.integers(0, 5, (60, 25)))
    fit = raters.consensus(wide(label), model="dawid_skene", start="votes")
    assert len(fit.trace) > 3 and np.diff(fit.trace).min() > -1e-9
