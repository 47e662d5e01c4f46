"""Experts, vote and model side by side: prevalence, overlap and cost."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import snow
from small_crowds import crowd

import raters
from raters.models import consensus
from raters.papers import annotation_tables as tables
from raters.papers.annotation_tables import information_chart, prevalence_chart


def test_prevalence_three_ways_overlap_and_cost() -> None:
    theta = np.stack([np.array([[0.95, 0.05], [0.45, 0.55]])] * 7)  # biased towards label 0
    votes, truth = crowd(theta, 2000, pi=[0.5, 0.5])
    c = consensus(votes, "dawid_skene")
    table = tables.prevalences(c, experts=dict(enumerate(truth.tolist())))
    assert table["raw"][0] > 0.65  # as given
    assert abs(table["model"][0] - 0.5) < abs(table["vote"][0] - 0.5) < 0.25
    assert table["experts"][0] == pytest.approx(0.5, abs=0.03)
    both = tables.overlap(c, dict(enumerate(truth.tolist())))
    assert both["experts_model"] >= both["experts_vote"] and both["n_items"] == 2000
    assert tables.overlap(c, {0: [int(truth[0]), 1 - int(truth[0])]})["experts_vote"] == 0.5  # a tie is shared out
    paid = tables.costs(c, 0.1)
    assert paid["per_item"] == pytest.approx(0.7) and paid["per_certain_item"] > 0.7


def agree(a: Counter[Any], b: Counter[Any]) -> float:
    """The share of agreement of two votes, ties shared out."""
    best = [{x for x, n in c.items() if n == max(c.values())} for c in (a, b)]
    return len(best[0] & best[1]) / (len(best[0]) * len(best[1]))


def overlap_by_hand(ann: raters.Annotations, c: raters.results.Consensus, experts: dict[Any, Any]) -> dict[str, float]:
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
    c = raters.consensus(ann, "dawid_skene", start="votes")
    found = tables.overlap(c, experts)
    assert found == pytest.approx(overlap_by_hand(ann, c, experts))
    assert round(found["experts_vote"], 4) == 0.8969 and round(found["experts_model"], 4) == 0.9275
    table = tables.prevalences(c, experts)
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
    c = raters.consensus(ann, "dawid_skene", start="votes")
    found = tables.overlap(c, experts)
    assert found["n_items"] == 350
    assert found == pytest.approx(overlap_by_hand(ann, c, experts))


def test_pictures_of_the_paper():
    drawn = raters.simulate.labels(200, 5, 3, prevalence=[0.6, 0.3, 0.1], seed=1).annotations()
    c = raters.consensus(drawn, "dawid_skene")
    assert "raw" in prevalence_chart(c).alt and "model" in prevalence_chart(c).alt
    people = [(item, "expert", label) for item, label in c.labels.items()]
    table = prevalence_chart(c, raters.read(people, scale="nominal"))
    assert table.alt == prevalence_chart(c, c.labels).alt and "experts" in table.alt
    alt = information_chart({"trained": raters.information(c), "crowd": raters.information(c)}).alt
    assert "trained" in alt and "5 raters" in alt
