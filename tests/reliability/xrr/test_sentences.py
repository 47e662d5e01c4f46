"""What is said of two pools is so: good only above a margin, different only where shuffled raters show it, else cannot
tell.
"""

import numpy as np
import pytest
from lenient import lenient

import raters

DIFFER = ("less than within themselves", "hardly with each other")


def differ(result: raters.results.CrossReliability) -> bool:
    """Whether the sentence says of the pools, not only of these raters, that they differ."""
    said = result.sentence
    return any(x in said for x in DIFFER) and not said.startswith("These raters") and "a good replication (" not in said


def noise(n: int, seed: int) -> tuple[raters.Annotations, raters.Annotations]:
    rng = np.random.default_rng(seed)
    made = [[(i, f"{p}{j}", "yn"[rng.integers(0, 2)]) for i in range(n) for j in range(3)] for p in "xy"]
    return raters.read(made[0], scale="nominal"), raters.read(made[1], scale="nominal")


def test_pools_of_one_population_who_differ_in_leniency_are_not_said_to_differ() -> None:
    found = [raters.xrr(lenient(seed), pool="pool", resamples=100) for seed in range(40)]
    fixed = sum(r.difference.high < 0 for r in found if isinstance(r, raters.results.CrossReliability))
    assert fixed >= 6  # of these very raters it is so: the interval over items holds them fixed
    assert sum(differ(r) for r in found) <= 5  # 2 are expected at most; above 5 has a probability of .014
    held = next(r for r in found if r.difference.high < 0 and r.test.p > 0.05 and r.normalized.low < 0.9)
    assert "it is not clear whether the pools differ" in held.sentence and "whole raters shuffled" in held.sentence
    assert all("the raters are held fixed" in r.sentence for r in found)


def test_pools_that_differ_are_said_to_differ() -> None:
    found = [raters.xrr(lenient(seed, spread=0.3, shift=1.5), pool="pool", resamples=100) for seed in range(5)]
    assert all(differ(r) for r in found)


def test_of_several_pools_each_pair_has_its_own_test() -> None:
    ann = lenient(0, spread=0.3, shift=1.5)
    got = ann.engine.query("SELECT item, rater, label, pool FROM annotations")
    rows = {k: list(v) for k, v in got.items()}
    third = [i for i, p in enumerate(rows["pool"]) if p == "a"]
    for k in rows:
        rows[k] += [f"c{rows[k][i]}" if k == "rater" else "c" if k == "pool" else rows[k][i] for i in third]
    three = raters.xrr_table(raters.read(rows, scale="interval"), pool="pool", resamples=100)
    two = raters.xrr(ann, pool="pool", resamples=100)
    pair = next(r for r in three if r.pools == ("a", "b"))
    assert pair.test.p == pytest.approx(two.test.p, abs=0.01) and differ(pair)


def test_five_items_and_an_undefined_normalised_figure_cannot_tell() -> None:
    rows = [(i, f"{p}{j}", "yn"[i % 2]) for i in range(5) for p in "x" for j in range(3)]
    other = [(i, f"y{j}", v) for i, _, v in rows for j in range(3)]
    few = raters.xrr(
        raters.read(rows, scale="nominal"), raters.read(sorted(set(other)), scale="nominal"), resamples=100
    )
    assert "good replication" not in few.sentence and "too few to decide" in few.sentence
    seed = next(s for s in range(20) if np.isnan(raters.xrr(*noise(60, s), interval=None).normalized.value))
    said = raters.xrr(*noise(60, seed), resamples=100).sentence
    assert "good replication" not in said.replace("a good replication needs", "")


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_never_said_to_agree_within_itself(seed: int) -> None:
    result = raters.xrr(*noise(60, seed), resamples=200)
    assert "agree within themselves" not in result.sentence
    if "good replication" in result.sentence:
        assert result.normalized.low >= 0.9 and min(result.irr_x.low, result.irr_y.low) > 0


def test_without_an_interval_nothing_is_claimed() -> None:
    result = raters.xrr(lenient(1), pool="pool", interval=None)
    assert "without an interval, it is not clear" in result.sentence
