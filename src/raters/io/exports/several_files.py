"""Join the files of several people: who the rater is, and which items are the same under different names."""

import json
import os
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from raters.engines import DuckDBEngine
from raters.engines.duckdb import gathered, spooled
from raters.errors import DataError
from raters.io.exports.answers import Answer, from_texts
from raters.io.exports.documents import BROKEN, LONGEST, Document
from raters.io.sources.files import READERS, FileOptions, from_file, together
from raters.io.sources.rows import from_columns
from raters.io.table import Table, best, positions, with_notes
from raters.notes.note import Note
from raters.writing import brief_folder, private_folder

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
    """A name for the person behind each document: the name of the file, or that of the folder if all files have the
    same name.
    """
    stems = [d.stem for d in documents]
    if len(set(stems)) == len(stems):
        return stems
    parts = [folders(d) for d in documents]
    depth = max(map(len, parts), default=0)
    for i in range(depth):
        level = [p[i] if i < len(p) else "" for p in parts]
        if len(set(level)) > 1 and all(level):
            return level
    return stems


def marked_by(documents: Sequence[Document], texts: Sequence[str | None], by_folder: bool) -> list[tuple[str, str]]:
    """(document, rater) of each file of a project in which a file is what one rater did in one document: a folder for
    each rater, or a folder for each document and in it a file for each rater.

    Files of one document have the same text, and a document has several raters; where readings break that alike,
    ``by_folder`` says whether folders are raters.
    """
    if not documents:
        return []
    packed = Counter((d.path, d.member) for d in documents)
    paths = [place_of(d, bool(d.inner) and packed[d.path, d.member] == 1) for d in documents]
    same = len([*takewhile(lambda level: len({*level}) == 1, zip(*(inside for inside, _ in paths), strict=False))])
    whole = paths[0][0][same - 1] if same else "document"
    rest = [(inside[same:], stem) for inside, stem in paths]
    levels = range(min(len(inside) for inside, _ in rest))
    readings = [(True, [("/".join((*f[:i], *f[i + 1 :], stem)), f[i]) for f, stem in rest]) for i in levels]
    readings = readings or [(True, [("/".join((*f, stem)), whole) for f, stem in rest])]
    readings.append((False, [("/".join(f) or whole, stem) for f, stem in rest]))

    def faults(reading: tuple[bool, list[tuple[str, str]]]) -> tuple[int, bool, int]:
        usual, who = reading[0] == by_folder, reading[1]
        each: dict[str, Counter[str]] = defaultdict(Counter)
        for (name, _), text in zip(who, texts, strict=True):
            each[name].update([text] if text is not None else [])
        differ = len(who) - len(set(who))
        for found in each.values():
            (first, _), *others = found.most_common() or [("", 0)]
            differ += sum(n * (1 + unlike(first, text)) for text, n in others)
        alone = sum(n == 1 for n in Counter(name for name, _ in who).values())
        return 2 * (differ + (0 if usual else texts.count(None))) + alone, not usual, len(each)

    usual = min((r for r in readings if r[0] == by_folder), key=faults)
    return (usual if not faults(usual)[0] else min(readings, key=faults))[1]


def unlike(text: str, other: str) -> bool:
    """Whether two texts have fewer than half of their words in common: other documents, not two states of one."""
    words = set(text.split()), set(other.split())
    return 2 * len(words[0] & words[1]) < len(words[0] | words[1])


def place_of(document: Document, alone: bool) -> tuple[tuple[str, ...], str]:
    """The folders and the name of a file without its extensions; a zip with one file in it is that file."""
    inside = tuple(p[:-4] if p.lower().endswith(".zip") else p for p in folders(document))
    own = document.member and inside[-1:] == (document.stem,)
    return (inside[:-1], inside[-1]) if alone or own else (inside, document.stem)


def folders(document: Document) -> tuple[str, ...]:
    """The folders that a document is in, from the outside, those of a zip after it."""
    within = document.parts[len(document.under) : -1] if document.member else ()
    return (*document.path.parent.parts, *((document.path.name, *within) if document.member else ()))


def folder_of(document: Document) -> str:
    """The innermost folder that a document is in, if the source says it."""
    return next(reversed([f for f in folders(document) if f not in ("/", document.path.name)]), "")


def runs_apart(answers: Sequence[Answer], documents: Sequence[Document]) -> tuple[list[Answer], list[Note]]:
    """A log names its judge, not its run: where one judge judged an item in several files, each file is a rater."""
    where: dict[Any, set[int]] = defaultdict(set)
    for a in answers:
        where[a.item, a.rater, a.question].add(a.place)
    again = {rater for (_, rater, question), places in where.items() if len(places) > 1 and question}
    if not again:
        return list(answers), []
    names = file_raters(documents)
    raters = [names[a.place] if len(again) == 1 else f"{a.rater} {names[a.place]}" for a in answers]
    made = [replace(a, rater=r) if a.rater in again else a for a, r in zip(answers, raters, strict=True)]
    return made, [Note("runs_are_raters", {"n": len({a.place for a in answers})})]


