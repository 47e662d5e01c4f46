"""The hardest items by their patterns are those that every item by itself shows."""

import numpy as np
import pytest

import raters
from raters.agree import hard_items as module
from raters.agree.hard_items import hard_items


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_by_patterns_as_by_items(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = raters.simulate.labels(300, 4, 3, accuracy=0.7, missing=0.3, seed=1)
    ann = raters.read(drawn.columns(), scale=scale)
    one_by_one = hard_items(ann, 40)
    monkeypatch.setattr(module, "MANY_ITEMS", 0)
    found = hard_items(ann, 40)
    assert (found.paired, found.differ) == (one_by_one.paired, one_by_one.differ)
    assert found.names == one_by_one.names
    np.testing.assert_array_equal(found.items.counts.toarray(), one_by_one.items.counts.toarray())
    assert hard_items(ann, 0).names == ()


def test_all_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = raters.read([(i, r, "x") for i in range(5) for r in "ab"] + [(9, "a", "y")], scale="nominal")
    for many in (100, 0):
        monkeypatch.setattr(module, "MANY_ITEMS", many)
        found = hard_items(ann, 10)
        assert (found.paired, found.differ, found.names) == (5, 0, ())
