"""The commands that docs/coming-from.md gives to users of web pages, macros and newer tools, each run on a file as they have it."""

import csv
import random
import re
import shlex
import shutil
from pathlib import Path

import pytest
import span_files
from click.testing import CliRunner

from raters.cli import cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from.md"
SECTION = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
TABLE = next(s for s in SECTION if s.startswith("Web pages, macros")).splitlines()
ROWS = {cells[1].strip(): cells[2] for line in TABLE if line.startswith("| ") and (cells := line.split("|"))}
COMMANDS = {
    (who, command): [x for x in re.findall(r"`(-[^`]+)`", said) if x.startswith(("-c", "--paper"))]
    for who, said in ROWS.items()
    for command in re.findall(r"`(raters [^`]+)`", said)
}
"""Each command, with the options that may be added to it."""


def written(path, head, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*([head] if head else []), *rows])


def langfuse(folder, about):
    """A table of scores, by people and by a model."""
    given = [
        (f"{t}{n}", t, "ANNOTATION" if n else "EVAL", "tone", "CATEGORICAL", 0, "abcd"[x - 1], n) for t, n, x in about
    ]
    head = ("id", "traceId", "source", "name", "dataType", "value", "stringValue", "authorUserName")
    written(folder / "scores.csv", head, given)


def files(who, folder):
    """What a user of the tool has."""
    draw = random.Random(2)
    truth = [draw.randint(1, 4) for _ in range(40)]

    def coded(x):
        return x if draw.random() < 0.8 else draw.randint(1, 4)

    if who.startswith(("ReCal", "Holsti")):
        written(folder / "codes.csv", None, [(coded(x), coded(x)) for x in truth])
    elif who.startswith("KALPHA"):
        statistics, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
        rows = [(coded(x), coded(x), coded(x)) for x in truth]
        statistics.write_sav(pandas.DataFrame(rows, columns=["obs1", "obs2", "obs3"]), str(folder / "data.sav"))
    elif "pygamma" in who:
        (folder / "PROJECT").mkdir()
        span_files.brat(folder / "PROJECT")
    elif "INCEpTION" in who:
        (folder / "made").mkdir()
        shutil.make_archive(str(folder / "export"), "zip", span_files.webanno(folder / "made"))
    elif "Langfuse" in who:
        langfuse(folder, [(f"t{i}", name, coded(x)) for i, x in enumerate(truth) for name in ("Ann", "Bob", "")])
    else:
        people_and_model(folder, [(x, [coded(x) for _ in range(4)]) for x in truth], 4 if "tidycomm" in who else 3)


def people_and_model(folder, given, width):
    """Codes of two people, and the same for people, a model and a judge in files of their own."""
    rows = [(f"u{i}", r, *x[2 * j : 2 * j + 2]) for i, (_, x) in enumerate(given) for j, r in enumerate(("ann", "ben"))]
    written(folder / "codes.csv", ("unit", "coder", "tone", "topic")[:width], [row[:width] for row in rows])
    for file in ("people", "model", "judge"):
        mine = [(u, r if file == "people" else "gpt", x) for u, r, x, _ in rows if file == "people" or r == "ben"]
        written(folder / f"{file}.csv", ("item", "rater", "label"), mine)


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
@pytest.mark.parametrize(("who", "command"), COMMANDS)
def test_the_command_for_users_of(who, command, tmp_path, monkeypatch):
    files(who, tmp_path)
    monkeypatch.chdir(tmp_path)
    for more in ["", *COMMANDS[who, command]]:
        if "fleiss" in more:  # for more coders than this file has
            continue
        done = CliRunner().invoke(cli, [*shlex.split(command)[1:], *shlex.split(more)])
        assert done.exit_code == 0, f"{command} {more}: {done.output} {done.exception}"
        assert done.stdout or (tmp_path / "table.docx").stat().st_size > 5000