def content_name(content: Any) -> str:
    """Content as text, the same for the same content."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)


def joined_raters(answers: Sequence[Answer], documents: Sequence[Document]) -> tuple[list[Answer], list[Note]]:
    """The rater of each answer: as named in the file, or the file itself if it names none, or if all files number the
    same rater: on their own servers, every person is user 1.
    """
    inside: dict[int, set[Any]] = defaultdict(set)
    for a in answers:
        if a.why != "predicted" and a.label not in (None, []):
            inside[a.place].add(a.rater)
    names = file_raters(documents)
    ids = set().union(*inside.values()) if inside else set()
    numbered = len(inside) > 1 and len(ids) == 1 and str(next(iter(ids))).isdigit()
    if numbered:
        notes = [Note("same_rater_in_files", {"rater": next(iter(ids))})]
    elif None in ids and (len(inside) > 1 or len(ids) == 1):
        notes = [Note("files_are_raters", {"n": sum(None in who for who in inside.values())})]
    else:
        return list(answers), []
    return [
        replace(a, rater=names[a.place]) if a.why != "predicted" and (numbered or a.rater is None) else a
        for a in answers
    ], notes


def joined_items(answers: Sequence[Answer]) -> tuple[list[Answer], list[Note]]:
    """Items of several documents under one name: by content if all have content, otherwise by their own names."""
    places = {a.place for a in answers}
    if len(places) < 2 or any(a.content is None for a in answers):
        return list(answers), joined_by_name(answers) if len(places) > 1 else []
    raw = {content_name(a.content) for a in answers}
    keys = {key: stripped(json.loads(key)) for key in raw}
    field = telling_field(answers, keys)
    names = {key: shown if isinstance(shown, str) else _named(shown, field) for key, shown in keys.items()}
    before = _shared(answers, lambda a: content_name(a.content))
    made = [replace(a, item=names[content_name(a.content)]) for a in answers]
    after = _shared(made, lambda a: a.item)
    total = len({a.item for a in made})
    facts = {"files": len(places), "shared": before, "n": total}
    if after == before:
        numbers = len({(a.item, content_name(a.content)) for a in answers})
        alike = numbers == len({a.item for a in answers}) == len(raw)
        return made, [Note("joined_by_content" if alike or not after else "joined_by_text", facts)]
    return made, [Note("joined_without_prefixes", facts | {"after": after})]


def joined_by_name(answers: Sequence[Answer]) -> list[Note]:
    """How many items several files share by their own names."""
    total = len({a.item for a in answers})
    return [Note("joined_by_name", {"shared": _shared(answers, lambda a: a.item), "n": total})]


def telling_field(answers: Sequence[Answer], keys: Mapping[str, Any]) -> str | None:
    """The first field that alone distinguishes the items of every file; None if all fields are needed."""
    shown: dict[int, dict[Any, Any]] = defaultdict(dict)
    for a in answers:
        content = keys[content_name(a.content)]
        if not isinstance(content, Mapping):
            return None
        shown[a.place][a.item] = content
    first: Any = next(iter(next(iter(shown.values())).values()), {})
    for name in first:
        values = [[content_name(c.get(name)) for c in of.values()] for of in shown.values()]
        simple = all(isinstance(c.get(name), str | int) for of in shown.values() for c in of.values())
        if simple and all(len(set(v)) == len(v) for v in values):
            return str(name)
    return None


def _named(content: Any, field: str | None) -> Any:
    return content[field] if field is not None else json.dumps(content, ensure_ascii=False, sort_keys=True)


def _shared(answers: Sequence[Answer], key: Any) -> int:
    """Items that are in more than one document."""
    where: dict[Any, set[int]] = defaultdict(set)
    for a in answers:
        where[key(a)].add(a.place)
    return sum(len(places) > 1 for places in where.values())


MOST = 1000
"""Tables of one folder."""
TYPES = {"bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR"}
"""Kinds of columns that the database can put together."""


def from_files(paths: Sequence[str | PathLike[str]], options: FileOptions) -> Table:
    """The rows of all files; if no column names the rater, it is the file or its folder. Both are kept as columns."""
    tables = [from_file(fspath(path), options) for path in paths]
    if len(tables) == 1:  # a folder of one table
        return tables[0]
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    who = file_raters([Document(Path(path), "", (Path(os.path.abspath(path)).parent.name,)) for path in paths])
    about = {"file": [Path(path).name for path in paths]}
    if not best(names, "rater"):
        about = {"rater": who, **about}
    about = {name: values for name, values in about.items() if name not in names}
    source = f"{tables[0].source} and {len(tables) - 1} more"
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    engine = together([Path(os.path.abspath(path)) for path in paths], tables, about)
    made = (
        Table(engine, (*names, *about), source)
        if engine is not None
        else in_database(tables, names, about, source) or in_memory(tables, names, about, source)
    )
    return with_notes(made, (Note("files_make_one", {"n": len(paths)}), *notes))


def in_database(
    tables: Sequence[Table], names: Sequence[str], about: Mapping[str, Sequence[str]], source: str
) -> Table | None:
    """The rows of all tables, each column of one kind, put together by the database, which spills; None if that cannot
    be.
    """
    types = column_types(tables, names)
    if types is None:
        return None
    with brief_folder() as folder:
        parts = []
        for i, t in enumerate(tables):
            sql = same_columns(t, types, [values[i] for values in about.values()])
            parts.append(folder / f"{i}.parquet")
            if not isinstance(t.engine, DuckDBEngine) or not spooled(t.engine, sql, parts[-1]):
                return None
        connection = gathered(parts)
    return Table(DuckDBEngine.from_loaded(connection), (*names, *about), source, from_text=tables[0].from_text)


def column_types(tables: Sequence[Table], names: Sequence[str]) -> dict[str, str] | None:
    """The SQL type of each column, if all tables that have it agree and nothing else has to be known about them."""
    if any(t.mixed or t.nested or t.orders or t.numbered or t.from_text != tables[0].from_text for t in tables):
        return None
    kinds = {name: {t.kinds[t.column(name)] for t in tables if name in t.names} for name in names}
    if not all(len(found) == 1 and found <= TYPES.keys() for found in kinds.values()):
        return None
    return {name: TYPES[found.pop()] for name, found in kinds.items()}


def same_columns(table: Table, types: Mapping[str, str], about: Sequence[str]) -> str:
    """SQL: the rows with all columns (empty if the table lacks them), then what is known about the file."""
    cells = [f"CAST({table.column(n) if n in table.names else 'NULL'} AS {type_})" for n, type_ in types.items()]
    cells += [table.engine.text(value) for value in about]
    chosen = ", ".join(f"{cell} AS {c}" for cell, c in zip(cells, positions(len(cells)), strict=True))
    return f"SELECT {chosen} FROM annotations ORDER BY row"


def in_memory(tables: Sequence[Table], names: Sequence[str], about: Mapping[str, Sequence[str]], source: str) -> Table:
    """The rows of all tables, whatever their columns, combined in memory."""
    columns: dict[str, list[Any]] = {name: [] for name in [*names, *about]}
    for i, table in enumerate(tables):
        cells = table.engine.query(f"SELECT {', '.join(table.named())} FROM annotations ORDER BY row")
        n = len(next(iter(cells.values())))
        for name in names:
            columns[name] += cells[table.column(name)].tolist() if name in table.names else [None] * n
        for name, values in about.items():
            columns[name] += [values[i]] * n
    return from_texts(columns, source) if all(t.from_text for t in tables) else from_columns(columns, source)


def tables_in(source: Path) -> list[Path]:
    """The tables in a folder and its subfolders, or in a zip, by extension; none in a file of another kind."""
    if not source.is_dir() and not (source.suffix.lower() == ".zip" and source.is_file()):
        return []
    folder = source if source.is_dir() else unpacked(source, source.stat().st_mtime_ns)
    found = [
        path
        for pattern in ("*", "*/*")
        for path in sorted(folder.glob(pattern))
        if path.is_file() and is_table(path.name)
    ]
    return found if 0 < len(found) <= MOST else []


def is_table(name: str) -> bool:
    """Whether a file may be a table, by its name."""
    endings = {ending for row in READERS.values() for ending in row.endings}
    return not name.startswith(".") and Path(name.removesuffix(".gz")).suffix.lower() in endings


@cache
def unpacked(path: Path, changed: int) -> Path:
    """The tables in a zip, within the limits of exports, in a private folder; ``changed``: so that a new file is read."""
    folder, left = private_folder(), 4 * LONGEST
    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                m.filename
                for m in archive.infolist()
                if m.filename and not m.is_dir() and not m.filename.startswith("__MACOSX")
            ]
    except BROKEN as error:
        raise DataError(f"{path.name}: not a complete zip file ({error}).") from None
    for document in (Document(path, name) for name in sorted(names)[: MOST + 1]):
        if is_table(document.name) and not document.name.lower().endswith(".txt"):  # prose, which was to be marked
            target = folder.joinpath(*(part.replace(":", "_") for part in document.parts))
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                for chunk in document.chunks():
                    left -= file.write(chunk)
                    if left < 0:
                        raise DataError(
                            f"{path.name}: unpacks to more than {4 * LONGEST >> 30} GB. Unpack it yourself."
                        )
    return folder
