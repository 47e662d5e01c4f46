"""Intraclass correlations: Shrout & Fleiss 1979, McGraw & Wong 1996, and 216 figures from R (psych, irr)."""

import csv

import numpy as np
import pytest
from ratings import wide

import raters
from raters.errors import DataError, UsageError
from raters.reliability.variance.components import one_way, one_way_terms
from raters.reliability.variance.icc import FORMS

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
R_NAMES = {
    "ICC1": "ICC(1)", "ICC1k": "ICC(k)", "ICC2": "ICC(A,1)", "ICC2k": "ICC(A,k)", "ICC3": "ICC(C,1)", "ICC3k": "ICC(C,k)",
    "icc.oneway.consistency.single": "ICC(1)", "icc.oneway.consistency.average": "ICC(k)",
    "icc.twoway.consistency.single": "ICC(C,1)", "icc.twoway.consistency.average": "ICC(C,k)",
    "icc.twoway.agreement.single": "ICC(A,1)", "icc.twoway.agreement.average": "ICC(A,k)",
}  # fmt: skip
R_STATS = {"ICC": "value", "lower bound": "low", "lower": "low", "upper bound": "high", "upper": "high"}
R_FILES = {"anxiety": "anxiety", "video": "video", "sf": "shrout_fleiss_1979"}


def figure(e, stat):
    name = R_STATS.get(stat, stat)
    return getattr(e, name) if hasattr(e, name) else e.details[name]


def test_shrout_fleiss_names_and_cases():
    table = raters.icc(wide(SHROUT_FLEISS))
    published = {
        "ICC(1,1)": 0.17,
        "ICC(2,1)": 0.29,
        "ICC(3,1)": 0.71,
        "ICC(1,k)": 0.44,
        "ICC(2,k)": 0.62,
        "ICC(3,k)": 0.91,
    }
    assert {e.details["shrout_fleiss"]: round(e.value, 2) for e in table} == published
    # averages are undefined in the two-way mixed model with interaction
    assert [e.name for e in table if "3" in e.details["cases"]] == ["ICC(C,1)", "ICC(A,1)"]
    assert "F" in table["ICC(1)"].to_dict() and table["ICC(k)"].details["k"] == 4


@pytest.mark.shared
def test_every_figure_from_r(oracles_dir):
    rows = {k: list(csv.reader((oracles_dir / f"{f}.csv").read_text().splitlines()))[1:] for k, f in R_FILES.items()}
    tables = {k: raters.icc(wide([[float(x) for x in r] for r in v])) for k, v in rows.items()}
    seen = 0
    for row in csv.DictReader((oracles_dir / "irr_psych_epir_R.csv").read_text().splitlines()):
        if row["coef"] in R_NAMES:
            got = figure(tables[row["dataset"]][R_NAMES[row["coef"]]], row["stat"])
            assert got == pytest.approx(float(row["value"]), rel=1e-9, abs=1e-11), row
            seen += 1
    assert seen == 216


@pytest.mark.shared
@pytest.mark.parametrize(
    "name, single, average",
    [("anger", .355, .847), ("disgust", .430, .883), ("fear", .287, .801), ("joy", .217, .735), ("sadness", .439, .887),
     ("surprise", .057, .378), ("valence", .328, .830), ("wordsim", .6768, .9544)],
)  # fmt: skip
def test_snow_2008(data_dir, name, single, average):
    ann = raters.read(
        data_dir / "snow2008" / f"{name}.standardized.tsv",
        item="orig_id",
        rater="!amt_worker_ids",
        label="response",
        scale="interval",
        duplicates="keep",
    )
    table = raters.icc(ann)
    assert table["ICC(1)"].value == pytest.approx(single, abs=0.0006)
    assert table["ICC(k)"].value == pytest.approx(average, abs=0.0006)


