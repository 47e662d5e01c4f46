"""One display of progress: silent without a terminal, and text from users is shown as it is."""

import io

from raters.cli.progress import working


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_said_without_a_terminal(capsys):
    with working("reading") as say:
        say("half")
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_what_goes_on_and_how_far_it_is(monkeypatch):
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    with working("column [red]x") as say:
        say("start votes")
    assert "column [red]x" in err.getvalue()
