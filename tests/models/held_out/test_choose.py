"""Models by labels held out."""

from pathlib import Path

import numpy as np
import pytest
from published import bluebirds, snow

import raters
from raters.errors import UsageError
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit
from raters.models.held_out.choose import entries, sample
from raters.models.held_out.folds import folds, foretold, scores


def crowd(
    seed: int, n_items: int, n_raters: int, each: int, k: int, accuracy: float, hard: float = 0.0
) -> tuple[Votes, np.ndarray]:
    """Raters who are right so often; a share of the items draws all of them to one wrong label."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_items)
    item = np.repeat(np.arange(n_items), each)
    rater = np.concatenate([rng.choice(n_raters, each, replace=False) for _ in range(n_items)])
    lure, is_hard = (truth + rng.integers(1, k, n_items)) % k, rng.random(n_items) < hard
    knows = rng.random(len(item)) < np.where(is_hard[item], 0.4, accuracy)
    other = np.where(is_hard[item], lure[item], (truth[item] + rng.integers(1, k, len(item))) % k)
    label = np.where(knows, truth[item], other)
    return Votes.of_codes(item, rater, label, labels=range(k), items=range(n_items), raters=range(n_raters)), truth


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "model", "vote"),
    [("rte", -0.550475, -0.599776), ("temp", -0.325616, -0.646077), ("blue", -0.469340, -0.608229)],
)
def test_held_out_labels_score_as_in_the_method(data_dir: Path, task: str, model: float, vote: float) -> None:
    ann, _ = bluebirds(data_dir) if task == "blue" else snow(data_dir, task)
    votes = Votes.of(ann)
    for name, score in (("dawid_skene", model), ("majority", vote)):
        total, n = 0.0, 0.0
        for fold in folds(votes):
            c, labels = fit(fold.train, name, start="votes", tolerance=1e-13), fold.held.table.data
            total += labels @ scores(foretold(c, fold.held, c.posterior, fold.train))
            n += labels.sum()
        assert total / n == pytest.approx(score, abs=1e-6) and n == votes.n_annotations


def test_every_annotation_is_held_out_once_in_the_order_of_text() -> None:
    votes = Votes.of_codes(
        [0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0, 1, 1, 0, 0], labels="ab", items=["10", "9"], raters=["x", "a"]
    )
    held = [f.held for f in folds(votes)]
    assert sum(h.table.toarray() for h in held).tolist() == votes.table.toarray().tolist()
    assert all(
        (f.train.table + f.held.table).toarray().tolist() == votes.table.toarray().tolist() for f in folds(votes)
    )
    # "10" before "9", and "a" before "x": the first annotation is that of rater "a" on item "10"
    assert (held[0].item_of[0], held[0].rater_of[0]) == (0, 1)
    assert (held[1].item_of[0], held[1].rater_of[0]) == (0, 0)


def test_a_sparse_crowd_gets_no_dawid_skene() -> None:
    votes, _ = crowd(1, 300, 60, 3, 3, 0.75)
    assert "dawid_skene" not in {e.model.name for e in entries(votes)}


def test_a_learned_prevalence_is_among_the_candidates_and_a_uniform_one_is_seen() -> None:
    votes, _ = crowd(4, 100, 10, 5, 2, 0.8)
    tried = {(e.model.name, e.prevalence) for e in entries(votes)}
    assert {("mace", "uniform"), ("mace", "learned"), ("majority", "learned")} <= tried
    rows = [(i, j, "no" if i % 12 else "yes") for i in range(120) for j in range(4)]
    c = raters.consensus(raters.read(rows, scale="nominal"), "mace")
    assert any("prevalence is assumed equal" in w for w in c.warnings)
    assert not any("prevalence is assumed equal" in w for w in raters.consensus(votes, "mace").warnings)
    unused = raters.consensus(votes, "majority", prevalence="learned").warnings
    assert "prevalence='learned' was not used: majority has no prevalence" in unused


def test_a_large_table_is_chosen_on_a_part_of_it() -> None:
    votes, _ = crowd(5, 500, 10, 4, 2, 0.8)
    part = sample(votes, 400)
    assert 300 <= part.n_annotations <= 500 and set(part.items) <= set(votes.items)
    assert sample(votes, 2000) is votes


def test_tempering_of_a_named_model() -> None:
    votes, _ = crowd(6, 120, 8, 5, 2, 0.75)
    full, half = raters.consensus(votes, "one_coin"), raters.consensus(votes, "one_coin", tempering=0.5)
    odds = np.log(full.posterior[:, 0] / full.posterior[:, 1])
    assert np.allclose(np.log(half.posterior[:, 0] / half.posterior[:, 1]), odds / 2)  # prevalence is equal
    assert half.power == 0.5 and (half.codes == full.codes).all()
    assert raters.consensus(votes, "one_coin", tempering="held_out").power <= 1
    with pytest.raises(UsageError, match="tempering=2"):
        raters.consensus(votes, tempering=2)


def test_a_weight_that_the_user_gives_is_not_called_settled() -> None:
    rng = np.random.default_rng(0)
    truth, skill = rng.integers(0, 2, 150), np.array([0.97, 0.95, 0.75, 0.72, 0.7, 0.7])
    label = np.where(rng.random((150, 6)) < skill, truth[:, None], 1 - truth[:, None])
    item, rater = np.divmod(np.arange(900), 6)
    votes = Votes.of_codes(item, rater, label.ravel(), labels=("no", "yes"))
    c, given = raters.consensus(votes), raters.consensus(votes, tempering=0.5)
    assert c.definition.likelihood and "settled with a probability" in str(c)
    assert "settled" not in str(given).split("note:")[0].replace(given.choice.why, "")
    assert "with labels that count for 0.5 of one, which held-out labels have not checked" in str(given)
    assert given.hard is None and given.power == 0.5


def test_ties_of_a_calibrated_vote_are_described_once() -> None:
    rows = [(i, r, "yes" if (i + (r == "a")) % 2 else "no") for i in range(6) for r in "ab"]
    c = raters.consensus(raters.read(rows, scale="nominal"))
    assert [w for w in c.warnings if "tied" in w] == [
        "6 of 6 votes are tied; the more probable of the tied labels is given"
    ]
