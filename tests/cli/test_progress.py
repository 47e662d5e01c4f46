"""One display of progress: silent without a terminal, with the share of the rows, and text from users is shown as it
is.
"""

import io
import os
import pty
import threading
from pathlib import Path

import duckdb
import pytest

from raters.cli import terminal as progress
from raters.cli.terminal import amount, working
from raters.engines.duckdb import connect
from raters.engines.guards import share_done

SLOW = "SELECT count(*) FROM (SELECT i % 300007 AS g, count(*) FROM range(12000000) AS t(i) GROUP BY g)"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_said_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "WAIT", 0.0)
    with working("reading") as say:
        say("half")
        connect().execute("SELECT 1")
        assert share_done() is None
        assert not [t for t in threading.enumerate() if "_ask" in t.name]
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_what_goes_on_and_how_far_it_is(monkeypatch):
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    with working("column [red]x") as say:
        say("start votes")
    assert "column [red]x" in err.getvalue()


def test_the_share_of_the_rows_is_shown_on_a_terminal(monkeypatch):
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def listen() -> None:
        while got := os.read(ours, 65536):
            shown.append(got)
            if b"the end" in got:
                return

    reader = threading.Thread(target=listen, daemon=True)
    reader.start()
    with os.fdopen(theirs, "w") as err:
        monkeypatch.setattr("sys.stderr", err)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(progress, "WAIT", 0.0)
        monkeypatch.setattr(progress, "EACH", 0.01)
        monkeypatch.setattr(progress, "inputs", lambda: [Path(__file__)])
        with working("reading"), connect() as connection:
            connection.execute(SLOW)
            connection.execute(SLOW)
        err.write("the end")
        err.flush()
        reader.join(10)
    os.close(ours)
    text = b"".join(shown).decode()
    assert f"% of {Path(__file__).stat().st_size / 1000:.3g} kB ..." in text
    assert "reading: scan 2, " in text
    assert not [t for t in threading.enumerate() if "_ask" in t.name]


def test_every_step_of_the_mixture_is_said_also_of_a_large_table(monkeypatch):
    """The last steps of a table of which a part came first."""
    from raters import consensus, simulate
    from raters.models.base.votes import Votes
    from raters.models.choosing import stacked

    monkeypatch.setattr(stacked, "MOST", 400)
    drawn = simulate.labels(200, 4, 2, accuracy=0.8, seed=1)
    steps: list[str] = []
    votes = Votes.of_codes(drawn.item, drawn.rater, drawn.label, labels="ny")
    consensus(votes, progress=lambda name, n, objective: steps.append(name))
    heard = list(dict.fromkeys(steps))
    assert heard == ["one_coin", "mace", "dawid_skene", "ordinal", "held-out items"]
    last = steps[len(steps) - 1 - steps[::-1].index("held-out items") + 1 :]
    assert list(dict.fromkeys(last)) == ["one_coin", "mace", "dawid_skene", "ordinal"]


def test_an_interrupt_ends_it(monkeypatch):
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(KeyboardInterrupt), working("reading"):
        raise KeyboardInterrupt
    assert not [t for t in threading.enumerate() if "_ask" in t.name]


def test_of_what_the_shares_are(tmp_path):
    rows = tmp_path / "a[1].parquet"
    duckdb.sql(f"COPY (SELECT range AS i FROM range(1234)) TO '{rows}' (FORMAT parquet)")
    text = tmp_path / "b.csv"
    text.write_bytes(b"x" * 2_500_000)
    assert amount([rows]) == amount([tmp_path / "a?1].parquet"]) == " of 1,234 rows"
    assert amount([text]) == " of 2.5 MB"
    assert amount([tmp_path / "none.csv"]) == ""
    rows.write_bytes(b"damaged")
    assert amount([rows]) == " of 7 bytes"
