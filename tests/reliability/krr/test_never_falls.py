"""More labels do no harm where nobody disagrees, to means never, and to votes only where a minority label loses them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import raters


def votes(shares: np.ndarray, n: int, seed: int = 0) -> raters.Annotations:
    """Items with these probabilities of a yes, labelled by n raters each."""
    x = np.random.default_rng(seed).random((len(shares), n)) < shares[:, None]
    return raters.read(np.where(x, "yes", "no"), layout="wide", scale="nominal", labels=["no", "yes"])


@pytest.mark.parametrize(("items", "n", "yes"), [(10, 2, 1), (30, 2, 15), (30, 3, 3), (40, 5, 4)])
def test_where_nobody_disagrees_no_vote_is_less_reliable(items: int, n: int, yes: int) -> None:
    ann = votes((np.arange(items) < yes).astype(float), n)
    assert [e.value for e in raters.krr_curve(ann, [1, 3, 5, 9, 21])] == [1.0] * 5
    assert raters.plan(ann, 0.8, resamples=100)["labels per item"].value == 1


def test_four_labels_without_disagreement() -> None:
    x = np.repeat(np.arange(40)[:, None] % 4, 3, 1)
    ann = raters.read(x, layout="wide", scale="nominal")
    assert raters.krr(ann, 9, interval=None).value == pytest.approx(1)


def test_a_plan_does_not_contradict_its_own_interval() -> None:
    """The interval at one label begins above the target; a range of larger votes begins below it."""
    ann = votes(np.repeat([1.0, 0.0], [8, 92]), 5)
    single = raters.krr(ann, 1)
    assert single.low > 0.9 > min(raters.krr(ann, k).low for k in (3, 9))
    needed = raters.plan(ann, 0.9, resamples=200)["labels per item"]
    assert (needed.value, needed.low, needed.high) == (1, 1, 1)


def test_a_minority_label_that_loses_every_larger_vote() -> None:
    """10 % of items with p = .45: .424, .400, .382; both roads, and the sentence says why."""
    for k, known in ((1, 0.424), (3, 0.400), (5, 0.382)):
        q = stats.binom.sf(k // 2, k, 0.45)
        assert (0.1 * q**2 - (0.1 * q) ** 2) / (0.1 * q * (1 - 0.1 * q)) == pytest.approx(known, abs=5e-4)
    many = np.round(20_000 * 0.1 * stats.binom.pmf(np.arange(11), 10, 0.45)).astype(int)
    yes = np.concatenate([np.zeros(18_000, int), np.repeat(np.arange(11), many)])
    ann = raters.read(np.column_stack([10 - yes, yes]), layout="counts", labels=["no", "yes"], scale="nominal")
    curve = raters.krr_curve(ann, [1, 3, 5], resamples=50, replications=100_000)
    assert [e.value for e in curve] == pytest.approx([0.424, 0.400, 0.382], abs=0.006)
    assert [[n.code for n in e.notes if n.code == "loses_votes"] for e in curve] == [
        [],
        ["loses_votes"],
        ["loses_votes"],
    ]
    facts = next(n for n in curve[2].notes if n.code == "loses_votes").facts
    assert facts["label"] == "yes" and facts["before"] == pytest.approx(0.045, abs=1e-3)


def table(seed: int) -> raters.Annotations:
    """A random table: how many items, raters and labels, how rare the labels are and how well raters agree."""
    rng = np.random.default_rng(seed)
    items, n, q = int(rng.integers(8, 80)), int(rng.integers(2, 7)), int(rng.integers(2, 4))
    p = rng.dirichlet(np.full(q, rng.choice([0.05, 0.3, 1, 5])) * rng.dirichlet(np.full(q, 2)) * q + 1e-6, items)
    x = np.array([rng.choice(q, n, p=row / row.sum()) for row in p])
    return raters.read(x, layout="wide", scale="nominal", labels=list(range(q)))


@pytest.mark.parametrize("seed", [0, 3, 4, 17, 21])
def test_krr_plan_and_agreement_say_the_same(seed: int) -> None:
    """A law over random tables: k = 1 is the agreement, a fall has its reason, and a plan's answer is on krr's curve."""
    ann = table(seed)
    curve = {int(e.details["k"]): e for e in raters.krr_curve(ann, [1, 3, 5, 9, 15], interval=None)}
    one = raters.agreement(ann, interval=None).value
    assert curve[1].value == pytest.approx(one, nan_ok=True)
    for e in curve.values():
        if np.isfinite(one) and e.value < one - 0.01:
            told = {n.code for n in raters.krr(ann, int(e.details["k"]), resamples=20).notes}
            assert told & {"loses_votes", "lower_by_chance"}
    needed = raters.plan(ann, 0.7, interval=None)["labels per item"].value
    if np.isfinite(needed):
        assert raters.krr(ann, int(needed), interval=None).value >= 0.7
    elif np.isfinite(one):
        assert all(e.value < 0.7 for e in curve.values() if np.isfinite(e.value))


@pytest.mark.parametrize("seed", range(2))
def test_means_never_fall(seed: int) -> None:
    """Numbers without reliability: the prophecy formula is undefined past its pole, where it gave 27.4 and limits in
    the wrong order; and the report has no figure that is not there.
    """
    rng = np.random.default_rng(seed)
    ann = raters.read(
        rng.integers(0, 100, (int(rng.integers(20, 50)), 4)).astype(float), layout="wide", scale="interval"
    )
    curve = raters.krr_curve(ann, [1, 2, 5, 15, 40])
    values = [e.value for e in curve]
    assert values == sorted(values) and max(values) < 1
    assert all(e.low <= e.value <= e.high < 1 for e in curve)
    assert not any(n.code.startswith("drawing_error") for e in curve for n in e.notes)
    if values[0] <= 0:
        assert values == [values[0]] * 5 and "never_above_0" in {n.code for n in curve[1].notes}
    assert raters.report(ann, resamples=100).text()


def test_many_items_of_few_labels_say_what_would_settle_it() -> None:
    """The range of the majority of five from five labels hardly narrows with more items; a few with more labels do."""
    shares = np.random.default_rng(0).beta(0.3, 0.3, 4000)
    e = raters.krr(votes(shares, 5), 5)
    facts = next(n for n in e.notes if n.code == "would_settle").facts
    assert facts["labels"] == 10 and 50 <= facts["items"] < 1500 and e.high - e.low > 0.1
    assert "would_settle" not in {n.code for n in raters.krr(votes(shares[:300], 5), 5).notes}
