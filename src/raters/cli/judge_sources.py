"""The files of ``raters judge``: people's labels, the judges', and their earlier ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.options import read_table, stop

if TYPE_CHECKING:
    from raters.annotations import Annotations


def tables_of(
    people: Path, model: Path | None, options: dict[str, Any]
) -> tuple[Annotations, Annotations | None, Annotations | None]:
    """People's labels, the judges', and the judges' earlier ones. A column or a question that only one of the files has applies to that file."""
    if model is None and not (options["judges"] or options["judges_from"]):
        stop("say which raters are models: --model FILE, --judges NAME,NAME, or --judges-from COLUMN.")
    if options["estimate"] and (options["drift"] or options["before"]):
        stop("--drift and --before report what changed in a judge's agreement; they do not apply to --estimate.")
    absent: set[str] = set()
    first = table_of(people, options, absent if model else None)
    runs = "keep" if options["duplicates"] == "error" else options["duplicates"]
    named = {role: options[f"model_{role}"] for role in ("item", "rater", "label") if options[f"model_{role}"]}
    if model is None:
        if named:
            stop(
                f"--model-{next(iter(named))} names a column of the judges' file; use it with --model, or use --{next(iter(named))}."
            )
        return (
            first,
            None,
            None if options["before"] is None else table_of(options["before"], {**options, "duplicates": runs}),
        )
    # models are not people: their names stay
    how = {**options, **named, "duplicates": runs, "anonymize": False}
    needed = absent | named.keys()  # what people's file lacks must be in this one
    files = [file for file in (model, options["before"]) if file is not None]
    second, *more = [_named_alike(file, how, needed, first) for file in files]
    return first, second, more[0] if more else None


def _named_alike(file: Path, how: dict[str, Any], needed: Collection[str], people: Annotations) -> Annotations:
    """The judges' table. Where no column looks like the item, one of the same name as in people's file is."""
    from raters.errors import NoColumn, NotInFile

    try:
        return table_of(file, how, set(), needed)
    except NoColumn as error:
        name = people.columns.get("item")
        if how["item"] is not None or name is None or error.role != "item":
            raise
        try:
            found = table_of(file, {**how, "item": name}, set(), {*needed, "item"})
        except NotInFile:
            raise error from None
    return replace(found, notes=(*found.notes, f"items are named by column {name!r}, as in {people.source}"))


def table_of(
    file: Path, options: dict[str, Any], absent: set[str] | None = None, needed: Collection[str] = ()
) -> Annotations:
    """The table of a file; without a column of raters, all labels belong to one rater named after the file.

    ``absent``: collects the options for which this file has nothing, except the ``needed`` ones; None means that all are needed.
    """
    from raters.errors import NoColumn, NotInFile

    try:
        found = read_table(file, options)
    except NotInFile as error:
        if absent is None or error.option in needed:
            raise
        absent.add(error.option)
        return table_of(file, {**options, error.option: None}, absent, needed)
    except NoColumn as error:
        if options["rater"] is not None or error.role != "rater":
            raise
    else:
        column = (options["drift"] or "").partition("=")[0]
        if options["rater"] is not None or not column or found.columns.get("rater") != column:
            return found
        # the column of versions looked like a column of raters
        options = {**options, "item": found.columns["item"], "label": found.columns["label"]}
    from raters.io.read import with_rater

    name = file.name.split(".")[0]
    named: Any = with_rater(file, name, encoding=options["encoding"], format=options["input_format"])
    found = read_table(named, options)
    note = f"no column names the raters, so all labels are treated as those of one rater, named {name!r} after the file"
    columns = {role: column for role, column in found.columns.items() if role != "rater"}
    return replace(found, notes=(*found.notes, note), columns=columns)


def versions(given: str | None) -> str | dict[str, list[str]] | None:
    """``COLUMN`` or ``COLUMN=BEFORE,AFTER``."""
    if given is None or "=" not in given:
        return given
    column, _, two = given.partition("=")
    return {column: [v.strip() for v in two.split(",")]}


def names_in(given: str | None) -> list[str] | None:
    """``A,B`` as names."""
    return [name.strip() for name in given.split(",")] if given else None


def scored(given: str | None) -> dict[str, float] | None:
    """``LABEL=NUMBER,LABEL=NUMBER`` as numbers by label."""
    if given is None:
        return None
    try:
        return {name.strip(): float(x) for name, _, x in (part.rpartition("=") for part in given.split(","))}
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is not LABEL=NUMBER,..., for example win=1,tie=0.5,loss=0.", param_hint="--score"
        ) from None
