"""What readers of a report missed or misread: one test for each."""

import json
import math
import re

import numpy as np
import pytest
from alike import table

import raters
from raters.agree.agreement import per_rater
from raters.charts.points import strip
from raters.estimate import Estimate
from raters.reporting.context import Context
from raters.reporting.document import Table, cell_text
from raters.reporting.report import together
from raters.reporting.sections.raters import disagreeing, other_order
from raters.reporting.sections.raters import raters as who
from raters.reporting.table_answer import of_rows


@pytest.fixture(scope="module")
def several():
    asked = {q: raters.report(table(30, n, [0.9, 0.8, 0.7]), resamples=50) for n, q in enumerate(("tone", "topic"))}
    return asked, together(asked, "both.json")


def test_several_questions_begin_with_one_table_a_row_each(several):
    asked, both = several
    top, rest = both.html().split("<main")
    for n, (name, one) in enumerate(asked.items(), 1):
        assert one.verdict is not None
        shown = f"{name} {one.verdict.figures[0].shown}"
        for text in (both.text(), both.markdown()):
            assert shown in " ".join(text.split())
        assert f'href="#q{n}">{name}</a>' in top and cell_text(one.verdict.figures[0].estimate) in top
        assert all(figure.shown in rest for figure in one.verdict.figures) and one.verdict.headline in rest
    assert set(json.loads(both.json())["verdicts"]) == set(asked)
    assert top.count('class="asked"') == 1 and 'id="q2-agreement"' in rest


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
    rows = [
        (i, f"r{j}", int(np.clip(round(3 + q + 0.8 * rng.normal()), 1, 5)))
        for i, q in enumerate(rng.normal(size=40))
        for j in range(3)
    ]
    return raters.read(rows, scale="ordinal")


def test_degrees_have_mean_and_median_and_icc():
    ann = ordinal()
    made = raters.report(ann, resamples=50)
    mean, median = (raters.krr(ann, 3, aggregate=a, resamples=50).value for a in ("mean", "median"))
    answer, card = made.section("aggregate").answer, made.verdict.figures[1].text  # the mean is said once
    assert (
        f"The median of 3 labels has a reliability of {median:.2f}" in answer
        and f"equally wide, has a reliability of {mean:.2f}" in card
    )
    beside = next(b for b in made.section("agreement").details if getattr(b, "name", "") == "icc")
    assert [e.value for e in raters.icc(ann)] == pytest.approx([row[1].value for row in beside.rows])
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
    rows = [
        (i, f"r{j}", "xy"[truth[i] if rng.random() < (0.5 if j == 5 else 0.9) else 1 - truth[i]])
        for i in range(150)
        for j in range(6)
    ]
    table_ = next(
        b for b in who(Context(raters.read(rows), resamples=50)).details if isinstance(b, Table) and b.name == "raters"
    )
    assert {row[1] for row in table_.rows} == {150}


def test_names_on_the_strip_stand_at_their_dots():
    chart = strip([f"r{i}" for i in range(40)], [-0.44, *np.linspace(0, 0.6, 39)], [True] + [False] * 39, x="alpha")
    dots, called = chart.spec["layer"]
    assert dots["encoding"]["x"]["scale"] == {"domain": [-0.5, 1.0], "nice": False}
    assert called["data"]["values"][0]["at"] == pytest.approx(-0.44, abs=0.02)


def test_the_table_for_the_paper_has_the_interval_of_the_first_screen():
    rng = np.random.default_rng(4)
    rows = [
        (i, f"r{j}", "xyz"[int(rng.integers(3)) if rng.random() < 0.4 else i % 3])
        for i in range(60)
        for j in rng.choice(60, 4, replace=False)
    ]
    made = raters.report(raters.read(rows), resamples=100)
    alpha = next(e for e in made.paper.rows[0].figures if e.coefficient == "krippendorff")
    first = made.verdict.figures[0].estimate
    assert (alpha.low, alpha.high) == (first.low, first.high) and math.isfinite(alpha.low)


