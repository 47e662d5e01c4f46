"""``judge``: the verdict and what it rests on, power, wavering, and tables that are odd."""

import json

import alt_test_data as collection
import numpy as np
import pytest

import raters
from raters.estimate import Estimate
from raters.judges.alt_test import LEAST
from raters.judges.alt_test_power import passes, patterns_of, power
from raters.judges.cross_replication import consistency
from raters.judges.people_and_judges import sides
from raters.judges.verdict import standing
from raters.notes.note import Note


def made(n=120, wrong=0.2, machine=0.2, persons=3, seed=0, labels="abc"):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(labels), n)
    say = lambda w: np.where(rng.random(n) < w, rng.integers(0, len(labels), n), truth)  # noqa: E731
    people = [(i, f"p{j}", labels[x]) for j in range(persons) for i, x in enumerate(say(wrong))]
    return people, [(i, "m", labels[x]) for i, x in enumerate(say(machine))]


def test_the_verdict_names_the_test_and_the_gap():
    people, model = made(n=400, machine=0.05)
    (r,) = raters.judge(people, model, epsilon=0.2, resamples=300)
    assert (
        r.outcome == "yes"
        and "alternative-annotator test" in r.verdict
        and "kappa" in r.verdict
        and "epsilon 0.2, meant for experts" in r.verdict
    )
    assert r["kappa"].value > r["kappa_people"].value and r["advantage"].low <= r["advantage"].value
    assert set(r.labels) == {"a", "b", "c"} and sum(r.labels.values()) == pytest.approx(1)
    json.dumps(raters.judge(people, model, resamples=50).to_dict(), allow_nan=False)


def test_a_judge_that_passes_the_test_may_still_be_worse_than_people():
    people, model = made(n=900, wrong=0.1, machine=0.25)
    (r,) = raters.judge(people, model, epsilon=0.2, resamples=300)
    assert r.outcome == "no" and "it is more than 0.05 worse than they are" in r.verdict
    assert "passes the alternative-annotator test" in r.verdict and r["kappa_gap"].high < -0.05


def test_absence_of_evidence_is_not_a_yes():
    """A gap whose interval holds both zero and minus the margin is not clear, whatever the test says."""
    people, model = made(n=100, wrong=0.25, machine=0.3)
    (r,) = raters.judge(people, model, epsilon=0.2, resamples=300)
    assert r["kappa_gap"].low < -0.05 < r["kappa_gap"].high and r.outcome == "cannot tell yet"
    assert "it may be worse than they are by more than 0.05" in r.verdict and r.needed > 100
    limits = r["winning_rate"]
    assert f"winning rate {limits.value:.2f} [{limits.low:.2f}, {limits.high:.2f}]" in r.verdict
    (wide,) = raters.judge(people, model, epsilon=0.2, margin=0.4, resamples=300)
    assert wide.outcome == "yes" and "at most 0.4 worse" in wide.verdict and wide.margin == 0.4
    (bad,) = raters.judge(*made(n=300, wrong=0.1, machine=0.8), resamples=300)
    assert bad.outcome == "no" and "should not stand in" in bad.verdict


@pytest.mark.parametrize("outcome", [0, 1])
def test_both_gaps_count(outcome):
    """The gap with the consensus may be clearly negative where that with single people is not."""
    figures = {
        "kappa_gap": Estimate("kappa_gap", 0.01, -0.03, 0.05, 0.02, n_items=400),
        "leave_one_out_gap": Estimate("leave_one_out_gap", -0.1, *((-0.14, -0.06), (-0.06, -0.01))[outcome], 0.02),
        "kappa_x_gap": Estimate("kappa_x_gap", 0.0, -0.02, 0.02, 0.01),
    }
    assert standing(figures, False, False, 0.05).outcome == ("no", "cannot tell yet")[outcome]
    assert standing(figures, True, False, 0.05).outcome == ("yes, with a gap", "yes")[outcome]  # the gap by distance


def test_few_items_without_any_error_do_not_show_a_yes():
    """The interval of a gap holds what n items without an error may hide: 1 - .025^(1/n) of all items."""
    for n, end in ((20, "cannot tell yet"), (400, "yes")):
        rows = [(i, p, "ab"[i % 2]) for i in range(n) for p in ("ann", "bob", "cat")]
        (r,) = raters.judge(rows, [(i, "m", "ab"[i % 2]) for i in range(n)], resamples=1000)
        share = 1 - 0.025 ** (1 / n)
        assert r.outcome == end and r["kappa_gap"].low == pytest.approx(-2 * share, rel=0.3)


