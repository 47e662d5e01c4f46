"""Items and labels to compare two systems: exact sums, a fresh simulation, and what few labels get wrong."""

import math

import numpy as np
import pytest
from scipy import stats

import raters
from raters.reliability.planning.systems import METRICS, Items, items_like, power_of, t_power, vet_p, vet_p_of_power
from raters.reliability.soft.soft_labels import soft_labels

P, WEIGHT = [0.1, 0.3, 0.5, 0.7, 0.9], [0.3, 0.2, 0.1, 0.2, 0.2]
A, B = [0.15, 0.25, 0.6, 0.75, 0.85], [0.3, 0.2, 0.4, 0.45, 0.6]


def binary(x):
    return np.stack([1 - np.array(x), np.array(x)], -1)


FIVE = Items(binary(P), np.array(WEIGHT), binary(A), binary(B))


@pytest.mark.parametrize(
    ("metric", "k", "n", "mean", "sd", "power"),
    [
        ("brier", 1, 200, 0.0845, 0.33087346524011263, 0.9488953496070738),
        ("brier", 5, 60, 0.0845, 0.15739520323059403, 0.9834138258062146),
        ("manhattan", 1, 200, 0.192, 0.3607436763132516, 0.9999999840148219),
        ("manhattan", 5, 60, 0.1689282, 0.3128355210725917, 0.984371735238569),
        ("cross_entropy", 1, 200, 0.10326769421525957, 0.3858081498161898, 0.964624594652568),
        ("cross_entropy", 5, 60, 0.10326769421525962, 0.18370824756479248, 0.9898937438923211),
        ("accuracy", 1, 200, 0.08, 0.5418486873657626, 0.5469678164262465),
        ("accuracy", 5, 60, 0.134768, 0.5308837784072894, 0.4898163946731227),
    ],
)
def test_exact_sums_and_the_noncentral_t(metric, k, n, mean, sd, power):
    assert FIVE.difference(metric, k) == pytest.approx((mean, sd), abs=1e-12)
    assert t_power(mean, sd, n) == pytest.approx(power, abs=1e-9)


def test_the_power_of_few_items_is_that_of_a_fresh_simulation():
    rng = np.random.default_rng(9)
    for metric in METRICS:
        for n, k in ((40, 5), (100, 3)):
            d = FIVE.drawn(metric, k, rng, 2000 * n).reshape(2000, n)
            t = stats.ttest_1samp(d, 0, axis=1)
            fresh = float(np.mean((t.pvalue < 0.05) & (t.statistic > 0)))
            assert power_of(FIVE.drawn(metric, k, np.random.default_rng(1), 20_000), n) == pytest.approx(
                fresh, abs=0.04
            )


def test_with_few_labels_an_overconfident_system_wins_by_manhattan():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.99, 2000)
    bold = p**2 / (p**2 + (1 - p) ** 2)
    items = Items(binary(p), np.full(2000, 1 / 2000), binary(p), binary(bold))
    found = [items.difference("manhattan", k)[0] for k in (1, 2, 3, 5, 10)]
    assert found == pytest.approx([-0.096, -0.028, -0.003, 0.023, 0.053], abs=0.008)
    assert items.difference("brier", 1)[0] == pytest.approx(items.true("brier")) and items.true("brier") > 0


def test_one_label_each_is_cheapest_for_brier_if_items_cost_nothing():
    found = raters.plan_systems(raters.examples.demo(), noise=(0.05, 0.25), ks=(1, 3, 5))
    assert found["brier"].details["labels_per_item"] == 1
    paid = raters.plan_systems(raters.examples.demo(), noise=(0.05, 0.25), ks=(1, 3, 5), item_cost=20.0, items=60)
    assert paid["brier"].details["labels_per_item"] == 5
    assert [row["power"] for row in paid["brier"].details["split"]] == sorted(row["power"] for row in paid["brier"].details["split"])  # fmt: skip


def test_a_pilot_with_two_systems_plans_for_the_stated_difference():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1], 200)
    rows = [(i, j, int(rng.random() > p[i, 0])) for i in range(200) for j in range(6)]
    a, b = ({i: [x, 1 - x] for i, x in enumerate(np.clip(p[:, 0] + rng.uniform(-s, s, 200), 0.01, 0.99).tolist())} for s in (0.1, 0.3))  # fmt: skip
    soft = soft_labels(raters.read(rows, scale="nominal"))
    found = raters.plan_systems(soft, systems=(a, b), difference=0.02, ks=(1, 3, 6))
    row = found["brier"].details["split"][2]
    assert row["difference"] == pytest.approx(0.02)
    d = [((np.array(q[i]) - soft.shares[i]) ** 2).sum() for q in (b, a) for i in range(200)]
    assert row["sd"] == pytest.approx(np.std(np.subtract(d[:200], d[200:])), rel=0.01)
    assert row["items"] == pytest.approx(
        (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 * (row["sd"] / 0.02) ** 2, rel=0.05
    )


def test_vet_s_p_is_an_average_and_not_that_of_a_test():
    assert vet_p([0.0] * 5 + [1.0] * 5, [0.0] * 6 + [1.0] * 4) == (0.8, 0.7)
    assert vet_p([100.0] + [1.0] * 9, [10.0] * 10) == (0.1, 0.1)
    for power, p in ((0.64, 0.05), (0.8, 0.0238), (0.9, 0.0110)):
        mean = (stats.norm.isf(0.025) - stats.norm.isf(power)) / math.sqrt(1e6)
        assert t_power(mean, 1.0, 10**6) == pytest.approx(power, abs=1e-3)
        assert vet_p_of_power(mean, 1.0, 10**6) == pytest.approx(p, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "pass noise="),
        ({"systems": ({}, {})}, "pass noise="),
        ({"noise": (0.1,)}, "two numbers between 0 and 1"),
        ({"noise": (0.2, 0.2)}, "no difference to show"),
        ({"noise": (0.1, 0.2), "power": 1.5}, "power is between 0 and 1"),
        ({"systems": ({1: "a"},), "difference": 0.1}, "takes two"),
    ],
)
def test_one_clear_line(options, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.plan_systems(raters.examples.demo(), **options)


def test_one_label_an_item_shows_nothing_of_the_crowd():
    with pytest.raises(raters.UsageError, match="one label"):
        items_like(soft_labels([(1, "a", "x"), (2, "a", "y")]), (0.1, 0.2), 0)


def test_which_scores_are_best_served_by_one_label_each():
    """The guides: one label each for Brier, cross-entropy and accuracy against the vote, not for Manhattan (noisy systems,
    1,000 labels in all).
    """
    rng = np.random.default_rng(3)
    p = rng.uniform(0.02, 0.98, 1500)
    noisy = [1 / (1 + np.exp(-np.log(p / (1 - p)) - rng.normal(0, sd, len(p)))) for sd in (1.2, 0.6)]
    items = Items(binary(p), np.full(len(p), 1 / len(p)), *map(binary, noisy))
    best = {}
    for metric in METRICS:
        power = {k: t_power(*items.difference(metric, k), 1000 // k) for k in (1, 3, 5)}
        best[metric] = max(power, key=lambda k: power[k])
    assert {m: best[m] for m in ("brier", "cross_entropy", "accuracy")} == {
        "brier": 1,
        "cross_entropy": 1,
        "accuracy": 1,
    }
    assert best["manhattan"] > 1 and best["jensen_shannon"] > 1
