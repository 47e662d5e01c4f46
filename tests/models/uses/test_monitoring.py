"""Raters watched over time, and simulated against estimated parameters."""

import json

import numpy as np
import pytest

import raters
from raters import models, simulate
from raters.errors import UsageError
from raters.models.uses.annotation_tables import information_chart, prevalence_chart


def crowd(seed, change=None, n=260, pool=6, each=5):
    """Labels in time; a third of the items are hard. The first rater changes after 100 labels, where ``change`` is
    given.
    """
    rng = np.random.default_rng(seed)
    truth, hard = rng.integers(0, 3, n), np.where(rng.random(n) < 0.3, 0.5, 1.0)
    seen, rows = np.zeros(pool, int), []
    for i in range(n):
        for j in rng.choice(pool, each, replace=False):
            p = 0.85 * hard[i] + (1 - hard[i]) / 3
            if change is not None and j == 0 and seen[0] >= 100:
                p = change
            y = truth[i] if rng.random() < p else (truth[i] + rng.integers(1, 3)) % 3
            rows.append({"item": f"i{i}", "rater": f"r{j}", "label": "abc"[y], "time": len(rows)})
            seen[j] += 1
    return rows


def test_a_rater_who_changes_is_named_and_others_are_not():
    named, false, others = 0, 0, 0
    for seed in range(4):
        found = models.monitor(raters.read(crowd(seed, change=0.35), scale="nominal"), order="time")
        w = found.raters["r0"]
        named += w.changed == "more" and w.at > 20
        false += len([r for r in found.changed if r != "r0"])
        others += len(found.raters) - 1
    assert named == 4 and false <= 0.2 * others


def test_who_does_not_change_does_not_ring():
    found = [models.monitor(raters.read(crowd(seed), scale="nominal"), order="time") for seed in range(20, 24)]
    assert sum(len(f.changed) for f in found) <= 0.15 * sum(len(f.raters) for f in found)
    z = [b["z"] for f in found for w in f.raters.values() for b in w.batches]
    assert abs(np.mean(z)) < 0.35 and 0.6 < np.std(z) < 1.4 and np.mean(np.abs(z) > 3) < 0.03


def test_hard_items_at_the_end_are_no_change():
    """Everybody disagrees more on hard items: without adjusting for them every rater would ring."""
    rows = crowd(3)
    rng = np.random.default_rng(0)
    hard = {r["item"] for r in rows if r["time"] > 700 and rng.random() < 0.1}  # about 40 % of the late items
    for r in rows:
        if r["item"] in hard:
            r["label"] = "abc"[rng.integers(3)]
    found = models.monitor(raters.read(rows, scale="nominal"), order="time")
    raw = [np.mean([b["seen"] for b in w.batches[-2:]]) - w.baseline for w in found.raters.values()]
    assert np.mean(raw) > 0.08 and len(found.changed) <= 2


def test_with_the_current_consensus_and_what_it_shows():
    rows = crowd(5, change=0.2)
    first, rest = ([r for r in rows if (r["time"] < 600) is early] for early in (True, False))
    c = raters.consensus(raters.read(first, scale="nominal"), "dawid_skene").update(raters.read(rest, scale="nominal"))
    found = models.monitor(raters.read(rows, scale="nominal"), order="time", consensus=c)
    assert found.raters["r0"].changed == "more" and "r0 disagrees more" in found.sentence
    assert json.dumps(found.to_dict()) and set(found.to_columns()) == {"rater", "batch", "n", "seen", "expected", "z"}
    assert "limit" in json.dumps(found.plot("r0").to_dict())
    with pytest.raises(UsageError, match="is not watched"):
        found.plot("nobody")
    few = models.monitor(raters.read(rows[:200], scale="nominal"))
    assert few.too_few and any("order of the rows" in w for w in few.warnings)
    with pytest.raises(UsageError, match="no column 'when'"):
        models.monitor(raters.read(rows, scale="nominal"), order="when")


def test_simulated_against_estimated():
    drawn = simulate.labels(300, 6, 3, accuracy=[0.9, 0.85, 0.8, 0.7, 0.7, 0.6], seed=2).annotations()
    table = models.recovery(raters.consensus(drawn, "dawid_skene"), simulations=4)
    assert table["accuracy"].value < 0.05 and table["prevalence"].value < 0.06
    assert table["labels"].value == pytest.approx(table["certainty"].value, abs=0.03)
    thin = models.recovery(
        raters.consensus(simulate.labels(60, 20, 4, missing=0.9, seed=1).annotations(), "dawid_skene"), simulations=4
    )
    assert thin["certainty"].value > thin["labels"].value + 0.05  # two labels an item, twenty raters: far too sure


def test_pictures_of_the_paper():
    drawn = simulate.labels(200, 5, 3, prevalence=[0.6, 0.3, 0.1], seed=1).annotations()
    c = raters.consensus(drawn, "dawid_skene")
    assert "raw" in prevalence_chart(c).alt and "model" in prevalence_chart(c).alt
    alt = information_chart({"trained": raters.information(c), "crowd": raters.information(c)}).alt
    assert "trained" in alt and "5 raters" in alt
