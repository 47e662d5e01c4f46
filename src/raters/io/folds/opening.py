"""Where ``read`` looks for folds: one, several, or their files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from raters.errors import UsageError
from raters.io.folds.fold_file import ENDING, load
from raters.io.folds.saved import SavedFold
from raters.io.folds.sums import added


def fold_table(source: Any, given: dict[str, Any]) -> Any:
    """The table that folds represent; any other source unchanged. ``given``: reading options that do not apply."""
    folds = found(source)
    if folds is None:
        return source
    for name, value in given.items():
        if value:
            raise UsageError(f"{name}= is fixed when a table is folded; omit it, or fold the table again with it.")
    if len(folds) == 1:
        return folds[0][1].table()
    made = added([fold for _, fold in folds])
    return made.whole.table(made.items, [name for name, _ in folds])


def found(source: Any) -> list[tuple[str, SavedFold]] | None:
    """Folds by name; None if the source holds no folds, an error if only some parts are folds."""
    parts = list(source) if isinstance(source, list | tuple) else [source]
    if not parts or not any(_is_fold(p) for p in parts[:1]):
        return None
    if not all(_is_fold(p) for p in parts):
        other = next(p for p in parts if not _is_fold(p))
        raise UsageError(
            f"folds ({ENDING}) and tables cannot be combined: {other} is not a fold. Fold it first: raters fold {other} -o NAME{ENDING}"
        )
    folds = [p if isinstance(p, SavedFold) else load(p) for p in parts]
    return list(zip(_names(parts, folds), folds, strict=True))


def _is_fold(part: Any) -> bool:
    return isinstance(part, SavedFold) or (isinstance(part, str | PathLike) and Path(part).suffix.lower() == ENDING)


def _names(parts: Sequence[Any], folds: Sequence[SavedFold]) -> list[str]:
    """The name of each fold: its file, or what it was made from, with a number if two have the same name."""
    plain = [f.source if isinstance(p, SavedFold) else Path(p).stem for p, f in zip(parts, folds, strict=True)]
    seen: dict[str, int] = {}
    names = []
    for name in plain:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
