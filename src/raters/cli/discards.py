"""Assumptions and unused data: on the first line of every format, and on standard error for CSV."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from raters.cli.typed import sentences_as_typed

if TYPE_CHECKING:
    from raters.annotations import Annotations


class FirstOfSeveral:
    """The first of several tables for the renderers, which report for each table what was not used."""

    def __init__(self, anns: Sequence[Annotations], names: Sequence[str] = ()) -> None:
        self.anns = list(anns)
        self.names = list(names)
        """The names of the tables, if they are questions of one source."""

    def summary(self) -> dict[str, Any]:
        return self.anns[0].summary()

    def __str__(self) -> str:
        from raters.reporting.first_lines import for_one

        said = str(self.anns[0])
        return (
            "\n".join(f"{self.names[0]}: {for_one(x, self.names[0])}" for x in said.splitlines())
            if self.names
            else said
        )


def tell_beside_csv(ann: Annotations) -> None:
    """Print the notes on standard error: CSV, JUnit and a table to paste have no room for a sentence, since a comment would be read as a row."""
    from raters.reporting.first_lines import first_lines
    from raters.words import printable

    context = click.get_current_context(silent=True)
    if context is None or sys.stderr is None:
        return
    if context.params.get("format_") not in ("csv", "junit") and not context.params.get("paper"):
        return
    for said in first_lines(ann, figures=context.info_name != "look"):
        with suppress(OSError):  # standard error is closed
            click.echo(f"raters: {sentences_as_typed(f'{printable(ann.source)}: {printable(said)}')}", err=True)
