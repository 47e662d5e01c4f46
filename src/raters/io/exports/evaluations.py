"""Evaluation logs whose readers follow only the documentation: OpenAI evals, lm-evaluation-harness, ragas, Langfuse,
OpenTelemetry.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalar, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, records, table
from raters.notes.note import Note

Lines = Callable[[Mapping[str, Any], int], Iterator[Answer]]
RAGAS = ({"question", "answer", "contexts"}, {"user_input", "response"})
RAGAS_DATA = {"question", "answer", "contexts", "ground_truth", "ground_truths", "user_input", "retrieved_contexts", "response",
              "reference", "reference_contexts", "rubrics"}  # fmt: skip
LM_EVAL = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
           "target_hash", "task_name")  # fmt: skip


def reader(one: Lines, columns: Mapping[str, str], *notes: Note) -> Callable[[Sequence[Document]], Export]:
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
    """Matches; lines with the specification and the final report contain no samples."""
    data, kind = mapping(event.get("data")), event.get("type")
    rater = str(event.get("created_by") or "evals")
    if kind == "match" and isinstance(data.get("correct"), bool):
        yield Answer(event.get("sample_id"), rater, "correct", "yes" if data["correct"] else "no", None, place)
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


def sniff_otel(g: Glance) -> bool:
    """The event of an evaluation."""
    return "gen_ai.evaluation.name" in g.text


def otel_event(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """One event, its attributes flat, in an object, or as OTLP's list of keys and values. No attribute names a
    rater.
    """
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


CASES = ("testCases", "test_cases")


def sniff_deepeval(g: Glance) -> bool:
    """Test cases, with metrics or outputs, wrapped or not."""
    return any(
        g.has(f"{before}{cases}") and g.has(f"{before}{cases}.{inside}")
        for before in ("", "testRunData.")
        for cases in CASES
        for inside in ("metricsData", "metricsMetadata", "actualOutput")
    )


def read_deepeval(documents: Sequence[Document]) -> Export:
    """A metric is a question, the evaluating model is the rater, and the test case is the item."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        for one in map(mapping, document.objects()):
            run = mapping(one.get("testRunData")) or one
            cases = [c for name in CASES for c in objects(run.get(name))]
            for number, case in enumerate(cases):
                item = case.get("name") if len({c.get("name") for c in cases}) == len(cases) else number
                for metric in objects(case.get("metricsData", case.get("metricsMetadata"))):
                    score = metric.get("score")
                    more = {
                        k: metric[k] for k in ("success", "threshold") if isinstance(metric.get(k), bool | int | float)
                    }
                    why = None if isinstance(score, int | float) else "error" if metric.get("error") else "unscored"
                    rater = metric.get("evaluationModel") or "deepeval"
                    found.append(Answer(item, rater, str(metric.get("name")), score, why, place, None, more))
    return Export(found, 0, (), {"item": "test case", "rater": "evaluationModel"})


def sniff_mt_bench(g: Glance) -> bool:
    """A question, a judge, and a score or a winner."""
    return g.has("question_id", "judge") and bool(g.keys & {"score", "g1_winner", "winner"})


def read_mt_bench(documents: Sequence[Document]) -> Export:
    """A judge is a rater; for a pair that is shown in both orders, the judge counts as one rater per order."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        for row in map(mapping, document.objects()):
            found += judged(row, place)
    games = {a.question for a in found if a.more.get("game")}
    return Export(found, 0, (Note("pair_orders"),) if games else (), {"item": "question", "rater": "judge"})


def judged(row: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """The answers in one line."""
    judge = row.get("judge")
    name, prompt = (
        (judge[0], judge[1] if len(judge) > 1 else None) if isinstance(judge, list) and judge else (judge, None)
    )
    more = {
        k: v for k, v in (("turn", row.get("turn")), ("prompt", prompt), ("model", row.get("model"))) if v is not None
    }
    if "score" in row:
        score = row["score"]
        item = key(row, "model")
        scored = isinstance(score, int | float) and score >= 0
        yield Answer(item, name, "score", score if scored else None, None if scored else "unscored", place, None, more)
    elif "winner" in row:
        models = {"model_a": row.get("model_a"), "model_b": row.get("model_b")}
        more |= {"first": models["model_a"], "second": models["model_b"]}
        winner = str(row["winner"])
        label = models.get(winner, "tie" if winner.startswith("tie") else None)
        why = None if label is not None else "unscored"
        yield Answer(key(row, "model_a", "model_b"), name, "winner", label, why, place, None, more)
    else:
        models = {"model_1": row.get("model_1"), "model_2": row.get("model_2"), "tie": "tie"}
        for game in ("g1", "g2"):
            label = models.get(str(row.get(f"{game}_winner")))
            who = f"{name} ({'first' if game == 'g1' else 'second'} order)"
            why = None if label is not None else "unscored"
            first, second = ("model_1", "model_2") if game == "g1" else ("model_2", "model_1")
            shown = {"game": game, "first": models[first], "second": models[second]}
            yield Answer(key(row, "model_1", "model_2"), who, "winner", label, why, place, None, {**more, **shown})


def key(row: Mapping[str, Any], *models: str) -> str:
    """The item: a question, the models that answered it, and the turn."""
    names = sorted(str(row.get(k)) for k in models)  # the same pair in the other order is the same item
    return " | ".join([str(row.get("question_id")), *names, str(row.get("turn"))])


VERDICT = re.compile(r"^\[(PASS|FAIL|ERROR)\]")
MEASURED = ("latency", "cost", "perplexity", "perplexity-score")


def sniff_promptfoo(g: Glance) -> bool:
    """Results with a success and a prompt; or cells that begin with [PASS] or [FAIL]."""
    if g.header:
        return any(VERDICT.match(cell) for cell in g.second)
    rows = ("results.results", "data.results.results", "results")
    a_line = g.has("success", "score", "prompt", "vars", "provider")
    return a_line or any(g.has(f"{path}.success", f"{path}.prompt", f"{path}.score") for path in rows)


def read_promptfoo(documents: Sequence[Document]) -> Export:
    """Each assertion is a rater of the output of a prompt, with the labels pass and fail."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        if glance(document).header:
            found += from_table(document, place)
            continue
        for line, one in enumerate(map(mapping, document.objects())):
            if "prompt" in one and "success" in one:  # JSON lines
                found += graded(one, line, place)
                continue
            inner = mapping(one.get("data", one)).get("results")
            rows = objects(inner if isinstance(inner, list) else mapping(inner).get("results"))
            for number, row in enumerate(rows):
                found += graded(row, number, place)
    return Export(found, 0, (Note("assertions"),), {"item": "output", "rater": "assertion"})


def graded(row: Mapping[str, Any], number: int, place: int) -> Iterator[Answer]:
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
