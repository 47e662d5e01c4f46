"""Run foreign readers in a separate process, so that a file that makes one abort or exhaust memory does no harm here."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError

MEMORY = 4 << 30
"""Address space that a reader may use, in bytes, if the system can enforce a limit."""
PATIENCE = 600
"""Seconds after which a reader is stopped."""
START = """
import json, pickle, sys
given = json.load(sys.stdin)
sys.path[:] = given["path"]
try:
    import resource
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = given["memory"] if limit < 0 else min(given["memory"], limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, limit))
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
    """The result of a small program for a file. Its own errors are returned as values; if it dies, an error of ours reports this."""
    given = {"path": sys.path, "memory": MEMORY, "file": str(path), "options": options}
    if not sys.executable:
        raise UsageError(f"{path.name}: this format needs a Python program to start. Save the file as CSV.")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", START + program + END], input=json.dumps(given).encode(), capture_output=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise DataError(f"{path.name}: could not be read within {PATIENCE} seconds. Save it as CSV.") from None
    if done.returncode:
        raise DataError(f"{path.name}: {why(done.stderr.decode(errors='replace'))}")
    return pickle.loads(done.stdout)


def why(said: str) -> str:
    """The last message of a reader that died, in one line."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith((" ", "note:", "stack"))]
    if any("emory" in line for line in lines):
        return (
            f"needs more than {MEMORY >> 30} GiB of memory; a single cell far away from the others can cause this. "
            "Delete the rows and columns beyond the table, or save it as CSV."
        )
    return f"damaged, or not in the format that its name suggests (the reader stopped: {' '.join(' '.join(lines[-1:]).split())[:120]})."
