"""Few labels for each item: what they cannot show, what is assumed instead, and whether hidden votes then hold."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from google_judgements import google

import raters
from raters.models.base.fit import HardItems
from raters.models.base.votes import Votes
from raters.models.held_out.few_labels import ASSUMED, assumed, typical, with_assumed


def two_points(p: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distribution on two points with the first three moments of this one."""
    m = np.array([w @ p**k for k in range(4)])
    b, c = np.linalg.solve([[m[1], m[0]], [m[2], m[1]]], -m[2:4])
    points = np.sort(np.roots([1, b, c]).real)
    high = (m[1] - points[0]) / (points[1] - points[0])
    return points, np.array([1 - high, high])


def joins_the_majority(p: np.ndarray, w: np.ndarray) -> float:
    """The chance that the next label agrees with two of three."""
    mixed = p * (1 - p)
    return float((w @ (mixed - 2 * mixed**2)) / (w @ mixed))


def test_three_labels_cannot_tell_and_two_kinds_of_items_claim_the_most() -> None:
    """Any distribution of shares and the one on two points give the same triples, and the latter the highest chance
    that a majority of two to one holds.
    """
    rng = np.random.default_rng(0)
    for _ in range(200):
        p, w = rng.beta(0.5, 0.5, 12), rng.dirichlet(np.ones(12))
        points, weight = two_points(p, w)
        for ones in range(4):
            three = [f @ (x**ones * (1 - x) ** (3 - ones)) for x, f in ((p, w), (points, weight))]
            assert three[0] == pytest.approx(three[1], abs=1e-9)
        assert joins_the_majority(points, weight) >= joins_the_majority(p, w) - 1e-9


def some(votes: Votes, n: int, seed: int) -> tuple[Votes, Votes]:
    """So many labels of each item, and the others."""
    order = np.lexsort((np.random.default_rng(seed).random(len(votes.item_of)), votes.item_of))
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order)) - np.searchsorted(votes.item_of, votes.item_of[order])
    return votes.kept(np.where(place < n, votes.table.data, 0)), votes.kept(np.where(place < n, 0, votes.table.data))


def divided(seed: int, items: int = 1500, each: int = 8) -> Votes:
    """Raters of unequal skill, and items of which three in ten divide them."""
    rng = np.random.default_rng(seed)
    truth, own, hard = rng.integers(0, 2, items), rng.beta(1, 1, items), rng.random(items) < 0.3
    skill = rng.uniform(0.7, 0.99, 30)
    item = np.repeat(np.arange(items), each)
    rater = np.concatenate([rng.choice(30, each, replace=False) for _ in range(items)])
    p = np.where(hard[item], own[item], np.where(truth[item] == 1, skill[rater], 1 - skill[rater]))
    return Votes.of_codes(item, rater, (rng.random(len(item)) < p).astype(int), labels=("no", "yes"), raters=range(30))


def gap(c: raters.models.result.FittedModel, hidden: Votes) -> float:
    """How far one hidden label of items on which the raters seen disagree gives the label more often than expected."""
    first, q = some(hidden, 1, 0)[0], next_label(c)
    at = np.flatnonzero((c.votes.counts.max(1) < c.votes.per_item) & (first.per_item > 0))
    return float((first.counts[at, c.codes[at]] - q[at, c.codes[at]]).mean())


