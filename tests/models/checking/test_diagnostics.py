"""Whether a model fits: held-out labels, independent raters, pairs of raters."""

import numpy as np
import pytest
from small_crowds import ROWS, coin, crowd, read

import raters
from raters import models
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.checking.diagnostics import held_out
from raters.models.families.dawid_skene import rows_to_one
from raters.models.rater_quality.pair_agreement import pair_sums


def test_near_copies() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 9), 300, seed=2)
    rater, label = votes.rater_of, votes.label_of.copy()
    label[rater == 8] = label[rater == 7]
    flip = np.random.default_rng(0).random((rater == 8).sum()) < 0.05
    label[rater == 8] = np.where(flip, (label[rater == 8] + 1) % 3, label[rater == 8])
    votes = Votes.of_codes(votes.item_of, rater, label, labels=range(3), raters=votes.raters)
    found = raters.information(consensus(votes, "dawid_skene"))
    assert [(p.rater, p.other) for p in found.copies] == [("r7", "r8")]


def test_pairs_by_plain_loops() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 4), 40, share=0.7)
    c = consensus(votes, start="votes")
    a, b, n, agreed, expected, spread = pair_sums(c)
    given = {(i, j): k for i, j, k in zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)}
    for at in range(len(a)):
        shared = [i for i in range(40) if (i, a[at]) in given and (i, b[at]) in given]
        match = np.einsum("kl,kl->k", c.confusion[a[at]], c.confusion[b[at]])
        assert n[at] == len(shared)
        assert agreed[at] == sum(given[i, a[at]] == given[i, b[at]] for i in shared)
        assert expected[at] == pytest.approx(sum(c.posterior[i] @ match for i in shared))
        assert spread[at] == pytest.approx(sum(c.posterior[i] @ (match * (1 - match)) for i in shared))


def test_a_model_beats_the_vote_where_raters_differ() -> None:
    votes, _ = crowd(np.stack([coin(0.95), coin(0.9), *[coin(0.55)] * 4]), 300)
    table = models.compare_models(votes, ["dawid_skene", "one_coin"])
    assert table["dawid_skene"].details["gain_low"] > 0
    assert table["one_coin"].value > table["dawid_skene"].value  # fewer parameters, and true


def test_the_votes_prediction_is_smoothed_shares() -> None:
    train = Votes.of_codes([0, 0, 0], [0, 1, 2], [0, 0, 1], labels="abc", items=range(2), raters=range(4))
    held = Votes.of_codes([0, 1], [3, 3], [0, 2], labels="abc", items=range(2), raters=range(4))
    found = held_out("majority", train, held, {})
    assert np.exp(found[:, 0]).tolist() == pytest.approx([3 / 6, 1 / 3])


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace"])
def test_held_out_labels_by_posterior_and_matrices(model: str) -> None:
    votes, _ = crowd(np.stack([coin(a, 3) for a in (0.9, 0.7, 0.5)]), 60)
    train, held = (votes.kept(np.where(votes.item_of % 3 == votes.rater_of, 1 - x, x)) for x in (1, 0))
    found = held_out(model, train, held, {"start": "votes"})
    c = consensus(train, model, start="votes")
    for (i, j, y), row in zip(zip(held.item_of, held.rater_of, held.label_of, strict=True), found, strict=True):
        p = c.posterior[i] @ c.confusion[j]
        assert row[0] == pytest.approx(np.log(p[y])) and bool(row[1]) == (p.argmax() == y)


def test_independence_holds_and_fails() -> None:
    votes, _ = crowd(np.stack([coin(0.75, 3)] * 8), 400, seed=9)
    assert len(models.residual_pairs(consensus(votes, "dawid_skene"))) <= 2
    rng = np.random.default_rng(0)
    hard = rng.random(400) < 0.4  # easy items for all, hard ones for all
    guess = rng.integers(0, 3, len(votes.item_of))
    truth = rng.integers(0, 3, 400)
    bad = Votes.of_codes(
        votes.item_of, votes.rater_of, np.where(hard[votes.item_of], guess, truth[votes.item_of]), labels=range(3)
    )
    found = models.residual_pairs(consensus(bad, "dawid_skene"))
    assert len(found) > 14  # of 28
    assert all(pair.observed > pair.expected for pair in found)


def test_held_out_labels_of_hierarchical_are_predicted_by_probabilities_that_sum_to_one() -> None:
    votes = Votes.of(read(ROWS))
    whole = raters.consensus(votes, "hierarchical", start="votes")
    cells = np.arange(len(votes.table.data))
    found = held_out("hierarchical", votes, votes, {"start": "votes"})[:, 0]
    theta = rows_to_one(whole.params["counts"])
    p = np.einsum("ck,ckl->cl", whole.posterior[votes.item_of], theta[votes.rater_of])
    assert p.sum(1) == pytest.approx(1)
    assert np.exp(found) == pytest.approx(p[cells, votes.label_of])
