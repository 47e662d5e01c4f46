"""What people wait for: whole commands on tables of the kinds they have. Writes the table of docs/benchmarks.md.

    python benchmarks/whole_commands.py [ROW ...] [--large] [--dry] [--growth]

Processor seconds (user and system, the start of Python included, bytecode compiled before) and the peak of memory of a process of its own, and
the ratio to a fixed piece of work measured before and after it. ``--growth`` runs commands at 1, 3, 10 and 30 times the
items, the raters, the variables and the labels, and gives the exponents.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
Write = Callable[[Path], None]


def long_table(items: int, each: int, raters: int, labels: int, named: bool = True, questions: int = 1) -> Write:
    """``each`` labels of every item by raters who take neighbouring items, right two times in three."""

    def write(path: Path) -> None:
        rng = np.random.default_rng(items)
        item = np.repeat(np.arange(items), each)
        rater = (item * each // max(items * each // raters, 1) + np.tile(np.arange(each), items) * 7919) % raters
        names = [f"label {i}" if named else str(i + 1) for i in range(labels)]
        columns = [[f"item {i}" for i in item], [f"rater {r}" for r in rater]]
        for _ in range(questions):
            near = np.clip(rng.integers(0, labels, items)[item] + rng.integers(-1, 2, len(item)), 0, labels - 1)
            right = rng.random(len(item)) < 0.5
            columns.append([names[i] for i in np.where(right, near, rng.integers(0, labels, len(item)))])
        heads = ["item", "rater", *(["label"] if questions == 1 else [f"question{q}" for q in range(questions)])]
        path.write_text("\n".join(map(",".join, [heads, *zip(*columns, strict=True)])) + "\n", encoding="utf-8")

    return write


def wide_table(variables: int, raters: int, items: int) -> Write:
    """Columns v00_coder1, v00_coder2, v01_coder1, ... with four labels each."""

    def write(path: Path) -> None:
        rng = np.random.default_rng(variables)
        names = np.array(["anger", "fear", "joy", "calm"])
        truth = rng.integers(0, 4, (items, variables, 1))
        drawn = np.where(rng.random((items, variables, raters)) < 0.8, truth, rng.integers(0, 4, truth.shape))
        heads = [f"v{v:02}_coder{r + 1}" for v in range(variables) for r in range(raters)]
        rows = [[f"text {i}", *names[row.ravel()]] for i, row in enumerate(drawn)]
        path.write_text("\n".join(map(",".join, [["item", *heads], *rows])) + "\n", encoding="utf-8")

    return write


def parquet(annotations: int) -> Write:
    """Five labels an item by 1,000 raters, as in docs/scale.md."""

    def write(path: Path) -> None:
        from scale import make

        make(path, annotations, False)

    return write


@dataclass(frozen=True)
class Row:
    """A row of the table: what is done (raters with these arguments, or Python if it begins with ``-c``)."""

    title: str
    write: Write | None
    command: tuple[str, ...]
    wanted: float = math.nan  # CPU seconds on a quiet machine, where the fixed work takes .4
    ending: str = "csv"
    large: bool = False


ALPHA = "import raters; raters.agreement(raters.read('{}'), interval='bootstrap', resamples=10_000)"
CONGER = "import raters; print(raters.agreement(raters.read('{}', scale='nominal'), 'conger', group='rater'))"
ICC = "import raters; print(raters.icc(raters.read('{}', scale='interval')))"
TWO_CODERS, CROWD = wide_table(40, 2, 60), long_table(5400, 5, 6000, 4)
MILLION = long_table(200_000, 5, 400, 5)
ORDINAL = long_table(1500, 9, 262, 5, named=False)
ROWS = {
    "import": Row("`import raters`", None, ("-c", "import raters"), 0.02),
    "help": Row("`raters --help`", None, ("--help",), 0.06),
    "agree small": Row("`agree`, 100 items x 3 labels", long_table(100, 3, 3, 3), ("agree", "{}")),
    "report ordinal": Row(
        "`report`, 1,500 items x 9 ordinal labels, 262 raters", ORDINAL, ("report", "{}", "--scale", "ordinal"), 4
    ),
    "report": Row("`report`, 1,000 items x 25 labels, 60 raters", long_table(1000, 25, 60, 4), ("report", "{}"), 2),
    "report crowd": Row("`report`, 27,000 labels by 6,000 raters", CROWD, ("report", "{}"), 6),
    "look 40": Row("`look`, 40 variables x 2 coders x 60 rows", TWO_CODERS, ("look", "{}"), 1.5),
    "agree 40": Row("`agree`, 40 variables x 2 coders x 60 rows", TWO_CODERS, ("agree", "{}"), 2.5),
    "report 9": Row("`report`, 9 questions x 300 items x 3 raters", wide_table(9, 3, 300), ("report", "{}"), 6),
    "plan 4": Row("`plan`, 4 variables x 80 rows", wide_table(4, 3, 80), ("plan", "{}", "--target", ".8"), 3),
    "icc": Row("incomplete two-way ICC, 262 raters", ORDINAL, ("-c", ICC), 1),
    "conger": Row("Conger's kappa, 3,000 raters x 300 labels", long_table(20_000, 5, 3000, 300), ("-c", CONGER), 2),
    "consensus 215k": Row("`consensus`, 215,000 labels", long_table(43_000, 5, 400, 5), ("consensus", "{}")),
    "consensus": Row("`consensus`, a million labels by 400 raters", MILLION, ("consensus", "{}")),
    "dawid_skene": Row(
        "`consensus --model dawid_skene`, a million labels", MILLION, ("consensus", "{}", "--model", "dawid_skene"), 4
    ),
    "alpha 5M": Row("read, alpha, 5 million", parquet(5_000_000), ("-c", ALPHA), ending="parquet"),
    "alpha 50M": Row("read, alpha, 50 million", parquet(50_000_000), ("-c", ALPHA), ending="parquet", large=True),
    **{
        f"engine {n}M": Row(
            f"`consensus --on-engine --model one_coin`, {n} million",
            parquet(n * 1_000_000),
            ("consensus", "{}", "--on-engine", "--model", "one_coin", "--scale", "nominal"),
            ending="parquet",
            large=n > 5,
        )
        for n in (5, 50)
    },
}
WRITES = {"report": ("report.html", "--force"), "consensus": ("labels.csv", "--force")}
ON_ENGINE = ("labels.parquet", "--force")


@dataclass(frozen=True)
class Cost:
    seconds: float
    mebibytes: float


def apart(work: Callable[[], float]) -> float:
    """What this returns, in a process of its own: a child begins with its parent's peak of memory, so that must stay small."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            os.write(writing, str(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return float(found)


