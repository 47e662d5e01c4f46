"""Shares in strata and with weights, and means from another set of items."""

import numpy as np
import pytest

import raters
from raters.judges.means import powered_mean, tuned
from raters.judges.shares import corrected, poststratified


def rows(n=300, labelled=60, seed=0, labels=("no", "yes"), right=0.85, shares=None):
    """A judge of all items, a person on the first ones; topics x and y; weights 1 to 3."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(labels), n, p=shares)
    said = np.where(rng.random(n) < right, truth, rng.integers(0, len(labels), n))
    beside = [{"topic": "xy"[int(rng.random() < 0.3)], "w": int(rng.integers(1, 4))} for _ in range(n)]
    model = [{"item": i, "rater": "m", "label": labels[x], **beside[i]} for i, x in enumerate(said)]
    return [{"item": i, "rater": "h", "label": labels[truth[i]]} for i in range(labelled)], model, truth, said


def test_strata_of_shares():
    people, model, truth, said = rows()
    found = raters.calibrate(people, model, sample="random", strata="topic", shares={"x": 0.4, "y": 0.6})
    want = np.zeros(2)
    for topic, share in (("x", 0.4), ("y", 0.6)):
        at = np.array([m["topic"] == topic for m in model])
        table = np.zeros((2, 2))
        np.add.at(table, (said[:60][at[:60]], truth[:60][at[:60]]), 1)
        want += share * poststratified(table, np.bincount(said[60:][at[60:]], minlength=2)).value
    assert [found["no"].value, found["yes"].value] == pytest.approx(want.tolist(), abs=1e-12)
    assert found["yes"].low < found["yes"].value < found["yes"].high and len(found.people_alone) == 2
    width = [e.high - e.low for e in (found["yes"], found.people_alone[1])]
    assert width[0] < width[1]


def test_a_stratum_without_human_labels_is_named():
    people, model, _, _ = rows()
    lone = [p for p in people if model[p["item"]]["topic"] == "x"]
    found = raters.calibrate(lone, model, sample="random", strata="topic")
    assert np.isnan(found["yes"].value) and "stratum 'y' has no human label" in found["yes"].warnings[0]


def test_weights_of_items():
    people, model, truth, said = rows()
    w = np.array([m["w"] for m in model], float)
    found = raters.calibrate(people, model, sample="other", item_weights="w")
    table = np.zeros((2, 2))
    np.add.at(table, (said[:60], truth[:60]), w[:60])
    q = np.bincount(said[60:], w[60:], 2)
    assert found["yes"].details["raw"] == pytest.approx(
        np.linalg.solve(table / table.sum(0), q / q.sum())[1], abs=1e-12
    )
    same = [{**m, "w": 2} for m in model]
    plain, equal = (
        raters.calibrate(people, model, sample="random"),
        raters.calibrate(people, same, sample="random", item_weights="w"),
    )
    assert [e.value for e in plain.estimates] == pytest.approx([e.value for e in equal.estimates], abs=1e-12)
    assert [e.low for e in plain.combined] == pytest.approx([e.low for e in equal.combined], abs=1e-12)
    with pytest.raises(raters.DataError, match="weights are numbers above 0"):
        raters.calibrate(people, [{**m, "w": 0} for m in model], sample="random", item_weights="w")


def test_weighted_means():
    rng = np.random.default_rng(2)
    y, f, rest = rng.normal(0, 1, 40), rng.normal(0, 1, 40), rng.normal(0, 1, 200)
    f += y
    w, v = rng.integers(1, 4, 40).astype(float), rng.integers(1, 4, 200).astype(float)
    found = powered_mean(y, f, rest, weights=(w, v))
    lam = tuned(y, f, rest, weights=(w, v))
    mean = lambda x, u: float((x * u).sum() / u.sum())  # noqa: E731
    assert found.value == pytest.approx(mean(y, w) + lam * (mean(rest, v) - mean(f, w)), abs=1e-12)
    one, two = powered_mean(y, f, rest), powered_mean(y, f, rest, weights=(np.full(40, 3.0), np.full(200, 0.5)))
    assert [one.value, one.se, one.lam, one.human_se] == pytest.approx(
        [two.value, two.se, two.lam, two.human_se], abs=1e-12
    )
    hits = 0
    for s in range(200):  # weights that go with the values: the weighted mean is 0 by design
        rng = np.random.default_rng(s)
        z, u = rng.normal(0, 1, 340), rng.integers(1, 4, 340).astype(float)
        e = powered_mean(
            z[:40], (z + rng.normal(0, 0.7, 340))[:40], (z + rng.normal(0, 0.7, 340))[40:], weights=(u[:40], u[40:])
        )
        hits += e.low <= 0 <= e.high
    assert hits / 200 > 0.9


def test_a_mean_from_another_set_is_made_of_shares():
    people, model, truth, said = rows(n=900, labelled=300, labels=(1, 2, 3), right=0.8, shares=[0.2, 0.3, 0.5])
    found = raters.calibrate(
        raters.read(people, scale="interval"), raters.read(model, scale="interval"), sample="other", estimate="mean"
    )
    table = np.zeros((3, 3))
    np.add.at(table, (said[:300], truth[:300]), 1)
    fix = corrected(table, np.bincount(said[300:], minlength=3))
    assert found["mean"].value == pytest.approx(float(fix.value @ [1, 2, 3]), abs=1e-12)
    assert found["mean"].low < 1 + truth.mean() < found["mean"].high and "Rogan-Gladen" in found.sentence


def test_the_mean_from_another_set_holds():
    """People label another set, in which all scores are as frequent; the judge errs as it does elsewhere."""
    rng, numbers, hits = np.random.default_rng(3), np.arange(1.0, 4.0), 0
    c = np.array([[0.8, 0.1, 0.05], [0.15, 0.8, 0.15], [0.05, 0.1, 0.8]])
    p = np.array([0.6, 0.3, 0.1])
    for s in range(200):
        table = np.stack([rng.multinomial(40, c[:, k]) for k in range(3)], 1)
        drawn = corrected(table, rng.multinomial(600, c @ p), seed=s, draws=600).drawn @ numbers
        low, high = np.quantile(drawn, [0.025, 0.975])
        hits += low <= p @ numbers <= high
    assert hits / 200 >= 0.92


def test_scores_of_many_values_say_what_to_do():
    rng = np.random.default_rng(0)
    people = [(i, "h", round(float(x), 2)) for i, x in enumerate(rng.normal(3, 1, 60))]
    model = [(i, "m", round(float(x), 2)) for i, x in enumerate(rng.normal(3, 1, 200))]
    with pytest.raises(raters.UsageError, match="Have people label a random subset"):
        raters.calibrate(
            raters.read(people, scale="interval"), raters.read(model, scale="interval"), sample="other", estimate="mean"
        )


def test_balanced_on_purpose_holds():
    """25 labels of each class from a judge that is right 9 times in 10, a tenth positive: .930 without the larger
    base.
    """
    rng, hits = np.random.default_rng(11), 0
    for s in range(400):
        tp, fp = rng.binomial(25, [0.9, 0.1])
        q = rng.binomial(1000, 0.18)
        fix = corrected(np.array([[tp, fp], [25 - tp, 25 - fp]]), np.array([q, 1000 - q]), draws=800, seed=s)
        hits += fix.low[0] <= 0.1 <= fix.high[0]
    assert hits / 400 >= 0.925


def test_what_was_moved_to_the_simplex_is_said():
    pairs = [
        (h, j)
        for h, row in zip("abc", [[30, 5, 5], [4, 25, 6], [2, 3, 20]], strict=True)
        for j, n in zip("abc", row, strict=True)
        for _ in range(n)
    ]
    people = [(i, "h", h) for i, (h, _) in enumerate(pairs)]
    model = [(i, "m", j) for i, j in enumerate([*(j for _, j in pairs), *"a" * 700, *"b" * 260, *"c" * 40])]
    found = raters.calibrate(people, model, sample="other")
    assert any("a 0.914, b 0.228, c -0.142, which are not shares" in w for w in found.warnings)


def test_a_frequent_class_of_three_from_twenty_labels():
    """Dirichlet(1/K) alone held .7 of three classes in .92 of studies, and .8 in .89."""
    for p, least in ((np.array([0.7, 0.2, 0.1]), 0.93), (np.array([0.8, 0.1, 0.1]), 0.92)):
        c = np.full((3, 3), 0.15) + np.eye(3) * 0.55  # right 7 times in 10
        rng, hits = np.random.default_rng(5), 0
        for s in range(300):
            table = rng.multinomial(20, (c * p).ravel()).reshape(3, 3)
            found = poststratified(table, rng.multinomial(1000, c @ p), draws=500, seed=s)
            hits += found.low[0] <= p[0] <= found.high[0]
        assert hits / 300 >= least


def test_labels_are_planned_for_the_class_that_takes_most():
    """A rare first class would promise a width that the others do not reach."""
    human = [(i, "ann", "rare" if i < 4 else "xy"[i % 2]) for i in range(100)]
    model = [(i, "m", "rare" if i < 3 else "xy"[(i + (i % 9 == 0)) % 2]) for i in range(1000)]
    needed = raters.calibrate(human, model, sample="random").labels_for(0.05)
    assert needed.human_only > 370 and "the class that needs the most, needs" in needed.sentence


@pytest.mark.parametrize(("sample", "share"), [("random", 1 / 3), ("other", 0.0)])
def test_the_judge_alone_counts_the_items_of_the_sample_only_if_they_are_of_the_same_kind(sample, share):
    people = [(i, "ann", "ab"[i % 2]) for i in range(20)]
    model = [(i, "gpt", "a" if i < 15 else "b") for i in range(30)] + [(i, "gpt", "b") for i in range(30, 45)]
    found = raters.calibrate(people, model, sample=sample)
    assert found.judge_alone[0].value == pytest.approx(share)
