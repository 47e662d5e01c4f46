"""The report where judges are named."""

import random

import pytest

import raters


def made():
    rng = random.Random(1)
    rows = []
    for i in range(60):
        truth = rng.choice("xy")
        for r, wrong in (("ana", 0.2), ("ben", 0.2), ("chi", 0.2), ("gpt", 0.1)):
            rows.append((f"i{i}", r, truth if rng.random() > wrong else rng.choice("xy")))
    return raters.read(rows)


def labels_of(ann):
    return list(zip(*(ann.to_columns()[name] for name in ("item", "rater", "label")), strict=True))


def test_the_section_says_the_verdict_of_the_library():
    ann = made()
    section = raters.report(ann, judges=["gpt"], resamples=200).section("judges")
    want = raters.judge(ann, judges=["gpt"], resamples=200)
    assert section.answer == want.verdict and not section.absent
    table = next(section.tables())
    assert table.rows[0][0] == "gpt" and table.rows[0][2].value == want["gpt"]["kappa"].value


def test_without_names_the_question_stays_with_the_reason():
    section = raters.report(made(), resamples=100).section("judges")
    assert section.absent and "judges=[" in section.answer and "--" not in section.answer
    lost = raters.report(made(), judges=["gpt-9"], resamples=100).section("judges")
    assert lost.absent and "no rater is called 'gpt-9'" in lost.answer


def test_the_labels_of_judges_are_in_no_figure_of_people():
    ann = made()
    r = raters.report(ann, judges=["gpt"], resamples=100)
    assert r.verdict.figures[1].title == "The majority of your three" and "(and 1 model compared" in r.verdict.about
    people = [row for row in labels_of(ann) if row[1] != "gpt"]
    alone = raters.agreement(raters.read(people), resamples=100)
    assert r.verdict.figures[0].estimate.value == alone.value and "3 raters" in r.methods


def test_what_is_said_of_the_scale_is_of_people():
    with pytest.warns(raters.RatersWarning, match="whole numbers"):
        ann = raters.read([(i, r, "xy".index(x) + 1) for i, r, x in labels_of(made())])
    said = raters.report(ann, judges=["gpt"], resamples=100).not_used
    assert "whole numbers were read as" in said and "alpha" not in said  # of everybody it would be another figure
