"""Files with several questions: each question as a separate table, with the scale and the labels that were given for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.cli.options import read_table

if TYPE_CHECKING:
    from raters.annotations import Annotations


def each_question(file: Path | list[Path], options: dict[str, Any]) -> Iterator[tuple[str, Annotations]]:
    """The tables of the requested questions (``--question A,B``, ``--label A,B``), or of all; "" is the name of a single one."""
    from raters.errors import UsageError
    from raters.io.questions import SeveralQuestions

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
                f"--labels {general[0]} was given for every question, but not all have these labels: {name!r} does not. "
                f"To use them for one question only: --labels {names[0]}={general[0]} (and --scale {names[0]}=ordinal)."
            ) from error
        yield name, ann
