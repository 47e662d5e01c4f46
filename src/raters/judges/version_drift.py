"""Drift: what changed between two versions, or two dates, of one judge."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError, listed
from raters.estimate import Estimate, EstimateTable, Result, shown
from raters.inference.intervals import IntervalSpec
from raters.items.align import unified
from raters.items.subsets import recounted
from raters.judges.kappas import FIGURES, Study, checked, estimate, pair_kappa, replicated
from raters.judges.people_and_judges import Sides, as_table, numbers_apart, raters_of, rows_of, sides

Array = NDArray[Any]
COMPARED = ("kappa", "raw_agreement", "leave_one_out")
TITLES = {
    "kappa": "change of kappa with people (pairs)",
    "raw_agreement": "change of raw agreement with people",
    "leave_one_out": "change of kappa with the consensus of all but one",
    "changed": "share of items with a different label",
}
Versions = str | Mapping[str, Sequence[Any]] | None
"""A column of the judges' table with two values, or that column and which two of its values to compare."""


@dataclass(frozen=True, repr=False)
class Drift(Result):
    """Figures of the later version minus those of the earlier one, on the same bootstrap samples of items."""

    judge: str
    before: str
    after: str
    figures: EstimateTable
    """``kappa``, ``raw_agreement`` and ``leave_one_out`` (changes), and ``changed``: the share of items with a
    different label.
    """
    kappas: tuple[float, float]
    """Kappa with people, before and after."""
    shared: int
    """Items that both versions and people labelled."""

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name]

    @property
    def estimates(self) -> EstimateTable:
        return self.figures

    @property
    def sentence(self) -> str:
        """What changed, and what was not shown, in words."""
        e, changed = self["kappa"], self["changed"]
        if not math.isfinite(e.value):
            return f"Drift of {self.judge} from {self.before} to {self.after} is unknown: {'; '.join(e.warnings)}."
        limits = f" [{e.low:+.2f}, {e.high:+.2f}]" if math.isfinite(e.low) else ""
        moved = (
            f"kappa with people went from {shown(self.kappas[0], 2)} to {shown(self.kappas[1], 2)}"
            f" ({e.value:+.2f}{limits})"
        )
        labels = (
            f"{changed.value:.0%} of the {self.shared:,} items that both labelled have a different label"
            if self.shared
            else "the two labelled different items, so a change may come from the items"
        )
        return f"Drift of {self.judge} from {self.before} to {self.after}: {moved}{_read(e)}; {labels}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "before": self.before,
            "after": self.after,
            "shared_items": self.shared,
            "kappas": list(self.kappas),
            "sentence": self.sentence,
            "estimates": [e.to_dict() for e in self.figures],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.figures.to_columns()

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {e}" for e in self.figures)])

    def _repr_html_(self) -> str:
        return self.figures._repr_html_()


def _read(e: Estimate) -> str:
    """What the interval says about the change."""
    if not math.isfinite(e.low):
        return ""
    if e.high < 0:
        return ", a clear fall"
    if e.low > 0:
        return ", a clear rise"
    if e.low == e.high == 0:
        return ", no change on these items"
    return f", no clear change (a fall of up to {max(-e.low, 0):.2f} is not ruled out)"