def test_a_class_on_which_the_judge_is_worse_is_named():
    """Overall as good as people, but it says the rare label twice as often as they do."""
    rng = np.random.default_rng(3)
    truth = rng.choice(3, size=1500, p=[0.1, 0.45, 0.45])
    say = lambda right: np.where(rng.random(1500) < right, truth, rng.integers(1, 3, 1500))  # noqa: E731
    machine = say(0.99)
    machine[rng.permutation(np.flatnonzero(truth == 1))[:100]] = 0
    people = [(i, f"p{j}", "abc"[x]) for j in range(3) for i, x in enumerate(say(0.85))]
    (r,) = raters.judge(people, [(i, "m", "abc"[x]) for i, x in enumerate(machine)], resamples=300)
    assert (
        r.outcome == "yes, with a gap" and "But where it says 'a', " in r.verdict and "2.3 times as often" in r.verdict
    )
    (c,) = [c for c in r.classes if c.worse]
    assert c.label == "a" and c.worse == ("precision",) and c.precision.high < c.precision_people.low
    assert "let people decide where it says 'a'" in r.advice
    json.dumps(r.to_dict(), allow_nan=False)


def test_figures_of_classes_by_a_loop():
    rng = np.random.default_rng(8)
    people, model = made(n=80, seed=8)
    people = [row for row in people if rng.random() > 0.2]
    given: dict = {}
    for i, p, y in people:
        given.setdefault(i, {})[p] = y
    said = {i: y for i, _, y in model}
    met = {c: np.zeros(5) for c in "abc"}
    for i, own in given.items():
        rows = []
        for p, y in own.items():
            rest = [x for q, x in own.items() if q != p]
            top = [x for x in set(rest) if rest.count(x) == max(map(rest.count, rest))]
            if len(top) == 1:
                rows.append((y, top[0]))
        for y, t in rows:
            for c in "abc":
                met[c] += np.array([said[i] == c, said[i] == c == t, y == c, y == c == t, t == c]) / len(rows)
    (r,) = raters.judge(people, model, interval=None)
    for c in r.classes:
        said_c, right, own_c, own_right, truth = met[c.label]
        found = [e.value for e in (c.precision, c.precision_people, c.recall, c.recall_people, c.ratio)]
        want = [right / said_c, own_right / own_c, right / truth, own_right / truth, said_c / own_c]
        assert found == pytest.approx(want)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["framing/gpt-4o-mini", "framing/llama-31", "lesion/gemini_pro"])
def test_the_power_of_published_tasks(name, data_dir, oracles_dir):
    want = collection.oracle(oracles_dir)["alternative_annotator_test"]["power_by_resampling_items_1000"][name]
    task, judge = name.split("/")
    s = sides(*collection.pair(data_dir, task))
    j = s.judges.index(judge)
    table, sums = patterns_of(s, j, None)
    for items, row in want.items():
        found = passes(table, int(items), np.full(len(sums), 0.15), 0.05, LEAST, 2000, 0)
        assert found == pytest.approx(row["passes"], abs=0.05)
    whole = power(s, j, 0.15)
    assert (whole.power > 0.8) == (judge != "llama-31") and not whole.never
    assert whole.cautious >= whole.needed


def test_no_number_of_items_is_enough_as_it_stands():
    people, model = made(n=200, wrong=0.05, machine=0.7)
    found = power(sides(people, model), 0, 0.1)
    assert found.never and "with the observed gap, no number of items" in found.sentence


@pytest.mark.shared
def test_self_consistency(oracles_dir):
    want = collection.oracle(oracles_dir)["preferences_and_repeats"]["self_consistency"]
    people = [(i, f"p{a}", x) for a, row in enumerate(want["people"]) for i, x in enumerate(row)]
    runs = [(i, "m", x) for row in want["runs"] for i, x in enumerate(row)]
    s = sides(raters.read(people, scale="nominal"), raters.read(runs, scale="nominal", duplicates="keep"))
    found = consistency(s, {"interval": None})
    figures = [
        found.alpha_runs.value,
        found.unanimous,
        found.pair_agreement,
        found.alpha_people.value,
        found.kappa_x.value,
        found.ceiling,
        found.steady,
    ]
    names = (
        "alpha_runs",
        "unanimous_share",
        "mean_pair_agreement",
        "alpha_people",
        "kappa_x",
        "ceiling_for_one_run",
        "kappa_x_if_the_model_never_wavered",
    )
    assert figures == pytest.approx([want[n] for n in names], abs=1e-8) and found.limits


def test_identical_runs_say_nothing():
    people, model = made()
    (r,) = raters.judge(people, raters.read(model * 2, duplicates="keep"), resamples=50)
    assert "same label in every run" in r.consistency.sentence and r.consistency.alpha_runs.value == 1
    assert raters.judge(people, model, resamples=50)[0].consistency is None


def test_the_first_run_stands_for_the_judge():
    people, model = made()
    (once,) = raters.judge(people, model, interval=None)
    (runs,) = raters.judge(
        people, raters.read([*model, *((i, j, "a") for i, j, _ in model)], duplicates="keep"), interval=None
    )
    assert once["kappa"].value == runs["kappa"].value


def test_one_person_only():
    people, model = made(persons=1)
    (r,) = raters.judge(people, model, resamples=50)
    assert r.outcome == "cannot tell yet" and "there is only one person" in r.verdict and r.alt_test is None
    assert np.isfinite(r["kappa"].value) and np.isnan(r["kappa_gap"].value)


