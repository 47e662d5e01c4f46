"""Pools of raters on the same items: from several tables, or from one with a column that names the pool."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Options, Request, request
from raters.annotations import Annotations
from raters.coefficients import REGISTRY, coefficient
from raters.errors import DataError, RatersWarning, UsageError, listed
from raters.inference.limits import IntervalSpec, refuse_many
from raters.items import Items, fold
from raters.items.align import align, beside, clusters_of, distinct, packed, unified
from raters.items.folding import Query, check_repeats, python_values
from raters.notes.note import Note
from raters.options import filled
from raters.options.declared import Cross

Array = NDArray[Any]


@dataclass(frozen=True)
class Pools:
    """Patterns of the union of all items, and which of their groups belong to which pool."""

    names: tuple[str, ...]
    items: Items
    """Groups are pools, or raters of pools."""
    pool_of: Array
    """(group,): the pool of each group; -1 if none."""
    meaning: Annotations
    """The scale and labels, which are the same for all pools."""
    n_raters: tuple[int, ...]
    notes: tuple[Note, ...] = ()

    @cached_property
    def n(self) -> Array:
        """(pattern, pool): labels of each pool."""
        at = np.flatnonzero(self.pool_of >= 0)
        member = sparse.coo_array((np.ones(len(at)), (at, self.pool_of[at])), (len(self.pool_of), len(self.names)))
        return np.asarray((self.items.per_group @ member.tocsr()).toarray())

    def of(self, at: Array, *pools: int) -> Items:
        """These patterns with the pools as groups; with one pool, without distinguishing its raters."""
        group_of = np.full(len(self.pool_of), -1)
        for g, pool in enumerate(pools):
            group_of[self.pool_of == pool] = g
        names = tuple(self.names[p] for p in pools) if len(pools) > 1 else (None,)
        found = self.items.where(np.flatnonzero(at)).regrouped(group_of, names)
        return replace(found, n_raters=sum(self.n_raters[p] for p in pools))

    def raters_of(self, at: Array, pool: int) -> Items:
        """These patterns with the raters of one pool as groups."""
        mine = np.flatnonzero(self.pool_of == pool)
        group_of = np.full(len(self.pool_of), -1)
        group_of[mine] = np.arange(len(mine))
        found = self.items.where(np.flatnonzero(at))
        return replace(found.regrouped(group_of, [self.items.groups[g] for g in mine]), n_raters=len(mine))


def from_tables(
    anns: Sequence[Annotations], names: Sequence[str], *, raters: bool, by: str | None, cluster: str | None = None
) -> dict[Any, Pools]:
    """One pool for each table; one ``Pools`` for each value of ``by``."""
    for ann in anns:
        check_repeats(ann, None, by)
    same = unified(anns)
    said = _different_labels(anns, names, same[0])
    if all(ann.n_raters for ann in anns):
        said += _in_both(_shared_raters(anns))
    rows, parts = align(same, group="rater" if raters else None, by=by)
    whole = beside(parts, range(len(parts)))
    if cluster is not None:
        whole = replace(whole, cluster=clusters_of(anns, [row[1] for row in rows] if by else rows, cluster))
    pool_of = np.array([t for t, _ in whole.groups])
    n_raters = tuple(ann.n_raters for ann in anns)
    pools = Pools(tuple(names), whole, pool_of, same[0], n_raters, tuple(said))
    if by is None:
        if len(anns) == 2:
            _check_shared(pools, rows, anns)
        return {None: replace(pools, items=packed(whole))}
    where: dict[Any, list[int]] = {}
    for at, (value, _) in enumerate(rows):
        where.setdefault(value, []).append(at)
    return {value: replace(pools, items=packed(whole.where(np.array(at)))) for value, at in where.items()}


def from_column(
    ann: Annotations,
    pool: str,
    chosen: Sequence[str] | None = None,
    *,
    raters: bool,
    by: str | None,
    moments: bool,
    cluster: str | None = None,
) -> dict[Any, Pools]:
    """One pool for each value of a column, or for the chosen values; one ``Pools`` for each value of ``by``."""
    check_repeats(ann, pool, by)
    query = Query(ann, group=pool, by=by)
    names = tuple(p for p in query.groups if p is not None)
    if len(names) < 2:
        raise DataError(f"{ann.source}: column {pool!r} has only one pool, {listed(names)}; at least two are needed.")
    names = _chosen(names, chosen, pool)
    said = _in_both(_raters_of_several(ann, pool)) if ann.n_raters else []
    if None in query.groups:
        said.append(Note("without_pool", {"column": pool}))
    sizes = _sizes(query)
    slices = fold(ann, group=(pool, "rater") if raters else pool, by=by, cluster=cluster, moments=moments)
    found = {}
    for value, items in slices.items():
        of = [g[0] if raters else g for g in items.groups]
        pool_of = np.array([names.index(g) if g in names else -1 for g in of])
        n_raters = tuple(sizes.get((value, p), 0) for p in names)
        shown = tuple(str(p) for p in names)
        found[value] = Pools(shown, packed(items), pool_of, ann, n_raters, tuple(said))
    return found


def _chosen(names: tuple[Any, ...], chosen: Sequence[str] | None, pool: str) -> tuple[Any, ...]:
    """The named pools, in that order; all if none was named."""
    if chosen is None:
        return names
    known = {str(name): name for name in names}
    unknown = [name for name in chosen if str(name) not in known]
    if unknown or len(set(map(str, chosen))) < max(2, len(chosen)):
        raise UsageError(
            f"names={list(chosen)!r}: pass two or more different pools of the column {pool!r}; there are:"
            f" {listed(names)}."
        )
    return tuple(known[str(name)] for name in chosen)


def one_against_rest(pools: Pools) -> Iterator[tuple[Any, Pools]]:
    """For each label, the same pools with two labels: this one, and any other.

    An item without the label is distinguished only by how many labels each group gave, so the cost over all labels
    together is linear in the annotations.
    """
    if pools.items.cluster is not None:  # equal items are in different clusters
        for label, name in enumerate(pools.items.labels):
            yield name, replace(pools, items=pools.items.one_against_rest(label))
        return
    items, k, n_groups = pools.items, pools.items.width, len(pools.items.groups)
    sizes = sparse.csr_array(items.per_group)
    first, kind_of = distinct(sizes)
    kinds, n_kind = sizes[first], np.bincount(kind_of, items.weight)
    by_column = items.counts.tocsc()
    for label, name in enumerate(items.labels):
        own = by_column[:, np.arange(n_groups) * k + label].tocsr()
        here = np.flatnonzero(np.diff(own.indptr))
        rest = n_kind - np.bincount(kind_of[here], items.weight[here], len(n_kind))
        there = np.flatnonzero(rest > 0)
        hits = sparse.vstack([own[here], sparse.csr_array((len(there), n_groups))], format="csr")
        every = sparse.vstack([sizes[here], kinds[there]], format="csr")
        counts = sparse.hstack([hits, every - hits], format="csr")
        # from (label or rest, group) to (group, label or rest)
        order = np.arange(2 * n_groups).reshape(2, n_groups).T.ravel()
        counts = sparse.csr_array(counts[:, order])
        counts.eliminate_zeros()
        weight = np.concatenate([items.weight[here], rest[there]])
        two = replace(items, weight=weight, counts=counts, labels=(name, "other"))
        yield name, replace(pools, items=packed(two))


def _sizes(query: Query) -> dict[tuple[Any, Any], int]:
    """Raters of each (slice, pool)."""
    if not query.ann.n_raters:
        return {}
    keys = "slice, grp" if query.by else "grp"
    got = query.run(f"SELECT {keys}, count(DISTINCT who) AS n FROM ({query.base}) AS b GROUP BY {keys}")
    slices = python_values(got["slice"]) if query.by else [None] * len(got["n"])
    return dict(zip(zip(slices, python_values(got["grp"]), strict=True), map(int, got["n"]), strict=True))


def _check_shared(pools: Pools, rows: Sequence[Any], anns: Sequence[Annotations]) -> None:
    """Two tables without a shared item: show how their items differ."""
    if (pools.n > 0).all(1).any():
        return
    few = [listed([rows[i] for i in np.flatnonzero(pools.n[:, p])[:3]]) for p in (0, 1)]
    raise DataError(
        f"no item of {anns[0].source} is in {anns[1].source}: the first has {few[0]}, ..., the second {few[1]}, .... "
        "Use the same names for the same items, or name the item column: raters.read(..., item='COLUMN')."
    )


def _different_labels(anns: Sequence[Annotations], names: Sequence[str], meaning: Annotations) -> list[Note]:
    """Notes if the pools do not use the same labels; an error if they share none."""
    if not meaning.scale.categories:
        return []
    sets = [set(ann.keys.tolist()) for ann in anns]
    for (i, a), (j, b) in combinations(enumerate(sets), 2):
        if not a & b:
            raise DataError(
                f"{anns[i].source} and {anns[j].source} share no label: {listed(anns[i].labels)} against "
                f"{listed(anns[j].labels)}. Spell labels the same way in both."
            )
    said = []
    for name, own in zip(names, sets, strict=True):
        lacks = [x for key, x in zip(meaning.keys.tolist(), meaning.labels, strict=True) if key not in own]
        if lacks:
            said.append(Note("labels_not_used", {"pool": name, "n": len(lacks), "labels": lacks}))
    return said


def _shared_raters(anns: Sequence[Annotations]) -> list[Any]:
    """Raters who are in two of the tables, by name; column numbers do not count as names."""
    seen: set[Any] = set()
    both: dict[Any, None] = {}
    for ann in anns:
        if "rater" not in ann.columns:
            continue
        own = python_values(ann.engine.query("SELECT DISTINCT rater FROM annotations ORDER BY rater")["rater"])
        both |= dict.fromkeys(name for name in own if name in seen)
        seen |= set(own)
    return list(both)


def _raters_of_several(ann: Annotations, pool: str) -> list[Any]:
    column = ann.engine.quote(pool)
    got = ann.engine.query(
        f"SELECT rater FROM annotations WHERE {column} IS NOT NULL GROUP BY rater "
        f"HAVING count(DISTINCT {column}) > 1 ORDER BY rater"
    )
    return python_values(got["rater"])


def _in_both(raters: Sequence[Any]) -> list[Note]:
    if not raters:
        return []
    said = Note("raters_in_both", {"n": len(raters), "raters": list(raters)})
    warnings.warn(str(said), RatersWarning, stacklevel=5)
    return [said]


def pool_names(anns: Sequence[Annotations], names: Sequence[str] | None) -> tuple[str, ...]:
    """The given names; by default x and y, or numbers if there are more."""
    if names is not None:
        if len(names) != len(anns) or len(set(names)) < len(names):
            raise UsageError(f"names={list(names)!r}: pass {len(anns)} different names, one for each table.")
        return tuple(map(str, names))
    return ("x", "y") if len(anns) == 2 else tuple(f"pool {i}" for i in range(1, len(anns) + 1))


class CrossOptions(Cross, total=False):
    """The options of cross-replication reliability."""


@dataclass(frozen=True)
class CrossRequest:
    """The checked options: a request for each coefficient."""

    cross: Request
    irr: Request
    alpha: Request
    gwet: Request
    irr_items: str
    trusted: str | None
    names: Sequence[str] | None
    permutations: int
    spec: IntervalSpec | None
    level: float
    seed: int
    cluster: str | None = None
    sample: str = "items"
    means: str = "icc"

    @property
    def sampled(self) -> str:
        """The unit resampled for the intervals; everything else is held fixed."""
        return replace(self.cross, cluster=self.cluster, sample=self.sample).sampled


def ask(**options: Unpack[CrossOptions]) -> CrossRequest:
    """Check the options and collect them."""
    given = filled(Cross, options)
    irr, permutations = given["irr"], given["permutations"]
    if not coefficient(irr).irr:
        raise UsageError(f"irr={irr!r} is not one of {', '.join(of_pools())}.")
    refuse_many("permutations", permutations)
    common: Options = {
        "weights": given["weights"],
        "interval": given["interval"],
        "level": given["level"],
        "seed": given["seed"],
        "resamples": given["resamples"],
    }
    request("cohen", cluster=given["cluster"], sample=given["sample"])  # refuses options that cannot be combined

    def one(name: str) -> Request:
        whole: Options = {**common, "distance": given["distance"]}
        found = request(name, **whole)
        return replace(found, coefficient=replace(found.coefficient, by_scale=True))

    cross, alpha, own, gwet = one("cohen"), one("krippendorff"), one(irr), request("gwet", **common)
    return CrossRequest(
        cross,
        own,
        alpha,
        gwet,
        given["irr_items"],
        given["trusted"],
        given["names"],
        permutations,
        cross.spec,
        given["level"],
        given["seed"],
        given["cluster"],
        given["sample"],
        given["means"],
    )


def of_pools() -> list[str]:
    """The coefficients that can measure agreement within a pool."""
    return [name for name, row in REGISTRY.items() if row.irr]
