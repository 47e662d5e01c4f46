"""A fit to any table: one rater, one label, items without labels, very many labels; the same figures from the same
seed.
"""

from typing import Any

import numpy as np
import pytest
from small_crowds import right_in_four_of_five

import raters
from raters.errors import UsageError
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.families.registry import MODELS, names
from raters.notes.note import Note

LABELLED = names(numbers=False)


@pytest.mark.parametrize("model", LABELLED)
def test_one_rater(model: str) -> None:
    given = right_in_four_of_five(20, 1)
    c = raters.consensus(raters.read(given, scale="nominal"), model=model)
    if model != "majority":
        assert any("only one rater" in w for w in c.warnings)
    assert np.isfinite(c.posterior).all()
    assert c.labels.keys() == {i for i, _, _ in given}


@pytest.mark.parametrize("model", LABELLED)
def test_one_label_only(model: str) -> None:
    ann = raters.read([(i, r, "yes") for i in range(5) for r in range(3)], scale="nominal")
    c = raters.consensus(ann, model=model)
    assert c.posterior.tolist() == [[1.0]] * 5 and set(c.labels.values()) == {"yes"}
    assert any("all annotations have the same label" in w for w in c.warnings)
    assert float(raters.information(c)[0]) == 0


@pytest.mark.parametrize("model", MODELS)
def test_an_item_without_labels_stays_without_one(model: str) -> None:
    given = [(i, j, int(k[1:])) for i, j, k in right_in_four_of_five(12, 3)] + [("i99", "r0", None)]
    ann = raters.read(given, scale="interval" if model == "gaussian" else "nominal")
    c = raters.consensus(ann, model=model, items=["i99", "i1"])
    assert c.labels["i99"] is None and c.labels["i1"] is not None
    assert len(c.items) == 13
    assert Note("items_without_labels", {"n": 1}) in c.notes


def test_a_rater_with_one_label_and_repeats() -> None:
    given = [*right_in_four_of_five(20, 3), ("i0", "rare", "k1"), *[("i1", "r0", "k1")] * 3]
    c = raters.consensus(raters.read(given, scale="nominal"))
    assert c.votes.n_annotations == 64
    assert c.confusion[c.raters.index("rare")].sum(1).tolist() == pytest.approx([1, 1])
    assert any("fewer than 5 labels" in w for w in c.warnings)
    first = raters.consensus(raters.read(given, scale="nominal", duplicates="first"))
    assert first.votes.n_annotations == 61


def test_five_hundred_labels_an_item_do_not_underflow() -> None:
    ann = raters.read(right_in_four_of_five(12, 500, 4), scale="nominal")
    for model in ("majority", *names(likelihood=True)):
        c = raters.consensus(ann, model=model, start="votes", tolerance=1e-6)
        assert np.isfinite(c.posterior).all() and (c.posterior.max(1) > 0.99).all()
        assert np.isfinite(c.log_likelihood) or model == "majority"


def test_a_thousand_labels_are_refused_where_matrices_would_not_fit() -> None:
    rng = np.random.default_rng(0)
    item, rater = rng.integers(0, 300, 5000), rng.integers(0, 200, 5000)
    label = (item * 3 + (rng.random(5000) < 0.2) * rng.integers(1, 1000, 5000)) % 1000
    votes = Votes.of_codes(item, rater, label, labels=range(1000))
    for model in ("dawid_skene", "hierarchical"):
        with pytest.raises(UsageError, match=r"1\.5 GiB.*Use model='one_coin'"):
            consensus(votes, model)
    for model in ("one_coin", "mace", "glad"):
        c = consensus(votes, model, start="votes", tolerance=1e-6, gold={0: 0})
        assert np.mean([c.labels[i] == i * 3 for i in range(300)]) > 0.9
    with pytest.raises(UsageError, match="a confusion matrix for every rater would take"):
        _ = c.confusion


def test_a_table_without_raters_can_only_vote() -> None:
    counts = raters.read([[3, 1], [0, 4]], layout="counts", scale="nominal")
    with pytest.raises(UsageError, match="Use model='majority'"):
        raters.consensus(counts, "dawid_skene")
    assert list(raters.consensus(counts, model="majority").labels.values()) == list(counts.labels)


def test_the_inputs_are_not_changed_and_the_same_seed_gives_the_same_figures() -> None:
    ann, gold = raters.read(right_in_four_of_five(30, 4, 3), scale="nominal"), {"i0": "k1"}
    a = raters.consensus(ann, gold=gold, uncertainty="posterior", draws=40, seed=5)
    b = raters.consensus(ann, gold=gold, uncertainty="posterior", draws=40, seed=5)
    assert gold == {"i0": "k1"}
    assert np.array_equal(a.posterior, b.posterior) and a.uncertainty is not None and b.uncertainty is not None
    assert np.array_equal(a.uncertainty.values["confusion"], b.uncertainty.values["confusion"])


def test_not_converged_is_said() -> None:
    c = raters.consensus(
        raters.read(right_in_four_of_five(50, 4, 3), scale="nominal"), "dawid_skene", start="votes", max_iter=2
    )
    assert not c.converged and "without convergence" in c.warnings[0]


@pytest.mark.spark
def test_the_same_on_spark(spark: Any) -> None:
    given = right_in_four_of_five(15, 3, 3)
    frame = spark.createDataFrame(given, "item STRING, rater STRING, label STRING")
    a, b = (raters.consensus(raters.read(x, scale="nominal"), start="votes") for x in (given, frame))
    assert a.items == b.items and a.raters == b.raters and np.array_equal(a.posterior, b.posterior)


def test_a_matrix_for_each_rater_from_few_labels_is_called_too_sure() -> None:
    """40 raters, 30 labels each, 6 labels: of what Dawid-Skene calls certain too little is right, and it says so."""
    rng = np.random.default_rng(0)
    truth, rows = rng.integers(0, 6, 400), []
    for i, z in enumerate(truth):
        right = rng.beta(4, 2)
        rows += [(i, int(r), int(z if rng.random() < right else rng.integers(0, 6))) for r in rng.permutation(40)[:3]]
    ann = raters.read(rows, scale="nominal")
    found = {}
    for model in ("dawid_skene", "hierarchical", "one_coin"):
        c = raters.consensus(ann, model)
        sure = c.posterior.max(1) >= 0.99
        at = np.array([truth[int(i)] for i in c.items])
        found[model] = float(np.mean(np.array(c.label_names)[c.posterior.argmax(1)][sure].astype(int) == at[sure]))
        assert any("overconfident" in w for w in c.warnings) == (model == "dawid_skene")
    assert found["dawid_skene"] < 0.9 < found["hierarchical"] < found["one_coin"]
