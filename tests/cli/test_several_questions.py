"""Files of several variables: every command says what there is, and one option speaks to one of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from wide_questions import write_press

import raters
from raters.cli import cli
from raters.coefficients import REGISTRY
from raters.io.exports.registry import TOOLS
from raters.io.table import SeveralQuestions
from raters.options.declared import Comparing, OfLabels
from raters.options.option import rows

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
TONES = ["negative", "neutral", "positive"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_press(tmp_path_factory.mktemp("press"), third=True)


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


def test_look_lists_the_questions(path):
    done = run("look", path)
    assert done.exit_code == 0 and done.output.startswith("3 questions; raters agree measures each")
    rows = [line.split() for line in done.output.splitlines() if line.startswith(("tone", "quality", "topic"))]
    assert [row[-1] for row in rows[:2]] == ["119", "120"] and "yes," in rows[1]
    found = json.loads(run("look", path, "--format", "json").output)["questions"]
    assert list(found) == ["tone", "quality", "topic"] and found["quality"]["data"]["scale"] == "ordinal"


def test_agree_has_a_row_for_each_question(path):
    done = run("agree", path, "--interval", "none", "--format", "json")
    rows, about = (json.loads(done.output)[key] for key in ("estimates", "questions"))
    assert [e["name"] for e in rows] == ["tone", "quality", "topic"] == list(about)
    assert about["quality"]["scale"] == "ordinal"
    for e in rows:
        assert e["value"] == raters.agreement(raters.read(path, question=e["name"]), interval=None).value
    text = " ".join(run("agree", path, "--interval", "none").output.split())
    assert text.startswith("Of 3 variables, ") and "--question tone (why)" in text
    assert "5 whole numbers were read as ordinal" in text and "pass --scale quality=nominal." in text
    advice = f"pass --scale tone=ordinal --labels tone={','.join(TONES)}"
    assert advice in text and advice in " ".join(run("look", path).output.split()), (
        "what to type speaks to one question"
    )


@pytest.mark.parametrize("option", ["--question", "--label"])
def test_some_of_the_questions(path, option):
    done = run("agree", path, option, "tone,quality", "--paper", "--format", "csv", "--interval", "none")
    assert done.exit_code == 0, done.exception
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["Question", "tone", "quality"]


def test_a_question_that_is_not_there_is_no_word_on_exports(path):
    done = run("agree", path, "--question", "subject")
    assert "no question 'subject'. There is 'tone'" in str(done.exception) and "export" not in str(done.exception)


def test_scale_and_labels_of_one_question(path):
    given = ["--scale", "tone=ordinal", "--labels", f"tone={','.join(TONES)}", "--interval", "none", "--format", "json"]
    rows = {e["name"]: e for e in json.loads(run("agree", path, *given).output)["estimates"]}
    tone = raters.read(path, question="tone", scale="ordinal", labels=TONES)
    assert rows["tone"]["value"] == raters.agreement(tone, interval=None).value
    assert (rows["tone"]["weights"], rows["topic"]["weights"]) == ("ordinal", "nominal")
    alone = json.loads(run("agree", path, "--question", "tone", "-c", "alpha", *given).output)["estimates"]
    assert alone[0]["value"] == rows["tone"]["value"]


def test_labels_for_all_that_only_one_has_point_to_its_own_option(path):
    done = run("agree", path, "--labels", ",".join(TONES))
    assert "'quality' does not" in str(done.exception) and f"--labels tone={','.join(TONES)}" in str(done.exception)
    done = run("agree", path, "--scale", "tune=ordinal")
    assert "there is no question 'tune'; there is tone, quality, topic" in str(done.exception)
    done = run("agree", path, "--question", "tone", "--scale", "nominal", "--scale", "ordinal")
    assert "--scale was given 2 times" in str(done.exception)


def test_a_scale_for_a_question_of_a_file_that_has_none(tmp_path):
    (tmp_path / "x.csv").write_text("item,rater,label\n1,a,x\n1,b,y\n2,a,x\n2,b,x\n")
    done = run("agree", tmp_path / "x.csv", "--scale", "tone=nominal")
    assert "this file has only one: use --scale nominal" in str(done.exception)
    assert run("agree", tmp_path / "x.csv", "--labels", "x,y").exit_code == 0


def test_columns_of_other_questions_are_no_attributes(path):
    tone = raters.read(path, question="tone")
    assert tone.extras == ("headline", "notes")
    made = raters.report(tone, interval=None, resamples=50)
    assert not [t for s in made.sections for t in s.tables() if "Agreement by" in t.caption], "nor are remarks"


def test_python_reports_on_all_questions_and_says_how_to_choose_one(path):
    made = raters.report(path, interval=None, resamples=50, title="Press")
    assert made.title == "Press" and made.paper is not None
    assert "as codes, alpha would be: quality" in made.not_used and "scale='nominal'" in " ".join(made.about)
    assert [row[0] for row in made.paper.cells] == ["tone", "quality", "topic"]
    assert made.paper.rows[2].scale == "nominal"
    with pytest.raises(
        SeveralQuestions, match=r"raters\.read\(\.\.\., question='tone'\); raters.report answers for all"
    ) as caught:
        raters.agreement(path)
    assert caught.value.__context__ is None


def test_nothing_is_left_at_exit(path):
    """DuckDB lists every object that outlives it on standard error, which looks like a crash."""
    code = (
        "import sys, raters; print(raters.agreement(raters.read(sys.argv[1], question='tone'), interval=None)); raters.krr;"
        " raters.xrr; raters.judge"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert "nanobind" not in done.stderr


def test_the_readme_counts_the_tools_that_are_looked_for():
    tools = list(TOOLS.own.values())
    said = f"[{sum(not t.log for t in tools)} labelling tools, {sum(t.log for t in tools)} evaluation logs]"
    assert said in (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_a_dash_is_the_terminal(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("report", path, "--question", "topic", "--interval", "none", "-o", "-", "--format", "markdown")
    assert done.exit_code == 0 and "## How was this measured?" in done.output and not list(tmp_path.iterdir())
    assert run("look", path, "-o", "-").output.startswith("3 questions") and not list(tmp_path.iterdir())


def test_help_lists_the_options_and_the_coefficients():
    for function in (raters.agreement, raters.agreement_table, raters.per_label, raters.per_rater, raters.per_pair):
        said = function.__doc__ or ""
        options = rows(OfLabels if function is raters.per_label else Comparing)
        assert all(name in said for name in (*options, *REGISTRY.own)) and ">>>" in said, function.__name__
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(dir(raters))
    assert set(raters.__all__) <= set(dir(raters))


def test_krr_has_rows_and_a_sentence_for_each_question(path):
    quick = ["--question", "tone,topic", "--interval", "none", "--method", "split", "--k", "1"]
    done = json.loads(run("krr", path, *quick, "--format", "json").output)
    rows = {e["name"]: e["value"] for e in done["estimates"]}
    assert list(done["questions"]) == ["tone", "topic"] and [name.split(": ")[0] for name in rows] == ["tone", "topic"]
    for name, value in rows.items():
        assert value == raters.agreement(raters.read(path, question=name.split(": ")[0]), interval=None).value
    text = run("krr", path, *quick, "--curve").output
    assert text.startswith("2 questions: tone, topic. --question tone reads one of them.\ntone: The reliability")
    assert text.count("reliability by labels per item") == 2


def test_plan_has_rows_and_a_sentence_for_each_question(path):
    quick = ["--question", "tone,topic", "--interval", "none"]
    found = json.loads(run("plan", path, *quick, "--format", "json").output)
    assert list(found["plans"]) == list(found["questions"]) == ["tone", "topic"]
    for q, plan in found["plans"].items():
        assert plan["sentences"][0].startswith("For a reliability of 0.8") and plan["curve"]
        alone = raters.plan(raters.read(path, question=q), interval=None)
        assert alone.estimates[0].value == next(e for e in found["estimates"] if e["name"].startswith(q))["value"]


def test_a_question_that_cannot_be_answered_is_named(path):
    done = run("krr", path, "--aggregate", "mean", "--interval", "none")
    assert str(done.exception).startswith("question 'tone': the mean of nominal labels has no meaning.")


@pytest.mark.parametrize("command", ["consensus", "xrr", "convert"])
def test_commands_for_one_question_say_the_whole_line_to_type(path, command, tmp_path):
    more = ["-o", tmp_path / "long.csv"] if command == "convert" else []
    said = str(run(command, path, *more).exception)
    assert f"Choose one: raters {command} {path} --question tone;" in said and "question=" not in said
    if command == "consensus":
        assert said.endswith("--by question takes all of them.")
        assert "\nquality: 40 items" in run("consensus", path, "--by", "question", "--model", "majority").output
