"""What the commands share: options, reading, writing. Heavy modules are imported only where they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from raters.cli.command import OneOf, option, taken, words_of
from raters.cli.inputs import hidden, source_of, tell_beside_csv, write_key
from raters.cli.terminal import for_terminal, inputs, spoken
from raters.cli.typed import as_typed, one_question, options_of, sentences_as_typed
from raters.options.declared import CoefficientName, Inference
from raters.options.option import row_of

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate
    from raters.reporting.answer import Answer, Shown


class ForQuestion(click.ParamType[str]):
    """A value for all questions, or ``QUESTION=VALUE`` for one; the value is checked by another type."""

    name = "choice"

    def __init__(self, of: click.Choice[str]) -> None:
        self.of = of

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        question, equals, alone = str(value).rpartition("=")
        return f"{question}{equals}{self.of.convert(alone, param, ctx)}"


def given_for(options: dict[str, Any], name: str) -> str | None:
    """The value of ``--scale`` or ``--labels`` for the question being read: its own, or the one for all questions."""
    from raters.errors import UsageError

    given: Any = options[name]
    if isinstance(given, str):  # set by another command
        return given
    values: tuple[str, ...] = given or ()
    asked = [q for q in (options.get("question"), options.get("label")) if q]
    known = {q.casefold() for q in (*options.get("questions", ()), *asked)}
    general, own = [], []
    for value in values:
        question, equals, rest = value.partition("=")
        if not equals or (not known and name == "labels"):
            general.append(value)
        elif question.strip().casefold() in {q.casefold() for q in asked}:
            own.append(rest)
        elif known and question.strip().casefold() not in known:
            there = ", ".join(options.get("questions", asked))
            raise UsageError(f"--{name} {value}: there is no question {question.strip()!r}; there is {there}.")
    chosen = own or general
    if len(chosen) > 1:
        raise UsageError(
            f"--{name} was given {len(chosen)} times: {', '.join(chosen)}. Pass it once, or as --{name} QUESTION=..."
            " for each question."
        )
    return chosen[0] if chosen else None


def refuse_unasked(options: dict[str, Any]) -> None:
    """Refuse a scale for a question if the table has no questions."""
    from raters.errors import UsageError

    named = [x for x in options["scale"] or () if "=" in x]
    if named and not (options.get("question") or options.get("label")):
        alone = named[0].rpartition("=")[2]
        raise UsageError(f"--scale {named[0]} names a question, but this file has only one: use --scale {alone}.")


SCALE = OneOf("raters.scales.scale:Scale")
SCALE_OF = ForQuestion(SCALE)
COEFFICIENT = words_of(row_of("coefficient", CoefficientName))
LAYOUT, DUPLICATES = OneOf("raters.io.read:LAYOUTS"), OneOf("raters.annotations:DUPLICATES")
INPUT_FORMAT = OneOf("raters.io.sources.files:READERS")
OUTPUT_FORMAT, REPORT_FORMAT = OneOf("raters.reporting.tables:FORMATS"), OneOf("raters.reporting.formats:FORMATS")


F = TypeVar("F", bound=Callable[..., Any])


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for one in reversed(options):
            function = one(function)
        return function

    return apply


_of_reading = partial(option, topic="reading")
reading = _together(
    _of_reading("--item", metavar="COLUMN", help="Column of the items; identified by its name if omitted."),
    _of_reading(
        "--rater", metavar="COLUMN", help="Column of the raters; ann1,ann2 or ann1:ann4 if each rater has a column."
    ),
    _of_reading("--label", metavar="COLUMN", help="Column of the labels."),
    _of_reading(
        "--columns",
        metavar="PATTERN",
        help="How columns of several variables are called: '{variable}_{rater}', '{rater} {variable}'.",
    ),
    _of_reading("--yes", is_flag=True, help="Take the likely reading of FILE without asking."),
    _of_reading(
        "--scale",
        type=SCALE_OF,
        multiple=True,
        metavar="[QUESTION=]SCALE",
        help=(
            "Measurement scale; inferred from the labels and reported on the first line if omitted. QUESTION=SCALE for"
            " one of several questions."
        ),
    ),
    _of_reading(
        "--labels",
        multiple=True,
        metavar="[QUESTION=]A,B,C",
        help="All labels in their order, separated by commas. QUESTION=A,B,C for one of several questions.",
    ),
    _of_reading(
        "--layout",
        type=LAYOUT,
        default="auto",
        show_default=True,
        help="Layout of the table; auto recognises it from the columns and reports it.",
    ),
    _of_reading(
        "--raters-as",
        type=click.Choice(["columns", "rows"]),
        default="columns",
        show_default=True,
        help="Layout wide: whether raters are the columns or the rows.",
    ),
    _of_reading("--period", type=float, help="Scale circular: the number of units in the circle, such as 24 or 360."),
    _of_reading(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Label that marks a missing one (may be repeated).",
    ),
    _of_reading(
        "--duplicates",
        type=DUPLICATES,
        default="error",
        show_default=True,
        help="What to do when a rater labels an item twice.",
    ),
    _of_reading("--sep", metavar="TEXT", help="Sets of labels: the separator between the labels in a cell."),
    _of_reading(
        "--delimiter", metavar="CHARACTER", help="Text files: the separator between columns; detected if omitted."
    ),
    _of_reading("--header", type=click.IntRange(0, 2), help="Number of header rows; 0 for none; detected if omitted."),
    _of_reading(
        "--skip", type=click.IntRange(0, 100), default=0, metavar="N", help="Rows above the header to leave out."
    ),
    _of_reading("--multi", type=click.Choice(["rows"]), help="Sets of labels: each row holds one label of a set."),
    _of_reading("--ordered", is_flag=True, help="Sets of labels: primary labels come first."),
    _of_reading("--sheet", metavar="NAME", help="Sheet of a workbook, or table of a database file."),
    _of_reading("--input-format", type=INPUT_FORMAT, help="Format of FILE, if its name does not show it."),
    _of_reading(
        "--anonymize", is_flag=True, help="Replace raters' names by codes and write the key to a separate file."
    ),
    _of_reading(
        "--key",
        "key_file",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help=(
            "Key file of --anonymize, reused if it exists so that codes stay the same; by default NAME-key.csv next to"
            " -o NAME."
        ),
    ),
    _of_reading(
        "--least-raters",
        type=click.IntRange(min=1),
        default=5,
        show_default=True,
        metavar="N",
        help="With --anonymize: merge the values of a rater attribute that fewer than N raters share.",
    ),
    _of_reading(
        "--encoding",
        default="auto",
        show_default=True,
        help="Encoding of text files; auto: UTF-8, otherwise Windows-1252 or Latin-1, with a note.",
    ),
    _of_reading(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="Engine that runs the SQL; spark reads Parquet, CSV and JSON lines that its cluster can access.",
    ),
    _of_reading(
        "--master",
        metavar="URL",
        help="With --engine spark: the master, such as local[2], spark://host:7077 or sc://host.",
    ),
    _of_reading("--memory", metavar="SIZE", help="Memory for the database, such as 500MB; the rest goes to disk."),
    _of_reading(
        "--question",
        metavar="NAME[,NAME]",
        help=(
            "Which question (variable) to read, if FILE has several: an export, or columns such as tone_Ann, tone_Ben,"
            " topic_Ann, topic_Ben."
        ),
    ),
    _of_reading("--document", metavar="COLUMN[,COLUMN]", rare=True, help="Spans: column of the documents."),
    _of_reading("--unit-start", metavar="COLUMN", rare=True, help="Spans: column where units start."),
    _of_reading("--unit-end", metavar="COLUMN", rare=True, help="Spans: column where units end."),
    _of_reading("--seen", metavar="FILE", rare=True, help="Spans: table of document and rater that says who saw what."),
    _of_reading(
        "--keep",
        metavar="REASONS",
        default="",
        help="Exports: rows to keep that are excluded by default, such as skipped,gold,predicted.",
    ),
)


def output_file(help_: str) -> Callable[[Any], Any]:
    """The option -o: where the output goes."""
    where = click.Path(dir_okay=False, path_type=Path)
    return option("-o", "--output", metavar="FILE", type=where, callback=_or_terminal, help=help_)


def _or_terminal(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """``-o -`` means the terminal, as in other programs, not a file of that name."""
    if value != Path("-"):
        return value
    ctx.meta["raters.terminal"] = True
    return None


JUNIT = "junit"
"""The format of checks; not of tables."""
amount = _together(
    option("--all", "all_", is_flag=True, help="Show every figure, with four digits."),
    option("--details", is_flag=True, help="Show how the figures were computed."),
)
"""How much a text says."""


def _writing(formats: OneOf) -> Callable[[F], F]:
    return _together(
        option("--format", "format_", type=formats, default="text", show_default=True),
        output_file("Write to FILE instead of the terminal."),
        amount,
        option("--force", is_flag=True, help="Overwrite FILE if it exists."),
    )


writing = _writing(OUTPUT_FORMAT)
writing_checks = _writing(OneOf("raters.reporting.tables:FORMATS", JUNIT))
inference = taken(Inference)


NAMED = ("item", "rater", "label", "columns")
"""The options that say which columns are meant."""


def read_before(file: Path | list[Path], options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The table of a file if it was decided in this command how to read it, or its path; and the columns to name."""
    context = click.get_current_context(silent=True)
    table = context.meta.get(_place(file, options)) if context is not None else None
    named = {name: options.get(name) for name in NAMED}
    return (table, {}) if table is not None else (source_of(file, options), named)


