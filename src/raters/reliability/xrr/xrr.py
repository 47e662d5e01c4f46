"""Cross-replication reliability: would another pool of raters give the same labels?

kappa_x is Cohen's kappa with the pool as group, on the items that both pools labelled; all other figures are statistics
of the same items, so all intervals come from the same replicates.

Wong, Paritosh & Aroyo (2021), Cross-replication Reliability, ACL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from raters.agree.estimating import estimate, folded, kernel_of, uses_moments, whole, with_interval_of
from raters.annotations import Annotations
from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, EstimateTable, Result, shown
from raters.inference.family import Family, together
from raters.inference.intervals import NO_INTERVAL
from raters.inference.resampled_units import cluster_members
from raters.io.any_table import Source, table
from raters.options import asks
from raters.reliability.xrr.intervals import TITLES, figures, imagined_pools, over_raters, with_ratios
from raters.reliability.xrr.permutation import permuted, shuffled
from raters.reliability.xrr.pools import (
    CrossOptions,
    CrossRequest,
    Pools,
    ask,
    from_column,
    from_tables,
    one_against_rest,
    pool_names,
)
from raters.reliability.xrr.result import NAMES, Compared, CrossReliability, PoolTest, irr_histogram, rho_scatter
from raters.reliability.xrr.statistics import MANY_LABELS, RANGES, Maker
from raters.scales.scale import Scale
from raters.spans.asking import or_of_spans
from raters.spans.comparing import xrr as xrr_of_spans

Array = NDArray[Any]
PICTURES = {"irr_histogram": irr_histogram, "rho_scatter": rho_scatter}


@dataclass(frozen=True)
class Matrix:
    """Every pool against every other, with each pool's own IRR on the diagonal."""

    pools: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    """(pool, pool)."""

    def __str__(self) -> str:
        width = max(8, *(len(p) for p in self.pools)) + 2
        head = "".join(p.rjust(width) for p in ("", *self.pools))
        rows = (
            "".join([p.rjust(width), *(shown(float(v)).rjust(width) for v in row)])
            for p, row in zip(self.pools, self.value, strict=True)
        )
        return "\n".join([head, *rows])


