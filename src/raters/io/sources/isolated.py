"""Run foreign readers in a separate process, so that a file that makes one abort or exhaust memory does no harm here."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError

MEMORY = 4 << 30
"""Address space that a reader may use, in bytes, if the system can enforce a limit."""
PATIENCE, EACH_MEGABYTE = 10, 10
"""Seconds of the processor after which a reader is stopped, and how many more for each megabyte of the file."""
WAITING = 60
"""How often as many seconds may pass, on a machine that does other work."""
OUT_OF_TIME = tuple(-int(s) for name in ("SIGXCPU", "SIGKILL") if (s := getattr(signal, name, None)) is not None)
START = """
import json, pickle, sys
given = json.load(sys.stdin)
sys.path[:] = given["path"]
try:
    import resource
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = given["memory"] if limit < 0 else min(given["memory"], limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (given["seconds"], given["seconds"] + 1))  # also if nobody waits for it any more
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
except (ImportError, ValueError, OSError):
    pass
file, options = given["file"], given["options"]
"""
END = """
sys.stdout.buffer.write(pickle.dumps(made, protocol=5))
sys.stdout.buffer.flush()
"""
"""A reader is a program text between these two: from ``file`` and ``options`` to ``made``, plain values."""


def isolated(program: str, path: Path, **options: Any) -> Any:
    """The result of a small program for a file. Its own errors are returned as values; if it crashes, we raise an error that says so."""
    seconds = PATIENCE + EACH_MEGABYTE * (path.stat().st_size >> 20)
    given = {"path": sys.path, "memory": MEMORY, "seconds": seconds, "file": str(path), "options": options}
    if not sys.executable:
        raise UsageError(f"{path.name}: this format needs a Python program to start. Save the file as CSV.")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", START + program + END], input=json.dumps(given).encode(), capture_output=True,
            timeout=seconds * WAITING, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise endless(path, seconds) from None
    if done.returncode in OUT_OF_TIME:
        raise endless(path, seconds)
    if done.returncode:
        raise DataError(f"{path.name}: {why(done.stderr.decode(errors='replace'))}")
    return pickle.loads(done.stdout)


def endless(path: Path, seconds: int) -> DataError:
    """A file with which the reader did not come to an end."""
    return DataError(f"{path.name}: damaged, or too large: it could not be read in {seconds} s. Save it as CSV.")


def why(said: str) -> str:
    """The last message of a reader that died, in one line."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith((" ", "note:", "stack"))]
    if any("emory" in line for line in lines):
        return (
            f"needs more than {MEMORY >> 30} GiB of memory; a single cell far away from the others can cause this. "
            "Delete the rows and columns beyond the table, or save it as CSV."
        )
    return f"damaged, or not in the format that its name suggests (the reader stopped: {' '.join(' '.join(lines[-1:]).split())[:120]})."
