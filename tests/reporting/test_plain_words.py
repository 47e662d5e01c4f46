"""Sentences that a reader without statistics took amiss, or that a statistician would not sign: one test for each."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from library_figures import sentences

import raters
from raters.estimate import Estimate
from raters.reporting.advice import of_usage, steps
from raters.reporting.context import Context
from raters.reporting.document import Cards
from raters.reporting.report import together as together_
from raters.reporting.sections.agreement import beside_alpha
from raters.reporting.sections.judges import together

QUICK = {"resamples": 50}


def degrees(n=60, seed=1):
    rng = np.random.default_rng(seed)
    shift = (0, 0, 0.1, -0.1, 1.2, -1.2)
    return [
        (f"s{i}", f"coder {j}", int(np.clip(round(3 + q + b + 0.7 * rng.normal()), 1, 5)))
        for i, q in enumerate(rng.normal(size=n))
        for j, b in enumerate(shift)
    ]


@pytest.fixture(scope="module")
def likert():
    return raters.report(raters.read(degrees(), scale="ordinal"), **QUICK)


def two_views(n=90):
    rng = np.random.default_rng(2)
    return [
        (i, r, "hate" if (i % 10 == 0 or (r in "def" and i % 3 == 1)) != (rng.random() < 0.03) else "not")
        for i in range(n)
        for r in "abcdef"
    ]


@pytest.fixture(scope="module")
def opposed():
    return raters.report(raters.read(two_views(), scale="nominal"), **QUICK)


def test_disagreement_in_squared_ranks_is_not_printed(likert):
    section = likert.section("agreement")
    table = next(t for t in section.tables() if t.name == "coefficients")
    alpha = table.rows[0]
    assert alpha[0] == "Krippendorff's alpha" and alpha[2] is None and alpha[3] is None
    percent = next(row for row in table.rows if row[0] == "Percent agreement")
    assert percent[3] is None, "percent agreement expects nothing by chance"
    said = next(note for note in section.notes() if "of what chance alone would give" in note)
    assert f"{1 - alpha[1].value:.0%} (Krippendorff's alpha)" in said


def test_what_compares_labels_in_another_way_is_not_said_to_differ_only_in_chance():
    lead = Estimate("krippendorff", 0.6, title="Krippendorff's alpha", weights="ordinal", parts="disagreement")
    iota = Estimate("iota", 0.7, title="Iota", weights="interval", parts="disagreement")
    (said,) = beside_alpha(lead, [iota])
    assert said.startswith("Iota (0.70) differs from alpha because it takes all steps of the scale as equally wide")
    assert "by chance" not in said


def test_a_label_between_those_given_is_not_explained_by_a_rater_who_gave_another(likert):
    rows = next(t for t in likert.section("trust").tables() if t.name == "overruled").rows
    assert rows
    for _, _, label, _, why in rows:
        if why.startswith("most weight"):
            assert why.endswith(f" said {label}")
    assert any("lies between the labels given" in row[4] for row in rows)


def test_where_no_label_is_settled_no_label_is_spoken_of(likert):
    figure = likert.verdict.figures[2]
    if figure.shown == "0%":
        assert figure.text.startswith("No item has a label that") and "By label" not in likert.text()
    else:
        assert figure.text.startswith("Their label")


def test_settled_labels_that_are_the_view_of_one_side_are_counted(opposed):
    said = [note for note in opposed.section("trust").notes() if "of the settled items split exactly" in note]
    fit = raters.consensus(raters.read(two_views(), scale="nominal"), seed=0)
    by = {}
    for item, rater, label in two_views():
        by.setdefault(item, {}).setdefault(rater in "def", set()).add(label)
    sure = {i for i, p in zip(fit.items, fit.certainty, strict=True) if p >= 0.99}
    split = [i for i, s in by.items() if len(s[0]) == len(s[1]) == 1 and s[0] != s[1] and i in sure]
    if not fit.definition.likelihood or len(split) < 5:
        assert not said
    else:
        assert said[0].startswith(f"{len(split)} of the settled items")
        assert f"But {len(split)} of these items split exactly" in opposed.verdict.figures[2].text


@pytest.mark.parametrize("name", ["likert", "opposed"])
def test_no_section_says_a_sentence_twice(name, request):
    made = request.getfixturevalue(name)
    for section in made.sections:
        said = [s for text in (section.answer, *section.notes()) for s in re.split(r"(?<=[.!?]) (?=[A-Z])", text)]
        again = {s for s in said if said.count(s) > 1 and len(s) > 40}
        assert not again, (section.key, again)


def test_sets_are_called_sets():
    rng = np.random.default_rng(4)
    rows = [(i, r, [str(rng.integers(3))]) for i in range(40) for r in "abc"]
    made = raters.report(raters.read(rows, scale="sets"), **QUICK)
    assert "the interval of one label set ends" in made.verdict.change
    assert made.paper is not None and "two label sets of an item" in made.paper.note
    assert "MASI distance between sets" in made.paper.note and "masi weights" not in made.paper.note


def test_models_are_told_from_people_on_the_first_screen():
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=80)
    rows = [(i, r, int(t) if rng.random() < 0.9 else int(1 - t)) for i, t in enumerate(truth) for r in "abcd"]
    rows += [(i, "bot", int(rng.integers(2))) for i in range(80)]
    made = raters.report(raters.read(rows, scale="nominal"), judges=("bot",), **QUICK)
    assert "4 raters (and 1 model compared with them)" in made.verdict.about
    assert "alternative-annotator test (Calderon" in made.methods
    assert any("calderon2025" in entry for entry in made.references)
    assert "bot" not in made.verdict.first.title and "bot" in made.verdict.headline


def test_raters_who_use_labels_differently_are_a_reason_to_define_them():
    rng = np.random.default_rng(6)
    truth = rng.integers(2, size=150)
    lean = (0.02, 0.06, 0.12, 0.85, 0.92, 0.97, 0.3, 0.7)
    rows = [
        (i, f"r{j}", "yes" if rng.random() < np.clip(p + 0.1 * (t - 0.5), 0.01, 0.99) else "no")
        for i, t in enumerate(truth)
        for j, p in enumerate(lean)
    ]
    c = Context(raters.read(rows, scale="nominal"), resamples=50)
    (step,) = of_usage(c)
    assert step.title == "Agree on when each label applies" and f"{len(c.label_use.named)} of 8 raters" in step.text
    assert c.camps is not None or step in steps(c)


def test_several_judges_in_a_sentence_without_terms():
    def some(low):
        number = Estimate("n", 2.1)
        return together(
            SimpleNamespace(judges=("a", "b", "c", "d"), effective_number=number, excess=Estimate("e", 0.1, low, 0.2))
        )

    assert (
        some(0.1)
        == "The 4 judges together are worth about 2.1 independent ones, because they make the same errors more often"
        " than people do."
    )
    assert "than people do" not in some(-0.1)
    undefined = SimpleNamespace(judges=("a",), effective_number=Estimate("n", math.nan), sentence="unknown")
    assert together(undefined) == "unknown"


def test_a_model_that_departs_from_the_votes_says_why_as_its_table_does(likert):
    """The sentence counts votes without a tie and real majorities, and names the commonest reason of the table."""
    section = likert.section("trust")
    table = next(t for t in section.tables() if t.name == "overruled")
    rows = (*table.rows, *table.rest)
    (said,) = [x for x in sentences(section) if "without a tie" in x]
    between = sum("lies between" in row[4] for row in rows)
    assert said.startswith(f"On {len(rows)} of ")
    assert ("lies between" in said) == (2 * between > len(rows))


def test_where_raters_differ_on_every_item_the_word_says_so():
    rows = [(i, r, [r]) for i in range(12) for r in "abc"]
    figure = raters.report(raters.read(rows, scale="sets"), **QUICK).verdict.figures[2]
    assert (figure.shown, figure.word) == ("0%", "label sets differ on every item")


def test_squared_ranks_do_not_stand_below_shares_on_a_terminal():
    from raters.reporting.tables import every_column

    ann = raters.read(degrees(), scale="ordinal")
    mixed = every_column(raters.agreement_table(ann, ["krippendorff", "fleiss"], interval=None))
    row = next(line for line in mixed if line.startswith("Krippendorff's alpha"))
    assert row.split()[3:5] == ["-", "-"] and "disagreement in units of the scale" in " ".join(mixed)
    alone = every_column(raters.agreement_table(ann, ["krippendorff"], interval=None))
    assert "units of the scale" not in " ".join(alone)


def test_regions_of_several_questions_have_names_of_their_own():
    asked = {q: raters.report(raters.read(degrees(20), scale="ordinal"), **QUICK) for q in ("tone", "topic")}
    named = re.findall(r'role="region" aria-label="([^"]*)"', together_(asked, "both.csv").html())
    assert named and len(named) == len(set(named))


def test_cards_of_an_ordered_scale_show_degrees_in_their_order(likert):
    cards = next(b for b in likert.section("where").blocks if isinstance(b, Cards)).cards
    for card in cards:
        assert [v.label for v in card.votes] == sorted(v.label for v in card.votes)
        assert [v.degree for v in card.votes] == sorted(v.degree for v in card.votes)
    assert all(v.degree is None for card in demo_cards() for v in card.votes)
    assert 'class="key v0" style="opacity:0.12"' in likert.html() and "v3" not in re.findall(
        r'class="key (\w+)', likert.html()
    )


def demo_cards():
    made = raters.report(raters.examples.demo(), **QUICK)
    return next(b for b in made.section("where").blocks if isinstance(b, Cards)).cards
