"""Recognise which tool wrote a source by its content, and read its answers."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from raters.errors import DataError, NoColumn, NotInFile, RatersError, UsageError
from raters.io.exports import brat
from raters.io.exports.answers import Chosen, Export, Tool, chosen, labels_by_question, reasons_to_keep
from raters.io.exports.documents import DEEP, Document, documents
from raters.io.exports.glance import Glance, glance
from raters.io.exports.registry import TOOLS
from raters.io.exports.several_files import tables_in
from raters.io.exports.spans import conll, factgenie
from raters.io.exports.spans.marked import question_of, spans_of
from raters.io.readings.reading import InDoubt
from raters.io.sources.files import FileOptions
from raters.io.table import NoSuchQuestion, Table
from raters.notes.note import Note
from raters.spans.units import Spans

SPANS_ALONE = (brat.read, factgenie.labels, conll.labels)
"""Readers of tools that have no labels of whole items."""
MARKS, TEXTS = ".ann", ".txt"
"""Endings of annotations and of the text beside them, which is not looked at."""
PATIENCE = 500
"""Number of files that are inspected before a folder is rejected."""


def recognised(g: Glance) -> Tool | None:
    """The tool that a document comes from."""
    if not (g.keys or g.header or g.text or g.name.endswith(".ann")):  # an empty .ann: seen, and nothing marked
        return None
    return next((tool for tool in TOOLS.values() if tool.sniff(g)), None)


def is_source(source: Any) -> bool:
    """Whether this may hold an export: a path, or several."""
    if isinstance(source, str | PathLike):
        return "://" not in str(source)
    return is_paths(source)


def is_paths(source: Any) -> bool:
    """Whether a list holds paths: one of them has an extension, is in a folder, or exists. Rows of text are not
    paths.
    """
    if not isinstance(source, list | tuple) or not source or not all(isinstance(s, str | PathLike) for s in source):
        return False
    return any(Path(s).suffix or Path(s).name != str(s) or Path(s).exists() for s in source)


def from_export(source: Any, question: str | None, keep: str | Iterable[str], encoding: str) -> Chosen | Spans | None:
    """The table in an export; None if the source is not an export but may be a plain table."""
    by_tool, others = by_their_tool(source, encoding)
    if not by_tool:
        return None
    if len(by_tool) > 1:
        first, second = (f"{docs[0].name} of {TOOLS[name].title}" for name, docs in by_tool.items())
        what = " is a directory that" if isinstance(source, str | PathLike) and Path(source).is_dir() else ""
        raise DataError(
            f"{title(source)}{what} contains exports of several tools: {first}, {second}. Read the exports of one tool at a"
            " time."
        )
    name, ours = next(iter(by_tool.items()))
    tool, endings = TOOLS[name], {Path(d.name).suffix.lower() for d in ours}
    like = [d for d in others if Path(d.name).suffix.lower() in endings]
    more = [d for d in like if tool.beside is not None and tool.beside(glance(d))]
    left = [d.name for d in like if d not in more and d.start().strip()]
    found = answers_or_spans(tool, [*ours, *more], title(source), question, keep)
    if isinstance(found, Spans) and left:
        return replace(found, notes=(*found.notes, Note("not_of_the_tool", {"n": len(left), "files": left})))
    return found


def by_their_tool(source: Any, encoding: str) -> tuple[dict[str, list[Document]], list[Document]]:
    """The documents of a source by tool, up to the first of a second tool; and those that none recognises."""
    by_tool: dict[str, list[Document]] = defaultdict(list)
    others: list[Document] = []
    marked: set[tuple[Path, str]] = set()
    for document in documents(source, encoding):
        if not by_tool and len(others) >= PATIENCE:
            break
        if document.name.endswith(TEXTS) and (document.path.with_suffix(MARKS), document.member[:-4]) in marked:
            continue
        tool = recognised(glance(document))
        if tool is None:
            others.append(document)
            continue
        by_tool[tool.name].append(document)
        if document.name.endswith(MARKS):
            marked.add((document.path, document.member[:-4]))
        if len(by_tool) > 1:
            break
    return by_tool, others


def answers_or_spans(
    tool: Tool, ours: Sequence[Document], source: str, question: str | None, keep: str | Iterable[str]
) -> Chosen | Spans:
    """The labels of a question, or the units of one: what was asked for, otherwise what there is more of."""
    marked = guarded(tool, tool.spans, ours) if tool.spans is not None else None
    if marked is None or not (any(marked.counts.values()) or tool.read in SPANS_ALONE):
        return chosen(read_by(tool, ours), tool, source, question, keep)
    try:
        export = Export([]) if tool.read in SPANS_ALONE else read_by(tool, ours)
    except DataError:
        export = Export([])
    found = labels_by_question(export, reasons_to_keep(keep))
    given = {a.question for a in export.answers if a.label not in (None, [])}
    labels = {q: n for q, n in found.items() if q in given}  # units are no labels of the whole item
    asked = question is not None and question.lower() in {q.lower() for q in labels}
    alone = len({rater for _, rater in marked.views}) < 2
    if asked or (question is None and labels and (alone or sum(labels.values()) > export.spans)):
        return chosen(beside(export, marked.counts), tool, source, question, keep)
    name = f"{source} ({tool.title})"
    return spans_of(marked, question_of(marked, question, labels, name), name, labels)


def beside(export: Export, units: Mapping[str, int]) -> Export:
    """Labels of items, with a note about the units that were marked as well."""
    n = sum(units.values())
    note = Note("units_beside_labels", {"n": n, "question": max(units, key=lambda q: units[q])})
    return replace(export, spans=max(export.spans - n, 0), notes=(*export.notes, note))


def read_by(tool: Tool, ours: Sequence[Document]) -> Export:
    """The result of a reader of labels for its documents."""
    found: Export = guarded(tool, tool.read, ours)
    return found


def guarded(tool: Tool, read: Callable[[Sequence[Document]], Any], ours: Sequence[Document]) -> Any:
    """The result of a reader. A file that was edited may break any rule of the tool."""
    collecting = gc.isenabled()
    gc.disable()  # garbage collection would find nothing here, and would take longer than reading
    try:
        return read(ours)
    except RatersError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(
            f"{ours[0].name}: looks like an export of {tool.title}, but does not follow that tool's format"
            f" ({reason[:120]}). Export it again, or make a table of it with a row for each item and rater."
        ) from None
    finally:
        if collecting:
            gc.enable()


def title(source: Any) -> str:
    """The name of a source in messages."""
    if isinstance(source, str | PathLike):
        return Path(source).name or str(source)
    names = [Path(s).name for s in source]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def refuse_choice(question: str | None, keep: Any) -> None:
    """``question=`` and ``keep=`` do not apply to a plain table."""
    for name, value in (("question", question), ("keep", keep)):
        if value:
            raise NotInFile(
                name,
                f"{name}={value!r} applies to exports of labelling tools, and this is not an export that raters"
                f" recognises ({tried()}). Name the column of the labels: raters.read(..., label='COLUMN').",
            )


def tried() -> str:
    """The tools whose exports were tried, with the first ones by name."""
    titles = [tool.title for tool in TOOLS.values()]
    return f"looked for {', '.join(titles[:3])} and {len(titles) - 3} others"


def refuse_folder(source: Any) -> None:
    """A folder or a zip in which no export was found."""
    for path in [source] if isinstance(source, str | PathLike) else source:
        what = (
            "directory" if Path(path).is_dir() else "zip file" if Path(path).suffix.lower() in (".zip", ".eval") else ""
        )
        few = f" (of the first {PATIENCE}, {DEEP} folders deep)" if what == "directory" else ""
        if what and not tables_in(Path(path)):
            raise DataError(
                f"{str(path)!r} is a {what}, and no file in it{few} is an export that raters recognises ({tried()}). "
                "Pass the path of one table, or a list of paths, and name its columns: raters.read(..., item='COLUMN', rater='COLUMN', label='COLUMN')."
            )


def not_recognised() -> str:
    """A sentence to add to an error if the columns of a table are not recognised."""
    return f"Nor is it an export of a labelling tool that raters recognises ({tried()})."


def tool_export(source: Any, question: str | None, keep: str | Iterable[str], encoding: str, by_hand: bool) -> Any:
    """The export of a labelling tool; None if no tool is recognised and the source may be a plain table."""
    found = None
    if isinstance(source, str | PathLike | list | tuple) and not by_hand and is_source(source):
        found = from_export(source, question, keep, encoding)
        if found is None:
            refuse_folder(source)
    return found


def only_for_exports(question: str | None, keep: Any) -> None:
    """Raise if ``question=`` or ``keep=`` was given for a source to which they do not apply."""

    refuse_choice(question, keep)


@contextmanager
def explained(source: Any, columns: tuple[Any, ...]) -> Iterator[None]:
    """If the columns of a file are not recognised, the error also states that no export was recognised."""
    try:
        yield
    except UsageError as error:
        if isinstance(error, NoSuchQuestion | InDoubt) or not isinstance(source, str | PathLike) or None not in columns:
            raise

        said = f"{error} {not_recognised()}"
        if isinstance(error, NotInFile):
            raise NotInFile(error.option, said) from None
        raise (NoColumn(error.role, said) if isinstance(error, NoColumn) else UsageError(said)) from None


def opened(source: Any, layout: str, raters: str, options: FileOptions) -> Table:
    """The source behind an engine."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str | PathLike) or is_paths(source):
        from raters.io.exports.several_files import from_files
        from raters.io.sources.files import from_file

        given: list[Any] = [source] if isinstance(source, str | PathLike) else list(source)
        inside = [path for one in given for path in tables_in(Path(one)) or [one]]
        return from_file(fspath(source), options) if inside == [source] else from_files(inside, options)
    if not isinstance(source, np.ndarray | list | tuple | dict):
        from raters.io.sources.frames import from_frame

        table = from_frame(source, index=layout not in ("auto", "long"))
        if table is not None:
            return table
    return from_python(source, layout, raters)


def from_python(source: Any, layout: str, raters: str) -> Table:
    """Rows, columns, or a matrix."""
    from raters.io.sources.rows import from_columns, from_matrix, from_rows

    if isinstance(source, Mapping):
        return from_columns(source, "columns")
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        kind = type(source).__name__
        if kind == "DuckDBPyConnection":
            raise UsageError(
                "a connection may hold many tables. Pass one of them, also of an attached database:"
                " connection.table('labels'), or the result of a query: connection.sql('SELECT ...')."
            )
        raise UsageError(f"cannot read {kind}. Pass a path, a dataframe, rows, or a matrix.")
    if layout not in ("auto", "long"):
        first = source[0] if isinstance(source, list | tuple) and source else None
        return from_rows(source) if isinstance(first, Mapping) else from_matrix(source, raters)
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        raise UsageError(
            "the rows and columns of a matrix have no names. Pass layout='wide' (items by raters), 'counts' or"
            " 'contingency'."
        )
    return from_rows(source)
