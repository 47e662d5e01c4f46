"""Raters are named on evidence against them; the blind change nothing, and copies count once."""

import numpy as np
import pytest

import raters
from raters.models.choosing.auto import no_information, set_aside
from raters.models.choosing.choose import FAST
from raters.models.fitting.fit import fit
from raters.models.votes import Votes


def crowd(seed: int, n_raters: int, each: int, accuracy: float, blind: int = 0, k: int = 2, per_item: int = 5) -> Votes:
    """Raters with about so many labels each, the first of whom label at random."""
    rng = np.random.default_rng(seed)
    n_items = n_raters * each // per_item
    item = np.repeat(np.arange(n_items), per_item)
    rater = np.concatenate([rng.choice(n_raters, per_item, replace=False) for _ in range(n_items)])
    truth = rng.integers(0, k, n_items)
    knows = rng.random(len(item)) < accuracy
    label = np.where(knows, truth[item], (truth[item] + rng.integers(1, k, len(item))) % k)
    label = np.where(rater < blind, rng.integers(0, k, len(item)), label)
    names = [f"r{j}" for j in range(n_raters)]
    return Votes.of_codes(item, rater, label, labels=range(k), items=range(n_items), raters=names)


@pytest.mark.parametrize("each", [5, 10, 25, 60])
def test_few_honest_raters_are_named_at_any_number_of_labels(each: int) -> None:
    named = [
        len(
            raters.information(
                raters.consensus(crowd(seed, 60, each, 0.85), "one_coin", start="votes", restarts=0)
            ).spammers
        )
        for seed in range(3)
    ]
    assert sum(named) <= 0.05 * 180


@pytest.mark.parametrize(("accuracy", "each"), [(0.6, 50), (0.65, 50), (0.65, 100)])
def test_few_honest_raters_of_a_weak_crowd_are_named(accuracy: float, each: int) -> None:
    """A model may follow a few raters of such a crowd; the others then seemed to know nothing (9 to 13 % were named)."""
    named = []
    for seed in range(3):
        votes = crowd(seed, 40, each, accuracy, blind=4)
        c = fit(votes, "one_coin", **FAST)
        blind, _ = no_information(c, 0.05, np.random.default_rng(seed))
        named.append(int(blind[4:].sum()))
    assert sum(named) <= 0.05 * 3 * 36


def test_raters_who_label_at_random_are_found_from_fifty_labels_on() -> None:
    found, unclear = [], []
    for seed in range(3):
        c = raters.consensus(crowd(seed, 50, 60, 0.85, blind=8), "hierarchical", start="votes")
        table = raters.information(c)
        found.append(sum(r in table.spammers for r in (f"r{j}" for j in range(8))))
        few = raters.information(raters.consensus(crowd(seed, 50, 8, 0.85, blind=8), "hierarchical", start="votes"))
        unclear.append(len(few.too_few))
        said = {e.name: e.details["verdict"] for e in few}
        assert all("too few labels to decide (needs about" in said[r] for r in few.too_few)
    assert sum(found) >= 20 and min(unclear) > 0


def test_a_label_of_a_blind_rater_changes_nothing() -> None:
    votes = crowd(1, 12, 90, 0.9, blind=1)
    c = raters.consensus(votes)
    assert c.choice is not None and c.choice.blind == ("r0",) and "r0" in raters.information(c).spammers
    at = int(np.flatnonzero(~np.isin(np.arange(votes.n_items), votes.item_of[votes.rater_of == 0]))[0])
    more = Votes.of_codes(
        [*votes.item_of, at],
        [*votes.rater_of, 0],
        [*votes.label_of, 1],
        labels=votes.labels,
        items=votes.items,
        raters=votes.raters,
    )
    again = raters.consensus(more)
    assert np.array_equal(again.posterior, c.posterior) and again.labels == c.labels


def test_an_exact_copy_is_named_and_counted_once() -> None:
    votes = crowd(2, 10, 60, 0.8)
    mine = votes.rater_of == 3
    with_copy = Votes.of_codes(
        [*votes.item_of, *votes.item_of[mine]], [*votes.rater_of, *np.full(mine.sum(), 10)], [*votes.label_of, *votes.label_of[mine]],
        labels=votes.labels, items=votes.items, raters=[*votes.raters, "copy"],
    )  # fmt: skip
    c, before = raters.consensus(with_copy), raters.consensus(votes)
    assert c.choice is not None and c.choice.copies == (("r3", "copy"),)
    assert any("counted once" in w and "'copy'" in w for w in c.warnings)
    assert np.allclose(c.posterior, before.posterior)
    assert before.choice is not None and before.choice.copies == ()


def test_two_experts_who_agree_throughout_are_no_copies() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    rows = [(i, j, int(truth[i])) for i in range(60) for j in ("expert 1", "expert 2")]
    rows += [
        (i, f"n{j}", int(truth[i]) if rng.random() < 0.8 else int(rng.integers(0, 3)))
        for i in range(60)
        for j in range(8)
    ]
    c = raters.consensus(raters.read(rows, scale="nominal"))
    assert c.choice is not None and c.choice.copies == ()


def test_honest_raters_with_few_labels_are_all_counted() -> None:
    """80 honest raters with 15 labels each: a few seem to know nothing by chance; without their labels votes would be tied."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth, item = rng.integers(0, 2, 400), np.repeat(np.arange(400), 3)
        rater = np.concatenate([rng.choice(80, 3, replace=False) for _ in range(400)])
        right = rng.random(1200) < np.clip(rng.normal(0.8, 0.08, 80), 0.5, 0.98)[rater]
        votes = Votes.of_codes(item, rater, np.where(right, truth[item], 1 - truth[item]), labels=range(2))
        blind, same, kept = set_aside(votes, {})
        assert (blind, same) == ((), ())
        assert kept.n_annotations == 1200
