"""Draws of several chains: labels matched, R-hat, effective sample size."""

import numpy as np
import pytest

from raters.models.uncertainty.sampling import Chain, aligned, effective, split_rhat


def test_labels_are_matched_between_chains() -> None:
    mode = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    values = {
        "prevalence": np.array([[0.4, 0.6]]),
        "confusion": np.array([[[[0.1, 0.9], [0.8, 0.2]]]]),
        "other": np.ones(1),
    }
    back, moved = aligned(Chain(values, mode[:, ::-1]), mode)
    assert moved and back.values["prevalence"].tolist() == [[0.6, 0.4]]
    assert back.values["confusion"][0, 0].tolist() == [[0.8, 0.2], [0.1, 0.9]]
    assert np.array_equal(back.posterior, mode) and back.values["other"].tolist() == [1.0]


def test_r_hat_and_effective_sample_size() -> None:
    rng = np.random.default_rng(0)
    good = rng.normal(size=(4, 500, 1))
    assert float(split_rhat(good)[0]) == pytest.approx(1, abs=0.01)
    assert float(effective(good)[0]) == pytest.approx(2000, rel=0.2)
    assert float(split_rhat(good + np.arange(4)[:, None, None])[0]) > 1.3
    assert effective(np.ones((4, 500, 1))).tolist() == [2000] and split_rhat(np.ones((4, 500, 1))).tolist() == [1]
    slow = np.zeros((4, 4000, 1))
    for t in range(1, 4000):
        slow[:, t] = 0.9 * slow[:, t - 1] + rng.normal(size=(4, 1))
    assert float(effective(slow)[0]) == pytest.approx(16000 * 0.1 / 1.9, rel=0.25)  # (1 - r) / (1 + r)
