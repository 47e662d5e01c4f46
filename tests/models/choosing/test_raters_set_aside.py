"""Raters are named on evidence against them; the blind change nothing, and copies count once."""

import alt_test_data as collection
import numpy as np
import pytest

import raters
from raters.models.base.votes import Votes
from raters.models.choosing.auto import no_information, set_aside
from raters.models.choosing.choose import FAST
from raters.models.choosing.copies import both_counted, copies, identical
from raters.models.fitting.fit import fit


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
@pytest.mark.long("null rate")
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
    """A model may follow a few raters of such a crowd; the others then seemed to know nothing (9 to 13 % were
    named).
    """
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
        [*votes.item_of, *votes.item_of[mine]],
        [*votes.rater_of, *np.full(mine.sum(), 10)],
        [*votes.label_of, *votes.label_of[mine]],
        labels=votes.labels,
        items=votes.items,
        raters=[*votes.raters, "copy"],
    )
    c, before = raters.consensus(with_copy), raters.consensus(votes)
    assert c.choice is not None and c.choice.copies == (("r3", "copy"),)
    said = f"'copy' gave the same labels as 'r3' on all {int(mine.sum())} shared items, including errors: counted once"
    assert said in c.warnings
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


def labelled(
    seed: int, n_items: int, right: list[float], per_item: int, k: int, copy: bool = False, rare: float = 0.5
) -> Votes:
    """Raters who are right with these probabilities; with ``copy``, a further one has all labels of the first.
    ``rare``: the share of label 0 of two.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_items) if k > 2 else (rng.random(n_items) > rare).astype(int)
    item = np.repeat(np.arange(n_items), per_item)
    rater = np.concatenate([rng.choice(len(right), per_item, replace=False) for _ in range(n_items)])
    wrong = (truth[item] + rng.integers(1, k, len(item))) % k
    label = np.where(rng.random(len(item)) < np.array(right)[rater], truth[item], wrong)
    same = np.flatnonzero(rater == 0) if copy else np.zeros(0, int)
    return Votes.of_codes(
        np.r_[item, item[same]],
        np.r_[rater, np.full(len(same), len(right))],
        np.r_[label, label[same]],
        labels=range(k),
    )


@pytest.mark.parametrize(
    ("n_items", "right", "per_item", "k"),
    [
        (300, [1.0] * 3 + [0.65] * 9, 5, 4),  # 5 of 5 such crowds had honest pairs that were counted once
        (200, [1.0] * 5 + [0.7] * 7, 5, 2),
        (40, [0.99] * 2 + [0.8] * 2, 4, 3),
        (100, [1.0] * 2 + [0.65] * 3, 3, 2),
        (60, [0.97] * 10, 10, 2),
    ],
)
def test_raters_who_agree_because_they_are_right_all_count(
    n_items: int, right: list[float], per_item: int, k: int
) -> None:
    tables = [labelled(seed, n_items, right, per_item, k) for seed in range(4)]
    assert any(identical(votes).pairs for votes in tables)
    assert [copies(votes) for votes in tables] == [()] * 4


def test_experts_among_raters_who_confuse_two_labels_all_count() -> None:
    """Four raters take three of five items of label 0 for label 1: the consensus of the others is wrong there, and
    one-coin believes it.
    """
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, 40)
        rows = [
            truth,
            truth,
            *(np.where(rng.random(40) < np.where(truth == 0, 0.4, 0.9), truth, 1 - truth) for _ in range(4)),
        ]
        votes = Votes.of_codes(
            np.tile(np.arange(40), 6), np.repeat(np.arange(6), 40), np.concatenate(rows), labels=range(2)
        )
        assert copies(votes) == ()


@pytest.mark.parametrize(
    ("right", "k", "n_items", "rare", "least"),
    [(0.6, 2, 200, 0.5, 6), (0.8, 2, 200, 0.5, 5), (0.7, 4, 80, 0.5, 6), (0.9, 4, 200, 0.5, 5), (0.8, 2, 200, 0.1, 4)],
)
def test_a_copy_of_an_ordinary_rater_is_found(right: float, k: int, n_items: int, rare: float, least: int) -> None:
    tables = [labelled(seed, n_items, [right] + [0.8] * 9, 5, k, copy=True, rare=rare) for seed in range(6)]
    assert sum(copies(votes) == ((0, 10),) for votes in tables) >= least


def test_three_who_hand_in_the_same_labels_count_once() -> None:
    votes = labelled(1, 200, [0.75] + [0.8] * 9, 5, 4, copy=True)
    mine = votes.rater_of == 0
    more = Votes.of_codes(
        np.r_[votes.item_of, votes.item_of[mine]],
        np.r_[votes.rater_of, np.full(mine.sum(), 11)],
        np.r_[votes.label_of, votes.label_of[mine]],
        labels=votes.labels,
    )
    assert copies(more) == ((0, 10), (0, 11))


def test_versions_of_one_text_are_one_shared_error() -> None:
    """60 items on which two agree, six of them versions of one text on which both err: no more evidence than one
    error.
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    pair = truth.copy()
    truth[20:26] = 1
    pair[20:26] = 2
    others = [np.where(rng.random(60) < 0.95, truth, (truth + 1) % 3) for _ in range(3)]
    for one in others:
        one[20:26] = 1
    rows = np.concatenate([pair, pair, *others])
    votes = Votes.of_codes(np.tile(np.arange(60), 5), np.repeat(np.arange(5), 60), rows, labels=range(3))
    assert copies(votes) == ()
    mixed = rng.permutation(60)[votes.item_of]
    apart = Votes.of_codes(mixed, votes.rater_of, votes.label_of, labels=range(3))
    assert copies(apart) == ((0, 1),)