def next_label(c: raters.models.result.FittedModel) -> np.ndarray:
    """(item, label): the chance of each label of a further rater, like the crowd as a whole, by the road of the
    definition.
    """
    votes, hard = c.votes, c.hard or HardItems(0.0, 0.0)
    theta = c.confusion
    crowd = np.einsum("j,jkl->kl", votes.per_rater.sum(1), theta) / votes.n_annotations
    margin = (votes.counts.sum(0) + 0.5) / (votes.counts.sum() + 0.5 * votes.n_labels)
    shape, habit = hard.strength * margin, (votes.per_rater + margin) / (votes.per_rater.sum(1, keepdims=True) + 1)
    made = np.empty((votes.n_items, votes.n_labels))
    for i in range(votes.n_items):
        cells = slice(votes.table.indptr[i], votes.table.indptr[i + 1])
        who, what = votes.rater_of[cells], votes.label_of[cells]
        easy = c.prevalence * theta[who, :, what].prod(0)
        seen, own = shape.copy(), 1.0
        for y in what:
            own *= seen[y] / seen.sum()
            seen[y] += 1
        w = np.array([(1 - hard.habit - hard.own) * easy.sum(), hard.habit * habit[who, what].prod(), hard.own * own])
        made[i] = (w[0] * (easy / easy.sum()) @ crowd + w[1] * margin + w[2] * seen / seen.sum()) / w.sum()
    return made


@pytest.mark.shared
@pytest.mark.parametrize("n", [2, 3])
def test_on_real_judgements_two_or_three_labels_for_each_item_do_not_claim_too_much(data_dir: Path, n: int) -> None:
    seen, hidden = some(google(data_dir, 1500), n, 1)
    c = raters.consensus(seen, "hierarchical", start="votes", tempering="held_out")
    assert c.hard is not None and c.hard.assumed
    plain = raters.consensus(seen, c.model, start="votes")
    assert gap(plain, hidden) + 0.06 < gap(c, hidden) and gap(c, hidden) > -0.1


def test_nothing_is_assumed_with_four_labels_and_a_named_model_says_what_is() -> None:
    seen, _ = some(divided(2, 300), 4, 0)
    assert typical(seen) == 4 and assumed(seen) is None
    assert not any("assumed to divide" in w for w in raters.consensus(seen).warnings)
    few, _ = some(divided(2, 300), 2, 0)
    assert assumed(few) == ASSUMED[2]
    named = raters.consensus(few, "one_coin", tempering="held_out")
    assert with_assumed(few, HardItems(0.5, 0.1)) == HardItems(0.5, 0.45, assumed=True)
    assert with_assumed(few, HardItems(0.1, 0.8, 2.0)) == HardItems(0.1, 0.8, 2.0)
    assert named.hard is not None and named.hard.assumed
    assert any(f"{named.hard.own:.0%} of the items are assumed" in w for w in named.warnings)
    assert "probably hard" not in raters.next_labels(named, 5).note
    assert np.isnan(typical(some(few, 1, 0)[0]))


def test_the_assumption_is_kept_in_a_file(tmp_path: Path) -> None:
    c = raters.consensus(some(divided(3, 300), 3, 0)[0], "one_coin", tempering="held_out")
    c.save(tmp_path / "fit.npz")
    assert raters.models.load(tmp_path / "fit.npz").hard == c.hard


def test_no_more_items_divide_raters_than_explains_their_disagreement() -> None:
    item, rater = np.divmod(np.arange(300), 3)
    label = item % 2
    agreed = Votes.of_codes(item, rater, label, labels=range(2))
    assert assumed(agreed) == 0 and with_assumed(agreed, None) is None
    label[::30] = 1 - label[::30]  # ten items of 100, two of three pairs of labels each
    some_differ = Votes.of_codes(item, rater, label, labels=range(2))
    assert assumed(some_differ) == pytest.approx((20 / 300) / 0.25, abs=0.01)


def test_the_first_lines_say_what_is_assumed() -> None:
    from raters.models.follow_up.why import assumed_items

    seen, _ = some(divided(1), 3, 0)
    c = raters.consensus(seen, "one_coin", tempering="held_out")
    assert assumed_items(c).startswith("Most items have 3 labels or fewer") and "50% are assumed to" in assumed_items(c)
    assert assumed_items(raters.consensus(seen, "one_coin", start="votes")) == ""
    assert "when the model was chosen" in assumed_items(replace(c, votes=divided(1)))
