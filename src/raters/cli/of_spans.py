"""What the commands say of spans: raters chose what to mark, then labelled it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from raters.options import given_to
from raters.options.declared import OfSpans

if TYPE_CHECKING:
    from raters.estimate import Estimate
    from raters.spans.units import Spans

View = tuple[Any, "list[Estimate]", "Estimate | str | None", list[str], dict[str, Any]]
LABELS_ONLY = ("group", "within", "weights", "distance", "cluster", "se")
"""Options of labels of given items."""
PER = {"item": "per_item", "document": "per_item", "label": "per_label", "rater": "per_rater", "pair": "per_pair"}


def refuse_labels_only(options: dict[str, Any]) -> None:
    """Options that say how labels of items are compared do not apply."""
    from raters.errors import UsageError

    for name in LABELS_ONLY:
        if options.get(name) is not None:
            raise UsageError(f"--{name} is for labels of given items, and this project holds spans; omit it.")


def need_two(found: Spans) -> None:
    """Refuse a project in which no document was seen by two raters."""
    from raters.annotations import counted
    from raters.errors import DataError, listed

    if not found.shared:
        left = "; ".join(f"{n:,} {why}" for why, n in found.left_out.items() if n)
        raise DataError(
            f"{found.source}: no document was seen by two raters; found {counted(found.n_documents, 'document')} of"
            f" {listed(found.raters, 4)}{f' (not counted: {left})' if left else ''}. Give the folders or files of all"
            " raters; documents are joined by their names."
        )


def view(found: Spans, wanted: Sequence[str], options: dict[str, Any]) -> View:
    """The measures of one project, and why they are high or low."""
    from raters.agree import agreement as api
    from raters.spans import asking
    from raters.spans.asking import suited, usual
    from raters.spans.measures import estimate
    from raters.spans.why import why

    refuse_labels_only(options)
    need_two(found)
    given = given_to(OfSpans, options)
    per, by = options.get("per"), options.get("by")
    names = [*dict.fromkeys([*(options.get("coefficient") or ()), *wanted])]
    if per is not None:
        function: Any = getattr(asking, PER[per])
        tables = [function(found, name, **given) for name in names or [suited_for(found, per)]]
        return found, [e for t in tables for e in t], None, [], {}
    lead = (names or [suited(found)])[0]
    chosen = names if options.get("coefficient") else [lead, *(n for n in [*usual(found), *names] if n != lead)]
    if by is not None:
        rows = [e for n in (names or [lead]) for e in api.agreement(found, n, by=by, **given)]
        return found, rows, None, [], {}

    def told(done: int, of: int) -> None:
        if "say" in options:
            options["say"](f"random draw {done:,} of {of:,}")

    how = replace(asking.asked(given), progress=told)
    table = [estimate(found, n, how) for n in dict.fromkeys(chosen)]
    reasons = why(briefly(found)) if options.get("explain", True) else None
    lines = [] if reasons is None else [*reasons.sentences(), *(str(c) for c in reasons.cases[:1])]
    return found, table, table[0], lines, {} if reasons is None else {"why": reasons.to_dict()}


def suited_for(found: Spans, per: str) -> str:
    """The measure of slices: the one that leads, unless it needs all raters at once."""
    from raters.spans.asking import suited
    from raters.spans.measures import DEFAULT, MEASURES

    name = suited(found)
    return name if MEASURES[name].of_pairs or per == "item" else DEFAULT


LONGEST = 18
"""Letters of a rater's name within a sentence."""


def briefly(found: Spans) -> Spans:
    """The project with raters' names short enough for a sentence."""
    from raters.reporting.answer import distinct

    return replace(found, raters=tuple(distinct(found.raters, LONGEST)))


def read_lines(*projects: Spans) -> tuple[str, ...]:
    """How projects were read, as sentences."""
    from raters.reporting.names import as_sentence
    from raters.spans.units import lines

    return tuple(as_sentence(x.removeprefix("note: ")) for found in projects for x in lines(briefly(found)))


