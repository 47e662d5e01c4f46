"""``raters consensus``: the files besides the labels: raters, matrices and the adjudication sheet, and which endings of names they can have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.cli.options import put, stop

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.models.result import Consensus

OTHER_KINDS = (".xlsx", ".xls", ".ods", ".parquet", ".pq", ".tsv", ".jsonl")
"""Endings of files that are not CSV."""


def format_of(format_: str, output: Path | None, options: Mapping[str, Any]) -> str:
    """The format of the labels, by the ending of -o if none was named; files that would not be what they are called are refused."""
    if format_ == "text" and output is not None and not options["on_engine"]:
        _refuse_kind("-o", output, "CSV or JSON", OTHER_KINDS)
        format_ = "json" if output.suffix.lower() == ".json" else format_
    _refuse_kind("--matrices", options["matrices_file"], "CSV or JSON", OTHER_KINDS)
    for name in ("raters", "adjudicate"):
        _refuse_kind(f"--{name}", options[f"{name}_file"], "CSV", (*OTHER_KINDS, ".json"))
    return format_


def _refuse_kind(option: str, path: Path | None, kinds: str, refused: tuple[str, ...]) -> None:
    if path is not None and path.suffix.lower() in refused:
        endings = " or ".join(f".{kind.lower()}" for kind in kinds.split(" or "))
        stop(f"{option} {path}: this file is written as {kinds}; give it a name that ends in {endings}.")


def write_matrices(fits: Consensus | Mapping[Any, Consensus], path: Path | None, force: bool, by: str = "") -> None:
    """Write the matrices of a fit, or of several by their names in a column ``by``: as CSV, or as JSON if the name says so."""
    if path is None:
        return
    from raters.estimate import SCHEMA, jsonable
    from raters.models.follow_up.sheets import matrices, matrices_by_rater

    tasks = fits if isinstance(fits, Mapping) else {None: fits}
    if any(c.numeric for c in tasks.values()):
        stop(
            "--matrices applies to labels, and these are numbers; --raters FILE writes what the model knows about each rater."
        )
    if path.suffix.lower() == ".json":
        made = {name: matrices_by_rater(c) for name, c in tasks.items()}
        found = {by: {str(name): one for name, one in made.items()}} if by else made[None]
        put(json.dumps(jsonable({"schema": SCHEMA, **found}), indent=2) + "\n", path, force)
        return
    table: dict[str, list[Any]] = {}
    for name, c in tasks.items():
        rows = matrices(c)
        rows = {by: [name] * len(rows["rater"]), **rows} if by else rows
        table = {key: [*table.get(key, []), *column] for key, column in rows.items()}
    put(csv_of(table), path, force)


def sheet(ann: Annotations, c: Consensus, threshold: float) -> dict[str, list[Any]]:
    """The items to adjudicate, with the text of each item if the table has it."""
    from raters.models.follow_up.sheets import adjudication
    from raters.reporting.cards import item_texts

    rows = adjudication(c, threshold=threshold)
    texts = item_texts(ann, rows["item"])
    return {"item": rows["item"], "text": [texts.get(str(x), "") for x in rows["item"]], **rows} if texts else rows


def csv_of(columns: dict[str, list[Any]]) -> str:
    from raters.models.follow_up.sheets import to_csv

    return to_csv(columns)


def rater_csv(ann: Annotations, c: Consensus, table: Any) -> str:
    """One row for each rater: bits and accuracy; for numbers, or very many labels, the parameters of the model."""
    from raters.reporting.tables import FORMATS

    if table:
        return FORMATS["csv"](ann, table, None)
    own = {name: x.tolist() for name, x in c.params.items() if name in c.definition.by_rater and x.ndim == 1}
    return csv_of({"rater": list(c.raters)} | own)
