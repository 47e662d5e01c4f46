"""Join the files of several people: who the rater is, and which items are the same under different names."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.io.exports.answers import Answer
from raters.io.exports.documents import Document

UPLOAD = re.compile(r"^/?data/upload/(?:\d+/)?(?:[0-9a-f]{8}-)?(?=.)")
"""The prefix that Label Studio adds to the name of an uploaded file: a project number and a random string."""


def stripped(content: Any) -> Any:
    """The content of an item, without upload prefixes.

    >>> stripped("/data/upload/8/7dfd2f37-img_280.jpg")
    'img_280.jpg'
    """
    if isinstance(content, str):
        return UPLOAD.sub("", content)
    if isinstance(content, Mapping):
        return {k: stripped(v) for k, v in content.items()}
    return [stripped(v) for v in content] if isinstance(content, list) else content


def file_raters(documents: Sequence[Document]) -> list[str]:
    """A name for the person behind each document: the name of the file, or that of the folder if all files have the same name."""
    stems = [d.stem for d in documents]
    if len(set(stems)) == len(stems):
        return stems
    parts = [(*d.under, *d.parts[len(d.under) : -1]) for d in documents]
    depth = max(map(len, parts), default=0)
    for i in range(depth):
        level = [p[i] if i < len(p) else "" for p in parts]
        if len(set(level)) > 1 and all(level):
            return level
    return stems


def joined_raters(answers: Sequence[Answer], documents: Sequence[Document]) -> tuple[list[Answer], list[str]]:
    """The rater of each answer: as named in the file, or the file itself if every file names the same rater or none.

    On their own servers, every person is user 1.
    """
    inside: dict[int, set[Any]] = defaultdict(set)
    for a in answers:
        if a.why != "predicted":
            inside[a.place].add(a.rater)
    names = file_raters(documents)
    ids = set().union(*inside.values()) if inside else set()
    if ids == {None}:
        notes = [f"the files name no rater, so each file is a rater ({len(inside):,} of them)"]
    elif len(inside) > 1 and len(ids) == 1:
        notes = [f"every file names the same rater, {next(iter(ids))!r}, so the file names identify the raters"]
    else:
        return list(answers), []
    return [a if a.why == "predicted" else replace(a, rater=names[a.place]) for a in answers], notes


def joined_items(answers: Sequence[Answer]) -> tuple[list[Answer], list[str]]:
    """Items of several documents under one name: by content if all have content, otherwise by their own names."""
    places = {a.place for a in answers}
    if len(places) < 2 or any(a.content is None for a in answers):
        return list(answers), joined_by_name(answers) if len(places) > 1 else []
    raw = {_key(a.content) for a in answers}
    keys = {key: stripped(json.loads(key)) for key in raw}
    field = telling_field(answers, keys)
    names = {key: shown if isinstance(shown, str) else _named(shown, field) for key, shown in keys.items()}
    before = _shared(answers, lambda a: _key(a.content))
    made = [replace(a, item=names[_key(a.content)]) for a in answers]
    after = _shared(made, lambda a: a.item)
    total = len({a.item for a in made})
    note = f"items of {len(places)} files joined by content: {before:,} shared as written"
    note += f", {after:,} after upload prefixes were removed" if after != before else ""
    return made, [f"{note}, of {total:,} items in all"]


def joined_by_name(answers: Sequence[Answer]) -> list[str]:
    """How many items several files share by their own names."""
    total = len({a.item for a in answers})
    return [f"items of several files joined by their names: {_shared(answers, lambda a: a.item):,} shared of {total:,}"]


def telling_field(answers: Sequence[Answer], keys: Mapping[str, Any]) -> str | None:
    """The first field that alone distinguishes the items of every file; None if all fields are needed."""
    shown: dict[int, dict[Any, Any]] = defaultdict(dict)
    for a in answers:
        content = keys[_key(a.content)]
        if not isinstance(content, Mapping):
            return None
        shown[a.place][a.item] = content
    first: Any = next(iter(next(iter(shown.values())).values()), {})
    for name in first:
        values = [[_key(c.get(name)) for c in of.values()] for of in shown.values()]
        simple = all(isinstance(c.get(name), str | int) for of in shown.values() for c in of.values())
        if simple and all(len(set(v)) == len(v) for v in values):
            return str(name)
    return None


def _named(content: Any, field: str | None) -> Any:
    return content[field] if field is not None else json.dumps(content, ensure_ascii=False, sort_keys=True)


def _key(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)


def _shared(answers: Sequence[Answer], key: Any) -> int:
    """Items that are in more than one document."""
    where: dict[Any, set[int]] = defaultdict(set)
    for a in answers:
        where[key(a)].add(a.place)
    return sum(len(places) > 1 for places in where.values())
