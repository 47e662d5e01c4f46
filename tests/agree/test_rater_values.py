"""All raters at once are the raters one by one."""

import numpy as np
import pytest

import raters
from raters.agree.many_raters import countable, rater_values
from raters.annotations import Annotations
from raters.errors import UsageError


def uneven(scale: str, **more: object) -> Annotations:
    """One to five labels an item, some raters alone on theirs, one who labelled an item twice."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(120):
        for r in rng.choice(9, rng.integers(1, 6), replace=False):
            rows.append((f"i{i}", f"r{r}", int(min(3, max(1, i % 3 + 1 + rng.integers(-1, 2))))))
    rows += [("alone", "hermit", 2), ("i0", rows[0][1], 3)]
    return raters.read(rows, scale=scale, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("duplicates", ["first", "last"])
def test_they_are_those_of_per_rater(scale: str, duplicates: str) -> None:
    ann = uneven(scale, duplicates=duplicates)
    found, one_by_one = rater_values(ann), raters.per_rater(ann, interval=None)
    assert [str(r) for r in found.raters] == [e.name for e in one_by_one]
    np.testing.assert_allclose(found.value, [e.value for e in one_by_one], rtol=1e-12)
    assert found.n_items.tolist() == [e.n_items for e in one_by_one]
    assert np.isnan(found.value[list(found.raters).index("hermit")])


def test_more_labels_than_fit_one_word() -> None:
    ann = raters.simulate.labels(300, 6, 30, seed=2).annotations()
    np.testing.assert_allclose(rater_values(ann).value, [e.value for e in raters.per_rater(ann, interval=None)])


def test_repeats_that_are_kept_are_for_per_rater() -> None:
    ann = uneven("nominal", duplicates="keep")
    assert not countable(ann)
    with pytest.raises(UsageError, match="use per_rater"):
        rater_values(ann)
