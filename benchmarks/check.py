"""A gate: raters has not become slower than docs/benchmarks.md says, beside its peers and in whole commands.

    make bench-check
    python benchmarks/check.py [--sizes 10000] [--case alpha] [--row report]

Measures again, both programs in one run, and compares the ratio of processor time with the published one; a whole
command is compared with a fixed piece of work in the same run. A ratio may halve, since machines differ; below that the
gate fails. Figures that are no longer the same fail at once.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from whole_commands import ROWS, Cost
from whole_commands import ratios as of_commands

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SLACK = 0.5
Key = tuple[str, int, str]


def ratios(text: str) -> dict[Key, tuple[float, bool]]:
    """(table, items, peer) to the ratio of processor time and whether the figures are the same."""
    found, table = {}, ""
    for line in text.splitlines():
        if line.startswith("### "):
            table = line[4:].strip()
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 10 and re.fullmatch(r"[\d,]+", cells[0]) and re.fullmatch(r"[\d.]+", cells[7]):
            found[table, int(cells[0].replace(",", "")), cells[1]] = float(cells[7]), cells[9] == "yes"
    return found


def slower(published: dict[Key, tuple[float, bool]], now: dict[Key, tuple[float, bool]]) -> list[str]:
    """What to say of every cell that fails the gate."""
    said = []
    for key in sorted(published.keys() & now.keys()):
        table, items, peer = key
        (before, same_before), (ratio, same) = published[key], now[key]
        if same_before and not same:
            said.append(f"{table}, {items:,} items: another figure than {peer}")
        if ratio < SLACK * before:
            said.append(f"{table}, {items:,} items: {ratio:g} times as fast as {peer}, published {before:g}")
    return said


def commands(text: str) -> dict[str, float]:
    """The title of a whole command to its published ratio to the fixed work."""
    part = text.partition("<!-- whole commands -->")[2].partition("<!-- end whole commands -->")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
    return {row[0]: float(row[2]) for row in cells if re.fullmatch(r"[\d.]+", row[2])}


def slower_commands(published: dict[str, float], now: dict[str, tuple[Cost, float]]) -> list[str]:
    """What to say of every whole command that fails the gate."""
    said = []
    for name, (spent, fixed) in now.items():
        title = ROWS[name].title
        if title in published and not spent.seconds / fixed <= published[title] / SLACK:
            took = f"{spent.seconds / fixed:.2g} times the fixed work"
            said.append(f"{title}: {took}, published {published[title]:g}")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--row", action="append", default=[], help="a whole command, by its name in whole_commands.py")
    given = parser.parse_args()
    rows = given.row or [name for name, row in ROWS.items() if not row.large and not given.case]
    page = PAGE.read_text(encoding="utf-8")
    whole = slower_commands(commands(page), of_commands(rows))
    if given.row:
        sys.stdout.write("\n".join(whole or [f"{len(rows)} commands hold"]) + "\n")
        return 1 if whole else 0
    command = [sys.executable, str(HERE / "agreement.py"), "--dry", "--sizes", given.sizes]
    command += [x for case in given.case for x in ("--case", case)]
    measured = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    now = ratios(measured)
    if not now:
        sys.stderr.write("nothing was measured\n")
        return 2
    said = slower(ratios(page), now) + whole
    sys.stdout.write("\n".join(said or [f"{len(now)} ratios and {len(rows)} commands hold"]) + "\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
