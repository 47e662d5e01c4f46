"""Files with several questions: each question as a separate table, with the scale and the labels that were given for
it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.cli.inputs import FirstOfSeveral
from raters.cli.options import read_table, write
from raters.errors import RatersError

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate


def each_question(file: Path | list[Path], options: dict[str, Any]) -> Iterator[tuple[str, Annotations]]:
    """The tables of the requested questions (``--question A,B``, ``--label A,B``), or of all; "" is the name of a
    single one.
    """
    from raters.errors import UsageError
    from raters.io.table import SeveralQuestions

    if "," in (options["label"] or ""):
        yield from _each(file, options, "label", _names(options["label"]))
        return
    try:
        alone = read_table(file, options)
    except SeveralQuestions as several:
        found: Sequence[str] = list(several.questions)
    except UsageError:  # a list of questions, since no question has this name
        found = _names(options["question"] or "")
        if len(found) < 2:
            raise
    else:
        yield "", alone
        return
    yield from _each(file, options, "question", found)


def _names(given: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def _each(
    file: Path | list[Path], options: dict[str, Any], role: str, names: Sequence[str]
) -> Iterator[tuple[str, Annotations]]:
    from raters.errors import RatersError, UsageError

    for name in names:
        try:
            ann = read_table(file, {**options, role: name, "questions": names})
        except RatersError as error:
            general = [x for x in options["labels"] if "=" not in x]
            if not general:
                raise
            raise UsageError(
                f"--labels {general[0]} was given for every question, but not all have these labels: {name!r} does not."
                f" To use them for one question only: --labels {names[0]}={general[0]} (and --scale"
                f" {names[0]}=ordinal)."
            ) from error
        yield name, ann


def read_together(anns: Mapping[str, Annotations]) -> tuple[Any, list[str], dict[str, Any]]:
    """Several questions for the renderers: the tables as one, how all but the first were read, and what joins the
    JSON.
    """
    from raters.notes.note import of_question

    about = []
    for name, ann in list(anns.items())[1:]:
        with of_question(name):
            about += [f"{name}: {line}" for line in str(ann).splitlines()]
    summaries = {name: ann.summary() for name, ann in anns.items()}
    return FirstOfSeveral(list(anns.values()), list(anns)), about, {"questions": summaries}


View = tuple[Sequence["Estimate"], "Estimate | str | None", list[str]]
"""What a command says of one table: the rows, what the first sentence is about, and the lines after the rows."""


def write_views(
    anns: Mapping[str, Annotations],
    views: Mapping[str, View],
    format_: str,
    output: Path | None,
    force: bool,
    **extra: Any,
) -> None:
    """What is said of the only table, or of each question: its sentence first, then the rows of all, then the lines of
    each.
    """
    from raters.reporting.tables import sentence

    if len(views) == 1:
        ((rows, lead, lines),) = views.values()
        write(next(iter(anns.values())), rows, lead, format_, output, force, lines, **extra)
        return
    tables, about, facts = read_together(anns)
    head = f"{len(anns)} questions: {', '.join(anns)}. --question {shlex.quote(next(iter(anns)))} reads one of them."
    said = [f"{name}: {sentence(lead)}" for name, (_, lead, _) in views.items() if lead is not None]
    every = [replace(e, name=f"{name}: {e.name}") for name, (rows, _, _) in views.items() for e in rows]
    after = [x for name, (_, _, lines) in views.items() if lines for x in (f"{name}:", *lines, "")]
    write(tables, every, "\n".join([head, *said]), format_, output, force, [*after, *about], **facts, **extra)


@contextmanager
def about_question(name: str) -> Iterator[None]:
    """Where one of several questions cannot be answered, the error says which."""
    try:
        yield
    except RatersError as error:
        if name:
            error.args = (f"question {name!r}: {error} Other questions can be asked alone: --question NAME.",)
        raise
