"""Qualtrics: CSV with two or three header rows. Respondents are rows, and what they rate are columns."""

import re
from collections.abc import Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, lines, nested
from raters.io.labels.numbers import as_numbers
from raters.io.readings.names import SURVEY, named
from raters.io.table import normal
from raters.notes.note import Note

DATED = re.compile(r"\d{4}-\d|\d{1,2}[/.]\d{1,2}[/.]\d")
ABOUT = {"_recordId": "responseid", "status": "status", "finished": "finished"}
"""ImportIds of columns about a response."""
IMPORT = '{"ImportId"'
LEGACY = re.compile(r"^V\d+$")
LOOP, MATRIX, NUMBERED = re.compile(r"^(\d+)_(.+)$"), re.compile(r"^(.+)_(\d+)$"), re.compile(r"^([A-Za-z]+)\d+$")
DATA = {"LocationLatitude", "LocationLongitude", "LocationAccuracy"}
NOT_REAL = {"1", "survey preview", "2", "survey test", "8", "spam", "9", "survey preview spam", "12", "imported spam",
            "17", "offline survey preview"}  # fmt: skip
"""Values of Status, as numbers or words; imported and offline responses are real."""


def sniff(g: Glance) -> bool:
    """A row of ImportIds; or the columns of a response, by name or (legacy) in the second row."""
    imported = IMPORT in g.text[:20000].replace('""', '"')
    new = bool(g.header) and (g.columns("StartDate", "EndDate", "ResponseId") or imported)
    legacy = any(map(LEGACY.match, g.header)) and "ResponseID" in g.second
    return (new or legacy) and (imported or not coders_form(g.header) or not answered(g.second))


def answered(row: Sequence[str]) -> bool:
    """Whether a row is a response, which begins with dates, and not the texts of the questions."""
    return any(DATED.match(cell) for cell in row[:3])


def coders_form(header: Sequence[str]) -> bool:
    """Whether each response is a coder's answer about an item, both of which have columns: a table like any other."""
    return any(named(n, "rater") == 1 for n in header) and any(named(n, "item") >= 0.8 for n in header)


def read(documents: Sequence[Document]) -> Export:
    """Columns of one question with numbers at the end, or in a loop, are its items; each text box is a question. In a
    form in which coders name the item, it is what they name.
    """
    found: list[Answer] = []
    free: set[str] = set()
    called = {"item": "column", "rater": "ResponseId"}
    for place, document in enumerate(documents):
        codes, titles, imports, rest = heads(list(lines(document, ",")))
        columns = told_apart(answer_columns(codes, imports), rest)
        at = technical(codes, titles, imports)
        who, what = at.get("responseid"), -1
        if coders_form(codes):
            who, what = (max(range(len(codes)), key=lambda i: named(codes[i], role)) for role in ("rater", "item"))
            called = {"item": codes[what], "rater": codes[who]}
            columns = {i: (codes[i], "", text) for i, (_, _, text) in columns.items() if i not in (who, what)}
        free |= {question for question, _, text in columns.values() if text}
        for row in (row + [""] * (len(codes) - len(row)) for row in rest):
            rater, why = None if who is None else row[who], reason(row, at)
            for i, (question, item, _) in columns.items():
                more = {"text": " ".join(titles[i].split())} if i < len(titles) and titles[i].strip() else {}
                of = item if what < 0 else row[what]
                found.append(Answer(of, rater, question, row[i].strip() or None, why, place, None, more))
    notes = (Note("survey_columns"),) if called["item"] == "column" else ()
    return Export(found, 0, notes, called, True, free_text=frozenset(free))


def technical(codes: Sequence[str], titles: Sequence[str], imports: Sequence[Any]) -> dict[str, int]:
    """Where the columns about a response are, by ImportId, by name, or (legacy) by the second row."""
    names = codes if imports else [t if LEGACY.match(c) else c for c, t in zip(codes, titles, strict=False)] or codes
    at = {name.lower(): i for i, name in reversed(list(enumerate(names)))}
    ids = {str(given.get("ImportId")): i for i, given in enumerate(imports) if isinstance(given, dict)}
    return at | {name: ids[key] for key, name in ABOUT.items() if key in ids}


def heads(rows: list[list[str]]) -> tuple[list[str], list[str], list[Any], list[list[str]]]:
    """Codes, texts of the questions, ImportIds and the responses. The row of ImportIds ends the header, whichever rows
    above it were deleted.
    """
    at = next((i for i, row in enumerate(rows[:4]) if any(cell.lstrip().startswith(IMPORT) for cell in row)), None)
    codes = [name.strip() for name in next(iter(rows), [])]
    if at is None and answered(next(iter(rows[1:]), [])):
        return codes, [], [], rows[1:]
    if at is None:
        return codes, next(iter(rows[1:]), []), [], rows[2:]
    return codes, rows[1] if at > 1 else [], [nested(cell) for cell in rows[at]], rows[at + 1 :]


def answer_columns(codes: Sequence[str], imports: Sequence[Any]) -> dict[int, tuple[str, str, bool]]:
    """Position of a column -> the question, the item, and whether it is free text."""
    found = {}
    for i, code in enumerate(codes):
        given = imports[i] if i < len(imports) else None
        qid = str(given.get("ImportId", "")) if isinstance(given, dict) else ""
        asked = (
            "QID" in qid if imports else not (LEGACY.match(code) or normal(code) in SURVEY or code in DATA or not code)
        )
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
