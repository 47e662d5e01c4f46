"""Logs of runs, a file each: lm-evaluation-harness, OpenAI evals, and the tables of ragas and MLflow."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, scalar, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, records
from raters.io.exports.several_files import content_name, folder_of, runs_apart
from raters.io.labels.numbers import as_numbers
from raters.io.table import best
from raters.notes.note import Note

LM_EVAL = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "task_name",
    ]
)
SAMPLES = re.compile(r"^samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)$")
"""The name of a file of samples, as the tool writes it."""
RAGAS = ({"question", "answer", "contexts"}, {"user_input", "response"})
RAGAS_DATA = frozenset(
    [
        "question",
        "answer",
        "contexts",
        "ground_truth",
        "ground_truths",
        "user_input",
        "retrieved_contexts",
        "response",
        "reference",
        "reference_contexts",
        "reference_tool_calls",
        "retrieved_context_ids",
        "reference_context_ids",
        "rubrics",
        "rubric",
        "id",
        "index",
    ]
)
MLFLOW = re.compile(r"^(.+)/(score|value|rating)$")
ITEM = frozenset(
    [
        "user_input",
        "question",
        "inputs",
        "request",
        "prompt",
        "response",
        "answer",
        "outputs",
        "output",
        "prediction",
        "predictions",
    ]
)
"""Columns that say what was judged: a question and the response to it."""
REASONED = ("justification", "rationale", "error_message")
"""Endings of the columns beside a score of MLflow."""


def sniff_lm_eval(g: Glance) -> bool:
    """A document with its responses, filtered and not."""
    return g.has("doc_id", "doc", "resps", "filtered_resps")


@dataclass(frozen=True)
class Samples:
    """A file of samples: its task and its run, as its name and folder have them."""

    task: str
    date: str
    model: str


def samples(document: Document) -> Samples:
    """Task, date and model of a file; a file under another name is a run of its own, of an unknown task."""
    found = SAMPLES.match(document.stem)
    return Samples(found["task"], found["date"], folder_of(document)) if found else Samples("", document.stem, "")


def run_names(files: Sequence[Samples]) -> list[str]:
    """A name for the run of each file: the model if it ran each task once, otherwise the date as well."""
    models = len({f.model for f in files})
    again = max(Counter((f.task, f.model) for f in files).values()) > 1
    if again:
        return [f"{f.model} {f.date}" if models > 1 else f.date for f in files]
    return [f.model for f in files]


def read_lm_eval(documents: Sequence[Document]) -> Export:
    """The item is the task and its document by hash. Of several runs, the run is the rater and each metric and filter a
    question; of one, filters are the raters.
    """
    files = [samples(d) for d in documents]
    names = run_names(files)
    rows = [(place, mapping(row)) for place, d in enumerate(documents) for row in d.objects()]
    filters = {str(row.get("filter", "none")) for _, row in rows}
    several = len(set(names)) > 1
    tasks = len({f.task for f in files}) > 1
    seen: Counter[tuple[Any, ...]] = Counter()
    found: list[Answer] = []
    for place, row in rows:
        task, chosen = files[place].task, str(row.get("filter", "none"))
        key = str(row.get("doc_hash") or sha256(content_name(row.get("doc")).encode()).hexdigest())
        seen[place, chosen, key] += 1
        again = seen[place, chosen, key]
        item = f"{task} {key}" if tasks else key
        item = item if again == 1 else f"{item} ({again})"
        more = {
            k: v for k, v in (("task", task), ("doc_id", row.get("doc_id")), ("filter", chosen)) if v not in ("", None)
        }
        for name in metrics(row):
            label = scalar(row.get(name))
            question = f"{name},{chosen}" if several and len(filters) > 1 else name
            rater = names[place] if several else chosen
            found.append(
                Answer(item, rater, question, label, None if label is not None else "unscored", place, None, more)
            )
    note = Note("runs_are_raters", {"n": len(set(names))}) if several else Note("filters_are_raters")
    return Export(found, 0, (note,), {"item": "doc_hash", "rater": "run" if several else "filter"})


def metrics(row: Mapping[str, Any]) -> list[str]:
    """The names of metrics; older versions do not list them."""
    given = row.get("metrics")
    return list(map(str, given)) if isinstance(given, list) else [k for k in scalars(row) if k not in LM_EVAL]


def sniff_openai(g: Glance) -> bool:
    """A specification, then events of a run."""
    return g.has("run_id", "event_id", "sample_id", "type", "data") or g.has("spec.run_id", "spec.eval_name")


def read_openai(documents: Sequence[Document]) -> Export:
    """Matches; the model of the specification is the rater. Its line and the final report contain no samples."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        events = list(map(mapping, document.objects()))
        models = [m for e in events for m in mapping(e.get("spec")).get("completion_fns") or () if isinstance(m, str)]
        for event in events:
            rater = event.get("created_by") or ", ".join(models) or "evals"
            correct, kind = mapping(event.get("data")).get("correct"), event.get("type")
            if kind == "match" and isinstance(correct, bool):
                label = "yes" if correct else "no"
                found.append(Answer(event.get("sample_id"), rater, "correct", label, None, place))
            elif kind == "error":
                found.append(Answer(event.get("sample_id"), rater, "", None, "error", place))
    found, runs = runs_apart(found, documents)
    return Export(found, 0, tuple(runs), {"item": "sample_id", "rater": "completion_fns"})


