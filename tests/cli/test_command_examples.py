"""Every option of every command has an example in the reference; it runs, and the option changes what the command
does.
"""

import shlex
import shutil
import sys
from pathlib import Path

import click
import pytest
from click import Option
from click.testing import CliRunner

from raters.cli import COMMANDS, Commands, cli

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))

from command_examples import EXIT, NOT_RUN, OWN, SAME, SHARED, example
from command_files import make_all

pytestmark = pytest.mark.filterwarnings("ignore")


def options(command):
    return {
        next(o for o in p.opts if o.startswith("--")): p
        for p in Commands().get_command(None, command).params
        if isinstance(p, Option)
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_an_example(command):
    there = options(command)
    assert not [name for name in there if not example(command, name)]
    assert not [name for name in OWN.get(command, {}) if name not in there]
    for name in there:
        words = shlex.split(example(command, name))
        assert {name, *there[name].secondary_opts} & set(words), name
        assert name in SHARED or words[1] == command, name


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_all(folder)
    return folder


@pytest.fixture
def done(files, tmp_path, monkeypatch):
    """What a line prints and writes, in a folder of its own."""
    opened = []
    monkeypatch.setattr(click, "launch", opened.append)
    number = iter(range(1000))

    def run(line):
        if line in KNOWN:
            return KNOWN[line]
        folder = tmp_path / str(next(number))
        shutil.copytree(files, folder)
        monkeypatch.chdir(folder)
        opened.clear()
        for each in line.split(" && "):
            words = shlex.split(each)
            monkeypatch.setattr(sys, "argv", words)  # a report names the command that made it
            ran = CliRunner().invoke(cli, words[1:], prog_name="raters")
        said = (ran.output + str(ran.exception or "")).replace(str(folder), "").replace(shlex.join(words), "")
        new = {
            p.name: p.suffix == ".csv" and p.read_bytes() for p in folder.rglob("*") if not (files / p.name).exists()
        }
        return KNOWN.setdefault(line, (ran.exit_code, said, new, bool(opened)))

    return run


KNOWN: dict = {}
"""What was run already: many examples are the same without their option."""
LINES = [
    *((words, name, "look" if words.startswith("raters look") else "agree") for name, words in SHARED.items()),
    *((words, name, command) for command, lines in OWN.items() for name, words in lines.items()),
]


@pytest.mark.parametrize(("line", "name", "command"), [x for x in LINES if x[1] not in NOT_RUN])
def test_the_example_runs_and_the_option_matters(line, name, command, done):
    with_it = done(line)
    assert with_it[0] == EXIT.get(name, 0), with_it[1]
    option = options(command)[name]
    words = shlex.split(line.split(" && ")[-1])
    at = next(i for i, w in enumerate(words) if w in (*option.opts, *option.secondary_opts))
    rest = shlex.join([*words[:at], *words[at + (1 if option.is_flag else 2) :]])
    assert name in SAME or with_it != done(rest), "the option changes nothing"
