"""promptfoo: results as JSON (versions 2 to 4, and what is shared), and the CSV table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalars
from raters.io.exports.cells import table
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance

VERDICT = re.compile(r"^\[(PASS|FAIL|ERROR)\]")
MEASURED = ("latency", "cost", "perplexity", "perplexity-score")


def sniff(g: Glance) -> bool:
    """Results with a success and a prompt; or cells that begin with [PASS] or [FAIL]."""
    if g.header:
        return any(VERDICT.match(cell) for cell in g.second)
    rows = ("results.results", "data.results.results", "results")
    a_line = g.has("success", "score", "prompt", "vars", "provider")
    return a_line or any(g.has(f"{path}.success", f"{path}.prompt", f"{path}.score") for path in rows)


def read(documents: Sequence[Document]) -> Export:
    """Each assertion is a rater of the output of a prompt, with the labels pass and fail."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        if glance(document).header:
            found += from_table(document, place)
            continue
        for line, one in enumerate(map(mapping, document.objects())):
            if "prompt" in one and "success" in one:  # JSON lines
                found += judged(one, line, place)
                continue
            inner = mapping(one.get("data", one)).get("results")
            rows = objects(inner if isinstance(inner, list) else mapping(inner).get("results"))
            for number, row in enumerate(rows):
                found += judged(row, number, place)
    note = "each assertion counts as a rater of the output; a thumbs up or down in the web viewer is the rater 'human'"
    return Export(found, 0, (note,), {"item": "output", "rater": "assertion"})


def judged(row: Mapping[str, Any], number: int, place: int) -> Iterator[Answer]:
    """The verdicts on one output. Without an assertion it passes by default, which is not a judgment."""
    provider = row.get("provider")
    name = str(mapping(provider).get("id") or provider or "")
    where = (row.get("testIdx"), row.get("promptIdx"))
    item = f"{number}" if None in where else " | ".join(map(str, (*where, name)))
    more = {**scalars(row.get("vars"), "vars."), **({"provider": name} if name else {})}
    grading = mapping(row.get("gradingResult"))
    parts = objects(grading.get("componentResults"))
    if not parts and mapping(grading.get("assertion")):
        parts = [grading]
    if not parts:
        failed = bool(row.get("error")) or not row.get("success", True)
        yield Answer(
            item, "promptfoo", "pass", None if failed else "pass", "error" if failed else "unscored", place, None, more
        )
    seen: dict[str, int] = {}
    for part in parts:
        assertion = mapping(part.get("assertion"))
        kind = str(assertion.get("type", "assertion"))
        rater = str(assertion.get("metric") or kind)
        seen[rater] = seen.get(rater, 0) + 1
        rater = rater if seen[rater] == 1 else f"{rater} {seen[rater]}"
        why = "measured" if kind.removeprefix("not-") in MEASURED else None
        yield Answer(item, rater, "pass", "pass" if part.get("pass") else "fail", why, place, None, more)


def from_table(document: Document, place: int) -> Iterator[Answer]:
    """The CSV: a row for each test, a column for each prompt, and the verdict before the output."""
    header, rows = table(document)
    for number, row in enumerate(rows, 1):
        for column, cell in enumerate(row):
            verdict = VERDICT.match(cell.strip())
            if verdict:
                word = verdict.group(1).lower()
                label, why = (None, "error") if word == "error" else (word, None)
                more = {"prompt": header[column][:200]}
                yield Answer(f"{number} | {column}", "promptfoo", "pass", label, why, place, None, more)
