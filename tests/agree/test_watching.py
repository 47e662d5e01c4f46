"""Watching agreement: the evidence by its formula and by integration, false alarms, falls, and what breaks the promise."""

import numpy as np
import pytest
from scipy import integrate, stats

import raters
from raters import simulate
from raters.agree.watching import ALARM, betting, evidence

A = [0.62, 0.58, 0.6, 0.61, 0.59, 0.57, 0.45, 0.44, 0.4, 0.42]
S = [36.0, 38.0, 37.0, 36.0, 38.0, 39.0, 44.0, 45.0, 46.0, 45.0]


def test_the_evidence_of_a_worked_case():
    found = evidence(A, S, [100.0] * 10, 4)
    assert found == pytest.approx(
        [
            0.9930309080074858,
            0.988814144546526,
            1.1343766914803624,
            1.8245568033528043,
            7.689076621938329,
            26.5677162736545,
        ]
    )


def test_the_evidence_is_the_likelihood_ratio_of_a_half_normal_fall():
    """One week after a baseline that does not vary: integrated over the fall, numerically."""
    a, s, n, tau = [0.6, 0.6, 0.6, 0.5], [37.0] * 4, [100.0] * 4, 0.1
    v = 0.37 * (1 / 300 + 1 / 100)
    ratio = integrate.quad(lambda f: 2 * stats.norm.pdf(f, 0, tau) * stats.norm.pdf(-0.1, -f, np.sqrt(v)), 0, 3)[0]
    ratio /= stats.norm.pdf(-0.1, 0, np.sqrt(v))
    assert evidence(a, s, n, 3, looks=10, tau=tau)[0] == pytest.approx(ratio / 10 + 0.9, rel=1e-6)


def test_few_streams_without_a_fall_have_an_alarm():
    rng, n = np.random.default_rng(3), 60
    alarms = 0
    for _ in range(120):
        a = 0.6 + rng.normal(0, np.sqrt(0.37 / 100), n) + rng.normal(0, 0.03, n)
        alarms += (evidence(a, np.full(n, 37.0), np.full(n, 100.0), 8) >= ALARM).any()
    assert alarms / 120 <= 0.05 + 2 * 0.02


def test_betting_finds_disagreement_above_the_floor_and_hardly_ever_any_below():
    rng = np.random.default_rng(1)
    false = np.mean([betting(rng.random(1500) < 0.2, 0.2).max() >= ALARM for _ in range(150)])
    found = [np.argmax(betting(rng.random(2000) < 0.3, 0.2) >= ALARM) for _ in range(50)]
    assert false <= 0.05 + 2 * 0.018 and 0 < np.median(found) < 400


def weeks(skills, n=80):
    return {
        f"2026-W{30 + i:02}": simulate.labels(n, 3, 2, accuracy=s, seed=i).annotations() for i, s in enumerate(skills)
    }


def test_a_fall_is_found_and_the_week_is_alpha_with_its_influence():
    found = raters.watch(weeks([0.95] * 6 + [0.7] * 6))
    assert found.alarm is not None and found.alarm.name >= "2026-W36" and "Alarm since" in found.sentence
    alpha = raters.agreement(weeks([0.95])["2026-W30"], interval="delta")
    assert found[0].value == pytest.approx(alpha.value) and found[0].se == pytest.approx(alpha.se, rel=0.01)
    assert raters.watch(weeks([0.95] * 12)).alarm is None
    assert raters.watch(weeks([0.8] * 8), floor=0.9).alarm is not None
    assert raters.watch(weeks([0.97] * 8), floor=0.5).alarm is None


def test_weeks_by_date_and_a_judge_beside_people():
    rows = [{"item": f"{w}-{i}", "rater": r, "label": "ab"[(i + (r == "m" and w > 5 and i % 3 > 0)) % 2], "day": f"2026-0{6 + w // 4}-{1 + 7 * (w % 4):02}"} for w in range(10) for i in range(60) for r in ("x", "y", "m")]  # fmt: skip
    ann = raters.read(rows, scale="nominal")
    assert raters.watch(ann, by="day", judge="m").alarm is not None
    assert len(raters.watch(ann, by="day")) == 10
    with pytest.raises(raters.UsageError, match="no rater called 'z'"):
        raters.watch(ann, by="day", judge="z")


