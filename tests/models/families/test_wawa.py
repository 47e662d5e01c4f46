"""Wawa against crowd-kit 1.4.2 (pandas 2.2) on published crowds, and against plain loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import bluebirds, right, snow

import raters
from raters.errors import DataError

CROWD_KIT = {  # accuracy, mean skill, least, most, mean share of the winner, labels that are not the vote's
    "rte": (0.92125, 0.8552583568, 0.5, 1.0, 0.786414038, 4),
    "temp": (0.9437229437, 0.8634443484, 0.4, 1.0, 0.8184189984, 2),
    "bluebirds": (0.7592592593, 0.6968186135, 0.3240740741, 0.8888888889, 0.7296580226, 0),
}


def published(data_dir: Path, name: str) -> tuple[raters.Annotations, dict[Any, Any]]:
    return bluebirds(data_dir) if name == "bluebirds" else snow(data_dir, name)


@pytest.mark.shared
@pytest.mark.parametrize("name", CROWD_KIT)
def test_published_crowds(name: str, data_dir: Path) -> None:
    ann, truth = published(data_dir, name)
    c = raters.consensus(ann, "wawa")
    accuracy, mean, least, most, top, other = CROWD_KIT[name]
    skill = c.params["skill"]
    assert right(c, truth) == pytest.approx(accuracy, abs=1e-9)
    assert (skill.mean(), skill.min(), skill.max()) == pytest.approx((mean, least, most), abs=1e-9)
    assert c.certainty.mean() == pytest.approx(top, abs=1e-9)
    assert int((c.codes != c.votes.counts.argmax(1)).sum()) == other


def by_loops(
    rows: list[tuple[int, str, str]], labels: list[str]
) -> tuple[dict[str, float], dict[int, dict[str, float]]]:
    votes: dict[int, dict[str, int]] = {}
    for item, _, label in rows:
        votes.setdefault(item, dict.fromkeys(labels, 0))[label] += 1
    winner = {item: max(labels, key=lambda x: (n[x], -labels.index(x))) for item, n in votes.items()}
    skill = {}
    for who in {r for _, r, _ in rows}:
        own = {(i, x) for i, r, x in rows if r == who}
        skill[who] = sum(winner[i] == x for i, x in own) / len(own)
    shares: dict[int, dict[str, float]] = {}
    for item in votes:
        weight = {x: sum(skill[r] for i, r, y in rows if i == item and y == x) for x in labels}
        total = sum(weight.values())
        shares[item] = {x: w / total if total else 1 / len(labels) for x, w in weight.items()}
    return skill, shares


@pytest.mark.parametrize("seed", range(6))
def test_plain_loops(seed: int) -> None:
    rng, labels = np.random.default_rng(seed), ["a", "b", "c"]
    rows = [(int(i), f"r{j}", labels[k]) for i, j, k in rng.integers(0, [12, 5, 3], (70, 3))]  # some labels repeated
    c = raters.consensus(raters.read(rows, scale="nominal", labels=labels, duplicates="keep"), "wawa")
    skill, shares = by_loops(rows, labels)
    assert dict(zip(c.raters, c.params["skill"], strict=True)) == pytest.approx(skill)
    for item, row in zip(c.items, c.posterior, strict=True):
        assert dict(zip(labels, row, strict=True)) == pytest.approx(shares[item])


def test_gold_stands_in_for_the_vote_and_strangers_are_refused() -> None:
    rows = [(0, "x", "a"), (0, "y", "a"), (0, "z", "b"), (1, "x", "a"), (1, "y", "b")]
    ann = raters.read(rows, scale="nominal")
    assert raters.consensus(ann, "wawa").params["skill"].tolist() == [1.0, 0.5, 0.0]
    c = raters.consensus(ann, "wawa", gold={0: "b"})
    assert c.params["skill"].tolist() == [0.5, 0.0, 1.0] and c.posterior[0].tolist() == [0.0, 1.0]
    old = c.predict(raters.read([(7, "x", "a"), (7, "z", "b")], scale="nominal"))
    assert old.posterior.tolist() == [[1 / 3, 2 / 3]] and old.reason == "predicted, not fitted"
    new = raters.read([(7, "new", "a")], scale="nominal")
    with pytest.raises(
        DataError, match="rater 'new' was not in the data that the model was fitted to: the weight of a vote"
    ):
        c.predict(new)
    assert "new" in c.update(new).raters
