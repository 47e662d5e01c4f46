"""Raters who tell nothing, what weighs how much, and labels that are missing: all of it is reported."""

import numpy as np
import pytest
from click.testing import CliRunner

import raters
from raters.cli import cli
from raters.models import information
from raters.models.follow_up.why import by_label


def crowd(rng, n=150, honest=5, random=2, right=0.85):
    """A table in which some raters label at random."""
    truth = rng.integers(0, 2, n)
    given = np.where(rng.random((honest, n)) < right, truth, 1 - truth)
    given = np.vstack([given, rng.integers(0, 2, (random, n))])
    rows = [(i, f"r{j}", "ab"[given[j, i]]) for j in range(len(given)) for i in range(n)]
    return raters.read(rows, scale="nominal"), {i: "ab"[t] for i, t in enumerate(truth)}


@pytest.fixture(scope="module")
def found():
    ann, gold = crowd(np.random.default_rng(3))
    return ann, gold, raters.consensus(ann)


def test_raters_in_whose_labels_no_information_was_found_are_named_and_counted(found):
    c = found[2]
    said = next(n for n in c.notes if n.code == "no_information_found")
    assert said.facts["raters"] == ("r5", "r6")
    table = {e.name: e for e in information(c)}
    for who in said.facts["raters"]:
        assert table[who].n_annotations == 150
        assert table[who].value < 0.05 < table["r0"].value
        assert abs(table[who].details["accuracy"] - 0.5) < 0.15


def test_a_check_against_gold_shows_every_rater_and_scores_ties_by_their_share(found):
    _, gold, c = found
    check = raters.evaluate(gold, c, gold=True)
    assert len(check.raters) == 7
    votes = c.votes
    counts = votes.counts
    top = counts == counts.max(1, keepdims=True)
    truth = np.array([votes.labels.index(gold[i]) for i in votes.items])
    by_hand = (top / top.sum(1, keepdims=True))[np.arange(len(truth)), truth].mean()
    assert check["majority"].value == pytest.approx(by_hand)


def test_why_adds_up_to_the_certainty_of_a_tempered_model():
    ann = raters.examples.demo()
    c = raters.consensus(ann, "dawid_skene", tempering=0.4)
    for item in c.items[:20]:
        why = c.why(item)
        odds = [why.prevalence + sum(x.weight for x in why.contributions)]
        q = c.posterior[c.where(item)]
        best, rival = (c.votes.labels.index(x) for x in (why.label, why.rival))
        assert odds[0] == pytest.approx(np.log(q[best] / q[rival]), abs=1e-6)


def test_open_items_come_before_the_few_cells_that_known_raters_have_left(tmp_path):
    """All have labelled all but one item on which everybody agrees: the open items go to new raters."""
    rows = [(i, f"r{j}", "ab"[(i + (j > 2)) % 2 if i < 6 else i % 2]) for i in range(60) for j in range(6)]
    rows.remove((59, "r0", "b"))
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\n" + "".join(f"q{i},{r},{x}\n" for i, r, x in rows))
    said = CliRunner().invoke(cli, ["consensus", str(path), "--next", "4"]).output
    assert said.count("by a new rater") == 4
    assert "q59" not in said


def test_a_tied_vote_takes_the_more_probable_of_its_labels():
    """The first label in the alphabet was given, though the other one was called more probable."""
    rows = [(i, r, "no") for i in range(40) for r in "abcd"]
    rows += [(f"t{i}", r, "maybe" if r in "ab" else "no") for i in range(6) for r in "abcd"]
    c = raters.consensus(raters.read(rows, scale="nominal"), "majority", tempering="held_out")
    assert {c.labels[f"t{i}"] for i in range(6)} == {"no"}
    assert (c.certainty >= c.posterior.max(1) - 1e-12).all()


def test_a_label_that_would_be_missing_from_a_training_set_is_named():
    rows = [(i, r, "no") for i in range(60) for r in "abcdef"]
    rows += [(f"t{i}", r, "yes" if r in "abcd" else "no") for i in range(8) for r in "abcdef"]
    c = raters.consensus(raters.read(rows, scale="nominal"), "majority", tempering="held_out")
    said = by_label(c, 0.9)
    assert '0 of 8 labelled "yes"' in said and 'more than three quarters of the items labelled "yes"' in said
