"""What readers of a report missed or misread: one test for each."""

import json
import math

import numpy as np
import pytest
from alike import table

import raters
from raters.agree.slices import per_rater
from raters.charts.strip import strip
from raters.estimate import Estimate
from raters.reporting.context import Context
from raters.reporting.document import Table
from raters.reporting.sections.raters import disagreeing, other_order
from raters.reporting.sections.raters import raters as who
from raters.reporting.several import together


@pytest.fixture(scope="module")
def several():
    asked = {q: raters.report(table(30, n, [0.9, 0.8, 0.7]), resamples=50) for n, q in enumerate(("tone", "topic"))}
    return asked, together(asked, "both.json")


def test_several_questions_begin_with_a_verdict_on_each(several):
    asked, both = several
    for name, one in asked.items():
        assert one.verdict is not None
        for figure in one.verdict.figures:
            line = f"{figure.title}: {figure.shown}, {figure.word}"
            assert line in " ".join(both.text().split()) and figure.shown in both.html()
        assert one.verdict.headline in " ".join(both.text().split()) and f"**{name}**" in both.markdown()
    assert set(json.loads(both.json())["verdicts"]) == set(asked)
    assert both.html().count('class="asked"') == 2 and 'href="#q2-agreement"' in both.html()


def test_what_was_left_out_of_any_question_is_said(several):
    from dataclasses import replace

    asked, _ = several
    lost = {**asked, "tone": replace(asked["tone"], not_used="Not used: 3 rows.")}
    assert together(lost, "both.json").not_used == "tone: Not used: 3 rows."


def test_sets_have_cards_that_count_each_label():
    rows = [
        ("q", "a", ["x", "y"]),
        ("q", "b", ["x"]),
        ("q", "c", ["z"]),
        ("p", "a", ["x"]),
        ("p", "b", ["x"]),
        ("p", "c", ["x"]),
    ]
    made = raters.report(raters.read(rows, scale="sets"), resamples=50)
    (card,) = made.section("sets").cards()
    assert card.item == "q" and {v.label: v.n for v in card.votes} == {"x": 2, "y": 1, "z": 1}


def test_labels_given_once_or_twice_do_not_come_first():
    rng = np.random.default_rng(0)
    rows = [(i, r, ["x"] if rng.random() < 0.5 else ["y"]) for i in range(40) for r in "abc"]
    rows[0] = (0, "a", ["rare"])
    made = raters.report(raters.read(rows, scale="sets"), resamples=50)
    labels = next(t for t in made.section("sets").tables() if t.name == "set_labels")
    assert labels.rows[-1][:2] == ("rare", 1)
    assert made.verdict is not None and "rare" not in made.verdict.first.text


def ordinal():
    rng = np.random.default_rng(1)
    rows = [(i, f"r{j}", int(np.clip(round(3 + q + 0.8 * rng.normal()), 1, 5))) for i, q in enumerate(rng.normal(size=40)) for j in range(3)]  # fmt: skip
    return raters.read(rows, scale="ordinal")


def test_degrees_have_mean_and_median_and_icc():
    ann = ordinal()
    made = raters.report(ann, resamples=50)
    mean, median = (raters.krr(ann, 3, aggregate=a, resamples=50).value for a in ("mean", "median"))
    answer = made.section("aggregate").answer
    assert (
        f"The median of 3 labels has a reliability of {median:.2f}" in answer
        and f"equally wide, has {mean:.2f}" in answer
    )
    beside = [b for b in made.section("agreement").blocks if getattr(b, "name", "") == "icc"]
    assert beside and [e.value for e in raters.icc(ann)] == [row[1].value for row in beside[0].rows]
    chart = next(made.section("agreement").charts())
    drawn = {
        row["name"] for layer in chart.spec["layer"] for row in layer.get("data", {}).get("values", ()) if "name" in row
    }
    drawn |= {row["name"] for row in chart.spec.get("data", {}).get("values", ())}
    assert "Krippendorff's alpha" in drawn and "Fleiss' kappa" not in drawn  # knows no order: in the details