def kept(file: Path | list[Path], options: dict[str, Any], table: Any) -> None:
    """Remember, until the command ends, how a file is read: each question of it is read on its own."""
    context = click.get_current_context(silent=True)
    if context is not None and table is not None:
        context.meta[_place(file, options)] = table


def _place(file: Path | list[Path], options: dict[str, Any]) -> str:
    files = file if isinstance(file, list) else [file]
    return repr(
        (
            "raters.read",
            *map(str, files),
            *(options.get(name) for name in (*NAMED, "sheet", "header", "skip", "layout")),
        )
    )


def read_table(file: Path | list[Path], options: dict[str, Any]) -> Annotations:
    """Read the file with the reading options."""
    import warnings

    from raters.cli.asking import settled
    from raters.errors import RatersWarning, raters_hidden
    from raters.io.any_table import SpansGiven
    from raters.io.read import read
    from raters.io.readings.reading import InDoubt
    from raters.io.table import SeveralQuestions
    from raters.spans.units import Spans

    scale, labels = given_for(options, "scale"), given_for(options, "labels")
    source, named = read_before(file, options)

    def again(source: Any, named: dict[str, Any]) -> Annotations:
        return read(
            source,
            **named,
            scale=scale,
            labels=[x.strip() for x in labels.split(",")] if labels else None,
            layout=options["layout"],
            missing=options["missing"],
            duplicates=options["duplicates"],
            encoding=options["encoding"],
            raters=options["raters_as"],
            period=options["period"],
            format=options["input_format"],
            sheet=options["sheet"],
            delimiter=options["delimiter"],
            header=options["header"],
            skip=options["skip"],
            sep=options["sep"],
            multi=options["multi"],
            ordered=options["ordered"],
            question=options["question"],
            keep=options["keep"],
            memory=options["memory"],
            document=options["document"],
            start=options["unit_start"],
            end=options["unit_end"],
            seen=options["seen"],
        )

    with warnings.catch_warnings(), one_question(file), raters_hidden(bool(options.get("anonymize"))):
        warnings.simplefilter("ignore", RatersWarning)  # the summary says the same
        try:
            ann = again(source, named)
        except InDoubt as doubt:
            context = click.get_current_context(silent=True)
            table = settled(doubt, bool(options.get("yes")), context.params.get("format_") if context else None)
            kept(file, options, table)
            ann = again(table, {})
        except SeveralQuestions as several:
            kept(file, options, several.table)
            raise
    if isinstance(ann, Spans):
        found = hidden(ann, options)
        if not options.get("takes_spans"):
            raise SpansGiven(found)
        return found
    refuse_unasked(options)
    ann = asked_of(hidden(ann, options), options)
    asked = options.get("questions")
    tell_beside_csv(
        ann, next((options[role] for role in ("question", "label") if options[role] in asked), "") if asked else ""
    )
    return ann