def printed_answer(answer: Any) -> str:
    """An answer as text, as much of it as was asked for."""
    from raters.cli.options import how_much
    from raters.reporting.answer import printed

    return printed(answer, how_much())


def shown_as_text(found: Any, table: Sequence[Estimate], lead: Any, lines: Sequence[str]) -> str:
    """The answer, the measures, why, and what was read: at most 24 lines for a project."""
    from raters.reporting.answer import Answer
    from raters.reporting.names import as_sentence
    from raters.reporting.table_answer import of_rows, sentence

    said = {as_sentence(str(n)): None for e in table for n in e.notes if n.level not in ("undefined", "detail")}
    reason = no_interval(table)
    answer = Answer(
        answer=sentence(lead) if lead is not None else of_rows(table),
        grids=(measures(table, len({e.coefficient for e in table}) == len(table) and not isinstance(lead, str)),)
        if table
        else (),
        why=tuple(as_sentence(line) for line in lines if line),
        note=(*said, *([as_sentence(reason)] if reason else [])),
        read=read_lines(*getattr(found, "named", [found])),
        more=("--all (four digits)", "--format json"),
    )
    return printed_answer(answer)


def no_interval(table: Sequence[Estimate]) -> str:
    """Why no figure of a table has an interval, if they all have a value."""
    reasons = {str(n): None for e in table if isfinite(e.value) for n in e.notes if n.level == "undefined"}
    return "" if any(isfinite(e.low) for e in table) else next(iter(reasons), "")


def measures(table: Sequence[Estimate], named: bool) -> Any:
    """A row for each figure: its value, interval, what chance gives, and what has to stand beside it."""
    from raters.cli.options import how_much
    from raters.reporting.answer import Grid
    from raters.reporting.of_spans import beside
    from raters.reporting.short_table import figure, limits
    from raters.spans.measures import MEASURES

    digits = 4 if how_much().all else 2
    columns: dict[str, Callable[[Estimate], str]] = {
        "measure" if named else "": lambda e: MEASURES[e.coefficient].title if named else e.name,
        "value": lambda e: figure(e.value, digits),
    }
    if any(isfinite(e.low) for e in table):
        columns[f"{table[0].level:.0%} interval"] = limits
    if any(isfinite(e.details.get("chance", nan)) for e in table):
        columns["by chance"] = lambda e: figure(e.details.get("chance", nan))
    apart = [replace(e, details={k: v for k, v in e.details.items() if k != "chance"}) for e in table]
    rows = tuple((*(cell(e) for cell in columns.values()), beside(x)) for e, x in zip(table, apart, strict=True))
    return Grid((*columns, ""), rows, frozenset({0, len(columns)}))


def without_parts(table: Sequence[Estimate]) -> list[Estimate]:
    """Figures without observed and expected disagreement, whose columns mean little here."""
    return [replace(e, observed=nan, expected=nan, weights="") for e in table]


F = TypeVar("F", bound=Callable[..., Any])


