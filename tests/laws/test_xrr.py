"""kappa_x and its companions by another road: direct double sums, Cohen's kappa, and what may not change a figure."""

from itertools import combinations, product
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from pools import Bags, made_pools, two_pools

import raters
from raters.reliability.xrr.statistics import RANGES


def direct(bags: Bags, d: Any) -> tuple[float, float]:
    """Equations 9 to 11 as they stand: a sum over pairs of an item, and over all pairs."""
    both = {item: pair for item, pair in bags.items() if pair[0] and pair[1]}
    r, s = (sum(len(pair[side]) for pair in both.values()) for side in (0, 1))
    observed = sum(
        (len(x) + len(y)) / (r + s) * sum(d(a, b) for a, b in product(x, y)) / (len(x) * len(y))
        for x, y in both.values()
    )
    xs, ys = ([v for pair in both.values() for v in pair[side]] for side in (0, 1))
    return observed, sum(d(a, b) for a, b in product(xs, ys)) / (r * s)


def nominal(a: float, b: float) -> float:
    return float(a != b)


def squared(a: float, b: float) -> float:
    return (a - b) ** 2


def ratio(a: float, b: float) -> float:
    return 0.0 if a + b == 0 else ((a - b) / (a + b)) ** 2


def mid_rank(bags: Bags) -> Any:
    """Krippendorff's ordinal distance on the labels of both pools together, on the items they share."""
    every = sorted(v for x, y in bags.values() if x and y for v in (*x, *y))
    rank = {v: (every.index(v) + every.count(v) / 2) / len(every) for v in set(every)}
    return lambda a, b: (rank[a] - rank[b]) ** 2


DISTANCES = {"nominal": lambda _: nominal, "interval": lambda _: squared, "ratio": lambda _: ratio, "ordinal": mid_rank}
labels = st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0]), max_size=4)
bags_of = st.dictionaries(st.sampled_from([f"q{i}" for i in range(12)]), st.tuples(labels, labels), min_size=8)


def usable(bags: Bags) -> Bags | None:
    """Something of both pools, on more than one label."""
    kept = {item: pair for item, pair in bags.items() if pair[0] or pair[1]}
    shared = [pair for pair in kept.values() if pair[0] and pair[1]]
    values = {v for x, y in shared for v in (*x, *y)}
    return kept if len(shared) >= 2 and len(values) > 1 and direct(kept, nominal)[1] > 0 else None


@pytest.mark.parametrize("scale", DISTANCES)
@given(bags=bags_of)
@settings(max_examples=8)
def test_the_direct_double_sum(scale: str, bags: Bags) -> None:
    kept = usable(bags)
    if kept is None:
        return
    x, y = two_pools(kept, scale=scale)
    result = raters.xrr(x, y, interval=None)
    observed, expected = direct(kept, DISTANCES[scale](kept))
    assert (float(result.observed), float(result.expected)) == pytest.approx((observed, expected), rel=1e-12, abs=1e-12)
    assert float(result.kappa_x) == pytest.approx(1 - observed / expected, rel=1e-12, abs=1e-12)
    assert result.n_shared == sum(bool(a and b) for a, b in kept.values())
    assert (result.n_only_x, result.n_only_y) == (
        sum(bool(a and not b) for a, b in kept.values()),
        sum(bool(b and not a) for a, b in kept.values()),
    )


@given(bags=bags_of)
@settings(max_examples=6)
def test_an_own_distance_and_many_values(bags: Bags) -> None:
    kept = usable({k: ([v + i / 64 for i, v in enumerate(x)], [v / 3 for v in y]) for k, (x, y) in bags.items()})
    if kept is None:
        return
    x, y = two_pools(kept, scale="interval")
    own = raters.xrr(x, y, distance=lambda a, b: abs(a - b), interval=None)
    assert float(own.observed) == pytest.approx(direct(kept, lambda a, b: abs(a - b))[0], rel=1e-12)
    assert float(own.expected) == pytest.approx(direct(kept, lambda a, b: abs(a - b))[1], rel=1e-12)


