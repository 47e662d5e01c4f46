"""Preferences: both orders, agreement with and without ties, and strengths against other software."""

import json
import math

import alt_test_data as collection
import numpy as np
import pytest
from scipy import stats

import raters
from raters.judges.preferences import both_orders, vote_agreement
from raters.judges.strengths import compared, fit_strengths


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


def with_factor(votes, cluster=0):
    """The file's errors are without G / (G - 1)."""
    n = len({v[cluster] for v in votes})
    return math.sqrt(n / (n - 1))


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
            [want["contrast_A_minus_B"]["value"], want["contrast_A_minus_B"]["se_rater"] * with_factor(votes, 1)],
            abs=2e-5,
        )
        assert contrast.high - contrast.value == pytest.approx(stats.t.ppf(0.975, 3) * contrast.se)
        at = [found.systems.index(x) for x in "AB"]
        item = found.covariance[np.ix_(at, at)]
        assert math.sqrt(item[0, 0] + item[1, 1] - 2 * item[0, 1]) == pytest.approx(
            want["contrast_A_minus_B"]["se_item"] * with_factor(votes), abs=2e-5
        )
        win, tie, lose = found.chances("A", "B")
        assert [win, tie, lose] == pytest.approx(want["P_A_beats_B_tie_loses"], abs=2e-5) and found.note is None


@pytest.mark.shared
def test_bradley_terry_is_the_case_without_ties(votes, oracles_dir):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"]["bradley_terry_without_ties"]
    found = fit_strengths([v for v in votes if v[4] != "tie"])
    assert dict(found.log_strength) == pytest.approx(want["log_strength_sum0"], abs=1e-5)
    at = [found.systems.index(x) for x in "AB"]
    item = found.covariance[np.ix_(at, at)]
    known = want["contrast_A_minus_B"]["se_item"] * with_factor([v for v in votes if v[4] != "tie"])
    assert math.sqrt(item[0, 0] + item[1, 1] - 2 * item[0, 1]) == pytest.approx(known, abs=1e-5)


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


def random_votes(seed, systems=4, items=30, raters=9):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        for r in rng.choice(raters, 2, replace=False):
            a, b = rng.choice(systems, 2, replace=False)
            rows.append((i, f"r{r}", f"S{a}", f"S{b}", ("first", "second", "tie")[rng.choice(3, p=[0.4, 0.4, 0.2])]))
    return rows


def by_hand(votes, a, b):
    """A second road: the last system at zero, the score by central differences; the errors by item and by rater."""
    systems = sorted({v[2] for v in votes} | {v[3] for v in votes})
    fit = fit_strengths(votes)
    start = np.array([fit.log_strength[x] - fit.log_strength[systems[-1]] for x in systems[:-1]] + [math.log(fit.tie)])
    place = {x: i for i, x in enumerate(systems)}

    def each(x):
        level = np.append(x[:-1], 0.0)
        d = np.array([level[place[v[2]]] - level[place[v[3]]] for v in votes])
        logits = np.stack([d / 2, -d / 2, np.full(len(d), x[-1])], 1)
        won = [("first", "second", "tie").index(v[4]) for v in votes]
        return logits[np.arange(len(d)), won] - np.log(np.exp(logits).sum(1))

    move = 1e-4 * np.eye(len(start))
    scores = np.stack([(each(start + m) - each(start - m)) / 2e-4 for m in move], 1)
    hessian = [
        [
            (each(start + p + q) - each(start + p - q) - each(start - p + q) + each(start - p - q)).sum() / 4e-8
            for p in move
        ]
        for q in move
    ]
    inverse, found = np.linalg.inv(-np.array(hessian)), []
    v = np.array([(x == a) - float(x == b) for x in systems[:-1]] + [0.0])
    for k in (0, 1, (0, 1)):
        names = [w[k] if isinstance(k, int) else (w[0], w[1]) for w in votes]
        groups = np.array([scores[[n == name for n in names]].sum(0) for name in dict.fromkeys(names)])
        influence = groups @ inverse @ v
        g = len(influence)
        found.append(float((influence**2).sum()) * (g / (g - 1) if isinstance(k, int) else 1))
    return found


def test_a_contrast_has_the_larger_of_both_errors():
    """Also where the sum of both variances minus that of cells, used before, is below 0: an interval of no width."""
    below = 0
    for seed in range(12):
        votes = random_votes(seed)
        found = fit_strengths(votes)
        for a, b in (("S0", "S1"), ("S2", "S3")):
            item, rater, cell = by_hand(votes, a, b)
            e = found.contrast(a, b)
            assert e.se == pytest.approx(math.sqrt(max(item, rater)), rel=1e-4)
            df = 8 if rater > item else np.inf
            assert e.high - e.value == pytest.approx(stats.t.ppf(0.975, df) * e.se, rel=1e-6)
            below += item + rater - cell < 0.3 * max(item, rater)
    assert below


def test_what_votes_do_not_determine_is_an_error():
    always = [(i, f"r{i % 3}", "A", "B", ("first", "second", "first", "tie")[i % 4]) for i in range(20)]
    with pytest.raises(raters.DataError, match="always the same"):
        fit_strengths(always, position=True)
    never = [(i, f"r{i % 3}", "A", "B", "tie" if i < 2 else "second") for i in range(19)]
    for model in ("davidson", "rao_kupper"):
        with pytest.raises(raters.DataError, match="no finite strength for 'A', 'B'"):
            fit_strengths(never, model)


def test_votes_that_cancel_within_every_item_and_rater_give_no_interval_without_width():
    """Every rater gave one vote to each side on every item: no cluster differs from another."""
    votes = [(i, r, "a", "b", won) for i in range(6) for r in range(3) for won in ("first", "second")]
    found = fit_strengths(votes).contrast("a", "b")
    assert found.value == pytest.approx(0) and np.isnan(found.low) and "same whatever" in str(found.undefined)
