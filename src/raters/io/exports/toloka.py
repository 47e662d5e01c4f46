"""Toloka: the TSV of assignments. Empty lines separate the suites of tasks."""

import json
from collections.abc import Mapping, Sequence

from raters.io.exports.answers import Answer, Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, nested, records

INPUT, OUTPUT, GOLDEN, HINT = "INPUT:", "OUTPUT:", "GOLDEN:", "HINT:"
STATUS = {"REJECTED": "rejected", "SKIPPED": "skipped", "EXPIRED": "expired"}


def sniff(g: Glance) -> bool:
    """Columns of inputs and outputs."""
    return all(any(name.startswith(part) for name in g.header) for part in (INPUT, OUTPUT))


def read(documents: Sequence[Document]) -> Export:
    """Each output of each task; control tasks, training and assignments that were not accepted are marked as such."""
    found = []
    free: dict[str, set[str]] = {}
    inputs: list[str] = []
    for place, document in enumerate(documents):
        header, rows = records(document, "\t")
        outputs = [name for name in header if name.startswith(OUTPUT)]
        inputs = [name for name in header if name.startswith(INPUT)]
        for row in rows:
            if not any(row[name].strip() for name in (*inputs, *outputs)):
                continue
            more = {k: v for k, v in row.items() if not k.startswith(OUTPUT) and k != "ASSIGNMENT:worker_id"}
            for name in outputs:
                value, question = nested(row[name].strip()), name.removeprefix(OUTPUT)
                if isinstance(value, dict):
                    value = row[name].strip()
                free.setdefault(question, set()).add(str(value))
                item = shown(row, inputs)
                label = value if value not in ("", []) else None
                found.append(
                    Answer(item, row.get("ASSIGNMENT:worker_id"), question, label, reason(row), place, None, more)
                )
    n = len(found)
    words = frozenset(
        q for q, values in free.items() if len(values) > max(50, n / 10) and any(" " in v for v in values)
    )
    return Export(
        found,
        0,
        (),
        {"item": inputs[0] if len(inputs) == 1 else "INPUT", "rater": "ASSIGNMENT:worker_id"},
        True,
        free_text=words,
    )


def shown(row: Mapping[str, str], inputs: Sequence[str]) -> str:
    """The item: its only input, or all of its inputs."""
    if len(inputs) == 1:
        return row[inputs[0]]
    return json.dumps({name.removeprefix(INPUT): row[name] for name in inputs}, ensure_ascii=False)


def reason(row: Mapping[str, str]) -> str | None:
    """The reason why a row is excluded."""
    if any(value.strip() for name, value in row.items() if name.startswith(HINT)):
        return "training"
    if any(value.strip() for name, value in row.items() if name.startswith(GOLDEN)):
        return "gold"
    verdict = row.get("ACCEPT:verdict", "").strip()
    return "rejected" if verdict == "-" else STATUS.get(row.get("ASSIGNMENT:status", "").strip().upper())
