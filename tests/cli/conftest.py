"""What tests of the command line share."""

import random
import sys

import pytest

from raters.cli import main


class Output(str):
    """What a command prints: a sentence is found in it wherever its lines break."""

    def __contains__(self, text):
        return super().__contains__(text) or (bool(text.strip()) and " ".join(text.split()) in " ".join(self.split()))

    def startswith(self, text):
        return " ".join(self.split()).startswith(" ".join(text.split()))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Three raters, forty items, two topics."""
    rng = random.Random(2)
    path = tmp_path_factory.mktemp("cli") / "labels.csv"
    with path.open("w", encoding="utf-8") as f:
        f.write("item,rater,label,topic\n")
        for i in range(40):
            truth = rng.choice("xy")
            for r in ("ana", "ben", "chi"):
                f.write(f"i{i},{r},{truth if rng.random() < 0.8 else rng.choice('xy')},{'pq'[i % 2]}\n")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process: (exit code, output, errors)."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["raters", *map(str, args)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        got = capsys.readouterr()
        assert "Traceback" not in got.err + got.out
        return code, Output(got.out), got.err

    return call
