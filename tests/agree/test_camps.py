"""Camps of raters: found where there are two minds, and not where raters are alike or merely careless."""

import numpy as np

import raters
from raters.agree.camps import camps


def crowd(seed, minds, careless=(), n=80, each=None):
    """Raters with the truth of their mind; careless ones say anything."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        truths = [int(rng.integers(3)), int(rng.integers(3))]
        if rng.random() < 0.6:
            truths[1] = truths[0]
        who = range(len(minds)) if each is None else rng.choice(len(minds), each, replace=False)
        for j in who:
            wrong = 0.9 if j in careless else 0.15
            rows.append((i, f"r{j}", "abc"[int(rng.integers(3)) if rng.random() < wrong else truths[minds[j]]]))
    return raters.read(rows, scale="nominal")


def test_two_minds_are_two_camps():
    found = camps(crowd(0, [0, 0, 1, 0, 1, 1]))
    assert found is not None and found.p <= 0.05
    assert {frozenset(c) for c in found.camps} == {frozenset({"r0", "r1", "r3"}), frozenset({"r2", "r4", "r5"})}
    assert min(found.within) > found.between
    assert camps(crowd(1, [0, 0, 0, 1, 1, 1], each=4, n=150)) is not None


def test_within_and_between_are_counts_by_hand():
    ann = crowd(0, [0, 0, 1, 0, 1, 1])
    found = camps(ann)
    pairs = {
        frozenset((e.details["rater_a"], e.details["rater_b"])): e.value
        for e in raters.per_pair(ann, "percent", interval=None)
    }
    one, two = (set(c) for c in found.camps)
    between = np.mean([v for k, v in pairs.items() if len(k & one) == 1])
    assert found.between == np.float32(between) or abs(found.between - between) < 1e-6
    assert abs(found.within[0] - np.mean([v for k, v in pairs.items() if k <= one])) < 1e-6
    assert abs(found.within[1] - np.mean([v for k, v in pairs.items() if k <= two])) < 1e-6


def test_raters_who_are_alike_are_no_camps():
    named = sum(camps(crowd(seed, [0] * 6, n=40), seed) is not None for seed in range(30))
    assert named <= 4  # one table in twenty


def test_careless_raters_are_no_camp():
    assert not any(camps(crowd(seed, [0] * 7, careless=(5, 6)), seed) for seed in range(8))


def test_few_raters_and_numbers_are_not_looked_at():
    assert camps(crowd(0, [0, 0, 1])) is None
    assert camps(raters.read([(i, j, i * 1.5 + j) for i in range(20) for j in range(5)], scale="interval")) is None
