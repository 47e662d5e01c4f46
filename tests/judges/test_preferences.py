"""Preferences: both orders, agreement with and without ties, and strengths against other software."""

import json

import alt_test_data as collection
import numpy as np
import pytest

import raters
from raters.judges.preferences import both_orders, vote_agreement
from raters.judges.strengths import compared, fit_strengths
from raters.notes.note import Note


@pytest.mark.shared
def test_the_pairs_of_mt_bench(data_dir, oracles_dir):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"]["position_mtbench_29"]
    path = next((data_dir / "exports" / "mt-bench").glob("*pair.jsonl"))
    rows = []
    for i, line in enumerate(path.read_text().splitlines()):
        row = json.loads(line)
        rows += [(i, "model_1", row["g1_winner"]), (i, "model_2", row["g2_winner"])]
    found = both_orders(rows)
    assert [found.pairs, found.consistent, found.always_first, found.always_second, found.one_tie] == [29, 17, 9, 1, 2]
    assert found.first_among_flips == pytest.approx(want["first_among_flips"]) and found.p == pytest.approx(
        want["exact_binomial_p"], abs=1e-6
    )
    assert (
        dict(found.verdicts) == want["verdict_counts_inconsistent_as_tie"] and "of 10 that flipped, 9" in found.sentence
    )


@pytest.mark.shared
def test_agreement_of_votes(oracles_dir):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"]["mtbench_agreement"]
    votes = {q: ([v["judge"]], v["people"]) for q, v in want["votes"].items()}
    for ties, name in ((True, "S1_with_ties"), (False, "S2_without_ties")):
        judge, people = vote_agreement(votes, ties)
        for found, who in ((judge, "judge_people"), (people, "people_people")):
            assert [found.agree, found.votes, found.share] == pytest.approx(want[name][who], abs=1e-6)
            assert found.mean_over_questions == pytest.approx(want[name][f"{who}_mean_over_questions"], abs=1e-6)
    assert vote_agreement(votes, False)[0].dropped == 4 and np.isfinite(judge.kappa)


@pytest.fixture(scope="module")
def votes(oracles_dir):
    rows = collection.oracle(oracles_dir)["preferences_and_repeats"]["rows"]
    return [tuple(r.split(",")) for r in rows]


@pytest.mark.shared
@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_strengths(votes, oracles_dir, model):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"][model]
    found = fit_strengths(votes, model)
    assert dict(found.log_strength) == pytest.approx(want["log_strength_sum0"], abs=2e-5)
    assert found.tie == pytest.approx(want["nu" if model == "davidson" else "theta"], abs=2e-5)
    assert found.log_likelihood == pytest.approx(want["log_likelihood"], abs=1e-6)
    if model == "davidson":
        contrast = found.contrast("A", "B")
        assert [contrast.value, contrast.se] == pytest.approx(
            [want["contrast_A_minus_B"][k] for k in ("value", "se_item")], abs=2e-5
        )
        win, tie, lose = found.chances("A", "B")
        assert [win, tie, lose] == pytest.approx(want["P_A_beats_B_tie_loses"], abs=2e-5) and found.note == Note(
            "clustered_by_item_only", {"n": 4}
        )


@pytest.mark.shared
def test_bradley_terry_is_the_case_without_ties(votes, oracles_dir):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"]["bradley_terry_without_ties"]
    found = fit_strengths([v for v in votes if v[4] != "tie"])
    assert dict(found.log_strength) == pytest.approx(want["log_strength_sum0"], abs=1e-5)
    assert found.contrast("A", "B").se == pytest.approx(want["contrast_A_minus_B"]["se_item"], abs=1e-5)


def made(n=400, seed=0, gap=1.0, first=0.0):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        a, b = rng.permutation(3)[:2]
        d = gap * (b - a) / 2 + first
        p = np.exp([d / 2, -d / 2, -0.5])
        rows.append((i, f"r{i % 10}", "ABC"[a], "ABC"[b], ("first", "second", "tie")[rng.choice(3, p=p / p.sum())]))
    return rows


def test_what_was_simulated_is_recovered():
    found = fit_strengths(made(n=6000))
    assert found.contrast("A", "C").value == pytest.approx(1.0, abs=0.1) and found.note is None
    biased = fit_strengths(made(n=6000, first=0.5), position=True)
    assert biased.position == pytest.approx(0.5, abs=0.08)


def test_people_and_judge_on_the_same_items():
    people, judge = fit_strengths(made(seed=1)), fit_strengths(made(seed=1, gap=2.5))
    same, other = compared(people, people, "A", "C"), compared(people, judge, "A", "C")
    assert same.value == 0 and same.se == 0 and other.value > 0 and other.low > 0


def test_no_finite_strength_is_named():
    rows = [(i, "r", "A", "B", "first") for i in range(5)] + [
        (9 + i, "r", "B", "C", o) for i, o in enumerate(("first", "second"))
    ]
    with pytest.raises(raters.DataError, match="no finite strength for 'A'"):
        fit_strengths(rows)
    assert np.isfinite(fit_strengths(rows, prior=1.0).log_strength["A"])
    with pytest.raises(raters.DataError, match="not 'left'"):
        fit_strengths([(1, "r", "A", "B", "left")])


def test_a_pair_shown_in_one_order_says_nothing_about_position():
    found = both_orders([("p", "A", "A"), ("q", "A", "B"), ("q", "B", "B")])
    assert (found.pairs, found.consistent, found.verdicts) == (1, 1, {"B": 1})
