"""Files with several questions: each question as a separate table, with the scale and the labels that were given for
it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class View:
    """What a command says of one table."""

    rows: Sequence[Estimate]
    lead: Estimate | str | None
    """What the first sentence is about, or that sentence."""
    lines: Sequence[str] = ()
    """What follows the table."""
    details: Sequence[str] = ()
    """What a text shows with ``--details``."""
    more: Sequence[str] = ()
    """Options that a text names."""


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
    from raters.reporting.table_answer import DEFAULT_MORE, sentence, table_answer

    more = dict.fromkeys(option for view in views.values() for option in view.more)
    details = [line for view in views.values() for line in view.details]

    def shown(ann: Any, rows: Sequence[Estimate], lead: Any, lines: Sequence[str]) -> None:
        found = None
        if format_ == "text":
            found = table_answer(ann, rows, lead, lines, more=(*more, *DEFAULT_MORE))
            found = replace(found, details=(*found.details, *details))
        after = lines if format_ == "text" else [*details, *lines]
        write(ann, rows, lead, format_, output, force, after, answer=found, **extra)

    if len(views) == 1:
        (view,) = views.values()
        shown(next(iter(anns.values())), view.rows, view.lead, view.lines)
        return
    tables, _, facts = read_together(anns)
    head = f"{len(anns)} questions: {', '.join(anns)}. --question {shlex.quote(next(iter(anns)))} reads one of them."
    said = [f"{name}: {sentence(view.lead)}" for name, view in views.items() if view.lead is not None]
    every = [replace(e, name=f"{name}: {e.name}") for name, view in views.items() for e in view.rows]
    after = [x for name, view in views.items() if view.lines for x in (f"{name}:", *view.lines, "")]
    extra = {**facts, **extra}
    shown(tables, every, "\n".join([head, *said]), after)


@contextmanager
def about_question(name: str) -> Iterator[None]:
    """Where one of several questions cannot be answered, the error says which."""
    try:
        yield
    except RatersError as error:
        if name:
            error.args = (f"question {name!r}: {error} Other questions can be asked alone: --question NAME.",)
        raise
