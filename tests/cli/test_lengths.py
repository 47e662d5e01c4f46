"""How long what commands print is, on made tables: lines, columns, and that nothing is said twice."""

import csv
import re
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from raters.cli import cli

FAST = ("--resamples", "100")


def table(path, variables, raters=("Ann", "Ben", "Cem"), items=60):
    rng = np.random.default_rng(variables)
    names = [f"variable {k + 1}" for k in range(variables)]
    labels = ("no", "yes"), ("negative", "neutral", "positive"), ("1", "2", "3", "4", "5")
    truth = rng.integers(0, 30, (items, variables))
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["item", "rater", *(names if variables > 1 else ["label"])])
        for i in range(items):
            for r in raters:
                right = rng.random(variables) < 0.6 + 0.4 * np.arange(variables) / variables
                x = np.where(right, truth[i], rng.integers(0, 30, variables))
                out.writerow([f"i{i}", r, *(labels[k % 3][x[k] % len(labels[k % 3])] for k in range(variables))])
    return path


def changed(path, source, change):
    with source.open(newline="") as file:
        rows = [change(row) for row in csv.DictReader(file)]
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0])
        out.writeheader()
        out.writerows(rows)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    people, judges = ("Ann", "Ben", "Cem", "Dan"), tuple(f"judge-{k}" for k in range(6))
    made = {n: table(folder / f"{n}.csv", n) for n in (1, 9, 20, 38)}
    made["pools"] = changed(folder / "pools.csv", made[1], lambda row: {**row, "pool": "ab"[row["rater"] == "Cem"]})
    made["sets"] = changed(
        folder / "sets.csv",
        made[9],
        lambda row: {"item": row["item"], "rater": row["rater"], "label": f"{row['variable 1']};{row['variable 2']}"},
    )
    return {**made, "judged": table(folder / "judged.csv", 1, (*people, *judges), 120)}


COMMANDS = {
    "agree": (1, ["agree", *FAST], 20), "agree 20": (20, ["agree", *FAST], 36), "agree 38": (38, ["agree", *FAST], 60),
    "consensus": (1, ["consensus"], 24), "look": (1, ["look"], 25), "look 9": (9, ["look"], 25), "plan": (1, ["plan", *FAST], 16), "krr": (1, ["krr", *FAST], 16),
    "judge": ("judged", ["judge", "--judges", "judge-0,judge-1,judge-2,judge-3,judge-4,judge-5", *FAST], 20),
    "xrr": ("pools", ["xrr", "--pool", "pool", *FAST], 18), "multilabel": ("sets", ["multilabel", "--sep", ";", *FAST], 18),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_lines_columns_and_repeats(name, files):
    which, args, most = COMMANDS[name]
    done = CliRunner().invoke(cli, [args[0], str(files[which]), *args[1:]], catch_exceptions=False)
    lines = done.stdout.splitlines()
    assert done.exit_code == 0 and len(lines) <= most, done.stdout
    assert max(map(len, lines)) <= 80, done.stdout
    prose = " ".join(line.strip() for line in lines if not re.search(r"\S {2,}\S.* {2,}\S", line))
    said = Counter(s for s in re.split(r"(?<=[.!?])\s+", prose) if len(s.split()) >= 6)
    assert not [s for s, n in said.items() if n > 1]
