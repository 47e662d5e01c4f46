"""Small evaluation logs made after each tool's schema."""

import json
from typing import Any

Files = dict[str, str]
Case = tuple[Files, str | None, tuple[int, int, int], dict[str, int]]
"""Files, question, (items, raters, labels), dropped."""


def lines(*objects: Any) -> str:
    return "".join(json.dumps(o) + "\n" for o in objects)


INSPECT = {
    "version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
    "samples": [{"id": 1, "epoch": 1, "scores": {"judge": {"value": "C"}, "human": {"value": "I"}}},
                {"id": 2, "epoch": 1, "scores": {"judge": {"value": float("nan")}, "human": {"value": "C"}}}],
}  # fmt: skip


def foo(test: int, *verdicts: tuple[str, bool]) -> dict[str, Any]:
    parts = [{"pass": p, "score": int(p), "assertion": {"type": kind}} for kind, p in verdicts]
    return {
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": "m"},
        "prompt": {"raw": "p"},
        "success": True,
        "score": 1,
        "vars": {},
        "gradingResult": {"pass": True, "componentResults": parts},
    }


PAIR = {"question_id": 1, "model_1": "a", "model_2": "b", "judge": ["gpt", "pair"], "turn": 1}


RAGAS = (
    "user_input,retrieved_contexts,response,faithfulness,relevancy\nq1,\"['c']\",r1,0.5,1.0\nq2,\"['c']\",r2,,0.25\n"
)


def otel(name: str, **score: Any) -> dict[str, Any]:
    return {"gen_ai.evaluation.name": name, **{f"gen_ai.evaluation.score.{k}": v for k, v in score.items()}}


def otlp(given: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue"}
    return [{"key": k, "value": {kinds[type(v)]: str(v) if isinstance(v, int) else v}} for k, v in given.items()]


def span(number: int, *given: dict[str, Any]) -> dict[str, Any]:
    events = [{"name": "gen_ai.evaluation.result", "attributes": otlp(e)} for e in given]
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "name": "chat",
        "attributes": [],
        "events": [{"name": "other"}, *events],
    }


def service(name: str, *spans: dict[str, Any]) -> dict[str, Any]:
    return {
        "resource": {"attributes": otlp({"service.name": name})},
        "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}],
    }


OTEL = lines({"attributes": {**otel("tone", label="good"), "gen_ai.response.id": "r1"}})
OTEL_SPANS = json.dumps({"resourceSpans": [
    service("a", span(1, otel("tone", value=1), otel("length", value=2.5)), span(2, otel("tone", value=2, label="good"))),
    service("b", span(1, otel("tone", value=3, label="bad")), span(2, otel("tone"))),
]})  # fmt: skip
OTEL_PRINTED = lines(
    *({"name": "chat", "context": {"trace_id": "0x1", "span_id": f"0x{n}"}, "resource": {"attributes": {"service.name": who}},
       "attributes": {}, "events": [{"name": "gen_ai.evaluation.result", "attributes": otel("tone", label=label)}]}
      for n, who, label in ((1, "a", "x"), (1, "b", "y"), (2, "a", "x")))
)  # fmt: skip
"""As the exporter to the console of the SDK for Python writes spans."""


EVALS = lines(
    {"spec": {"run_id": "r", "eval_name": "e"}},
    {
        "run_id": "r",
        "event_id": 0,
        "sample_id": "s1",
        "type": "sampling",
        "data": {},
        "created_by": "",
        "created_at": "",
    },
    {
        "run_id": "r",
        "event_id": 1,
        "sample_id": "s1",
        "type": "match",
        "data": {"correct": True},
        "created_by": "",
        "created_at": "",
    },
    {"final_report": {"accuracy": 1.0}, "run_id": "r"},
)