def test_no_unit_that_only_we_know(demo):
    assert " nats" not in demo.text() and "more probability than the vote" in demo.text()


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
    assert "By label: " in said and "The votes of 1 item are tied" in said


def two_views(n=60):
    """Two sides of three raters; the second calls every sixth item hate on which the first does not, and some raters
    err.
    """
    rng = np.random.default_rng(8)
    rows = []
    for i in range(n):
        for r in "abcdef":
            there = i % 10 == 0 or (r in "def" and i % 6 == 1)
            wrong = rng.random() < 0.03
            rows.append((f"q{i:02}", r, "hate" if there != wrong else "not", "old" if r in "abc" else "new"))
    return rows


def plain(rows):
    return raters.read([row[:3] for row in rows], scale="nominal")


def test_items_that_split_exactly_by_camp_are_counted_and_marked():
    rows = two_views()
    said = {}
    for item, rater, label, _ in rows:
        said.setdefault(item, {}).setdefault(rater in "def", set()).add(label)
    opposed = [i for i, each in said.items() if len(each[0]) == len(each[1]) == 1 and each[0] != each[1]]
    differ = sum(len(each[0] | each[1]) > 1 for each in said.values())
    made = raters.report(plain(rows), resamples=50)
    text = " ".join(made.section("where").notes())
    assert f"Of {differ} items on which labels differ, {len(opposed)} items split exactly by camp" in text
    assert "camp: 'a', 'b', 'c'" in text and "camp: 'd', 'e', 'f'" in text and "'hate' and all of" in text
    marked = [c.item for c in made.section("where").cards() if "Splits by camp" in c.note]
    assert marked and set(marked) <= set(opposed)
    assert f"On {len(opposed)} items, all of the first camp say" in made.verdict.first.text


def test_items_that_split_by_a_named_group_carry_its_name():
    columns = dict(zip(("item", "rater", "label", "group"), zip(*two_views(), strict=True), strict=True))
    made = raters.report(raters.read({k: list(v) for k, v in columns.items()}, scale="nominal"), resamples=50)
    assert "all of new say 'hate' and all of old 'not'" in " ".join(made.section("where").notes())


def test_the_chance_count_of_splits_is_that_of_shuffled_labels():
    from raters.agree.camps import split_items

    ann = plain(two_views())
    rng = np.random.default_rng(1)
    rows = [row[:3] for row in two_views()]
    counts = []
    for _ in range(200):
        drawn = []
        for i in range(0, len(rows), 6):
            drawn += [(rows[i][0], "abcdef"[j], rows[i + k][2]) for j, k in enumerate(rng.permutation(6))]
        each = {}
        for item, rater, label in drawn:
            each.setdefault(item, {}).setdefault(rater in "def", set()).add(label)
        counts.append(sum(len(x[0]) == len(x[1]) == 1 and x[0] != x[1] for x in each.values()))
    found = split_items(ann, ("abc", "def"))
    assert found.by_chance == pytest.approx(np.mean(counts), abs=4 * np.std(counts) / 200**0.5)


def test_a_higher_coefficient_beside_alpha_is_explained():
    """Readers found AC1 of .81 beside an alpha of .35, and took the higher one."""
    made = raters.report(plain(two_views()), resamples=50)
    section = made.section("agreement")
    told = next(b for b in section.blocks if isinstance(b, str) and b.startswith("Report alpha."))
    for e in (raters.agreement(plain(two_views()), name, interval=None) for name in ("gwet", "brennan_prediger")):
        assert f"{e.title} ({e.value:.2f})" in told and f"{e.expected:.0%}" in told
    names = {c.name for c in section.blocks if hasattr(c, "spec")}
    assert "coefficients" not in names and "chance" in names  # all of them are folded away


def test_the_largest_alpha_that_is_possible_stands_on_the_first_screen():
    ann = plain(two_views(400))
    most = raters.explain(ann, interval=None).largest
    made = raters.report(ann, resamples=50)
    assert most < 0.8 and f"cannot exceed {most:.2f}" in made.verdict.figures[0].text
    assert f"cannot exceed {most:.2f}" in made.section("agreement").answer