def test_known_labels_are_no_attribute_to_slice_by():
    rng = np.random.default_rng(2)
    rows = {"item": [], "rater": [], "label": [], "gold": [], "domain": []}
    for i in range(60):
        for r in "abc":
            for k, v in zip(
                rows,
                (i, r, "xy"[int(rng.random() < (0.9 if i % 2 else 0.2))], "xy"[i % 2], "MN"[i % 3 == 0]),
                strict=True,
            ):
                rows[k].append(v)
    captions = [t.caption for t in raters.report(raters.read(rows), resamples=50).section("where").tables()]
    assert "Agreement by domain" in captions and not any("gold" in c for c in captions)


def test_who_differs_most_often_is_said_with_how_often():
    ann = table(80, 3, [0.9, 0.9, 0.9, 0.2])
    against = {e.name: e for e in per_rater(ann, interval=None)}
    said = disagreeing(("r3",), against)
    assert f"'r3' ({1 - against['r3'].observed:.0%} of the time)" in said and not other_order(("r3",), against)
    assert said.split("of the time)")[0] in who(Context(ann, resamples=50)).text


def test_another_order_by_alpha_is_explained():
    against = {
        n: Estimate(n, v, observed=0.9 - v / 10, parts="agreement", weights="nominal")
        for n, v in (("a", 0.1), ("b", 0.4))
    }
    (said,) = other_order(("b",), against)
    assert said.startswith(
        "'a' has the lowest alpha with the others (0.10), but is not among those who differ most often"
    )


def test_raters_whose_labels_were_set_aside_have_their_labels_counted():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 150)
    rows = [(i, f"r{j}", "xy"[truth[i] if rng.random() < (0.5 if j == 5 else 0.9) else 1 - truth[i]]) for i in range(150) for j in range(6)]  # fmt: skip
    table_ = next(
        b for b in who(Context(raters.read(rows), resamples=50)).blocks if isinstance(b, Table) and b.name == "raters"
    )
    assert {row[1] for row in table_.rows} == {150}


def test_names_on_the_strip_stand_at_their_dots():
    chart = strip([f"r{i}" for i in range(40)], [-0.44, *np.linspace(0, 0.6, 39)], [True] + [False] * 39, x="alpha")
    dots, called = chart.spec["layer"]
    assert dots["encoding"]["x"]["scale"] == {"domain": [-0.5, 1.0], "nice": False}
    assert called["data"]["values"][0]["at"] == pytest.approx(-0.44, abs=0.02)


def test_the_table_for_the_paper_has_the_interval_of_the_first_screen():
    rng = np.random.default_rng(4)
    rows = [(i, f"r{j}", "xyz"[int(rng.integers(3)) if rng.random() < 0.4 else i % 3]) for i in range(60) for j in rng.choice(60, 4, replace=False)]  # fmt: skip
    made = raters.report(raters.read(rows), resamples=100)
    alpha = next(e for e in made.paper.rows[0].figures if e.coefficient == "krippendorff")
    first = made.verdict.figures[0].estimate
    assert (alpha.low, alpha.high) == (first.low, first.high) and math.isfinite(alpha.low)


def test_no_unit_that_only_we_know(demo):
    assert " nats" not in demo.text() and "more probability than the vote does" in demo.text()


def test_two_camps_are_told_apart_by_the_label_that_they_use(tmp_path):
    """A reader saw that there were camps, and had to find out alone which of them says what more often."""
    rows = []
    for i in range(80):
        for r in "abcdef":
            there = i % 10 == 0 or (r in "def" and i % 4 == 1)
            rows.append((f"q{i:02}", r, "hate" if there else "not"))
    report = raters.report(raters.read(rows, scale="nominal"))
    told = report.text()
    assert "two camps" in told
    assert "gives 'hate'" in " ".join(told.split())
    usage = next(s for s in report.sections if s.key == "usage")
    assert usage.answer.startswith("The two camps of raters use labels differently")


def test_the_report_says_which_labels_one_would_get(tmp_path):
    rows = [(f"q{i:02}", r, "ab"[(i + (r == "z" and i % 3 == 0)) % 2]) for i in range(40) for r in "xyzw"]
    rows += [("tie", r, "ab"[r in "xy"]) for r in "xyzw"]
    report = raters.report(raters.read(rows, scale="nominal"))
    trust = next(s for s in report.sections if s.key == "trust")
    said = " ".join(str(b) for b in trust.blocks)
    assert "The labels are" in said and "The votes of 1 item are tied" in said
