"""``raters plan``: how many labels and items to collect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.inputs import need_file, optional_source
from raters.cli.krr import Published, numbers
from raters.cli.options import COEFFICIENT, INTERVAL, VOTE_TIES, reading, refuse, writing
from raters.cli.questions import View, about_question, each_question, write_views
from raters.cli.terminal import working


@click.command()
@optional_source
@click.option(
    "--target", type=float, default=0.8, show_default=True, help="Reliability that the aggregate should reach."
)
@click.option(
    "--irr", metavar="X[,LOW,HIGH]", help="Without FILE: the reliability of single ratings as a paper states it."
)
@click.option("--aggregate", metavar="NAME", help="mean, median or majority; the default follows the scale.")
@click.option(
    "-c", "--coefficient", type=COEFFICIENT, help="Coefficient of agreement; Krippendorff's alpha if omitted."
)
@click.option("--ties", type=VOTE_TIES, default="random", show_default=True, help="The answer of a tied vote.")
@click.option("--width", type=float, default=0.1, show_default=True, help="Desired width of the interval of agreement.")
@click.option(
    "--tell", metavar="A,B", help="Two values of the coefficient to distinguish; the target and .1 below it if omitted."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Power with which to distinguish them.")
@click.option("--budget", type=float, help="Budget for labels and items.")
@click.option("--cost", type=float, default=1.0, show_default=True, help="Cost of a label.")
@click.option(
    "--item-cost", type=float, default=0.0, show_default=True, help="Cost of an item, not counting its labels."
)
@click.option(
    "--settled",
    "--certainty",
    "settled",
    type=float,
    help=(
        "Also estimate the labels per item until 95 % of items are settled to this degree under dawid_skene (before:"
        " --certainty)."
    ),
)
@click.option(
    "--interval",
    type=INTERVAL,
    default="auto",
    show_default=True,
    help="Method for the intervals; none gives only the values.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--resamples", type=int, default=1000, show_default=True, help="Bootstrap samples.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
)
@reading
@writing
def plan(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Plan how many labels per item and how many items to collect, from a pilot in FILE.

    \b
    raters plan pilot.csv --target 0.8
    raters plan pilot.csv --target 0.8 --budget 5000 --cost 0.08 --item-cost 0.2
    raters plan pilot.csv --width 0.05 --tell 0.6,0.7 --power 0.9
    raters plan pilot.csv --settled 0.99
    raters plan --irr 0.4 --target 0.8
    """
    from raters.reliability.planning.plan import plan as answer

    refuse(output, force)
    tell = _two(options.pop("tell"))
    if options["irr"] is not None:
        figure = numbers(options["irr"], "--irr", (1, 3))
        if file != []:
            raise click.UsageError("pass FILE or --irr, not both: --irr is for a published figure without its data.")
        irr: Any = figure[0] if len(figure) == 1 else tuple(figure)
        about: Any = Published(f"a published reliability of single ratings of {options['irr']}")
        published = answer(irr=irr, target=options["target"], level=options["level"])
        _show({"": about}, {"": published}, format_, output, force)
        return
    need_file(file, "a published figure: --irr 0.4")
    with working("reading"):
        anns = dict(each_question(file, options))
    settled = options["settled"]
    names = (
        "target",
        "aggregate",
        "coefficient",
        "ties",
        "width",
        "power",
        "budget",
        "cost",
        "item_cost",
        "level",
        "resamples",
        "seed",
    )
    given: Any = {name: options[name] for name in names}
    given["interval"] = None if options["interval"] == "none" else options["interval"]
    plans = {}
    for question, ann in anns.items():
        with about_question(question), working("planning") as progress:
            if settled is not None:
                from raters.models.fit_consensus import consensus

                progress("raters")
                given |= {"consensus": consensus(ann, "dawid_skene"), "settled": settled}
            plans[question] = answer(ann, tell=tell, progress=progress, **given)
    _show(anns, plans, format_, output, force)


def _show(anns: Any, plans: dict[str, Any], format_: str, output: Path | None, force: bool) -> None:
    """One plan, or one for each question."""
    views = {question: _view(found, format_) for question, found in plans.items()}
    whole = {question: found.to_dict() for question, found in plans.items()}
    facts = {q: {key: plan[key] for key in ("sentences", "target", "curve")} for q, plan in whole.items()}
    extra = {"plans": facts} if len(facts) > 1 else next(iter(facts.values()))
    write_views(anns, views, format_, output, force, **extra)


def _view(found: Any, format_: str) -> View:
    from raters.reporting.label_curve import curve_lines

    if format_ == "json":
        return found.estimates, None, []
    shape = curve_lines([*found.curve], found.target) if format_ == "text" else []
    rows = [] if shape else [*found.curve]
    return [*found.estimates, *rows], found.sentences[0], [*found.sentences[1:], *shape]


def _two(given: str | None) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        a, b = (float(x) for x in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given!r} is not two numbers, for example 0.6,0.7.", param_hint="--tell") from None
    return a, b
