"""kappa_x and its companions by another road: direct double sums, Cohen's kappa, other software's formulas, simulation."""

from itertools import combinations, product
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import raters
from raters.reliability.xrr.statistics import RANGES

Bags = dict[str, tuple[list[float], list[float]]]
"""Item -> labels of x, labels of y."""


def tables(bags: Bags, **options: Any) -> tuple[raters.Annotations, raters.Annotations]:
    values = sorted({v for pair in bags.values() for labels in pair for v in labels})
    found = []
    for side, who in enumerate("xy"):
        rows = [(item, f"{who}{j}", v) for item, pair in bags.items() for j, v in enumerate(pair[side])]
        found.append(raters.read(rows, **{"labels": values, **options}))
    return found[0], found[1]


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
    x, y = tables(kept, scale=scale)
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
    x, y = tables(kept, scale="interval")
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
    x, y = tables(bags, scale="nominal")
    rows = [(item, who, v) for item, sides in bags.items() for who, (v,) in zip("xy", sides, strict=True)]
    kappa = raters.agreement(raters.read(rows, scale="nominal"), "cohen", interval=None)
    result = raters.xrr(x, y, interval=None)
    assert float(result.kappa_x) == pytest.approx(float(kappa), abs=1e-12)
    assert np.isnan(float(result.irr_x)) and np.isnan(float(result.normalized))


def made(n: int, seed: int, flip: float = 0.0, each: tuple[int, int] = (3, 2), scale: str = "nominal") -> Any:
    rng = np.random.default_rng(seed)
    level, swap = rng.choice(4, (2, n), p=(0.5, 0.25, 0.15, 0.1))
    other = np.where(rng.random(n) < flip, swap, level)
    bags = {}
    for i in range(n):
        sides = []
        for value, most in zip((level[i], other[i]), each, strict=True):
            k = most - int(rng.random() < 0.2)
            sides.append([float(v) for v in np.where(rng.random(k) < 0.7, value, rng.integers(0, 4, k))])
        bags[f"q{i:04d}"] = (sides[0], sides[1])
    return tables(bags, scale=scale)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("irr", ["krippendorff", "iota"])
def test_irr_is_what_agreement_says(scale: str, irr: str) -> None:
    x, y = made(80, 1, 0.3, scale=scale)
    result = raters.xrr(x, y, irr=irr, interval=None)
    for ann, own in ((x, result.irr_x), (y, result.irr_y)):
        if irr == "krippendorff":
            assert float(own) == pytest.approx(float(raters.agreement(ann, irr, interval=None)), abs=1e-12)
    k, a, b = (float(e) for e in (result.kappa_x, result.irr_x, result.irr_y))
    assert float(result.normalized) == pytest.approx(k / np.sqrt(a * b), abs=1e-12)
    assert float(result.normalized_by_y) == pytest.approx(k / b, abs=1e-12)
    assert float(result.difference) == pytest.approx(k - (a + b) / 2, abs=1e-12)


@pytest.mark.parametrize("irr", ["krippendorff", "iota"])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_delta_jackknife_and_bootstrap_agree(scale: str, irr: str) -> None:
    """Three roads to a standard error, for every figure."""
    x, y = made(400, 2, 0.3, scale=scale)
    found = {
        how: raters.xrr(x, y, irr=irr, interval=how, resamples=1500) for how in ("delta", "jackknife", "bootstrap")
    }
    for name in RANGES:
        delta, jackknife, bootstrap = (getattr(found[how], name) for how in found)
        if not np.isfinite(delta.value):
            assert name == "rho" and scale == "nominal"
            continue
        assert jackknife.se == pytest.approx(delta.se, rel=0.03), name
        assert bootstrap.se == pytest.approx(delta.se, rel=0.12), name
        assert delta.low < delta.value < delta.high


def test_the_delta_method_is_the_derivative() -> None:
    """Influence of an item against the change when it counts a little more."""
    from raters.inference.family import Family
    from raters.reliability.xrr.pools import from_tables
    from raters.reliability.xrr.statistics import Maker, ask

    for scale, irr in (("ordinal", "krippendorff"), ("nominal", "iota"), ("interval", "krippendorff")):
        pools = from_tables(made(40, 5, 0.4, scale=scale), ("x", "y"), raters=irr == "iota", by=None)[None]
        pair = Maker(ask(irr=irr), pools, False).pair(0, 1)
        weight, step = pools.items.weight, 1e-5
        for name, stat in pair.stats.items():
            if name == "rho" and scale == "nominal":
                continue
            slope = stat.influence()
            up, down = (Family([stat]).values(weight + sign * step * np.eye(len(weight)))[0] for sign in (1, -1))
            assert slope == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-7), (scale, name)
            # they are the same if all items count twice: influences sum to nothing
            if name in ("kappa_x", "observed", "expected", "gwet_x"):
                assert abs(weight @ slope) < 1e-9


