"""Labels drawn under the null of equal use: the mean and the covariance that the test reckons with."""

import numpy as np

from raters.agree.label_use import drawn_labels


def test_draws_have_the_mean_and_covariance_of_the_null():
    chance = np.array([[0.5, 0.3, 0.2], [0.1, 0.9, 0.0], [0.2, 0.2, 0.6]])
    items = np.array([1, 30, 3])
    made = drawn_labels(items, chance, 20_000, np.random.default_rng(0))
    assert (made.sum(1) == 34).all()
    mean = items @ chance
    cov = np.diag(mean) - chance.T @ (items[:, None] * chance)
    assert np.abs(made.mean(0) - mean).max() < 0.06 and np.abs(np.cov(made.T) - cov).max() < 0.15