def or_spans(handler: Callable[..., None]) -> Callable[[F], F]:
    """For a command on labels of items: what answers if the source holds spans."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            from raters.io.any_table import SpansGiven

            try:
                return function(*args, **options)
            except SpansGiven as given:
                found = given.found
            return handler(found, *args, **options)

        return call  # type: ignore[return-value]

    return decorate


def two(found: Spans, other: Any, options: dict[str, Any]) -> View:
    """Two projects: each figure, and the difference."""
    from raters.reliability.sets.comparing import compare
    from raters.spans.asking import suited

    refuse_labels_only(options)
    names = options.get("coefficient") or (suited(found),)
    results = [compare(found, other, n, **given_to(OfSpans, options)) for n in names]
    extra = {"against": other.summary(), "comparisons": [r.to_dict() for r in results]}
    rows = [
        replace(e, name=f"{e.name} ({e.coefficient})" if len(results) > 1 else e.name) for r in results for e in r.table
    ]
    return Projects((found, other)), rows, " ".join(map(minus, results)), [], extra


def minus(r: Any) -> str:
    """The difference of two projects in a sentence."""
    from raters.estimate import shown

    d = r.difference
    there = f"{r.first.title} of {r.first.name} minus that of {r.second.name} is {shown(d.value, 3)}"
    limits = f"{d.level:.0%} interval {shown(d.low, 3)} to {shown(d.high, 3)}, {r.p_text}"
    known = limits if isfinite(d.low) else str(next(iter(d.notes), "without an interval"))
    pairs = f"paired by {r.n_shared:,} shared documents" if r.paired else "not paired, as they share no documents"
    return f"{there} ({known}), {pairs}."


@dataclass(frozen=True)
class Projects:
    """Several projects, or the layers of one: what was read is said of each."""

    projects: tuple[Spans, ...]
    layers: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[Spans, ...]:
        """Each under the name of its layer, if it has one."""
        names = self.layers or [found.source for found in self.projects]
        return tuple(replace(found, source=name) for found, name in zip(self.projects, names, strict=True))


def several(
    anns: dict[str, Any], wanted: Sequence[str], options: dict[str, Any], of_labels: Callable[..., Any]
) -> View:
    """Several questions of which some are spans: the figure that leads of each, or its slices; ``of_labels``: the table
    and what leads of a question of labels.
    """
    from raters.coefficients import DEFAULT
    from raters.spans.units import Spans

    table: list[Estimate] = []
    for question, ann in anns.items():
        if isinstance(ann, Spans):
            _, rows, lead, *_ = view(ann, wanted, {**options, "explain": False})
        else:
            rows, lead = of_labels(ann, [], {**options, "coefficient": (DEFAULT,)})
        sliced = lead is None or isinstance(lead, str)
        for e in rows if sliced or options.get("coefficient") else [cast(Any, lead)]:
            table.append(replace(e, name=f"{question}: {e.name if sliced else e.title or e.name}"))
    found = {q: ann for q, ann in anns.items() if isinstance(ann, Spans)}
    said = f"{len(anns)} questions; --question {shlex.quote(next(iter(found)))} shows all figures of one."
    return (
        Projects(tuple(found.values()), tuple(found)),
        table,
        said,
        [],
        {"questions": {q: ann.summary() for q, ann in anns.items()}},
    )


def looked(found: Spans) -> str:
    """How a project was read, and what each rater did."""
    import numpy as np

    from raters.reporting.answer import Answer, Grid
    from raters.spans.units import label_name

    units, views = (np.bincount(x, minlength=found.n_raters) for x in (found.rater, found.view_rater))
    blank = views - np.bincount(found.view_rater[np.unique(found.view)], minlength=found.n_raters)
    raters = zip(briefly(found).raters, *(x.tolist() for x in (views, blank, units)), strict=True)
    labels = zip(found.labels, np.bincount(found.label, minlength=len(found.labels)).tolist(), strict=True)
    first, *rest = read_lines(found)
    return printed_answer(
        Answer(
            first,
            grids=(
                Grid(("rater", "documents", "without a unit", "units"), tuple(tuple(map(str, r)) for r in raters)),
                Grid(("label", "units"), tuple((label_name(c), f"{n:,}") for c, n in labels)),
            ),
            read=tuple(rest),
            more=("raters agree", "--format json"),
        )
    )


class SpanPaper:
    """A table for a paper: all labels, and each, with exact and overlap F1 and u."""

    methods, rows, scales = "", (), False

    def __init__(self, caption: str, head: Sequence[str], cells: list[list[str]], note: str) -> None:
        self.caption, self.head, self.cells, self.note = caption, tuple(head), cells, note

    def to_dict(self) -> dict[str, Any]:
        return {"caption": self.caption, "columns": list(self.head), "rows": self.cells, "note": self.note}


def paper(anns: dict[str, Any], options: dict[str, Any]) -> Any:
    """The table of a paper."""
    from raters.agree.agreement import agreement, per_label
    from raters.estimate import shown
    from raters.spans.units import Spans

    def cell(e: Any) -> str:
        limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if isfinite(e.low) else ""
        return f"{shown(e.value, 2)}{limits}" if isfinite(e.value) else "–"

    given = given_to(OfSpans, options)
    names = [*dict.fromkeys([*(options.get("coefficient") or ()), "exact", "overlap", "u_boundary"])]
    cells, titles, found = [], [], None
    for question, found in anns.items():
        if not isinstance(found, Spans):
            continue
        whole = [agreement(found, n, **given) for n in names]
        titles = [e.title for e in whole]
        cells.append([question or "All labels", f"{found.n_units:,}", *map(cell, whole)])
        tables = [per_label(found, n, **given) for n in names]
        for i, e in enumerate(tables[0] if len(anns) == 1 else ()):
            cells.append([e.name, f"{e.n_annotations:,}", *(cell(t[i]) for t in tables)])
    about = (
        f"Agreement on the spans of {found.source}: {found.shared:,} documents, {found.n_raters:,} raters."
        if found
        else ""
    )
    level = f"{given['level']:.0%}"
    note = f"Units: marked spans. Brackets: {level} intervals, by the jackknife over documents."
    return SpanPaper(about, ["Label", "Units", *titles], cells, note)


OUTPUTS = ("", ".brat", ".jsonl")
"""Endings of what a consensus of spans alone is written to."""


def consensus(found: Spans, file: Any, format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Settled units, and those to adjudicate."""
    import json

    from raters.cli.options import put, refuse
    from raters.spans.consensus import consensus_of_spans
    from raters.writing import csv_text

    model = options.get("model") or "auto"
    made = consensus_of_spans(found, model)
    ending = output.suffix.lower() if output is not None else ""
    if output is not None and ending in ("", ".brat"):
        _brat(made, output, force)
        put(f"{made.sentence}\nwritten: {output}\n", None, force, format_="text")
        return
    refuse(output, force)
    columns = made.to_columns()
    rows = list(zip(*columns.values(), strict=True))
    if ending == ".jsonl":
        text = "".join(json.dumps(dict(zip(columns, r, strict=True)), ensure_ascii=False) + "\n" for r in rows)
    elif ending == ".csv" or format_ == "csv":
        text = csv_text(list(columns), rows)
    elif ending == ".json" or format_ == "json":
        text = json.dumps(made.to_dict(), ensure_ascii=False, indent=2) + "\n"
    else:
        text = printed_answer(adjudicating(made))
    put(text, output, force, format_=format_)
    if output is not None:
        put(f"{made.sentence}\nwritten: {output}\n", None, force, format_="text")


