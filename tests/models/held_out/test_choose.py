"""Models compared by labels held out."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import bluebirds, snow

import raters
from raters.errors import UsageError
from raters.models.base.fit import Candidate
from raters.models.base.votes import Votes
from raters.models.families.registry import MODELS
from raters.models.families.spec import Settings
from raters.models.held_out import choose
from raters.models.held_out.choose import Entry, compare, entries, ranked, sample, simplest
from raters.models.held_out.folds import folds, held_out


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
        total, n = held_out(votes, name, tolerance=1e-13).sum(0)
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


def test_the_simplest_within_one_standard_error() -> None:
    rows = [Entry(MODELS[m], "learned") for m in ("majority", "one_coin", "dawid_skene")]
    even = [
        np.stack([np.array(x, float), np.ones(4)], -1)
        for x in ([-1.0, -1, -1, -1], [-1.2, -0.7, -1, -1], [-0.9, -0.9, -0.9, -0.9])
    ]
    found = ranked(rows, {0: 1.0, 1: 1.0, 2: 0.5}, [[one] for one in even])
    assert [c.model for c in found] == ["dawid_skene", "one_coin", "majority"]
    gap = np.array([0.3, -0.2, 0.1, 0.1])
    assert found[1].behind == pytest.approx(gap.sum() / 4) and found[1].se == pytest.approx(gap.std(ddof=1) * 2 / 4)
    assert found[2].se == 0 and found[2].behind == pytest.approx(0.1)  # certainly worse, and out
    assert simplest(found).model == "one_coin"


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
    assert compare(part, entries(part)[:2], Settings())


def test_tempering_of_a_named_model() -> None:
    votes, _ = crowd(6, 120, 8, 5, 2, 0.75)
    full, half = raters.consensus(votes, "one_coin"), raters.consensus(votes, "one_coin", tempering=0.5)
    odds = np.log(full.posterior[:, 0] / full.posterior[:, 1])
    assert np.allclose(np.log(half.posterior[:, 0] / half.posterior[:, 1]), odds / 2)  # prevalence is equal
    assert half.power == 0.5 and (half.codes == full.codes).all()
    assert raters.consensus(votes, "one_coin", tempering="held_out").power <= 1
    with pytest.raises(UsageError, match="tempering=2"):
        raters.consensus(votes, tempering=2)


def test_no_rater_is_held_out_whole() -> None:
    """Dealt out in turn, five raters of every item were one fold each, and three adversaries were never found."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 200)
    wrong = rng.random((200, 5)) > np.array([0.9, 0.9, 0.1, 0.1, 0.1])
    item, rater = np.divmod(np.arange(1000), 5)
    votes = Votes.of_codes(item, rater, np.where(wrong, 1 - truth[:, None], truth[:, None]).ravel(), labels="ab")
    scores = {c.model: c.score for c in compare(votes, entries(votes), Settings())}
    assert scores["one_coin"] > scores["majority"] + 0.4


def test_a_model_far_behind_is_given_up_and_the_choice_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 raters with 25 labels each on seven labels: full matrices are hopeless after one fold of 300 labels."""
    votes = Votes.of(raters.simulate.labels(300, 60, 7, accuracy=0.6, missing=0.9, seed=4).annotations())
    monkeypatch.setattr("raters.models.held_out.choose.LEAST_HELD", 200)
    tried = [e for e in entries(votes) if e.model.name not in ("glad", "hierarchical")] + [
        Entry(MODELS["dawid_skene"], "learned")
    ]
    quick = compare(votes, tried, Settings())
    monkeypatch.setattr("raters.models.held_out.choose.HOPELESS", math.inf)
    whole = compare(votes, tried, Settings())
    assert [c.folds for c in whole] == [5] * len(tried)
    given_up = [c for c in quick if c.folds < 5]
    assert "dawid_skene" in {c.model for c in given_up} and not {c.model for c in given_up} & {"majority", "wawa"}
    assert [c for c in quick if c.folds == 5] == [
        c for c in whole if c.model in {q.model for q in quick if q.folds == 5}
    ]
    assert simplest(quick) == simplest(whole)
    before = {(c.model, c.prevalence): c for c in whole}
    for c in given_up:
        old = before[c.model, c.prevalence]
        assert c.behind > 6 * c.se and old.behind > 6 * old.se
        assert c.score == pytest.approx(old.score, abs=6 * c.se)


def test_fits_to_folds_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = Votes.of(raters.simulate.labels(80, 9, 3, accuracy=0.7, missing=0.4, seed=3).annotations())
    settings, kept = Settings(), dict[tuple[str, str, int], Any]()
    dealt = choose.deal(votes, settings)
    entry = Entry(MODELS["one_coin"], "learned")
    alone = choose.tempered(votes, entry, settings, dealt=dealt)
    compare(votes, [entry], settings, dealt=dealt, kept=kept)
    assert len(kept) == len(dealt)
    monkeypatch.setattr(choose, "fit", lambda *at, **given: pytest.fail("fitted again"))
    assert choose.tempered(votes, entry, settings, dealt=dealt, kept=kept) == alone


def test_a_vote_yields_to_models_that_gain_much_or_beyond_doubt() -> None:
    def one(model: str, behind: float, se: float) -> Candidate:
        return Candidate(model, "learned", 1.0, -0.5 - behind, behind, se)

    best = one("one_coin", 0.0, 0.0)
    for behind, se, chosen in (
        (0.02, 0.01, "majority"),  # little, two standard errors
        (0.02, 0.005, "one_coin"),  # little, but beyond doubt
        (0.03, 0.02, "one_coin"),  # more than a little
        (0.03, 0.04, "majority"),  # within one standard error
    ):
        assert simplest([best, one("majority", behind, se)]).model == chosen
    assert simplest([best, one("majority", 0.02, 0.01)], each=150).model == "one_coin"  # skills are well known
    assert simplest([best, one("wawa", 0.01, 0.006), one("majority", 0.02, 0.01)]).model == "majority"


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
