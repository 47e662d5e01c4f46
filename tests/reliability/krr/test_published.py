"""k-rater reliability and plans from the figure of a paper, without data."""

import json

import pytest
from click.testing import CliRunner

import raters
from raters import examples
from raters.cli import cli
from raters.errors import UsageError


def run(*arguments):
    return CliRunner().invoke(cli, list(arguments))


def test_the_figure_of_a_paper():
    # Wong & Paritosh's own example of the prophecy formula: ICC(1) .590 of thirteen ratings is .949
    assert round(raters.krr(irr=0.590497, k=13).value, 6) == 0.949356
    e = raters.krr(irr=(0.43, 0.38, 0.48), k=5)
    assert (e.low, e.value, e.high) == pytest.approx([5 * r / (1 + 4 * r) for r in (0.38, 0.43, 0.48)])
    assert "a vote needs the labels" in e.warnings[0] and "means of numbers only" in e.title
    assert raters.krr(irr=-0.2, k=5).value == -0.2


def test_it_is_what_data_of_that_reliability_give():
    ann = raters.read([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]], layout="wide", scale="interval")
    single = raters.icc(ann)["ICC(1)"]
    for k in (1, 2, 7):
        assert raters.krr(irr=single, k=k).value == pytest.approx(raters.krr(ann, k, interval=None).value, abs=1e-12)


def test_a_plan_from_a_figure():
    plan = raters.plan(irr=0.4, target=0.8)
    assert plan["labels per item"].value == 6 and "the mean of 6 ratings" in str(plan)
    needed = raters.plan(irr=(0.4, 0.3, 0.5), target=0.8)["labels per item"]
    assert (needed.low, needed.high) == (4, 10)
    for k, reached in ((5, False), (6, True)):
        assert (raters.krr(irr=0.4, k=k).value >= 0.8) is reached
    assert "no number of ratings" in str(raters.plan(irr=0.0))


def test_what_does_not_go_together_is_refused():
    with pytest.raises(UsageError, match="not both"):
        raters.krr(examples.fleiss_1971(), 3, irr=0.4)
    with pytest.raises(UsageError, match="k=5"):
        raters.krr(irr=0.4)
    with pytest.raises(UsageError, match="between -1 and 1"):
        raters.krr(irr=1.4, k=2)
    with pytest.raises(UsageError, match="between its limits"):
        raters.krr(irr=(0.4, 0.5, 0.6), k=2)
    with pytest.raises(UsageError, match="value, low, high"):
        raters.plan(irr=(0.4, 0.5))


def test_on_the_command_line():
    assert " ".join(run("krr", "--irr", ".43", "--k", "5").output.split()).startswith(
        "The reliability of the mean of 5 ratings (Spearman-Brown from the published 0.43: means of numbers only) is 0.79."
    )
    told = json.loads(run("krr", "--irr", ".43,.38,.48", "--curve", "--k", "4", "--format", "json").output)
    assert [e["k"] for e in told["estimates"]] == [1, 2, 3, 4] and told["data"]["published"]
    assert "mean of 6 ratings per item" in " ".join(run("plan", "--irr", "0.4").output.split())
    for wrong in (["krr"], ["krr", "--irr", "x", "--k", "2"], ["krr", "--irr", ".4"], ["plan"]):
        assert run(*wrong).exit_code == 2
