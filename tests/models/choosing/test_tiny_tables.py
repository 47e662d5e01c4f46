"""A handful of items: the vote, not too sure of itself; and nothing is ever settled in full."""

import numpy as np
import pytest

import raters
from raters.models.base.settled_vote import settled
from raters.models.base.votes import Votes


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
    from raters.reporting.document import percent

    assert [percent(x) for x in (0.9999, 1.0)] == ["over 99.9%", "100%"]


def test_votes_without_labels():
    v = Votes.of_codes([0, 0, 1], [0, 1, 0], [0, 1, 1], labels=range(2), items=range(3))
    assert np.isnan(raters.consensus(v).certainty[2])


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_a_model_as_published_says_that_few_items_are_too_few(model):
    c = raters.consensus(unanimous(4, 3), model)
    assert any("as published" in w and "4 items do not show how raters differ" in w for w in c.warnings)
    assert "which held-out labels have not checked" in str(c) and "settled" not in str(c)
    less = raters.consensus(unanimous(4, 3), model, tempering="held_out")
    assert "as published" not in str(less) and less.certainty.max() < 0.99 < c.certainty.max()
    assert not any("as published" in w for w in raters.consensus(unanimous(60, 3), model).warnings)
    assert "as published" in raters.next_labels(c).note and not raters.next_labels(less).note.startswith("Settled here")


def test_models_as_published_state_too_much_on_few_items_and_held_out_labels_mend_it():
    """Eight items, five raters who are right about three times in four."""
    rng, found = np.random.default_rng(1), {}
    for _ in range(12):
        truth, skill = rng.integers(0, 2, 8), np.clip(rng.normal(0.75, 0.1, 5), 0.5, 0.98)
        label = np.where(rng.random((8, 5)) < skill, truth[:, None], 1 - truth[:, None])
        item, rater = np.divmod(np.arange(40), 5)
        votes = Votes.of_codes(item, rater, label.ravel(), labels=range(2))
        for tempering in (None, "held_out"):
            c = raters.consensus(votes, "one_coin", start="votes", tempering=tempering)
            found.setdefault(tempering, []).append((c.certainty.mean(), np.mean(c.codes == truth)))
    (stated, right), (less, right_too) = (np.mean(x, 0) for x in found.values())
    assert stated > right + 0.05 and less < right_too + 0.03


def test_what_is_saved_keeps_whether_it_was_checked(tmp_path):
    for tempering in (None, "held_out"):
        raters.consensus(unanimous(4, 3), "one_coin", tempering=tempering).save(tmp_path / f"{tempering}.npz")
        assert ("as published" in str(raters.load(tmp_path / f"{tempering}.npz"))) == (tempering is None)


def test_ties_of_a_settled_vote_are_said_as_they_are_handled():
    rows = [(f"i{i}", f"r{j}", "no" if i < 6 else "yes") for i in range(8) for j in range(2)]
    c = raters.consensus(raters.read([*rows, ("tied", "r0", "yes"), ("tied", "r1", "no")], scale="nominal"))
    assert any("the more probable of the tied labels is given" in w for w in c.warnings)
    assert c.labels["tied"] == "no" and not any("the first of them" in w for w in c.warnings)
