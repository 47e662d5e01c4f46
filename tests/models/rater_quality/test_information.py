"""How many bits a rater tells about the true label, and who stands out."""

import numpy as np
import pytest
from small_crowds import coin, crowd, read

import raters
from raters import models
from raters.models import consensus
from raters.models.base.probabilities import bits, mutual
from raters.models.base.votes import Votes


def test_entropies_of_section_2_2_2() -> None:
    theta, pi = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.2, 0.8])
    left = float(bits(pi) - mutual(theta, pi))
    assert (round(left, 3), round(float(mutual(theta, pi)), 3)) == (0.468, 0.253)


def test_bits_of_spammers_experts_and_adversaries() -> None:
    pi = np.full(5, 0.2)
    assert float(mutual(np.full((5, 5), 0.2), pi)) == pytest.approx(0, abs=1e-12)
    assert float(mutual(np.eye(5), pi)) == pytest.approx(np.log2(5))
    assert float(mutual(np.roll(np.eye(5), 1, 1), pi)) == pytest.approx(np.log2(5))  # relabels deterministically
    assert round(float(mutual(coin(0.0, 5), pi)), 2) == 0.32  # wrong at random
    joint = np.random.default_rng(0).dirichlet(np.ones(9)).reshape(3, 3)
    share, margin = joint.sum(1), joint.sum(0)
    direct = (joint * np.log2(joint / np.outer(share, margin))).sum()
    assert float(mutual(joint / share[:, None], share)) == pytest.approx(direct)


def test_who_stands_out() -> None:
    theta = np.stack([*[coin(0.85)] * 5, coin(0.15), np.full((2, 2), 0.5), np.array([[1.0, 0.0], [1.0, 0.0]])])
    votes, _ = crowd(theta, 300)
    found = raters.information(consensus(votes, "dawid_skene"))
    assert set(found.spammers) == {"r6", "r7"}
    assert found.adversaries == ("r5",)
    assert found.constant == ("r7",)
    by_name = {e.name: e for e in found}
    assert by_name["r5"].value == pytest.approx(by_name["r0"].value, abs=0.2)  # an adversary carries as much
    assert by_name["r5"].details["accuracy"] < 0.3 < by_name["r0"].details["accuracy"]
    assert all(e.low <= e.value <= e.high for e in found)
    assert [e.value for e in found] == sorted((e.value for e in found), reverse=True)


def test_spammers_by_the_null_quantile_and_not_by_an_interval() -> None:
    """Among guessers at most about the false discovery rate passes; the bits themselves are never 0."""
    theta = np.stack([*[coin(0.8, 3)] * 8, *[np.full((3, 3), 1 / 3)] * 40])
    votes, _ = crowd(theta, 500, share=0.3, seed=4)
    c = consensus(votes, "dawid_skene", start="votes")
    found = raters.information(c)
    assert {f"r{j}" for j in range(8)}.isdisjoint(found.spammers)
    assert len(found.spammers) >= 37
    assert min(e.details["bits_by_model"] for e in found) > 0


def test_bits_by_pool_and_for_the_money(demo: raters.results.Consensus) -> None:
    pools = {"ana": "staff", "ben": "staff", "chi": "crowd", "dev": "crowd", "eli": "crowd"}
    found = raters.information(demo, pools=pools, cost={"staff": 0.7, "crowd": 0.05}).by_pool
    assert {e.name for e in found} == {"staff", "crowd"}
    assert found["staff"].value > found["crowd"].value
    assert found["staff"].details["cost_per_bit"] == pytest.approx(0.7 / found["staff"].value)


def test_an_interval_of_bits_holds_its_estimate_and_has_a_width() -> None:
    ann = read([(i, j, "ab"[i % 2]) for i in range(20) for j in range(3)])
    for model in ("majority", "dawid_skene", "one_coin", "hierarchical", "mace", "glad"):
        for e in raters.information(raters.consensus(ann, model)):
            assert e.low <= e.value <= e.high and e.low < 0.9


def test_bits_of_an_expert_with_few_labels_are_held_by_their_interval() -> None:
    """98 % right, 30 items whose truth is known: 95 % intervals hold the true .86 bits in 9 of 10 tables at least."""
    theta = np.array([[0.98, 0.02], [0.02, 0.98]])
    true = float(models.base.probabilities.mutual(theta, np.array([0.5, 0.5])))
    rng, held = np.random.default_rng(0), []
    truth = np.arange(30) % 2
    for _ in range(12):
        label = truth[:, None] ^ (rng.random((30, 10)) > 0.98)
        item, rater = np.nonzero(label >= 0)
        votes = Votes.of_codes(item, rater, label[item, rater], labels=(0, 1))
        c = raters.consensus(votes, "dawid_skene", gold=dict(enumerate(truth.tolist())), start="votes")
        held += [e.low <= true <= e.high for e in raters.information(c)]
    assert np.mean(held) > 0.9


def test_a_table_is_no_fitted_model() -> None:
    with pytest.raises(raters.UsageError, match=r"is not a consensus \(what raters.consensus gives\)"):
        raters.information(raters.examples.demo())


def test_labels_that_may_be_reversed_are_not_only_called_uninformative() -> None:
    found, plain = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth, item = rng.integers(0, 2, 80), np.repeat(np.arange(80), 5)
        rater = np.concatenate([rng.permutation(20)[:5] for _ in range(80)])
        right = rng.random(400) < np.where(rater == 0, 0.15, np.where(rater == 1, 0.5, 0.85))
        votes = Votes.of_codes(item, rater, np.where(right, truth[item], 1 - truth[item]), labels=(0, 1))
        flags = {e.name: e.details["flags"] for e in raters.information(raters.consensus(votes), interval=None)}
        found.append("labels may be reversed" in flags["0"])
        plain.append("labels may be reversed" in flags["1"])
    assert sum(found) >= 5 and sum(plain) <= 1


def test_who_gave_one_label_only_is_not_said_to_carry_information() -> None:
    """Rater 0 saw 20 items, all of which the others call 0, and said 0 of all: that seemed to be .4 bits."""
    rng = np.random.default_rng(2)
    truth = np.where(np.arange(120) < 20, 0, rng.integers(0, 2, 120))
    rows = [(i, j, truth[i] if rng.random() < 0.9 else 1 - truth[i]) for i in range(120) for j in range(1, 9)]
    item, rater, label = zip(*rows, *((i, 0, 0) for i in range(20)), strict=True)
    votes = Votes.of_codes(item, rater, label, labels=(0, 1))
    found = raters.information(raters.consensus(votes, "dawid_skene", start="votes"), interval=None)["0"].details
    assert found["flags"] == "constant" and found["verdict"].startswith("too few labels")


def test_nobody_is_called_an_adversary() -> None:
    """What the labels show is that they may be reversed."""
    votes, _ = crowd(np.stack([*[coin(0.85)] * 5, coin(0.15)]), 300)
    found = raters.information(consensus(votes, "dawid_skene"), interval=None)["r5"].details
    assert found["flags"] == "labels may be reversed"
    assert found["verdict"].startswith("carries information; ") and found["verdict"].endswith("labels may be reversed")
