"""The views of a file, made from the report's own values, sentences and pictures. Runs in the file's process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from raters.agree.agreement import item_rows
from raters.annotations import Annotations, counted
from raters.errors import DataError, RatersError
from raters.estimate import Estimate
from raters.io.read import read
from raters.io.readings.reading import InDoubt
from raters.io.sources.files import file_options, from_file
from raters.io.table import SeveralQuestions
from raters.items import cooccurrence, fold, items_by_name, python_values
from raters.items.subsets import recounted
from raters.notes.note import CATALOGUE, OPTION, Note, in_python, options_as, unnamed, worded
from raters.reporting.cards import hardest_cards, item_texts, text_columns
from raters.reporting.context import MOST_RATERS, Context, known_label_name
from raters.reporting.document import Card, Document, Figure, Table, Verdict, percent
from raters.reporting.findings import split
from raters.reporting.handed_on import report_document, tables_of
from raters.reporting.html import environment
from raters.reporting.meeting import WRITERS, meeting
from raters.reporting.of_spans import SpanReport, report_of_spans
from raters.reporting.report import QUESTIONS, Report, paper, report, together
from raters.reporting.several import USE, by_verdict, headline
from raters.reporting.verdict import first_of_verdict, verdict
from raters.spans.units import Spans
from raters.web.consensus import ASKED, FILES, consensus_view, fit_of
from raters.web.spans import part as spans_part
from raters.web.spans import spans_view
from raters.web.state import ROLES, State, read_options, reading_of

PAGE = 25
"""Items of a page."""
MOST_CHIPS = 40
"""Raters that have a button each."""
MOST_LABELS = 12
"""Labels of the matrix; of more, those that are confused most."""
MOST_VALUES = 12
"""Values of a column by which one may slice."""
MOST_POOLS = 6
"""Groups of raters that have their own row of buttons."""
MARGINS = (0.02, 0.05, 0.1, 0.15, 0.2)
CROWDS = ((0.1, "a crowd"), (0.15, "skilled people"), (0.2, "experts"))
"""Margins that may be chosen for a judge, and what people are, with the epsilon that is meant for them."""
FOLDED = 20
"""Questions from which those that are reliable are folded, and can be searched."""
MOST_ROWS = 50
"""Raters of a page."""
ROWS = 8
"""First rows of a table that is looked at."""
CONTROLS = {*ROLES, "scale", "labels", "missing", "layout", "duplicates"}
"""Options of ``read`` that the view of the reading lets one change."""
LABELS = (
    ("report.html", "Report"),
    ("onepage.html", "One page"),
    ("report.docx", "Word"),
    ("tables.xlsx", "Tables (Excel)"),
    ("report.md", "Markdown"),
    ("report.csv", "Figures (CSV)"),
    ("report.json", "JSON"),
)
SPANS = tuple(x for x in LABELS if x[0].startswith("report.") and x[0] != "report.docx")
"""What can be downloaded of a table of labels, and of spans."""
COMING = "it is being fitted"
BESIDE = "Each rater beside the others."
"""In place of a model, and of who stands out, on what a page shows before there is one."""


class HoldsSpans(Exception):
    """Views of labels are asked for, where there are spans."""


@cache
def pages() -> Any:
    return environment("raters.web")


@dataclass
class Session:
    """A file, its tables as they were asked for, and what was computed of them."""

    paths: Sequence[str]
    name: str
    tell: Callable[[str | dict[str, Any]], None]
    """What is being computed, or what is known of the view so far."""

    def __post_init__(self) -> None:
        self.tables: dict[Any, Annotations | Spans] = {}
        self.asked: dict[Any, SeveralQuestions | None] = {}
        self.contexts: dict[str, Context] = {}
        self.span_reports: dict[str, SpanReport] = {}
        self.questions: dict[str, Report] = {}

    def answer(self, view: str, state: State, more: Any) -> tuple[str, Any]:
        """``done`` with what was made; ``questions`` where one must be chosen; ``spans`` where there are no labels;
        ``unread`` where it is not certain how the file is read; or ``failed`` with the reason.
        """
        try:
            named = nullcontext() if view == "download" else options_as(on_page)
            with warnings.catch_warnings(), named:
                warnings.simplefilter("ignore")  # notes stand on the page
                return "done", VIEWS[view](self, state, more)
        except HoldsSpans:
            return "spans", ""
        except SeveralQuestions as several:
            return "questions", list(several.questions)
        except RatersError as error:
            return "failed" if self.key(state) in self.tables else "unread", self.without_paths(str(error))
        except MemoryError:
            return "failed", "There is not enough memory for this table on this computer."
        except Exception as error:  # the server stays up, and a page shows no trace
            return "failed", f"This view could not be made ({type(error).__name__}); please report it."

    def without_paths(self, said: str) -> str:
        """A sentence that does not say where a file lies that was dropped."""
        for path in self.paths:
            said = said.replace(path, path.rpartition("/")[2])
        return said

    def table(self, state: State) -> Annotations:
        """The table as the address says it is read, whole."""
        found = self.source(state)
        if isinstance(found, Spans):
            raise HoldsSpans
        return found

    def source(self, state: State) -> Annotations | Spans:
        """The same, whether it holds labels or spans."""
        key = self.key(state)
        if key not in self.tables:
            self.tell("reading")
            options = read_options(state.own)
            source: Any = self.paths[0] if len(self.paths) == 1 else list(self.paths)
            if state.question:
                options["question"] = state.question
                several = self.several(state)
                source = several.table or source if several is not None else source
            ann: Any = read(source, **options)
            if isinstance(ann, Annotations) and ann.duplicates == "error" and ann.repeats:
                ann = replace(ann, duplicates="first")
            self.tables[key] = replace(ann, source=self.name)
        return self.tables[key]

    def context(self, state: State) -> Context:
        """What figures are made from: the table without the raters left out, of the slice that was chosen."""
        core = state.core().query()
        if core not in self.contexts:
            ann = part(self.table(state), state)
            judges = tuple(j for j in state.judges if j not in state.without)
            strict = {"margin": state.margin, "epsilon": state.epsilon}
            pool = state.pool or None
            self.contexts[core] = Context(
                ann, target=state.target, pool=pool, judges=judges, judging=strict, progress=self.tell
            )
            while len(self.contexts) > 8:
                del self.contexts[next(iter(self.contexts))]
        return self.contexts[core]

    def key(self, state: State) -> tuple[Any, str]:
        """What a table depends on."""
        return tuple(sorted(state.own.items())), state.question

    def several(self, state: State) -> SeveralQuestions | None:
        """The questions of a file that asks more than one."""
        key = self.key(replace(state, question=""))
        if key not in self.asked:
            try:
                self.asked[key] = None
                self.source(replace(state, question=""))
            except SeveralQuestions as several:
                self.asked[key] = several
        return self.asked[key]

    def report(self, state: State) -> Report | SpanReport:
        several = None if state.question else self.several(state)
        if several is not None:
            each = {q: replace(state, question=q) for q in several.questions}
            anns = {q: self.context(one).ann for q, one in each.items()}
            return together({q: self.of_labels(one) for q, one in each.items()}, self.name, anns)
        found = self.source(state)
        return self.span_report(found, state) if isinstance(found, Spans) else self.of_labels(state)

    def of_labels(self, state: State) -> Report:
        c = self.context(state)
        made = report(c.ann, target=c.target, pool=c.pool, judges=c.judges, progress=self.tell)
        told, *read = (" ".join(filter(None, (chosen(state), said))) for said in (made.not_used, *made.in_words))
        return replace(made, not_used=told, in_words=tuple(read))

    def span_report(self, found: Spans, state: State) -> SpanReport:
        core = state.core().query()
        if core not in self.span_reports:
            self.tell("agreement on spans")
            self.span_reports = {core: report_of_spans(spans_part(found, state))}
        return self.span_reports[core]

    def page(self, view: str, state: State, **values: Any) -> dict[str, Any]:
        """A view as HTML, with what stands above every view."""
        ann = self.table(state)
        names = names_of(ann) if ann.n_raters <= MOST_CHIPS else []
        pools = self.pools(state) if names else {}
        column = state.pool or Context(ann).pool_column or ""
        several = self.several(state) if state.question else None
        values |= {"view": view, "state": state, "ann": ann, "raters": names, "pools": pools, "pool": column}
        values |= {"groups": pools.get(column) or {"": names}, "slices": self.slices(state)}
        values |= {"questions": several.questions if several else ()}
        values |= {"left": counted(len(state.without), "rater"), "part": counted, "percent": percent}
        return {"html": pages().get_template(f"page/{view}.html").render(**values), "title": self.name}

    def slices(self, state: State) -> dict[str, list[str]]:
        """The columns by which one may slice, with their values."""
        ann = self.table(state)

        def found() -> dict[str, list[str]]:
            texts, made = set(text_columns(Context(ann))), {}
            for column in ann.extras[:20]:
                name = ann.engine.quote(column)
                got = ann.engine.query(f"SELECT DISTINCT {name} AS v FROM annotations LIMIT {MOST_VALUES + 1}")
                values = sorted(str(v) for v in python_values(got["v"]) if v is not None)
                if 2 <= len(values) <= MOST_VALUES and column not in texts and not known_label_name(column):
                    made[column] = values
            return made

        return ann.once("web slices", found, lambda made: sum(map(len, made.values())))

    def pools(self, state: State) -> dict[str, dict[str, list[str]]]:
        """The columns that put every rater into one group, and the raters of each group."""
        ann = self.table(state)

        def found() -> dict[str, dict[str, list[str]]]:
            made: dict[str, dict[str, list[str]]] = {}
            for column, values in self.slices(state).items():
                name = ann.engine.quote(column)
                got = ann.engine.query(
                    f"SELECT DISTINCT rater, {name} AS side FROM annotations WHERE {name} IS NOT NULL"
                )
                pairs = [
                    (str(r), str(s)) for r, s in zip(*(python_values(got[x]) for x in ("rater", "side")), strict=True)
                ]
                if len(values) <= MOST_POOLS and len(pairs) == ann.n_raters:
                    made[column] = {v: sorted(r for r, side in pairs if side == v) for v in values}
            return made

        return ann.once("web pools", found, lambda made: ann.n_raters * len(made))


def on_page(name: str, value: str | None, given: Any) -> str:
    """An option in the words of the page, where it has a control for it.

    >>> on_page("scale", None, None), on_page("scale", "ordinal", "ordinal"), on_page("seed", "1", 1)
    ("'scale' under the file's name", "'scale: ordinal'", 'seed=1')
    """
    if name not in CONTROLS:
        return in_python(name, value, given)
    return f"{name!r} under the file's name" if value is None else f"'{name}: {value}'"


def beside_controls(note: Note) -> str:
    """A note where the controls stand that change what it says; of others it says how, in Python."""
    asked = {option[1] for option in OPTION.finditer(CATALOGUE[note.code].text)}
    return worded(note, unnamed if asked <= CONTROLS else in_python)


def chosen(state: State) -> str:
    """What was left out by hand, for the first line of a report; empty if nothing was."""
    only = f"Only items with {state.slice.replace('=', ' ', 1)}." if state.slice else ""
    if not state.without:
        return only
    who = ", ".join(state.without)
    return f"Left out by hand after a look, so the figures are optimistic: {who}. {only}".strip()


def names_of(ann: Annotations) -> list[str]:
    got = ann.engine.query("SELECT DISTINCT rater FROM annotations")
    return sorted(str(r) for r in python_values(got["rater"]) if r is not None)


def part(ann: Annotations, state: State) -> Annotations:
    """The table without some raters, and of one slice."""
    engine = ann.engine
    if state.without:
        gone = {"name": np.array(state.without, dtype=object)}
        sql = (
            "SELECT a.* FROM annotations AS a LEFT JOIN gone ON CAST(a.rater AS STRING) = gone.name"
            " WHERE gone.name IS NULL"
        )
        engine = engine.derive(sql, gone=gone)
    if state.slice:
        column, _, value = state.slice.partition("=")
        if column not in ann.extras:
            raise DataError(f"there is no column {column!r} to choose items by.")
        only = {"name": np.array([value], dtype=object)}
        sql = f"SELECT a.* FROM annotations AS a JOIN chosen ON CAST(a.{engine.quote(column)} AS STRING) = chosen.name"
        engine = engine.derive(sql, chosen=only)
    return ann if engine is ann.engine else recounted(ann, engine)


def section(c: Context, key: str) -> Document:
    """One section of the report, as a document of its own."""
    question = next(q for q in QUESTIONS if q.key == key)
    return Document(c.ann.source, {}, (), (question.section(c),), "", ())


def overview(session: Session, state: State, more: Any) -> Any:
    c = session.context(state)
    session.tell("agreement")
    all_ = session.context(replace(state, without=(), slice=""))
    if early := first_of_verdict(c):  # what counts alone say is shown while a model is fitted
        beside = ghosts(early, None if all_ is c else first_of_verdict(all_))
        session.tell(session.page("overview", state, v=early, ghosts=beside, curve=None))
    session.tell("the aggregate, and a model of the raters")
    found = verdict(c, ())
    whole = None if all_ is c else verdict(all_, ())
    curve = c.curve
    at = None
    if not isinstance(curve, str):
        k = state.k or curve.at
        at = next(((n, e) for n, e in curve.points if n >= k), curve.points[-1])
    values = {"v": found, "report": section(c, "aggregate"), "ghosts": ghosts(found, whole), "downloads": LABELS}
    values |= {"curve": None if isinstance(curve, str) else curve, "at": at}
    values |= {"labels": 0 if at is None else at[0] * c.ann.n_items}
    return session.page("overview", state, **values) | {"verdict": found.headline, "figure": found.figures[0].line}


def ghosts(now: Verdict, whole: Verdict | None) -> list[Figure | None]:
    """Beside each figure that of all raters and items."""
    if whole is None:
        return [None for _ in now.figures]
    named = {f.title: f for f in whole.figures}
    return [named.get(f.title) or whole.figures[i] for i, f in enumerate(now.figures)]


def in_two(stage: str, page: Callable[[Session, State, Context], Any]) -> Callable[[Session, State, Any], Any]:
    """A view; what it has without a model of the raters is told first, where none was fitted and none sorts it."""

    def view(session: Session, state: State, more: Any) -> Any:
        c = session.context(state)
        session.tell(stage)
        if "fit" not in vars(c) and not state.sort:
            early = copy(c)
            vars(early)["fit"] = COMING
            session.tell(page(session, state, early))
            session.tell("a model of the raters")
        return page(session, state, c)

    return view


def where(session: Session, state: State, c: Context) -> Any:
    made = section(c, "where")
    answer = made.sections[0]
    cells: Any = None
    if c.ann.scale.categories and not answer.absent:
        bag = fold(c.ann)[None].merged()
        pairs, both = cooccurrence(bag), items_with_both(bag)
        order = np.arange(len(c.ann.labels))
        if len(order) > MOST_LABELS:
            apart = pairs.sum(1) - np.diag(pairs)
            order = np.sort(np.argsort(-apart, kind="stable")[:MOST_LABELS])
        with np.errstate(invalid="ignore"):
            share = pairs / pairs.sum(1, keepdims=True)
            if state.by == "chance":
                share = share / (pairs.sum(0) / pairs.sum())
        most = max((share[i, j] for i in order for j in order if i != j and share[i, j] == share[i, j]), default=0.0)
        cells = [
            (
                int(i),
                str(c.ann.labels[i]),
                [(int(j), share[i, j], int(both[i, j]), shade(share[i, j], most) if i != j else 0) for j in order],
            )
            for i in order
        ]
    pair = pair_of(c.ann, state.cell)
    listed = listing(c, state, pair) if pair else None
    words = times if state.by == "chance" else percent
    values = {"report": made, "cells": cells, "found": listed, "words": words, "answer": answer}
    return session.page("where", state, pair=[str(c.ann.labels[i]) for i in pair], **values)


def times(ratio: float) -> str:
    """How many times as often as by chance.

    >>> times(0.456), times(12.3)
    ('0.46×', '12×')
    """
    return f"{ratio:.2g}×"


def shade(share: float, most: float) -> int:
    """How strongly a cell is coloured, from 0 to 8; the diagonal is not coloured at all."""
    return round(8 * share / most) if share == share and most > 0 else 0


def items_with_both(bag: Any) -> Any:
    """(label, label): how many items have both."""
    has = bag.counts > 0
    return (has.astype(float).T @ has.multiply(bag.weight[:, None])).toarray()


def hardest_first(found: Any) -> Any:
    """(place,): the items, those on which raters differ most first."""
    closeness = found.observed if found.overall.parts == "agreement" else -found.observed
    return np.argsort(np.where(np.isnan(closeness), np.inf, closeness), kind="stable")


def pair_of(ann: Annotations, cell: str) -> list[int]:
    """The places of two labels; none if the address names none."""
    found = [int(x) for x in cell.split("-") if x.isdecimal()]
    return found if len(found) == 2 and max(found) < len(ann.labels) else []


def have_both(found: Any, pair: Sequence[int]) -> Any:
    """(item,): whether each of these labels was given."""
    return np.asarray((found.items.counts[:, pair] > 0).sum(1)).ravel() == len(set(pair))


def listing(c: Context, state: State, pair: Sequence[int] = ()) -> dict[str, Any]:
    """A page of the items that were searched for, of a kind, and in an order; only of those with both labels."""
    found = item_rows(c.ann)
    names = np.array([str(x) for x in found.names], dtype=object)
    differ, apart = np.diff(found.items.counts.indptr) > 1, split(c)
    groups = {"": np.ones(len(names), bool), "differ": differ, "same": ~differ & (found.r >= 2), "one": found.r < 2}
    if apart is not None:
        groups["split"] = np.array([x in apart[1].items for x in names], bool)
    match = search(c, state.find, names) & have_both(found, pair)
    groups = {name: mask & match for name, mask in groups.items()}
    order = np.arange(len(names)) if state.sort == "name" else hardest_first(found)
    if state.sort == "settled" and not isinstance(c.fit, str):
        sure = {str(x): p for x, p in zip(c.fit.items, np.nan_to_num(c.fit.certainty), strict=True)}
        order = np.argsort([sure.get(x, np.inf) for x in names], kind="stable")
    keep = order[groups.get(state.only, groups[""])[order]]
    last = max(1, -(-len(keep) // PAGE))
    page = min(state.page, last)
    return {
        "cards": cards(c, [found.names[i] for i in keep[(page - 1) * PAGE : page * PAGE]]),
        "n": len(keep),
        "sizes": {name: int(mask.sum()) for name, mask in groups.items()},
        "number": page,
        "last": last,
        "differ": int(differ.sum()),
        "sides": apart[0] if apart is not None else None,
        "certain": not isinstance(c.fit, str),
    }


def cards(c: Context, items: Sequence[Any]) -> tuple[Card, ...]:
    found = hardest_cards(c, items)
    return () if found is None else found.cards


def raters(session: Session, state: State, c: Context) -> Any:
    made = Document(c.ann.source, {}, (), (*section(c, "raters").sections, *section(c, "usage").sections), "", ())
    sure = made.sections[0].absent or c.part.n_raters > MOST_RATERS or c.camps or c.standing_out.disagree
    if c.fit is COMING and not sure:  # a model may find somebody
        made = replace(made, sections=(replace(made.sections[0], answer=BESIDE), *made.sections[1:]))
    letter = message(c, state.who) if state.who else None
    each = rater_rows(c, made, state)
    return session.page("raters", state, report=made, names=names_of(c.ann), letter=letter, each=each)


def rater_rows(c: Context, made: Document, state: State) -> dict[str, Any] | None:
    """The report's table of raters by one of its columns, those who stand out first; a page of it."""
    blocks = [x for s in made.sections for x in (*s.blocks, *s.details)]
    table = next((x for x in blocks if isinstance(x, Table) and x.name == "raters"), None)
    if table is None:
        return None
    rows = [(*r[:2], differs(r[2]), *r[2:]) for r in (*table.rows, *table.rest)]
    columns = (*table.columns[:2], "differs from the others", *table.columns[2:])
    at = int(state.sort) if state.sort.isdecimal() and int(state.sort) < len(columns) else None
    some = None if c.part.n_raters > MOST_RATERS else c.standing_out
    out = {*some.disagree, *some.flagged, *some.usage} if some else set()

    def place(row: Sequence[Any]) -> tuple[Any, ...]:
        x = row[2 if at is None else at]
        value = x.value if isinstance(x, Estimate) else x
        down = -1 if at in (None, 1, 2) else 1
        none = value is None or value != value
        return at is None and row[0] not in out, none, 0 if none else value if isinstance(value, str) else down * value

    last = max(1, -(-len(rows) // MOST_ROWS))
    page = min(state.page, last)
    shown = sorted(rows, key=place)[(page - 1) * MOST_ROWS : page * MOST_ROWS]
    return {"columns": columns, "rows": shown, "at": at, "number": page, "last": last, "note": table.note}


def differs(e: Any) -> float | None:
    """How often a rater's label is not that of another; None if labels may differ by degrees."""
    return 1 - e.observed if isinstance(e, Estimate) and e.parts == "agreement" and e.unweighted else None


def message(c: Context, rater: str) -> dict[str, Any] | None:
    """What one could write to a rater: the items on which all others who agree say something else."""
    if c.ann.scale.of_sets or not c.ann.n_raters:
        return None
    names, items = items_by_name(c.ann, "rater")
    at = next((i for i, g in enumerate(items.groups) if str(g) == rater), None)
    if at is None:
        return None
    k = len(items.labels)
    own = items.counts[:, at * k : (at + 1) * k].toarray()
    others = items.merged().counts.toarray() - own
    best = others.argmax(1)
    clear = (others.max(1) >= 2) & ((others == others.max(1, keepdims=True)).sum(1) == 1)
    differs = np.flatnonzero((own.sum(1) == 1) & clear & (own.argmax(1) != best))
    strength = others[differs].max(1) / np.maximum(others[differs].sum(1), 1)
    order = differs[np.argsort(-strength, kind="stable")]
    rows = [(names[i], str(items.labels[own[i].argmax()]), str(items.labels[best[i]])) for i in order]
    found = cards(c, [name for name, _, _ in rows[:10]])
    told = [(*row, card.text) for row, card in zip(rows, found, strict=False)]
    return {"rater": rater, "n": len(rows), "given": int((own.sum(1) > 0).sum()), "rows": told, "cards": found}


def items(session: Session, state: State, c: Context) -> Any:
    return session.page("items", state, found=listing(c, state))


def search(c: Context, text: str, names: Any) -> Any:
    """(item,): whether the item's name or text holds these words."""
    if not text.strip():
        return np.ones(len(names), bool)
    q = c.ann.engine
    wanted = q.text(text.strip().lower())
    columns = ["item", *map(q.quote, text_columns(c))]
    held = " OR ".join(f"strpos(lower(CAST({column} AS VARCHAR)), {wanted}) > 0" for column in columns)
    got = q.query(f"SELECT DISTINCT CAST(item AS VARCHAR) AS item FROM annotations WHERE {held}")
    return np.isin(names.astype(str), got["item"].astype(str)) if len(got["item"]) else np.zeros(len(names), bool)


def judges(session: Session, state: State, more: Any) -> Any:
    c = session.context(state)
    session.tell("judges")
    made = section(c, "judges") if state.judges else None
    reports = () if made is None or isinstance(c.judged, str) else c.judged
    one = next((r for r in reports if r.judge == state.who), None)
    return session.page(
        "judges", state, report=made, names=names_of(c.ann), reports=reports, one=one, margins=MARGINS, crowds=CROWDS
    )


def reading(session: Session, state: State, more: Any) -> Any:
    """How the file is read, before anything is computed: the first rows, what each column is, and the counts."""
    head, rows = first_rows(session.paths, state)
    ann: Annotations | Spans | None = None
    why, questions, offered = "", [], []
    try:
        ann = session.source(state)
    except InDoubt as doubt:
        why = "" if doubt.asked else session.without_paths(str(doubt))
        offered = [(r, replace(state, reading={**state.reading, **reading_of(r.options)})) for r in doubt.readings]
    except SeveralQuestions as several:
        questions = list(several.questions)
    except RatersError as error:
        why = session.without_paths(str(error))
    labels = ann if isinstance(ann, Annotations) else None
    roles = {} if labels is None else roles_of(labels, head)
    for role in ROLES:
        roles |= {column: role for column in state.reading.get(role, "").split("|") if column in head}
    if labels is not None and not roles.keys() & set(head):  # a tool's export is not read by its columns
        head, rows = [], []
    order, of = labels_of(labels), f".{state.question}" if state.question else ""

    def moved(at: int, by: int, scale: str = "ordinal") -> str:
        """The address in which a label stands one place earlier or later."""
        new = list(order)
        new[at], new[at + by] = new[at + by], new[at]
        own = {**state.reading, f"scale{of}": scale, f"labels{of}": "|".join(new)}
        return replace(state, reading=own).query()

    values = {"head": head, "rows": rows, "roles": roles, "why": why, "questions": questions, "offered": offered}
    values |= {"read": ann, "counts": counts_of(ann), "labels": order, "moved": moved, "of": of, "state": state}
    values |= {"missing": [x for x in state.own.get("missing", "").split("|") if x], "name": session.name}
    values |= {"command": command(session.name, state), "python": python(session.name, state)}
    values |= {"ordered": labels is not None and labels.scale.ranks, "view": "reading", "said": beside_controls}
    return {"html": pages().get_template("page/reading.html").render(**values), "title": session.name}


def roles_of(ann: Annotations, head: Sequence[str]) -> dict[str, str]:
    """What each column was taken for; where raters have columns, these are raters."""
    found = {column: role for role, column in ann.columns.items()}
    if "rater" not in ann.columns and 0 < ann.n_raters <= len(head):
        found |= {name: "rater" for name in names_of(ann) if name in head and name not in found}
    return found


def first_rows(paths: Sequence[str], state: State) -> tuple[list[str], list[list[str]]]:
    """The columns and first rows of a table; none of an export, or of several files."""
    if len(paths) != 1:
        return [], []
    header = read_options(state.reading).get("header")
    try:
        found = from_file(paths[0], file_options("auto", header=header))
    except RatersError:
        return [], []
    columns = ", ".join(f"c{i}" for i in range(min(len(found.names), 40)))
    got = found.engine.query(f"SELECT {columns} FROM annotations ORDER BY row LIMIT {ROWS}")
    rows = [[("" if v is None else str(v))[:60] for v in python_values(got[f"c{i}"])] for i in range(len(got))]
    return list(found.names[: len(rows)]), [list(row) for row in zip(*rows, strict=True)]


def counts_of(ann: Annotations | Spans | None) -> list[tuple[str, str]]:
    """How much was read, in numbers that one can check."""
    if ann is None:
        return []
    if isinstance(ann, Spans):
        found = {"documents": ann.n_documents, "raters": ann.n_raters, "spans": ann.n_units, "kinds": len(ann.labels)}
        return [(word, f"{n:,}") for word, n in found.items()]
    raters = f"{ann.n_raters:,}" if ann.n_raters else "unnamed"
    whole = [("items", f"{ann.n_items:,}"), ("raters", raters), ("labels", f"{ann.n_annotations:,}")]
    return [*whole, ("labels an item", f"{ann.per_item[1]:.3g}"), ("scale", str(ann.scale))]


def labels_of(ann: Annotations | None) -> list[str]:
    """The labels, if they are few enough to be put in order by hand."""
    if ann is None or len(ann.single) > MOST_LABELS:
        return []
    return [str(x) for x in ann.single]


def command(name: str, state: State) -> str:
    """The same at a terminal."""
    import shlex

    options = [f"--{name} {shlex.quote(value.replace('|', ','))}" for name, value in state.own.items()]
    options += [f"--question {shlex.quote(state.question)}"] if state.question else []
    return " ".join(["raters report", shlex.quote(name), *options])


def python(name: str, state: State) -> str:
    """The same in Python."""
    options = [f"{role}={value!r}" for role, value in read_options(state.own).items()]
    options += [f"question={state.question!r}"] if state.question else []
    return f"ann = raters.read({', '.join([repr(name), *options])})\nraters.report(ann)"


def spans(session: Session, state: State, more: Any) -> Any:
    """Spans: the text with every rater's marks."""
    found = session.source(state)
    if not isinstance(found, Spans):
        raise DataError("this file holds labels, not spans. Open its overview.")
    values = spans_view(found, session.span_report(found, state), state)
    values |= {"state": state, "left": counted(len(state.without), "rater"), "downloads": SPANS}
    html = pages().get_template("page/spans.html").render(**values)
    return {"html": html, "title": session.name, "verdict": values["answer"], "figure": values["about"]}


def questions(session: Session, state: State, more: Any) -> Any:
    """Several questions of one file, a row each, which leads to all about its question."""
    several = session.several(state)
    if several is None:
        raise DataError("this file asks one question. Open its overview.")
    core, names = state.core().query(), list(several.questions)
    if core not in session.questions:
        reports, anns = {}, {}
        for n, name in enumerate(names, 1):
            c = session.context(replace(state, question=name))
            session.tell(f"question {n} of {len(names)}: {name}")
            reports[name] = Report(name, c.ann.summary(), (), (), "", (), verdict=verdict(c, ()), paper=paper(c))
            anns[name] = c.ann
        session.questions = {core: together(reports, session.name, anns)}
    made = session.questions[core]
    groups = {
        words: tuple(q for q in group if state.find.lower() in q.name.lower())
        for words, group in by_verdict(made).items()
    }
    long = len(names) > FOLDED
    shut = long and not state.find and state.only != "all"
    folded = {w: g for w, g in groups.items() if shut and all(q.step == USE for q in g)}
    values = {"groups": {w: () if w in folded else g for w, g in groups.items() if g}, "folded": folded, "long": long}
    values |= {"report": made, "state": state, "downloads": [x for x in LABELS if x[0] != "onepage.html"]}
    values |= {"address": lambda q: f"overview?{state.query(question=q, open='', find='', only='')}"}
    html = pages().get_template("page/questions.html").render(**values)
    return {"html": html, "title": session.name, "verdict": headline(made), "figure": made.about[0]}


def queue(session: Session, state: State, more: Any) -> Any:
    """What can be adjudicated, hardest first: the names of items, and the labels."""
    ann = session.table(state)
    found = item_rows(ann)
    differ = np.diff(found.items.counts.indptr) > 1
    wanted = have_both(found, pair_of(ann, state.cell)) & (differ | (state.only == "all"))
    names = [str(found.names[i]) for i in hardest_first(found) if wanted[i]]
    return {"names": names, "labels": [str(x) for x in ann.single]}


def card(session: Session, state: State, more: Any) -> Any:
    """An item's text, whole, and its votes where they are asked for: what they mean waits for a model."""
    c = session.context(replace(state, without=(), slice="", votes=0))
    name = next((x for x in item_rows(c.ann).names if str(x) == state.at), state.at)
    shown = cards(c, [name]) if state.votes else ()
    return shown[0] if shown else None, item_texts(c.ann, [name]).get(state.at, "")


def consensus_page(session: Session, state: State, more: Any) -> Any:
    """The consensus, without what was decided here or with it."""
    c = session.context(state)
    session.tell("annotation model")
    fit = fit_of(c, more if state.gold else ())
    values = consensus_view(c, fit, state, lambda names: search(c, state.find, names))
    files = [(name, words) for name, (words, _) in FILES.items()]
    values |= {"gold": len(more) if state.gold else 0, "decided": len(more), "most": ASKED}
    values |= {
        part: [x for x in files if x[0].startswith(of)] for part, of in (("files", "consensus"), ("next_files", "next"))
    }
    return session.page("consensus", state, **values)


def download(session: Session, state: State, more: Any) -> Any:
    """A report, a table or a picture as a file."""
    name, gold = more
    if name in FILES:
        c = session.context(state)
        return FILES[name][1](c, fit_of(c, gold if state.gold else ()))
    if name.startswith("meeting."):
        return WRITERS[f".{name.partition('.')[2]}"](meeting(session.context(state).ann))
    if name.startswith("picture-"):
        return picture_file(session, state, name)
    made = session.report(state)
    if name == "onepage.html" and isinstance(made, Report) and made.verdict is not None:
        v = replace(made.verdict, about=f"{chosen(state)} {made.verdict.about}".strip())
        return replace(made, verdict=v).html(one_page=True).encode()
    if name not in OFFICE:
        return made.render(FORMATS[name]).encode()
    if isinstance(made, SpanReport):
        raise DataError("a report on spans is not written as a Word or Excel file. Choose HTML, Markdown, CSV or JSON.")
    return OFFICE[name](made)


OFFICE = {"report.docx": report_document, "tables.xlsx": tables_of}
FORMATS = {"report.html": "html", "report.md": "markdown", "report.csv": "csv", "report.json": "json"}


def picture_file(session: Session, state: State, name: str) -> bytes:
    """A picture of a section, by the names of both."""
    key, _, chart = name.removeprefix("picture-").rpartition(".")[0].partition("-")
    c = session.context(state)
    if key not in [q.key for q in QUESTIONS]:
        raise DataError(f"there is no section {key!r}.")
    found = next((x for s in section(c, key).sections for x in s.charts() if x.name == chart), None)
    if found is None:
        raise DataError(f"there is no picture {chart!r} here.")
    return found.png() if name.endswith(".png") else found.svg().encode()


VIEWS: Mapping[str, Callable[[Session, State, Any], Any]] = {
    "overview": overview,
    "where": in_two("where people disagree", where),
    "raters": in_two("raters", raters),
    "items": in_two("items", items),
    "judges": judges,
    "consensus": consensus_page,
    "reading": reading,
    "questions": questions,
    "spans": spans,
    "queue": queue,
    "card": card,
    "download": download,
}
