"""Reasons planted in made data are found, with the figure that they say."""

import numpy as np
import pytest

import raters


def made(n=150, seed=0, accuracy=(0.85, 0.85, 0.85, 0.85), labels="abcd", prevalence=None):
    rng = np.random.default_rng(seed)
    truth = rng.choice(list(labels), n, p=prevalence)
    return [
        (f"i{i}", f"r{j}", str(truth[i] if rng.random() < p else rng.choice(list(labels))))
        for i in range(n)
        for j, p in enumerate(accuracy)
    ]


def read(rows):
    return raters.read(rows, scale="nominal")


def test_a_rater_who_stands_against_the_rest():
    rows = made(accuracy=(0.9, 0.9, 0.9, 0.1))
    why = raters.explain(read(rows))
    first = why.reasons[0]
    assert first.kind == "rater" and "'r3'" in first.text
    kept = raters.agreement(read([r for r in rows if r[1] != "r3"]))
    assert first.estimate.value == pytest.approx(kept.value, rel=1e-12)
    assert first.change == pytest.approx(kept.value - why.estimate.value, rel=1e-12)
    assert first.estimate.low == pytest.approx(kept.low, abs=0.02)


def test_two_labels_taken_for_each_other():
    rng = np.random.default_rng(1)
    rows = [(i, r, str(rng.choice(["a", "b"])) if v in "ab" else v) for i, r, v in made(accuracy=(0.95,) * 4)]
    why = raters.explain(read(rows))
    first = why.reasons[0]
    assert first.kind == "labels" and "confuse 'a' and 'b'" in first.text
    merged = raters.agreement(read([(i, r, "ab" if v in "ab" else v) for i, r, v in rows]), interval=None)
    assert first.estimate.value == pytest.approx(merged.value, rel=1e-12)


def test_zero_although_everybody_agrees():
    rows = [(i, r, "no") for i in range(300) for r in "abc"]
    rows += [(1000 + i, r, "yes" if r == "a" else "no") for i in range(9) for r in "abc"]
    why = raters.explain(read(rows))
    assert abs(why.estimate.value) < 0.02
    assert why.reasons[0].kind == "skew" and "although raters mostly agree" in why.sentence
    ac1 = raters.agreement(read(rows), "gwet", interval=None).value
    assert why.reasons[0].estimate.value == pytest.approx(ac1, rel=1e-12)


def test_a_few_hard_items():
    rng = np.random.default_rng(2)
    rows = [(f"e{i}", f"r{j}", "ab"[i % 2]) for i in range(190) for j in range(4)]
    rows += [(f"h{i}", f"r{j}", str(rng.choice(["a", "b"]))) for i in range(10) for j in range(4)]
    why = raters.explain(read(rows))
    hard = next(r for r in why.reasons if r.kind == "items")
    easy = raters.agreement(read([r for r in rows if r[0].startswith("e")]), interval=None)
    assert easy.value == 1 and hard.estimate.value == 1 and "10 hardest items" in hard.text


def test_too_few_items_and_items_with_one_label():
    why = raters.explain(read(made(n=12)))
    few = next(r for r in why.reasons if r.kind == "few")
    half = (why.estimate.high - why.estimate.low) / 2
    assert f"about {int(np.ceil(12 * (half / 0.1) ** 2))} items would" in few.text
    rows = made(n=30) + [(f"s{i}", "r0", "a") for i in range(30)]
    assert any(r.kind == "single" and "30 of 60" in r.text for r in raters.explain(read(rows)).reasons)


@pytest.mark.parametrize(
    "table, most",
    [([[25, 12, 3], [13, 2, 15], [12, 16, 2]], 0.85), ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.831)],
)
def test_largest_kappa_of_cohen_1960(table, most):
    from raters.agree.agreement_spec import request
    from raters.agree.estimating import estimate, folded, kernel_of
    from raters.agree.explaining import margins_apart

    ann = raters.read(table, layout="contingency", labels=["1", "2", "3"], scale="nominal")
    req = request("cohen", interval=None)
    items = folded(req, ann)[None]
    kernel = kernel_of(req, ann)
    chance = estimate(req, items, kernel).expected
    got = (1 - margins_apart(items)[0] - chance) / (1 - chance)
    assert got == pytest.approx(most, abs=0.006 if most == 0.85 else 0.0006)


@pytest.mark.parametrize(("n", "raters_", "each"), [(300, 20, 5), (600, 30, 5), (300, 5, 5)])
def test_identical_raters_have_no_ceiling(n, raters_, each):
    """Their margins come from other items, or differ by chance: ".79" was said where the truth is 1."""
    rng = np.random.default_rng(7)
    common, own = rng.random((n, 1)) < 0.08, rng.random((n, raters_)) < 0.08
    x = np.where(rng.random((n, raters_)) < np.sqrt(0.5), common, own).astype(int)
    keep = rng.random(x.shape).argsort(1) < each
    ann = raters.read([(i, f"r{j}", int(x[i, j])) for i, j in zip(*np.nonzero(keep), strict=True)], scale="nominal")
    why = raters.explain(ann, interval=None)
    assert why.largest >= 0.95 and "The largest" not in str(why)


def test_raters_of_different_margins_have_a_ceiling():
    z = np.random.default_rng(0).random((300, 1))
    ann = raters.read((z < [0.1, 0.2, 0.3, 0.4, 0.5]).astype(int), layout="wide", scale="nominal")
    assert raters.agreement(ann, interval=None).value < raters.explain(ann, interval=None).largest < 0.65


def test_ordinal_and_interval_scales_are_explained_too():
    rng = np.random.default_rng(3)
    truth = rng.normal(5, 2, 100)
    rows = [
        (i, j, float(truth[i] + (rng.normal(0, 0.5) if j else rng.normal(0, 6)))) for i in range(100) for j in range(4)
    ]
    why = raters.explain(raters.read(rows, scale="interval"))
    assert why.reasons[0].kind == "rater" and "'0'" in why.reasons[0].text
    ranks = [(i, j, int(np.clip(round(v), 1, 9))) for i, j, v in rows]
    assert raters.explain(raters.read(ranks, scale="ordinal")).reasons[0].kind == "rater"


def test_undefined_says_why():
    why = raters.explain(read([("q", "a", "x"), ("q", "b", "x"), ("p", "a", "x"), ("p", "b", "x")]))
    assert why.reasons == () and "undefined" in why.sentence and "'x'" in why.sentence


def test_the_least_p_of_shuffles_is_said_as_a_limit():
    rows = [(i, r, "ab"[(i + (r == 0)) % 2]) for i in range(100) for r in range(5)]
    assert "(p <= 0.0005, adjusted" in str(raters.explain(raters.read(rows, scale="nominal")))
