"""On steps of a scale, a coefficient without weights says that it has none; and so does every table that shows it."""

import pytest
from click.testing import CliRunner
from wide_questions import write_press

import raters
from raters.cli import cli

TOLD = "4 against 5 counts as much as 1 against 5"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_press(tmp_path_factory.mktemp("press"))


@pytest.fixture(scope="module")
def quality(path):
    return raters.read(path, question="quality", scale="ordinal")


def test_kappa_says_that_it_has_no_weights_and_alpha_does_not(quality):
    for name in ("fleiss", "conger", "gwet"):
        assert TOLD in str(raters.agreement(quality, name, interval=None)), name
    assert TOLD in str(raters.per_pair(quality, interval=None))
    assert TOLD in str(raters.per_rater(quality, "conger", interval=None))
    for name in ("krippendorff", "iota", "percent"):
        assert TOLD not in str(raters.agreement(quality, name, interval=None)), name


def test_it_is_not_said_where_weights_were_chosen_or_labels_are_no_steps(path, quality):
    for weights in ("quadratic", "identity"):
        assert not raters.agreement(quality, "fleiss", weights=weights, interval=None).warnings
    tone = raters.read(path, question="tone", scale="nominal")
    assert not raters.agreement(tone, "fleiss", interval=None).warnings


def test_printed_tables_say_how_labels_are_compared(path, quality):
    text = str(raters.agreement_table(quality, ["fleiss", "alpha"], interval=None))
    head, fleiss, alpha, *_ = text.splitlines()
    assert head.endswith("labels compared as") and fleiss.endswith("equal or not") and alpha.endswith("ordinal")
    tone = raters.read(path, question="tone", scale="nominal")
    assert "compared" not in str(raters.agreement_table(tone, ["fleiss", "alpha"], interval=None))


def test_the_command_line_and_the_report_say_it(path, quality):
    common = ["agree", str(path), "--question", "quality", "--scale", "ordinal", "--interval", "none"]
    done = CliRunner().invoke(cli, common)
    said = " ".join(done.output.split())
    assert done.exit_code == 0 and TOLD in said and "--weights quadratic" in said
    section = raters.report(quality, interval=None, resamples=50).section("agreement")
    chart, table = (
        next(x for x in found if x.name == "coefficients") for found in (section.charts(), section.tables())
    )
    assert TOLD in chart.caption and "Fleiss' kappa" in chart.caption and TOLD in table.caption
    assert "to know" not in table.columns, "it is said once, not in every row"
    at = table.columns.index("of")
    assert {row[0]: row[at] for row in table.rows}["Krippendorff's alpha"] == "disagreement"


def test_percent_with_weights_is_called_weighted(path):
    common = ["agree", str(path), "--question", "quality", "--scale", "ordinal", "--interval", "none"]
    done = CliRunner().invoke(cli, [*common, "--weights", "quadratic"])
    assert "\nWeighted percent agreement " in done.output and "\nPercent agreement " not in done.output
    assert "\nPercent agreement  " in CliRunner().invoke(cli, common).output


def test_kappa_of_three_raters_names_fleiss_and_the_way_to_pairs(quality):
    with pytest.raises(raters.UsageError, match=r"Use fleiss .*raters\.per_pair"):
        raters.agreement(quality, "kappa")
