"""Whether pools differ at all: raters are shuffled between them."""

from typing import Any

import numpy as np
import pytest
from pools import pooled

import raters
from raters.notes.note import codes


def lenient(seed: int, shift: float = 0.0, n: int = 40, each: int = 6) -> dict[str, Any]:
    """Raters differ in leniency; pools only by ``shift``."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    rows = []
    for p in "ab":
        for j in range(each):
            bias = rng.normal() + (shift if p == "b" else 0)
            rows += [(i, f"{p}{j}", int(v), p) for i, v in enumerate(z + bias + rng.normal(size=n) > 0)]
    return dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True))


def ps(shift: float, seeds: range) -> np.ndarray:
    found = []
    for seed in seeds:
        ann = raters.read(lenient(seed, shift), scale="nominal")
        found.append(raters.xrr(ann, pool="pool", interval=None, permutations=199, seed=seed).test.p)
    return np.array(found)


def test_whole_raters_keep_the_level_and_see_a_difference() -> None:
    """Under the null p is spread evenly although raters differ in leniency; a shift of the pool is found."""
    null = ps(0.0, range(20))
    assert 0.3 < null.mean() < 0.7 and (null <= 0.1).mean() < 0.3
    assert (ps(3.0, range(30, 35)) < 0.05).mean() > 0.8


def test_the_statistic_by_hand_and_all_arrangements() -> None:
    """Mean disagreement of pairs, every annotation alike, and p as the share of all 20 arrangements."""
    from itertools import combinations

    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (12, 6))
    rows = [(i, f"r{j}", int(labels[i, j]), "ab"[j // 3]) for i in range(12) for j in range(6)]
    ann = raters.read(
        dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True)), scale="nominal"
    )
    test = raters.xrr(ann, pool="pool", interval=None, permutations=50).test

    def by_hand(first: tuple[int, ...]) -> tuple[float, float]:
        apart: dict[bool, list[float]] = {True: [], False: []}
        for i in range(12):
            for r, s in combinations(range(6), 2):
                apart[(r in first) == (s in first)].append(float(labels[i, r] != labels[i, s]))
        return float(np.mean(apart[False])), float(np.mean(apart[True]))

    between, within = by_hand((0, 1, 2))
    assert (test.between, test.within) == pytest.approx((between, within), abs=1e-12)
    every = [b - w for b, w in map(by_hand, combinations(range(6), 3))]
    assert test.exact and test.permutations == 20
    assert test.p == pytest.approx(np.mean([v >= between - within - 1e-12 for v in every]))
    assert codes(test.notes) == {"lowest_p"} and "cannot be below 0.1" in str(test.notes[0])


def test_raters_who_never_recur_are_shuffled_within_items() -> None:
    columns = pooled(n=150, pools="ac", each=3)
    columns["rater"] = list(range(len(columns["rater"])))
    apart = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert apart.permuted == "labels within items" and apart.p == pytest.approx(0.01)
    columns = pooled(n=150, pools="ab", each=3)
    columns["rater"] = list(range(len(columns["rater"])))
    same = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert same.p > 0.05


@pytest.mark.parametrize("scale", ["interval", "ordinal", "ratio"])
def test_the_test_measures_by_the_scale(scale: str) -> None:
    columns = lenient(2)
    columns["label"] = [5 * k for k in columns["label"]]  # two values: all distances are one distance, scaled
    by_scale = raters.xrr(raters.read(columns, scale=scale), pool="pool", interval=None, permutations=99).test
    plain = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert by_scale.p == plain.p
    unit = by_scale.between / plain.between
    assert by_scale.within == pytest.approx(unit * plain.within)


def test_ordinal_ranks_count_items_and_not_patterns() -> None:
    """Twenty items that look alike weigh twenty times in the mid-ranks, whether or not they were folded to one."""
    columns = pooled(n=60, pools="ab", labels="1234")
    columns["label"] = [int(k) for k in columns["label"]]
    folded = raters.xrr(raters.read(columns, scale="ordinal"), pool="pool", interval=None, permutations=9).test
    apart = [
        raters.read(
            {k: [v for v, p in zip(c, columns["pool"], strict=True) if p == pool] for k, c in columns.items()},
            scale="ordinal",
            labels=[1, 2, 3, 4],
        )
        for pool in "ab"
    ]
    aligned = raters.xrr(*apart, interval=None, permutations=9).test
    assert (folded.between, folded.within, folded.p) == pytest.approx((aligned.between, aligned.within, aligned.p))


def test_no_names_no_test() -> None:
    x, y = (
        raters.read([[2, 1], [1, 2], [0, 3]], layout="counts", scale="nominal", labels=["n", "y"]) for _ in range(2)
    )
    result = raters.xrr(x, y, interval=None, permutations=10)
    assert np.isnan(result.test.p) and "no names" in str(result.test)
