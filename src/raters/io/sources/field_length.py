"""How long a field of a text table may be. Python has one such limit for the whole process, which other code may change, too."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

LIMIT = 1 << 20
"""Longest field, in characters. A longer one comes from an unclosed quote, or from a file that is not a table."""
_lock = Lock()
_readers, _before = 0, 0


@contextmanager
def limited() -> Iterator[None]:
    """Replace Python's limit with ours until the last of our readers has finished, in whatever order they do."""
    global _readers, _before
    with _lock:
        found = csv.field_size_limit(LIMIT)
        _before = _before if _readers else found
        _readers += 1
    try:
        yield
    finally:
        with _lock:
            _readers -= 1
            if not _readers:
                csv.field_size_limit(_before)
