"""How long it takes to find out what a file is: export or table, header, layout. Prints milliseconds of processor
time.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from raters.errors import RatersError
from raters.io.exports.opened import opened, tool_export
from raters.io.readings.decide import recognise
from raters.io.sources.files import file_options
from raters.io.sources.header import SAMPLE, find_header

ROWS = 100_000


def wide(rng: random.Random) -> str:
    """Ten raters beside an id, a theme and a majority."""
    head = "id,theme," + ",".join(f"ann{j}" for j in range(10)) + ",majority\n"
    return head + "".join(f"{i},{rng.choice('ab')}," + ",".join(rng.choices("xyz", k=10)) + ",x\n" for i in range(ROWS))


def long(rng: random.Random) -> str:
    """Five raters, with a column of questions that has to be looked at."""
    return "item,rater,label,question\n" + "".join(f"{i // 5},r{i % 5},{rng.choice('xyz')},q\n" for i in range(ROWS))


def milliseconds(what: Callable[[], object]) -> float:
    """The least of five."""
    times = []
    for _ in range(5):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def main() -> None:
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("wide", wide(rng)), ("long", long(rng))):
            path = Path(folder, f"{name}.csv")
            path.write_text(content)
            rows = [line.split(",") for line in content.splitlines()[:SAMPLE]]
            table = opened(path, "auto", "columns", file_options("auto"))
            steps: dict[str, Callable[[], object]] = {
                "export": lambda path=path: tool_export(path, None, (), "auto", False),  # type: ignore[misc]
                "header": lambda rows=rows: find_header(rows),  # type: ignore[misc]
                "layout": lambda table=table: recognise(table, None, None, None),  # type: ignore[misc]
            }
            for step, what in steps.items():
                try:
                    took = milliseconds(what)
                except RatersError as error:
                    sys.exit(str(error))
                sys.stdout.write(f"{name:5} {step:7} {took:6.1f} ms\n")


if __name__ == "__main__":
    main()
