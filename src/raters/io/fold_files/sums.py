"""Folds added: one list of labels, one list of groups, and how many items show each pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError, listed, warn
from raters.io.fold_files.file import ENDING, ItemSample, SavedFold, codes, load
from raters.io.labels.scale import Found, decide
from raters.notes.note import Note, either

Array = NDArray[Any]


@dataclass(frozen=True)
class Together:
    """Folds on one list of patterns: ``items[f]`` is how many items of fold f show each."""

    whole: SavedFold
    items: Array

    def weighted(self, sign: Sequence[int]) -> Array:
        return np.asarray(np.asarray(sign) @ self.items)


def added(folds: Sequence[SavedFold]) -> Together:
    """The items of all folds together. A note reports items that two of them share: each counts as two."""
    made = together(folds)
    sample, notes = _samples(folds)
    for note in notes:
        warn(f"{made.whole.source}: {note}")
    dropped = sum((Counter(dict(f.dropped)) for f in folds), Counter[str]())
    said = dict.fromkeys(note for f in folds for note in f.notes)
    whole = replace(
        made.whole,
        items=made.weighted([1] * len(folds)),
        sample=sample,
        dropped=dict(sorted(dropped.items())),
        sources=tuple(dict.fromkeys(s for f in folds for s in f.sources)),
        notes=(*said, *notes),
    )
    return settled(Together(whole, made.items))


def together(folds: Sequence[SavedFold]) -> Together:
    """The same folds on one list of labels, groups and patterns; the caller counts the items."""
    _alike(folds)
    keys, labels = _labels(folds)
    groups = _groups(folds)
    place = {key: i for i, key in enumerate(keys)}
    where = {name: i for i, name in enumerate(groups)}
    width = len(keys) * len(groups)
    tables = []
    for fold in folds:
        c = fold.patterns.tocoo()
        label_of = np.array([place[key] for key in fold.keys.tolist()], dtype=np.int64)
        group_of = np.array([where[name] for name in fold.groups], dtype=np.int64)
        columns = group_of[c.col // len(fold.keys)] * len(keys) + label_of[c.col % len(fold.keys)]
        tables.append(sparse.coo_array((c.data, (c.row, columns)), (c.shape[0], width)).tocsr())
    every = sparse.vstack(tables, format="csr")
    every.sort_indices()
    first, which = _distinct(every)
    items = np.zeros((len(folds), len(first)), np.int64)
    part = np.repeat(np.arange(len(folds)), [len(f.items) for f in folds])
    np.add.at(items, (part, which), np.concatenate([f.items for f in folds]))
    base = max(folds, key=lambda f: (f.scale_from.code == "scale_given", f.declared))
    members = tuple(dict.fromkeys(m for f in folds for m in f.members))
    whole = replace(
        base,
        labels=labels,
        keys=np.array(keys, dtype=folds[0].keys.dtype),
        groups=groups,
        patterns=every[first],
        declared=any(f.declared for f in folds),
        members=members,
        sources=_sources(folds),
    )
    return Together(whole, items)


def _distinct(table: sparse.csr_array) -> tuple[Array, Array]:
    """The distinct rows, and the index of each row among them."""
    rows = codes(table)
    found: dict[tuple[int, ...], int] = {}
    which = np.array([found.setdefault(row, len(found)) for row in rows], np.int64)
    order = sorted(found)
    place = np.empty(len(order), np.int64)
    place[[found[row] for row in order]] = np.arange(len(order))
    first = np.unique(which, return_index=True)[1]
    return first[[found[row] for row in order]], place[which]


def _sources(folds: Sequence[SavedFold]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(s for f in folds for s in f.sources))


def _alike(folds: Sequence[SavedFold]) -> None:
    """Check what folds must share to be added: the kind of labels, a scale that was given, and who is compared with
    whom.
    """
    facts: tuple[tuple[str, Callable[[SavedFold], Any], str], ...] = (
        ("labels", lambda f: f.kind, "Fold both tables so that their labels are of one kind"),
        ("period", lambda f: f.period, "Fold both with the same period"),
        ("groups by", lambda f: f.group or "nothing", "Fold both with the same group="),
    )
    for what, fact, advice in facts:
        found = {fact(f): f.source for f in folds}
        if len(found) > 1:
            shown = "; ".join(f"{source}: {value}" for value, source in found.items())
            raise UsageError(f"the folds differ in their {what} ({shown}). {advice}.")
    given = {f.scale: f.source for f in folds if f.scale_from.code == "scale_given"}
    if len(given) > 1:
        shown = "; ".join(f"{source}: {scale}" for scale, source in given.items())
        raise UsageError(f"the folds are on different scales ({shown}). Fold both with the same scale=.")


def _labels(folds: Sequence[SavedFold]) -> tuple[list[Any], tuple[Any, ...]]:
    """All labels: the longest list if it contains the others in its order, otherwise by number or code point."""
    lists = [f.keys.tolist() for f in folds]
    names = {k: label for f in folds for k, label in zip(f.keys.tolist(), f.labels, strict=True)}
    longest = max(lists, key=len)
    if not all(_in_order(part, longest) for part in lists):
        if folds[0].kind == "text" and any(f.scale.ranks for f in folds):
            shown = "; ".join(f"{f.source}: {listed(f.labels)}" for f in folds[:4])
            raise UsageError(f"the folds order their labels differently ({shown}). Fold them with the same labels=.")
        longest = sorted(names)
    return longest, tuple(names[k] for k in longest)


def _in_order(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    rest = iter(whole)
    return all(any(key == other for other in rest) for key in part)


def _groups(folds: Sequence[SavedFold]) -> tuple[Any, ...]:
    names = dict.fromkeys(name for f in folds for name in f.groups)
    if len({type(name) for name in names if name is not None}) > 1:
        return tuple(sorted(names, key=str))
    return tuple(sorted(names, key=lambda name: (name is None, name)))


def settled(made: Together) -> Together:
    """Without the patterns, groups and labels that no item shows any more; a scale that was inferred is inferred
    again.
    """
    whole = made.whole
    shown = np.flatnonzero(whole.items > 0)
    patterns, items = whole.patterns[shown], made.items[:, shown]
    q = len(whole.keys)
    used = np.zeros(len(whole.groups) * q, bool)
    used[patterns.indices] = True
    cells = used.reshape(-1, q)
    keep = np.arange(q) if whole.declared else np.flatnonzero(cells.any(0))
    groups = np.arange(len(cells)) if whole.group is None else np.flatnonzero(cells.any(1))
    columns = (groups[:, None] * q + keep).ravel()
    whole = replace(
        whole,
        patterns=patterns[:, columns],
        items=whole.items[shown],
        keys=whole.keys[keep],
        labels=tuple(whole.labels[i] for i in keep),
        groups=tuple(whole.groups[i] for i in groups),
    )
    if whole.scale_from.level == "assumed" and not whole.scale.of_sets and len(keep):
        engine = whole.table().engine
        every = Found(whole.keys, np.ones(len(keep)), whole.kind, whole.source, engine)
        ordered = list(whole.labels) if whole.declared else None
        found = decide(every, None, ordered, None)
        whole = replace(whole, scale=found.scale, scale_from=found.reason, labels=found.labels)
    return Together(whole, items)


def _samples(folds: Sequence[SavedFold]) -> tuple[ItemSample | None, list[Note]]:
    """The sample of all, and a note about items that the folds share, or may share."""
    total: ItemSample | None = ItemSample()
    repeated = seen = 0
    for fold in folds:
        if total is None or fold.sample is None:
            total = None
            break
        shared, n = total.shared(fold.sample)
        repeated, seen = repeated + shared, seen + n
        total = total + fold.sample
    if total is None and len(folds) > 1:
        return None, [Note("folds_by_position")]
    if repeated:
        share = repeated / seen
        return total, [Note("folds_share_items" if share > 0.005 else "folds_share_few_items", {"share": share})]
    return total, []


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
            f"folds ({ENDING}) and tables cannot be combined: {other} is not a fold. Fold it first: "
            + either("raters.Fold.of(table)", f"raters fold {other} -o NAME{ENDING}")
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
