"""Inspect: evaluation logs as ``.json``, and as ``.eval``, a zip with a file for each sample."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalar
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.notes.note import Note

SAMPLES, HEADER = "samples", "header.json"


def sniff(g: Glance) -> bool:
    """A log; or, in a zip, its header and its samples."""
    parts = g.document.parts
    if g.document.member:
        sample = len(parts) > 1 and parts[-2] == SAMPLES and g.has("id", "epoch")
        return sample or (g.name == HEADER and g.has("eval", "eval.task"))
    return g.has("version", "eval", "eval.task", "eval.model")


def read(documents: Sequence[Document]) -> Export:
    """Scorers are raters; the item is a sample, with its epoch and model if there are several of these."""
    logs: dict[Any, list[tuple[int, Document]]] = defaultdict(list)
    for place, document in enumerate(documents):
        logs[document.path].append((place, document))
    found: list[Answer] = []
    notes: list[Note] = []
    for parts in logs.values():
        header, samples = opened(parts)
        status = header.get("status")
        about = mapping(header.get("eval"))
        if status not in (None, "success"):
            notes.append(Note("log_unfinished", {"file": parts[0][1].path.name, "status": status}))
        for place, sample in samples:
            found += scored(sample, about, place)
    return Export(told_apart(found), 0, tuple(notes), {"item": "sample", "rater": "scorer"})


def opened(parts: Sequence[tuple[int, Document]]) -> tuple[Mapping[str, Any], Iterator[tuple[int, Mapping[str, Any]]]]:
    """The header of a log, and its samples."""
    place, first = parts[0]
    if not first.member:
        log = mapping(next(iter(first.objects()), None))
        return log, ((place, s) for s in objects(log.get("samples")))
    header = next((mapping(next(iter(d.objects()))) for _, d in parts if d.name == HEADER), {})
    return header, ((p, mapping(next(iter(d.objects())))) for p, d in parts if d.name != HEADER)


def scored(sample: Mapping[str, Any], about: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """One answer for each scorer, or for each part of its value."""
    item = sample.get("id")
    more = {
        k: v
        for k, v in (
            ("epoch", sample.get("epoch")),
            ("model", about.get("model")),
            ("task", about.get("task")),
            ("target", sample.get("target")),
        )
        if scalar(v) is not None
    }
    scores = mapping(sample.get("scores"))
    if not scores and mapping(sample.get("score")):
        scores = {"score": sample["score"]}
    if sample.get("error") or not scores:
        yield Answer(item, None, "score", None, "error" if sample.get("error") else "unscored", place, None, more)
        return
    for scorer, score in scores.items():
        value = mapping(score).get("value")
        parts = {f"{scorer}.{k}": v for k, v in value.items()} if isinstance(value, Mapping) else {"score": value}
        for question, label in parts.items():
            given = scalar(label)
            why = None if given is not None else "unscored"
            yield Answer(item, scorer, question, given, why, place, None, more)


def told_apart(answers: list[Answer]) -> list[Answer]:
    """The output of another model or another epoch is a separate item."""
    names = [k for k in ("task", "model", "epoch") if len({a.more.get(k) for a in answers}) > 1]
    if not names:
        return answers
    return [replace(a, item=" | ".join(str(v) for v in (a.item, *(a.more.get(k) for k in names)))) for a in answers]
