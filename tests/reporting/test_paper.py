"""The table for a paper: its figures are those of the library, in every format; and the paragraphs."""

import csv
import io
import re

import numpy as np
import pytest
from click.testing import CliRunner
from wide_questions import write_press

import raters
from raters import examples
from raters.cli import cli
from raters.reporting.paper_methods import with_methods
from raters.reporting.paper_table import CODING, PAPER_FORMATS, paper_of_questions, paper_table
from raters.reporting.report import together

HOW = {"resamples": 100, "seed": 1}


@pytest.fixture(scope="module")
def made():
    return paper_table(examples.demo(), ["fleiss", "krippendorff", "gwet"], **HOW)


def test_figures_are_those_of_the_library(made):
    ann = examples.demo()
    assert made.head == (
        "Label",
        "n",
        "Agree",
        "Fleiss' kappa [95% CI]",
        "Krippendorff's alpha [95% CI]",
        "Gwet's AC1 [95% CI]",
    )
    first, *labels = made.rows
    for got, name in zip(first.figures, ("fleiss", "krippendorff", "gwet"), strict=True):
        wanted = raters.agreement(ann, name, **HOW)
        assert (got.value, got.low, got.high) == (wanted.value, wanted.low, wanted.high)
    assert first.percent == raters.agreement(ann, "percent", interval=None).value and first.n == 200
    wanted = {e.name: e for e in raters.per_label(ann, **HOW)}
    assert {r.name: r.figures[1].value for r in labels} == {n: e.value for n, e in wanted.items()}


def test_every_format_has_every_row_with_two_decimals(made):
    cell = f"{made.rows[0].figures[1].value:.2f} ["
    for name, render in PAPER_FORMATS.items():
        text = render(made)
        assert cell in text, name
        assert all(r.name in text for r in made.rows)
    latex = PAPER_FORMATS["latex"](made)
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 1 and latex.count(r"\\") == len(made.rows) + 1
    rows = list(csv.reader(io.StringIO(PAPER_FORMATS["csv"](made))))
    assert rows[0] == list(made.head) and len(rows) == len(made.rows) + 1
    assert max(map(len, PAPER_FORMATS["text"](paper_table(examples.demo(), **HOW)).splitlines())) <= 80


def skewed(n=60):
    return [(i, r, "yes" if i % 12 == 0 and (r == "x" or i % 24) else "no") for i in range(n) for r in "xyz"]


def test_ac1_stands_beside_alpha_where_most_labels_are_the_same_and_chosen_ones_stand_alone():
    plain = [(i, r, "pqs"[(i + (r == "z" and i % 5 == 0)) % 3]) for i in range(60) for r in "xyz"]
    anns = {"rare": raters.read(skewed(), scale="nominal"), "topic": raters.read(plain, scale="nominal")}
    made = paper_of_questions(anns, interval=None)
    assert made.coefficients == ("fleiss", "krippendorff", "gwet") and [row[-1] == "–" for row in made.cells] == [0, 1]
    share = sum(x == "no" for *_, x in skewed()) / 180
    assert f"because most labels are the same ({share:.0%} 'no')" in made.note
    assert made.rows[0].figures[2].value == raters.agreement(anns["rare"], "gwet", interval=None).value
    assert "AC1" not in paper_table(anns["topic"], interval=None).note
    assert paper_table(anns["rare"], ["krippendorff"], interval=None).coefficients == ("krippendorff",)
    assert paper_table(anns["rare"], ["percent"], interval=None).head == ("Label", "n", "Agree")


def test_words_of_the_field_and_one_paragraph_about_all_questions(tmp_path):
    anns = {q: raters.read(write_press(tmp_path), question=q, scale="nominal") for q in ("tone", "quality")}
    anns["items by raters"] = anns["tone"]  # names of the data stay
    made = with_methods(paper_of_questions(anns, words=CODING, interval=None), anns, CODING)
    own = f"{made.caption} {made.head[0]} {made.note} {made.methods}".replace("raters 0", "")
    assert made.head[0] == "Variable" and made.methods.startswith("3 coders coded 40 units on 3 variables; each unit")
    assert not re.search(r"\b(rater|item|question|label|annotation)s?\b", own), own
    assert [row[0] for row in made.cells] == ["tone", "quality", "items by raters"]
    values = [e.value for r in made.rows for e in r.figures if e.coefficient == "krippendorff"]
    assert f"between {min(values):.2f} (" in made.methods and f"and {max(values):.2f} (" in made.methods
    for name, render in PAPER_FORMATS.items():
        assert ("40 units" in " ".join(render(made).split())) == (name != "csv"), name


