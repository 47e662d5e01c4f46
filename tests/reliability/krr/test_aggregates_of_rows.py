"""Aggregates that go label by label give what numpy's reductions over rows give."""

import numpy as np
import pytest

from raters.reliability.krr.aggregates import FEW_CODES, _most, majority, picked


@pytest.mark.parametrize("k", [1, 2, 3, 8, FEW_CODES, FEW_CODES + 1])
def test_as_reductions_over_rows(k: int) -> None:
    counts = np.random.default_rng(k).integers(0, 3, (200, k)).astype(np.int32)
    assert _most(counts).tolist() == counts.max(1).tolist()
    shares = majority(counts, "random")
    tied = (counts == counts.max(1, keepdims=True)) & (counts > 0)
    assert (shares == tied / np.maximum(tied.sum(1, keepdims=True), 1)).all()
    u = np.random.default_rng(5).random((len(shares), 1))
    at = (np.cumsum(shares, 1) > u).argmax(1)
    old = np.where(shares.sum(1) > 0, at, -1)
    assert picked(shares, np.random.default_rng(5)).tolist() == old.tolist()
