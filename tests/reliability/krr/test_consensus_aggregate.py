"""A model as the aggregate of k labels, and experts, vote and model side by side on real data."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from confused import coin, crowd
from published import snow

import raters
from raters import models
from raters.errors import UsageError
from raters.models.votes import Votes


def annotations(accuracies: list[float], n_items: int, k: int, seed: int) -> tuple[raters.Annotations, np.ndarray]:
    votes, truth = crowd(np.stack([coin(a, k) for a in accuracies]), n_items, seed=seed)
    rows = [
        (f"i{i:04}", f"r{j}", f"k{y}") for i, j, y in zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)
    ]
    return raters.read(rows, scale="nominal"), truth


def by_hand(ann: raters.Annotations, k: int, model: str, draws: int, seed: int) -> float:
    """Split every item's labels in two at random, fit both halves, nominal alpha of the two answers; mean over draws."""
    votes = Votes.of(ann)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        halves: tuple[list[Any], list[Any]] = ([], [])
        for i in range(votes.n_items):
            at = rng.permutation(np.flatnonzero(votes.item_of == i))
            for half, some in zip(halves, (at[:k], at[k : 2 * k]), strict=True):
                half += [(i, int(votes.rater_of[c]), f"k{votes.label_of[c]}") for c in some]
        a, b = (raters.consensus(raters.read(h, scale="nominal"), model=model, restarts=0).labels for h in halves)
        pairs = [(a[i], b[i]) for i in range(votes.n_items)]
        margin = Counter(x for pair in pairs for x in pair)
        n = sum(margin.values())
        expected = 1 - sum(m * (m - 1) for m in margin.values()) / (n * (n - 1))
        found.append(1 - np.mean([x != y for x, y in pairs]) / expected)
    return float(np.mean(found))


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_krr_of_a_model_against_halves_drawn_by_hand(model: str) -> None:
    ann, _ = annotations([0.9, 0.85, 0.8, 0.7, 0.7, 0.6], 60, 2, seed=1)
    e = raters.krr(ann, k=3, aggregate=model, method="split", draws=8, seed=3)
    assert e.value == pytest.approx(by_hand(ann, 3, model, 8, seed=8), abs=0.1)
    assert e.details["method"] == "split" and e.details["aggregate"].startswith(model)
    assert e.low < e.value < e.high and e.n_items == 60
    assert raters.krr(ann, k=3, aggregate=model, draws=8, seed=3, interval=None).value == e.value


def test_among_spammers_the_models_aggregate_is_the_more_reliable() -> None:
    """4 of 12 know; the halves of a vote are swamped by guessers, those of the model listen to the four."""
    ann, truth = annotations([0.95] * 4 + [0.5] * 8, 300, 2, seed=2)
    vote = raters.krr(ann, k=6, aggregate="majority", method="split", interval=None).value
    model = raters.krr(ann, k=6, aggregate="dawid_skene", method="split", interval=None).value
    assert model > vote + 0.1
    right = {m: np.mean([x == f"k{z}" for x, z in zip(raters.consensus(ann, model=m).labels.values(), truth, strict=True)]) for m in ("majority", "dawid_skene")}  # fmt: skip
    assert right["dawid_skene"] >= right["majority"]


def test_a_model_is_an_aggregate_by_split_only() -> None:
    ann, _ = annotations([0.8] * 4, 20, 2, seed=0)
    with pytest.raises(UsageError, match="the reliability of dawid_skene is found by method='split'"):
        raters.krr(ann, k=2, aggregate="dawid_skene", method="model")
    with pytest.raises(UsageError, match="magic"):
        raters.krr(ann, k=2, aggregate="magic")


# -- experts, vote and model


def agree(a: Counter[Any], b: Counter[Any]) -> float:
    """The share of agreement of two votes, ties shared out."""
    best = [{x for x, n in c.items() if n == max(c.values())} for c in (a, b)]
    return len(best[0] & best[1]) / (len(best[0]) * len(best[1]))


def overlap_by_hand(ann: raters.Annotations, c: raters.Consensus, experts: dict[Any, Any]) -> dict[str, float]:
    votes: dict[Any, Counter[Any]] = {}
    v = c.votes
    for i, y, n in zip(v.item_of, v.label_of, v.table.data, strict=True):
        votes.setdefault(v.items[i], Counter())[v.labels[y]] += int(n)
    rows = [(Counter([experts[x]]), votes[x], Counter([c.labels[x]])) for x in experts if x in votes]
    return {
        "experts_vote": float(np.mean([agree(e, w) for e, w, _ in rows])),
        "experts_model": float(np.mean([agree(e, m) for e, _, m in rows])),
        "vote_model": float(np.mean([agree(w, m) for _, w, m in rows])),
        "n_items": float(len(rows)),
    }


@pytest.mark.shared
def test_overlap_of_experts_vote_and_model_on_rte(data_dir: Path) -> None:
    ann, experts = snow(data_dir, "rte")
    c = raters.consensus(ann, start="votes")
    found = models.overlap(c, experts)
    assert found == pytest.approx(overlap_by_hand(ann, c, experts))
    assert round(found["experts_vote"], 4) == 0.8969 and round(found["experts_model"], 4) == 0.9275
    table = models.prevalences(c, experts)
    shares = Counter(experts.values())
    assert table["experts"] == pytest.approx([shares[x] / len(experts) for x in table["label"]])
    assert table["raw"] == pytest.approx((c.votes.counts.sum(0) / c.votes.counts.sum()).tolist())


@pytest.mark.shared
def test_overlap_on_dices_whose_expert_is_not_the_crowd(data_dir: Path) -> None:
    home = data_dir / "judge-bench" / "dices"
    people = json.loads(gzip.decompress((home / "dices_350_crowdsourced.json.gz").read_bytes()))
    expert = json.loads((home / "dices_350_expert.json").read_text())
    rows = [
        (i["id"], f"r{j}", y)
        for i in people["instances"]
        for j, y in enumerate(i["annotations"]["safety"]["individual_human_scores"])
    ]
    experts = {i["id"]: i["annotations"]["safety"]["majority_human"] for i in expert["instances"]}
    ann = raters.read(rows, scale="nominal")
    c = raters.consensus(ann, start="votes")
    found = models.overlap(c, experts)
    assert found["n_items"] == 350
    assert found == pytest.approx(overlap_by_hand(ann, c, experts))
