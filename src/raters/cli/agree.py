"""``raters agree``: measure agreement between raters."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli import of_spans
from raters.cli.command import command, each_of, option, taken, written_out
from raters.cli.inputs import FirstOfSeveral, source
from raters.cli.options import COEFFICIENT, JUNIT, put, read_table, reading, refuse, stop, write, writing_checks
from raters.cli.paper import WORDS, write_paper
from raters.cli.questions import each_question, read_together
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import (
    By,
    Comparing,
    Group,
    Inference,
    OfItems,
    OfLabels,
    OfRaters,
    OverItems,
    PairsOfRaters,
    Within,
)
from raters.options.option import rows

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate
    from raters.reporting.junit import Check

Threshold = tuple[str, bool, float]
DIFFERENCE = "difference"
"""The row that compares FILE with another table; a gate of its own."""


def threshold(given: str) -> Threshold:
    """``[COEFFICIENT[:low]=]NUMBER`` as (coefficient or "", lower limit?, number)."""
    from raters.spans.measures import figure_name

    name, _, number = given.rpartition("=")
    name, _, limit = name.partition(":")
    try:
        if limit not in ("", "low") or math.isnan(float(number)):
            raise ValueError
        return name and (name if name == DIFFERENCE else figure_name(name)), limit == "low", float(number)
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is not [COEFFICIENT[:low]=]NUMBER, for example krippendorff:low=0.667.",
            param_hint="--fail-under",
        ) from None


def checks(
    table: Sequence[Estimate], lead: Estimate | str | None, thresholds: Sequence[Threshold], against: bool
) -> list[Check]:
    """Each figure against its threshold; undefined is below. Beside another table the gates are of FILE, and of the
    difference.
    """
    found = []
    figures = [e for e in table if e.name != DIFFERENCE]
    if against:  # each comparison has three rows: FILE, the other table, the difference
        figures = figures[::2]
    for name, low, number in thresholds:
        about = [e for e in figures if e.coefficient == (name or _main(figures))]
        if name == DIFFERENCE and against:
            about = [e for e in table if e.name == DIFFERENCE]
        if not about:
            there = ", ".join(dict.fromkeys([*(e.coefficient for e in figures), *([DIFFERENCE] if against else [])]))
            stop(f"--fail-under {name}: this table has no {name}; it has {there or 'no figures'}.")
        if not name and lead is not None and not isinstance(lead, str):
            about = [lead]
        found += [_checked(e, name, low, number) for e in about]
    return found


def _checked(e: Estimate, name: str, low: bool, number: float) -> Check:
    """A figure, or its lower limit, against one threshold."""
    from raters.reporting.junit import Check

    figure = e.low if low else e.value
    what = f"the lower limit of {e.name}" if low else e.name
    shown, passed = "undefined" if figure != figure else f"{figure:.4f}", figure >= number
    said = f"{what} is {shown}, {'not ' if passed else ''}below {number:g}"
    return Check(e.name, f"{name or e.coefficient}{':low' if low else ''} >= {number:g}", passed, said)


def gate(found: Sequence[Check]) -> None:
    """Exit with code 1 if a figure is undefined or below its threshold."""
    missed = [c.said for c in found if not c.passed]
    if missed:
        more = f" (and {len(missed) - 1} more)" if len(missed) > 1 else ""
        stop(f"{missed[0]}{more}", 1)


def _main(table: Sequence[Estimate]) -> str:
    """The main coefficient of a table: alpha if present, otherwise the first."""
    from raters.coefficients import DEFAULT

    names = [e.coefficient for e in table]
    return DEFAULT if DEFAULT in names or not names else names[0]


@command()
@source
@option(
    "-c",
    "--coefficient",
    multiple=True,
    callback=each_of(COEFFICIENT),
    metavar="NAME,...",
    help="One or more coefficients, such as cohen,krippendorff; all that apply if omitted.",
)
@taken(Comparing)
@taken(PairsOfRaters)
@written_out("by", By)
@written_out("group", Group)
@written_out("within", Within)
@option(
    "--per",
    type=click.Choice(["label", "rater", "pair", "item", "document"]),
    metavar="[label|rater|pair|item|document]",
    help="Report one figure for each label, rater, pair or item.",
)
@option("--leave-out", is_flag=True, help="With --per rater: the figure without each rater.")
@option(
    "--fail-under",
    multiple=True,
    metavar="[COEFFICIENT[:low]=]NUMBER",
    help=(
        "Exit with code 1 below NUMBER: the figure, or its lower limit with :low; an undefined figure is below."
        " With --against: of FILE, and difference[:low]=NUMBER of the difference."
    ),
)
@option(
    "--against",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Compare with another table (the difference, its interval and p-value, paired on shared items).",
)
@option(
    "--paper",
    is_flag=True,
    help=(
        "A table for a paper: -o NAME.docx, .xlsx, .tex, .md, .html or .csv, or a figure: .pdf, .png, .svg; a row for"
        " each label or question."
    ),
)
@option(
    "--words",
    type=click.Choice(WORDS),
    default=WORDS[0],
    show_default=True,
    help="With --paper: the words of a field; coding has coders, units, codes and variables.",
)
@option("--explain/--no-explain", default=True, show_default=True, help="Explain why the figure is high or low.")
@reading
@writing_checks
def agree(
    file: Path | list[Path], format_: str, output: Path | None, force: bool, fail_under: tuple[str, ...], **options: Any
) -> None:
    """Measure agreement between the raters of FILE.

    \b
    raters agree labels.csv
    raters agree labels.csv --item doc --rater worker --label answer
    raters agree labels.csv --scale ordinal --labels bad,ok,good --weights linear
    raters agree labels.csv --per rater --leave-out
    raters agree before.csv --against after.csv
    raters agree labels.csv --label tone,topic,quality
    raters agree coded.csv --question tone,quality --scale tone=ordinal
    raters agree labels.csv --fail-under krippendorff:low=0.667
    raters agree 2026-11-*.fold --by fold
    raters agree labels.csv --paper -c cohen,krippendorff -o table.docx
    """
    options["takes_spans"] = True
    thresholds = [threshold(t) for t in fail_under]
    if format_ == JUNIT and not thresholds:
        stop("--format junit reports checks: say which, for example --fail-under krippendorff:low=0.667.")
    if options["against"] is None and any(name == DIFFERENCE for name, _, _ in thresholds):
        stop("--fail-under difference: there is no difference without --against FILE.")
    refuse(output, force)
    if options.pop("paper"):
        write_paper(file, format_, output, force, {**options, "fail_under": fail_under})
        return
    if options["words"] != WORDS[0]:
        stop("--words goes with --paper.")
    wanted = [name for name, _, _ in thresholds if name and not (name == DIFFERENCE and options["against"])]
    with working("reading"):
        if options["against"] is None:
            anns = dict(each_question(file, options))
        else:
            anns, other = {"": read_table(file, options)}, read_table(options["against"], options)
    with working("computing agreement") as say:
        options["say"] = say
        if len(anns) > 1:
            view = _several(anns, wanted, options, format_)
        elif options["against"] is None:
            view = _one(next(iter(anns.values())), wanted, options, format_)
        else:
            view = _two(anns[""], other, wanted, options)
    from raters.spans.units import Spans

    ann, table, lead, lines, extra = view
    found = checks(table, lead, thresholds, options["against"] is not None)
    if format_ == JUNIT:
        from raters.reporting.junit import junit

        put(junit("raters agree", found), output, force, format_=format_)
    elif isinstance(ann, Spans | of_spans.Projects) and format_ == "text":
        put(of_spans.shown_as_text(ann, table, lead, lines), output, force, format_=format_)
    else:
        write(getattr(ann, "projects", [ann])[0], table, lead, format_, output, force, lines, **extra)
    gate(found)


PER: dict[str, Any] = {"label": OfLabels, "rater": OfRaters, "pair": OfRaters, "item": OfItems}
"""What is shown one by one, and the options of its function."""
View = tuple["Annotations", "list[Estimate]", "Estimate | str | None", list[str], dict[str, Any]]


def _one(ann: Annotations, wanted: Sequence[str], options: dict[str, Any], format_: str) -> View:
    """One table: the coefficients, and the explanation of the first."""
    from raters.spans.units import Spans

    if isinstance(ann, Spans):
        return of_spans.view(ann, wanted, options)
    from raters.agree.agreement_spec import applicable, usual, weighted
    from raters.agree.comparing import drift
    from raters.agree.estimating import too_few_shared
    from raters.agree.explaining import explain
    from raters.coefficients import DEFAULT
    from raters.io.fold_files.file import PART
    from raters.reporting.agree_answer import of_items, of_one, verdict, without_whom
    from raters.reporting.first_lines import if_codes

    given, left = given_to(Comparing, options), 0
    every = not (options["coefficient"] or options["per"])
    short = every and format_ == "text" and not options["all_"]
    if short:
        names = [DEFAULT] if options["by"] else usual(ann, options["group"], given)
        left = len(applicable(ann, options["group"], given)) - len(names)
        options = {**options, "coefficient": names}
    options = _of_items(ann, wanted, options)
    table, lead = estimates_of(ann, wanted, options)
    if nothing := too_few_shared(ann):
        return ann, table, nothing, [], {}
    if format_ == "text" and _lowest_first(options):
        table.sort(key=lambda e: (not math.isfinite(e.value), e.value))
        if options["per"] == "item":
            return ann, table, None, [], {"answer": of_items(ann, table, options["all_"])}
    if options["leave_out"]:
        whom = without_whom(table)
        return ann, table, whom, [], {"answer": replace(of_one(ann, table, None, None, left), answer=whom)}
    lines = [drift(table)] if options["by"] == PART and len(table) > 1 else []
    if lead is None or not _of_all(options) or lead.coefficient != DEFAULT:
        return ann, table, lead, lines, {"answer": of_one(ann, table, lead, None, left, lines)}
    if not options["explain"]:
        return ann, table, lead, lines, {"answer": of_one(ann, table, verdict(ann, lead), None, left, lines)}
    if every and ann.scale.amounts:
        table = _with_icc(ann, table, options, short)
    why = explain(ann, lead.coefficient, **weighted(lead.coefficient, ann, given_to(OverItems, options)))
    lines = [*filter(None, [if_codes(ann)]), *_why(why)]
    return ann, table, lead, lines, {"explanation": why.to_dict(), "answer": of_one(ann, table, lead, why, left)}


def _lowest_first(options: dict[str, Any]) -> bool:
    """Whether the text shows whom to talk to, or of what, in that order."""
    return options["per"] in ("rater", "pair", "item") and not options["leave_out"]


def _of_items(ann: Annotations, wanted: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """The options with percent agreement for items: of one item alpha is no figure that one can read."""
    free = options["per"] == "item" and not (options["coefficient"] or wanted or ann.scale.amounts)
    return {**options, "coefficient": ["percent"]} if free else options


def _of_all(options: dict[str, Any]) -> bool:
    """Whether the figures are of all items and raters, and items alone are drawn: then they are explained."""
    return options["sample"] == "items" and all(options[x] is None for x in ("cluster", "group", "within", "by", "per"))


def _why(why: Any) -> list[str]:
    """The reasons and the conventional bands, as lines of Markdown."""
    read = [f"{b.of_value} ({b.scheme.replace('_', '-').title()})" for b in why.bands]
    bands = ["Conventional bands for the point estimate: " + ", ".join(read) + "."] if read else []
    return [*(r.text for r in why.reasons), *bands]


def _with_icc(ann: Annotations, table: list[Estimate], options: dict[str, Any], short: bool) -> list[Estimate]:
    """Of numbers: the intraclass correlation of single ratings; in a short table, in the place of AC2."""
    from raters.coefficients import REGISTRY
    from raters.errors import RatersError
    from raters.reliability.variance.icc import icc

    try:
        forms = icc(ann, incomplete="refuse", level=options["level"], seed=options["seed"])
    except RatersError:
        return table
    single = next((e for name in ("ICC(A,1)", "ICC(1)") for e in forms if e.name == name and e.value == e.value), None)
    rows = {e.name: REGISTRY[e.coefficient] for e in table}
    kept = [e for e in table if not short or rows[e.name].takes_distance or not rows[e.name].counts_labels]
    return table if single is None else [*kept[:-1], single, *kept[-1:]]


def _two(ann: Annotations, other: Annotations, wanted: Sequence[str], options: dict[str, Any]) -> View:
    """Two tables: each figure, and the difference."""
    from raters.spans.units import Spans

    if isinstance(ann, Spans):
        return of_spans.two(ann, other, options)
    from raters.agree.comparing import compare
    from raters.coefficients import DEFAULT
    from raters.estimate import shown

    names = dict.fromkeys([*(options["coefficient"] or (DEFAULT,)), *wanted])
    results = [compare(ann, other, name, **given_to(Comparing, options)) for name in names]
    answers = [
        f"{r.first.title} of {r.first.name} minus that of {r.second.name} is {shown(r.difference.value, 3)} "
        + (
            f"({r.difference.level:.0%} interval {shown(r.difference.low, 3)} to {shown(r.difference.high, 3)},"
            f" {r.p_text}), "
            if r.difference.low == r.difference.low
            else "(without an interval), "
        )
        + (f"paired by {r.n_shared:,} shared items." if r.paired else "not paired, because the tables share no items.")
        for r in results
    ]
    extra = {"against": other.summary(), "comparisons": [r.to_dict() for r in results]}
    tables: Any = FirstOfSeveral([ann, other])
    return tables, [e for r in results for e in r.table], " ".join(answers), [], extra


def _several(anns: dict[str, Annotations], wanted: Sequence[str], options: dict[str, Any], format_: str) -> View:
    """Several questions, or label columns, in one table."""
    from raters.coefficients import DEFAULT
    from raters.reporting.agree_answer import of_several
    from raters.spans.units import Spans

    if any(isinstance(ann, Spans) for ann in anns.values()):
        return of_spans.several(anns, wanted, options, estimates_of)
    rows: list[Estimate] = []
    first: dict[str, Estimate] = {}
    names = [DEFAULT, "percent"] if format_ == "text" and not options["per"] else [DEFAULT]
    chosen = {**options, "coefficient": options["coefficient"] or names}
    for name, ann in anns.items():
        table, lead = estimates_of(ann, wanted, chosen)
        if lead is not None:
            same = next((e.value for e in table if e.name == "percent"), math.nan)
            first[name] = replace(lead, name=name, details={**lead.details, "percent": same})
        rows += [replace(e, name=f"{name}: {e.name}" if e.by or options["per"] else name) for e in table]
    tables, about, extra = read_together(anns)
    role = "label" if options["label"] else "question"
    one = f"--{role} {shlex.quote(next(iter(anns)))}"
    if format_ == "text" and len(first) == len(anns) and not options["coefficient"]:
        extra["answer"] = of_several(anns, first, tables, one, options["all_"])
    lead_ = f"{len(anns)} {role}s in {len(rows)} rows."
    return tables, rows, lead_, about if format_ != "text" else [], extra


def estimates_of(
    ann: Annotations, wanted: Sequence[str], options: dict[str, Any]
) -> tuple[list[Estimate], Estimate | None]:
    """The requested table, and the estimate that the first sentence describes."""
    from raters.agree import agreement as api
    from raters.agree.agreement_spec import applicable, weighted
    from raters.coefficients import DEFAULT
    from raters.errors import UsageError

    given = given_to(Comparing, options)
    by, group, per = options.get("by"), options.get("group"), options.get("per")
    chosen = options.get("coefficient") or ()
    names = list(dict.fromkeys([*chosen, *wanted]))
    if options.get("leave_out"):
        from raters.agree.leave_out import leave_one_out

        if per != "rater":
            raise UsageError("--leave-out leaves out one rater at a time: pass --per rater --leave-out.")
        return [e for name in names or [DEFAULT] for e in leave_one_out(ann, name, **given)], None
    if per is not None:
        return _one_by_one(ann, per, names, options), None
    if not chosen:
        names = list(dict.fromkeys([*applicable(ann, group, given), *wanted]))
    results: list[Any] = [
        api.agreement(ann, name, by=by, group=group, within=options.get("within"), **weighted(name, ann, given))
        for name in names
    ]
    if by is not None:
        return [e for table in results for e in table], None
    return results, next((e for e in results if e.name == DEFAULT), results[0])


def _one_by_one(ann: Annotations, per: str, names: Sequence[str], options: dict[str, Any]) -> list[Estimate]:
    """A figure for each label, rater, pair or item: of these coefficients, or of the usual one."""
    from raters.agree import agreement as api

    _refuse_beside_per(per, options)
    function: Any = getattr(api, f"per_{per}")
    extra = {"group": options["group"]} if options.get("group") and per in ("label", "item") else {}
    tables = [function(ann, *name, **extra, **given_to(PER[per], options)) for name in [[c] for c in names] or [[]]]
    return [e for table in tables for e in table]


def _refuse_beside_per(per: str, options: dict[str, Any]) -> None:
    """Refuse further slices of a table of labels, raters, pairs or items, rather than ignore them."""
    from raters.errors import UsageError

    taken = ("by", "within") if per in ("label", "item") else ("by", "within", "group")
    for name in taken:
        if options.get(name) is not None:
            raise UsageError(
                f"--per {per} and --{name} cannot be combined: --per {per} describes the whole table. Omit one of them."
            )
    for name, row in rows(Comparing).items():
        if name not in rows(PER[per]) and name not in rows(Inference) and options[name] != row.option.default:
            raise UsageError(f"--per {per} does not take --{name.replace('_', '-')}. Omit one of them.")