def asked_of(ann: Annotations, options: dict[str, Any]) -> Annotations:
    """The table with the other columns that an option names (``--by topic``) among those that are used."""
    context = click.get_current_context(silent=True)
    roles = [p.name for p in context.command.params if p.metavar == "COLUMN" and p.name] if context else []
    used = {role: options[role] for role in roles if options.get(role) in ann.extras}
    return replace(ann, columns={**ann.columns, **used}) if used else ann


def refuse(output: Path | None, force: bool) -> None:
    """Stop before any work if the file cannot be written: it exists, is not a regular file, or is one of the inputs."""
    from raters.errors import UsageError
    from raters.writing import refuse_existing

    try:
        if output is not None:
            refuse_existing(output, force, inputs())
    except UsageError as error:
        stop(str(error))


def write(
    ann: Annotations,
    table: Sequence[Estimate],
    lead: Estimate | str | None,
    format_: str,
    output: Path | None,
    force: bool,
    lines: Sequence[str] = (),
    *,
    answer: Answer | None = None,
    **extra: Any,
) -> None:
    """Render the table and write it; ``lines`` follow the table, ``extra`` joins the JSON, ``answer`` is the text of a
    command that makes its own.
    """
    put(rendered(ann, table, lead, format_, lines, answer=answer, **extra), output, force)


