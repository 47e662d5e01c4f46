"""The answers of ``raters agree``: one variable, and several as one table grouped by verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.agree.explaining import Explanation
from raters.annotations import Annotations, counted
from raters.estimate import Estimate
from raters.reporting.answer import Answer, Grid
from raters.reporting.document import BAD, GOOD, MIDDLE, OPEN
from raters.reporting.how_read import how_read
from raters.reporting.names import interval_note
from raters.reporting.one_label import OWN_RULE, looks_misread, one_label_is, word_of
from raters.reporting.short_table import figure, limits, value_of
from raters.reporting.table_answer import between, notes_of, sentence, table_answer

REASONS = 3
"""Up to so many reasons are named."""
MOST_ROWS = 60
"""With more questions, the reliable ones become a line."""


HARDEST = 20
"""Items that are shown."""


def of_one(
    ann: Annotations,
    table: Sequence[Estimate],
    lead: Estimate | str | None,
    why: Explanation | None,
    left_out: int,
    lines: Sequence[str] = (),
) -> Answer:
    """One variable; ``left_out``: coefficients that only ``--all`` shows."""
    more = [f"--all ({left_out} more coefficients)"] if left_out else []
    more += ["--per rater"] if ann.n_raters > 1 and lead is not None else []
    found = table_answer(ann, table, lead, lines, more=(*more, "--details (methods)", "--format json"))
    if why is None:
        return found
    reasons = (*_same(ann, why.estimate, table), *(r.brief for r in why.reasons[:REASONS]))
    read = [f"{b.of_value} ({b.scheme.replace('_', '-').title()})" for b in why.bands]
    bands = [f"Conventional bands for the point estimate: {', '.join(read)}."] if read else []
    details = (*found.details, *bands, *(f"- {r.text}" for r in why.reasons))
    return replace(found, answer=verdict(ann, why.estimate), why=(*found.why, *reasons), details=details)


def of_items(ann: Annotations, table: Sequence[Estimate], every: bool) -> Answer:
    """A figure for each item, the hardest first; ``every``: of all items."""
    main = table[0].coefficient if len(table) else ""
    known = [e for e in table if math.isfinite(e.value) and e.coefficient == main]
    shown = table if every else table[:HARDEST]
    more = [f"--all ({len(table):,} rows)"] if len(shown) < len(table) else []
    what = ", by how often two labels are the same" if main == "percent" else ""
    said = f"People differ on {sum(e.value < 1 for e in known):,} of {counted(len(known), 'item')}, the hardest first{what}."
    return replace(table_answer(ann, shown, more=(*more, "--format csv")), answer=said)


def verdict(ann: Annotations, e: Estimate) -> str:
    """The verdict on single labels."""
    if not math.isfinite(e.value) or not math.isfinite(e.low):
        return sentence(e)
    if looks_misread(ann, e):
        return (
            f"This looks misread: raters would agree less than by chance, alpha {value_of(e, e.value)} ({limits(e)})."
        )
    return f"{one_label_is(e, ann.scale.thing)}: alpha is {value_of(e, e.value)} ({limits(e)})."


def without_whom(table: Sequence[Estimate]) -> str:
    """Of the figures without each rater, the one that differs most from that of all."""
    base, *rest = (e for e in table if e.coefficient == table[0].coefficient)
    known = [e for e in rest if math.isfinite(e.details["change"])]
    if not known:
        return sentence(base)
    most = max(known, key=lambda e: abs(e.details["change"]))
    return (
        f"{base.title} of all raters is {value_of(base, base.value)}; it changes most {most.name}: to"
        f" {value_of(most, most.value)}{between(most)}."
    )


def _same(ann: Annotations, e: Estimate, table: Sequence[Estimate]) -> list[str]:
    """How often two labels are the same."""
    if not ann.scale.equality or not math.isfinite(e.expected):
        return []
    same = next((row.value for row in table if row.coefficient == "percent"), e.observed)
    if not math.isfinite(same):
        return []
    return [f"Two labels of an item are the same {same:.0%} of the time; chance alone would give {e.expected:.0%}."]


GROUPS: Mapping[str, tuple[str, str]] = {
    BAD: ("too low", "too low to use alone"),
    OPEN: ("undecided", "undecided: these items cannot tell"),
    MIDDLE: ("tentative", "good enough for tentative conclusions"),
    GOOD: ("reliable", "reliable"),
}
"""For each tone its word and its heading, from the lowest agreement to the highest."""
WIDTH = 26


def of_several(
    anns: Mapping[str, Annotations], rows: Mapping[str, Estimate], whole: Any, one: str, all_: bool
) -> Answer:
    """Several variables: a row each, grouped by verdict, lowest first; ``one``: the option that reads one of them."""
    read = how_read(whole)
    apart = {name: why for name, ann in anns.items() if (why := not_measured(ann, rows[name]))}
    by_tone = {tone: [name for name in rows if name not in apart and word_of(rows[name])[1] == tone] for tone in GROUPS}
    folded: list[str] = []
    if len(rows) - len(apart) > MOST_ROWS and not all_:
        folded = by_tone.pop(GOOD)
    shown_rows: list[tuple[str, ...]] = []
    groups: dict[int, str] = {}
    for tone, names in by_tone.items():
        if names:
            groups[len(shown_rows)] = GROUPS[tone][1]
        shown_rows += [
            _row(f"{name} {read.marks.get(name, '')}".strip(), rows[name])
            for name in sorted(names, key=lambda n: (not math.isfinite(rows[n].value), rows[n].value))
        ]
    e = next(iter(rows.values()))
    head = ("", "alpha", f"{e.level:.0%} interval", "agree", axis())
    grid = Grid(head, tuple(shown_rows), frozenset({0, 4}), groups, least=(4, 3))
    note = [f"And {len(folded)} reliable: {', '.join(folded)}."] if folded else []
    for why in dict.fromkeys(apart.values()):
        note.append(f"Not measured, {why}: {', '.join(name for name, said in apart.items() if said == why)}.")
    return Answer(
        answer=of_groups(rows, apart),
        change=read.change,
        grids=(grid,) if shown_rows else (),
        note=(*note, *notes_of(list(rows.values()), ("assumed", "caution"))),
        read=read.lines,
        details=tuple(x for x in (interval_note(list(rows.values())),) if x),
        more=(*(["--all"] if folded else []), f"{one} (why)", "--paper -o t.docx", "--details", "--format json"),
    )


def _row(name: str, e: Estimate) -> tuple[str, ...]:
    same = f"{e.details['percent']:.0%}" if math.isfinite(e.details.get("percent", math.nan)) else "-"
    return name, figure(e.value), limits(e), same, drawn(e)


def of_groups(rows: Mapping[str, Estimate], apart: Mapping[str, str], what: str = "variable") -> str:
    """How many questions have which verdict.

    >>> of_groups({"a": Estimate("a", 0.9, 0.85, 0.95), "b": Estimate("b", 0.5, 0.4, 0.6)}, {})
    'Of 2 variables, 1 is reliable, 1 too low.'
    """
    counts = {tone: sum(name not in apart and word_of(e)[1] == tone for name, e in rows.items()) for tone in GROUPS}
    parts = [(n, GROUPS[tone][0]) for tone, n in reversed(counts.items()) if n]
    parts += [(len(apart), "not measured")] if apart else []
    (n, word), *rest = parts
    said = ", ".join([f"{n} {'is' if n == 1 else 'are'} {word}", *(f"{n} {word}" for n, word in rest)])
    return f"Of {counted(len(rows), what)}, {said}."


def not_measured(ann: Annotations, e: Estimate) -> str:
    """Why a column holds nothing on which people could agree: one value, or hardly two labels alike."""
    if len(ann.labels) < 2:
        return "a single value"
    if ann.scale.equality and len(ann.labels) * 2 > ann.used.n_annotations:
        return "nearly every label is different (free text, names or ids)"
    return "" if math.isfinite(e.value) else str(e.undefined or "undefined")


def axis(width: int = WIDTH) -> str:
    """The head of the small plots: 0, the two limits, and 1.

    >>> axis(26)
    '0             .667 .8    1'
    """
    line = [" "] * width
    for x, mark in ((0.0, "0"), (OWN_RULE[0], ".667"), (OWN_RULE[1], ".8"), (1.0, "1")):
        end = _at(x, width) + 1
        line[end - len(mark) : end] = mark
    return "".join(line)


def _at(x: float, width: int) -> int:
    return round(min(max(x, 0.0), 1.0) * (width - 1))


def drawn(e: Estimate, width: int = WIDTH) -> str:
    """A value and its interval between 0 and 1, with marks at the limits.

    >>> drawn(Estimate("a", 0.35, 0.31, 0.45), 26)
    '        -o--     :  :     '
    """
    line = [" "] * width
    for mark in OWN_RULE:
        line[_at(mark, width)] = ":"
    if math.isfinite(e.low) and math.isfinite(e.high):
        a, b = _at(e.low, width), _at(e.high, width)
        line[a : b + 1] = "-" * (b + 1 - a)
    if math.isfinite(e.value):
        line[_at(e.value, width)] = "o"
    return "".join(line)
