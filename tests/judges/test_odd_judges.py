"""Judges that refuse, waver, write labels otherwise; people of whom there is one, or who say one thing only."""

import json

import numpy as np
import pytest

import raters


def made(n=90, persons=3, seed=0, wrong=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    say = lambda w: np.where(rng.random(n) < w, rng.integers(0, 3, n), truth)  # noqa: E731
    people = [(f"i{i}", f"p{j}", "abc"[x]) for j in range(persons) for i, x in enumerate(say(wrong))]
    return people, say, truth


def test_refusals_are_a_row_with_what_people_said():
    people, _, truth = made()
    numbers = [(i, p, "abc".index(x) + 1) for i, p, x in people]
    judge = [(f"i{i}", "m", str(x + 1) if i % 9 else "cannot rate") for i, x in enumerate(truth)]
    (r,) = raters.judge(raters.read(numbers, scale="interval"), raters.read(judge, scale="nominal"), resamples=50)
    row = dict(zip(r.confusion.rows, r.confusion.counts, strict=True))["(no number)"]
    votes = {}
    for i, _, x in numbers:
        votes.setdefault(i, []).append(x)
    tied = sum(len(set(v)) == 3 for i, v in votes.items() if int(i[1:]) % 9 == 0)
    assert r.refusals == 10 and sum(row) == 10 - tied


def test_labels_that_are_written_otherwise_are_refused():
    people, _, truth = made()
    judge = [(f"i{i}", "m", "ABC"[x]) for i, x in enumerate(truth)]
    with pytest.raises(raters.DataError, match=r"writes 'A', 'B', 'C' where .* writes 'a', 'b', 'c'"):
        raters.judge(people, judge)
    with pytest.raises(raters.DataError, match="share no label"):
        raters.judge(people, [(f"i{i}", "m", "xyz"[x]) for i, x in enumerate(truth)])
    mixed = [(f"i{i}", "m", "abc"[x] if x else "A ") for i, x in enumerate(truth)]
    with pytest.raises(raters.DataError, match="Spell labels the same way in both"):
        raters.judge(people, mixed)


def test_the_majority_of_runs():
    """Five runs that waver: their majority agrees with people better than one run, and with itself."""
    people, say, _ = made(n=120)
    judge = [(f"i{i}", "m", "abc"[x]) for run in range(5) for i, x in enumerate(say(0.35))]
    (r,) = raters.judge(people, judge, resamples=50)
    c = r.consistency
    votes = {}
    for i, _, x in judge:
        votes.setdefault(i, []).append(x)
    first = lambda v: max(sorted(set(v)), key=v.count)  # noqa: E731
    clear = [
        (i, "m", first(v)) for i, v in votes.items() if sorted(map(v.count, set(v)))[-2:].count(v.count(first(v))) == 1
    ]
    (alone,) = raters.judge(people, clear, resamples=50)
    assert c.majority_kappa_x.value == pytest.approx(alone["kappa_x"].value, abs=1e-12)
    assert c.majority.value == pytest.approx(
        raters.krr(raters.read(judge, duplicates="keep"), k=5, aggregate="majority", interval=None).value
    )
    assert c.majority.value > c.alpha_runs.value and "use it instead of one run" in c.sentence
    json.dumps(r.to_dict(), allow_nan=False)


def test_two_runs_have_no_majority():
    people, say, _ = made()
    judge = [(f"i{i}", "m", "abc"[x]) for run in range(2) for i, x in enumerate(say(0.3))]
    (r,) = raters.judge(people, judge, resamples=50)
    assert r.consistency.majority is None and r.consistency.majority_kappa_x is None


def test_people_who_say_one_thing_only():
    people, _, truth = made()
    judge = [(f"i{i}", "m", "abc"[x]) for i, x in enumerate(truth)]
    (r,) = raters.judge([(i, p, "b") for i, p, _ in people], judge, resamples=50)
    assert np.isnan(r["kappa_people"].value) and "they gave a single label throughout" in r.advice


def test_one_person_only():
    people, _, truth = made(persons=1)
    (r,) = raters.judge(people, [(f"i{i}", "m", "abc"[x]) for i, x in enumerate(truth)], resamples=50)
    assert (
        r.advice.startswith("Have a second person label the same items (at least 30;")
        and "there is only one person" in r.verdict
    )


@pytest.mark.parametrize("person", ["ann", "CORP\\ann", "O'Hara", "back\\\\slash\\"])
@pytest.mark.parametrize("judge", ["m", "dom\\gpt", "it's"])
def test_names_that_sql_could_misread(person, judge):
    given = [(i, p, "ab"[(i + (p == person and i % 9 == 0)) % 2]) for i in range(90) for p in (person, "bob", "cat")]
    ann = raters.read([*given, *((i, judge, "ab"[i % 2]) for i in range(90))], scale="nominal")
    (r,) = raters.judge(ann, judges=[judge], interval=None)
    assert (r.judge, r["kappa"].n_raters, round(r["kappa"].value, 3)) == (judge, 3, 0.926)


def test_beside_people_who_hardly_agree_no_judge_may_stand_in():
    """Five items of opposite raters: a judge at chance was "at most 0.05 worse than they are"."""
    rows = [(i, str(j), (i + j) % 2 + 1) for i in range(5) for j in range(7)]
    (r,) = raters.judge(raters.read(rows, scale="ordinal"), judges=["0"], resamples=100)
    assert r.outcome == "cannot tell yet" and "a guess might do as well" in r.verdict
    assert r.advice.startswith("First show that people agree")


def test_a_judge_who_cannot_be_compared_has_no_nan_in_a_sentence():
    rows = [(i, p, "ab"[i == 3]) for i in range(4) for p in ("ann", "bob")] + [(i, "m", "b") for i in (3, 9)]
    (r,) = raters.judge(raters.read(rows, scale="nominal"), judges=["m"], resamples=50)
    assert (
        "nan" not in r.verdict and "gap undefined with single people" in r.verdict and "1 item like these" in r.verdict
    )
    assert r.advice.startswith("A gap is undefined")


def gaps(rows):
    (r,) = raters.judge(raters.read(rows, scale="interval"), judges=["m"], resamples=50)
    return r, {e.name: e.value for e in r.figures if e.name.startswith("leave_one_out")}


@pytest.mark.parametrize(("times", "more"), [(1, 1e8), (1e-5, 0), (1e-9, 0), (1e6, -3e6)])
def test_the_consensus_of_numbers_does_not_depend_on_their_unit(times, more):
    """Sums of squares lost the differences of large numbers and the variance of tiny ones: no figure, no verdict."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60)
    x = {r: truth + rng.normal(size=60) / 2 for r in "abcm"}
    r, found = gaps([(i, r, float(x[r][i] * times + more)) for i in range(60) for r in "abcm"])
    own, others = x["m"], [(x["a"] + x["b"]) / 2, (x["a"] + x["c"]) / 2, (x["b"] + x["c"]) / 2]
    assert found["leave_one_out"] == pytest.approx(np.mean([np.corrcoef(own, o)[0, 1] for o in others]), abs=1e-6)
    assert "undefined" not in r.verdict and np.isfinite(found["leave_one_out_gap"])
    raw = {e.name: e.value for e in r.figures}["raw_agreement"]
    wide = max(map(max, x.values())) - min(map(min, x.values()))
    assert raw == pytest.approx(1 - np.mean([(own - x[p]) ** 2 for p in "abc"]) / wide**2, abs=1e-6)


def test_a_judge_who_says_what_people_say_is_not_worse_by_an_error_of_rounding():
    """A gap of -2e-16, all of it below 0: "clearly worse"; and a matrix without columns printed as a sentence."""
    rows = [(i, r, -5 + (i * 3) % 7 + (r == "b") * 0.5) for i in range(9) for r in "mbc"]
    r, found = gaps(rows)
    assert found["leave_one_out"] <= 1 and "clearly worse" not in r.verdict and "-0.00 [" not in r.verdict
    assert not r.confusion.columns and "rows: the judge" not in str(r).lower()


def test_one_item_asks_for_more_items_and_not_for_intervals():
    (r,) = raters.judge(
        raters.read([("i", x, n) for x, n in zip("mabc", "xxyy", strict=True)], scale="nominal"), judges=["m"]
    )
    assert r.outcome == "cannot tell yet" and "one shows nothing of others" in r.advice
