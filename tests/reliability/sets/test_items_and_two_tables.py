"""Sets of labels: item by item, and of two tables."""

import numpy as np
import pytest
from coded_sets import TABLE_1, table

import raters
from raters.errors import UsageError


def drawn(n=80, each=4, noise=0.2, seed=0, pool="c", own=0.0):
    """Sets around a true set of one or two labels; with ``own``, some items have another truth."""
    rng = np.random.default_rng(7)
    truth = [set(rng.choice(5, rng.integers(1, 3), replace=False).tolist()) for _ in range(n)]
    rng = np.random.default_rng(seed)
    rows = []
    for i, t in enumerate(truth):
        if rng.random() < own:
            t = {int(rng.integers(5))}
        for j in range(each):
            s = {k if rng.random() > noise else int(rng.integers(5)) for k in t}
            rows.append((f"i{i}", f"{pool}{j}", [f"L{k}" for k in s]))
    return raters.read(rows, scale="sets", labels=[f"L{k}" for k in range(5)])


def test_each_item_of_table_1():
    ann = table(TABLE_1)
    rows = raters.per_item(ann, "boot_match")
    assert [e.observed for e in rows] == [1, 1, 1] and [round(e.details["f1"], 2) for e in rows] == [0.67, 0.5, 1]
    assert [e.details["final"] for e in rows] == [["A"], ["B"], ["A", "B"]]
    assert [e.details["decided_by"] for e in rows] == [["c1"], [], []]  # c1 gave A alone, and so decided
    assert [e.details["adjudicate"] for e in rows] == [False, False, True]
    overall = raters.multilabel(ann, interval=None)["augmented"]
    each = raters.per_item(ann, "augmented")
    assert np.mean([e.observed for e in each]) == pytest.approx(overall.observed)
    assert np.mean([e.value for e in each]) == pytest.approx(overall.value)
    assert raters.per_item(ann, "krippendorff")[0].n_items == 1  # as before
    with pytest.raises(UsageError, match="scale='sets'"):
        raters.per_item(raters.examples.fleiss_1971(), "boot_match")


def test_two_tables_are_compared_by_any_measure():
    good, bad = drawn(noise=0.1, seed=1), drawn(noise=0.6, seed=2, pool="d")
    found = raters.compare(good, bad, "boot_match", resamples=300)
    assert found.difference.low > 0 and found.p < 0.05 and found.n_shared == 80 and found.paired
    for e, ann in ((found.first, good), (found.second, bad)):
        assert e.value == pytest.approx(raters.multilabel(ann, pooled=True, interval=None)["boot_match"].value)
    same = raters.compare(good, drawn(noise=0.1, seed=9, pool="e"), "boot_f1", resamples=300)
    assert same.difference.low < 0 < same.difference.high and same.p > 0.05
    with pytest.raises(UsageError, match="takes two tables"):
        raters.compare(good, coefficient="boot_match")
    assert raters.compare(good, bad, "krippendorff", interval=None).first.coefficient == "krippendorff"


def test_pooled_kappa_of_labels():
    ann = drawn(40, 2, seed=4)
    e = raters.sets.per_label_pooled(ann, resamples=200)
    has = {}
    for row in raters.per_item(ann, "boot_match"):
        has[row.name] = [set(s) for s in row.details["sets"].values()]
    observed = expected = 0.0
    for k in (f"L{i}" for i in range(5)):
        x, y = (np.array([k in has[i][side] for i in has]) for side in (0, 1))
        observed += np.mean(x != y)
        expected += x.mean() * (1 - y.mean()) + y.mean() * (1 - x.mean())
    assert e.value == pytest.approx(1 - observed / expected) and e.low < e.value < e.high
    same = raters.read([(i, r, s) for i, s in enumerate(["A", "B", "A;B"]) for r in "xy"], scale="sets", sep=";")
    assert raters.sets.per_label_pooled(same, interval=None).value == 1


