"""raters and its peers side by side: time and peak memory at four sizes, and whether the figures are the same.

    make bench
    python benchmarks/agreement.py [--case alpha] [--sizes 100,10000] [--dry]

Each program runs in its own environment and process, on the same data, within 60 seconds and 4 GB a cell. The table
goes to docs/benchmarks.md unless --dry. This process imports no numpy: a child's peak memory starts at its parent's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from environments import HERE, python_of, versions

PAGE = HERE.parent / "docs" / "benchmarks.md"
SIZES = (100, 10_000, 100_000, 1_000_000)
SECONDS = 60.0
ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
PEERS = {
    "krippendorff": "krippendorff", "simpledorff": "simpledorff", "nltk": "nltk", "irrCAC": "irrCAC",
    "statsmodels": "statsmodels", "scikit-learn": "scikit-learn", "pingouin": "pingouin",
}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """What one program did at one size."""

    value: float = float("nan")
    time: float = float("nan")
    cpu: float = float("nan")
    memory: float = float("nan")
    calls: int = 0
    first: float = float("nan")
    failed: str = ""


def cases() -> dict[str, Any]:
    """Title, note and peers of each case; asked of another process, which may import numpy."""
    ask = "import json, cases; print(json.dumps({k: [c.title, c.note, c.peers] for k, c in cases.CASES.items()}))"
    got = subprocess.run([sys.executable, "-c", ask], cwd=HERE, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(got.stdout)
    return found


def measured(program: str, case: str, beside: str, file: str) -> Cell:
    """Run one program on one file, within the limits."""
    command = [python_of(program), str(HERE / "worker.py"), "run", program, case, beside, file]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ONE_THREAD)
    try:
        if next(told(child, 300), None) is None:
            return Cell(failed=reason(child))
        last = Cell(failed=f"over {SECONDS:.0f} s")
        for line in told(child, SECONDS):
            last = Cell(**line)
        if last.failed and child.poll() not in (None, 0):
            return Cell(failed=reason(child))
        return last
    finally:
        child.kill()
        child.communicate()


def told(child: subprocess.Popen[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Lines of JSON from a worker, until it ends or time is over."""
    assert child.stdout is not None
    end = time.monotonic() + seconds
    while select.select([child.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
        line = child.stdout.readline()
        if not line:
            child.wait()
            return
        yield json.loads(line)


def reason(child: subprocess.Popen[str]) -> str:
    """The last line that a failed worker wrote."""
    lines = child.communicate()[1].strip().splitlines()
    said = lines[-1] if lines else f"ended with {child.returncode}"
    return "over 4 GB" if "MemoryError" in said else f"fails: {said[:60]}"


def side_by_side(case: str, peers: list[str], sizes: list[int], folder: str) -> Iterator[tuple[int, str, Cell, Cell]]:
    """(items, peer, the peer's cell, ours) for every size and peer. A peer that could not is not asked for more."""
    given_up: dict[str, str] = {}
    for n in sizes:
        file = str(Path(folder, f"{n}.npy"))
        subprocess.run([sys.executable, str(HERE / "worker.py"), "make", case, str(n), file], check=True)
        ours: dict[bool, Cell] = {}
        for peer in peers:
            with_interval = peer == "irrCAC"
            if with_interval not in ours:
                ours[with_interval] = measured("raters", case, peer, file)
            theirs = Cell(failed=given_up[peer]) if peer in given_up else measured(peer, case, peer, file)
            if theirs.failed:
                given_up[peer] = "not tried"
            yield n, peer, theirs, ours[with_interval]
        Path(file).unlink()


def row(n: int, peer: str, theirs: Cell, ours: Cell) -> str:
    """A row of the table."""
    own = [ours.failed, ""] if ours.failed else [timed(ours), memory(ours.memory)]
    if theirs.failed:
        cells = [f"{n:,}", peer, theirs.failed, "", *own, "", "", "", ""]
    else:
        same = abs(theirs.value - ours.value) <= 1e-9 * max(1.0, abs(ours.value))
        cells = [
            f"{n:,}",
            peer,
            timed(theirs),
            memory(theirs.memory),
            *own,
            times(theirs.time / ours.time),
            times(theirs.cpu / ours.cpu),
            in_memory(theirs.memory, ours.memory),
            "yes" if same else f"**no**: {theirs.value:.9g}, ours {ours.value:.9g}",
        ]
    return "| " + " | ".join(cells) + " |"


def timed(cell: Cell) -> str:
    """The best time; how few calls it is the best of, where they were cut short; the first, where that was far
    worse.
    """
    notes = [f"{cell.calls} call{'s' if cell.calls > 1 else ''} only"] if cell.calls < 3 else []
    notes += [f"first {seconds(cell.first)}"] if cell.first > 2 * cell.time and cell.first > 0.1 else []
    return seconds(cell.time) + (f" ({', '.join(notes)})" if notes else "")


def seconds(x: float) -> str:
    return f"{x:.3g} s" if x >= 1 else f"{x * 1e3:.3g} ms"


def memory(x: float) -> str:
    return f"{x:,.0f} MiB" if x >= 1 else "< 1 MiB"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def in_memory(theirs: float, ours: float) -> str:
    """A ratio of two peaks, where both can be told from the process itself."""
    return times(theirs / ours) if theirs >= 1 and ours >= 1 else f"> {times(theirs)}" if theirs >= 1 else ""


HEAD = (
    "| items | peer | its time | its memory | our time | our memory | ratio of time | of processor time | of memory "
    "| same figure |\n| ---: | --- |" + " ---: |" * 7 + " --- |"
)


def machine() -> str:
    """The machine and the versions; nothing that names it."""
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", info)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    own = versions("raters", "raters", "numpy", "scipy")
    peers = ", ".join(f"{p} {versions(p, package)[package]}" for p, package in PEERS.items())
    return (
        f"{date.today():%B %Y}; {os.cpu_count()} cores ({model[1] if model else platform.machine()}), {total:.0f} GiB,"
        f" {platform.system()}, Python {platform.python_version()}; raters {own['raters']} with numpy {own['numpy']}"
        f" and scipy {own['scipy']}; {peers}. Load average at the start {START:.1f}, at the end"
        f" {os.getloadavg()[0]:.1f}: other work ran on the machine, so the ratio of processor time holds better than"
        " times."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", help="only this case; may be repeated")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--dry", action="store_true", help="do not write docs/benchmarks.md")
    given = parser.parse_args()
    for peer in PEERS:
        python_of(peer)
    parts = []
    for name, (title, note, peers) in cases().items():
        if given.case and name not in given.case:
            continue
        lines = [f"### {title}", "", *([note, ""] if note else []), HEAD]
        sys.stdout.write("\n" + "\n".join(lines) + "\n")
        with tempfile.TemporaryDirectory() as folder:
            for found in side_by_side(name, peers, [int(n) for n in given.sizes.split(",")], folder):
                lines.append(row(*found))
                sys.stdout.write(lines[-1] + "\n")
                sys.stdout.flush()
        parts.append("\n".join(lines))
    if not given.dry:
        write("\n\n".join([machine(), *parts]))


def write(text: str) -> None:
    """Put the tables between the markers of the page."""
    page = PAGE.read_text()
    start, end = "<!-- generated by make bench -->", "<!-- end of what make bench generates -->"
    head, rest = page.split(start)
    PAGE.write_text(f"{head}{start}\n\n{text}\n\n{end}{rest.split(end)[1]}")


START = os.getloadavg()[0]
if __name__ == "__main__":
    main()