def test_a_note_that_many_questions_share_is_said_once(tmp_path):
    ann = raters.read(write_press(tmp_path), question="quality", scale="ordinal")
    note = paper_of_questions({f"q{i}": ann for i in range(5)}, interval=None).note
    assert note.count("counts as much as") == 1 and "(q0, q1, q2 and 2 more)" in note


def test_a_table_on_a_terminal_fits_and_says_what_is_left_out():
    ann = raters.read(skewed(), scale="nominal")
    anns = {f"a variable with a long name of its own, number {i}": ann for i in range(3)}
    anns["x"] = raters.read(skewed(), scale="ordinal", labels=["no", "yes"])
    text = PAPER_FORMATS["text"](paper_of_questions(anns, resamples=50))
    assert max(map(len, text.splitlines())) <= 80 and "Not shown here: n, Scale; a file (-o) has every column." in text
    names = [line.split("  ")[0] for line in text.splitlines() if "…" in line]
    assert len(names) == len(set(names)) == 3


def test_names_of_strangers_are_text():
    evil = "<b>&_|\u202e"
    rows = [(i, r, [evil, "b", "c"][(i + (r == "x" and i % 3 == 0)) % 3]) for i in range(30) for r in "xyz"]
    made = paper_table(raters.read(rows, scale="nominal"), resamples=50)
    assert "<b>" not in PAPER_FORMATS["html"](made) + PAPER_FORMATS["markdown"](made)
    assert r"\_" in PAPER_FORMATS["latex"](made) and "\u202e" not in "".join(
        f(made) for f in PAPER_FORMATS.values() if f is not PAPER_FORMATS["csv"]
    )


def test_on_the_command_line(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,rater,tone,topic\n"
        + "".join(
            f"i{i},{r},{'ab'[(i + (r == 'y' and i % 4 == 0)) % 2]},{'pqr'[i % 3]}\n" for i in range(30) for r in "xyz"
        )
    )
    done = CliRunner().invoke(
        cli,
        ["agree", str(path), "--label", "tone,topic", "--paper", "-o", str(tmp_path / "t.tex"), "--resamples", "50"],
    )
    assert done.exit_code == 0, done.output
    text = (tmp_path / "t.tex").read_text()
    assert "Question &" in text and "tone & 30" in text and "topic & 30" in text
    done = CliRunner().invoke(cli, ["agree", str(path), "--label", "tone", "--paper", "--format", "json"])
    assert done.exit_code == 2 and "--paper has no format json" in done.output


def test_the_paragraphs_are_complete(demo):
    alpha = raters.agreement(examples.demo(), resamples=200, seed=3)
    for text in (demo.methods, demo.short_methods):
        assert f"{alpha.value:.2f}" in text and f"{alpha.low:.2f}" in text and raters.__version__ in text
        assert "majority of" in text and "Wong & Paritosh 2022" in text
    assert "one from each rater" in demo.methods or "labels (mean" in demo.methods
    assert len(demo.short_methods) < len(demo.methods) / 2
    assert any(entry.startswith("@software{raters") for entry in demo.references)
    assert demo.paper is not None and demo.to_dict()["paper"]["rows"][0]["n"] == 200


def test_rows_of_different_scales_say_theirs(tmp_path):
    path = write_press(tmp_path)
    anns = {q: raters.read(path, question=q, scale=s) for q, s in (("tone", "nominal"), ("quality", "ordinal"))}
    made = paper_of_questions(anns, interval=None)
    assert made.head[:4] == ("Question", "n", "Agree", "Scale")
    assert [row[3] for row in made.cells] == ["nominal", "ordinal"]
    assert "Alpha: the metric of the row's scale." in made.note and "nominal metric" not in made.note
    assert "Fleiss' kappa: no weights, so 4 against 5 counts as much as 1 against 5 (quality)." in made.note
    reports = {q: raters.report(ann, interval=None, resamples=50) for q, ann in anns.items()}
    both = together(reports, "press.csv").paper
    assert both is not None and (both.head, both.cells, both.note) == (made.head, made.cells, made.note)
    one = paper_of_questions({"tone": anns["tone"]}, interval=None)
    assert "Scale" not in one.head and "Alpha: nominal metric." in one.note


def test_questions_of_two_and_of_three_coders_share_a_table(tmp_path):
    path = write_press(tmp_path)
    three = raters.read(path, question="tone", scale="nominal")
    two = raters.read(path, item="id", rater=["quality_Anna", "quality_Ben"], scale="ordinal")
    made = paper_of_questions({"tone": three, "quality": two}, interval=None)
    assert made.coefficients == ("fleiss", "krippendorff", "cohen")
    assert made.cells[0][-1] == "–" and made.cells[1][4] == "–" and made.cells[1][-1] != "–"


