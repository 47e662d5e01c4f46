"""The help of a command fits a screen, and an option that takes one value is given once."""

import pytest
from click.testing import CliRunner

from raters.cli import COMMANDS, cli


def said(*words):
    done = CliRunner().invoke(cli, words, terminal_width=80)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(name):
    lines = said(name, "--help").splitlines()
    assert len(lines) <= 45 and max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]


@pytest.mark.parametrize("name", COMMANDS)
def test_everything_is_shown_on_request(name):
    whole = said(name, "--help-all")
    assert len(whole) >= len(said(name, "--help")) or name == "help"
    assert said("help", name).splitlines()[2:] == whole.splitlines()[2:]


def test_topics_hold_what_the_short_help_leaves_out():
    for topic, option in (("reading", "--layout"), ("intervals", "--resamples"), ("output", "--force")):
        assert option in said("help", topic) and option not in said("look", "--help").replace("--force)", "")
        assert f"raters help {topic}" in said("agree", "--help")
    assert "--margins" not in said("agree", "--help") and "--margins" in said("agree", "--help-all")


def test_an_option_given_twice_is_an_error(tmp_path):
    done = CliRunner().invoke(cli, ["judge", "people.csv", "--model", "m0.csv", "--seed", "1", "--seed", "2"])
    assert done.exit_code == 2 and "--seed is given 2 times, and takes one value" in done.output


def test_a_topic_that_does_not_exist():
    done = CliRunner().invoke(cli, ["help", "nothing"])
    assert done.exit_code == 2 and "topics are reading, intervals, output" in done.output
