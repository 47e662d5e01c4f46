"""Tables of estimates as text, JSON, CSV, Markdown and LaTeX: the only place where numbers are rounded.

A renderer is a pure function of the summary of the data and a table; ``FORMATS`` lists them all.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raters.annotations import Annotations
from raters.coefficients import REGISTRY
from raters.estimate import SCHEMA, Estimate, jsonable, shown
from raters.reporting.answer import COLUMNS, Answer, Grid, Shown, grid_lines, printed, shortened
from raters.reporting.first_lines import assumed, discards, first_lines
from raters.reporting.names import called, interval_note, without_own_units
from raters.reporting.table_answer import sentence, table_answer
from raters.words import json_text, markdown_text, printable, tex_text
from raters.words import lines as lines_of
from raters.writing import csv_text

if TYPE_CHECKING:
    from raters.judges.calibration import Calibration
    from raters.judges.judge import JudgeReport, JudgeReports

LEAST_NAME = 20
DROPPED = ("weights", "of", "se", "annotations", "compared", "gain_low", "gain_high", "expected", "observed")
"""Columns that a narrow terminal goes without, the first to go first."""
LAST = ("items", "coefficient", "accuracy", "flags")
"""Columns that go only where names are cut, too."""
LEFT = frozenset({"name", "compared", "slice", "coefficient", "of", "weights", "flags"})


def fitted(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]], list[str]]:
    """A table that fits a terminal of 80 columns: without some columns, in the order of ``DROPPED``, and with long
    names cut.

    >>> fitted(["name", "value", "weights"], [["a" * 70, "0.5", "identity"]])[::2]
    (['name', 'value'], ['weights (identity)'])
    >>> fitted(["name", "flags"], [["ana", "no information found, always the same, " * 3]])[1][0][1][-24:]
    'ion found, always the s…'
    """
    kept = list(range(len(head)))
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def over() -> int:
        return sum(widths[i] for i in kept) + 2 * (len(kept) - 1) - COLUMNS

    def drop(names: Sequence[str]) -> None:
        for name in names:
            if over() > 0 and name in head:
                kept.remove(head.index(name))

    drop(DROPPED)
    widths[0] = min(widths[0], max(widths[0] - over(), LEAST_NAME))  # a long name is cut before anything else goes
    drop(LAST[:-1])
    if LAST[-1] in head and over() > 0:  # long findings are cut at the end: they matter most where they are longest
        at = head.index(LAST[-1])
        widths[at] = max(widths[at] - over(), min(LEAST_NAME, widths[at]))
        rows = [_cut(row, at, widths[at]) for row in rows]
    drop(LAST[-1:])
    most = widths[0]
    shorter = [[x if i or len(x) <= most else shortened(x, most) for i, x in enumerate(row)] for row in rows]
    columns = list(zip(*rows, strict=True)) or [()] * len(head)
    values = [sorted({*column} - {"", "-"}) if name in LEFT else [] for name, column in zip(head, columns, strict=True)]
    left = [f"{name} ({values[i][0]})" if len(values[i]) == 1 else name for i, name in enumerate(head) if i not in kept]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in shorter], left


def _cut(row: list[str], at: int, most: int) -> list[str]:
    """A row whose cell ``at`` ends with an ellipsis if it is too long."""
    cell = row[at] if len(row[at]) <= most else f"{row[at][: most - 1]}…"
    return [*row[:at], cell, *row[at + 1 :]]


Table = Sequence[Estimate]
Lines = Sequence[str]
"""More to say after the table."""
Lead = Estimate | str | None
"""What the first sentence is about, or that sentence."""


DETAILS = ("accuracy", "flags", "gain", "gain_low", "gain_high")
"""Details of an estimate that have a column of their own."""


Column = tuple[str, Callable[[Estimate], str]]
"""The head of a column, and what stands in it."""


def _columns(table: Table) -> list[Column]:
    """Only the columns that say something of this table."""
    return [
        *_name_columns(table),
        ("value", lambda e: _figure(e, e.value)),
        *_interval_columns(table),
        *_part_columns(table),
        *(_detail_column(name) for name in DETAILS if any(name in e.details for e in table)),
        ("items", lambda e: shown(e.n_items)),
        ("annotations", lambda e: shown(e.n_annotations or "-")),
    ]


def _name_columns(table: Table) -> list[Column]:
    """What each row is of."""
    columns: list[Column] = [("slice" if len(table) and table[0].by else "name", called)]
    if len({e.coefficient for e in table}) > 1 and any(e.name != e.coefficient for e in table):
        columns.append(("coefficient", _coefficient))
    if any("against" in e.details for e in table):
        columns.append(
            ("compared", lambda e: "{of} against {against}".format(**e.details) if "against" in e.details else "")
        )
    return columns


def _coefficient(e: Estimate) -> str:
    return REGISTRY[e.coefficient].title if e.coefficient in REGISTRY else e.coefficient


def _interval_columns(table: Table) -> list[Column]:
    if all(e.interval is None for e in table):
        return []
    return [(f"{table[0].level:.0%} interval", _limits), ("se", lambda e: _number(e.se))]


def _part_columns(table: Table) -> list[Column]:
    """Observed and expected; a table without rows has their heads."""
    if len(table) and not any(math.isfinite(e.observed) or e.weights for e in table):
        return []
    return [
        ("observed", lambda e: _number(e.observed)),
        ("expected", lambda e: _number(e.expected)),
        ("of", lambda e: e.parts),
        ("weights", lambda e: e.weights),
    ]


def _detail_column(name: str) -> Column:
    return name, lambda e: shown(e.details.get(name, "-"))


def _figure(e: Estimate, x: float) -> str:
    """Figures that count something (``details["counts"]``) are whole numbers."""
    return shown(int(x) if e.details.get("counts") and math.isfinite(x) else float(x))


def _number(x: float) -> str:
    return shown(float(x)) if math.isfinite(x) else "-"


def _limits(e: Estimate) -> str:
    if e.details.get("counts") and math.isfinite(e.low) and not math.isfinite(e.high):
        return f"{_figure(e, e.low)} or more"
    return f"{_figure(e, e.low)} to {_figure(e, e.high)}" if math.isfinite(e.low) and math.isfinite(e.high) else "-"


def _cells(table: Table) -> tuple[list[str], list[list[str]]]:
    columns = _columns(table)
    return [name for name, _ in columns], [[printable(cell(e)) for _, cell in columns] for e in table]


def _warnings(table: Table) -> list[str]:
    """Each warning once, with whom it concerns."""
    said: dict[str, list[str]] = {}
    for e in table:
        for w in e.warnings:
            said.setdefault(w, []).append(called(e))
    return [f"{_names(names)}: {w}" for w, names in said.items()]


def _names(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def every_column(table: Table) -> list[str]:
    """The table with all columns that fit 80, and what is left out below."""
    head, rows = _cells(table)
    rows, own = without_own_units(table, head, rows)
    head, rows, left = fitted(head, rows)
    grid = Grid(tuple(head), tuple(map(tuple, rows)), frozenset(i for i, name in enumerate(head) if name in LEFT))
    cut = [f"(not shown here: {', '.join(left)}; --format json has every column)"] if left else []
    return [*grid_lines(grid), *(x for line in (*cut, *own) for x in textwrap.wrap(line, COLUMNS))]


def text(
    ann: Annotations,
    table: Table,
    lead: Lead = None,
    lines: Lines = (),
    *,
    answer: Answer | None = None,
    shown: Shown | None = None,
    **extra: Any,
) -> str:
    """Plain text: the answer, the table, what to know, and how the data were read."""
    shown = shown or Shown()
    if answer is None and lead is None and not len(table):  # only what was understood, and nothing is computed for it
        about = "\n".join(printable(x) for x in str(ann).splitlines())
        more = "".join(f"{printable(x)}\n" for x in lines) + "\n" if lines else ""
        return "".join(f"{printable(x)}\n" for x in first_lines(ann, False)) + f"{about}\n\n{more}"
    found = answer or table_answer(ann, table, lead, lines)
    if shown.all and len(table):
        before, after = found.grids[: found.figures], found.grids[found.figures + 1 :]
        found = replace(found, grids=(*before, tuple(every_column(table)), *after))
    return printed(found, shown)


def as_json(ann: Annotations, table: Table, lead: Lead = None, lines: Lines = (), **extra: Any) -> str:
    """``{"schema": 1, "data": {...}, "estimates": [...]}``; undefined is null, the reason in warnings."""
    found = assumed(ann, lead is not None or len(table) > 0)
    lost = " ".join(discards(found))
    whole: dict[str, Any] = {"not_used": lost} if lost else {}
    whole |= {
        "schema": SCHEMA,
        "assumed": jsonable([a.to_dict() for a in found]),
        "data": jsonable(ann.summary()),
        "estimates": [e.to_dict() for e in table],
    }
    whole |= jsonable(extra)
    return json_text(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=str)) + "\n"


def as_csv(ann: Annotations, table: Table, lead: Lead = None, lines: Lines = (), **extra: Any) -> str:
    """One row for each estimate, at full precision; cells that a spreadsheet would run are made text."""
    rows = [e.to_dict() for e in table]
    names = list(dict.fromkeys(key for row in rows for key in row))
    return csv_text(names, ([row.get(name) for name in names] for row in rows))


def markdown(ann: Annotations, table: Table, lead: Lead = None, lines: Lines = (), **extra: Any) -> str:
    """A Markdown table, with the answer above and notes below."""
    head, rows = _cells(table)
    inner = [" | ".join(map(markdown_text, cells)) for cells in (head, *rows)]
    body = [f"| {x} |" for x in (inner[0], " | ".join("---" for _ in head), *inner[1:])]
    answer = [x for said in first_lines(ann) for x in (f"**{markdown_text(printable(said))}**", "")]
    answer += (
        [x for said in lines_of(sentence(lead)).splitlines() for x in (markdown_text(said), "")]
        if lead is not None
        else []
    )
    how = interval_note(table)
    said = [*([how] if how else []), *_warnings(table), *(line.removeprefix("- ") for line in lines if line)]
    notes = [*(f"- {markdown_text(w)}" for w in said), ""] if said else []
    figures = [*body, ""] if len(table) else []
    return "\n".join([*answer, *figures, *notes, *(markdown_text(x) + "  " for x in str(ann).splitlines())]) + "\n"


def latex(ann: Annotations, table: Table, lead: Lead = None, lines: Lines = (), **extra: Any) -> str:
    r"""A booktabs table; needs ``\usepackage{booktabs}``."""
    head, rows = _cells(table)
    align = "".join("l" if h in LEFT else "r" for h in head)
    body = [" & ".join(map(tex_text, cells)) + r" \\" for cells in rows]
    top = " & ".join(map(tex_text, head)) + r" \\"
    how = interval_note(table)
    notes = [f"% {printable(w)}" for w in (*([how] if how else []), *_warnings(table))]
    return (
        "\n".join(
            [
                *(f"% {printable(x)}" for x in first_lines(ann)),
                rf"\begin{{tabular}}{{{align}}}",
                r"\toprule",
                top,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                *notes,
            ]
        )
        + "\n"
    )


FORMATS: Mapping[str, Callable[..., str]] = {
    "text": text,
    "json": as_json,
    "csv": as_csv,
    "markdown": markdown,
    "latex": latex,
}


Checked = Sequence[tuple[str, str, bool, str]]
"""(judge, figure, passed, in words) of every limit of a gate."""


def judged(result: JudgeReports, about: Any, format_: str, missed: Checked, shown: Shown | None = None) -> str:
    """The verdict, the figures, and what else to know."""
    from raters.reporting.judge_answer import judge_answer
    from raters.reporting.junit import Check, junit

    if format_ == "junit":
        cases = [Check(*c) for c in missed] or [Check(r.judge, "verdict", True, r.verdict) for r in result]
        return junit("raters judge", cases, result.verdict)
    whole = result.to_dict()
    extra = {
        "judges": [{k: v for k, v in j.items() if k != "estimates"} for j in whole["judges"]],
        "several": whole["several"],
        "note": str(result.note or ""),
        **({"checks": [dict(zip(CHECK, c, strict=True)) for c in missed]} if missed else {}),
    }
    one = len(result) == 1
    lead = [
        *([f"{result.note}."] if result.note else []),
        *([] if one else [result.summary]),
        *(said for r in result for said in (r.verdict, r.advice)),
    ]
    lines = _lines(result, one)
    if format_ == "text":
        return text(about, _rows(result, format_), answer=judge_answer(result, about, lines), shown=shown)
    return RENDERERS[format_](
        about, _rows(result, format_), "\n".join(lead), lines, **(extra if format_ == "json" else {})
    )


CHECK = ("judge", "check", "passed", "said")
OF_PEOPLE = ("kappa_people", "leave_one_out_people", "alpha_people")
OF_JUDGE = ("kappa", "kappa_gap", "leave_one_out_gap", "kappa_x_ratio", "winning_rate", "advantage")
"""What is shown of each of several judges; JSON and CSV have everything."""


def _rows(result: JudgeReports, format_: str) -> list[Estimate]:
    """For programs every figure under its short name; for people in words, and of several judges what tells them
    apart.
    """
    if format_ in ("json", "csv"):
        return [replace(e, details={**e.details, "judge": r.judge}) for r in result for e in r.figures]
    if len(result) == 1:
        return [_in_words(e, "") for e in result[0].figures]
    shared = [_in_words(e, "") for e in result[0].figures if e.name in OF_PEOPLE]
    return [*shared, *(_in_words(e, f"{r.judge}: ") for r in result for e in r.figures if e.name in OF_JUDGE)]


def _in_words(e: Estimate, who: str) -> Estimate:
    """A figure under its title; weights are part of it where they are not plain."""
    weighted = "" if not e.weights or e.unweighted else f" ({e.weights})"
    nothing = float("nan")
    return replace(
        e, name=f"{who}{e.title or e.name}{weighted}", coefficient="", weights="", observed=nothing, expected=nothing
    )


def _lines(result: JudgeReports, one: bool) -> list[str]:
    lines = []
    for r in result:
        who = "" if one else f"{r.judge}: "
        lines += [f"{who}{said}" for said in _biased(r)]
        if r.confidence is not None:
            lines.append(who + r.confidence.sentence)
        if r.biases is not None:
            lines += [who + said for said in r.biases.sentences]
        if r.preferences is not None:
            lines += [who + said for said in r.preferences.sentences]
        if r.consistency is not None:
            lines.append(r.consistency.sentence)
        lines += [f"{who}{note}." for note in r.notes]
        lines += _confusion(r, who)
    return [*lines, *([result.several.sentence] if result.several is not None else [])]


def _biased(r: JudgeReport) -> list[str]:
    """Labels that the judge gives more or less often than people do, most biased first."""
    clear = sorted((e for e in r.bias if e.low > 0 or e.high < 0), key=lambda e: -abs(e.value))
    if not clear:
        return []
    if r.bias[0].name == "mean" and len(r.bias) == 1:
        e = clear[0]
        way = "higher" if e.value > 0 else "lower"
        return [f"its scores are {way} than people's by {abs(e.value):.3f} on average [{e.low:+.3f}, {e.high:+.3f}]."]
    named = ", ".join(f"{e.name} {e.value:+.1%} [{e.low:+.1%}, {e.high:+.1%}]" for e in clear[:6])
    return [f"it gives these labels more (+) or less (-) often than people do, in percentage points: {named}."]


def _confusion(r: JudgeReport, who: str) -> list[str]:
    """The confusion matrix in lines, where it is small."""
    c = r.confusion
    if c is None or not c.columns or len(c.rows) > 8:
        return []
    wide = max([6, *(len(x) for x in (*c.rows, *c.columns))])
    head = f"{who}rows: the judge; columns: the majority of people (items without a majority, left out: {c.tied})"
    body = [
        f"{name:<{wide}}  " + "  ".join(f"{n:>{wide}}" for n in row) for name, row in zip(c.rows, c.counts, strict=True)
    ]
    return [head, " " * wide + "  " + "  ".join(f"{name:>{wide}}" for name in c.columns), *body]


def calibrated(
    found: Calibration, about: Any, format_: str, half_width: float | None, shown: Shown | None = None
) -> str:
    """The figures beside people alone and the judge alone, labels for a width, ranks."""
    needed = found.labels_for(half_width) if half_width else None
    ranks = [
        f"{name}: probability of rank 1, 2, ...: {', '.join(f'{p:.2f}' for p in chances)}"
        for name, chances in found.ranks.items()
    ]
    lines = [*([needed.sentence] if needed else []), *ranks, *(f"{w}." for w in found.notes)]
    extra = {k: v for k, v in found.to_dict().items() if k not in ("schema", "estimates")} | (
        {"labels_for": needed.to_dict()} if needed else {}
    )
    if format_ == "text":
        return text(about, list(found.estimates), found.sentence, lines, shown=shown)
    return RENDERERS[format_](
        about, list(found.estimates), found.sentence, lines, **(extra if format_ == "json" else {})
    )


RENDERERS = FORMATS