SHOWN = 12
"""Units of a consensus that are printed, those to adjudicate first."""


def adjudicating(made: Any) -> Any:
    """The consensus as an answer: how much is settled, and what to look at first."""
    from raters.reporting.answer import Answer, Grid, shortened
    from raters.spans.units import label_name

    def words(r: Any) -> str:
        text = made.found.texts[made.found.documents.index(r.document)] or ""
        return shortened(" ".join(text[r.start : r.end].split()), 24)

    open_ = made.adjudicate
    rows = tuple(
        (
            shortened(r.document, 20),
            f"{r.start}",
            f"{r.end}",
            label_name(r.label),
            f"{r.support} of {r.seen}",
            r.status,
            words(r),
        )
        for r in open_[:SHOWN]
    )
    head = ("to adjudicate", "start", "end", "label", "marked by", "why", "words")
    more = [f"({len(open_) - SHOWN:,} more in the file.)"] if len(open_) > SHOWN else []
    return Answer(
        answer=made.sentence,
        grids=(Grid(head, rows, frozenset({0, 3, 5, 6}), least=(6,)), *([tuple(more)] if more else [])) if rows else (),
        read=read_lines(made.found),
        more=("-o gold.jsonl (all units)", "-o gold.brat", "--format json"),
    )


def _brat(made: Any, folder: Path, force: bool) -> None:
    """A folder of brat with the settled units."""
    import re

    from raters.errors import UsageError
    from raters.writing import write_whole

    if folder.exists() and not force:
        raise UsageError(f"{folder} exists; choose another name, or overwrite it with --force.")
    folder.mkdir(parents=True, exist_ok=True)
    found = made.found
    for document, text in zip(found.documents, found.texts, strict=True):
        name = re.sub(r"[^\w.-]+", "_", document).lstrip(".") or "document"
        rows = [r for r in made.settled if r.document == document]
        lines = []
        for i, r in enumerate(rows, 1):
            parts = r.parts or ((r.start, r.end),)
            words = " ".join(" ".join((text or "")[s:e].split()) for s, e in parts)
            label = re.sub(r"\s+", "_", r.label or "none")
            lines.append(f"T{i}\t{label} {';'.join(f'{s} {e}' for s, e in parts)}\t{words}\n")
        write_whole(folder / f"{name}.ann", "".join(lines).encode(), force)
        if text is not None:
            write_whole(folder / f"{name}.txt", text.encode(), force)


