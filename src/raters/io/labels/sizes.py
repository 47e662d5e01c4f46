"""Sizes of a table: the scans behind the summary. One of them also folds the items if they have few labels."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine
from raters.engines import DuckDBEngine
from raters.engines.matrix import MatrixEngine
from raters.engines.patterns import Packing, PatternEngine, Patterns, in_order
from raters.errors import DataError
from raters.io.labels.spelling import MOST_ROWS, UNUSUAL

Array = NDArray[Any]
PATTERNS = "patterns"
"""The key under which a table keeps the patterns of its items after they were counted."""
LABELS = "SELECT label, count(*) AS n FROM annotations GROUP BY label"
PAIRS = (
    "SELECT count(*) AS pairs FROM (SELECT annotations.item, annotations.rater FROM annotations{these} GROUP BY"
    " annotations.item, annotations.rater) AS by_rater"
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
"""With more raters, they share bits of several masks: an item in which two raters share a bit in each mask is checked
again, if it has few labels.
"""
SPELLED_OUT = 8
"""Up to this many labels, DuckDB compares a label with each in turn, which takes less time than a join."""


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


class Masks(NamedTuple):
    """Bits of raters: an item with as many bits as labels contains no repeat."""

    each: tuple[str, ...]
    """SQL of each mask of a row."""
    own: bool
    """Whether every rater has a bit of their own."""
    table: dict[str, Array] | None = None
    """The masks by name, if they are joined to the rows."""


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
    """Items, raters, labels per item, repeated labels; and the patterns of the items and the names of the raters if the
    scan produced them.

    Raters without names cannot repeat themselves.
    """
    if isinstance(engine, MatrixEngine):
        return matrix_sizes(engine, n), None, Names(None, engine.name == "duckdb")
    raters, names = distinct_raters(engine) if named else (0, None)
    masks = rater_masks(engine, names) if named else None
    found = counted_items(engine, keys, masks, n)
    if found.rows != n:  # a damaged file whose statistics make the database skip rows that match
        raise DataError(
            f"a file behind this table is damaged: one scan found {n:,} labels in it and another {found.rows:,}. Write"
            " it again."
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
        Names(names, found.unusual),
    )


def distinct_raters(engine: Engine) -> tuple[int, Array | None]:
    """The number of raters, and their names if there are not too many."""
    room = min(MOST_RATERS, engine.room)
    got = engine.query(f"SELECT DISTINCT rater FROM annotations WHERE rater IS NOT NULL LIMIT {room + 1}")["rater"]
    if len(got) > room:
        return int(engine.query("SELECT count(DISTINCT rater) AS raters FROM annotations")["raters"][0]), None
    return len(got), got


def rater_masks(engine: Engine, names: Array | None) -> Masks | None:
    """Bits for each rater; None if there are too many raters for this. DuckDB's own hash takes less time than a
    join.
    """
    if names is not None and len(names) <= MASK:
        return Masks(("rater_masks.m0",), True, {"name": names, "m0": 1 << np.arange(len(names), dtype=np.int64)})
    if isinstance(engine, DuckDBEngine):
        one = "CAST(1 AS UBIGINT)"
        return Masks(tuple(f"{one} << ((hash(annotations.rater) >> {8 * i}) & 63)" for i in range(MASKS)), False)
    if names is None:
        return None
    bits = np.random.default_rng(len(names)).integers(0, MASK, (MASKS, len(names)))
    table = {"name": names, **{f"m{i}": np.int64(1) << row for i, row in enumerate(bits)}}
    return Masks(tuple(f"rater_masks.{m}" for m in table if m != "name"), False, table)


def counted_items(engine: Engine, keys: Array, masks: Masks | None, n: int) -> Counted:
    """Items and their labels, with the patterns of few labels, and doubts about repeats, in one scan."""
    packing = Packing(1, len(keys), DIGIT) if 0 < len(keys) <= min(FEW_LABELS, engine.room) else None
    words = [f"w{i}" for i in range(packing.words)] if packing is not None else []
    source, chosen, tables = coded_rows(engine, keys, packing)
    outer = [*words, "count(*) AS items", "min(n) AS least", "max(n) AS most", "CAST(sum(n) AS BIGINT) AS labels"]
    if masks is not None:
        each = ", ".join(f"bit_count(bit_or({mask}))" for mask in masks.each)
        chosen.append(f"{each} AS pairs" if masks.own else f"greatest({each}) AS pairs")
        outer += doubts(masks.own)
        if masks.table is not None:
            tables["rater_masks"] = masks.table
            source += " JOIN rater_masks ON annotations.rater = rater_masks.name"
    if isinstance(engine, DuckDBEngine) and n <= MOST_ROWS and engine.kinds().get("item") == "text":
        outer.append(f"bool_or({UNUSUAL}) AS unusual")
    inner = f"SELECT annotations.item, {', '.join(chosen)} FROM {source} GROUP BY annotations.item"
    grouped = f" GROUP BY {', '.join(words)}" if words else ""
    got = engine.query(f"SELECT {', '.join(outer)} FROM ({inner}) AS by_item{grouped}", **tables)
    return replace(gathered(got, packing, masks is None), unusual=bool(np.any(got.get("unusual", False))))


def coded_rows(
    engine: Engine, keys: Array, packing: Packing | None
) -> tuple[str, list[str], dict[str, dict[str, Array]]]:
    """SQL for the rows with what their labels add to the words of an item, the sums, and small tables; a label that is
    none of the keys is not counted.
    """
    if packing is None:
        return "annotations", ["count(*) AS n"], {}
    weights = packing.label_weights()
    if isinstance(engine, DuckDBEngine) and len(keys) <= SPELLED_OUT and packing.words == 1:
        digit = spelled_out(engine, keys, weights["p0"])
        rows = f"(SELECT item, rater, {digit} AS digit FROM annotations) AS annotations"
        return rows, ["count(digit) AS n", "coalesce(sum(digit), 0) AS w0"], {}
    joined = "annotations JOIN label_codes ON annotations.label = label_codes.key"
    return joined, ["count(*) AS n", *packing.sums("label_codes.")], {"label_codes": {"key": keys, **weights}}


def doubts(own: bool) -> list[str]:
    """SQL for the bits of items and, if raters share bits, for the items in which a rater may occur twice."""
    bits = "CAST(sum(pairs) AS BIGINT) AS pairs"
    if own:
        return [bits]
    doubt = f"pairs < n AND n <= {SMALL_ITEM}"
    return [
        bits,
        f"array_agg(item) FILTER (WHERE {doubt}) AS doubtful",
        f"CAST(sum(pairs) FILTER (WHERE {doubt}) AS BIGINT) AS sure",
        f"count(*) FILTER (WHERE pairs < n AND n > {SMALL_ITEM}) AS lost",
    ]


def spelled_out(engine: DuckDBEngine, keys: Array, weights: Array) -> str:
    """SQL for what a label adds to the sum of an item; NULL for any other label."""

    def value(key: Any) -> str:
        return engine.text(key) if isinstance(key, str) else f"CAST('{float(key)!r}' AS DOUBLE)"

    cases = " ".join(f"WHEN {value(k)} THEN {value(w)}" for k, w in zip(keys.tolist(), weights.tolist(), strict=True))
    return f"CASE label {cases} END"


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
