"""Two-way components of tables with empty cells: lme4's figures, and the laws of the designs that are complete."""

import csv
import json

import numpy as np
import pytest
from ratings import wide

import raters
from raters.reliability.variance.reml import Cells, Ratio, fit, harmonic_k, rater_share

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
NAMES = {"ICC(A,1)": "ICC(A,1)", "ICC(A,khat)": "ICC(A,k)", "ICC(C,1)": "ICC(C,1)", "ICC(C,khat)": "ICC(C,k)", "ICC(Q,khat)": "ICC(Q,k)"}  # fmt: skip


@pytest.fixture(scope="module")
def oracle(data_dir):
    return json.loads((data_dir.parent / "oracles" / "more.json").read_text())["icc_reml"]


def snow(data_dir, name):
    with (data_dir / "snow2008" / f"{name}.standardized.tsv").open(encoding="utf-8") as file:
        return [(r[2], r[1], float(r[3])) for r in list(csv.reader(file, delimiter="\t"))[1:]]


@pytest.mark.shared
@pytest.mark.parametrize("key", ["b30", "c_anger", "c_valence"])
def test_lme4(oracle, data_dir, key):
    told = oracle[key]
    rows = told["data"] if key == "b30" else snow(data_dir, key.removeprefix("c_"))
    table = raters.icc(raters.read([tuple(r) for r in rows], scale="interval"))
    d = table["ICC(A,1)"].details
    components = [told["components"][name] for name in ("item", "rater", "residual")]
    assert [d["var_item"], d["var_rater"], d["var_error"]] == pytest.approx(components, rel=1e-5)
    assert d["reml_criterion"] == pytest.approx(told["reml_criterion_lme4"], abs=1e-5)
    assert (d["k_harmonic"], d["q"]) == pytest.approx((told["khat"], told["q"]), abs=1e-9)
    for name, ours in NAMES.items():
        assert table[ours].value == pytest.approx(told["icc"][name], abs=1e-6)
        assert table[ours].se == pytest.approx(
            told["icc_se_delta"][name], rel=0.04
        )  # observed, not expected information
    for name, limits in told["profile_95"].items():
        assert (table[name].low, table[name].high) == pytest.approx(limits, abs=1e-6)
        assert table[name].interval == "profile" and table[name].sampled == "items and raters"
    one = table["ICC(1)"].details
    anova = told["oneway_anova"]
    assert [one[n] for n in ("SSB", "SSW", "MSB", "MSW", "k0", "var_item", "var_noise")] == pytest.approx(
        [anova[n] for n in ("SSB", "SSW", "MSB", "MSW", "k0", "var_item", "var_noise")], rel=1e-8
    )


def test_complete_data_is_the_analysis_of_variance():
    y = np.array(SHROUT_FLEISS, float)
    i, j = np.indices(y.shape)
    found = fit(Cells.of(i.ravel(), j.ravel(), y.ravel()))
    assert found.components == pytest.approx((2.555556, 5.244444, 1.019444), abs=1e-5)
    assert found.criterion == pytest.approx(91.27867, abs=1e-5)
    assert Ratio(1, 1).limits(found, 0.95) == pytest.approx((0.038213, 0.743599), abs=1e-6)
    assert Ratio(0, 1).limits(found, 0.95) == pytest.approx((0.327471, 0.935492), abs=1e-6)
    table = raters.icc(wide(SHROUT_FLEISS))
    assert Ratio(1, 1).value(found.components) == pytest.approx(table["ICC(A,1)"].value, abs=1e-7)
    d = table["ICC(A,k)"].details
    assert (d["var_item"], d["var_rater"], d["var_error"]) == pytest.approx((2.555556, 5.244444, 1.019444), abs=1e-5)
    assert (harmonic_k(np.full(6, 4.0)), rater_share(found.cells.where, found.cells.per_item)) == (4.0, 0.0)
    assert "ICC(Q,k)" not in table
    one = table["ICC(1)"].details
    assert (one["SSB"], one["SSW"], one["var_item"], one["var_noise"]) == pytest.approx(
        (56.208333, 112.75, 1.244444, 6.263889), abs=1e-6
    )
    assert raters.icc(wide(SHROUT_FLEISS), k=8)["ICC(k)"].value == pytest.approx(8 * 0.1657418 / (1 + 7 * 0.1657418))


def sparse_table(seed, items=30, pool=8, most=5, sds=(1.4, 0.6, 0.8)):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, sds[0], items), rng.normal(0, sds[1], pool)
    return [
        (f"i{i:03}", f"r{j}", a[i] + b[j] + rng.normal(0, sds[2]))
        for i in range(items)
        for j in rng.choice(pool, rng.integers(2, most + 1), replace=False)
    ]


