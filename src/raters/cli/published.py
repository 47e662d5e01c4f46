"""The subject of a command without a file: figures from a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Published:
    """Replaces a table for the renderers, which describe the data with it."""

    what: str
    anns: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"no data: {self.what}"

    def summary(self) -> dict[str, Any]:
        """The basis of the figures."""
        return {"source": None, "published": self.what}


def numbers(given: str, option: str, counts: tuple[int, ...]) -> list[float]:
    """Numbers separated by commas, in a count that the option accepts."""
    try:
        found = [float(x) for x in given.split(",")]
    except ValueError:
        found = []
    if len(found) not in counts:
        raise click.BadParameter(f"{given!r} is not {' or '.join(map(str, counts))} numbers.", param_hint=option)
    return found
