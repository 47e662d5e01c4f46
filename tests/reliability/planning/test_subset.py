"""How many items need several labels."""

import numpy as np

import raters


def test_the_multiply_rated_part():
    rng = np.random.default_rng(2)
    rows = [
        (i, j, int(rng.random() < (0.3 if i < 150 else 0.6)), "ab"[i < 150])
        for i in range(300)
        for j in range(3 if i < 150 else 1)
    ]
    columns = dict(zip(("item", "rater", "label", "source"), map(list, zip(*rows, strict=True)), strict=True))
    answer = raters.plan(raters.read(columns, scale="nominal"), resamples=200)
    assert answer["several v. one: labels"].details["p"] < 0.001
    assert answer["several v. one: column 'source'"].details["p"] < 0.001
    assert any("unlike" in s for s in answer.sentences)
    like = [(i, j, int(rng.random() < 0.4)) for i in range(300) for j in range(3 if i < 150 else 1)]
    assert raters.plan(raters.read(like, scale="nominal"), resamples=200)["several v. one: labels"].details["p"] > 0.01
