"""Evaluation logs in which metrics or judges score outputs: promptfoo, MT-bench, DeepEval."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, table
from raters.io.exports.several_files import runs_apart
from raters.notes.note import Note

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
    found, runs = runs_apart(found, documents)
    return Export(found, 0, tuple(runs), {"item": "test case", "rater": "evaluationModel"})


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
