"""A handful of items: the vote, not too sure of itself; and nothing is ever settled in full."""

import numpy as np
import pytest

import raters
from raters.models.choosing.settled_vote import settled
from raters.models.votes import Votes


def unanimous(items, n, labels=("no", "yes")):
    rows = [(f"i{i}", f"r{j}", labels[i % len(labels)]) for i in range(items) for j in range(n)]
    return raters.read(rows, scale="nominal")


@pytest.mark.parametrize("items", [1, 2, 4, 9])
def test_a_handful_of_items_takes_the_vote(items):
    c = raters.consensus(unanimous(items, 3))
    assert c.model == "majority"
    assert c.certainty.max() < (0.99 if items < 9 else 0.995)  # three of three settle little


def test_what_is_known_of_raters_is_used_on_few_items():
    theta = [[90.0, 10.0], [10.0, 90.0]]
    c = raters.consensus(unanimous(4, 3), priors={f"r{j}": theta for j in range(3)})
    assert c.model != "majority"


@pytest.mark.parametrize("model", ["auto", "one_coin", "dawid_skene", "hierarchical", "mace", "glad"])
def test_nothing_is_settled_in_full(model):
    c = raters.consensus(unanimous(12, 12), model)
    assert c.certainty.max() <= 0.9999
    assert c.why("i0").certainty <= 0.9999
    known = raters.consensus(unanimous(12, 12), model, gold={"i0": "no"})
    assert known.certainty[known.where("i0")] == 1  # but for gold


def test_a_label_that_nobody_gave_yet():
    c = raters.consensus(unanimous(5, 3, ("yes",)))
    assert c.certainty.tolist() == [1 - 0.5**4] * 5


def test_an_item_alone_is_no_evidence_of_the_margin():
    """One item, three of three: the share of yes is not known to be large from these very votes."""
    assert settled(np.array([[3.0, 0.0]]))[0, 0] < 0.94


@pytest.mark.parametrize(("items", "n"), [(1, 3), (2, 3), (4, 5)])
def test_few_votes_of_weak_raters_are_not_called_settled(items, n):
    rng, sure, right = np.random.default_rng(3), [], []
    for _ in range(200):
        truth = rng.integers(0, 2, items)
        hits = rng.binomial(n, 0.7, items)
        counts = np.stack([np.where(truth == k, hits, n - hits) for k in (0, 1)], -1).astype(float)
        q = settled(counts)
        sure.append(q.max(1))
        right.append(q.argmax(1) == truth)
    s, r = np.concatenate(sure), np.concatenate(right)
    assert s.mean() < r.mean() + 0.03


def test_many_items_hardly_change():
    counts = np.random.default_rng(0).multinomial(5, [0.3, 0.7], 19).astype(float)
    votes = settled(counts), settled(np.concatenate([counts, counts[:1]]))[:19]  # 20 items: one margin for all
    assert np.abs(votes[0] - votes[1]).max() < 0.05


def test_a_share_of_nearly_all_is_not_printed_as_all():
    from raters.reporting.cells import percent

    assert [percent(x) for x in (0.9999, 1.0)] == ["over 99.9%", "100%"]


def test_votes_without_labels():
    v = Votes.of_codes([0, 0, 1], [0, 1, 0], [0, 1, 1], labels=range(2), items=range(3))
    assert np.isnan(raters.consensus(v).certainty[2])
