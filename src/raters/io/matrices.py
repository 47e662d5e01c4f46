"""Matrices of numbers in memory, which need no database until an SQL query is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine
from raters.engines.matrix import MatrixEngine
from raters.io.clean import Cleaned, clean
from raters.io.layouts import wide
from raters.io.numbers import as_numbers
from raters.io.sources.rows import from_matrix, numbers


@dataclass(frozen=True)
class Matrix:
    """The note about a matrix: its raters and items are identified by position."""

    source: str = "matrix"
    columns: Mapping[str, str] = field(default_factory=dict)
    raters: bool = True
    by_position: bool = False
    order: None = None


def in_memory(matrix: Any, raters: str, declared: Sequence[Any] | None) -> Cleaned | None:
    """A numpy matrix of numbers, items by raters, left in place; None for anything else."""
    if not numbers(matrix) or matrix.ndim != 2 or not matrix.size:
        return None
    if declared is not None and as_numbers(declared) is None:
        return None
    if matrix.dtype.kind != "f" and max(abs(int(matrix.min())), abs(int(matrix.max()))) > 2**53:
        return None
    engine = MatrixEngine(matrix if raters == "rows" else matrix.T, database)
    missing = int(engine.missing.sum())
    return Cleaned(engine, "number", {"missing label": missing} if missing else {}, (), (), None)


def database(across: NDArray[np.float64]) -> Engine:
    """The long table of a matrix, raters by items, behind DuckDB."""
    return clean(wide(from_matrix(across, "rows"), None, None, "columns"), [], None, None).engine
