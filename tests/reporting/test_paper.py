"""The table for a paper: its figures are those of the library, in every format; and the paragraphs."""

import csv
import io

import pytest
from click.testing import CliRunner

import raters
from raters import examples
from raters.cli import cli
from raters.reporting.paper import PAPER_FORMATS
from raters.reporting.paper_table import paper_table

HOW = {"resamples": 100, "seed": 1}


@pytest.fixture(scope="module")
def made():
    return paper_table(examples.demo(), ["gwet"], **HOW)


def test_figures_are_those_of_the_library(made):
    ann = examples.demo()
    assert made.head == (
        "Label",
        "n",
        "Agree",
        "Fleiss' kappa [95% CI]",
        "Krippendorff's alpha [95% CI]",
        "Gwet's AC [95% CI]",
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


def test_names_of_strangers_are_text():
    evil = "<b>&_|\u202e"
    rows = [(i, r, [evil, "b", "c"][(i + (r == "x" and i % 3 == 0)) % 3]) for i in range(30) for r in "xyz"]
    made = paper_table(raters.read(rows, scale="nominal"), resamples=50)
    assert "<b>" not in PAPER_FORMATS["html"](made) + PAPER_FORMATS["markdown"](made)
    assert r"\_" in PAPER_FORMATS["latex"](made) and "\u202e" not in "".join(f(made) for f in PAPER_FORMATS.values() if f is not PAPER_FORMATS["csv"])  # fmt: skip


def test_on_the_command_line(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,rater,tone,topic\n"
        + "".join(
            f"i{i},{r},{'ab'[(i + (r == 'y' and i % 4 == 0)) % 2]},{'pqr'[i % 3]}\n" for i in range(30) for r in "xyz"
        )
    )
    done = CliRunner().invoke(cli, ["agree", str(path), "--label", "tone,topic", "--paper", "-o", str(tmp_path / "t.tex"), "--resamples", "50"])  # fmt: skip
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