@dataclass(frozen=True, repr=False)
class CrossTable(Result, Sequence[CrossReliability]):
    """Several pairs of pools, or several slices, or both: one row for each."""

    rows: tuple[CrossReliability, ...]
    pools: tuple[str, ...]
    slices: tuple[str | None, ...] = (None,)
    test: PoolTest | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[CrossReliability]:
        return iter(self.rows)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int) -> CrossReliability: ...
        @overload
        def __getitem__(self, key: slice) -> CrossTable: ...

    def __getitem__(self, key: int | slice) -> CrossReliability | CrossTable:
        return replace(self, rows=self.rows[key]) if isinstance(key, slice) else self.rows[key]

    def pair(self, x: str, y: str, slice: Any = None) -> CrossReliability:
        """The row of these two pools (in either order), and of this slice if there are several."""
        at = self._slice(slice)
        for row in self.rows:
            if set(row.pools) == {x, y} and row.slice == at:
                return row
        raise UsageError(
            f"no row of {x!r} and {y!r}{'' if at is None else f' for {at!r}'}; pools: {', '.join(self.pools)}."
        )

    def _slice(self, asked: Any) -> str | None:
        """The requested slice, or the only one."""
        if asked is None and len(self.slices) == 1:
            return self.slices[0]
        if asked is None or str(asked) not in self.slices:
            found = "this table has several slices" if asked is None else f"there is no slice {str(asked)!r}"
            raise UsageError(f"{found}: pass slice= one of {listed([s for s in self.slices if s is not None])}.")
        return str(asked)

    def matrix(self, what: str = "kappa_x", slice: Any = None) -> Matrix:
        """``what`` for each pair of pools, with IRRs on the diagonal; for ``normalized``, the diagonal is 1, since a
        pool replicates itself.
        """
        if what not in NAMES or what.startswith("irr"):
            raise UsageError(
                f"matrix takes one of {', '.join(n for n in NAMES if not n.startswith('irr'))}, not {what!r}."
            )
        at = self._slice(slice)
        n = len(self.pools)
        value, low, high = (np.full((n, n), np.nan) for _ in range(3))
        place = {pool: i for i, pool in enumerate(self.pools)}
        for row in (r for r in self.rows if r.slice == at):
            i, j = (place[p] for p in row.pools)
            cells = {(i, j): getattr(row, what), (j, i): getattr(row, what)}
            if what == "kappa_x":
                cells |= {(i, i): row.irr_x, (j, j): row.irr_y}
            for cell, e in cells.items():
                value[cell], low[cell], high[cell] = e.value, e.low, e.high
        if what.startswith("normalized"):
            np.fill_diagonal(value, 1.0)
        return Matrix(self.pools, value, low, high)

    @property
    def estimates(self) -> EstimateTable:
        """All figures of all rows; each estimate's ``details`` name its pools and slice."""
        return EstimateTable(tuple(e for row in self.rows for e in row.estimates), of="figure")

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "pools": list(self.pools),
            "test": self.test and self.test.to_dict(),
            "rows": [{k: v for k, v in row.to_dict().items() if k != "schema"} for row in self.rows],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each pair and slice, with a column for each figure: the shape of the paper's Table 5."""
        columns: dict[str, list[Any]] = {"slice": [r.slice for r in self.rows]}
        columns |= {f"pool_{side}": [r.pools[i] for r in self.rows] for i, side in enumerate("xy")}
        columns |= {name: [getattr(r, name).value for r in self.rows] for name in NAMES}
        columns |= {
            f"{name}_{end}": [getattr(getattr(r, name), end) for r in self.rows]
            for name in ("kappa_x", "normalized", "difference")
            for end in ("low", "high")
        }
        return columns | {"n_shared": [r.n_shared for r in self.rows]}

    def plot(self, what: str = "kappa_x") -> Any:
        """``what`` of every row with its interval, as an Altair chart.

        ``"irr_histogram"``: how many labels have an IRR in each range, by pool (the paper's Figure 2);
        ``"rho_scatter"``: normalised kappa_x against the correlation of item means (Figure 7).
        """
        if what in PICTURES:
            return PICTURES[what](self.rows).altair()
        rows = (replace(getattr(r, what), name=_called(r)) for r in self.rows)
        return EstimateTable(tuple(rows), of="pair of pools").plot(
            axis=TITLES[what].format(x="the first pool", y="the second pool", irr="agreement within it")
        )

    def __repr__(self) -> str:
        return f"<CrossTable of {', '.join(self.pools[:6])}: {len(self.rows):,} rows>"

    def __str__(self) -> str:
        heads = [f"{r.slice + ': ' if r.slice is not None else ''}{r.sentence}" for r in self.rows]
        return "\n".join([*heads, *([str(self.test)] if self.test else [])])

    def _repr_html_(self) -> str:
        return self.estimates._repr_html_()


def _called(row: CrossReliability) -> str:
    """The pools of a row, after its slice if there is one."""
    return f"{'' if row.slice is None else f'{row.slice}: '}{row.pools[0]} v. {row.pools[1]}"


if TYPE_CHECKING:

    @overload
    def xrr(
        x: Source, y: Source | None = ..., *, pool: str | None = ..., by: None = ..., **options: Unpack[CrossOptions]
    ) -> CrossReliability: ...
    @overload
    def xrr(
        x: Source, y: Source | None = ..., *, pool: str | None = ..., by: str, **options: Unpack[CrossOptions]
    ) -> CrossTable: ...


