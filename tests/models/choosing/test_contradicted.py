"""Held-out labels against a model that overrules majorities."""

import csv
from pathlib import Path

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters.models.base.fit import HardItems
from raters.models.base.votes import Votes
from raters.models.choosing import choose
from raters.models.choosing.contradicted import Sides, sides
from raters.models.families.registry import MODELS
from raters.models.families.spec import Settings

ENTRY = choose.Entry(MODELS["dawid_skene"], "learned")


def leaning(seed: int, items: int = 400) -> Votes:
    """Two good raters among five who say yes too often: the model overrules many majorities, and rightly."""
    good, biased = coin(0.93), np.array([[0.4, 0.6], [0.1, 0.9]])
    return crowd(np.stack([good, good, biased, biased, biased]), items, seed=seed)[0]


def test_what_is_expected_is_summed_over_the_true_labels() -> None:
    votes, hard = leaning(0), None
    settings = Settings(0.01)
    fits = list(choose.fitted(votes, ENTRY, settings, None, choose.deal(votes, settings)))
    n = mine = hoped = theirs = 0.0
    gap = np.zeros(votes.n_items)
    for fold, c in fits:
        for i, j, y in zip(fold.held.item_of, fold.held.rater_of, fold.held.label_of, strict=True):
            seen = c.votes.counts[i]
            top, own = int(seen.argmax()), int(c.posterior[i].argmax())
            if (seen == seen.max()).sum() > 1 or own == top:
                continue
            p = c.posterior[i] @ c.confusion[j]
            n, mine, theirs, hoped = n + 1, mine + (y == own), theirs + (y == top), hoped + p[own]
            gap[i] += int(y == own) - int(y == top) - p[own] + p[top]
    found = sides(fits, 1.0, hard)
    assert n > 60 and found.labels == n
    assert (found.with_model, found.with_majority, found.expected) == pytest.approx((mine / n, theirs / n, hoped / n))
    assert found.z == pytest.approx(gap.sum() / np.sqrt((gap**2).sum()))
    other = sides(fits, 1.0, HardItems(0.2, 0.1, 1.0))
    assert other.labels > 0 and other.expected != found.expected


def test_a_model_that_is_right_against_the_majority_is_kept() -> None:
    for seed in range(4):
        c = raters.consensus(leaning(seed))
        assert c.definition.likelihood and not any("held-out labels contradict" in str(x) for x in c.choice.against)  # type: ignore[union-attr]


def test_it_takes_many_labels_and_more_for_the_majority() -> None:
    assert Sides(100, 0.2, 0.5, 0.6, -5.0).against
    assert not Sides(20, 0.2, 0.5, 0.6, -5.0).against
    assert not Sides(100, 0.5, 0.7, 0.4, -5.0).against
    assert not Sides(100, 0.2, 0.5, 0.6, -3.0).against


@pytest.mark.shared
def test_a_word_with_five_labels_for_each_item_is_left_to_the_vote(data_dir: Path) -> None:
    """MASC add-v, five of 25 labels kept: the model that predicts best overrules 70 majorities, and the hidden 20 side
    with these.
    """
    with (data_dir / "masc-amt-2013" / "munged" / "add-v.tsv").open() as file:
        rows = [(r[0], r[1], r[2]) for r in list(csv.reader(file, delimiter="\t"))[1:]]
    votes = Votes.of(raters.read(rows, scale="nominal", duplicates="keep"))
    order = np.lexsort((np.random.default_rng(1).random(len(votes.item_of)), votes.item_of))
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order)) - np.searchsorted(votes.item_of, votes.item_of[order])
    few = votes.kept(np.where(place < 5, votes.table.data, 0))
    settings = Settings(0.01)
    entry = choose.Entry(MODELS["hierarchical"], "learned")
    dealt, kept = choose.deal(few, settings), {}  # type: ignore[var-annotated]
    power, hard = choose.tempered(few, entry, settings, dealt=dealt, kept=kept)
    found = sides(choose.fitted(few, entry, settings, None, dealt, kept), power, hard)
    assert found.against and found.with_model < found.expected - 0.1