def judge(found: Spans, people: Path, **options: Any) -> None:
    """Models beside people."""
    import json

    from raters.cli.options import put, read_table, stop
    from raters.reporting.tables import FORMATS
    from raters.spans.comparing import joined
    from raters.spans.comparing import judge as judged

    options["takes_spans"] = True
    persons: Any = read_table(people, options)
    models: list[Any] = [read_table(m, options) for m in options["model"]]
    given = {k: options[k] for k in ("level", "seed", "resamples", "interval") if k in options}
    names = [n.strip() for n in options["judges"].split(",")] if options.get("judges") else None
    model: Any = models[0] if models else None
    for more in models[1:]:
        model = joined(model, more)[0]
    if model is None and names is None:
        stop("say which raters are models: --model FILE or --judges NAME,NAME.")
    made = judged(persons, model, judges=names, margin=options["margin"], **given)
    form = options.get("format_", "text")
    if form == "json":
        text = json.dumps({**made.to_dict(), "data": persons.summary()}, ensure_ascii=False, indent=2) + "\n"
    elif form == "text":
        text = printed_answer(judged_answer(made, persons))
    else:
        rows = without_parts([replace(e, name=f"{j.judge}: {e.name}") for j in made for e in j.estimates])
        text = FORMATS[form](persons, rows, " ".join(j.sentence for j in made), [])
    put(text, options.get("output"), options.get("force", False), format_=form)


TALLY = {
    "yes": "{n} may stand beside people",
    "depends": "{n} may by one measure and not by the other",
    "unclear": "for {n} it is not clear",
    "no": "{n} should not",
    "none": "{n} cannot be judged beside one person",
}
"""How many of several models have which verdict."""


def judged_answer(made: Any, persons: Any) -> Any:
    """One model: the verdict, and whether it marks too much; several: a row each."""
    from raters.estimate import shown
    from raters.reporting.answer import Answer, Grid
    from raters.reporting.short_table import figure, limits

    if len(made) == 1:
        (j,) = made
        rows = [(p, shown(a, 2), shown(b, 2)) for p, a, b in j.against[:6]]
        grid = Grid(("against (exact units)", "precision", "recall"), tuple(rows))
        more = len(j.against) - len(rows)
        left = [(f"({more:,} more people: --format json)",)] if more > 0 else []
        return Answer(j.sentence, grids=(grid, *left), read=read_lines(persons), more=("--format json",))
    gaps = {(j.judge, e.coefficient): e for j in made for e in j.estimates if e.details["part"] == "difference"}
    names = ("exact", "overlap")
    head = [
        "",
        "verdict",
        *(x for n in names for x in (f"gap ({n})", f"{next(iter(gaps.values())).level:.0%} interval")),
    ]
    rows = [
        (j.judge, j.verdict, *(x for n in names for x in (figure(gaps[j.judge, n].value), limits(gaps[j.judge, n]))))
        for j in made
        if j.verdicts
    ]
    counts = Counter(j.verdict for j in made)
    tally = ", ".join(said.format(n=counts[verdict]) for verdict, said in TALLY.items() if counts[verdict])
    said = f"Of {len(made)} models, {tally}. Gap: agreement with people minus that of people with each other."
    grid = Grid(tuple(head), tuple(rows), frozenset({0, 1}))
    return Answer(said, grids=(grid,) if rows else (), read=read_lines(persons), more=("--format json",))


