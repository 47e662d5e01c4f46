"""A model as the aggregate of k labels."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters.errors import UsageError
from raters.models.base.votes import Votes


def annotations(accuracies: list[float], n_items: int, k: int, seed: int) -> tuple[raters.Annotations, np.ndarray]:
    votes, truth = crowd(np.stack([coin(a, k) for a in accuracies]), n_items, seed=seed)
    rows = [
        (f"i{i:04}", f"r{j}", f"k{y}") for i, j, y in zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)
    ]
    return raters.read(rows, scale="nominal"), truth


def by_hand(ann: raters.Annotations, k: int, model: str, draws: int, seed: int) -> float:
    """Split every item's labels in two at random, fit both halves, nominal alpha of the two answers; mean over
    draws.
    """
    votes = Votes.of(ann)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        halves: tuple[list[Any], list[Any]] = ([], [])
        for i in range(votes.n_items):
            at = rng.permutation(np.flatnonzero(votes.item_of == i))
            for half, some in zip(halves, (at[:k], at[k : 2 * k]), strict=True):
                half += [(i, int(votes.rater_of[c]), f"k{votes.label_of[c]}") for c in some]
        a, b = (raters.consensus(raters.read(h, scale="nominal"), model=model, restarts=0).labels for h in halves)
        pairs = [(a[i], b[i]) for i in range(votes.n_items)]
        margin = Counter(x for pair in pairs for x in pair)
        n = sum(margin.values())
        expected = 1 - sum(m * (m - 1) for m in margin.values()) / (n * (n - 1))
        found.append(1 - np.mean([x != y for x, y in pairs]) / expected)
    return float(np.mean(found))


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_krr_of_a_model_against_halves_drawn_by_hand(model: str) -> None:
    ann, _ = annotations([0.9, 0.85, 0.8, 0.7, 0.7, 0.6], 60, 2, seed=1)
    e = raters.krr(ann, k=3, aggregate=model, method="split", replications=8, seed=3)
    assert e.value == pytest.approx(by_hand(ann, 3, model, 8, seed=8), abs=0.1)
    assert e.details["method"] == "split" and e.details["aggregate"].startswith(model)
    assert e.low < e.value < e.high and e.n_items == 60
    assert raters.krr(ann, k=3, aggregate=model, replications=8, seed=3, interval=None).value == e.value


def test_among_spammers_the_models_aggregate_is_the_more_reliable() -> None:
    """4 of 12 know; the halves of a vote are swamped by guessers, those of the model listen to the four."""
    ann, truth = annotations([0.95] * 4 + [0.5] * 8, 300, 2, seed=2)
    vote = raters.krr(ann, k=6, aggregate="majority", method="split", interval=None).value
    model = raters.krr(ann, k=6, aggregate="dawid_skene", method="split", interval=None).value
    assert model > vote + 0.1
    right = {
        m: np.mean([x == f"k{z}" for x, z in zip(raters.consensus(ann, model=m).labels.values(), truth, strict=True)])
        for m in ("majority", "dawid_skene")
    }
    assert right["dawid_skene"] >= right["majority"]


def test_a_model_is_an_aggregate_by_split_only() -> None:
    ann, _ = annotations([0.8] * 4, 20, 2, seed=0)
    with pytest.raises(UsageError, match="the reliability of dawid_skene is computed by method='split'"):
        raters.krr(ann, k=2, aggregate="dawid_skene", method="model")
    with pytest.raises(UsageError, match="magic"):
        raters.krr(ann, k=2, aggregate="magic")