@or_of_spans(xrr_of_spans)
@asks()
def xrr(
    x: Source,
    y: Source | None = None,
    *more: Source,
    pool: str | None = None,
    by: str | None = None,
    **options: Unpack[CrossOptions],
) -> CrossReliability | CrossTable:
    r"""Measure agreement between pools of raters, relative to the agreement within each pool.

    .. math:: \kappa_x = 1 - \frac{d_o(X, Y)}{d_e(X, Y)}, \quad
        \text{normalised } \kappa_x = \frac{\kappa_x}{\sqrt{IRR_X} \sqrt{IRR_Y}}

    Pass two tables of the same items, ``xrr(x, y)``, or one table with a column that names the pool,
    ``xrr(ann, pool="city")``. With ``by=`` (a column), the result is a table with one row for each value. For more than
    two pools, or each label against the rest, see
    :func:`xrr_table`.

    >>> from raters.io.read import read
    >>> first, second = {"1": "BB", "2": "BBB", "3": "AA", "4": "AAA", "5": "AB"}, {"1": "BB", "2": "AB", "3": "AB", "4": "AB", "5": "AA"}
    >>> x, y = ([(i, f"{who}{j}", k) for i, ks in d.items() for j, k in enumerate(ks)] for who, d in (("x", first), ("y", second)))
    >>> result = xrr(read(x), read(y), interval=None)
    >>> [round(float(e), 7) for e in (result.kappa_x, result.observed, result.expected)]
    [0.1818182, 0.4090909, 0.5]

    Wong, Paritosh & Aroyo (2021), ACL, 7053-7065.
    """
    if more:
        raise UsageError(f"xrr compares two pools; xrr_table compares each pair of these {2 + len(more)}.")
    found = xrr_table(x, y, pool=pool, by=by, **options)
    if by is None and len(found.pools) > 2:
        raise UsageError(f"xrr compares two pools; xrr_table compares each pair of these {len(found.pools)}.")
    return found if by is not None else found[0]


@asks()
def xrr_table(
    x: Source,
    y: Source | None = None,
    *more: Source,
    pool: str | None = None,
    by: str | None = None,
    per_label: bool = False,
    **options: Unpack[CrossOptions],
) -> CrossTable:
    """Compare each pair of any number of pools: one row for each pair and each value of ``by``.

    ``xrr_table(x, y, z)`` or ``xrr_table(ann, pool="city")``; ``per_label=True``: each label against the rest.
    Everything else as in :func:`xrr`.

    >>> from raters.io.read import read
    >>> pools = [read([(i, f"{p}{j}", "ab"[(i + j * n) % 2]) for i in range(6) for j in (1, 2)]) for n, p in enumerate("xyz")]
    >>> [row.pools for row in xrr_table(*pools, names=["x", "y", "z"], interval=None)]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """
    asked = ask(**options)
    anns = [table(a) for a in (x, y, *more) if a is not None]
    if (pool is None) == (len(anns) == 1):
        raise UsageError(
            "xrr takes two or more tables, xrr(x, y), or one table with a column of pools, xrr(ann, pool='city')."
        )
    if per_label:
        _check_per_label(asked, anns)
        anns = [replace(a, scale=Scale.nominal) for a in anns]
    slices = _slices(asked, anns, pool, by, per_label)
    found = [_one_slice(asked, pools, at, per_label) for at, pools in _parts(slices, per_label)]
    first = next(iter(slices.values()))
    test = permuted(anns, pool, first, asked.cross, asked.permutations, asked.seed) if asked.permutations else None
    rows = tuple(row for part_ in found for row in part_)
    if by is None and not per_label:
        of = Compared(tuple(anns), first.names, pool)
        rows = tuple(replace(shuffled(row, test, anns, pool, first, asked), compared=of) for row in rows)
        rows = _as_alone(asked, of, rows)
    return CrossTable(rows, first.names, tuple(dict.fromkeys(r.slice for r in rows)), test)


def _as_alone(asked: CrossRequest, of: Compared, rows: tuple[CrossReliability, ...]) -> tuple[CrossReliability, ...]:
    """Agreement within each pool with the interval that it has where the pool alone is asked about."""
    if asked.spec is None or asked.irr_items != "all" or asked.sample != "items":
        return rows
    req = replace(asked.irr, cluster=asked.cluster)
    if of.column is None or req.coefficient.between_groups:
        own = {name: whole(req, ann) for name, ann in of.parts().items()}
    else:  # one query for all pools
        slices = folded(req, of.tables[0], by=of.column)
        kernel = kernel_of(req, of.tables[0])
        own = {str(name): estimate(req, items, kernel) for name, items in slices.items()}
    return tuple(
        replace(
            row,
            irr_x=with_interval_of(own[row.pools[0]], row.irr_x),
            irr_y=with_interval_of(own[row.pools[1]], row.irr_y),
        )
        for row in rows
    )


