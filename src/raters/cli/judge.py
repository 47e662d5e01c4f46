"""``raters judge``: whether a model can stand in for people, and calibrated estimates from its labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli import of_spans
from raters.cli.command import command, declared, option
from raters.cli.of_spans import or_spans
from raters.cli.options import amount, how_much, output_file, put, read_table, reading, refuse, stop
from raters.cli.terminal import working
from raters.cli.xrr import Sources
from raters.options.declared import Weighing
from raters.options.option import rows

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.judges.judge import JudgeReports


def tables_of(
    people: Path, models: tuple[Path, ...], options: dict[str, Any]
) -> tuple[Annotations, Annotations | None]:
    """People's labels and the judges'. A column or a question that only one of the files has applies to that file."""
    if not models and not (options["judges"] or options["judges_from"]):
        stop("say which raters are models: --model FILE, --judges NAME,NAME, or --judges-from COLUMN.")
    absent: set[str] = set()
    first = table_of(people, options, absent if models else None)
    runs = "keep" if options["duplicates"] == "error" else options["duplicates"]
    named = {role: options[f"model_{role}"] for role in ("item", "rater", "label") if options[f"model_{role}"]}
    if not models:
        if named:
            stop(
                f"--model-{next(iter(named))} names a column of the judges' file; use it with --model, or use"
                f" --{next(iter(named))}."
            )
        return first, None
    # models are not people: their names stay
    how = {**options, **named, "duplicates": runs, "anonymize": False}
    # what people's file lacks must be in this one
    judges = [_named_alike(file, how, absent | named.keys(), first) for file in models]
    if len(judges) == 1:
        return first, judges[0]
    from raters.judges.people_and_judges import joined

    return first, joined(judges, called=[options["model_rater"] is not None or "rater" in x.columns for x in judges])


def _named_alike(file: Path, how: dict[str, Any], needed: Collection[str], people: Annotations) -> Annotations:
    """The judges' table. Where no column looks like the item, one of the same name as in people's file is."""
    from raters.errors import NoColumn, NotInFile
    from raters.notes.note import Note

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
    return replace(
        found, notes=(*found.notes, Note("items_named_elsewhere", {"column": name, "source": people.source}))
    )


def table_of(
    file: Path, options: dict[str, Any], absent: set[str] | None = None, needed: Collection[str] = ()
) -> Annotations:
    """The table of a file; without a column of raters, all labels belong to one rater named after the file.

    ``absent``: collects the options for which this file has nothing, except the ``needed`` ones; None means that all
    are needed.
    """
    from raters.errors import NoColumn, NotInFile
    from raters.notes.note import Note

    try:
        return read_table(file, options)
    except NotInFile as error:
        if absent is None or error.option in needed:
            raise
        absent.add(error.option)
        return table_of(file, {**options, error.option: None}, absent, needed)
    except NoColumn as error:
        if options["rater"] is not None or error.role != "rater":
            raise
    from raters.io.read import with_rater

    name = file.name.split(".")[0]
    named: Any = with_rater(file, name, encoding=options["encoding"], format=options["input_format"])
    found = read_table(named, options)
    note = Note("one_rater_of_file", {"rater": name})
    columns = {role: column for role, column in found.columns.items() if role != "rater"}
    return replace(found, notes=(*found.notes, note), columns=columns)


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


Limit = tuple[str, bool, float]
FORMATS = ("text", "json", "csv", "markdown", "latex", "junit")


@command()
@click.argument("people", type=click.Path(path_type=Path), metavar="PEOPLE")
@option(
    "--model",
    metavar="FILE",
    type=click.Path(path_type=Path),
    multiple=True,
    help="The judges' labels, if they are in a separate file; may be repeated.",
)
@option(
    "--model-item", metavar="COLUMN", help="The judges' file: the column of the items, if its name differs from --item."
)
@option("--model-rater", metavar="COLUMN", help="The judges' file: the column of the judges.")
@option("--model-label", metavar="COLUMN", help="The judges' file: the column of the labels.")
@option("--judges", metavar="A,B", help="If there is one file: the raters that are models.")
@option("--judges-from", metavar="COLUMN", help="If there is one file: the column that says model or human.")
@option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    help="How much worse than people a judge may be and still stand in for them (in kappa).",
)
@option(
    "--epsilon",
    type=float,
    default=0.1,
    show_default=True,
    help="Margin of the alternative-annotator test: .2 for experts, .15 for skilled people, .1 for a crowd.",
)
@option("--similarity", metavar="NAME", help="match, rmse or a similarity of sets; follows the scale if omitted.")
@declared(rows(Weighing)["weights"])
@option(
    "--confidence",
    metavar="COLUMN",
    help="Column of the judge's stated confidence; a column named confidence is used if omitted.",
)
@option(
    "--position", metavar="COLUMN", help="Preferences: column of the system shown first, to test for a position bias."
)
@option("--second", metavar="COLUMN", help="Preferences: column of the system shown second.")
@option("--length", metavar="COLUMN", help="Column of the length of the judged text, to test for a length bias.")
@option(
    "--own", metavar="COLUMN", help="Column of the family of the judged text, to test whether judges favour their own."
)
@option("--family", metavar="COLUMN", help="Column that names the family of each judge.")
@option(
    "--estimate",
    type=click.Choice(["prevalence", "mean", "difference"]),
    help="Estimate what people would say about all items, from a few human and many judge labels.",
)
@option(
    "--sample",
    type=click.Choice(["random", "other"]),
    help="With --estimate: whether the human-labelled items are a random subset or another set.",
)
@option("--judge", "judge_name", metavar="NAME", help="With --estimate: which judge to use, if there are several.")
@option("--system", metavar="COLUMN", help="With --estimate difference: the column that names the systems.")
@option("--strata", metavar="COLUMN", help="With --estimate: the column of strata of the items.")
@option(
    "--half-width",
    type=float,
    metavar="H",
    help="With --estimate: also print how many human labels an interval of ±H needs.",
)
@option("--item-weights", metavar="COLUMN", help="With --estimate: the number of items that each item represents.")
@option(
    "--score",
    metavar="LABEL=NUMBER,...",
    help="With --estimate mean or difference: numbers for labels (win=1,tie=0.5,loss=0).",
)
@option(
    "--fail-under",
    multiple=True,
    metavar="NAME[:low]=NUMBER",
    help=(
        "Exit with code 1 if a judge's figure (or its lower limit) is below NUMBER or undefined, as in"
        " advantage:low=0.5."
    ),
)
@option(
    "--interval",
    type=click.Choice(["auto", "bootstrap", "bca", "delta", "jackknife", "none"]),
    default="auto",
    show_default=True,
    help="Method for the intervals over items (auto: the bootstrap), or none for only the values.",
)
@option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@option("--resamples", type=int, default=2000, show_default=True, help="Bootstrap samples.")
@option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
)
@reading
@option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@amount
@output_file("Write to FILE instead of the terminal.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@or_spans(of_spans.judge)
def judge(
    people: Path,
    model: tuple[Path, ...],
    format_: str,
    output: Path | None,
    force: bool,
    fail_under: tuple[str, ...],
    **options: Any,
) -> None:
    """Report whether a model may stand in for the people who labelled PEOPLE, under which conditions, and on what
    evidence.

    \b
    raters judge people.csv --model gpt.csv
    raters judge labels.csv --judges gpt-4o,llama --epsilon 0.15
    raters judge people.csv --model gpt.csv --estimate prevalence --sample random
    raters judge people.csv --model gpt.csv --fail-under advantage:low=0.5
    """
    limits = [limit(given) for given in fail_under]
    refuse(output, force)
    with working("reading"):
        first, second = tables_of(people, model, options)
    if options["estimate"]:
        _estimate(first, second, format_, output, force, options)
        return
    with working("comparing judges with people"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes say the same
        from raters.judges.judge import judge as measure

        result = measure(
            first,
            second,
            judges=names_in(options["judges"]),
            judges_from=options["judges_from"],
            margin=options["margin"],
            epsilon=options["epsilon"],
            similarity=options["similarity"],
            weights=options["weights"],
            confidence=options["confidence"],
            family=options["family"],
            position=options["position"],
            second=options["second"],
            length=options["length"],
            own=options["own"],
            interval=options["interval"] if options["resamples"] and options["interval"] != "none" else None,
            level=options["level"],
            resamples=options["resamples"] or 2,
            seed=options["seed"],
        )
    from raters.reporting.tables import judged

    missed = checks(result, limits)
    put(
        judged(result, Sources([t for t in (first, second) if t is not None]), format_, missed, how_much()),
        output,
        force,
    )
    failed = [said for _, _, passed, said in missed if not passed]
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        stop(f"{failed[0]}{more}", 1)


def limit(given: str) -> Limit:
    """``NAME[:low]=NUMBER`` as (name, lower limit?, number)."""
    name, _, number = given.rpartition("=")
    name, _, end = name.partition(":")
    try:
        if not name or end not in ("", "low") or math.isnan(float(number)):
            raise ValueError
        return name.replace("-", "_"), end == "low", float(number)
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is not NAME[:low]=NUMBER, for example advantage:low=0.5.", param_hint="--fail-under"
        ) from None


def checks(result: JudgeReports, limits: list[Limit]) -> list[tuple[str, str, bool, str]]:
    """(judge, figure, passed, message) for every limit and judge; an undefined figure does not pass."""
    found = []
    for name, low, number in limits:
        for r in result:
            e = next((e for e in r.figures if e.name == name), None)
            if e is None:
                if name in ("winning_rate", "advantage"):  # no test was possible, so the check does not pass
                    found.append(
                        (
                            r.judge,
                            name,
                            False,
                            f"{r.judge}: {name} is undefined, because the alternative-annotator test could not be run",
                        )
                    )
                    continue
                stop(
                    f"--fail-under {name}: there is no figure of that name. Use one of"
                    f" {', '.join(e.name for e in r.figures)}."
                )
            figure = e.low if low else e.value
            what = f"the lower limit of {name}" if low else name
            shown = "undefined" if math.isnan(figure) else f"{figure:.4f}"
            passed = figure >= number
            found.append(
                (
                    r.judge,
                    f"{name}{':low' if low else ''} >= {number:g}",
                    passed,
                    f"{r.judge}: {what} is {shown}, {'not ' if passed else ''}below {number:g}",
                )
            )
    return found


def _estimate(
    first: Annotations,
    second: Annotations | None,
    format_: str,
    output: Path | None,
    force: bool,
    options: dict[str, Any],
) -> None:
    from raters.judges.calibrate import calibrate
    from raters.judges.people_and_judges import split
    from raters.reporting.tables import calibrated

    if second is None:
        names = names_in(options["judges"])
        first, second = split(first, names, options["judges_from"])
    with working("calibrating"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = calibrate(
            first,
            second,
            sample=options["sample"],
            estimate=options["estimate"],
            judge=options["judge_name"],
            system=options["system"],
            strata=options["strata"],
            item_weights=options["item_weights"],
            score=scored(options["score"]),
            interval=None if options["interval"] == "none" else "auto",
            level=options["level"],
            seed=options["seed"],
        )
    if format_ == "junit":
        stop("--format junit reports checks and does not apply to --estimate; choose another format.")
    put(calibrated(found, Sources([first, second]), format_, options["half_width"], how_much()), output, force)