@pytest.mark.shared
def test_every_label_of_cebab_is_counted(data_dir) -> None:  # type: ignore[no-untyped-def]
    """Five pairs of ten people agree on all of 37 to 115 shared items; the labels of three people were not counted."""
    votes = Votes.of(collection.pair(data_dir, "cebab_aspects")[0])
    assert len(identical(votes).pairs) == 5 and copies(votes) == ()


def test_honest_raters_with_few_labels_are_all_counted() -> None:
    """80 honest raters with 15 labels each: a few seem to know nothing by chance; without their labels votes would be
    tied.
    """
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth, item = rng.integers(0, 2, 400), np.repeat(np.arange(400), 3)
        rater = np.concatenate([rng.choice(80, 3, replace=False) for _ in range(400)])
        right = rng.random(1200) < np.clip(rng.normal(0.8, 0.08, 80), 0.5, 0.98)[rater]
        votes = Votes.of_codes(item, rater, np.where(right, truth[item], 1 - truth[item]), labels=range(2))
        blind, same, kept = set_aside(votes, {})
        assert (blind, same) == ((), ())
        assert kept.n_annotations == 1200


def test_raters_who_agree_throughout_are_named_even_if_both_count() -> None:
    """Two experts among raters at .65: nothing shows that one copied, but the user should know."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 80)
    right = np.array([1.0, 1.0, 0.65, 0.65, 0.65, 0.65])
    label = np.where(rng.random((80, 6)) < right, truth[:, None], (truth[:, None] + rng.integers(1, 3, (80, 6))) % 3)
    item, rater = np.divmod(np.arange(480), 6)
    votes = Votes.of_codes(item, rater, label.ravel(), labels=range(3), raters="abcdef")
    assert copies(votes) == ()
    assert "'a' and 'b' (80)" in str(both_counted(votes, ())[0])
    assert any("'a' and 'b' (80)" in w for w in raters.consensus(votes).warnings)
    assert both_counted(votes, (("a", "b"),)) == ()
    agreed = Votes.of_codes(item, rater, np.repeat(truth, 6), labels=range(3))
    assert both_counted(agreed, ()) == ()  # all agree, which explains the pair