def test_intervals_come_from_the_same_replicates() -> None:
    """The interval of the difference is that of differences, far narrower than of independent figures."""
    x, y = made(300, 7, 0.0)
    result = raters.xrr(x, y, resamples=1000)
    apart = np.hypot(result.kappa_x.se, np.hypot(result.irr_x.se, result.irr_y.se) / 2)
    assert result.difference.se < 0.75 * apart
    assert result.difference.low < 0 < result.difference.high
    again = raters.xrr(x, y, resamples=1000)
    assert (again.kappa_x.low, again.normalized.high) == (result.kappa_x.low, result.normalized.high)
    assert raters.xrr(x, y, resamples=1000, seed=1).kappa_x.low != result.kappa_x.low


def test_two_tables_or_one_with_a_column() -> None:
    x, y = made(60, 11, 0.3)
    rows: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "pool": []}
    for name, ann in (("x", x), ("y", y)):
        got = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row")
        for key in ("item", "rater", "label"):
            rows[key] += got[key].tolist()
        rows["pool"] += [name] * len(got["item"])
    ann = raters.read(rows, scale="nominal", labels=list(x.labels))
    for irr in ("krippendorff", "iota"):
        two, one = raters.xrr(x, y, irr=irr, resamples=200), raters.xrr(ann, pool="pool", irr=irr, resamples=200)
        assert isinstance(one, raters.CrossReliability)
        for name in RANGES:
            a, b = getattr(two, name), getattr(one, name)
            assert (a.value, a.low, a.high, a.n_items, a.n_raters) == pytest.approx(
                (b.value, b.low, b.high, b.n_items, b.n_raters), abs=1e-12, nan_ok=True
            ), (irr, name)


def test_sides_change_places() -> None:
    x, y = made(50, 13, 0.5)
    one, other = raters.xrr(x, y, interval="delta"), raters.xrr(y, x, interval="delta")
    for a, b in (
        ("kappa_x", "kappa_x"),
        ("irr_x", "irr_y"),
        ("normalized_by_x", "normalized_by_y"),
        ("difference", "difference"),
    ):
        assert float(getattr(one, a)) == pytest.approx(float(getattr(other, b)), abs=1e-12)
        assert getattr(one, a).se == pytest.approx(getattr(other, b).se, rel=1e-9)


def test_a_perfect_replication_tends_to_one() -> None:
    """Section 3.5: the same process twice has kappa_x = IRR, and normalised kappa_x near 1 as items grow."""
    gaps = []
    for n in (100, 10_000):
        found = [abs(float(raters.xrr(*replicated(n, seed), interval=None).normalized) - 1) for seed in range(3)]
        gaps.append(np.mean(found))
    assert gaps[1] < 0.02 and gaps[1] < gaps[0]


def replicated(
    n: int, seed: int, noise: float = 0.0, cut: float = 0.0
) -> tuple[raters.Annotations, raters.Annotations]:
    """Two pools of three binary labels an item; ``noise`` is how far the pools' own view of an item differs."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    found = []
    for who in "xy":
        own = np.sqrt(1 - noise**2) * z + noise * rng.normal(size=n)
        p = 1 / (1 + np.exp(-3 * (own - cut)))
        label = (rng.random((n, 3)) < p[:, None]).astype(int)
        columns = {
            "item": np.repeat(np.arange(n), 3),
            "rater": np.tile([f"{who}{j}" for j in range(3)], n).astype(object),
        }
        found.append(raters.read(columns | {"label": label.ravel()}, scale="nominal", labels=[0, 1]))
    return found[0], found[1]


def test_normalised_kappa_goes_with_rho_as_in_figure_7() -> None:
    """93 dots in the paper at .99; here 24 tasks of unlike pools and prevalence, above .98."""
    rng = np.random.default_rng(0)
    dots = []
    for seed in range(24):
        result = raters.xrr(*replicated(1500, seed, rng.uniform(0, 0.95), rng.uniform(-1.2, 1.2)), interval=None)
        dots.append((float(result.normalized), float(result.rho)))
    a, b = np.array(dots).T
    assert np.corrcoef(a, b)[0, 1] > 0.98
    assert np.abs(a - b).max() < 0.1


def test_rho_by_hand() -> None:
    """Pearson's correlation of means over the root of both one-way ICC(k)."""
    x, y = made(50, 17, 0.4, each=(3, 4), scale="interval")
    result = raters.xrr(x, y, irr_items="shared", interval=None)
    means, roots = [], []
    for ann in (x, y):
        got = ann.engine.query("SELECT item, avg(label) AS m FROM annotations GROUP BY item ORDER BY item")
        means.append(got["m"])
        roots.append(float(raters.icc(ann)["ICC(k)"]))
    assert float(result.rho) == pytest.approx(np.corrcoef(*means)[0, 1] / np.sqrt(roots[0] * roots[1]), rel=1e-9)


def test_alpha_and_ac1_between_pools_are_the_coefficients_with_a_group() -> None:
    x, y = made(40, 19, 0.3)
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
    x, y = made(40, 23, 0.3)
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
        made(50, 1, 0.2)[0],
        made(50, 1, 0.2)[1],
        raters.read([(i, f"z{r}", k) for i, r, k in _rows(made(50, 2)[0])], scale="nominal"),
    ]
    whole = raters.xrr(*pools, names=("a", "b", "c"), interval="delta")
    assert isinstance(whole, raters.CrossTable)
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
