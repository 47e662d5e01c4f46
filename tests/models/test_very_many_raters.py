"""Crowds of tens of thousands of raters: nothing takes memory for every two of them, or for every rater and item."""

import tracemalloc

import numpy as np

import raters
from raters.agree.many_raters import rater_values
from raters.models.base.probabilities import expected_bits
from raters.models.follow_up.next_labels import furthest

RATERS, ITEMS, EACH = 20_000, 8_000, 4


def test_no_array_of_raters_by_raters_or_items() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(ITEMS), EACH)
    truth = rng.integers(0, 3, ITEMS)[item]
    label = np.where(rng.random(len(item)) < 0.7, truth, rng.integers(0, 3, len(item)))
    rater = (item * EACH // 2 + np.tile(np.arange(EACH) * 7919, ITEMS)) % RATERS
    ann = raters.read({"item": item, "rater": rater, "label": np.array(["a", "b", "c"])[label]}, scale="nominal")
    assert ann.n_raters == RATERS
    tracemalloc.start()
    try:
        assert np.isfinite(raters.agreement(ann).value)
        assert len(rater_values(ann).value) == RATERS
        fit = raters.consensus(ann, "one_coin", start="votes")
        assert len(raters.next_labels(fit, 20, ask="pair")) == 20
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * RATERS * ITEMS  # bytes: a quarter of an array of numbers for every rater and item


def test_no_rater_says_more_of_an_item_than_the_limit() -> None:
    rng = np.random.default_rng(1)
    for k in (2, 3, 8):
        theta, prevalence = rng.dirichlet(np.full(k, 0.5), (40, k)), rng.dirichlet(np.ones(k))
        theta[:3, 0] = np.eye(k)[0]
        q = np.concatenate([rng.dirichlet(np.full(k, 0.2), 200), np.eye(k)])
        limit = (q @ furthest(theta, prevalence).T).min(1)
        assert (expected_bits(q, theta).max(1) <= limit + 1e-12).all()