def drift(
    people: Any,
    before: Any,
    after: Any,
    *,
    weights: Any = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Drift:
    """What changed between two versions or dates of one judge: kappa with people, leave-one-out, and the share of items
    with a different label.

    Each is *after* minus *before* on the same bootstrap samples of items.
    """
    tables = [as_table(t) for t in (people, before, after)]
    return between(*_one_list(*tables), weights, checked("auto", level, resamples, seed), resamples)


def between(
    people: Annotations,
    before: Annotations,
    after: Annotations,
    weights: Any,
    spec: IntervalSpec,
    resamples: int,
    names: tuple[str, str, str] | None = None,
) -> Drift:
    """The drift of one judge; ``names``: the names of the judge and of the two versions."""
    first, second = sides(people, before), sides(people, after)
    if len(first.judges) != 1 or len(second.judges) != 1:
        raise UsageError("drift compares two versions of one judge; pass one judge in each table.")
    joined = _joined(first, second)
    study = Study(joined, pair_kappa(joined, weights))
    both = (joined.said >= 0).all(1) & (joined.given >= 0).any(1)
    at = study.terms.add(np.stack([both, both & (joined.said[:, 0] != joined.said[:, 1])], 1).astype(float))
    width = len(FIGURES)
    wanted = [FIGURES.index(name) for name in COMPARED]

    def figures(flat: Array) -> Array:
        found = study.figures(flat)
        with np.errstate(invalid="ignore", divide="ignore"):
            changed = flat[:, at][:, 1] / flat[:, at][:, 0]
        return np.array(
            [*(found[width + i] - found[i] for i in wanted), changed, found[wanted[0]], found[width + wanted[0]]]
        )

    point, draws = replicated(study.terms, figures, resamples, spec.seed)
    n = int(both.sum())
    why = ["one version or people gave a single label throughout"] * len(COMPARED) + [
        "the two versions share no labelled item"
    ]
    rows = [
        estimate(
            name, float(point[i]), draws[i], spec, why[i], coefficient=f"drift_{name}", title=TITLES[name], n_items=n
        )
        for i, name in enumerate(TITLES)
    ]
    judge, old, new = names or (second.judges[0], before.source, after.source)
    kappas = (float(point[len(rows)]), float(point[len(rows) + 1]))
    return Drift(judge, str(old), str(new), EstimateTable(tuple(rows)), kappas, n)


def _one_list(
    people: Annotations, before: Annotations, after: Annotations
) -> tuple[Annotations, Annotations, Annotations]:
    """The three tables with one list of labels, so that a label that only one version uses is also a label for the
    other.
    """
    first, second = (numbers_apart(people, table)[0] for table in (before, after))
    a, b, c = unified([people, first, second])
    return a, b, c


def _joined(first: Sides, second: Sides) -> Sides:
    """Two versions and the same people as one study, whatever their names."""
    place = {str(name): i for i, name in enumerate(second.items)}
    said = np.array([second.said[place[str(name)], 0] if str(name) in place else -1 for name in first.items])
    return replace(
        first,
        judges=("before", "after"),
        said=np.stack([first.said[:, 0], said], 1),
        refusals=np.concatenate([first.refusals, second.refusals]),
    )


def versions_of(model: Annotations, versions: Versions) -> tuple[str, Annotations, Annotations]:
    """The column, and the rows of the earlier and of the later version."""
    column, two = (versions, None) if isinstance(versions, str) else next(iter((versions or {}).items()))
    if column not in model.extras:
        raise UsageError(
            f"the table of judges has no column {column!r} for drift; other columns are"
            f" {listed(model.extras) or 'none'}."
        )
    text = f"CAST({model.engine.quote(column)} AS STRING)"
    got = model.engine.query(f"SELECT DISTINCT {text} AS v FROM annotations WHERE {text} IS NOT NULL")
    values = in_order([str(v) for v in got["v"].tolist()])
    chosen = [str(v) for v in two] if two is not None else values
    if len(chosen) != 2 or not set(chosen) <= set(values):
        raise UsageError(
            f"drift compares two versions or dates, but column {column!r} has {len(values)}: {listed(values)}. Name two"
            f" of them, the earlier one first: drift={{{column!r}: ('before', 'after')}} (--drift"
            f" {column}=BEFORE,AFTER)."
        )
    quoted = [v.replace("\\", "\\\\").replace("'", "''") for v in chosen]
    old, new = (
        replace(recounted(model, model.engine.derive(f"SELECT * FROM annotations WHERE {text} = '{v}'")), source=name)
        for v, name in zip(quoted, chosen, strict=True)
    )
    return column, old, new


def in_order(values: Sequence[str]) -> list[str]:
    """Sorted as text, with embedded numbers sorted by size: v9 before v10, 2025-01-31 before 2025-02-01.

    >>> in_order(["v10", "v9"])
    ['v9', 'v10']
    """
    return sorted(
        values, key=lambda v: [(p.isdigit(), int(p) if p.isdigit() else 0, p) for p in re.split(r"(\d+)", v) if p]
    )


def drifts(
    people: Annotations,
    old: Annotations,
    new: Annotations,
    weights: Any,
    spec: IntervalSpec,
    resamples: int,
) -> dict[str, Drift]:
    """The drift of each judge that is in both tables; if each has a single judge, they are treated as the same one."""
    people, old, new = _one_list(people, old, new)
    earlier, later = raters_of(old), raters_of(new)
    pairs = [(earlier[0], later[0])] if len(earlier) == len(later) == 1 else [(n, n) for n in later if n in earlier]
    if not pairs:
        raise UsageError(
            f"no judge of {new.source} ({listed(later)}) is in {old.source} ({listed(earlier)}); a judge needs the same"
            " name in both."
        )
    return {
        b: between(people, rows_of(old, [a]), rows_of(new, [b]), weights, spec, resamples, (b, old.source, new.source))
        for a, b in pairs
    }
