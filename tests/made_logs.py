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


OTEL = {
    "attributes": {
        "gen_ai.evaluation.name": "tone",
        "gen_ai.evaluation.score.label": "good",
        "gen_ai.response.id": "r1",
    }
}


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


LM_EVAL = lines(
    *({"doc_id": 1, "doc": {}, "target": "4", "arguments": {}, "resps": [["4"]], "filtered_resps": ["4"], "filter": f,
       "metrics": ["exact_match"], "exact_match": v} for f, v in (("strict", 1.0), ("flexible", 0.0)))
)  # fmt: skip


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
    "lm_eval": ({"samples_x.jsonl": LM_EVAL}, None, (1, 2, 2), {}),
    "ragas": ({"x.csv": RAGAS}, "faithfulness", (1, 1, 1), {"unscored": 1}),
    "langfuse": ({"x.jsonl": LANGFUSE}, None, (1, 2, 2), {}),
    "opentelemetry": ({"x.jsonl": lines(OTEL)}, None, (1, 1, 1), {}),
}  # fmt: skip
