"""MT-bench (FastChat): judgments of single answers, of pairs in both orders, and of people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance


def sniff(g: Glance) -> bool:
    """A question, a judge, and a score or a winner."""
    return g.has("question_id", "judge") and bool(g.keys & {"score", "g1_winner", "winner"})


def read(documents: Sequence[Document]) -> Export:
    """A judge is a rater; for a pair that is shown in both orders, the judge counts as one rater per order."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        for row in map(mapping, document.objects()):
            found += judged(row, place)
    games = {a.question for a in found if a.more.get("game")}
    note = (
        "the two orders of a pair are two raters: if they disagree, the verdict depends on the position of the answer"
    )
    return Export(found, 0, (note,) if games else (), {"item": "question", "rater": "judge"})


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
