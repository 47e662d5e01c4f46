"""Files of SPSS, Stata and SAS: value labels become the labels, user-missing values are missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError
from raters.io.sources.rows import from_columns
from raters.io.sources.workbooks import whole
from raters.io.table import Table

READ = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport"}  # fmt: skip


def load(path: Path) -> Table:
    """One file, by its ending."""
    try:
        import pyreadstat
    except ImportError:
        raise UsageError(
            f"{path.name}: files of SPSS, Stata and SAS need the extra: pip install 'raters[statistics]'."
        ) from None
    reader = READ.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path.name}: give the file its usual ending: {', '.join(READ)}.")
    try:
        columns, about = getattr(pyreadstat, reader)(str(path), output_format="dict")
    except pyreadstat.ReadstatError as error:
        raise DataError(f"{path.name}: not a file that can be read ({' '.join(str(error).split())[:120]}).") from None
    values = {name: [plain(v) for v in columns[name]] for name in about.column_names}
    named = {name: about.variable_value_labels.get(name, {}) for name in values}
    made = {name: [named[name].get(v, v) for v in found] for name, found in values.items()}
    orders = {
        name: tuple(text for _, text in sorted(texts.items()))
        for name, texts in named.items()
        if texts and about.variable_measure.get(name) == "ordinal" and set(made[name]) <= {*texts.values(), None}
    }
    return replace(from_columns(made, path.name), orders=orders)


def plain(value: Any) -> Any:
    """A cell as Python holds it; nothing where it is missing."""
    if value is None or value != value or value == "":
        return None
    value = value.item() if hasattr(value, "item") else value
    return whole(value)