def krr(found: Spans, file: Any, format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Agreement of the consensus of k raters with that of k others."""
    from raters.cli.options import put
    from raters.reporting.tables import FORMATS
    from raters.spans.comparing import krr as made

    given = {k: options[k] for k in ("interval", "level", "resamples", "seed") if k in options}
    most = int(found.views_each.max(initial=0)) // 2
    ks = range(1, max(most, 1) + 1) if options.get("curve") else [options.get("k")]
    table = [made(found, k, **given) for k in ks]
    put(FORMATS[format_](found, without_parts(table), table[0], []), output, force, format_=format_)


def xrr(found: Spans, *args: Any, **options: Any) -> None:
    """Agreement between two pools, beside that within each."""
    from raters.cli.options import put, read_table, stop
    from raters.reporting.tables import FORMATS
    from raters.spans.comparing import xrr as made

    files = next((v for v in (*args, *options.values()) if isinstance(v, tuple) and v and isinstance(v[0], Path)), ())
    if len(files) != 2:
        stop("xrr of spans takes two projects, one for each pool: raters xrr first/ second/.")
    options["takes_spans"] = True
    x, y = (cast(Any, read_table(f, options)) for f in files)
    given = {k: options[k] for k in ("interval", "level", "resamples", "seed") if k in options}
    table = made(x, y, **given)
    format_ = options.get("format_", "text")
    put(
        FORMATS[format_](x, without_parts(table), None, [str(y)]),
        options.get("output"),
        options.get("force", False),
        format_=format_,
    )


def report(found: Spans, file: Any, format_: str | None, output: Path | None, force: bool, **options: Any) -> None:
    """The report on spans."""
    from raters.cli.inputs import source_name
    from raters.cli.options import put, refuse, stop
    from raters.reporting.of_spans import report_of_spans

    for name in ("one_page", "tables"):
        if options.get(name):
            stop(f"--{name.replace('_', '-')} is for labels of given items, and this project holds spans; omit it.")

    endings = {".html": "html", ".json": "json", ".md": "markdown", ".txt": "text", ".tex": "latex", ".csv": "csv"}
    form = format_ or (endings.get(output.suffix.lower(), "html") if output is not None else "html")
    if output is None and form == "html":
        output = Path(f"{source_name(file).split('.')[0] or 'spans'}-report.html")
    refuse(output, force)
    given = {k: options[k] for k in ("interval", "level", "resamples", "seed") if k in options}
    made = report_of_spans(found, **given)
    put(made.render(form), output, force, format_=form)
    if output is not None:
        put(f"{made.sentence}\n\nThe whole report: {output.resolve()}\n", None, force, format_="text")


def convert(found: Spans, file: Any, output: Path, force: bool, **options: Any) -> None:
    """Units as a table; with ``--unit token``, a label for every token and rater."""
    from raters.cli.options import put, refuse, stop
    from raters.reporting.answer import Answer
    from raters.spans.tokens import tokens
    from raters.writing import csv_text, write_whole

    refuse(output, force)
    if output.suffix.lower() != ".csv":
        stop(f"{output.name}: units are written as CSV; use a name that ends in .csv.")
    columns = tokens(found) if options.get("unit") else found.to_columns()
    content = csv_text(list(columns), zip(*columns.values(), strict=True))
    write_whole(output, content.encode(), force)
    put(printed_answer(Answer(f"Written: {output}.", read=read_lines(found))), None, force, format_="text")