def sample(number: int, correct: Any, doc: str = "", filter_: str = "none") -> dict[str, Any]:
    """A line of samples; documents of tasks have numbers of their own, and a hash."""
    return {"doc_id": number, "doc": {"q": doc or str(number)}, "target": "4", "arguments": {}, "resps": [["4"]],
            "filtered_resps": ["4"], "filter": filter_, "metrics": ["exact_match"], "exact_match": correct,
            "doc_hash": f"hash of {doc or number}"}  # fmt: skip


LM_EVAL = lines(sample(1, 1.0, filter_="strict"), sample(1, 0.0, filter_="flexible"), sample(2, None, filter_="strict"))
DATE = "2025-08-07T11-42-40.066002"
LM_EVAL_TASKS = {
    f"samples_cats_{DATE}.jsonl": lines(sample(0, 1), sample(1, 0)),
    f"samples_dogs_{DATE}.jsonl": lines(sample(0, 0), sample(1, 0), sample(2, 1)),
}
"""Two tasks of one run, which may even have a document in common: nothing is joined."""
LM_EVAL_RUNS = {
    f"org__{model}/samples_{task}_{DATE}.jsonl": lines(
        sample(0, 1), sample(1, int(model == "a")), sample(2, 1, doc="1")
    )
    for model in "ab"
    for task in ("cats", "dogs")
}
"""Two models and two tasks, in each of which a document is there twice."""
LM_EVAL_OLD = json.dumps([{k: v for k, v in sample(1, 1).items() if k not in ("filter", "metrics", "doc_hash")}])


LANGFUSE = lines(
    {
        "id": "1",
        "trace_id": "t1",
        "name": "tone",
        "value": 0,
        "string_value": "good",
        "source": "ANNOTATION",
        "data_type": "CATEGORICAL",
    },
    {
        "id": "2",
        "trace_id": "t1",
        "name": "tone",
        "value": 0,
        "string_value": "bad",
        "source": "EVAL",
        "data_type": "CATEGORICAL",
    },
)


def score(trace: str, who: str | None, label: Any, kind: str = "CATEGORICAL", **more: Any) -> dict[str, Any]:
    words = {"value": label} if kind == "NUMERIC" else {"value": 0, "stringValue": label}
    return {"id": f"{trace}{who}{label}", "traceId": trace, "name": "tone", "dataType": kind, "observationId": None,
            "source": "ANNOTATION" if who else "EVAL", "authorUserName": who, **words, **more}  # fmt: skip


LANGFUSE_TABLE = json.dumps([score("t1", "Ann", "x"), score("t1", "Bob", "y"), score("t1", None, "x"), score("t2", "Ann", "x"),
                             score("t2", "Bob", None)])  # fmt: skip
LANGFUSE_API = json.dumps(
    {"data": [score("t1", None, 1, "NUMERIC", authorUserId="u1"), score("t1", None, 2, "NUMERIC", authorUserId="u2"),
              score("", None, 3, "NUMERIC", authorUserId="u1", sessionId="s1")],
     "meta": {"page": 1, "limit": 50, "totalItems": 3, "totalPages": 1}}
)  # fmt: skip


def mlflow(*rows: tuple[str, str, float | None]) -> str:
    names = ["inputs", "outputs", "latency", "correct/v1/score", "correct/v1/justification"]
    why = "Failed to score model on payload."
    return json.dumps({"columns": names, "data": [[i, o, 0.5, s, why if s is None else "because"] for i, o, s in rows]})


MLFLOW = mlflow(("q1", "a", 1.0), ("q1", "b", 2.0), ("q2", "a", None))
MLFLOW_RUNS = {"gpt.json": MLFLOW, "claude.json": mlflow(("q1", "a", 2.0), ("q1", "b", 2.0), ("q2", "c", 3.0))}


DEEPEVAL = json.dumps(
    {"testRunData": {"testCases": [{"name": "c1", "input": "i", "actualOutput": "o", "metricsData": [
        {"name": "Faithfulness", "score": 0.5, "success": True, "evaluationModel": "gpt"}]}]}}
)  # fmt: skip


HUMAN = {"question_id": 1, "model_a": "a", "model_b": "b", "winner": "model_a", "judge": "expert_0", "turn": 1}