def test_unequal_numbers_by_the_engine():
    rows = [(0, "a", 1.5), (0, "b", 2.0), (1, "a", 4.0), (1, "b", 5.0), (1, "c", 3.5), (2, "c", 2.5)]
    e = raters.icc(raters.read(rows, scale="interval"))["ICC(1)"]
    x = [[1.5, 2.0], [4.0, 5.0, 3.5], [2.5]]
    sums = np.array([(len(r), sum(r) - 3 * len(r), sum((v - 3) ** 2 for v in r)) for r in x])
    assert e.value == pytest.approx(float(one_way(one_way_terms(*sums.T).sum(0)).single()))
    assert e.details["k"] == pytest.approx((6 - 14 / 6) / 2) and e.details["df2"] == 3


def test_missing_cells():
    rows = [list(r) for r in SHROUT_FLEISS]
    rows[2][1] = None
    table = raters.icc(wide(rows), incomplete="refuse")
    assert np.isfinite(table["ICC(1)"].value)
    assert np.isnan(table["ICC(A,1)"].value) and "1 of 24 cells" in table["ICC(A,1)"].warnings[0]
    complete = raters.icc(wide(rows), incomplete="complete")
    whole = raters.icc(wide([r for i, r in enumerate(SHROUT_FLEISS) if i != 2]))
    assert complete["ICC(A,1)"].value == pytest.approx(whole["ICC(A,1)"].value)
    assert complete["ICC(A,1)"].n_items == 5 and "5 of 6 items" in complete["ICC(A,1)"].warnings[0]


def test_refusals():
    with pytest.raises(UsageError, match="are text"):
        raters.icc(raters.read([("a", "x", "yes"), ("a", "y", "no")], scale="nominal"))
    with pytest.raises(UsageError, match="scale='interval'"):
        raters.icc(raters.read([("a", "x", 1), ("a", "y", 0)], scale="nominal"))
    twice = raters.read([("a", "x", 1.5), ("a", "x", 2), ("b", "y", 0)], scale="interval")
    with pytest.raises(DataError, match="repeat an item and rater"):
        raters.icc(twice)
    single = raters.icc(raters.read([("a", "x", 1.5), ("b", "x", 2), ("c", "y", 0)], scale="interval"))
    assert np.isnan(single["ICC(1)"].value) and "no item has two" in single["ICC(1)"].warnings[0]
    constant = raters.icc(wide([[1, 1], [1, 1]]))
    assert all(np.isnan(e.value) and e.warnings for e in constant)


def test_coverage_of_the_exact_interval():
    """F limits are exact under normality: 95 % of 400 samples, within four standard errors."""
    rng, hit, rho = np.random.default_rng(5), 0, 0.5
    for _ in range(400):
        x = rng.normal(size=(20, 1)) * np.sqrt(rho) + rng.normal(size=(20, 4)) * np.sqrt(1 - rho)
        m = one_way(one_way_terms(np.full(20, 4.0), x.sum(1), (x**2).sum(1)).sum(0))
        low, high = FORMS[0].limits(m, float(m.single()), 0.95)
        hit += low <= rho <= high
    assert abs(hit / 400 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_many_items_by_the_engine_and_by_numpy(layout):
    n, k = 100_000, 5
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 1)) + rng.normal(size=(n, k)) + 0.3 * np.arange(k)
    rows = {"item": np.repeat(np.arange(n), k), "rater": np.tile(np.arange(k), n), "label": x.ravel()}
    ann = raters.read(x, layout="wide", scale="interval") if layout == "wide" else raters.read(rows, scale="interval")
    between, raters_ = k * x.mean(1).var() * n / (n - 1), n * x.mean(0).var() * k / (k - 1)
    within = x.var(1, ddof=1).mean()
    error = (within * n * (k - 1) - raters_ * (k - 1)) / ((n - 1) * (k - 1))
    found = {e.name: e.value for e in raters.icc(ann)}
    assert found["ICC(1)"] == pytest.approx((between - within) / (between + (k - 1) * within))
    assert found["ICC(C,1)"] == pytest.approx((between - error) / (between + (k - 1) * error))
    agreement = between + (k - 1) * error + k / n * (raters_ - error)
    assert found["ICC(A,1)"] == pytest.approx((between - error) / agreement)