def test_raters_who_use_labels_alike_have_no_ceiling():
    made = raters.report(table(60, 0, [0.7] * 4), resamples=50)
    assert "cannot exceed" not in made.text()


def test_a_curve_that_falls_is_explained_and_what_is_extrapolated_is_drawn_so():
    from raters.reporting.label_curve import LabelCurve
    from raters.reporting.sections.aggregate import _drawn, _falls

    def at(k, value, method):
        return k, Estimate(f"k = {k}", value, details={"k": k, "method": method, "extrapolated": method == "model"})

    curve = LabelCurve((at(1, 0.29, "agreement"), at(3, 0.55, "split"), at(5, 0.51, "model")), 6, "majority")
    (said,) = _falls(curve)
    assert "from 0.55 at 3 labels to 0.51 at 5" in said and "different methods" in said
    assert "Empty points (5 labels and more) are extrapolated" in _drawn(curve)
    rising = LabelCurve((at(1, 0.3, "agreement"), at(3, 0.5, "split")), 6, "majority")
    assert not _falls(rising) and not _drawn(rising)


@pytest.mark.parametrize("high", [0.658, 0.666, 0.668, 0.676])
def test_an_interval_that_ends_next_to_a_limit_is_a_close_call_on_either_side(high):
    from raters.reporting.headline import side_of
    from raters.reporting.verdict import word_of

    e = Estimate("alpha", 0.6, 0.5, high, n_items=40)
    assert side_of(e, 0.667) == "close" and word_of(e) == (f"a close call: the interval ends at {high:.2f}", "open")


def test_the_first_screen_has_no_p_value(demo):
    for made in (demo, raters.report(plain(two_views()), resamples=50)):
        assert not re.search(r"\bp (=|<=) ", " ".join(made.verdict.lines))
    assert "(p <= 0.005)" in made.section("raters").answer  # where the term is explained


def test_tables_scroll_on_a_telephone_and_print_without_cut_captions(demo):
    """Words were broken into single letters at 400 px, and captions were cut."""
    page = demo.html()
    assert "<caption" in page and "</span></caption>" in page
    assert "position: sticky; left: 0;" in page and "td.w { min-width: 11rem; white-space: normal; }" in page
    assert page.index("@media print") < page.index(".cards { display: block; columns: 2")


def slices(sizes: dict[str, int], right: dict[str, float]) -> list[tuple[str, str, str, str]]:
    """Items of several topics, labelled by three raters with these chances of seeing the item's own label."""
    rng = np.random.default_rng(3)
    rows = []
    for topic, n in sizes.items():
        for i in range(n):
            own = rng.choice(["y", "n"])
            for rater in "abc":
                label = own if rng.random() < right[topic] else rng.choice(["y", "n"])
                rows.append((f"{topic}{i}", rater, str(label), topic))
    return rows


def test_a_topic_of_a_handful_of_items_is_no_end_of_a_range() -> None:
    names = dict.fromkeys(["item", "rater", "label", "topic"])
    for right, said in (
        ({"big": 0.6, "other": 0.6, "tiny": 1.0}, "By topic, no two values differ clearly in alpha."),
        ({"big": 0.9, "other": 0.3, "tiny": 1.0}, "By topic, alpha is clearly lower for 'other' ("),
    ):
        given = slices({"big": 150, "other": 150, "tiny": 4}, right)
        ann = raters.read(dict(zip(names, map(list, zip(*given, strict=True)), strict=True)), scale="nominal")
        text = raters.report(ann, resamples=200).markdown()
        assert said in text
        assert "'tiny'" not in text[text.index("By topic") :].split("\n")[0]
        table = raters.agreement(ann, by="topic", resamples=200)
        lead = of_rows(list(table))
        assert "tiny" not in lead and ("no two of the 3 differ clearly" in lead) == (right["other"] > 0.5)
