"""How much there is: the few GROUP BYs behind the summary."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine
from raters.engines.matrix import MatrixEngine
from raters.engines.patterns import PatternEngine

LABELS = "SELECT label, count(*) AS n FROM annotations GROUP BY label"
ITEMS = """
SELECT count(*) AS items, CAST(sum(pairs) AS BIGINT) AS pairs, min(n) AS least, max(n) AS most
FROM (SELECT item, CAST(sum(n) AS BIGINT) AS n, count(*) AS pairs
      FROM (SELECT item, rater, count(*) AS n FROM annotations GROUP BY item, rater) AS by_rater
      GROUP BY item) AS by_item
"""
RATERS = "SELECT count(DISTINCT rater) AS raters FROM annotations"
FIRST_REPEAT = """
SELECT item, rater FROM (SELECT item, rater, count(*) AS n, min(row) AS first_row FROM annotations GROUP BY item, rater) AS by_rater
WHERE n > 1 ORDER BY first_row LIMIT 1
"""


def distinct_labels(engine: Engine, kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct labels and how often each occurs: numbers by value, text by code point."""
    if isinstance(engine, MatrixEngine | PatternEngine):
        return engine.keys, engine.counts
    answer = engine.query(LABELS)
    keys = answer["label"].astype(object if kind == "text" else np.float64)
    order = np.argsort(keys, kind="stable")
    return keys[order], answer["n"][order]


def table_sizes(engine: Engine, n: int, named: bool) -> dict[str, Any]:
    """Items, raters, labels per item, repeated labels. Raters without names cannot repeat themselves."""
    if isinstance(engine, MatrixEngine):
        return matrix_sizes(engine, n)
    size = {name: int(values[0]) for name, values in engine.query(ITEMS).items()}
    repeats = n - size["pairs"] if named else 0
    return {
        "n_items": size["items"],
        "n_raters": int(engine.query(RATERS)["raters"][0]),
        "n_annotations": n,
        "repeats": repeats,
        "first_repeat": first_repeat(engine) if repeats else None,
        "per_item": (size["least"], n / size["items"], size["most"]),
    }


def matrix_sizes(matrix: MatrixEngine, n: int) -> dict[str, Any]:
    """The same of a matrix, in which no rater can label an item twice."""
    per_item = matrix.per_item[matrix.per_item > 0]
    return {
        "n_items": len(per_item),
        "n_raters": len(matrix.raters),
        "n_annotations": n,
        "repeats": 0,
        "first_repeat": None,
        "per_item": (int(per_item.min()), n / len(per_item), int(per_item.max())),
    }


def first_repeat(engine: Engine) -> tuple[Any, Any]:
    """The first item that a rater labelled twice."""
    answer = engine.query(FIRST_REPEAT)
    item, rater = answer["item"].tolist()[0], answer["rater"].tolist()[0]
    return item, rater
