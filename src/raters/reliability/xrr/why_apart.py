"""Why two pools differ: their excess disagreement split into leniency, labels and items.

Two labels of an item from different pools disagree more often than two from the same pool by exactly half the squared
distance between the pools' label distributions on it. That excess adds up over labels and over items. The part that
remains when every item shows the same shift of shares is leniency (margins); the rest is about particular items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, shown
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, value_alone
from raters.items.align import align
from raters.items.folding import check_repeats
from raters.notes.note import Note, in_json

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class PoolDifferences(Result):
    """The excess of disagreement between two pools over that within them, and where it comes from."""

    pools: tuple[str, str]
    estimates: EstimateTable
    """``excess``, ``leniency`` and ``items``, which add up; then each label's part of the excess."""
    shifts: EstimateTable
    """How much more often (or by how much higher) the second pool gives each label."""
    items: tuple[dict[str, Any], ...]
    """The items with the largest excess: their labels in both pools."""
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        e = {x.name: x for x in self.estimates}
        x, y = self.pools
        excess = e["excess"]
        if not excess.low > 0:
            return (
                f"{x} and {y}: labels are not shown to disagree more between the pools than within them"
                f" ({_shown(excess)})."
            )
        share = e["leniency"].value / excess.value
        part = "nearly all" if share > 0.9 else "hardly any" if share < 0.1 else f"{share:.0%}"
        return (
            f"{x} and {y} disagree more between the pools than within them ({_shown(excess)}); {part} of this is"
            " leniency (one pool gives some labels more often everywhere), the rest lies in particular items."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "pools": list(self.pools),
            "sentence": self.sentence,
            **in_json(self.notes),
            "items": list(self.items),
            "estimates": [e.to_dict() for e in self.estimates],
            "shifts": [e.to_dict() for e in self.shifts],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """Each part with its interval, as an Altair chart."""
        return self.estimates.plot(axis="excess disagreement")

    def __str__(self) -> str:
        named = [f"  {i['item']}: {i['labels']}" for i in self.items]
        return "\n".join(
            [
                self.sentence,
                str(self.estimates),
                str(self.shifts),
                "items with the largest excess:",
                *named,
                *(f"note: {w}" for w in self.notes),
            ]
        )


def _shown(e: Estimate) -> str:
    return f"excess {shown(e.value, 3)}" + (f" [{shown(e.low, 3)}, {shown(e.high, 3)}]" if np.isfinite(e.low) else "")


def why_apart(
    a: Annotations,
    b: Annotations,
    called: tuple[str, str],
    *,
    most: int,
    spec: IntervalSpec | None,
) -> PoolDifferences:
    """Split the disagreement between two pools, beyond that within them, into leniency, labels and items, and name the
    items: the ``most`` with the largest excess.

    Only items with at least two labels in each pool count; estimates are unbiased even for small numbers of labels.
    Nominal labels and sets are compared for equality, numbers by squared differences (ordinal labels by their
    positions).
    """
    for ann in (a, b):
        check_repeats(ann, None, None)
    numbers = a.numeric and a.scale.ordered
    items, (left, right) = align([a, b])
    both = left.merged(), right.merged()
    kept = np.flatnonzero((both[0].per_item >= 2) & (both[1].per_item >= 2))
    if len(kept) < 2:
        raise DataError(
            f"{len(kept)} items have two or more labels in both pools; why() needs at least two such items."
        )
    sizes = [part.where(kept).per_item[:, None] for part in both]
    excess, shift = _by_label([part.where(kept).counts for part in both], _numbers(a) if numbers else None, sizes)
    labels = ["value"] if numbers else [str(v) for v in a.labels]
    rows = [_estimate(n, t, excess, shift, f, spec) for n, t, f in _parts(labels)]
    titles = [f"{called[1]} minus {called[0]}: {'mean' if numbers else 'share of'} {label}" for label in labels]
    shifts = [
        _estimate(label, title, excess, shift, _shift(len(labels), k), spec)
        for k, (label, title) in enumerate(zip(labels, titles, strict=True))
    ]
    total = excess.sum(1)
    order = [i for i in np.argsort(-total, kind="stable")[:most] if total[i] > 0]
    named = tuple(
        {"item": items[kept[i]], "excess": float(total[i]), "labels": _told(a, both, kept[i], called)} for i in order
    )
    said = _notes(len(items), len(kept), float(np.median(np.minimum(*sizes))))
    return PoolDifferences(
        called, EstimateTable(tuple(rows), of="part"), EstimateTable(tuple(shifts), of="label"), named, said
    )


def _notes(items: int, kept: int, each: float) -> tuple[Note, ...]:
    said = [Note("two_labels_in_both", {"n": kept, "of": items})] if kept < items else []
    if each < 5:
        said.append(Note("excess_noisy", {"each": each}))
    return tuple(said)


def _numbers(ann: Annotations) -> Array:
    """(label,): the labels as numbers; for an ordinal scale, their positions."""
    return np.arange(len(ann.labels), dtype=float) if ann.scale.ranks else ann.keys.astype(float)


def _by_label(bags: Sequence[Any], values: Array | None, sizes: list[Array]) -> tuple[Array, Array]:
    """(item, label): the excess that each label adds, without bias; and the second pool's share (or mean) minus the
    first's.

    ``bags``: (item, label) counts of each pool; ``values``: the labels as numbers, if they are numeric.
    """
    sums = [c.toarray() if values is None else (c @ values)[:, None] for c in bags]
    squares = sums if values is None else [(c @ values**2)[:, None] for c in bags]
    means = [s / n for s, n in zip(sums, sizes, strict=True)]
    noise = sum((sq - s * s / n) / (n - 1) / n for s, sq, n in zip(sums, squares, sizes, strict=True))
    gap = means[1] - means[0]
    return (0.5 if values is None else 1.0) * (gap**2 - noise), gap


def _parts(labels: list[str]) -> list[tuple[str, str, Any]]:
    """Name, title, and the function of the sums 1, excess of each label, shift of each, its square."""
    k = len(labels)
    half = 1.0 if labels == ["value"] else 0.5

    def excess(s: Array) -> Array:
        return np.asarray(s[..., 1 : k + 1].sum(-1) / s[..., 0])

    def leniency(s: Array) -> Array:
        n, shift, squared = s[..., 0], s[..., k + 1 : 2 * k + 1], s[..., 2 * k + 1 :]
        mean = shift / n[..., None]
        spread = (squared / n[..., None] - mean**2) / (n[..., None] - 1)
        return np.asarray(half * (mean**2 - spread).sum(-1))

    made: list[tuple[str, str, Any]] = [
        ("excess", "disagreement between the pools minus that within them", excess),
        ("leniency", "part due to labels that one pool gives more often everywhere (margins)", leniency),
        ("items", "part due to items that the pools see differently", lambda s: excess(s) - leniency(s)),
    ]
    if k > 1:
        made += [
            (f"label {name}", f"part due to the label {name}", lambda s, i=i: s[..., 1 + i] / s[..., 0])
            for i, name in enumerate(labels)
        ]
    return made


def _shift(k: int, at: int) -> Any:
    return lambda s: s[..., k + 1 + at] / s[..., 0]


def _estimate(name: str, title: str, excess: Array, shift: Array, function: Any, spec: IntervalSpec | None) -> Estimate:
    terms = np.concatenate([np.ones((len(excess), 1)), excess, shift, shift**2], 1)
    stat = Linear(np.ones(len(terms)), terms, lambda s: value_alone(function(s)))
    value = float(function(terms.sum(0)[None])[0])
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    e = Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        interval=found.method or None,
        n_items=len(terms),
        title=title,
        coefficient="excess",
        parts="disagreement",
        notes=found.notes,
    )
    return e if spec is None else replace(e, level=spec.level)


def _told(ann: Annotations, parts: tuple[Any, Any], at: int, names: tuple[str, str]) -> str:
    """``A: no 3; B: no 1, yes 2``."""
    said = []
    for name, part in zip(names, parts, strict=True):
        row = part.counts[[int(at)]].tocoo()
        said.append(f"{name}: " + ", ".join(f"{ann.labels[c]} {n:g}" for c, n in zip(row.col, row.data, strict=True)))
    return "; ".join(said)
