"""What the commands share: options, reading, writing. Heavy modules are imported only where they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from raters.cli.inputs import hidden, source_of, tell_beside_csv, write_key
from raters.cli.terminal import for_terminal, inputs, spoken
from raters.cli.typed import one_question, sentences_as_typed

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate


class OneOf(click.Choice[str]):
    """The names in a registry, read only when needed, so that the help of other commands stays fast."""

    def __init__(self, names: Callable[[], Iterable[str]], settled: Callable[[str], str] = str) -> None:
        self._names, self._settled = names, settled
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._names())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself, or the name for which it is a synonym."""
        from raters.errors import UsageError

        try:
            return super().convert(self._settled(value), param, ctx)
        except UsageError as error:
            self.fail(str(error), param, ctx)


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


def _coefficients() -> Iterable[str]:
    from raters.coefficients import REGISTRY

    return REGISTRY


def coefficient_name(name: str) -> str:
    from raters.coefficients import coefficient

    return coefficient(name).name


def _irr() -> Iterable[str]:
    from raters.coefficients import REGISTRY

    return [name for name, row in REGISTRY.items() if row.irr]


def _weights() -> Iterable[str]:
    from raters.scales import SET_WEIGHTS, WEIGHTS

    return (*WEIGHTS, *SET_WEIGHTS)


def _distances() -> Iterable[str]:
    from raters.scales import DISTANCES, SET_DISTANCES

    return (*DISTANCES, *SET_DISTANCES)


def _scales() -> Iterable[str]:
    from raters.scales.scale import Scale

    return tuple(map(str, Scale))


def _duplicates() -> Iterable[str]:
    from raters.annotations import DUPLICATES

    return DUPLICATES


def _layouts() -> Iterable[str]:
    from raters.io.read import LAYOUTS

    return LAYOUTS


def _readers() -> Iterable[str]:
    from raters.io.sources.files import READERS

    return READERS


def _intervals() -> Iterable[str]:
    from raters.inference.intervals import METHODS

    return dict.fromkeys(("auto", *METHODS, "none"))


def _krr_methods() -> Iterable[str]:
    from raters.reliability.krr.methods import METHODS

    return METHODS


def _vote_ties() -> Iterable[str]:
    from raters.models.base.ties import ONE_ANSWER

    return ONE_ANSWER


def _single_forms() -> Iterable[str]:
    from raters.reliability.variance.icc import FORMS

    return [form.name for form in FORMS if not form.average]


def _samples() -> Iterable[str]:
    from raters.agree.agreement_spec import SAMPLES

    return SAMPLES


def _masi() -> Iterable[str]:
    from raters.scales.sets import MASI

    return MASI


def _aims() -> Iterable[str]:
    from raters.reliability.sets.multilabel import AIMS

    return AIMS


def _estimate_formats() -> Iterable[str]:
    from raters.reporting.tables import FORMATS

    return FORMATS


def _report_formats() -> Iterable[str]:
    from raters.reporting.formats import FORMATS

    return FORMATS


SCALE = OneOf(_scales)
SCALE_OF = ForQuestion(SCALE)
COEFFICIENT = OneOf(_coefficients, coefficient_name)
IRR = OneOf(_irr, coefficient_name)
WEIGHTS, DISTANCE = OneOf(_weights), OneOf(_distances)
LAYOUT, DUPLICATES = OneOf(_layouts), OneOf(_duplicates)
INPUT_FORMAT, OUTPUT_FORMAT = OneOf(_readers), OneOf(_estimate_formats)
REPORT_FORMAT = OneOf(_report_formats)
INTERVAL, SAMPLE = OneOf(_intervals), OneOf(_samples)
KRR_METHOD, VOTE_TIES, SINGLE_FORM = OneOf(_krr_methods), OneOf(_vote_ties), OneOf(_single_forms)
MASI, AIM = OneOf(_masi), OneOf(_aims)


F = TypeVar("F", bound=Callable[..., Any])


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


