"""Zero-based skill against crowd-kit 1.4.2 (pandas 2.2) on published crowds, and against plain loops."""

from pathlib import Path

import numpy as np
import pytest
from published import bluebirds, right, snow

import raters
from raters.errors import DataError

CROWD_KIT = {  # accuracy, mean skill, least, most, mean share of the winner, labels that are not the vote's
    "rte": (0.92125, 0.8565121561, 0.5, 1.0, 0.7869318216, 4),
    "temp": (0.9437229437, 0.8642674055, 0.4, 1.0, 0.8186240604, 2),
    "bluebirds": (0.7592592593, 0.6968186135, 0.3240740741, 0.8888888889, 0.7296580226, 0),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", CROWD_KIT)
def test_published_crowds(name: str, data_dir: Path) -> None:
    ann, truth = bluebirds(data_dir) if name == "bluebirds" else snow(data_dir, name)
    c = raters.consensus(ann, "zero_based_skill")
    accuracy, mean, least, most, top, other = CROWD_KIT[name]
    skill = c.params["skill"]
    assert right(c, truth) == pytest.approx(accuracy, abs=1e-9)
    assert (skill.mean(), skill.min(), skill.max()) == pytest.approx((mean, least, most), abs=1e-9)
    assert c.certainty.mean() == pytest.approx(top, abs=1e-9)
    assert int((c.codes != c.votes.counts.argmax(1)).sum()) == other


def by_loops(rows: list[tuple[int, str, str]], labels: list[str]) -> dict[str, float]:
    people, items = sorted({r for _, r, _ in rows}), sorted({i for i, _, _ in rows})
    skill, rate = dict.fromkeys(people, 1 / len({x for _, _, x in rows}) + 1e-5), 1.0
    for turn in range(1, 101):
        if turn in (20, 40, 60, 80, 100):
            rate /= 2
        winner = {}
        for item in items:
            weight = {x: sum(skill[r] for i, r, y in sorted(rows) if i == item and y == x) for x in labels}
            winner[item] = max(labels, key=lambda x: (weight[x], -labels.index(x)))
        for who in people:
            own = {(i, x) for i, r, x in rows if r == who}
            skill[who] += rate * (sum(winner[i] == x for i, x in own) / len(own) - skill[who])
    return skill


@pytest.mark.parametrize("seed", range(4))
def test_plain_loops(seed: int) -> None:
    rng, labels = np.random.default_rng(seed), ["a", "b", "c"]
    truth = rng.integers(0, 3, 14)
    rows = []
    for i, j, k in rng.integers(0, [14, 5, 3], (60, 3)):
        rows.append((int(i), f"r{j}", labels[truth[i] if rng.random() < 0.2 * j else k]))
    rows += rows[:3]  # repeated labels count once in the skill
    c = raters.consensus(raters.read(rows, scale="nominal", labels=labels, duplicates="keep"), "zero_based_skill")
    assert dict(zip(c.raters, c.params["skill"], strict=True)) == pytest.approx(by_loops(rows, labels), abs=1e-12)


def test_strangers_are_refused() -> None:
    ann = raters.read([(0, "x", "a"), (0, "y", "a"), (1, "x", "a"), (1, "y", "b")], scale="nominal")
    with pytest.raises(DataError, match="rater 'new' was not in the data that the model was fitted to"):
        raters.consensus(ann, "zero_based_skill").predict(raters.read([(7, "new", "a")], scale="nominal"))
