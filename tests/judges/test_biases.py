"""Biases that columns show."""

import numpy as np
import pytest

import raters


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