def test_whole_clusters_are_drawn():
    """Every item twice, both in one cluster: the interval is that of the items once; as single items it is too
    narrow.
    """
    once = drawn(50, 2, seed=5)
    rows = [(e.name, r, s) for e in raters.per_item(once, "boot_match") for r, s in e.details["sets"].items()]
    double = raters.read(
        [{"item": f"{i}-{d}", "rater": r, "label": s, "doc": i} for i, r, s in rows for d in (1, 2)], scale="sets"
    )
    alone = raters.multilabel(once, interval="jackknife")["boot_match"]
    whole = raters.multilabel(double, interval="jackknife", cluster="doc")
    assert whole["boot_match"].se == pytest.approx(alone.se, rel=1e-6)
    naive = raters.multilabel(double, interval="jackknife")["boot_match"].se
    assert naive == pytest.approx(alone.se / np.sqrt(2), rel=0.03)
    assert whole["alpha_masi"].se > 1.2 * raters.multilabel(double, interval="jackknife")["alpha_masi"].se


def test_distributions_of_two_crowds():
    x, y = drawn(100, 3, seed=1, pool="x"), drawn(100, 3, seed=2, pool="y")
    rows = raters.sets.label_shares(x, y, resamples=200)
    sets = [list(e.details["sets"].values()) for e in raters.per_item(x, "boot_match")]
    assert rows["L1"].details["first"] == pytest.approx(np.mean([np.mean(["L1" in s for s in each]) for each in sets]))
    assert rows["L1"].value == pytest.approx(rows["L1"].details["second"] - rows["L1"].details["first"])
    assert sum(e.low <= 0 <= e.high for e in rows[:-1]) >= 4 and 0 <= rows["apart"].value < 0.1
    assert raters.sets.label_shares(x, x, interval=None)["apart"].value == 0


@pytest.mark.parametrize("option", [{"cluster": "topic"}, {"weights": "masi"}, {"sample": "raters"}])
def test_comparing_sets_refuses_what_it_would_ignore(option):
    sets = [(i, r, ["a", "b"][: 1 + (i + j) % 2]) for i in range(12) for j, r in enumerate("xy")]
    with pytest.raises(raters.UsageError, match="compare with boot_match"):
        raters.compare(
            raters.read(sets, scale="sets"), raters.read(sets, scale="sets"), "boot_match", resamples=20, **option
        )


def test_a_difference_of_sets_has_the_default_interval():
    """Each table with an imaginary item of its own; where all agree the bootstrap has no width, so there is none."""
    same = [(i, r, [["a"], ["b", "c"]][i % 2]) for i in range(30) for r in "xy"]
    first, second = raters.read(same, scale="sets"), raters.read([(i, f"{r}2", s) for i, r, s in same], scale="sets")
    found, plain = (
        raters.compare(first, second, "boot_match", resamples=300, interval=i) for i in ("auto", "bootstrap")
    )
    assert found.difference.interval == "posterior_and_t" and found.p == 1 and found.paired
    assert found.difference.low < 0 < found.difference.high
    assert plain.difference.value == 0 and np.isnan(plain.difference.low) and plain.difference.undefined
    assert found.first.interval == "imaginary" and found.first.low < found.first.value == 1
    assert not any("percentile bootstrap" in w for w in found.difference.warnings)
    whole = raters.multilabel(first, pooled=True)["boot_match"]
    again = raters.compare(first, second, "boot_match").first
    assert (again.low, again.high) == pytest.approx((whole.low, whole.high), abs=0.03)
    apart = raters.compare(
        first, raters.read([(f"p{i}", r, s) for i, r, s in same], scale="sets"), "boot_match", resamples=300
    )
    assert not apart.paired and apart.p == 1 and apart.difference.low < 0 < apart.difference.high


def test_differences_of_sets_have_every_interval():
    rng = np.random.default_rng(8)
    x, y = (
        raters.read(
            [
                (i, r, [m for m in "abc" if rng.random() < (0.9 if ord(m) % 3 == i % 3 else wrong)] or ["a"])
                for i in range(150)
                for r in "xyz"
            ],
            scale="sets",
        )
        for wrong in (0.1, 0.3)
    )
    found = {how: raters.compare(x, y, "boot_f1", interval=how) for how in ("bootstrap", "bca", "delta", "jackknife")}
    want = found["bootstrap"].difference
    for how, c in found.items():
        e = c.difference
        assert (e.interval, c.first.interval, c.second.interval) == (how, how, how)
        assert [e.low, e.high] == pytest.approx([want.low, want.high], abs=0.15 * (want.high - want.low))
        assert c.p == pytest.approx(found["bootstrap"].p, abs=0.02)
