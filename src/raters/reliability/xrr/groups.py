"""Groups of raters that agree within themselves: cohesion within a group, with the others, and a test of all groups.

Prabhakaran et al. (2024), GRASP: A Disagreement Analysis Framework to Assess Group Associations in Perspectives, NAACL.
Whole rater profiles are shuffled, and the largest statistic of all groups is compared (single-step max-T; Westfall and
Young 1993), so some group of one population is named in at most 5 % of tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations, counted
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable, p_shown, text_table
from raters.inference.limits import refuse_many
from raters.io.any_table import Source, table
from raters.items import Items, fold, python_values
from raters.items.folding import check_repeats
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.reliability.xrr.permutation import label_distance
from raters.reliability.xrr.pools import ask
from raters.scales import Kernel
from raters.spans.sweeps import linked

Array = NDArray[Any]
CELLS = 4_000_000
MOST_LABELS = 200
SAME = 0.75
"""Raters have the same items if they share this part of all that either labelled: single labels may be missing."""
NAMED = 0.05
Profile = tuple[Any, ...]


@dataclass(frozen=True, repr=False)
class Groups(EstimateTable):
    """A row for each group: the association index, with cohesion, their difference and its p value in ``details``."""

    by: tuple[str, ...] = ()
    permutations: int = 0
    moved: int = 0
    """Raters who could be moved: those with the same items as others of another group."""
    n_raters: int = 0
    notes: tuple[Note, ...] = ()

    @property
    def named(self) -> list[Estimate]:
        """Groups that agree more within themselves than with the others, after correction for all groups."""
        return [e for e in self if e.details["p"] <= NAMED]

    @property
    def sensitivity(self) -> dict[str, float]:
        """The diversity sensitivity index of each attribute: the largest association index of its values."""
        own = {a: [e.value for e in self if e.details["attributes"] == [a] and math.isfinite(e.value)] for a in self.by}
        return {a: max(values) for a, values in own.items() if values}

    @property
    def sentence(self) -> str:
        """The answer."""
        named, n = self.named, counted(len(self), "group")
        if named:
            some = ", ".join(f"{e.name} ({p_shown(e.details['p'], self.permutations)})" for e in named)
            return f"{len(named)} of {n} {'agrees' if len(named) == 1 else 'agree'} more within than with the others: {some}."
        least = min((e.details["p"] for e in self), default=math.nan)
        if math.isnan(least):
            return f"Groups cannot be compared: {self[0].undefined}."
        return f"No group is shown to agree more within than with the others: the smallest p of {n} is {least:.2g}."

    def to_dict(self) -> dict[str, Any]:
        more = {"sentence": self.sentence, "by": list(self.by), "permutations": self.permutations, "moved": self.moved}
        return super().to_dict() | more | {"sensitivity": self.sensitivity} | in_json(self.notes)

    def __str__(self) -> str:
        d = [e.details for e in self]
        rows = [
            [e.name[:30], f"{e.n_raters}", *("-" if math.isnan(v) else f"{v:.{d}f}" for v, d in ((x["in_group"], 2), (x["cross_group"], 2), (e.value, 2), (x["p"], 3)))]
            for e, x in zip(self, d, strict=True)
        ]  # fmt: skip
        lines = [
            *wrap(self.sentence, 80),
            "",
            *text_table(["group", "raters", "within", "with others", "index", "p"], rows),
            "",
        ]
        said = f"p: {self.permutations:,} shuffles of whole raters, corrected for {len(self)} groups. index: within / with others."
        return "\n".join([*lines, *(line for x in (said, *(f"{n}." for n in self.notes)) for line in wrap(x, 80))])


@asks()
def groups(
    ann: Source,
    by: str | Sequence[str] | None = None,
    *,
    least: int = 5,
    permutations: int = 999,
    intersections: bool = True,
    seed: Seed = 0,
) -> Groups:
    """Find groups of raters who agree more within the group than with the others.

    ``by``: columns that say something about raters (gender, age), a list or ``"gender,age"``; all that do if omitted.
    Every value, and every intersection of values, with ``least`` raters or more is a group, unless fewer than ``least``
    raters would remain when shown groups are subtracted from each other. Each row: agreement within the group
    (Krippendorff's alpha), kappa_x between the group and all other raters, their ratio (the group association index; nan
    if kappa_x is not positive), and ``p`` of the difference. Profiles move between raters with the same items.

    >>> rows = [(i, f"r{j}", i % 2 if j < 6 else (i // 2) % 2, "ab"[j >= 6]) for i in range(12) for j in range(12)]
    >>> found = groups({"item": [r[0] for r in rows], "rater": [r[1] for r in rows], "label": [r[2] for r in rows],
    ...                 "team": [r[3] for r in rows]}, "team", permutations=99)
    >>> [e.name for e in found.named], found["team=a"].details["in_group"]
    (['team=a', 'team=b'], 1.0)
    """
    ann = table(ann)
    refuse_many("permutations", permutations)
    if least < 2 or permutations < 1:
        raise UsageError(f"least={least}, permutations={permutations}: at least 2 raters and one shuffle are needed.")
    if not ann.n_raters:
        raise UsageError(f"{ann.source}: raters have no names, so nothing is known about groups of them.")
    if len(ann.labels) > MOST_LABELS:
        raise UsageError(
            f"{ann.source}: {len(ann.labels):,} different labels are too many to compare groups; bin them first."
        )
    check_repeats(ann, None, None)
    names = _columns(ann, by)
    items = fold(ann, group="rater")[None]
    profiles = profiles_of(ann, names)
    rows: list[Profile] = [profiles[name] for name in items.groups]
    found = shown(rows, names, least, intersections)
    if not found:
        raise DataError(
            f"{ann.source}: no value of {listed(names)} is shared by {least} raters or more, with {least} or more others."
        )
    blocks = _blocks(items)
    return _tested(ann, items, rows, names, found, blocks, least, permutations, seed)


def attributes(ann: Annotations) -> list[str]:
    """The columns that have one value for each rater, and fewer values than raters."""
    q, found = ann.engine.quote, []
    for column in ann.extras:
        sql = f"SELECT max(n) AS most, count(DISTINCT v) AS n FROM (SELECT rater, count(DISTINCT {q(column)}) AS n, min(CAST({q(column)} AS STRING)) AS v FROM annotations GROUP BY rater) AS r"
        got = ann.engine.query(sql)
        if int(got["most"][0] or 0) == 1 and 1 < int(got["n"][0]) < ann.n_raters:
            found.append(column)
    return found


def _columns(ann: Annotations, by: str | Sequence[str] | None) -> list[str]:
    if by is None:
        names = attributes(ann)
        if not names:
            raise UsageError(
                f"{ann.source}: no column says anything about raters; name some with by=. There is {listed(ann.extras) or 'none'}."
            )
        return names
    names = [x.strip() for x in by.split(",")] if isinstance(by, str) else list(by)
    lost = [name for name in names if name not in ann.extras]
    if lost or len(set(names)) < len(names):
        raise UsageError(
            f"{ann.source}: no column {listed(lost or names)} for by=; other columns are {listed(ann.extras) or 'none'}."
        )
    return names


def profiles_of(ann: Annotations, columns: Sequence[str]) -> Mapping[Any, Profile]:
    """rater -> the values of the columns."""
    q = ann.engine.quote
    values = ", ".join(f"CAST({q(c)} AS STRING) AS a{i}" for i, c in enumerate(columns))
    got = ann.engine.query(f"SELECT DISTINCT rater, {values} FROM annotations ORDER BY rater")
    made: dict[Any, Profile] = {}
    rows = zip(*(python_values(got[name]) for name in ("rater", *(f"a{i}" for i in range(len(columns))))), strict=True)
    for rater, *row in rows:
        if made.setdefault(rater, tuple(row)) != tuple(row):
            column = next(c for c, x, y in zip(columns, made[rater], row, strict=True) if x != y)
            raise UsageError(
                f"{ann.source}: column {column!r} varies within rater {rater!r}, so it says nothing about raters."
            )
    return made


def shown(
    rows: Sequence[Profile], names: Sequence[str], least: int, intersections: bool = True
) -> dict[tuple[Any, ...], Array]:
    """Pairs of (attribute, value) -> (rater,) members, of the groups that may be shown.

    A group is hidden if it, or what remains of a shown group without its shown parts, is fewer than ``least`` raters.
    """
    found: dict[tuple[Any, ...], Array] = {}
    for size in range(1, (len(names) if intersections else 1) + 1):
        for some in combinations(range(len(names)), size):
            members: dict[Profile, list[int]] = {}
            for rater, row in enumerate(rows):
                members.setdefault(tuple(row[i] for i in some), []).append(rater)
            for values in sorted(v for v in members if None not in v):
                if least <= len(members[values]) <= len(rows) - least:
                    who = np.zeros(len(rows), bool)
                    who[members[values]] = True
                    found[tuple((names[i], v) for i, v in zip(some, values, strict=True))] = who
    _hide_left_over(found, least, len(rows))
    every: dict[bytes, tuple[Any, ...]] = {}
    for key, who in found.items():
        every.setdefault(who.tobytes(), key)  # the same raters under two names are one group
    return {key: found[key] for key in every.values()}


def _hide_left_over(found: dict[tuple[Any, ...], Array], least: int, n: int) -> None:
    """Remove groups until no group (nor all ``n``) has parts by the same attributes that leave only a few others: the
    smallest part goes, and what it was a part of is looked at again.
    """
    sizes = {(): n, **{key: int(who.sum()) for key, who in found.items()}}
    order = {key: i for i, key in enumerate(sizes)}
    inside: dict[tuple[tuple[Any, ...], tuple[str, ...]], dict[tuple[Any, ...], None]] = {}
    of: dict[tuple[Any, ...], list[tuple[tuple[Any, ...], tuple[str, ...]]]] = {}
    for key in found:
        for size in range(len(key)):
            for parent in combinations(key, size):
                if parent in order:
                    family = parent, tuple(a for a, _ in key)
                    inside.setdefault(family, {})[key] = None
                    of.setdefault(key, []).append(family)
    left = {f: sizes[f[0]] - sum(sizes[part] for part in parts) for f, parts in inside.items()}  # parts are disjoint
    place = {f: (order[f[0]], order[next(iter(parts))]) for f, parts in inside.items()}
    while few := [f for f, others in left.items() if 0 < others < least]:
        bad = min(inside[min(few, key=lambda f: place[f])], key=lambda part: sizes[part])
        del found[bad]
        for family in of[bad]:
            if family in left:
                del inside[family][bad]
                left[family] += sizes[bad]
                if not inside[family]:
                    del left[family]
        for family in [f for f in left if f[0] == bad]:
            del left[family]


def _blocks(items: Items) -> Array:
    """(rater,): the same number for raters who labelled the same items, a few missing labels aside."""
    there = items.per_group.astype(bool).astype(float)
    shared = (there.T @ sparse.diags_array(items.weight) @ there).tocoo()
    own = items.weight @ there
    alike = shared.data >= SAME * (own[shared.row] + own[shared.col] - shared.data)
    return linked(len(own), shared.row[alike], shared.col[alike])


def _tested(
    ann: Annotations, items: Items, rows: Sequence[Profile], names: Sequence[str], found: Mapping[tuple[Any, ...], Array],
    blocks: Array, least: int, permutations: int, seed: int,
) -> Groups:  # fmt: skip
    code = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    profile = np.array([code[row] for row in rows])
    several = [b for b in np.unique(blocks) if len(set(profile[blocks == b])) > 1]
    if not several:
        raise DataError(
            f"{ann.source}: no two raters with different {listed(names)} labelled the same items, so groups cannot be"
            " distinguished from items: have both label the same items."
        )
    moving = np.isin(blocks, several)
    members = np.array(list(found.values()), float)  # (group, rater)
    known = np.array([[None not in [row[names.index(a)] for a, _ in key] for row in rows] for key in found], float)
    rng = np.random.default_rng(seed)
    order = np.tile(np.arange(len(rows)), (permutations + 1, 1))
    for b in several:
        at = np.flatnonzero(blocks == b)
        order[1:, at] = rng.permuted(order[1:, at], axis=1)
    kernel = label_distance(ask().cross, ann, items)
    within, across = cohesion(items, kernel, members, known, order)
    difference = within - across
    there = np.isfinite(difference)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(there, difference - difference.sum(0, where=there) / there.sum(0), np.nan)
        spread = np.sqrt((off**2).sum(0, where=there) / there.sum(0))
        t = off / np.where(spread > 1e-12, spread, np.nan)
    top = np.nan_to_num(t, nan=-np.inf).max(1)
    p = np.where(spread > 1e-12, (top[:, None] >= t[0] - 1e-9).mean(0), 1)  # 1: every arrangement is like this one
    estimates = []
    for g, (key, who) in enumerate(found.items()):
        c, x = float(within[0, g]), float(across[0, g])
        said = (Note("no_association_index" if math.isfinite(c - x) else "no_cohesion"),) if not x > 0 else ()
        details = {
            "in_group": c, "cross_group": x, "difference": c - x, "z": float(t[0, g]),
            "p": float(p[g]) if math.isfinite(c - x) else math.nan, "attributes": [a for a, _ in key],
        }  # fmt: skip
        name = ", ".join(f"{a}={v}" for a, v in key)
        estimates.append(Estimate(name, c / x if x > 0 else math.nan, n_items=items.n_items, n_raters=int(who.sum()),
                                  notes=said, coefficient="gai", title=f"association index of {name}", details=details))  # fmt: skip
    notes = [Note("raters_not_moved", {"n": int((~moving).sum()), "of": len(rows)})] if not moving.all() else []
    estimates.sort(key=lambda e: (not e.details["p"] <= 1, e.details["p"]))
    return Groups(tuple(estimates), of="group", by=tuple(names), permutations=permutations, moved=int(moving.sum()),
                  n_raters=len(rows), notes=tuple(notes))  # fmt: skip


def cohesion(items: Items, kernel: Kernel, members: Array, known: Array, order: Array) -> tuple[Array, Array]:
    """(arrangement, group): alpha within the group, and kappa_x between it and the others whose value is known.

    ``order``: (arrangement, rater), whose profile each rater has.
    """
    n_labels, apart = items.width, _distances(items, kernel)
    c = items.counts.tocoo()
    shape = (c.shape[0] * n_labels, len(items.groups))
    cells = sparse.coo_array((c.data, (c.row * n_labels + c.col % n_labels, c.col // n_labels)), shape).tocsr()
    n, size = members.shape[0], max(1, CELLS // (shape[0] * members.shape[0]))
    found = [np.zeros((len(order), n)), np.zeros((len(order), n))]
    for start in range(0, len(order), size):
        who = order[start : start + size]
        mine = members[:, who].transpose(2, 1, 0).reshape(len(items.groups), -1)  # (rater, arrangement * group)
        every = known[:, who].transpose(2, 1, 0).reshape(len(items.groups), -1)
        a, b = ((cells @ m).reshape(c.shape[0], n_labels, -1) for m in (mine, every - mine))
        for made, part in zip(found, _cohesion(a, b, items.weight, apart), strict=True):
            made[start : start + size] = part.reshape(len(who), n)
    return found[0], found[1]


def _cohesion(a: Array, b: Array, weight: Array, apart: Array) -> Iterator[Array]:
    """Alpha of the labels ``a`` (pattern, label, case), and kappa_x between them and ``b``."""
    n, m = a.sum(1), b.sum(1)
    two, both = (n >= 2) * weight[:, None], ((n > 0) & (m > 0)) * weight[:, None]
    far = np.tensordot(apart, a, (1, 1)).transpose(1, 0, 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = np.einsum("pv,pcv->cv", two, a)
        total = margin.sum(0)
        observed = (two * (far * a).sum(1) / np.maximum(n - 1, 1)).sum(0) / total
        expected = (margin * (apart @ margin)).sum(0) / (total * (total - 1))
        yield 1 - observed / np.where(expected > 0, expected, np.nan)
        x, y = (np.einsum("pv,pcv->cv", both, z) for z in (a, b))
        between = (both * (n + m) * (far * b).sum(1) / np.maximum(n * m, 1)).sum(0) / (both * (n + m)).sum(0)
        chance = (x * (apart @ y)).sum(0) / (x.sum(0) * y.sum(0))
        yield 1 - between / np.where(chance > 0, chance, np.nan)


def _distances(items: Items, kernel: Kernel) -> Array:
    """(label, label): the distance of two labels."""
    features = np.eye(items.width) if kernel.features is None else kernel.features
    form = features if kernel.form is None else features @ kernel.form
    product = form @ features.T
    return np.asarray(kernel.perfect - product if kernel.perfect else product)
