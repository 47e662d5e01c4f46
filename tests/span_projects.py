"""Projects of spans for tests: the typed cases of the oracle, and small ones written by hand."""

import json

from raters.spans.units import Unit, spans


def unit(row):
    parts = tuple(map(tuple, row.get("parts", ())))
    start, end = (row["start"], row["end"]) if "start" in row else (parts[0][0], parts[-1][1])
    return Unit(row["document"], row["rater"], start, end, row["label"], parts)


def project(given):
    documents = given["documents"]
    return spans(
        [unit(u) for u in given["units"]],
        [(d, r) for d, about in documents.items() for r in about["raters"]],
        lengths={d: about["length"] for d, about in documents.items() if "length" in about},
        texts={d: about["text"] for d, about in documents.items() if "text" in about},
    )


def cases(folder):
    found = json.loads((folder / "spans.json").read_text(encoding="utf-8"))["cases"]
    return {c["name"]: c for c in found}


def marked(rows, length=40, seen=None, text=None):
    """Units as (document, rater, start, end, label)."""
    units = [Unit(*row) for row in rows]
    documents = {u.document for u in units} | {d for d, _ in seen or ()}
    texts = {} if text is None else dict.fromkeys(documents, text)
    return spans(units, seen, lengths=dict.fromkeys(documents, length if text is None else len(text)), texts=texts)
