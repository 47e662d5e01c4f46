"""Sizes of a table: the scans behind the summary. One of them also folds the items if they have few labels."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine
from raters.engines import DuckDBEngine
from raters.engines.matrix import MatrixEngine
from raters.engines.packing import Packing, Patterns, in_order
from raters.engines.patterns import PatternEngine
from raters.errors import DataError
from raters.io.same_names import UNUSUAL

Array = NDArray[Any]
PATTERNS = "patterns"
"""The key under which a table keeps the patterns of its items after they were counted."""
LABELS = "SELECT label, count(*) AS n FROM annotations GROUP BY label"
PAIRS = (
    "SELECT count(*) AS pairs FROM "
    "(SELECT annotations.item, annotations.rater FROM annotations{these} GROUP BY annotations.item, annotations.rater) AS by_rater"
)
FIRST_REPEAT = """
SELECT item, rater FROM (SELECT item, rater, count(*) AS n, min(row) AS first_row FROM annotations GROUP BY item, rater) AS by_rater
WHERE n > 1 ORDER BY first_row LIMIT 1
"""
FEW_LABELS, DIGIT = 48, 8
"""Up to this many labels, the items are folded while they are counted, with this many bits per count."""
MASK = 62
"""Bits of a mask: up to this many raters have a bit of their own."""
MASKS, MOST_RATERS, SMALL_ITEM = 3, 20_000, 10
"""With more raters, they share bits of several masks: an item in which two raters share a bit in each mask is checked again, if it has few labels."""


def distinct_labels(engine: Engine, kind: str) -> tuple[Array, Array]:
    """Distinct labels and how often each occurs: numbers by value, text by code point."""
    if isinstance(engine, MatrixEngine | PatternEngine):
        return engine.keys, engine.counts
    answer = engine.query(LABELS)
    return sorted_labels(answer["label"], answer["n"], kind)


def sorted_labels(labels: Array, n: Array, kind: str) -> tuple[Array, Array]:
    """Labels in order, with their counts."""
    keys = labels.astype(object if kind == "text" else np.float64)
    order = np.argsort(keys, kind="stable")
    return keys[order], n[order].astype(np.int64)


@dataclass(frozen=True)
class Counted:
    """The result of one scan over the items."""

    items: int
    least: int
    most: int
    pairs: int
    """Number of pairs of item and rater; a lower bound if some items are in doubt."""
    doubtful: Array | None
    """Items in which a rater may occur twice; None if there are too many to list."""
    patterns: Patterns | None
    rows: int
    """Labels of all items together."""
    unusual: bool = False
    """Whether the name of some item has capital letters or surrounding spaces."""


class Names(NamedTuple):
    """What the scans show of names."""

    raters: Array | None = None
    unusual_items: bool = False
    """Whether the name of some item has capital letters or surrounding spaces."""


def table_sizes(engine: Engine, n: int, named: bool) -> dict[str, Any]:
    """Items, raters, labels per item, repeated labels."""
    return sizes_and_patterns(engine, n, named, np.empty(0))[0]


def sizes_and_patterns(
    engine: Engine, n: int, named: bool, keys: Array
) -> tuple[dict[str, Any], Patterns | None, Names]:
    """Items, raters, labels per item, repeated labels; and the patterns of the items and the names of the raters if the scan produced them.

    Raters without names cannot repeat themselves.
    """
    if isinstance(engine, MatrixEngine):
        return matrix_sizes(engine, n), None, Names(None, engine.name == "duckdb")
    raters, masks = rater_masks(engine) if named else (0, None)
    found = counted_items(engine, keys, masks)
    if found.rows != n:  # a damaged file whose statistics make the database skip rows that match
        raise DataError(
            f"a file behind this table is damaged: one scan found {n:,} labels in it and another {found.rows:,}. Write it again."
        )
    repeats = n - exact_pairs(engine, found) if named else 0
    return (
        {
            "n_items": found.items,
            "n_raters": raters,
            "n_annotations": n,
            "repeats": repeats,
            "first_repeat": first_repeat(engine) if repeats else None,
            "per_item": (found.least, n / found.items, found.most),
        },
        found.patterns,
        Names(None if masks is None else masks["name"], found.unusual),
    )


def rater_masks(engine: Engine) -> tuple[int, dict[str, Array] | None]:
    """The number of raters and a table of bits for each; None if there are too many raters for this."""
    room = min(MOST_RATERS, engine.room)
    got = engine.query(f"SELECT DISTINCT rater FROM annotations WHERE rater IS NOT NULL LIMIT {room + 1}")["rater"]
    if len(got) > room:
        return int(engine.query("SELECT count(DISTINCT rater) AS raters FROM annotations")["raters"][0]), None
    if len(got) <= MASK:
        return len(got), {"name": got, "m0": 1 << np.arange(len(got), dtype=np.int64)}
    bits = np.random.default_rng(len(got)).integers(0, MASK, (MASKS, len(got)))
    return len(got), {"name": got, **{f"m{i}": np.int64(1) << row for i, row in enumerate(bits)}}


def counted_items(engine: Engine, keys: Array, masks: dict[str, Array] | None) -> Counted:
    """Items and their labels, with the patterns of few labels, and doubts about repeats, in one scan."""
    packing = Packing(1, len(keys), DIGIT) if 0 < len(keys) <= min(FEW_LABELS, engine.room) else None
    tables: dict[str, dict[str, Array]] = {}
    joins, chosen, words = "", ["count(*) AS n"], []
    if packing is not None:
        tables["label_codes"] = {"key": keys, **packing.label_weights()}
        joins += " JOIN label_codes ON annotations.label = label_codes.key"
        chosen += packing.sums("label_codes.")
        words = [f"w{i}" for i in range(packing.words)]
    own = masks is not None and len(masks) == 2
    if masks is not None:
        tables["rater_masks"] = masks
        joins += " JOIN rater_masks ON annotations.rater = rater_masks.name"
        each = [f"bit_count(bit_or(rater_masks.{m}))" for m in masks if m != "name"]
        chosen.append(f"{each[0]} AS pairs" if own else f"greatest({', '.join(each)}) AS pairs")
    inner = f"SELECT annotations.item, {', '.join(chosen)} FROM annotations{joins} GROUP BY annotations.item"
    outer = [*words, "count(*) AS items", "min(n) AS least", "max(n) AS most", "CAST(sum(n) AS BIGINT) AS labels"]
    if masks is not None:
        doubt = f"pairs < n AND n <= {SMALL_ITEM}"
        outer.append("CAST(sum(pairs) AS BIGINT) AS pairs")
    if masks is not None and not own:
        outer += [
            f"array_agg(item) FILTER (WHERE {doubt}) AS doubtful",
            f"CAST(sum(pairs) FILTER (WHERE {doubt}) AS BIGINT) AS sure",
            f"count(*) FILTER (WHERE pairs < n AND n > {SMALL_ITEM}) AS lost",
        ]
    if isinstance(engine, DuckDBEngine) and engine.kinds().get("item") == "text":
        outer.append(f"bool_or({UNUSUAL}) AS unusual")
    grouped = f" GROUP BY {', '.join(words)}" if words else ""
    got = engine.query(f"SELECT {', '.join(outer)} FROM ({inner}) AS by_item{grouped}", **tables)
    return replace(gathered(got, packing, masks is None), unusual=bool(np.any(got.get("unusual", False))))


def gathered(got: dict[str, Array], packing: Packing | None, unseen: bool) -> Counted:
    """The result of the scan over items, combined over its patterns."""
    if not int(got["items"].sum()):
        return Counted(0, 0, 0, 0, None, None, 0)
    items, least, most = int(got["items"].sum()), int(got["least"].min()), int(got["most"].max())
    rows = int(got["labels"].sum())
    patterns = None
    if packing is not None and most < 1 << DIGIT:
        counts = packing.counts(np.stack([got[f"w{i}"] for i in range(packing.words)], -1))
        order = in_order(counts)
        patterns = Patterns(counts[order].astype(float), got["items"][order].astype(float))
    if unseen:
        return Counted(items, least, most, 0, None, patterns, rows)
    pairs = int(got["pairs"].sum())
    if "doubtful" not in got:
        return Counted(items, least, most, pairs, np.empty(0), patterns, rows)
    if int(got["lost"].sum()):
        return Counted(items, least, most, pairs, None, patterns, rows)
    lists = [np.asarray(x) for x in got["doubtful"].tolist() if x is not None and len(x)]
    doubtful = np.concatenate(lists) if lists else np.empty(0)
    sure = pairs - int(np.nansum(got["sure"].astype(float)))
    return Counted(items, least, most, sure, doubtful, patterns, rows)


def exact_pairs(engine: Engine, found: Counted) -> int:
    """The number of pairs of item and rater."""
    if found.doubtful is None or len(found.doubtful) > engine.room:
        return int(engine.query(PAIRS.format(these=""))["pairs"][0])
    if not len(found.doubtful):
        return found.pairs
    these = " JOIN doubtful ON annotations.item = doubtful.name"
    return found.pairs + int(engine.query(PAIRS.format(these=these), doubtful={"name": found.doubtful})["pairs"][0])


def matrix_sizes(matrix: MatrixEngine, n: int) -> dict[str, Any]:
    """The same for a matrix, in which no rater can label an item twice."""
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
