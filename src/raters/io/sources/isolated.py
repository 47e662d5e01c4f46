"""Foreign readers in a process of their own: a file that makes one abort, or ask for all memory, takes nothing of ours with it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError

MEMORY = 4 << 30
"""Bytes of addresses that a reader may take, where the system can hold it to that."""
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
    """What a small program makes of a file. Its own errors come back as values; where it dies, an error of ours says so."""
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
    """What a reader said when it died, in one line."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith((" ", "note:", "stack"))]
    if any("emory" in line for line in lines):
        return (
            f"needs more than {MEMORY >> 30} GiB of memory; a single cell far away from the others does that too. "
            "Delete the rows and columns beyond the table, or save it as CSV."
        )
    return f"damaged, or not what its name says (the reader stopped: {' '.join(' '.join(lines[-1:]).split())[:120]})."
