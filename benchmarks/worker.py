"""Measures one program on one matrix, in a process of its own. Called by agreement.py.

worker.py make CASE N FILE           draws the data
worker.py run PROGRAM CASE BESIDE FILE   prints, as lines of JSON, that it is ready, the first call, and the best of
several

The peak is the largest resident memory of this process, less what it was after import, a call on twenty items and
loading the data.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from cases import CASES, ask, prepare, with_raters

MEMORY = 4 << 30
LEAST, MOST, LONGEST = 3, 7, 4.0
"""Calls: three at least, so that none is judged by a cold start alone, then up to seven within so many seconds."""


def peak() -> float:
    """MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def limit() -> None:
    """No more than MEMORY of address space beyond what is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def run(program: str, case: str, beside: str, file: str) -> None:
    def call(data: Any) -> tuple[float, float, float]:
        start, cpu = time.perf_counter(), time.process_time()
        value = with_raters(case, data, beside) if program == "raters" else ask(program, case, data)
        return value, time.perf_counter() - start, time.process_time() - cpu

    call(prepare(program, case, CASES[case].data(20)))
    data = prepare(program, case, np.load(file))
    limit()
    before = peak()
    tell(ready=True)
    try:
        value, first, cpu = call(data)
    except MemoryError:
        tell(failed="over 4 GB")
        return
    times = [(first, cpu)]
    while True:
        wall, cpu = (min(column) for column in zip(*times, strict=True))
        tell(value=value, time=wall, cpu=cpu, memory=peak() - before, calls=len(times), first=first)
        if len(times) >= MOST or (len(times) >= LEAST and sum(t for t, _ in times) > LONGEST):
            return
        times.append(call(data)[1:])


if __name__ == "__main__":
    if sys.argv[1] == "make":
        np.save(sys.argv[4], CASES[sys.argv[2]].data(int(sys.argv[3])))
    else:
        run(*sys.argv[2:])