def test_refusals_stay_a_row_of_the_confusion_matrix():
    people, model = made()
    model = [(i, j, "refused" if i % 10 == 0 else y) for i, j, y in model]
    (r,) = raters.judge(people, model, resamples=50)
    assert r.confusion.rows == ("a", "b", "c", "refused") and r.confusion.columns == ("a", "b", "c")
    assert sum(r.confusion.counts[3]) > 0 and Note("labels_only_judge_uses", {"labels": ["refused"]}) in r.notes
    scores = [(i, p, "abc".index(y) + 1) for i, p, y in people]
    said = [(i, j, "no idea" if y == "refused" else str("abc".index(y) + 1)) for i, j, y in model]
    (n,) = raters.judge(raters.read(scores, scale="interval"), raters.read(said), resamples=50)
    assert (
        n.refusals == 12
        and n.confusion.rows[-1] == "(no number)"
        and n.notes[-1] == Note("verdicts_no_numbers", {"n": 12})
    )


def test_a_label_that_the_judge_never_uses_is_said():
    people, model = made()
    (r,) = raters.judge(people, [(i, j, "b" if y == "c" else y) for i, j, y in model], resamples=100)
    assert Note("labels_judge_never_uses", {"labels": ["c"]}) in r.notes
    bias = {e.name: e for e in r.bias}
    assert bias["c"].high < 0 < bias["b"].low


def test_a_stated_confidence_is_checked():
    people, model = made(n=300)
    rng = np.random.default_rng(0)
    rows = [{"item": i, "rater": j, "label": y, "confidence": 0.9 + 0.1 * rng.random()} for i, j, y in model]
    (r,) = raters.judge(people, raters.read(rows), resamples=100)
    assert r.confidence.overconfidence.value == pytest.approx(0.95 - r.confusion.accuracy.value, abs=0.03)
    assert sum(n for *_, n in r.confidence.bins) == r.confusion.accuracy.n_items


@pytest.mark.parametrize("scale", ["ordinal", "sets"])
def test_other_scales(scale):
    people, model = made(n=80)
    put = (lambda y: [y] if y != "c" else ["a", "b"]) if scale == "sets" else (lambda y: "abc".index(y) + 1)
    tables = [raters.read([(i, r, put(y)) for i, r, y in rows], scale=scale) for rows in (people, model)]
    (r,) = raters.judge(*tables, resamples=50)
    assert np.isfinite(r["kappa"].value) and np.isfinite(r["kappa_x"].value) and np.isfinite(r["advantage"].value)


def test_several_judges_are_a_table():
    people, model = made()
    found = raters.judge(people, [*model, *((i, "copy", y) for i, _, y in model)], resamples=50)
    assert [r.judge for r in found] == ["copy", "m"] and found["m"]["kappa"].value == found["copy"]["kappa"].value
    assert (
        found.several.effective_number.value == pytest.approx(1)
        and len(found.to_frame())
        and found.plot().description
        and found[0].plot().description
    )


def test_what_to_do_follows_the_outcome():
    said = {
        r.outcome: r.advice
        for args in (
            {"n": 400, "machine": 0.05},
            {"n": 6000, "wrong": 0.1, "machine": 0.125},
            {"n": 300, "wrong": 0.1, "machine": 0.8},
        )
        for r in raters.judge(*made(**args), epsilon=0.2, resamples=100)
    }
    assert "keep a few human labels to notice drift" in said["yes"]
    assert "correct its labels with your human ones" in said["yes, with a gap"]
    assert "Let people continue to label" in said["no"]
    (r,) = raters.judge(*made(n=60, machine=0.1), epsilon=0.05, resamples=100)
    assert "items labelled by people (60 now)" in r.advice and r.to_dict()["advice"] == r.advice


def test_ordered_labels_count_exact_matches_and_distance_beside():
    """A judge that misses narrowly is not behind by exact matches alone."""
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 8, 200)
    near = lambda: np.clip(truth + rng.integers(-1, 2, 200), 1, 7)  # noqa: E731
    people = [(i, f"p{j}", int(x)) for j in range(3) for i, x in enumerate(near())]
    model = [(i, "m", int(x)) for i, x in enumerate(np.where(truth % 2 == 0, np.clip(truth + 1, 1, 7), truth))]
    (r,) = raters.judge(
        raters.read(people, scale="interval"), raters.read(model, scale="interval"), epsilon=0.2, resamples=300
    )
    assert "in exact matches" in r.verdict and "by distance" in r.verdict
    assert r["kappa_x_gap"].high > 0 and r.outcome != "no"


def test_alpha_of_people_has_one_interval_with_and_without_a_judge():
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=60)
    people = [(i, p, "ab"[t if rng.random() < 0.85 else 1 - t]) for i, t in enumerate(truth) for p in ("x", "y", "z")]
    people += [(i, "x", "a") for i in range(60, 70)]  # items with one label do not count, and change nothing
    model = [(i, m, "ab"[t if rng.random() < 0.8 else 1 - t]) for i, t in enumerate(truth) for m in ("m", "n")]
    alone = raters.agreement(raters.read(people), resamples=200)
    for report in raters.judge(raters.read(people), raters.read(model), resamples=200):
        beside = report["alpha_people"]
        assert (beside.low, beside.high, beside.se) == (alone.low, alone.high, alone.se)
