"""Simulated labels are as asked for."""

import numpy as np
import pytest

from raters import simulate
from raters.errors import UsageError


def test_simulated_datasets_are_as_asked() -> None:
    data = simulate.multilabel(400, 6, double=(0.0, 1.0), intersection=0.7, entropy=1.8, seed=3)
    assert (data.first[:, 1] < 0).all() and (data.second[:, 1] >= 0).all()
    shared = (data.first[:, :1] == data.second).any(1)
    np.testing.assert_array_equal(shared, data.intersecting)
    assert shared.sum() == 280 and data.entropy == pytest.approx(1.8)
    assert (data.second[:, 0] != data.second[:, 1]).all()
    same = simulate.multilabel(400, 6, double=(0.0, 1.0), intersection=0.7, entropy=1.8, seed=3)
    np.testing.assert_array_equal(same.second, data.second)
    for bad in ({"n_labels": 3, "double": 1.0}, {"entropy": 9.0}, {"intersection": 1.2}, {"prevalence": [1.0]}):
        with pytest.raises(UsageError):
            simulate.multilabel(**{"n_items": 10, **bad})


def test_simulated_labels_have_the_truth_they_were_drawn_from() -> None:
    drawn = simulate.labels(5000, 3, 4, accuracy=[1, 0.7, 0.25], prevalence=[0.7, 0.1, 0.1, 0.1], missing=0.1, seed=3)
    right = drawn.label == drawn.truth[drawn.item - 1]
    assert np.allclose([right[drawn.rater == r].mean() for r in (1, 2, 3)], [1, 0.7, 0.25], atol=0.02)
    assert len(drawn.label) == pytest.approx(13500, rel=0.02)
    assert drawn.annotations().labels == (0, 1, 2, 3)
    assert np.array_equal(
        drawn.label,
        simulate.labels(
            5000, 3, 4, accuracy=[1, 0.7, 0.25], prevalence=[0.7, 0.1, 0.1, 0.1], missing=0.1, seed=3
        ).label,
    )
