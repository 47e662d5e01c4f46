"""INCEpTION and WebAnno: units of TSV 3, a file a user, and of UIMA CAS as XML."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.parsers import expat

from raters.errors import DataError
from raters.io.exports.answers import mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.several_files import marked_by
from raters.io.exports.spans.marked import Mark, Marked
from raters.io.exports.webanno import CURATORS, ESCAPED, STRUCTURE, features, short, users
from raters.words import whole

ROW = re.compile(r"^\d+-\d+(?:\.\d+)?\t(\d+)-(\d+)\t([^\t]*)\t?(.*)$")
CELL = re.compile(r"(?<!\\)\|")
NUMBER = re.compile(r"(?<!\\)\[(\d+)\]$")
Found = dict[str, list[tuple[int, int, str | None]]]


def read(documents: Sequence[Document]) -> Marked:
    """Every layer of units, feature by feature; a file without a layer says that the user marked nothing in it."""
    made = Marked()
    layers: dict[str, dict[str, list[Mark]]] = defaultdict(dict)
    ours = users(documents)
    made.left_out["files of a curator"] += sum(d.stem.lower() in CURATORS for d in documents)
    given = [layers_of(d, made) for d in ours]
    for (found, text), (name, rater) in zip(given, marked_by(ours, [t for _, t in given], False), strict=True):
        made.saw(name, rater, text)
        for (layer, feature), units in found.items():
            marks = layers[layer].setdefault(feature, [])
            marks += [Mark(name, rater, s, e, label) for s, e, label in units]
    for layer, by_name in layers.items():
        full = {f: m for f, m in by_name.items() if any(x.label is not None for x in m)} or dict(
            [next(iter(by_name.items()))]
        )
        for feature, marks in full.items():
            made.marks[f"{layer}.{feature}".rstrip(".")] = marks
    return made


def layers_of(document: Document, made: Marked) -> tuple[dict["Column", list[tuple[int, int, str | None]]], str]:
    """The units and the text of a file."""
    start = document.start().decode("utf-8", "replace").lstrip("\ufeff").lstrip()
    return xmi(document) if start[:1] == "<" else cas_json(document) if start[:1] in "{[" else tsv(document, made)


Column = tuple[str, str]
"""Layer and feature."""


def tsv(document: Document, made: Marked) -> tuple[dict[Column, list[tuple[int, int, str | None]]], str]:
    """(layer, feature) -> units (start, end, label), and the text as far as the tokens show it."""
    lines = document.text().replace("\r\n", "\n").split("\n")
    columns = [column for line in lines for column in columns_in(line)]
    rows = [m for line in lines if (m := ROW.match(line))]
    others = [i for i, c in enumerate(columns) if c is None]
    for m in rows:
        cells = m[4].split("\t")
        made.left_out["tokens with relations or chains"] += any(
            cells[i : i + 1] not in ([], ["_"], [""]) for i in others
        )
    offsets, text = _text([(int(m[1]), int(m[2]), m[3]) for m in rows])
    found: dict[Column, list[tuple[int, int, str | None]]] = {c: [] for c in columns if c is not None}
    open_: dict[tuple[Column, str], list[Any]] = {}
    for m in rows:
        start, end = (offsets(int(x)) for x in (m[1], m[2]))
        for column, number, label in marks_in(m[4], columns):
            if number is None:
                found[column].append((start, end, label))
            elif (column, number) in open_:
                open_[column, number][1] = end
            else:
                open_[column, number] = [start, end, label]
    for (column, _), (s, e, label) in open_.items():
        found[column].append((s, e, label))
    return found, text


def columns_in(line: str) -> list[Column | None]:
    """The columns that a line of the header declares; None for those of chains and relations."""
    if not line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
        return []
    name, *features = line[6:].strip().split("|")
    return [(short(name), f) if line.startswith("#T_SP") else None for f in features or [""]]


def marks_in(cells: str, columns: Sequence[Column | None]) -> Iterator[tuple[Column, str | None, str | None]]:
    """(column, number of a unit that may continue, label) of each mark on a token."""
    for column, cell in zip(columns, cells.split("\t"), strict=False):
        if column is None or cell in ("_", ""):
            continue
        for value in CELL.split(cell):
            number, plain = NUMBER.search(value), NUMBER.sub("", value)
            yield column, number and number[1], None if plain == "*" else ESCAPED.sub(r"\1", plain)


def _text(tokens: Sequence[tuple[int, int, str]]) -> tuple[Any, str]:
    """From tokens with offsets, counted in UTF-16 or in characters: offsets in characters, and the text with blanks
    between tokens.
    """
    wide = sum(e - s == len(t.encode("utf-16-le")) // 2 for s, e, t in tokens)
    if wide <= sum(e - s == len(t) for s, e, t in tokens):
        units: list[str] = [" "] * max((e for _, e, _ in tokens), default=0)
        for s, _, t in tokens:
            units[s : s + len(t)] = t
        return (lambda x: x), "".join(units)
    made = bytearray(b" \0" * max((e for _, e, _ in tokens), default=0))
    for s, _, t in tokens:
        data = t.encode("utf-16-le")
        made[2 * s : 2 * s + len(data)] = data
    text = made.decode("utf-16-le", "replace")
    at = [0]
    for c in text:
        at += [at[-1] + 1] if ord(c) <= 0xFFFF else [at[-1], at[-1] + 1]
    return (lambda x: at[x] if x < len(at) else x), text


Features = Mapping[str, str | None]


def by_feature(
    units: Sequence[tuple[str, int, int, Features]], text: str
) -> dict[Column, list[tuple[int, int, str | None]]]:
    """Units of (layer, begin, end, features), counted in UTF-16, by layer and feature; a unit without a feature that
    others of its layer have is one without a label.
    """
    at = [i for i, c in enumerate(text) for _ in range(1 + (ord(c) > 0xFFFF))] + [len(text)]
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for layer, _, _, given in units:
        names[layer].update(dict.fromkeys(given))
    found: dict[Column, list[tuple[int, int, str | None]]] = defaultdict(list)
    for layer, begin, end, given in units:
        start, stop = (at[x] if x < len(at) else x for x in (begin, end))
        for name in names[layer] or [""]:
            found[layer, name].append((start, stop, given.get(name)))
    return found


def xmi(document: Document) -> tuple[dict[Column, list[tuple[int, int, str | None]]], str]:
    """Elements with begin and end. Declarations of entities are refused, and no tree is built."""
    found: list[tuple[str, int, int, dict[str, str]]] = []
    text = ""
    spaces: dict[str, str] = {}
    ids: set[str] = set()

    def refuse(*_: Any) -> None:
        raise DataError(f"{document.name}: XML with declarations of its own (DOCTYPE, entities) is not read.")

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal text
        spaces.update({k.removeprefix("xmlns:"): v for k, v in given.items() if k.startswith("xmlns:")})
        text = given.get("sofaString", text) if name == "cas:Sofa" else text
        ids.add(given.get("xmi:id", ""))
        if not (whole(given.get("begin", "")) and whole(given.get("end", ""))):
            return
        prefix, _, kind = name.rpartition(":")
        package = spaces.get(prefix, "").removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        if f"{package}.".startswith(STRUCTURE) or kind in ("DocumentAnnotation", "DocumentMetaData"):
            return
        rest = {k: v for k, v in given.items() if ":" not in k and k not in ("begin", "end", "sofa")}
        found.append((kind, int(given["begin"]), int(given["end"]), rest))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        for chunk in document.chunks():
            parser.Parse(chunk)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise DataError(
            f"{document.name}, line {error.lineno}: not XML ({expat.errors.messages[error.code]})."
        ) from None
    values: dict[Column, set[str]] = defaultdict(set)
    for kind, _, _, rest in found:
        for name, value in rest.items():
            values[kind, name].update(value.split())
    links = {column for column, given in values.items() if given <= ids}
    units = [(k, s, e, {n: v for n, v in rest.items() if (k, n) not in links}) for k, s, e, rest in found]
    return by_feature(units, text), text


def cas_json(document: Document) -> tuple[dict[Column, list[tuple[int, int, str | None]]], str]:
    """UIMA CAS as JSON 0.4.0: structures with begin and end."""
    text = ""
    found: list[tuple[str, int, int, Features]] = []
    for cas in map(mapping, document.objects()):
        for s in objects(cas.get("%FEATURE_STRUCTURES")):
            kind = str(s.get("%TYPE", ""))
            text = s["sofaString"] if isinstance(s.get("sofaString"), str) else text
            if isinstance(s.get("begin"), int) and isinstance(s.get("end"), int) and not kind.startswith(STRUCTURE):
                rest = {n: str(v) for n, v in features(s) if n not in ("begin", "end")}
                found.append((short(kind), s["begin"], s["end"], rest))
    return by_feature([u for u in found if u[0] != "DocumentAnnotation"], text), text
