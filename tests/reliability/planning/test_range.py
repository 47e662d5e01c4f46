"""What the data do not determine is said, with the range of what they allow."""

import numpy as np
import pytest

import raters


def easy_and_coin_flips(seed=0, items=300):
    """70 % of the items are easy and 30 % coin flips: no number of labels brings the vote to .8."""
    rng = np.random.default_rng(seed)
    easy, truth = rng.random((items, 1)) < 0.7, rng.integers(0, 2, (items, 1))
    return raters.read(np.where(easy, truth, rng.integers(0, 2, (items, 5))), layout="wide", scale="nominal")


def test_the_sentence_carries_the_range():
    answer = raters.plan(easy_and_coin_flips(), target=0.8, resamples=100)
    said = answer.sentences[0]
    assert "needs about 29 labels per item (anywhere from 9 upward; possibly no number is enough)" in said
    made = raters.report(easy_and_coin_flips(), target=0.8, resamples=100)
    told = " ".join(made.text().split())
    assert "By the best estimate, about 29 labels per item" in told and "upward; possibly no number is enough" in told


def test_a_budget_and_the_labels_needed_say_the_same():
    """Labels that need 147 for the target: the budget knows it, though the best split is looked for up to 51."""
    rng = np.random.default_rng(4)
    p = rng.beta(30, 30, (400, 1)) * 0.9 + 0.05
    ann = raters.read((rng.random((400, 9)) < p).astype(int), layout="wide", scale="nominal")
    answer = raters.plan(ann, target=0.5, budget=5000, resamples=50)
    needed = answer["labels per item"].value
    assert needed > 51
    assert answer["items at the target"].details["labels_per_item"] == needed
    assert not any("not even two items" in s for s in answer.sentences)
    few = raters.plan(ann, target=0.5, budget=needed, resamples=50)
    assert any(
        f"not even two items whose aggregates reach 0.5, which takes {needed:.0f} labels" in s for s in few.sentences
    )


@pytest.mark.parametrize(("seed", "scale", "ties"), [(5, "ordinal", "random"), (3, "ordinal", "random"), (0, "nominal", "random"),
                                                     (1, "nominal", "abstain"), (2, "nominal", "first")])  # fmt: skip
def test_no_smaller_number_of_labels_reaches_the_target_in_krr(seed, scale, ties):
    """Only odd numbers were tried: plan said 7 where the median of 6, which may lie between two labels, was enough."""
    rng = np.random.default_rng(seed)
    x = np.clip(np.round(3 + 1.1 * rng.normal(0, 1, (60, 1)) + rng.normal(0, 0.9, (60, 4))), 1, 5)
    ann = raters.read(x, layout="wide", scale=scale)
    target = 0.8 if scale == "ordinal" else 0.45
    plan = raters.plan(ann, target, ties=ties, interval=None, budget=500, cost=1, item_cost=1)
    needed = int(plan["labels per item"].value)
    reached = [raters.krr(ann, k, ties=ties, interval=None).value >= target for k in range(1, needed + 1)]
    assert reached == [False] * (needed - 1) + [True]
    assert ("even_median" in {n.code for n in plan["labels per item"].notes}) == (
        scale == "ordinal" and needed % 2 == 0
    )
    assert plan["items at the target"].details["labels_per_item"] == needed
