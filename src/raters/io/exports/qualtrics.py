"""Qualtrics: CSV with two or three header rows. Respondents are rows, and what they rate are columns."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from raters.io.exports.answers import Answer, Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, lines, nested
from raters.io.labels.numbers import as_numbers
from raters.io.readings.names import named
from raters.notes.note import Note

IMPORT = '{"ImportId"'
LEGACY = re.compile(r"^V\d+$")
LOOP, MATRIX, NUMBERED = re.compile(r"^(\d+)_(.+)$"), re.compile(r"^(.+)_(\d+)$"), re.compile(r"^([A-Za-z]+)\d+$")
DATA = {"LocationLatitude", "LocationLongitude", "LocationAccuracy"}
NOT_REAL = {"1", "survey preview", "2", "survey test", "8", "spam", "9", "survey preview spam", "12", "imported spam",
            "17", "offline survey preview"}  # fmt: skip
"""Values of Status, as numbers or words; imported and offline responses are real."""


def sniff(g: Glance) -> bool:
    """A row of ImportIds; or the columns of a response, by name or (legacy) in the second row."""
    new = g.columns("StartDate", "EndDate", "ResponseId") or IMPORT in g.text[:20000].replace('""', '"')
    legacy = any(map(LEGACY.match, g.header)) and "ResponseID" in g.second
    return ((new and bool(g.header)) or legacy) and not coders_form(g.header)


def coders_form(header: Sequence[str]) -> bool:
    """Whether each response is a coder's answer about an item, both of which have columns: a table like any other."""
    return any(named(n, "rater") == 1 for n in header) and any(named(n, "item") >= 0.8 for n in header)


def read(documents: Sequence[Document]) -> Export:
    """Columns of one question with numbers at the end, or in a loop, are its items; each text box is a question."""
    found: list[Answer] = []
    free: set[str] = set()
    for place, document in enumerate(documents):
        rows = lines(document, ",")
        codes = [name.strip() for name in next(rows, [])]
        titles = next(rows, [])
        third = next(rows, [])
        imports = [nested(cell) for cell in third] if third and third[0].lstrip().startswith(IMPORT) else []
        rest = list(rows if imports else chain([third] if third else [], rows))
        columns = told_apart(answer_columns(codes, imports), rest)
        names = codes if imports else [t if LEGACY.match(c) else c for c, t in zip(codes, titles, strict=False)]
        at = {name.lower(): i for i, name in reversed(list(enumerate(names)))}
        for row in rest:
            row = row + [""] * (len(codes) - len(row))
            rater = row[at["responseid"]] if "responseid" in at else None
            why = reason(row, at)
            for i, (question, item, text) in columns.items():
                free |= {question} if text else set()
                label = row[i].strip() or None
                more = {"text": " ".join(titles[i].split())} if i < len(titles) and titles[i].strip() else {}
                found.append(Answer(item, rater, question, label, why, place, None, more))
    return Export(
        found, 0, (Note("survey_columns"),), {"item": "column", "rater": "ResponseId"}, True, free_text=frozenset(free)
    )


def answer_columns(codes: Sequence[str], imports: Sequence[Any]) -> dict[int, tuple[str, str, bool]]:
    """Position of a column -> the question, the item, and whether it is free text."""
    found = {}
    for i, code in enumerate(codes):
        given = imports[i] if i < len(imports) else None
        qid = str(given.get("ImportId", "")) if isinstance(given, dict) else ""
        asked = "QID" in qid if imports else not (LEGACY.match(code) or code in DATA or not code)
        if not asked or "_DO" in qid or code.endswith(("_DO", " - Topics")) or " - Topics" in code:
            continue
        text = qid.endswith("_TEXT") or code.endswith("_TEXT")
        found[i] = (code, code, True) if text else (*split(code), False)
    return found


def told_apart(
    columns: dict[int, tuple[str, str, bool]], rows: Sequence[Sequence[str]]
) -> dict[int, tuple[str, str, bool]]:
    """A text box among choices that no header marks: text in one column, numbers in the other columns of its
    question.
    """
    words = {i for i in columns if any(as_numbers([row[i]]) is None for row in rows if i < len(row) and row[i].strip())}
    mixed = {columns[i][0] for i in columns if i not in words} & {columns[i][0] for i in words}
    own = {i: (c[1], c[1], True) for i, c in columns.items() if i in words and c[0] in mixed}
    return columns | own


def split(code: str) -> tuple[str, str]:
    """(question, item) of a column's code.

    >>> split("1_Q5"), split("Q5_2"), split("Q7"), split("tone")
    (('Q5', '1_Q5'), ('Q5', 'Q5_2'), ('Q', 'Q7'), ('tone', 'tone'))
    """
    if loop := LOOP.match(code):
        return loop.group(2), code
    for form in (MATRIX, NUMBERED):
        if match := form.match(code):
            return match.group(1), code
    return code, code


def reason(row: Sequence[str], at: dict[str, int]) -> str | None:
    """Previews and tests; surveys that were not finished."""
    status = row[at["status"]].strip().lower() if "status" in at else ""
    if status in NOT_REAL:
        return "preview"
    finished = row[at["finished"]].strip().lower() if "finished" in at else ""
    return "unfinished" if finished in ("0", "false") else None
