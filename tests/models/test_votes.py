"""Votes come in parts of any size, and every model takes the same steps on them."""

import numpy as np
import pytest

from raters.models.base import votes
from raters.models.base.votes import Votes
from raters.models.families.registry import model_named, names
from raters.models.families.spec import Problem, Task


@pytest.mark.parametrize("name", names(likelihood=True))
def test_parts_of_any_size_give_the_same_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    n, k = 300, 3
    item, rater, label = rng.integers(0, 50, n), rng.integers(0, 6, n), rng.integers(0, k, n)
    item[item == 7] = 8  # an item without labels
    weight = rng.integers(0, 3, 50).astype(float)
    whole = Votes.of_codes(item, rater, label, labels=range(k), items=range(50), raters=range(6))
    found = []
    for size in (1, 17, 1 << 17):
        monkeypatch.setattr(votes, "PART", size)
        table = Votes(whole.items, whole.raters, whole.labels, whole.table, weight)
        assert sum(len(part.table.data) for _, part in table.parts()) == len(whole.table.data)
        assert [i for at, part in table.parts() for i in range(at.start, at.stop)] == list(range(50))
        made = Problem(model_named(name), Task(table))
        params = made.maximise(whole.shares(), None)
        found.append((made.expect(made.maximise(made.expect(params)[0], params)), made.penalty(params)))
    for (q, total), penalty in found[1:]:
        assert np.allclose(q, found[0][0][0], atol=1e-12)
        assert (total, penalty) == pytest.approx((found[0][0][1], found[0][1]))