def xrr_of_pools(pools: Pools, **options: Unpack[CrossOptions]) -> CrossReliability:
    """The result for the first two of several aligned pools, without querying their tables again."""
    return _one_slice(ask(**options), pools, None, False)[0]


def _slices(
    asked: CrossRequest, anns: Sequence[Annotations], pool: str | None, by: str | None, per_label: bool
) -> dict[Any, Pools]:
    """The pools side by side, for each value of ``by``."""
    raters = asked.irr.coefficient.between_groups or asked.sample != "items"
    if asked.sample != "items" and not all(a.n_raters for a in anns):
        raise UsageError(f"sample={asked.sample!r} resamples raters, but these have no names; omit it.")
    if pool is not None:
        moments = not raters and not per_label and uses_moments(asked.cross, anns[0])
        slices = from_column(anns[0], pool, asked.names, raters=raters, by=by, moments=moments, cluster=asked.cluster)
    else:
        slices = from_tables(anns, pool_names(anns, asked.names), raters=raters, by=by, cluster=asked.cluster)
    return slices


def _check_per_label(asked: CrossRequest, anns: Sequence[Annotations]) -> None:
    if any(a.scale.of_sets for a in anns):
        raise UsageError(
            "per_label compares single labels, but these are sets; omit it to use a set distance, or read the column of"
            " one label (yes or no) on a nominal scale."
        )
    if asked.cross.distance is not None or asked.cross.weights is not None:
        raise UsageError(
            "per_label compares one label with the rest, so weights and distances do not apply; omit them."
        )
    if any(len(a.labels) > MANY_LABELS for a in anns):
        raise UsageError(
            f"more than {MANY_LABELS:,} labels are too many to compare each with the rest; bin them first."
        )


def _parts(slices: dict[Any, Pools], per_label: bool) -> Iterator[tuple[Any, Pools]]:
    for value, pools in slices.items():
        if not per_label:
            yield value, pools
            continue
        for label, one in one_against_rest(pools):
            yield label if value is None else (value, label), one


def _one_slice(asked: CrossRequest, pools: Pools, at: Any, per_label: bool) -> list[CrossReliability]:
    """Every pair of pools of a slice, from the same replicates."""
    if asked.trusted is not None and asked.trusted not in pools.names:
        raise UsageError(f"trusted={asked.trusted!r} is not a pool; there are: {', '.join(pools.names)}.")
    made = Maker(asked, pools, per_label)
    pairs = [made.pair(a, b) for a, b in combinations(range(len(pools.names)), 2)]
    stats = [s for pair in pairs for s in pair.stats.values()]
    family = Family(stats)
    points = family.values(family.weight[None, :])[:, 0]
    if asked.spec is None:
        found = [NO_INTERVAL] * len(stats)
    else:
        ranges = [RANGES[n] for pair in pairs for n in pair.stats]
        members = cluster_members(pools.items)
        imagined = imagined_pools(asked, pools, family, per_label) if members is None else None
        found = together(family, points, asked.spec, ranges, members, imagined)
        if imagined is not None:
            found = with_ratios(family, points, asked.spec, ranges, found, [n for pair in pairs for n in pair.stats])
        if asked.sample != "items":
            found = over_raters(asked, pools, per_label, pairs, points, asked.spec)
    size = len(RANGES)
    label = None if at is None else " / ".join(map(str, at)) if isinstance(at, tuple) else str(at)
    return [
        figures(asked, pools, pair, points[i * size : (i + 1) * size], found[i * size : (i + 1) * size], label)
        for i, pair in enumerate(pairs)
    ]
