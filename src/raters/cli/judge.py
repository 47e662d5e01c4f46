"""``raters judge``: may a model stand in for people, and what are its labels worth?"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.options import WEIGHTS, output_file, put, read_table, reading, refuse, stop
from raters.cli.progress import working
from raters.cli.xrr import Sources

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.judges.judge_result import JudgeReports

Limit = tuple[str, bool, float]
FORMATS = ("text", "json", "csv", "markdown", "latex", "junit")


@click.command()
@click.argument("people", type=click.Path(path_type=Path), metavar="PEOPLE")
@click.option(
    "--model",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Labels of the judges, if they are in a file of their own.",
)
@click.option("--judges", metavar="A,B", help="One file: the raters that are models.")
@click.option("--judges-from", metavar="COLUMN", help="One file: the column that says model or human.")
@click.option(
    "--epsilon",
    type=float,
    default=0.1,
    show_default=True,
    help="Margin of the alternative-annotator test: .2 experts, .15 skilled people, .1 a crowd.",
)
@click.option("--similarity", metavar="NAME", help="match, rmse, or a similarity of sets; by the scale if not given.")
@click.option("--weights", type=WEIGHTS, help="Agreement weights of the kappas of pairs.")
@click.option("--confidence", metavar="COLUMN", help="The judge's stated confidence; a column of that name is found.")
@click.option("--position", metavar="COLUMN", help="Preferences: the column of the system that was shown first.")
@click.option("--length", metavar="COLUMN", help="The length of what was judged, to look for a bias.")
@click.option("--own", metavar="COLUMN", help="The family of what was judged, to be compared with the judge's own.")
@click.option("--family", metavar="COLUMN", help="The column that names the family of a judge.")
@click.option(
    "--panel",
    type=click.IntRange(min=2),
    default=3,
    show_default=True,
    help="Size of the panels of judges that are searched.",
)
@click.option(
    "--estimate",
    type=click.Choice(["prevalence", "mean", "difference"]),
    help="What people would say of all items, from few human and many judge labels.",
)
@click.option(
    "--sample",
    type=click.Choice(["random", "other"]),
    help="With --estimate: the human-labelled items are a random subset, or another set.",
)
@click.option("--judge", "judge_name", metavar="NAME", help="With --estimate: which judge, where there are several.")
@click.option("--system", metavar="COLUMN", help="With --estimate difference: the column of the systems.")
@click.option("--strata", metavar="COLUMN", help="With --estimate mean: strata of the items.")
@click.option("--half-width", type=float, metavar="H", help="With --estimate: human labels for an interval of ±H.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="NAME[:low]=NUMBER",
    help="Exit with 1 if a judge's figure (or its lower limit) is below, or undefined: advantage:low=0.5.",
)
@click.option(
    "--interval",
    type=click.Choice(["auto", "bootstrap", "none"]),
    default="auto",
    show_default=True,
    help="Method for the intervals: the bootstrap over items; none: values alone.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--resamples", type=int, default=2000, show_default=True, help="Bootstrap samples.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
)
@reading
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@output_file("Write to FILE instead of the terminal.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def judge(
    people: Path,
    model: Path | None,
    format_: str,
    output: Path | None,
    force: bool,
    fail_under: tuple[str, ...],
    **options: Any,
) -> None:
    """May a model stand in for the people who labelled PEOPLE? A verdict with its conditions, and what it rests on.

    \b
    raters judge people.csv --model gpt.csv
    raters judge labels.csv --judges gpt-4o,llama --epsilon 0.15
    raters judge people.csv --model gpt.csv --estimate prevalence --sample random
    raters judge people.csv --model gpt.csv --fail-under advantage:low=0.5 --format junit -o judge.xml
    """
    limits = [limit(given) for given in fail_under]
    refuse(output, force)
    with working("reading"):
        first = table_of(people, options)
        second = (
            table_of(
                model, {**options, "duplicates": "keep" if options["duplicates"] == "error" else options["duplicates"]}
            )
            if model
            else None
        )
        if model is None and not (options["judges"] or options["judges_from"]):
            stop("say which raters are models: --model FILE, --judges NAME,NAME, or --judges-from COLUMN.")
    if options["estimate"]:
        _estimate(first, second, format_, output, force, options)
        return
    with working("comparing judges with people"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes say the same
        from raters.judges.judging import judge as measure

        result = measure(
            first, second, judges=options["judges"].split(",") if options["judges"] else None, judges_from=options["judges_from"],
            epsilon=options["epsilon"], similarity=options["similarity"], weights=options["weights"], confidence=options["confidence"],
            family=options["family"], position=options["position"], length=options["length"], own=options["own"], panel=options["panel"], interval=options["interval"] if options["resamples"] and options["interval"] != "none" else None, level=options["level"],
            resamples=options["resamples"] or 2, seed=options["seed"],
        )  # fmt: skip
    from raters.reporting.judge_formats import judged

    missed = checks(result, limits)
    put(judged(result, Sources([t for t in (first, second) if t is not None]), format_, missed), output, force)
    failed = [said for _, _, passed, said in missed if not passed]
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        stop(f"{failed[0]}{more}", 1)


def table_of(file: Path, options: dict[str, Any]) -> Annotations:
    """The table of a file; where it has no column of raters, they are one, called as the file."""
    from raters.errors import UsageError

    try:
        return read_table(file, options)
    except UsageError as error:
        if options["rater"] is not None or "looks like the rater" not in str(error):
            raise
    from raters.io.one_rater import with_rater

    named: Any = with_rater(file, file.name.split(".")[0], encoding=options["encoding"], format=options["input_format"])
    return read_table(named, options)


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
    """(judge, figure, passed, in words) of every limit and every judge; an undefined figure does not pass."""
    found = []
    for name, low, number in limits:
        for r in result:
            e = next((e for e in r.figures if e.name == name), None)
            if e is None:
                if name in ("winning_rate", "advantage"):  # no test was possible, which is no pass
                    found.append(
                        (
                            r.judge,
                            name,
                            False,
                            f"{r.judge}: {name} is undefined, as there is no alternative-annotator test",
                        )
                    )
                    continue
                stop(
                    f"--fail-under {name}: there is no such figure. Use one of {', '.join(e.name for e in r.figures)}."
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
    from raters.judges.calibrating import calibrate
    from raters.judges.people_and_judges import split
    from raters.reporting.judge_formats import calibrated

    if second is None:
        names = options["judges"].split(",") if options["judges"] else None
        first, second = split(first, names, options["judges_from"])
    with working("calibrating"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = calibrate(
            first, second, sample=options["sample"], estimate=options["estimate"], judge=options["judge_name"], system=options["system"],
            strata=options["strata"], interval=None if options["interval"] == "none" else "auto", level=options["level"], seed=options["seed"],
        )  # fmt: skip
    if format_ == "junit":
        stop("--format junit shows checks; leave --estimate out, or choose another format.")
    put(calibrated(found, Sources([first, second]), format_, options["half_width"]), output, force)
