"""Items whose label is known, and raters who are known from an earlier project."""

from typing import Any

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters.errors import DataError, UsageError
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.fitting import gold


def test_a_wrong_gold_label_that_exchanges_labels_is_said(demo: raters.results.Consensus) -> None:
    ann = raters.examples.demo()
    item = demo.items[0]
    c = raters.consensus(ann, "dawid_skene", gold={item: "positive"})  # all but one call it otherwise
    assert np.mean([c.labels[x] != demo.labels[x] for x in c.items]) > 0.7
    assert any("or a gold label is" in w for w in c.warnings)
    right = raters.consensus(ann, "dawid_skene", gold={item: demo.labels[item]})
    assert right.labels == demo.labels and right.warnings == ()
    assert "1 of 2 gold items are not among the items" in str(
        raters.consensus(ann, "dawid_skene", gold={item: demo.labels[item], "elsewhere": "neutral"})
    )


def test_gold_of_a_vote_is_certain(demo: raters.results.Consensus) -> None:
    item = demo.items[0]
    c = raters.consensus(raters.examples.demo(), "majority", gold={item: "positive"})
    assert c.labels[item] == "positive" and c.certainty[0] == 1 and c.entropy[0] == 0
    assert c.certainty[1:] == pytest.approx(c.votes.shares()[1:].max(1))


@pytest.mark.parametrize("gold", [{0: "abc"}, {0: None}, {0: float("inf")}, {0: True}])
def test_gold_numbers_are_numbers(gold: Any) -> None:
    ann = raters.read([(i, r, float(i + r)) for i in range(6) for r in range(3)], scale="interval")
    with pytest.raises(DataError, match="is not a number"):
        raters.consensus(ann, "gaussian", gold=gold)


def adversaries(seed: int = 0) -> tuple[Votes, np.ndarray]:
    return crowd(np.stack([coin(0.9), coin(0.9), *[coin(0.1)] * 3]), 300, seed=seed)


def test_ten_gold_items_rescue_a_crowd_of_three_adversaries_in_five() -> None:
    for seed in range(3):
        votes, truth = adversaries(seed)
        fooled = consensus(votes, "dawid_skene")
        assert np.mean(fooled.codes == truth) < 0.1
        gold = {i: int(truth[i]) for i in range(10)}
        for start in ("best", "votes", "diagonal", "random"):
            c = consensus(votes, "dawid_skene", gold=gold, start=start)
            assert np.mean(c.codes == truth) > 0.95
            assert all(c.labels[i] == truth[i] for i in range(10))


def test_gold_clamps_even_an_item_that_all_raters_call_otherwise() -> None:
    votes, _ = crowd(np.stack([coin(0.9)] * 3), 50)
    c = consensus(votes, "dawid_skene", gold={7: int(1 - consensus(votes, "dawid_skene").labels[7])})
    assert c.posterior[7].max() == 1 and c.labels[7] != consensus(votes, "dawid_skene").labels[7]


def test_priors_of_raters_from_an_earlier_project() -> None:
    votes, truth = adversaries()
    earlier = consensus(votes, "dawid_skene", gold=dict(enumerate(truth.tolist())))
    new, later = adversaries(seed=9)
    few = new.rows(np.arange(40))
    assert np.mean(consensus(few, "dawid_skene").codes == later[:40]) < 0.2
    assert np.mean(consensus(few, "dawid_skene", priors=earlier).codes == later[:40]) > 0.9
    named = {"r2": [[1, 30], [30, 1]], "r3": [[1, 30], [30, 1]], "r4": [[1, 30], [30, 1]], "r0": [[30, 1], [1, 30]]}
    for model in ("dawid_skene", "one_coin", "hierarchical"):
        assert np.mean(consensus(few, model, priors=named).codes == later[:40]) > 0.9
    with pytest.raises(UsageError, match="2 x 2 table of counts"):
        consensus(few, "dawid_skene", priors={"r0": [1, 2, 3]})
    with pytest.raises(UsageError, match="takes no priors"):
        consensus(few, "mace", priors=named)


def test_whose_labels_can_be_held_against_others() -> None:
    votes = Votes.of_codes([0, 0, 1, 1, 2, 3], [0, 1, 2, 2, 2, 3], [0, 1, 0, 1, 0, 1], labels="ab")
    assert gold.compared(votes).tolist() == [True, True, False, False]  # r2 repeats, but alone
    assert gold.covered(votes, np.array([-1, -1, -1, 1])).tolist() == [False, False, False, True]


def test_priors_take_the_prevalence_too() -> None:
    """Counts in the millions hold the parameters: the fit gives Passonneau and Carpenter's worked .11 and .89."""
    given = {"a": [[0.75, 0.25], [0.40, 0.60]], "b": [[0.65, 0.35], [0.30, 0.70]], "c": [[0.9, 0.1], [0.2, 0.8]]}
    priors = {rater: np.array(m) * 1e7 for rater, m in given.items()} | {"prevalence": [0.2e7, 0.8e7]}
    ann = raters.read([("x", "a", 1), ("x", "b", 1), ("x", "c", 2)], scale="nominal", labels=[1, 2])
    for model in ("dawid_skene", "hierarchical"):
        c = consensus(ann, model, priors=priors)
        assert c.posterior[0] == pytest.approx([0.111, 0.889], abs=0.002 if model == "dawid_skene" else 0.01)
        assert c.prevalence == pytest.approx([0.2, 0.8], abs=1e-6)
    drawn = consensus(ann, "dawid_skene", priors=priors, uncertainty="posterior", draws=50)
    assert drawn.uncertainty.values["prevalence"].mean(0) == pytest.approx([0.2, 0.8], abs=1e-3)
    with pytest.raises(UsageError, match="not 2 counts of items, one for each label"):
        consensus(ann, "dawid_skene", priors={"prevalence": [1, 2, 3]})
    alone = consensus(ann, "dawid_skene", priors={"prevalence": [1e6, 1e6]})
    assert alone.prevalence == pytest.approx([0.5, 0.5], abs=1e-5)
