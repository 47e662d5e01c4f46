"""Files of SPSS, Stata and SAS: value labels become the labels, user-missing values are missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError
from raters.io.sources.isolated import isolated
from raters.io.sources.rows import from_columns
from raters.io.sources.workbooks import whole
from raters.io.table import Table, with_notes

READ = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport"}  # fmt: skip
PROGRAM = """
import pyreadstat
try:
    columns, about = getattr(pyreadstat, options["reader"])(file, output_format="dict")
    made = {"names": list(about.column_names), "columns": {name: list(values) for name, values in columns.items()},
            "texts": dict(about.variable_value_labels), "measure": dict(about.variable_measure)}
except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, TypeError, KeyError, UnicodeError) as error:
    made = {"error": " ".join(str(error).split())[:120]}
"""


def load(path: Path) -> Table:
    """One file, according to its extension."""
    if find_spec("pyreadstat") is None:
        raise UsageError(f"{path.name}: files of SPSS, Stata and SAS need the extra: pip install 'raters[statistics]'.")
    reader = READ.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path.name}: give the file its usual extension: {', '.join(READ)}.")
    found = isolated(PROGRAM, path, reader=reader)
    if "error" in found:
        raise DataError(f"{path.name}: not a file that can be read ({found['error']}).")
    values = {name: [plain(v) for v in found["columns"][name]] for name in found["names"]}
    named = {name: told_apart(found["texts"].get(name, {})) for name in values}
    partly = [n for n, cells in values.items() if named[n] and not set(cells) <= {*named[n], None}]
    made = {n: cells if n in partly else [named[n].get(v, v) for v in cells] for n, cells in values.items()}
    orders = {
        name: tuple(text for _, text in sorted(texts.items()))
        for name, texts in named.items()
        if texts and name not in partly and found["measure"].get(name) == "ordinal"
    }
    notes = tuple(
        f"column {n!r}: only some of its values have labels in the file, so the values were kept" for n in partly
    )
    return with_notes(replace(from_columns(made, path.name), orders=orders), notes)


def told_apart(texts: dict[Any, str]) -> dict[Any, str]:
    """Value labels by value; two values with one text stay two labels."""
    often = Counter(texts.values())
    return {v: text if often[text] == 1 else f"{text} ({plain(v)})" for v, text in texts.items()}


def plain(value: Any) -> Any:
    """A cell as a Python value; None if it is missing."""
    if value is None or value != value or value == "":
        return None
    value = value.item() if hasattr(value, "item") else value
    return whole(value)
