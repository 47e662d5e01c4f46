"""Shares and means against the figures of other software, and against second roads to the same number."""

import alt_test_data as collection
import numpy as np
import pytest

from raters.judges import means
from raters.judges.calibration import (
    Labelled,
    by_errors,
    by_prediction,
    effective,
    floor_of_errors,
    human_only,
)
from raters.judges.means import mean_of_strata, powered_mean, tuned
from raters.judges.shares import corrected, poststratified
from raters.notes.note import Note

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def oracle(oracles_dir):
    found = collection.oracle(oracles_dir)
    return found["rogan_gladen"] | found["prediction_powered"]


def table(c):
    return np.array([[c["tp"], c["fp"]], [c["fn"], c["tn"]]], float)


def test_two_classes(oracle):
    want = oracle["rg_binary"]
    judged = np.array([380.0, 620.0])
    found = corrected(table(want["input"]["calibration"]), judged, draws=60_000)
    assert found.value[0] == pytest.approx(want["point"], abs=1e-8)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(want["se_delta"], abs=1e-8)
    assert found.shares == pytest.approx(list(want["variance_share"].values()), abs=1e-8)
    assert [found.low[0], found.high[0]] == pytest.approx(want["ci_beta_draws"], abs=0.002)


def test_degenerate_tables(oracle):
    for case in oracle["rg_binary_cases"]:
        found = corrected(
            table(case["calibration"]), np.array([case["judge_positive"], case["N"] - case["judge_positive"]])
        )
        assert 0 <= found.low[0] <= found.high[0] <= 1, case["case"]
        if case["case"] == "no positive in calibration":
            assert np.isnan(found.value[0]) and found.why == Note("class_absent")
        elif case["case"] == "worse than chance":
            assert np.isnan(found.value[0]) and found.why == Note("classes_not_distinguished")
        else:
            assert found.raw[0] == pytest.approx(case["raw"], abs=1e-8)
            assert found.value[0] == pytest.approx(np.clip(case["raw"], 0, 1), abs=1e-8)
            # below zero it is within the error, above one it is not
            assert (found.why == Note("errors_not_carried_over")) == (case["case"] == "above one"), case["case"]


@pytest.mark.parametrize("which", ["rg_multi_inside", "rg_multi_outside"])
def test_three_classes(oracle, which):
    want = oracle[which]
    counts = np.array(want["counts_truth_rows_judge_columns"], float).T
    judged = np.array(want["judge_counts_unlabelled"], float)
    found = corrected(counts, judged)
    assert found.raw == pytest.approx(want["raw_inverse"], abs=1e-8)
    assert found.covariance == pytest.approx(np.array(want["cov_delta"]), abs=1e-8)
    assert found.value == pytest.approx(want["projected"], abs=1e-8)
    assert found.condition == pytest.approx(want["condition_number_2norm"], abs=1e-8)
    assert corrected(counts, judged, method="ml").value == pytest.approx(want["ml_em"], abs=2e-6)


def test_prediction_powered_mean(oracle):
    want = oracle["ppi_mean"]
    y, f, judged = (np.array(want["input"][k]) for k in ("Y", "f", "F"))
    assert tuned(y, f, judged, cut=False) == pytest.approx(want["lambda_unclipped"], abs=1e-8)
    for name, lam in (("tuned", None), ("lambda_1", 1.0), ("lambda_0", 0.0)):
        t = powered_mean(y, f, judged, lam=lam)
        assert [t.lam, t.value] == pytest.approx([want[name][k] for k in ("lam", "point")], abs=1e-8)
        assert [t.low, t.high] == pytest.approx(want[name]["ci_t"], abs=1e-8)
        assert [t.human_low, t.human_high] == pytest.approx(want["human_only_t"], abs=1e-8)


def test_a_random_subset(oracle):
    want = oracle["prevalence_random_subset"]
    counts, judged = table(want["input"]), np.array([400.0, 600.0])
    found = poststratified(counts, judged, draws=60_000)
    assert found.value[0] == pytest.approx(want["poststratified"]["point"], abs=1e-8)
    assert found.se[0] == pytest.approx(want["poststratified"]["se"], abs=1e-8)
    assert [found.low[0], found.high[0]] == pytest.approx(want["posterior_jeffreys"], abs=0.002)
    y, f = (np.repeat(x, counts.ravel().astype(int)) for x in ([1.0, 0, 1, 0], [1.0, 1, 0, 0]))
    plain = powered_mean(y, f, np.repeat([1.0, 0.0], [400, 600]))
    assert [plain.lam, plain.value] == pytest.approx([want["ppi_python"]["lam"], want["ppi_python"]["point"]], abs=1e-8)
    lam = np.cov(y, f, ddof=0)[0, 1] / (f.var() * (1 + 50 / 1000))  # the law: the two roads are one for a binary judge
    assert powered_mean(y, f, np.repeat([1.0, 0.0], [400, 600]), lam=lam).value == pytest.approx(
        found.value[0], abs=1e-12
    )
    assert corrected(counts, judged).value[0] == pytest.approx(want["rogan_gladen"]["point"], abs=1e-8)


def test_a_paired_difference_and_strata(oracle, monkeypatch):
    want = oracle["ppi_difference"]
    i = {k: np.array(v) for k, v in want["input"].items()}
    y, f, judged = i["YA"] - i["YB"], i["fA"] - i["fB"], i["FA"] - i["FB"]
    t = powered_mean(y, f, judged)
    assert [t.lam, t.value] == pytest.approx([want["paired_same_items"][k] for k in ("lam", "point")], abs=1e-8)
    assert [t.low, t.high] == pytest.approx(want["paired_same_items"]["ci_t"], abs=1e-8)

    mean, strata = oracle["ppi_mean"]["input"], oracle["ppi_stratified"]
    y, f, judged = (np.array(mean[k]) for k in ("Y", "f", "F"))
    names = tuple(f"u{k}" for k in range(32))
    groups = {name: "1" if k < 6 or 12 <= k < 24 else "2" for k, name in enumerate(names)}
    human = np.zeros((32, 1))
    human[:12] = 1
    data = Labelled(
        names,
        ("",) * 32,
        names,
        human,
        np.r_[y, np.full(20, np.nan)],
        np.zeros(32, int),
        np.r_[f, judged],
        ("x",),
        ("x",),
        np.ones(1),
        np.ones(32),
    )
    monkeypatch.setattr(means, "OWN", 6)  # as there, each stratum has its own lambda
    found = mean_of_strata(data, groups, {"1": 0.7, "2": 0.3}, None, 0.95)
    assert list(found.lam.values()) == pytest.approx(strata["lam"], abs=1e-8)
    assert found.value == pytest.approx(strata["point"], abs=1e-8)


def test_labels_for_a_width(oracle):
    for row in oracle["labels_for_width"]["rows"]:
        p, a, judged, h = (row[k] for k in ("prevalence", "accuracy", "N", "half_width"))
        v = p * (1 - p)
        assert human_only(v, h) == pytest.approx(row["human_only"], abs=1e-5)
        n = by_prediction(v, row["rho2"], judged, h)
        assert n == pytest.approx(row["ppi"], abs=1e-5)
        assert effective(n, judged, row["rho2"]) == pytest.approx(row["human_only"], rel=1e-6)
        never = row["rogan_gladen_random_calibration"]
        assert by_errors(p, a, a, judged, h) == pytest.approx(np.nan if never is None else never, rel=1e-6, nan_ok=True)
        assert floor_of_errors(p, a, a, judged) == pytest.approx(row["rg_floor_half_width"], abs=1e-7)
