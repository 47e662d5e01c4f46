"""Biases that columns show, and drift between two versions of a judge."""

import numpy as np
import pytest

import raters
from raters.judges.version_drift import drift


def scores(n=300, seed=0, by_length=0.0, for_own=0.0):
    rng = np.random.default_rng(seed)
    quality, length = rng.normal(0, 1, n), rng.normal(0, 1, n)
    mine = rng.random(n) < 0.4
    people = [(i, f"p{j}", round(float(quality[i] + rng.normal(0, 0.5)), 1)) for j in range(3) for i in range(n)]
    said = quality + rng.normal(0, 0.5, n) + by_length * length + for_own * mine
    judge = [
        {
            "item": i,
            "rater": "gpt",
            "label": round(float(said[i]), 1),
            "words": float(100 + 30 * length[i]),
            "author": "gpt" if mine[i] else "other",
        }
        for i in range(n)
    ]
    return raters.read(people, scale="interval"), raters.read(judge, scale="interval")


def test_length_and_own_family():
    people, judge = scores(by_length=0.6, for_own=0.8)
    (r,) = raters.judge(people, judge, length="words", own="author", resamples=200)
    assert (
        r.biases.length.low > 0.3
        and r.biases.own_family.low > 0.4
        and "longer ones are rated higher" in r.biases.sentences[0]
    )
    (fair,) = raters.judge(*scores(seed=3), length="words", own="author", resamples=200)
    assert (
        fair.biases.length.low < 0 < fair.biases.length.high and "no clear bias by length" in fair.biases.sentences[0]
    )
    assert fair.biases.own_family.low < 0 < fair.biases.own_family.high
    with pytest.raises(raters.UsageError, match="no column 'letters'"):
        raters.judge(people, judge, length="letters")


def test_place():
    people = [(i, f"p{j}", "AB"[(i + j % 2) % 2]) for i in range(40) for j in range(3)]
    rows = [
        {"item": i, "rater": "m", "label": "A" if i % 4 else first, "shown": first} for i in range(40) for first in "AB"
    ]
    (r,) = raters.judge(people, raters.read(rows, duplicates="keep"), position="shown", resamples=50)
    assert (r.biases.position.pairs, r.biases.position.consistent, r.biases.position.always_first) == (40, 30, 10)
    assert "position" in r.to_dict()["biases"]


def test_drift():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 300)
    say = lambda w: np.where(rng.random(300) < w, rng.integers(0, 3, 300), truth)  # noqa: E731
    people = [(i, f"p{j}", "abc"[x]) for j in range(3) for i, x in enumerate(say(0.2))]
    before, after = ([(i, "m", "abc"[x]) for i, x in enumerate(say(w))] for w in (0.1, 0.6))
    found = drift(people, before, after, resamples=200)
    assert found["kappa"].high < 0 and found["changed"].value > 0.2
    kappas = [raters.judge(people, v, interval=None)[0]["kappa"].value for v in (before, after)]
    assert found["kappa"].value == pytest.approx(kappas[1] - kappas[0], abs=1e-12)
    same = drift(people, before, before, resamples=50)
    assert same["kappa"].value == 0 and same["changed"].value == 0


def _versions():
    """Three people, and two versions of a judge: the second is wrong more often and has a label of its own."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    say = lambda w: np.where(rng.random(200) < w, 1 - truth, truth)  # noqa: E731
    people = [(i, f"p{j}", "ab"[x]) for j in range(3) for i, x in enumerate(say(0.1))]
    rows = [
        {"item": i, "rater": "m", "label": "refused" if v == "v10" and i < 9 else "ab"[x], "version": v}
        for v, w in (("v9", 0.1), ("v10", 0.4))
        for i, x in enumerate(say(w))
    ]
    return people, raters.read(rows, duplicates="keep")


def test_drift_by_a_column_reports_on_the_later_version():
    people, model = _versions()
    (r,) = raters.judge(people, model, drift="version", resamples=200)
    assert (r.drift.before, r.drift.after, r.drift.shared) == ("v9", "v10", 200)
    assert r.drift["kappa"].high < 0 and "a clear fall" in r.drift.sentence
    assert r.consistency is None and r.confusion is not None and "refused" in r.confusion.rows
    assert r["kappa"].value == pytest.approx(r.drift.kappas[1], abs=1e-12)
    (back,) = raters.judge(people, model, drift={"version": ("v10", "v9")}, resamples=200)
    assert back.drift["kappa"].value == pytest.approx(-r.drift["kappa"].value, abs=1e-12)
    assert "a clear rise" in back.drift.sentence


def test_drift_needs_two_versions():
    people, model = _versions()
    with pytest.raises(raters.UsageError, match=r"has 2: 'v9', 'v10'. Name two of them, the earlier one first"):
        raters.judge(people, model, drift={"version": ("v1", "v10")})
    with pytest.raises(raters.UsageError, match="no column 'date' for drift"):
        raters.judge(people, model, drift="date")
    with pytest.raises(raters.UsageError, match="not both"):
        raters.judge(people, model, drift="version", before=model)


def test_drift_on_different_items_says_so():
    people, _ = _versions()
    early = [(i, "m", "ab"[i % 2]) for i in range(100)]
    late = [(i, "m", "ab"[i % 2]) for i in range(100, 200)]
    (r,) = raters.judge(people, late, before=early, resamples=50)
    assert r.drift.shared == 0 and np.isnan(r.drift["changed"].value)
    assert "the two labelled different items" in r.drift.sentence