LOGS: dict[str, Case] = {
    "inspect": ({"x.json": json.dumps(INSPECT)}, None, (2, 2, 3), {"unscored": 1}),
    "promptfoo": (
        {"x.json": json.dumps({"results": {"version": 3, "results": [foo(0, ("llm-rubric", True), ("human", False)),
                                                                     foo(1, ("latency", False)), foo(2)]}})},
        None, (1, 2, 2), {"measured": 1, "unscored": 1},
    ),
    "promptfoo lines": ({"x.jsonl": lines(foo(0, ("llm-rubric", True)), foo(1, ("llm-rubric", False)))}, None, (2, 1, 2), {}),
    "promptfoo csv": ({"x.csv": 'p1,p2,v\n"[PASS] (1.00) a","[FAIL] (0.00) b",1\n'}, None, (2, 1, 2), {}),
    "mt_bench": ({"x.jsonl": lines({**PAIR, "g1_winner": "model_1", "g2_winner": "model_2"},
                                   {**PAIR, "question_id": 2, "g1_winner": "tie", "g2_winner": "error"})}, None, (2, 2, 3), {"unscored": 1}),
    "mt_bench single": ({"x.jsonl": lines(*({"question_id": q, "model": "m", "judge": ["gpt", "s"], "turn": 1, "score": s}
                                            for q, s in ((1, 9), (2, -1))))}, None, (1, 1, 1), {"unscored": 1}),
    "mt_bench people": ({"x.jsonl": lines(HUMAN, {**HUMAN, "judge": "author_1", "winner": "tie"})}, None, (1, 2, 2), {}),
    "deepeval": ({"x.json": DEEPEVAL}, None, (1, 1, 1), {}),
    "openai_evals": ({"x.jsonl": EVALS}, None, (1, 1, 1), {}),
    "lm_eval": ({"samples_x.jsonl": LM_EVAL}, None, (1, 2, 2), {"unscored": 1}),
    "lm_eval tasks": (LM_EVAL_TASKS, None, (5, 1, 5), {}),
    "lm_eval runs": (LM_EVAL_RUNS, None, (6, 2, 12), {}),
    "lm_eval old": ({"x.json": LM_EVAL_OLD}, None, (1, 1, 1), {}),
    "ragas": ({"x.csv": RAGAS}, "faithfulness", (1, 1, 1), {"unscored": 1}),
    "ragas systems": ({"naive.csv": RAGAS, "rerank.csv": RAGAS.replace(",r1,", ",s1,").replace(",r2,", ",s2,")}, "relevancy", (4, 1, 4), {}),
    "ragas judges": ({"gpt.csv": RAGAS, "claude.csv": RAGAS.replace("0.25", "0.5")}, "relevancy", (2, 2, 4), {}),
    "ragas described": ({"x.csv": RAGAS.replace("relevancy", "relevancy,synthesizer_name,id").replace("1.0\n", "1.0,single hop,1\n").replace("0.25\n", "0.25,multi hop,2\n")}, "relevancy", (2, 1, 2), {}),
    "mlflow": ({"eval_results_table.json": MLFLOW}, None, (2, 1, 2), {"error": 1}),
    "mlflow runs": (MLFLOW_RUNS, "correct", (3, 2, 5), {"error": 1}),
    "langfuse": ({"x.jsonl": LANGFUSE}, None, (1, 2, 2), {}),
    "langfuse table": ({"x.json": LANGFUSE_TABLE}, None, (2, 3, 4), {"unscored": 1}),
    "langfuse api": ({"x.json": LANGFUSE_API}, None, (2, 2, 3), {}),
    "opentelemetry": ({"x.jsonl": OTEL}, None, (1, 1, 1), {}),
    "opentelemetry spans": ({"x.json": OTEL_SPANS}, "tone", (2, 2, 3), {"unscored": 1}),
    "opentelemetry printed": ({"x.jsonl": OTEL_PRINTED}, None, (2, 2, 3), {}),
}  # fmt: skip
