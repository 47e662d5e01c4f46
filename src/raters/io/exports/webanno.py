"""INCEpTION and WebAnno: TSV (3.x, and 1), in which a layer that labels every token is read; UIMA CAS as JSON."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from raters.errors import DataError
from raters.io.exports.answers import Answer, Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.exports.several_files import folders, marked_by

TOKEN = re.compile(r"^\d+-\d+\t")
STACKED = re.compile(r"(?<!\\)\|")
PLACE = re.compile(r"\[\d+\]$")
ESCAPED = re.compile(r"\\(.)")
NONE = ("_", "*", "O", "")
CURATORS = ("curation_user", "curator", "curation", "initial_cas")
OLD = re.compile(r"#\s*([\w.]+)((?:\s*\|\s*[\w=.]+)+)")
STRUCTURE = ("uima.", "de.tudarmstadt.ukp.clarin.webanno.api.type.", "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.",
             "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.", "org.dkpro.core.api.xml.")  # fmt: skip
"""Types that describe the structure of the document and are not annotations."""
ABOUT_ALL = "uima.cas.AnnotationBase"
"""The parent of layers that annotate the document itself."""


def sniff(g: Glance) -> bool:
    """The line of the format, layers over token rows, or feature structures."""
    tsv = g.text.startswith("#FORMAT=WebAnno TSV") or bool(OLD.match(g.text.lstrip()) and "\n1-1\t" in g.text)
    return tsv or g.has("%TYPES") or g.has("%FEATURE_STRUCTURES") or is_xmi(g.text)


def is_xmi(text: str) -> bool:
    """Whether a document is UIMA CAS as XML."""
    return text.lstrip()[:1] == "<" and "<xmi:XMI" in text[:2000]


def read(documents: Sequence[Document]) -> Export:
    """Tokens as items if a layer labels all of them; documents as items if an annotation is about the whole
    document.
    """
    found: list[Answer] = []
    spans = 0
    ours = users(documents)
    named = dict(zip(ours, marked_by(ours, [None] * len(ours), False), strict=True))
    several = len(set(map(folders, ours))) > 1
    for place, document in enumerate(documents):
        if is_xmi(document.start().decode("utf-8", "replace")):
            raise DataError(
                f"{document.name}: UIMA CAS as XML (XMI) is not supported. Export as WebAnno TSV v3.3 or as UIMA CAS"
                " JSON 0.4.0 instead."
            )
        name, rater = named.get(document, ("", document.stem))
        item = name if several or "annotation" in document.parts else ""
        why = None if document in named else "curated"
        if document.name.endswith(".json") or document.start().lstrip()[:1] == b"{":
            answers, passed = whole_document(document, item, rater, why, place)
        else:
            answers, passed = tokens(document, item, rater, why, place)
        found += answers
        spans += passed
    return Export(found, spans, (), {"item": "document and token", "rater": "user"})


def users(documents: Sequence[Document]) -> list[Document]:
    """The files of annotators: not of a curator, and of a whole project those in its folder of annotations."""
    ours = [d for d in documents if d.stem.lower() not in CURATORS]
    return [d for d in ours if "annotation" in d.parts] or ours


def tokens(document: Document, item: str, rater: str, why: str | None, place: int) -> tuple[list[Answer], int]:
    """Layers of a TSV in which nearly every token has its own label; the marks of other layers are spans."""
    layers, rows = parsed(document.text())
    cells: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        for (layer, kind), value in zip(layers, row[1:], strict=False):
            cells[layer, kind].append((row[0], value))
    found: list[Answer] = []
    spans = 0
    for (layer, kind), values in cells.items():
        marked = [(token, v) for token, v in values if v not in NONE]
        placed = any(PLACE.search(v) or STACKED.search(v) for _, v in marked)
        if kind == "span" and not placed and 10 * len(marked) >= 9 * len(values):
            for token, v in values:
                label = ESCAPED.sub(r"\1", v) if v not in NONE else None
                found.append(
                    Answer(
                        f"{item}:{token}".lstrip(":"),
                        rater,
                        layer,
                        label,
                        why or ("empty" if label is None else None),
                        place,
                    )
                )
        else:
            spans += len(marked)
    return found, spans


def parsed(text: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """(name, kind) of each column of a layer; and rows of token and cells."""
    lines = text.split("\n")
    old = OLD.findall(lines[0]) if not lines[0].startswith("#FORMAT") else []
    layers: list[tuple[str, str]] = []
    for name, features in old:
        kind = "relation" if "AttachTo" in features else "span"
        layers += [(f"{short(name)}.{f.strip()}", kind) for f in features.split("|")[1:] if "AttachTo" not in f] + (
            [("", "head")] if kind == "relation" else []
        )
    for line in lines:
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            name, *features = line[6:].strip().split("|")
            kind = {"SP": "span", "CH": "chain", "RL": "relation"}[line[3:5]]
            layers += [(f"{short(name)}.{f}" if not f.startswith("BT_") else "", kind) for f in features or [""]]
    skip = 2 if old else 3
    rows = []
    for line in lines:
        if TOKEN.match(line):
            parts = line.rstrip("\r").split("\t")
            values = [re.sub(r"^[BI]-", "", v) for v in parts[skip:]] if old else parts[skip:]
            rows.append([parts[0], *values])
    return layers, rows


def short(name: str) -> str:
    """The last part of a type's name."""
    return name.rsplit(".", 1)[-1]


def whole_document(document: Document, item: str, rater: str, why: str | None, place: int) -> tuple[list[Answer], int]:
    """CAS JSON: annotations without a begin are about the document; the others are spans."""
    found: list[Answer] = []
    spans = 0
    alone = not item
    for cas in map(mapping, document.objects()):
        structures = objects(cas.get("%FEATURE_STRUCTURES"))
        types = mapping(cas.get("%TYPES"))
        title = next((s["documentTitle"] for s in structures if isinstance(s.get("documentTitle"), str)), "")
        user = rater if not alone or rater.lower() in CURATORS else "user"
        for s in structures:
            kind = str(s.get("%TYPE", ""))
            if kind.startswith(STRUCTURE) or kind.endswith("[]"):
                continue
            labels = list(features(s))
            base = mapping(types.get(kind)).get("%SUPER_TYPE")
            if "begin" in s or "end" in s or not labels or base != ABOUT_ALL:
                spans += 1
            else:
                for name, value in labels:
                    question = f"{short(kind)}.{name}"
                    found.append(Answer(item or title or document.stem, user, question, value, why, place))
    return found, spans


def features(structure: Any) -> Iterator[tuple[str, Any]]:
    """Features of an annotation that are labels."""
    for name, value in structure.items():
        if name[:1] not in "%@^" and isinstance(value, str | int | float | bool):
            yield name, value
