"""What a fitted model expects of such data, beside what was seen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from published import bluebirds, snow
from small_crowds import coin, crowd

import raters
from raters.models.base.fit import HardItems
from raters.models.held_out.predictive import Check, note, predictive_checks


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "seen", "expected", "pairs", "expected_pairs"),
    [
        ("rte", 78, 56.04695, 0.628694, 0.618400),
        ("temp", 8, 10.58957, 0.612891, 0.609455),
        ("blue", None, None, 0.588194, 0.576156),
    ],
)
def test_dawid_skene_as_in_the_method(
    data_dir: Path, task: str, seen: int | None, expected: float | None, pairs: float, expected_pairs: float
) -> None:
    ann, _ = bluebirds(data_dir) if task == "blue" else snow(data_dir, task)
    c = raters.consensus(ann, "dawid_skene", start="votes")
    unanimous, agreement = predictive_checks(c)
    assert (agreement.seen, agreement.expected) == pytest.approx((pairs, expected_pairs), abs=1e-5)
    if seen is not None:
        assert unanimous.seen == seen and unanimous.expected == pytest.approx(expected, abs=2e-3)
    if task == "rte":
        assert unanimous.sd == pytest.approx(7.168, abs=1e-3) and unanimous.z == pytest.approx(3.06, abs=0.01)
        assert note(c, unanimous).code in {"items_differ_adjusted", "items_differ_unadjusted"}


def test_expectations_by_drawing_labels_anew() -> None:
    votes, _ = crowd(np.stack([coin(0.8, 3)] * 5), 60, share=0.8)
    c = raters.consensus(votes, "dawid_skene", start="votes")
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        z = rng.choice(3, votes.n_items, p=c.prevalence)
        p = c.confusion[votes.rater_of, z[votes.item_of]]
        label = (np.cumsum(p, 1) < rng.random((len(p), 1))).sum(1)
        counts = np.zeros((votes.n_items, 3))
        np.add.at(counts, (votes.item_of, label), 1)
        n = counts.sum(1)
        found.append(((counts.max(1) == n) & (n >= 2)).sum())
    unanimous = predictive_checks(c)[0]
    assert unanimous.expected == pytest.approx(np.mean(found), abs=4 * np.std(found) / 20)
    assert unanimous.sd == pytest.approx(np.std(found), rel=0.15)


def test_the_sentence_says_whether_anything_was_adjusted() -> None:
    c = raters.consensus(crowd(np.stack([coin(0.8)] * 5), 300)[0], "one_coin", start="votes")
    check = Check("unanimous items", 150, 100, 8)
    assert note(c, check).code == "items_differ_unadjusted"
    assert note(replace(c, power=0.5), check).code == "items_differ_adjusted"
    assert note(replace(c, hard=HardItems(0.1, 0.0)), check).code == "items_differ_adjusted"


def test_models_whose_labels_are_not_independent_given_the_truth_are_not_checked_so() -> None:
    votes = crowd(np.stack([coin(0.8)] * 5), 100)[0]
    assert predictive_checks(raters.consensus(votes, "glad", start="votes")) == ()
    assert len(predictive_checks(raters.consensus(votes, "one_coin", start="votes"))) == 2
