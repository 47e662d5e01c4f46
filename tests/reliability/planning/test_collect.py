"""Planning: labels per item, items, budgets."""

import numpy as np
import pytest

import raters
from raters.errors import UsageError
from raters.reliability.planning.plan import items_for_kappa
from raters.reliability.variance.components import ratings_needed


def numbers(n=300, r=4, icc=0.4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 1)) * np.sqrt(icc) + rng.normal(size=(n, r)) * np.sqrt(1 - icc)
    return raters.read(x, layout="wide", scale="interval")


def test_labels_for_means_invert_spearman_brown():
    ann = numbers()
    answer = raters.plan(ann, target=0.8, resamples=300)
    r = raters.icc(ann)["ICC(1)"].value
    needed = answer["labels per item"]
    assert needed.value == np.ceil(ratings_needed(r, 0.8))
    assert needed.low <= needed.value <= needed.high and needed.low < needed.high
    reached = {e.details["k"]: e.value for e in answer.curve}
    assert (
        reached[needed.value]
        >= 0.8
        > reached.get(needed.value - 1, raters.krr(ann, int(needed.value) - 1, interval=None).value)
    )
    assert "needs" in answer.sentences[0] and str(answer) == "\n".join(answer.sentences)


def test_labels_for_votes_follow_the_curve():
    rng = np.random.default_rng(1)
    p = 0.25 + 0.5 * rng.integers(0, 2, 400)
    ann = raters.read(rng.random((400, 8)) < p[:, None], layout="wide", scale="nominal")
    answer = raters.plan(ann, target=0.7, resamples=300)["labels per item"]
    assert answer.value % 2 == 1 and answer.low <= answer.value
    # raters who are right three times in four: the vote of 7 is right .929 of the time, alpha (2 * .929 - 1)^2 = .736
    assert answer.low <= 7 <= np.nan_to_num(answer.high, nan=np.inf)
    assert "extrapolated" in answer.warnings[-1]


def test_out_of_reach_is_said():
    rng = np.random.default_rng(0)
    ann = raters.read(rng.integers(0, 2, (200, 6)), layout="wide", scale="nominal")
    answer = raters.plan(ann, target=0.95, resamples=200)
    assert np.isnan(answer["labels per item"].value) or answer["labels per item"].value > 100
    assert "more than 201" in answer.sentences[0] or np.isfinite(answer["labels per item"].value)


def test_items_scale_with_the_square_of_the_width():
    ann = numbers()
    wide, narrow = (raters.plan(ann, width=w, resamples=300) for w in (0.2, 0.1))
    assert narrow["items for width 0.1"].value == pytest.approx(4 * wide["items for width 0.2"].value, abs=4)
    irr = raters.agreement(ann, resamples=300)
    least = narrow["smallest detectable difference"].value
    assert least == pytest.approx((1.959964 + 0.841621) * irr.se, rel=1e-4)
    told = raters.plan(ann, tell=(0.5, 0.5 + least), resamples=300)
    assert told[f"items to tell 0.5 from {0.5 + least:g}"].value == pytest.approx(300, abs=1)


def test_width_is_reached_with_the_items_foretold():
    ann = numbers(n=200)
    n = int(raters.plan(ann, width=0.1, resamples=500)["items for width 0.1"].value)
    e = raters.agreement(numbers(n=n, seed=5), interval="delta")
    assert e.high - e.low == pytest.approx(0.1, rel=0.12)


def test_kappa_by_formula():
    """R irr: N.cohen.kappa(.5, .5, .7, .85) = 96. It also gives 40 for rates .7 and .3, between which .5 cannot be."""
    assert items_for_kappa(0.5, 0.5, 0.7, 0.85) == 96
    assert items_for_kappa(0.5, 0.5, 0.7, 0.85, two_sided=True) > 96
    with pytest.raises(UsageError, match="is impossible"):
        items_for_kappa(0.7, 0.3, 0.7, 0.5)


def test_power_of_the_kappa_formula():
    rng = np.random.default_rng(4)
    n, kappa, null = items_for_kappa(0.5, 0.5, 0.4, 0.65), 0.4, 0.65
    same = 0.5 + kappa / 2
    agree = rng.binomial(n, same, 4000) / n
    est = 2 * agree - 1
    se = np.sqrt((1 - null**2) / n)
    assert np.mean((null - est) / se > 1.644854) == pytest.approx(0.8, abs=0.05)


def test_budget():
    ann = numbers(icc=0.4)
    r = raters.icc(ann)["ICC(1)"].value
    free = raters.plan(ann, budget=1000, cost=1, resamples=200)
    assert free["best labels per item"].value == 1 and free["items at the best"].value == 1000
    dear = raters.plan(ann, budget=1000, cost=1, item_cost=6, resamples=200)
    assert dear["best labels per item"].value == pytest.approx(np.sqrt(6 * (1 - r) / r), abs=1)
    k = dear["items at the target"].details["labels_per_item"]
    assert dear["items at the target"].value == int(1000 / (6 + k)) and k == dear["labels per item"].value
    with pytest.raises(UsageError, match="the budget must buy at least one label"):
        raters.plan(ann, budget=1, cost=2)


BAD = [{"target": 1.2}, {"power": 0}, {"width": -1}, {"cost": 0}, {"item_cost": -1}, {"budget": np.nan}, {"budget": np.inf},
       {"cost": np.nan}, {"tell": (0.5, 0.5)}, {"tell": (0.5, np.nan)}, {"tell": (0.2, 2)}]  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_bad_plans(bad):
    with pytest.raises(UsageError):
        raters.plan(numbers(20), **bad)


def test_nothing_is_planned_from_labels_that_do_not_vary():
    ann = raters.read([(i, r, "x") for i in range(6) for r in "ab"], scale="nominal")
    plan = raters.plan(ann, resamples=20)
    assert "cannot be determined" in plan.sentences[0] and "undefined" in plan.sentences[0]


def test_nothing_is_planned_from_one_label_an_item():
    plan = raters.plan(raters.read([(i, 0, i % 2) for i in range(30)], scale="nominal"), resamples=20)
    assert "cannot be determined: no item has two labels" in plan.sentences[0]


def test_never_fewer_than_two_items():
    ann = raters.read(np.array([[0, 0, 1, 2, 3], [1, 1, 0, 3, 2]]), layout="wide", scale="nominal")
    plan = raters.plan(ann, resamples=50)
    assert plan["items for width 0.1"].value >= 2 and plan["items to tell 0.7 from 0.8"].value >= 2
