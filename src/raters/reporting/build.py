"""From a table to its report."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy

from raters import __version__
from raters.errors import RatersError, UsageError
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items.folding import refuse_spans
from raters.reporting.context import Context
from raters.reporting.document import Section
from raters.reporting.first_lines import assumed, first_lines
from raters.reporting.methods import paragraph, short
from raters.reporting.paper import Paper
from raters.reporting.paper_table import paper_table
from raters.reporting.questions import QUESTIONS
from raters.reporting.references import references
from raters.reporting.report import Report
from raters.reporting.several import together
from raters.reporting.verdict import verdict


def _together(reports: dict[str, Report], given: Mapping[str, Any]) -> Report:
    """The reports on all questions of a source as one, under the title that was given."""
    made = together(reports, str(next(iter(reports.values())).data["source"]))
    return replace(made, title=given["title"]) if given.get("title") else made


@takes_tables(together=_together)
def report(
    ann: Source,
    *,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    target: float = 0.8,
    pool: str | None = None,
    judges: Sequence[str] = (),
    text: str | Sequence[str] | None = None,
    command: str | None = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
    **reading: Unpack[Reading],
) -> Report:
    """Answer every question that the table can answer, in the order in which people ask them.

    ``target``: the reliability that the aggregate should reach. ``pool``: the column that names pools of raters.
    ``judges``: the raters that are models, to be compared with the others. ``interval``: the method for the coefficients'
    intervals, as in :func:`raters.agreement`; None for a report without any interval. ``text``: the column, or columns, that hold
    what was labelled, for the cards of the hardest items; found by their usual names if omitted. ``progress``: called with the name
    of each stage. Where a rater labelled an item twice and ``read`` was not told what to do, the report uses the first label and says so on
    its first line. Tables of spans and relations are refused. A source that asks several questions is answered for all of them in one
    report, unless ``question=`` names one; ``scale=`` and ``labels=`` may then be dictionaries, as in ``scale={"tone": "ordinal"}``.

    >>> from raters import examples
    >>> made = report(examples.demo(), resamples=200)
    >>> made.section("agreement").answer[:30]
    "Krippendorff's alpha is 0.43, "
    """
    ann = table(ann)
    refuse_spans(ann)
    if not 0 < target < 1:
        raise UsageError(f"target={target} is not between 0 and 1.")
    if ann.duplicates == "error" and ann.repeats:
        ann = replace(ann, duplicates="first")
    c = Context(
        ann,
        level,
        resamples,
        seed,
        target,
        pool,
        progress=progress or (lambda stage: None),
        judges=tuple(judges),
        interval=interval,
        text=(text,) if isinstance(text, str) else None if text is None else tuple(text),
    )
    sections: list[Section] = []
    for question in QUESTIONS:
        c.progress(question.stage)
        sections.append(question.section(c))
    made = {
        "version": __version__,
        "seed": seed,
        "level": level,
        "interval": interval,
        "resamples": resamples,
        "target": target,
        "command": command,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "duckdb": _version("duckdb"),
    }
    methods, brief, pasted = paragraph(c, sections), short(c), paper(c)
    works = references(f"{methods} {brief} {pasted.note if pasted else ''}", pasted.coefficients if pasted else ())
    return Report(
        title or f"How far can the labels of {ann.source} be trusted?", ann.summary(), tuple(str(ann).splitlines()), tuple(sections),
        methods, works, made,
        " ".join((*([c.plan] if c.plan else []), *first_lines(ann, plain_scale=False))), verdict(c, tuple(sections)), brief, pasted,
        assumed=tuple(a.to_dict() for a in assumed(ann)),
    )  # fmt: skip


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


def paper(c: Context) -> Paper | None:
    """The table for a paper; none where nothing can be compared."""
    if c.ann.used.per_item[2] < 2:
        return None
    try:
        return paper_table(c.ann, of_labels=c.quick, **c.options)
    except RatersError:
        return None
