"""``raters reproduce``: printed figures beside ours, offline."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from pools import irep_file

import raters
from raters.cli import cli
from raters.papers import krr, models, multilabel, xrr
from raters.papers.figure import Figure


def test_a_figure_is_the_same_to_the_digits_printed():
    assert Figure("", "", 0.11, 0.1127, 2).state == "same" and Figure("", "", 0.11, 0.1151, 2).state == "differs"
    assert Figure("", "", 0.5, needs="x").state == "not computed"


@pytest.mark.parametrize("paper", [krr, xrr, models])
def test_without_data_it_says_what_it_needs(paper):
    made = paper.reproduce(None)
    assert all(f.needs for f in made.figures if f.state == "not computed")
    assert all(f.reason for f in made.figures if f.state == "differs")
    assert made.figures and "Of its figures, " in str(made)
    needed = [f for f in made.figures if f.state == "not computed"]
    assert not needed or f"With {needed[0].needs}:" in str(made)
    assert str(made).index(made.figures[0].what) < str(made).index("With " if needed else "note:")
    assert json.dumps(made.to_dict(), allow_nan=False) and len(made.to_columns()["what"]) == len(made.figures)


def test_the_entropy_claim_of_marchal_is_shown_with_figures(monkeypatch):
    monkeypatch.setattr(multilabel, "DATASETS", 4)
    multilabel._means.cache_clear()
    made = multilabel.reproduce()
    multilabel._means.cache_clear()
    fall = {f.what: f.ours for f in made.figures if f.where == "section 5.2"}
    even, uneven = (
        fall[f"boot_match: adjusted without doubles minus with all doubled, {x}"] for x in ("even labels", "1.5 bits")
    )
    assert uneven > even + 0.3
    even, uneven = (
        fall[f"boot_f1: adjusted without doubles minus with all doubled, {x}"] for x in ("even labels", "1.5 bits")
    )
    assert uneven < even  # as the paper says; boot-match alone falls more
    assert all(f.state == "same" for f in made.figures if f.where == "Table 2") and len(multilabel.TABLE_2) == 6
    assert {f.where for f in made.figures if f.printed in (0.5, 0.69, 0.87, 0.49) and "intersection" in f.what} == {
        "section 5"
    }
    assert all(f.state == "same" for f in made.figures if f.where == "Table 1")


def test_xrr_with_a_file_of_that_shape(tmp_path, monkeypatch):
    irep_file(tmp_path / "IREP_data_release.csv", n=40)
    monkeypatch.setattr(xrr, "TABLE_5", (("awe", ("Mexico", "Budapest"), 0.1208, 0.1170, 0.0817, 0.687),))
    made = xrr.reproduce(tmp_path)
    row = raters.xrr(
        raters.datasets.irep(tmp_path / "IREP_data_release.csv"),
        pool="platform",
        by="expression",
        irr="cohen",
        interval=None,
    ).pair("Mexico", "Budapest", slice="awe")
    ours = {f.what: f.ours for f in made.figures}
    assert ours["kappa_x of awe, Mexico and Budapest"] == row.kappa_x.value
    assert np.isfinite(ours["correlation of normalised kappa_x and rho"])


def test_errata_of_the_model_paper_by_arithmetic():
    made = {f.what: f for f in models.reproduce().figures}
    kappa = made["chance-adjusted agreement of two 90 % accurate annotators, 95 % prevalence"]
    assert round(kappa.ours, 4) == 0.2525 and kappa.state == "differs"
    assert round(made["half-width for a prevalence of .10 and 1,000 instances"].ours, 4) == 0.0186
    assert made["words with alpha below .50, of 45"].ours == 23 and len(models.ALPHAS) == 45


def test_what_is_printed_where():
    first = krr.reproduce().figures[0]
    assert first.where == "Table 1" and "Our inference" in krr.reproduce().remarks[0]
    figures = xrr.reproduce().figures
    assert [f.what for f in figures if f.where == "the authors' unit test"] == ["kappa_x"]
    assert [f.state for f in figures if f.where == "section 4.3"] == ["ours alone"] * 2
    assert [(f.printed, f.state) for f in figures if f.where == "Table 2"] == [(0.6872, "same")]


@pytest.mark.shared
def test_with_the_data(data_dir):
    made = {f.what: f for f in krr.reproduce(data_dir).figures}
    assert made["IRR, ICC(1)"].state == made["13-rater reliability, ICC(13)"].state == "same"
    found = {f.what: f for f in models.reproduce(data_dir).figures}
    assert (
        found["ask-v: items at .99 or more, every sense"].state == "same"
        and not found["ask-v: items at .99 or more, every sense"].reason
    )
    assert (
        round(found["add-v: prevalence of sense 1"].ours, 3) == 0.509
        and found["add-v: prevalence of sense 1"].state == "same"
    )
    assert all(f.state == "same" for f in found.values() if f.where == "section 4.2")
    assert round(found["help-v: share of items between .75 and .99"].ours, 3) == 0.16
    assert found["words with 80 % of their items at .99, of 8"].state == "ours alone"


def test_on_the_command_line(tmp_path):
    def run(*arguments):
        return CliRunner().invoke(cli, ["reproduce", *arguments])

    text = run("models").output
    assert "posterior of label 1" in text and "masc-amt-2013" in text
    told = json.loads(run("xrr", "--format", "json").output)
    assert told["figures"][0]["state"] == "same"
    out = tmp_path / "krr.txt"
    assert run("krr", "-o", str(out)).exit_code == 0 and "WordSim" in out.read_text()
    assert run("other").exit_code == 2
