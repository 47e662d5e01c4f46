"""What the first lines say: the scale that was assumed and what another would give; and that nothing can be
concluded.
"""

import pytest
from click.testing import CliRunner

import raters
from raters.agree.estimating import shared_items, too_few_shared
from raters.cli import cli
from raters.notes.note import Note
from raters.reporting.context import Context
from raters.reporting.first_lines import first_lines
from raters.reporting.methods import short
from raters.reporting.report import QUESTIONS
from raters.reporting.verdict import verdict

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
NUMBERS = [(i, who, (i * 7 + (i % 4 == 0) * j) % 3 + 1) for i in range(30) for j, who in enumerate(("ann", "bob"))]


def run(*args):
    done = CliRunner().invoke(cli, [str(a) for a in args])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def written(tmp_path, rows):
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    return path


def test_numbers_that_may_be_codes(tmp_path):
    path = written(tmp_path, NUMBERS)
    values = [
        raters.agreement(raters.read(NUMBERS, scale=scale), interval=None).value for scale in ("ordinal", "nominal")
    ]
    said = (
        f"3 whole numbers were read as ordinal (Krippendorff's alpha {values[0]:.3f}; as codes, {values[1]:.3f});"
        " pass --scale nominal if they are only codes."
    )
    for args in (
        ["agree", "--interval", "none"],
        ["krr", "--interval", "none"],
        ["agree", "--interval", "none", "--format", "markdown"],
    ):
        assert said in run(args[0], path, *args[1:]).replace("\\", ""), args
    assert "read as ordinal" not in run("agree", path, "--interval", "none", "--scale", "nominal")


def test_what_labels_may_mean_is_said_first(tmp_path):
    path = written(
        tmp_path,
        [(i, who, ["yes", "no", "NA"][(i + j * (i % 3 == 0)) % 3]) for i in range(12) for j, who in enumerate("ab")],
    )
    assert "'NA' counts as a label" in run("agree", path, "--interval", "none")
    path = written(
        tmp_path, [(i, who, ["joy", "fear", "joy; fear"][(i + j) % 3]) for i in range(12) for j, who in enumerate("ab")]
    )
    for command in ("agree", "krr"):
        said = run(command, path, "--interval", "none").split("\n\n")
        assert "look like several labels in one cell" in " ".join(said[0].split())  # beside the answer, and only there
        assert "several labels" not in " ".join(" ".join(said[1:]).split())
    ann = raters.read([(i, who, [1, 2, 3, 99][(i + j) % 4]) for i in range(12) for j, who in enumerate("ab")])
    assert any("label 99 is far from the others" in line for line in first_lines(ann))
    likert = [
        (i, who, ["Agree", "Disagree", "Strongly agree"][(i + j) % 3]) for i in range(9) for j, who in enumerate("ab")
    ]
    assert Note("ordered_words", {"labels": ["Disagree", "Agree", "Strongly agree"]}) in raters.read(likert).notes


FEW = [*((i, "ab"[i % 2], "xyz"[i * 7 % 3]) for i in range(900)), (0, "b", "x"), (1, "a", "y")]


def test_two_of_900_items(tmp_path):
    path = written(tmp_path, FEW)
    said = "Nothing can be concluded about agreement: only 2 of 900 items have labels from two raters or more."
    for command in ("agree", "krr"):
        out = run(command, path, "--interval", "none")
        assert out.startswith(said) and "Why" not in out and "others would call it" not in out
    c = Context(raters.read(path))
    for question in QUESTIONS:
        if question.key in ("agreement", "aggregate", "where", "raters", "trust"):
            section = question.section(c)
            assert section.absent and section.answer == said
    first = verdict(c, ())
    assert first.headline == said and {f.shown for f in first.figures} == {"–"} and said in short(c)


def test_when_enough_is_shared():
    assert too_few_shared(raters.read(NUMBERS)) == "" and shared_items(raters.read(NUMBERS)) == 30
    half = [*((i, "ab"[i % 2], "xyz"[i % 3]) for i in range(30)), *((i, "ba"[i % 2], "xyz"[i % 3]) for i in range(5))]
    assert too_few_shared(raters.read(half)) == ""
