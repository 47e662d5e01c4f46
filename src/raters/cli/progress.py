"""Progress messages on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done, if there is a terminal; yields a function that reports the current step.

    >>> with working("fitting") as say:
    ...     say("iteration 10")
    """
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(f"{what} ...")) as status:
        yield lambda step: status.update(escape(f"{what}: {step} ..."))
