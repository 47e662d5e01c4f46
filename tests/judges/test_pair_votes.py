"""Preferences as tables: winners of pairs in both orders, from rows and from the command line."""

import json
import random
from math import exp

import pytest

import raters
from raters.judges.preferences import both_orders, winner
from raters.notes.note import Note

STRENGTH = {"gpt": 1.0, "llama": 0.3, "phi": -0.6}


def made(bias=0.6, seed=1, questions=40):
    """People see a pair in one order, the judge in both; labels name the place of the winner."""
    rng = random.Random(seed)

    def vote(first, second, more=0.0):
        d = STRENGTH[first] - STRENGTH[second] + more
        return rng.choices(["model_a", "model_b", "tie"], [exp(d / 2), exp(-d / 2), 0.4])[0]

    people, judge = [], []
    for i in range(questions):
        for a, b in (("gpt", "llama"), ("gpt", "phi"), ("llama", "phi")):
            for p in ("ann", "bob", "cat"):
                x, y = rng.sample([a, b], 2)
                people.append({"item": f"q{i}", "rater": p, "label": vote(x, y), "model_a": x, "model_b": y})
            for x, y in ((a, b), (b, a)):
                judge.append({"item": f"q{i}", "rater": "j", "label": vote(x, y, bias), "model_a": x, "model_b": y})
    return people, judge


def test_the_verdict_of_both_orders_is_the_winner_of_both():
    people, judge = made()
    (r,) = found = raters.judge(people, judge, resamples=50)
    by = {}
    for v in judge:
        place = {"model_a": v["model_a"], "model_b": v["model_b"], "tie": "tie"}
        by.setdefault((v["item"], frozenset((v["model_a"], v["model_b"]))), []).append(place[v["label"]])
    same = sum(a == b for a, b in by.values())
    assert (r.biases.position.pairs, r.biases.position.consistent) == (120, same)
    ties = sum(a != b or a == "tie" for a, b in by.values())
    rows = {name: sum(row) for name, row in zip(r.confusion.rows, r.confusion.counts, strict=True)}
    assert sum(rows.values()) + r.confusion.tied == 120 and 0 < rows["tie"] <= ties
    assert found.note == Note("read_as_winners_from", {"columns": ["model_a", "model_b"]})


def test_votes_and_strengths_beside_people():
    people, judge = made()
    (r,) = raters.judge(people, judge, position="model_a", second="model_b", resamples=50)
    s1, s2 = r.preferences.with_ties, r.preferences.without_ties
    assert s1[0].votes == 360 and s1[0].votes == s2[0].votes + s2[0].dropped and s1[1].votes == 360
    assert [(c.better, c.other) for c in r.preferences.contests] == [("gpt", "llama"), ("gpt", "phi"), ("llama", "phi")]
    assert all(c.people.low < STRENGTH[c.better] - STRENGTH[c.other] < c.people.high for c in r.preferences.contests)
    assert "According to people, gpt" in r.preferences.sentences[2] and "were excluded" in r.preferences.sentences[1]
    json.dumps(r.to_dict(), allow_nan=False)


def test_names_of_systems_need_no_second_column():
    people, judge = made(questions=30)
    for rows in (people, judge):
        for v in rows:
            v["label"] = {"model_a": v["model_a"], "model_b": v["model_b"]}.get(v["label"], "Tie (both bad)")
            v["item"] += (
                v["model_a"][0] + v["model_b"][0] if v["model_a"] < v["model_b"] else v["model_b"][0] + v["model_a"][0]
            )
            v["shown first"] = v.pop("model_a")
            del v["model_b"]
    for v in people:
        del v["shown first"]
    (r,) = raters.judge(people, judge, position="shown first", resamples=50)
    assert r.biases.position.pairs == 90 and len(r.preferences.contests) == 3
    with pytest.raises(raters.UsageError, match="no column 'place'"):
        raters.judge(people, judge, position="place")


def test_a_system_that_always_wins_is_named():
    people, judge = made(questions=12)
    for v in people:
        if "gpt" in (v["model_a"], v["model_b"]):
            v["label"] = "model_a" if v["model_a"] == "gpt" else "model_b"
    (r,) = raters.judge(people, judge, resamples=50)
    assert not r.preferences.contests and "no finite strength for 'gpt'" in str(r.preferences.why)


def test_a_verdict_that_names_neither_is_no_flip():
    found = both_orders([("q", "A", "A"), ("q", "B", "I cannot say"), ("r", "A", "A"), ("r", "B", "B")])
    assert (found.pairs, found.unread, found.always_first, found.always_second) == (1, 1, 1, 0)
    assert winner("A", "B", None, {"A", "B"}) == "A"  # systems may be called as places are
    assert winner("I cannot say", "A", "B") == "I cannot say" and winner("[[B]]", "x", "y") == "y"