def reference() -> float:
    """CPU seconds of a fixed piece of work: numpy sorts 4 million numbers, a loop adds 1.5 million to a dictionary."""
    before = time.process_time()
    np.sort(np.random.default_rng(0).random(4_000_000))
    found: dict[int, int] = {}
    for i in range(1_500_000):
        found[i] = found.get(i, 0) + 1
    return time.process_time() - before


def cost(command: list[str], limit: float = 280.0) -> Cost:
    """What a process takes, with one thread for linear algebra; nan if it fails or exceeds the limit."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, env=alone)
        end = time.monotonic() + limit
        while (got := os.wait4(child.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > end:
                child.kill()
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(got[1])
        if child.returncode:
            said.seek(0)
            sys.stderr.write(f"{' '.join(command)}: {said.read().decode()[-800:]}\n")
            return Cost(math.nan, math.nan)
    return Cost(got[2].ru_utime + got[2].ru_stime, got[2].ru_maxrss / 1024)


def asked(row: Row, path: Path) -> list[str]:
    """The command line of a row."""
    said = [part.replace("{}", str(path)) for part in row.command]
    written = ON_ENGINE if "--on-engine" in said else WRITES.get(said[0])
    more = ["-o", str(path.parent / written[0]), *written[1:]] if written else []
    return [sys.executable, *([] if said[0] == "-c" else ["-m", "raters"]), *said, *more]


def measured(row: Row, folder: Path) -> tuple[Cost, float]:
    """The cost of a row, and that of the fixed work around it."""
    path = folder / f"table.{row.ending}"
    write = row.write
    if write:
        apart(lambda: float(write(path) is None))
    before = apart(reference)
    found = cost(asked(row, path))
    return found, (before + apart(reference)) / 2


def ratios(names: list[str]) -> dict[str, tuple[Cost, float]]:
    with tempfile.TemporaryDirectory(prefix="raters-whole-") as folder:
        found = {}
        for name in names:
            found[name] = measured(ROWS[name], Path(folder))
            sys.stderr.write(f"{name}: {found[name][0].seconds:.2f} s, fixed work {found[name][1]:.2f} s\n")
        return found


# what grows: the command, what is multiplied, and its table at k times
GROWTH: dict[tuple[str, str], Callable[[int], Write]] = {
    **{
        (command, what): make
        for command in ("report", "agree", "consensus", "look")
        for what, make in {
            "items": lambda k: long_table(1000 * k, 5, 50, 5),
            "raters": lambda k: long_table(6000, 5, 100 * k, 5),
            "labels": lambda k: long_table(3000, 5, 50, 5 * k),
        }.items()
    },
    **{(command, "variables"): (lambda k: wide_table(2 * k, 3, 60)) for command in ("report", "agree", "look")},
}
BY_NAME = ("--item", "item", "--columns", "{variable}_{rater}")  # two variables might be six raters
TIMES = (1, 3, 10, 30)


def exponent(values: list[float]) -> float:
    """The largest slope of logarithms between two neighbouring sizes."""
    steps = zip(TIMES, values, strict=False)
    points = [(math.log(k), math.log(v)) for k, v in steps if v > 0]
    return max((y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points))


def growth(only: list[str]) -> list[str]:
    """Lines of the table of exponents."""
    lines = [
        "| command | what grows | CPU s at 1, 3, 10, 30 times | steepest exponent | MiB | steepest exponent |",
        "| --- | --- | --- | ---: | --- | ---: |",
    ]
    with tempfile.TemporaryDirectory(prefix="raters-growth-") as folder:
        for (command, what), table in GROWTH.items():
            if only and not {command, f"{command} {what}"} & {*only}:
                continue
            costs = []
            for k in TIMES:
                row = Row("", table(k), (command, "{}", *(BY_NAME if what == "variables" else ())))
                costs.append(measured(row, Path(folder))[0])
            seconds, memory = [c.seconds for c in costs], [c.mebibytes for c in costs]
            cells = [", ".join(f"{v:.2f}" for v in seconds), f"{exponent(seconds):.2f}"]
            cells += [", ".join(f"{v:.0f}" for v in memory), f"{exponent(memory):.2f}"]
            lines.append(f"| `{command}` | {what} | {' | '.join(cells)} |")
            sys.stderr.write(lines[-1] + "\n")
    return lines


def table(found: dict[str, tuple[Cost, float]]) -> list[str]:
    lines = ["| work | CPU s | times the fixed work | wanted | MiB |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, (spent, fixed) in found.items():
        row = ROWS[name]
        wanted = "" if math.isnan(row.wanted) else f"{row.wanted / 0.4:.3g}"
        cells = [row.title, f"{spent.seconds:.2f}", f"{spent.seconds / fixed:.2g}", wanted, f"{spent.mebibytes:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def put(text: str, mark: str, lines: list[str]) -> str:
    """The page with the lines between ``<!-- mark -->`` and ``<!-- end mark -->``."""
    between = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end {mark} -->)", re.DOTALL)
    return between.sub(lambda m: m[1] + "\n" + "\n".join(lines) + "\n\n" + m[2], text)


def kept(text: str, mark: str, lines: list[str]) -> list[str]:
    """The lines of the page between the marks, with these in the place of theirs."""
    there = [x for x in text.partition(f"<!-- {mark} -->")[2].partition(f"<!-- end {mark} -->")[0].splitlines() if x]
    which = 3 if mark == "growth" else 2  # the cells that name a row
    name = {"|".join(x.split("|")[:which]): x for x in lines}
    changed = [name.pop("|".join(x.split("|")[:which]), x) for x in there]
    return changed + list(name.values())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "rows", nargs="*", help=f"some of: {', '.join(ROWS)}; with --growth, commands, or 'report items'"
    )
    arguments.add_argument("--large", action="store_true", help="50 million labels too")
    arguments.add_argument("--growth", action="store_true")
    arguments.add_argument("--dry", action="store_true", help="print the table instead of writing the page")
    given = arguments.parse_args()
    names = given.rows or [name for name, row in ROWS.items() if given.large or not row.large]
    lines = growth(given.rows) if given.growth else table(ratios(names))
    text = PAGE.read_text(encoding="utf-8")
    mark = "growth" if given.growth else "whole commands"
    if given.rows and not given.dry:  # the others stay as they were
        lines = kept(text, mark, lines)
    if given.dry:
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        PAGE.write_text(put(text, mark, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