def test_weights_are_obeyed_and_what_has_no_place_is_refused(tmp_path):
    path = write_press(tmp_path)
    ann = raters.read(path, question="quality", scale="ordinal")
    common = ["agree", str(path), "--question", "quality", "--scale", "ordinal", "--paper", "--interval", "none"]
    done = CliRunner().invoke(cli, [*common, "--weights", "quadratic", "--margins", "pooled"])
    wanted = raters.agreement(ann, "fleiss", weights="quadratic", margins="pooled", interval=None).value
    assert f"{wanted:.2f}" in done.output and "quadratic weights" in done.output and "pooled margins" in done.output
    same = raters.agreement(ann, "percent", interval=None).value
    assert f"{same:.0%}" in done.output, "Agree is how often labels are the same, whatever the weights"
    done = CliRunner().invoke(cli, [*common, "--distance", "absolute"])
    assert f"{raters.agreement(ann, distance='absolute', interval=None).value:.2f}" in done.output
    assert "Alpha: absolute distance" in done.output
    for more in (
        ["--by", "notes"],
        ["--per", "rater"],
        ["--group", "notes"],
        ["--within", "rater"],
        ["--fail-under", "0.5"],
        ["--against", str(path)],
    ):
        done = CliRunner().invoke(cli, [*common, *more])
        assert f"--paper and {more[0]} cannot be combined" in str(done.exception), more


def test_the_short_paragraph_is_in_every_file_and_tables_are_no_sentences(demo):
    for text in (demo.markdown(), demo.latex()):
        assert "Short version for the paper" in text and "items were labelled by" in text
    for table in (t for s in demo.sections for t in s.tables()):
        assert table.caption[1:30] not in demo.methods, "the caption of a table is no sentence of a paper"
    assert "The label of each item was estimated" not in demo.methods
    assert "Bayesian bootstrap" in demo.methods and "imaginary" not in demo.methods + demo.short_methods


def test_two_labels_are_the_same_as_often_in_the_verdict_as_in_the_table(tmp_path):
    tone = raters.read(write_press(tmp_path), question="tone", scale="nominal")
    made = raters.report(tone, interval=None, resamples=50)
    assert made.paper is not None and made.verdict is not None
    assert f"the same {made.paper.rows[0].percent:.0%} of the time" in " ".join(made.verdict.lines)
    wanted = {e.name: e.value for e in raters.per_label(tone, "percent", interval=None)}
    assert {r.name: r.percent for r in made.paper.rows[1:]} == wanted


def test_n_counts_the_items_with_two_or_more_labels():
    rows = [(i, r, "xy"[i % 2]) for i in range(20) for r in "ab"] + [(i, "a", "x") for i in range(20, 27)]
    made = paper_table(raters.read(rows, scale="nominal"))
    assert [r.n for r in made.rows] == [20] and "n: items with two or more labels" in made.note


def test_label_sets_have_a_paragraph_with_figures_and_a_table():
    ann = raters.simulate.multilabel(60, seed=1).annotations()
    made = raters.report(ann, resamples=100)
    alpha = raters.multilabel(ann, resamples=100)["alpha_masi"]
    limits = f"[{alpha.low:.2f}, {alpha.high:.2f}]"
    assert f"Krippendorff's alpha = {alpha.value:.2f} {limits} (MASI distance" in made.short_methods
    assert "of the labels of an item (F1) and would share" in made.methods and "label sets" in made.methods
    assert made.paper is not None and any(limits in cell for cell in made.paper.cells[0])
    assert any("passonneau2006" in ref for ref in made.references)
    assert not made.section("next").absent


def test_weights_go_to_labels_with_an_order():
    """On a nominal variable quadratic weights made .52 of .60; now the row has none, and says so."""
    rng = np.random.default_rng(1)
    x = np.where(rng.random((60, 3)) < 0.8, rng.integers(0, 3, (60, 1)), rng.integers(0, 3, (60, 3)))
    kinds = {name: raters.read(x, layout="wide", scale=name) for name in ("nominal", "ordinal")}
    made = paper_of_questions(kinds, weights="quadratic", interval=None)
    for name, ann in kinds.items():
        weights = "quadratic" if name == "ordinal" else None
        got = next(r for r in made.rows if r.name == name).figures
        assert [e.value for e in got] == [
            raters.agreement(ann, e.coefficient, weights=weights, interval=None).value for e in got
        ]
    assert "Without quadratic weights, because labels have no order: 'nominal'" in made.note
    below = raters.read(rng.integers(0, 2, (40, 2)) * [[1, -1]] + [[0, 1]], layout="wide", scale="nominal")
    told = PAPER_FORMATS["csv"](paper_of_questions({"q": below}))
    assert "-" in told and "'-" not in told
