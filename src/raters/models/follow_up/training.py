"""The training file: a row for each item with its columns as they were named, the label, how sure it is, and its weight."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from raters.annotations import Annotations
from raters.estimate import jsonable
from raters.io.write_long import array, parquet_of
from raters.models.base.fit import FittedModel
from raters.writing import csv_text

ENDINGS = (".parquet", ".pq", ".jsonl", ".csv")
OWN = ("label", "probability", "weight", "n_labels")


def training(ann: Annotations, c: FittedModel, *, soft: bool = False, threshold: float = 0.0) -> dict[str, list[Any]]:
    """Columns of the training file. Items below ``threshold`` have no label and weight 0; the weight of the others is
    the probability of their label. With ``soft``, the share of each label.

    >>> import raters
    >>> ann = raters.examples.demo()
    >>> list(training(ann, raters.consensus(ann, "majority"), soft=True))[:5]
    ['item', 'text', 'topic', 'label', 'probability']
    """
    sure = [0.0 if p != p else float(p) for p in c.certainty.tolist()]
    labels = [x if p >= threshold else None for x, p in zip(c.labels.values(), sure, strict=True)]
    name = ann.columns.get("item", "item")
    made: dict[str, list[Any]] = {name if name not in OWN else "item": list(c.items)}
    made |= {column: values for column, values in carried(ann, c.items).items() if column not in (*made, *OWN)}
    made |= {
        "label": labels,
        "probability": sure,
        "weight": [p if x is not None else 0.0 for x, p in zip(labels, sure, strict=True)],
        "n_labels": [int(n) for n in c.votes.per_item],
    }
    if soft:
        made |= {f"p({x})": p for x, p in zip(c.label_names, c._shares.T.tolist(), strict=True)}
    return made


def carried(ann: Annotations, items: Sequence[Any]) -> dict[str, list[Any]]:
    """The columns that have one value for each item, such as its text."""
    if not ann.extras:
        return {}
    table = ann.to_columns()
    keys = list(map(str, table["item"]))
    found = {}
    for name in ann.extras:
        pairs = {(key, value) for key, value in zip(keys, table[name], strict=True) if value is not None}
        values = dict(pairs)
        if len(values) == len(pairs):  # one value each
            found[name] = [values.get(str(item)) for item in items]
    return found


def written(columns: dict[str, list[Any]], ending: str) -> bytes:
    """The file by its ending."""
    if ending == ".jsonl":
        rows = zip(*columns.values(), strict=True)
        lines = (json.dumps(jsonable(dict(zip(columns, row, strict=True))), ensure_ascii=False) for row in rows)
        return "".join(f"{line}\n" for line in lines).encode()
    if ending == ".csv":
        return csv_text(list(columns), zip(*columns.values(), strict=True)).encode()
    return parquet_of({name: array(values) for name, values in columns.items()})