reading = _together(
    click.option("--item", metavar="COLUMN", help="Column of the items; identified by its name if omitted."),
    click.option(
        "--rater", metavar="COLUMN", help="Column of the raters; ann1,ann2 or ann1:ann4 if each rater has a column."
    ),
    click.option("--label", metavar="COLUMN", help="Column of the labels."),
    click.option(
        "--scale",
        type=SCALE_OF,
        multiple=True,
        metavar="[QUESTION=]SCALE",
        help=(
            "Measurement scale; inferred from the labels and reported on the first line if omitted. QUESTION=SCALE for"
            " one of several questions."
        ),
    ),
    click.option(
        "--labels",
        multiple=True,
        metavar="[QUESTION=]A,B,C",
        help="All labels in their order, separated by commas. QUESTION=A,B,C for one of several questions.",
    ),
    click.option(
        "--layout",
        type=LAYOUT,
        default="auto",
        show_default=True,
        help="Layout of the table; auto recognises it from the columns and reports it.",
    ),
    click.option(
        "--raters-as",
        type=click.Choice(["columns", "rows"]),
        default="columns",
        show_default=True,
        help="Layout wide: whether raters are the columns or the rows.",
    ),
    click.option("--period", type=float, help="Scale circular: the number of units in the circle, such as 24 or 360."),
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Label that marks a missing one (may be repeated).",
    ),
    click.option(
        "--duplicates",
        type=DUPLICATES,
        default="error",
        show_default=True,
        help="What to do when a rater labels an item twice.",
    ),
    click.option("--sep", metavar="TEXT", help="Sets of labels: the separator between the labels in a cell."),
    click.option(
        "--delimiter", metavar="CHARACTER", help="Text files: the separator between columns; detected if omitted."
    ),
    click.option("--header", type=click.IntRange(0, 2), help="Number of header rows; 0 for none; detected if omitted."),
    click.option("--multi", type=click.Choice(["rows"]), help="Sets of labels: each row holds one label of a set."),
    click.option("--ordered", is_flag=True, help="Sets of labels: primary labels come first."),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook, or table of a database file."),
    click.option("--input-format", type=INPUT_FORMAT, help="Format of FILE, if its name does not show it."),
    click.option(
        "--anonymize", is_flag=True, help="Replace raters' names by codes and write the key to a separate file."
    ),
    click.option(
        "--key",
        "key_file",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help=(
            "Key file of --anonymize, reused if it exists so that codes stay the same; by default NAME-key.csv next to"
            " -o NAME."
        ),
    ),
    click.option(
        "--least-raters",
        type=click.IntRange(min=1),
        default=5,
        show_default=True,
        metavar="N",
        help="With --anonymize: merge the values of a rater attribute that fewer than N raters share.",
    ),
    click.option(
        "--encoding",
        default="auto",
        show_default=True,
        help="Encoding of text files; auto: UTF-8, otherwise Windows-1252 or Latin-1, with a note.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="Engine that runs the SQL; spark reads Parquet, CSV and JSON lines that its cluster can access.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="With --engine spark: the master, such as local[2], spark://host:7077 or sc://host.",
    ),
    click.option("--memory", metavar="SIZE", help="Memory for the database, such as 500MB; the rest goes to disk."),
    click.option(
        "--question",
        metavar="NAME[,NAME]",
        help=(
            "Which question (variable) to read, if FILE has several: an export, or columns such as tone_Ann, tone_Ben,"
            " topic_Ann, topic_Ben."
        ),
    ),
    click.option(
        "--keep",
        metavar="REASONS",
        default="",
        help="Exports: rows to keep that are excluded by default, such as skipped,gold,predicted.",
    ),
)


def output_file(help_: str) -> Callable[[Any], Any]:
    """The option -o: where the output goes."""
    where = click.Path(dir_okay=False, path_type=Path)
    return click.option("-o", "--output", metavar="FILE", type=where, callback=_or_terminal, help=help_)


def _or_terminal(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """``-o -`` means the terminal, as in other programs, not a file of that name."""
    if value != Path("-"):
        return value
    ctx.meta["raters.terminal"] = True
    return None


writing = _together(
    click.option(
        "--format",
        "format_",
        type=OUTPUT_FORMAT,
        default="text",
        show_default=True,
    ),
    output_file("Write to FILE instead of the terminal."),
    click.option("--force", is_flag=True, help="Overwrite FILE if it exists."),
)
inference = _together(
    click.option(
        "--interval",
        type=INTERVAL,
        default="auto",
        show_default=True,
        help=(
            "Method for the interval; auto chooses one with good coverage in small studies, or delta for very large"
            " tables; none omits it."
        ),
    ),
    click.option("--level", type=float, default=0.95, show_default=True, help="Level of the interval."),
    click.option(
        "--resamples", type=int, default=2000, show_default=True, help="Number of replicates for the interval."
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
    ),
)


def read_table(file: Path | list[Path], options: dict[str, Any]) -> Annotations:
    """Read the file with the reading options."""
    import warnings

    from raters.errors import RatersWarning
    from raters.io.read import read

    scale, labels = given_for(options, "scale"), given_for(options, "labels")
    with warnings.catch_warnings(), one_question(file):
        warnings.simplefilter("ignore", RatersWarning)  # the summary says the same
        ann = read(
            source_of(file, options),
            item=options["item"],
            rater=options["rater"],
            label=options["label"],
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
            sep=options["sep"],
            multi=options["multi"],
            ordered=options["ordered"],
            question=options["question"],
            keep=options["keep"],
            memory=options["memory"],
        )
    refuse_unasked(options)
    ann = hidden(ann, options)
    tell_beside_csv(ann)
    return ann


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
    **extra: Any,
) -> None:
    """Render the table and write it; ``lines`` follow the table, ``extra`` joins the JSON."""
    from raters.reporting.tables import FORMATS

    put(FORMATS[format_](ann, table, lead, lines, **extra), output, force, format_=format_)


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
    refuse(output, force)
    write_key()
    write_whole(output, content.encode(errors="replace"), force, private)


def stop(message: str, code: int = 2) -> NoReturn:
    """Print one line and exit with a code."""
    from raters.words import printable

    if sys.stderr is not None:
        with suppress(OSError):  # standard error is closed; the exit code still reports it
            click.echo(f"raters: {sentences_as_typed(printable(message))}", err=True)
    sys.exit(code)


def _models() -> Iterable[str]:
    from raters.models.choosing.auto import AUTO
    from raters.models.families.registry import MODELS

    return dict.fromkeys((AUTO, *MODELS))


def _starts() -> Iterable[str]:
    from raters.models.fitting.em import STARTS

    return STARTS


def _ties() -> Iterable[str]:
    from raters.models.base.ties import TIES

    return TIES


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
MODEL, START, MODEL_TIES = OneOf(_models), OneOf(_starts), OneOf(_ties)


def numbers(model: str) -> bool:
    """Whether a model applies to numbers."""
    from raters.models.families.registry import MODELS

    return model in MODELS and MODELS[model].numbers
