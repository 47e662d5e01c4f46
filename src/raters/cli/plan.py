"""``raters plan``: how many labels and items to collect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option, taken
from raters.cli.inputs import need_file, optional_source
from raters.cli.krr import Published, numbers
from raters.cli.options import how_much, put, reading, refuse, stop, writing
from raters.cli.questions import View, about_question, each_question, write_views
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Planning


@command()
@optional_source
@option("--target", type=float, default=0.8, show_default=True, help="Reliability that the aggregate should reach.")
@option("--irr", metavar="X[,LOW,HIGH]", help="Without FILE: the reliability of single ratings as a paper states it.")
@taken(Planning)
@option(
    "--settled",
    "settled",
    type=float,
    help="Also estimate the labels per item until 95 % of items are settled to this degree, as consensus states it.",
)
@option("--systems", metavar="A,B",
        help="Plan to compare two systems: 0.1,0.2 (how far they are off), or their predictions a.csv,b.csv.")  # fmt: skip
@option("--difference", type=float, help="With --systems a.csv,b.csv: the smallest difference of scores that matters.")
@option("--items", type=click.IntRange(min=3), metavar="N", help="With --systems: the power that N items have.")
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
    raters plan pilot.csv --systems 0.1,0.2 --cost 0.08 --item-cost 0.2
    """
    from raters.reliability.planning.plan import plan as answer

    refuse(output, force)
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
    alone = next((x for x in ("difference", "items") if options[x] is not None and options["systems"] is None), None)
    if alone is not None:
        raise click.UsageError(f"--{alone} belongs to --systems.")
    with working("reading"):
        anns = dict(each_question(file, options))
    if options["systems"] is not None:
        _systems(anns, format_, output, force, options)
        return
    settled = options["settled"]
    given = given_to(Planning, options) | {"target": options["target"]}
    plans = {}
    for question, ann in anns.items():
        with about_question(question), working("planning") as progress:
            if settled is not None:
                from raters.errors import DataError
                from raters.models.fit_consensus import consensus

                progress("raters")
                found = consensus(ann)
                if found.mixture is None:
                    raise DataError(
                        f"--settled depends on what raters know, which is not estimated here. {found.choice.why if found.choice else ''}"
                    )
                given |= {"consensus": found, "settled": settled}
            plans[question] = answer(ann, progress=progress, **given)
    _show(anns, plans, format_, output, force, settled is not None or options["budget"] is not None)


def _systems(anns: dict[str, Any], format_: str, output: Path | None, force: bool, options: dict[str, Any]) -> None:
    """How many items and labels show that one system is better."""
    from raters.errors import UsageError
    from raters.reliability.planning.systems import plan_systems
    from raters.reliability.soft.evaluation import labelled
    from raters.reporting.tables import FORMATS

    if len(anns) > 1:
        raise UsageError("--systems plans for one question: choose it with --question NAME.")
    parts = [x.strip() for x in options["systems"].split(",")]
    try:
        how: dict[str, Any] = {"noise": [float(x) for x in parts]}
    except ValueError:
        if options["difference"] is None:
            stop(f"--systems {options['systems']} needs --difference, the smallest difference of scores that matters.")
        how = {"systems": parts, "difference": options["difference"]}
    ((_, ann),) = anns.items()
    with working("planning"):
        found = plan_systems(
            ann,
            **how,
            items=options["items"],
            power=options["power"],
            cost=options["cost"],
            item_cost=options["item_cost"],
            seed=options["seed"],
        )
    if format_ == "text":
        put("\n".join([str(found), *labelled("Read", str(ann).splitlines())]) + "\n", output, force, format_=format_)
        return
    extra = {k: v for k, v in found.to_dict().items() if k not in ("schema", "estimates")}
    put(FORMATS[format_](ann, found, found.sentence, [], **extra), output, force, format_=format_)


def _show(
    anns: Any, plans: dict[str, Any], format_: str, output: Path | None, force: bool, beyond: bool = False
) -> None:
    """One plan, or one for each question; ``beyond``: more was asked than the table shows."""
    every = format_ != "text" or how_much().all
    views = {question: _view(found, format_, every, beyond) for question, found in plans.items()}
    whole = {question: found.to_dict() for question, found in plans.items()}
    facts = {q: {key: plan[key] for key in ("sentences", "target", "curve")} for q, plan in whole.items()}
    extra = {"plans": facts} if len(facts) > 1 else next(iter(facts.values()))
    write_views(anns, views, format_, output, force, **extra)


def _view(found: Any, format_: str, every: bool, beyond: bool) -> View:
    from raters.reporting.label_curve import curve_lines

    if format_ == "json":
        return View(found.estimates, None)
    drawn = curve_lines([*found.curve], found.target) if format_ == "text" and every else []
    rows = [] if format_ == "text" else [*found.curve]
    more = ("--all (the curve)",)
    said, rest = (found.sentences[1:], ()) if beyond else ((), found.sentences[1:])
    return View([*found.estimates, *rows], found.sentences[0], [*said, *drawn], rest, more)