def test_moments_and_counts_agree() -> None:
    """One table with a column of pools folds to moments; two tables to counts of distinct values."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{i}", f"{p}{j}", round(rng.normal(i % 7, 2), 3), p)
        for i in range(60)
        for p in "xy"
        for j in range(rng.integers(0, 5))
    ]
    columns = dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True))
    one = raters.xrr(raters.read(columns, scale="interval"), pool="pool", interval="delta")
    x, y = (raters.read([r[:3] for r in rows if r[3] == p], scale="interval") for p in "xy")
    two = raters.xrr(x, y, interval="delta")
    for name in RANGES:
        a, b = getattr(one, name), getattr(two, name)
        if name != "gwet_x":
            assert (a.value, a.se) == pytest.approx((b.value, b.se), rel=1e-9), name


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=40))
@settings(max_examples=6)
def test_one_label_a_side_is_cohens_kappa(pairs: list[tuple[int, int]]) -> None:
    bags = {f"q{i}": ([float(a)], [float(b)]) for i, (a, b) in enumerate(pairs)}
    if usable(bags) is None:
        return
    x, y = two_pools(bags, scale="nominal")
    rows = [(item, who, v) for item, sides in bags.items() for who, (v,) in zip("xy", sides, strict=True)]
    kappa = raters.agreement(raters.read(rows, scale="nominal"), "cohen", interval=None)
    result = raters.xrr(x, y, interval=None)
    assert float(result.kappa_x) == pytest.approx(float(kappa), abs=1e-12)
    assert np.isnan(float(result.irr_x)) and np.isnan(float(result.normalized))


def test_two_tables_or_one_with_a_column() -> None:
    x, y = made_pools(60, 11, 0.3)
    rows: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "pool": []}
    for name, ann in (("x", x), ("y", y)):
        got = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row")
        for key in ("item", "rater", "label"):
            rows[key] += got[key].tolist()
        rows["pool"] += [name] * len(got["item"])
    ann = raters.read(rows, scale="nominal", labels=list(x.labels))
    for irr in ("krippendorff", "iota"):
        two, one = raters.xrr(x, y, irr=irr, resamples=200), raters.xrr(ann, pool="pool", irr=irr, resamples=200)
        assert isinstance(one, raters.results.CrossReliability)
        for name in RANGES:
            a, b = getattr(two, name), getattr(one, name)
            assert (a.value, a.low, a.high, a.n_items, a.n_raters) == pytest.approx(
                (b.value, b.low, b.high, b.n_items, b.n_raters), abs=1e-12, nan_ok=True
            ), (irr, name)


def test_sides_change_places() -> None:
    x, y = made_pools(50, 13, 0.5)
    one, other = raters.xrr(x, y, interval="delta"), raters.xrr(y, x, interval="delta")
    for a, b in (
        ("kappa_x", "kappa_x"),
        ("irr_x", "irr_y"),
        ("normalized_by_x", "normalized_by_y"),
        ("difference", "difference"),
    ):
        assert float(getattr(one, a)) == pytest.approx(float(getattr(other, b)), abs=1e-12)
        assert getattr(one, a).se == pytest.approx(getattr(other, b).se, rel=1e-9)


def test_alpha_and_ac1_between_pools_are_the_coefficients_with_a_group() -> None:
    x, y = made_pools(40, 19, 0.3)
    rows = [(i, r, k, p) for p, ann in (("x", x), ("y", y)) for i, r, k in _rows(ann)]
    columns = dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True))
    ann = raters.read(columns, scale="nominal")
    result = raters.xrr(x, y, interval=None)
    assert float(result.alpha_x) == pytest.approx(
        float(raters.agreement(ann, "krippendorff", group="pool", interval=None))
    )
    assert float(result.gwet_x) == pytest.approx(float(raters.agreement(ann, "gwet", group="pool", interval=None)))


def _rows(ann: raters.Annotations) -> list[tuple[Any, ...]]:
    got = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row")
    return list(zip(*(got[c].tolist() for c in ("item", "rater", "label")), strict=True))


def test_permuted_rows_and_renamed_labels_change_nothing() -> None:
    x, y = made_pools(40, 23, 0.3)
    want = raters.xrr(x, y, interval="delta")
    names = {0.0: "d", 1.0: "c", 2.0: "b", 3.0: "a"}
    shuffled = []
    for ann in (x, y):
        rows = [(i, r, names[k]) for i, r, k in _rows(ann)]
        np.random.default_rng(1).shuffle(rows)  # type: ignore[arg-type]
        shuffled.append(raters.read([tuple(r) for r in rows], scale="nominal"))
    got = raters.xrr(*shuffled, interval="delta")
    for name in RANGES:
        a, b = getattr(want, name), getattr(got, name)
        assert (a.value, a.se) == pytest.approx((b.value, b.se), abs=1e-12, nan_ok=True), name


def test_pairs_of_a_matrix_are_those_of_two() -> None:
    pools = [
        made_pools(50, 1, 0.2)[0],
        made_pools(50, 1, 0.2)[1],
        raters.read([(i, f"z{r}", k) for i, r, k in _rows(made_pools(50, 2)[0])], scale="nominal"),
    ]
    whole = raters.xrr_table(*pools, names=("a", "b", "c"), interval="delta")
    assert isinstance(whole, raters.results.CrossTable)
    assert [r.pools for r in whole] == list(combinations("abc", 2))
    pair = raters.xrr(pools[0], pools[2], interval="delta")
    assert float(whole.pair("c", "a").kappa_x) == pytest.approx(float(pair.kappa_x), abs=1e-12)
    matrix = whole.matrix()
    assert matrix.value == pytest.approx(matrix.value.T)
    assert [float(matrix.value[i, i]) for i in range(3)] == pytest.approx(
        [float(raters.agreement(ann, interval=None)) for ann in pools], abs=1e-12
    )
    assert np.diag(whole.matrix("normalized").value) == pytest.approx(np.ones(3))
    assert (matrix.low <= matrix.value).all() and (matrix.value <= matrix.high).all()
