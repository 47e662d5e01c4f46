"""What a command prints names the options that one types, never the arguments of the library."""

import re
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from raters.cli import COMMANDS, cli
from raters.cli.typed import as_typed, options_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))

from command_files import make_all

ROWS = [(i, r, "abc"[(i + (r == "z") * (i % 3 == 0)) % 3]) for i in range(12) for r in "xyz"]


def named(command):
    return options_of(getattr(import_module(f"raters.cli.{command}"), command))


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


@pytest.fixture
def path(tmp_path):
    lines = ["item,rater,label", *(f"{i},{r},{x}" for i, r, x in ROWS)]
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "labels.csv"


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("use method='split', or aggregate='mean' with method='icc'.", "use --method split, or --aggregate mean with --method icc."),
        ("pass scale='sets', sep=';' (--scale sets --sep ';') to read", "pass --scale sets --sep ';' to read"),
        ("Say which to use: raters.read(..., duplicates='first'), 'last' or 'keep'.", "Say which to use: --duplicates first, last or keep."),
        ("Allow more (memory=, --memory), or", "Allow more (--memory), or"),
        ("labels=['n o', 'yes'] in order, or missing=['a', 'b']", "--labels 'n o',yes in order, or --missing a --missing b"),
        ("pass force=True (--force); interval=None; seed=-1", "pass --force; --interval none; --seed -1"),
        ("--scale label=ordinal is for the question 'label=x'; see ?label=3", "--scale label=ordinal is for the question 'label=x'; see ?label=3"),
        ("Pass labels=['a', 'b', ... (9 in all)].", "Pass --labels a,b,... (9 in all)."),
        ("raters' alpha: nothing='here' is an option", "raters' alpha: nothing='here' is an option"),
    ],
)  # fmt: skip
def test_arguments_become_options(message, typed):
    assert as_typed(message, named("krr")) == typed


def test_options_are_found_by_the_arguments_that_they_set():
    assert named("xrr")["permutations"] == "--test" and named("consensus")["gold"] == "--gold"
    assert named("plan")["settled"] == "--settled" and named("look")["raters"] == "--raters-as"


PYTHON = re.compile(r"(?<![\w=-])(?:scale|labels|missing|interval|method|aggregate|k|force|duplicates|level|ties)=")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    make_all(folder := tmp_path_factory.mktemp("files"))
    return folder


NO_ANSWER = {"demo", "help", "reproduce", "fold", "convert", "judge", "report", "serve"}
"""Commands that print no answer about a table, or need a second one."""


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in NO_ANSWER])
def test_what_commands_print_has_no_arguments(path, folder, command):
    """The usual output, and the sentences on what was assumed."""
    words = {
        "multilabel": [path, "--sep", ";"],
        "xrr": [path, path, "--names", "one,two"],
        "evaluate": [path, path, "--interval", "none"],
        "meeting": [path, "-o", path.parent / "meeting.csv"],
        "groups": [folder / "crowd.csv", "--test", "20"],
        "watch": [folder / "calm.csv", "--by", "date"],
        "rank": [folder / "votes.csv"],
        "check": ["--errors", "3", "--checked", "100"],
    }
    done = run(command, *words.get(command, [path]))
    assert done.exit_code == 0, done.exception
    assert not [line for line in done.output.splitlines() if PYTHON.search(line)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["krr", "--method", "split", "--k", "9"], "for a larger k, use --method model"),
        (["krr", "--method", "empirical"], "--method empirical compares two replications"),
        (["agree", "--labels", "a,b"], "or --missing c to drop these rows"),
        (["agree", "--scale", "ordinal"], "State it from lowest to highest: --labels a,b,c"),
        (["agree", "--level", "2"], "--level 2.0 is not between 0 and 1"),
        (["consensus", "--model", "gaussian"], "--model gaussian needs numbers"),
        (["plan", "--tell", "0.7,0.7"], "--tell 0.7,0.7 are not two different values"),
    ],
)  # fmt: skip
def test_errors_name_options(path, words, said):
    done = run(words[0], path, *words[1:])
    assert isinstance(done.exception, ValueError | click.ClickException), done.output
    assert said in str(done.exception) and not PYTHON.search(str(done.exception))


def test_a_value_cut_in_the_middle_of_an_escape():
    assert as_typed(r"pass label='a\x1...' to read it", {"label": "--label"}) == r"pass --label 'a\x1...' to read it"