def sniff_ragas(g: Glance) -> bool:
    """A question and its answer, next to columns of scores."""
    names = set(g.header) or {k for k in g.keys if "." not in k}
    beside = {"contexts", "retrieved_contexts"} | ({"reference"} if "user_input" in names else set())
    known = any(names.issuperset(form) for form in RAGAS) and bool(names & beside)
    return known and bool(names - RAGAS_DATA) and not best(names - RAGAS_DATA, "rater")


def read_ragas(documents: Sequence[Document]) -> Export:
    """A column of numbers is a metric and a question; what is judged is the response to a question."""
    rows, tabular = table_rows(documents)
    names = [n for n in columns_of(rows) if n and n not in RAGAS_DATA and not n.startswith("Unnamed")]
    asked = [n for n in names if is_number([row.get(n) for _, row in rows])]
    return scored(rows, documents, asked, "ragas", tabular)


def sniff_mlflow(g: Glance) -> bool:
    """A table with columns like ``faithfulness/v1/score``, as columns and data, or as CSV."""
    if g.header:
        return any(MLFLOW.match(n) for n in g.header) and bool(
            {"inputs", "outputs", "request", "response"} & set(g.header)
        )
    return g.has("columns", "data") and re.search(r'"[^"]+/(score|value|rating)"', g.text) is not None


def read_mlflow(documents: Sequence[Document]) -> Export:
    """Each column of scores is a question; latency and length are measurements."""
    rows, tabular = table_rows(documents)
    return scored(rows, documents, [n for n in columns_of(rows) if MLFLOW.match(n)], "mlflow", tabular)


Rows = list[tuple[int, Mapping[str, Any]]]


def table_rows(documents: Sequence[Document]) -> tuple[Rows, bool]:
    """The rows of all documents: of tables, of JSON, and of pandas' ``{"columns": [...], "data": [[...]]}``."""
    rows: Rows = []
    tabular = False
    for place, document in enumerate(documents):
        tabular = bool(glance(document).header)
        given: Iterable[Any] = records(document)[1] if tabular else split_rows(document.objects())
        rows += [(place, mapping(row)) for row in given]
    return rows, tabular


def split_rows(values: Iterable[Any]) -> Iterator[Any]:
    """Objects, or the rows of a table whose names are given once."""
    for value in values:
        if (
            isinstance(value, Mapping)
            and isinstance(value.get("columns"), list)
            and isinstance(value.get("data"), list)
        ):
            names = list(map(str, value["columns"]))
            yield from (dict(zip(names, row, strict=False)) for row in value["data"] if isinstance(row, list))
        else:
            yield value


def columns_of(rows: Rows) -> list[str]:
    """The names of all columns."""
    return list(dict.fromkeys(str(name) for _, row in rows for name in row))


def blank(value: Any) -> bool:
    """Whether a cell has no value."""
    return value is None or (isinstance(value, str) and value.strip().lower() in ("", "nan", "none", "null"))


def is_number(values: Sequence[Any]) -> bool:
    """Whether all values are numbers or blank; of a column without any, all scores are missing."""
    full = [v for v in values if not blank(v)]
    return not any(isinstance(v, list | Mapping) for v in full) and (not full or as_numbers(full) is not None)


def scored(rows: Rows, documents: Sequence[Document], asked: Sequence[str], tool: str, tabular: bool) -> Export:
    """A score for each row and metric by the tool, or by the run where several scored the same response."""
    names = columns_of(rows)
    beside = {f"{stem(n)}/{e}" for n in asked for e in REASONED if stem(n)}
    texts = [n for n in names if n not in beside and n not in asked and not is_number([row.get(n) for _, row in rows])]
    judged = [n for n in names if n in ITEM] or texts
    others = [n for n in names if n not in (*judged, *asked, *beside, *RAGAS_DATA)]
    found: list[Answer] = []
    for place, row in rows:
        item = what_was_judged(row, judged)
        more = scalars({n: row.get(n) for n in others})
        for question in asked:
            label, why = score(row, question)
            found.append(Answer(item, tool, question, label, why, place, None, more))
    found, runs = runs_apart(found, documents)
    notes = [Note("columns_passed", {"columns": others})] if others else []
    return Export(found, 0, (*notes, *runs), {"item": "response", "rater": "evaluator"}, tabular)


def what_was_judged(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    """A question and its response as a name."""
    parts = [row[n] for n in columns if not blank(row.get(n))]
    return " | ".join(p if isinstance(p, str) else content_name(p) for p in parts)


def score(row: Mapping[str, Any], question: str) -> tuple[Any, str | None]:
    """A score; without one, a justification says why the judge failed."""
    label = None if blank(row.get(question)) else scalar(row.get(question))
    failed = any(not blank(row.get(f"{stem(question)}/{e}")) for e in REASONED)
    return label, None if label is not None else "error" if failed else "unscored"


def stem(name: str) -> str:
    """The name of a metric without what its column holds."""
    return name.rpartition("/")[0]