def test_what_breaks_the_promise_is_said():
    made = weeks([0.9] * 8)
    first = raters.watch(made)
    later = {**made, "2026-W36": weeks([0.9] * 8, 90)["2026-W36"]}
    assert {n.code for n in raters.watch(later, before=first.to_dict()).notes} == {"weeks_grown"}
    del later["2026-W35"]
    assert {n.code for n in raters.watch(later).notes} == {"weeks_missing"}
    new = raters.read([(i, r, "zq"[i % 2]) for i in range(40) for r in "xyw"], scale="nominal")
    codes = {n.code for n in raters.watch({**made, "2026-W38": new}, looks=3).notes}
    assert codes == {"weeks_new_labels", "more_looks"}


def test_weeks_are_in_their_order_and_none_replaces_another(tmp_path):
    made = list(weeks([0.9] * 11).values())
    for i in range(11):
        (tmp_path / f"w{i}").mkdir()
        made[i].to_frame().to_csv(tmp_path / f"w{i}" / "labels.csv", index=False)
    paths = [tmp_path / f"w{i}" / "labels.csv" for i in range(11)]
    assert len(raters.watch(paths)) == 11
    rows = [{"item": f"{w}-{i}", "rater": r, "label": "ab"[(i + w) % 2], "batch": f"week {w}"} for w in range(1, 12) for i in range(20) for r in "xy"]  # fmt: skip
    assert [e.name for e in raters.watch(raters.read(rows, scale="nominal"), by="batch")][-2:] == ["week 10", "week 11"]
    days = [{**row, "batch": f"{1 + (int(row['batch'][5:]) - 1) * 2:02}.11.2026"} for row in rows]
    assert len(raters.watch(raters.read(days, scale="nominal"), by="batch", baseline=1)) < 6
    with pytest.raises(raters.DataError, match="may be the day or the month first"):
        raters.watch(raters.read([{**row, "batch": "11/02/2026"} for row in rows], scale="nominal"), by="batch")


def test_a_week_that_changed_or_came_late_is_named_and_one_without_the_judge_left_out():
    made = weeks([0.9] * 8)
    first = raters.watch(made).to_dict()
    name = "2026-W36"
    other = simulate.labels(80, 3, 2, accuracy=0.9, seed=99).annotations()
    (note,) = raters.watch({**made, name: other}, before=first).notes
    assert note.code == "weeks_grown" and note.facts["weeks"] == [name]
    less = {k: v for k, v in made.items() if k != "2026-W33"}
    late = raters.watch(made, before=raters.watch(less).to_dict()).notes
    assert [n.facts["weeks"] for n in late if n.code == "weeks_grown"] == [["2026-W33"]]
    with pytest.raises(raters.UsageError, match="no 'estimates'"):
        raters.watch(made, before={})
    for odd in (3, [1], None):
        with pytest.raises(raters.UsageError, match="earlier look wrote"):
            raters.watch(made, before={"estimates": odd})
    rows = [{"item": f"{w}-{i}", "rater": r, "label": "ab"[(i + (r == "m" and i % 9 == 0)) % 2], "day": f"2026-01-{1 + w:02}"} for w in range(0, 56, 7) if w < 31 for i in range(40) for r in ("x", "y", "m") if r != "m" or w != 14]  # fmt: skip
    found = raters.watch(raters.read(rows, scale="nominal"), by="day", judge="m", baseline=2)
    assert len(found) == 4 and [n.code for n in found.notes][:1] == ["weeks_not_compared"]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({}, {}, "with a baseline of 4"),
        ("labels.csv", {}, "several weeks"),
        ({}, {"baseline": 0}, "at least one week"),
        ({}, {"floor": 2.0}, "not between 0 and 1"),
    ],
)
def test_one_clear_line(given, options, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.watch(given, **options)
