"""The first screen: one sentence, three figures, one thing to do; the same words everywhere, and nothing that the
intervals do not carry.
"""

import re
from html import unescape

import numpy as np
import pytest
from alike import table

import raters
from raters import examples
from raters.estimate import Estimate
from raters.reporting.report import report
from raters.reporting.verdict import word_of


def flat(text):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).replace("\\", "").split())


def in_groups(seed=0, n=60, differ=0.5):
    """Two groups of four: each of one mind, the second of another on a part of the items."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        truth = rng.integers(2)
        other = rng.random() < differ
        for j in range(8):
            pool = "ab"[j // 4]
            said = truth ^ (pool == "b" and other) ^ (rng.random() < 0.05)
            rows.append({"item": f"i{i}", "rater": f"{pool}{j}", "label": "xy"[int(said)], "pool": pool})
    return raters.read(rows, scale="nominal")


def test_the_same_words_are_on_the_page_in_markdown_and_on_the_terminal(demo, tmp_path):
    from click.testing import CliRunner

    from raters.cli import cli

    lines = demo.verdict.lines
    page, text, markdown = flat(demo.html()), flat(demo.text()), flat(demo.markdown())
    for line in lines:
        assert flat(line) in text and flat(line) in markdown
    for part in (lines[0], lines[1], demo.verdict.first.title, demo.verdict.first.text, demo.verdict.change):
        assert flat(part) in page
    for f in demo.verdict.figures:
        for part in (f.title, f.shown, f.word, f.text):
            assert flat(part) in page
    said = CliRunner().invoke(cli, ["demo", "-o", str(tmp_path / "r.html")]).output
    made = report(examples.demo())
    assert said.startswith(made.verdict.about[:40])
    for line in made.verdict.lines:
        assert flat(line) in flat(said)
    assert max(map(len, said.split("The whole report:")[0].splitlines())) <= 80


def test_every_figure_of_the_first_screen_is_that_of_the_library(demo):
    one, many, settled = demo.verdict.figures
    alpha = raters.agreement(examples.demo(), resamples=200, seed=3)
    assert (one.estimate.value, one.estimate.low, one.estimate.high) == pytest.approx(
        (alpha.value, alpha.low, alpha.high)
    )
    assert one.shown == f"{alpha.value:.2f}"
    majority = raters.krr(examples.demo(), 5, resamples=200, seed=3)
    assert many.estimate.value == pytest.approx(majority.value) and many.shown == f"{majority.value:.2f}"
    sure = raters.consensus(examples.demo(), seed=3).certainty
    assert settled.shown == f"{np.mean(sure >= 0.99):.0%}"
    assert sum(p.share for p in settled.parts) == pytest.approx(1)
    whole = demo.to_dict()["verdict"]
    assert whole["figures"][0]["estimate"]["value"] == alpha.value and whole["headline"] == demo.verdict.headline


@pytest.mark.parametrize(
    ("low", "value", "high", "word"),
    [
        (0.31, 0.35, 0.39, "too low to use alone"),
        (0.5, 0.7, 0.9, "cannot tell from 3 items"),
        (0.68, 0.75, 0.85, "good enough for tentative conclusions"),
        (0.81, 0.9, 0.95, "reliable"),
        (np.nan, np.nan, np.nan, "cannot be measured"),
    ],
)
def test_a_word_is_what_the_whole_interval_carries(low, value, high, word):
    assert word_of(Estimate("alpha", value, low, high, n_items=3))[0] == word


def test_three_items_cannot_tell():
    rows = [(i, r, "xy"[(i + (r == "c" and i == 0)) % 2]) for i in range(3) for r in "abc"]
    made = report(raters.read(rows, scale="nominal"), resamples=100)
    assert made.verdict.headline.startswith("3 items do not show whether one label is reliable enough")
    assert made.verdict.figures[0].tone == made.verdict.figures[1].tone == "open"
    assert made.verdict.first.kind == "few"


def test_where_nothing_can_be_compared_the_verdict_says_so():
    made = report(raters.read([(i, "a", "xy"[i % 2]) for i in range(9)], scale="nominal"), resamples=50)
    assert "Nothing can be concluded" in made.verdict.headline and made.verdict.first.kind == "measure"
    assert all(f.shown == "–" for f in made.verdict.figures)


def test_codebook_and_training_come_before_leaving_a_rater_out():
    made = report(table(80, 3, [0.8] * 4 + [0.1]), resamples=50)
    step = made.verdict.first
    assert step.kind == "rater" and step.title == "Talk to rater 'r4'"
    assert step.text.index("codebook") < step.text.index("Without their labels") < step.text.index("report it")
    assert step.effect is not None and f"to {step.effect.value:.2f}" in step.text
    assert step.gain == pytest.approx(step.effect.value - made.verdict.figures[0].estimate.value, abs=1e-9)


def test_groups_that_differ_are_two_views_and_come_first():
    made = report(in_groups(), resamples=200)
    step = made.verdict.first
    assert step.kind == "pools" and "leav" not in step.text
    cross = raters.xrr(in_groups(), pool="pool", resamples=200)
    assert step.gain == pytest.approx(-cross.difference.value) and f"{cross.kappa_x.value:.2f}" in step.text
    assert "Groups of raters agree less with each other" in made.verdict.headline


def test_labels_that_are_degrees_have_no_table_of_one_against_the_rest():
    rng = np.random.default_rng(0)
    rows = [(i, j, int(np.clip(round(i % 5 + 1 + rng.normal(0, 0.7)), 1, 5))) for i in range(60) for j in range(4)]
    made = report(raters.read(rows, scale="ordinal"), resamples=50)
    names = {t.name for t in made.section("agreement").tables()}
    assert "icc" in names and "labels_agreement" not in names
    got = {row[0]: row[1] for t in made.section("agreement").tables() if t.name == "icc" for row in t.rows}
    for e in raters.icc(raters.read(rows, scale="ordinal")):
        assert got[e.name].value == pytest.approx(e.value)


def test_a_section_has_one_picture_and_the_rest_folded(demo):
    for s in demo.answered:
        shown = [b for b in s.blocks if type(b).__name__ in ("Chart", "Table")]
        assert len(shown) <= 2, s.key
    assert demo.html().count('<details class="more">') >= 5
    assert "Every coefficient that applies" in demo.text()


def test_terms_are_explained_once_below_the_sections(demo):
    from raters.reporting.html import TERMS, terms

    told = [term for term, _ in terms(demo)]
    assert len(told) == len(set(told)) and {"the data allow", "interval"} <= set(told)
    assert all(demo.html().count(words.split(";")[0]) == 1 for _, words in terms(demo))
    for _, _, words in TERMS:
        assert len(words.split()) < 40


def test_no_internal_name_stands_in_a_heading():
    sets = raters.simulate.multilabel(60, seed=1).annotations()
    for made in (report(sets, resamples=50), report(in_groups(), resamples=50)):
        heads = [c for s in made.sections for t in s.tables() for c in (t.caption, *t.columns)]
        cells = [row[0] for s in made.sections for t in s.tables() if t.name == "measures" for row in t.rows]
        assert not [h for h in (*heads, *cells) if re.search(r"[a-z]_[a-z]|identity|kappa_x", str(h))]


def test_tables_fit_a_terminal_of_80_columns(demo):
    for made in (demo, report(in_groups(), resamples=50)):
        assert max(len(line) for line in made.text().splitlines() if " " in line) <= 80


def test_the_first_step_of_label_sets_names_the_labels_that_agree_least():
    sets = raters.simulate.multilabel(60, seed=1).annotations()
    made = report(sets, resamples=50)
    worst = min(raters.multilabel(sets, resamples=50).per_label, key=lambda e: e.value)
    assert repr(worst.name) in made.verdict.first.text and f"{worst.value:.2f}" in made.verdict.first.text
    assert made.verdict.headline.startswith(("One label set", f"{sets.n_items} items do not show"))


def test_many_labels_an_item_are_checked_up_to_half_of_them():
    """Beyond that a model would extrapolate: the verdict says how many its figure is of."""
    rng = np.random.default_rng(0)
    rows = [(i, f"r{j}", "abc"[i % 3 if rng.random() < 0.6 else rng.integers(3)]) for i in range(30) for j in range(14)]
    made = report(raters.read(rows, scale="nominal"), resamples=50)
    figure = made.verdict.figures[1]
    assert figure.title == "The majority of seven of your 14" and "as many as the data can check" in figure.text
    assert figure.estimate.value == pytest.approx(raters.krr(raters.read(rows, scale="nominal"), 7, resamples=50).value)
    assert "of 7 labels (of your 14; the data can check only half of them) has" in made.section("aggregate").answer


def test_two_raters_of_numbers_have_their_limits_of_agreement():
    rng = np.random.default_rng(4)
    rows = [
        (i, r, round(50 + 9 * q + 3 * (r == "ann") + rng.normal(), 1))
        for i, q in enumerate(rng.normal(size=40))
        for r in ("ann", "bob")
    ]
    ann = raters.read(rows, scale="interval")
    made, found = raters.report(ann, resamples=50), raters.bland_altman(ann)
    figure = made.verdict.figures[2]
    assert figure.shown == f"{found['lower limit'].value:.2f} to {found['upper limit'].value:.2f}"
    assert f"'ann' gives labels that are {found['bias'].value:.2f} higher than those of 'bob'" in figure.text
    table = next(t for t in made.section("where").tables() if t.name == "limits")
    assert [row[1].value for row in table.rows] == [e.value for e in found]
    assert "three named raters" in made.section("trust").answer


def test_where_two_views_divide_the_raters_learning_is_not_asked_of_them():
    from raters.reporting.headline import VIEWS

    rng = np.random.default_rng(2)
    rows = [
        (i, r, "hate" if (i % 10 == 0 or (r in "def" and i % 3 == 1)) != (rng.random() < 0.03) else "not")
        for i in range(90)
        for r in "abcdef"
    ]
    made = raters.report(raters.read(rows, scale="nominal"), resamples=50)
    assert made.verdict.first.kind in VIEWS
    assert "a decision about whose view counts" in made.verdict.change and "learn to use" not in made.verdict.change