def rendered(
    ann: Any,
    table: Sequence[Estimate],
    lead: Estimate | str | None,
    format_: str,
    lines: Sequence[str] = (),
    *,
    answer: Answer | None = None,
    **extra: Any,
) -> str:
    """The same as a string."""
    from raters.reporting.tables import FORMATS

    if format_ != "text":
        return FORMATS[format_](ann, table, lead, lines, **extra)
    return FORMATS[format_](ann, table, lead, lines, answer=answer, shown=how_much())


def how_much() -> Shown:
    """How much of an answer was asked for: ``--all``, ``--details``."""
    from raters.reporting.answer import Shown

    context = click.get_current_context(silent=True)
    if context is None:
        return Shown()
    given = context.params
    typed = partial(as_typed, options=options_of(context.command))
    return Shown(bool(given.get("all_")), bool(given.get("details")), typed)


OFFICE = {".doc", ".docx", ".odt", ".ods", ".pdf", ".pptx", ".xls", ".xlsx"}
"""Endings of files that are not text."""


def put(content: str, output: Path | None, force: bool, private: bool = False, *, format_: str = "") -> None:
    """Write to the terminal, with text wrapped, or to a file atomically."""
    from raters.writing import write_whole

    content = sentences_as_typed(content) if format_ == "text" else content
    if output is None:
        if sys.stdout is None:
            stop("standard output is closed, so there is nowhere to write. Use -o FILE.")
        write_key()
        spoken(for_terminal(content, format_))
        return
    if output.suffix.lower() in OFFICE:
        stop(f"{output.name}: this command writes no {output.suffix.lower()} file; use .csv, .html, .md or .tex.")
    refuse(output, force)
    write_key()
    write_whole(output, content.encode(errors="replace"), force, private)


def stop(message: str, code: int = 2) -> NoReturn:
    """Print one line and exit with a code."""
    from raters.words import printable

    if sys.stderr is not None:
        with suppress(OSError):  # standard error is closed; the exit code still reports it
            lines = [sentences_as_typed(printable(line)) for line in message.split("\n")]
            click.echo("raters: " + "\n".join(lines), err=True)
    sys.exit(code)


class Tempering(click.ParamType[float | str]):
    """``held_out``, or the weight of a label."""

    name = "tempering"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """A number where it is one; the library refuses everything else that it does not know."""
        try:
            return float(value)
        except ValueError:
            return str(value)


TEMPERING = Tempering()
PREVALENCE = click.Choice(["learned", "uniform"])
MODEL = OneOf("auto", "raters.models.families.registry:MODELS")
START, MODEL_TIES = OneOf("raters.models.fitting.em:STARTS"), OneOf("raters.models.base.ties:TIES")


def numbers(model: str) -> bool:
    """Whether a model applies to numbers."""
    from raters.models.families.registry import MODELS

    return model in MODELS and MODELS[model].numbers
