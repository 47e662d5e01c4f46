"""Evaluation logs whose readers follow only the documentation: OpenAI evals, lm-evaluation-harness, ragas, Langfuse, LangSmith,
OpenTelemetry.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, scalar, scalars
from raters.io.exports.cells import records
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance

Lines = Callable[[Mapping[str, Any], int], Iterator[Answer]]
RAGAS = ({"question", "answer", "contexts"}, {"user_input", "response"})
RAGAS_DATA = {"question", "answer", "contexts", "ground_truth", "ground_truths", "user_input", "retrieved_contexts", "response",
              "reference", "reference_contexts", "rubrics"}  # fmt: skip
LM_EVAL = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
           "target_hash", "task_name")  # fmt: skip


def reader(one: Lines, columns: Mapping[str, str], *notes: str) -> Callable[[Sequence[Document]], Export]:
    """A reader of documents in which each object or row stands alone."""

    def read(documents: Sequence[Document]) -> Export:
        found: list[Answer] = []
        tabular = False
        for place, document in enumerate(documents):
            tabular = bool(glance(document).header)
            rows: Any = records(document)[1] if tabular else document.objects()
            for row in map(mapping, rows):
                found += one(row, place)
        return Export(found, 0, notes, columns, tabular)

    return read


def sniff_openai(g: Glance) -> bool:
    """A specification, then events of a run."""
    return g.has("run_id", "event_id", "sample_id", "type", "data") or g.has("spec.run_id", "spec.eval_name")


def openai_event(event: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """Matches and model-graded choices; lines with the specification and the final report contain no samples."""
    data, kind = mapping(event.get("data")), event.get("type")
    rater = str(event.get("created_by") or "evals")
    if kind == "match" and isinstance(data.get("correct"), bool):
        yield Answer(event.get("sample_id"), rater, "correct", "yes" if data["correct"] else "no", None, place)
    elif kind == "metrics":
        label = scalar(data.get("choice", data.get("score")))
        why = None if label not in (None, "__invalid__") else "unscored"
        yield Answer(event.get("sample_id"), rater, "choice" if "choice" in data else "score", label, why, place)
    elif kind == "error":
        yield Answer(event.get("sample_id"), rater, "", None, "error", place)


def sniff_lm_eval(g: Glance) -> bool:
    """A document with its responses, filtered and not."""
    return g.has("doc_id", "doc", "resps", "filtered_resps")


def lm_eval_sample(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """A filter is a rater and a metric is a question; with two filters, a document occurs twice."""
    names = row.get("metrics")
    metrics = names if isinstance(names, list) else [k for k in scalars(row) if k not in LM_EVAL]
    for name in metrics:
        label = scalar(row.get(str(name)))
        why = None if label is not None else "unscored"
        yield Answer(row.get("doc_id"), str(row.get("filter", "none")), str(name), label, why, place)


def sniff_ragas(g: Glance) -> bool:
    """A question and its answer, next to columns of scores."""
    names = set(g.header) or {k for k in g.keys if "." not in k}
    known = any(names.issuperset(form) for form in RAGAS) and bool(names & {"contexts", "retrieved_contexts"})
    return known and bool(names - RAGAS_DATA)


def ragas_row(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """Each metric is a question, with ragas as the only rater; an empty cell was not scored."""
    item = row.get("user_input", row.get("question"))
    for name, value in row.items():
        if name and name not in RAGAS_DATA and not name.startswith("Unnamed"):
            label = None if str(value).strip().lower() in ("", "nan", "none") else value
            yield Answer(item, "ragas", name, label, None if label is not None else "unscored", place)


def sniff_langfuse(g: Glance) -> bool:
    """Scores of traces."""
    need = ("trace_id", "name", "value", "source", "data_type")
    return g.has(*need) or g.columns(*need)


def langfuse_score(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """The label of a category is in ``string_value``. There is no author: the source stands for one."""
    kind = str(row.get("data_type", "")).upper()
    words = kind in ("CATEGORICAL", "TEXT", "BOOLEAN") and row.get("string_value") not in (None, "")
    label = scalar(row.get("string_value") if words else row.get("value"))
    item = row.get("observation_id") or row.get("trace_id")
    rater = row.get("author_user_id") or row.get("source")
    yield Answer(item, rater, str(row.get("name")), label, None if label is not None else "unscored", place)


def sniff_langsmith(g: Glance) -> bool:
    """Feedback on runs."""
    return g.has("run_id", "key", "feedback_source") or g.columns("run_id", "key", "score", "feedback_source")


def langsmith_feedback(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """A label may be in ``value``, with no score."""
    source = mapping(row.get("feedback_source"))
    rater = source.get("user_name") or source.get("user_id") or source.get("type")
    label = scalar(row.get("value")) if scalar(row.get("value")) is not None else scalar(row.get("score"))
    yield Answer(row.get("run_id"), rater, str(row.get("key")), label, None if label is not None else "unscored", place)


def sniff_otel(g: Glance) -> bool:
    """The event of an evaluation."""
    return "gen_ai.evaluation.name" in g.text


def otel_event(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """One event, its attributes flat, in an object, or as OTLP's list of keys and values. No attribute names a rater."""
    for record in otlp_records(row):
        about = attributes(record)
        if about.get("gen_ai.evaluation.name") is None:
            continue
        words, score = about.get("gen_ai.evaluation.score.label"), about.get("gen_ai.evaluation.score.value")
        label = scalar(words) if scalar(words) is not None else scalar(score)
        item = about.get("gen_ai.response.id") or record.get("spanId") or record.get("span_id") or record.get("traceId")
        why = None if label is not None else "error" if about.get("error.type") else "unscored"
        rater = about.get("gen_ai.evaluation.evaluator.name") or about.get("service.name") or "evaluation"
        yield Answer(item, rater, str(about["gen_ai.evaluation.name"]), label, why, place)


def otlp_records(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Log records, out of the envelopes of OTLP."""
    inner = [
        v for key in ("resourceLogs", "scopeLogs", "logRecords") for v in row.get(key) or [] if isinstance(v, Mapping)
    ]
    if not inner:
        yield row
    for one in inner:
        yield from otlp_records(one)


def attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by name."""
    given = record.get("attributes", record)
    if isinstance(given, list):
        pairs = ((mapping(a).get("key"), mapping(mapping(a).get("value"))) for a in given)
        return {str(k): next(iter(v.values()), None) for k, v in pairs}
    return dict(mapping(given))