def test_against_the_likelihood_written_out():
    """-2 log restricted likelihood by the matrix of all ratings, at a few ratios; both ways of eliminating a side."""
    rows = sparse_table(3, items=9, pool=5)
    for swap in (False, True):
        item, rater = (np.unique([r[i] for r in rows], return_inverse=True)[1] for i in ((1, 0) if swap else (0, 1)))
        y = np.array([r[2] for r in rows])
        cells = Cells.of(item, rater, y)
        z = (y - cells.mean) / cells.unit
        for s, r in ((0.0, 0.0), (1.2, 0.0), (0.7, 0.9)):
            v = np.eye(len(y)) + s**2 * (item[:, None] == item) + r**2 * (rater[:, None] == rater)
            inverse, one = np.linalg.inv(v), np.ones(len(y))
            p = inverse - np.outer(inverse @ one, inverse @ one) / (one @ inverse @ one)
            noise = z @ p @ z / (len(y) - 1)
            whole = (
                np.linalg.slogdet(v)[1] + np.log(one @ inverse @ one) + (len(y) - 1) * (1 + np.log(2 * np.pi * noise))
            )
            assert cells.criterion(s, r) == pytest.approx(whole, abs=1e-9)


def test_laws():
    rows = sparse_table(1)
    table = raters.icc(raters.read(rows, scale="interval"))
    moved = raters.icc(raters.read([(i, f"z{r}", 100 - 7 * y) for i, r, y in rows[::-1]], scale="interval"))
    for name in ("ICC(C,1)", "ICC(A,1)", "ICC(A,k)", "ICC(Q,k)"):
        a, b = table[name], moved[name]
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-6)
        assert 0 <= a.low < a.value < a.high <= 1
    assert table["ICC(A,k)"].value <= table["ICC(Q,k)"].value <= table["ICC(C,k)"].value
    assert table["ICC(A,k)"].details["k"] < 5 and "harmonic mean" in table["ICC(A,k)"].warnings[0]
    eight = raters.icc(raters.read(rows, scale="interval"), k=8)["ICC(A,k)"]
    assert eight.value > table["ICC(A,k)"].value and eight.details["k"] == 8
    # no rater recurs: q is 1/k, so that the design's own reliability is that of agreement
    alone = np.arange(12)
    where = Cells.of(np.repeat(np.arange(4), 3), alone, np.arange(12.0)).where
    assert rater_share(where, np.full(4, 3.0)) == pytest.approx(1 / 3)


def test_the_intervals_hold_what_they_say():
    """30 items, 8 raters, 2 to 5 ratings each: the truth of ICC(A,1) is .66."""
    sds = (1.4, 0.6, 0.8)
    truth = sds[0] ** 2 / sum(x**2 for x in sds)
    inside = 0
    for seed in range(25):
        rows = sparse_table(seed + 100, sds=sds)
        item, rater = (np.unique([r[i] for r in rows], return_inverse=True)[1] for i in (0, 1))
        found = fit(Cells.of(item, rater, np.array([r[2] for r in rows])))
        # inside the interval is: the criterion at the truth has not risen by more than the quantile
        inside += Ratio(1, 1)._profile(found, truth, 4.0)[0] <= found.least + 3.841459
    assert 21 <= inside <= 25


def test_what_cannot_be_told_apart_is_said():
    once = raters.read([("a", "x", 1.5), ("b", "y", 2), ("c", "y", 0)], scale="interval")
    assert "no item has two ratings" in raters.icc(once)["ICC(A,1)"].warnings[0]
    fresh = raters.read([("a", "x", 1.5), ("a", "y", 2), ("b", "z", 0), ("b", "w", 1)], scale="interval")
    assert "no rater rated two items" in raters.icc(fresh)["ICC(Q,k)"].warnings[0]
    halves = [(f"{b}{i}", f"{b}{r}", (i * 7 + r * 3) % 5 + i) for b in "pq" for i in range(6) for r in range(3)]
    blocks = raters.icc(raters.read(halves, scale="interval"))["ICC(A,1)"]
    assert any("2 blocks of raters share no item" in w for w in blocks.warnings)
    same = raters.read([("a", "x", 1), ("a", "y", 1), ("b", "y", 1)], scale="interval")
    assert all(np.isnan(e.value) and e.warnings for e in raters.icc(same))
    asked = raters.icc(raters.read(sparse_table(2), scale="interval"), interval="bootstrap")["ICC(A,1)"]
    assert asked.interval == "profile" and any("holds the raters fixed" in w for w in asked.warnings)
    assert raters.icc(raters.read(sparse_table(2), scale="interval"), interval=None)["ICC(A,1)"].interval is None
