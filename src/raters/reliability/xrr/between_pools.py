"""Cross-replication reliability: would another pool of raters give the same labels?

kappa_x is Cohen's kappa with the pool as group, on the items that both pools labelled; all other figures are statistics of the
same items, so all intervals come from the same replicates.

Wong, Paritosh & Aroyo (2021), Cross-replication Reliability, ACL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import NDArray

from raters.agree.estimating import uses_moments
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.inference.family import Family, together
from raters.inference.intervals import NO_INTERVAL
from raters.inference.resampled_units import cluster_members
from raters.io.any_table import Source, table, takes_tables
from raters.options import deprecated
from raters.reliability.xrr.figures import figures
from raters.reliability.xrr.imagined import imagined_pools, with_ratios
from raters.reliability.xrr.permutation import permuted, shuffled
from raters.reliability.xrr.pools import Pools, from_column, from_tables, one_against_rest, pool_names
from raters.reliability.xrr.rater_sampling import over_raters
from raters.reliability.xrr.request import CROSS_DEFAULTS, CrossOptions, CrossRequest, ask
from raters.reliability.xrr.result import CrossReliability
from raters.reliability.xrr.statistics import MANY_LABELS, RANGES, Maker
from raters.reliability.xrr.table import CrossTable

Array = NDArray[Any]


takes_options = partial(takes_tables, "x", "y", "more", options=CrossOptions, defaults=CROSS_DEFAULTS)


if TYPE_CHECKING:

    @overload
    def xrr(
        x: Source, y: Source | None = ..., *, pool: str | None = ..., by: None = ..., **options: Unpack[CrossOptions]
    ) -> CrossReliability: ...
    @overload
    def xrr(
        x: Source, y: Source | None = ..., *, pool: str | None = ..., by: str, **options: Unpack[CrossOptions]
    ) -> CrossTable: ...


@takes_options()
def xrr(
    x: Source,
    y: Source | None = None,
    *more: Source,
    pool: str | None = None,
    by: str | None = None,
    per_label: bool = False,
    **options: Unpack[CrossOptions],
) -> CrossReliability | CrossTable:
    r"""Measure agreement between pools of raters, relative to the agreement within each pool.

    .. math:: \kappa_x = 1 - \frac{d_o(X, Y)}{d_e(X, Y)}, \quad
        \text{normalised } \kappa_x = \frac{\kappa_x}{\sqrt{IRR_X} \sqrt{IRR_Y}}

    Pass two tables of the same items, ``xrr(x, y)``, or one table with a column that names the pool, ``xrr(ann, pool="city")``.
    With ``by=`` (a column), the result is a table with one row for each value. For more than two pools, or each label against the
    rest, see
    :func:`xrr_table`.

    The other options are those of :class:`raters.reliability.xrr.request.CrossOptions`.

    >>> from raters.io import read
    >>> first, second = {"1": "BB", "2": "BBB", "3": "AA", "4": "AAA", "5": "AB"}, {"1": "BB", "2": "AB", "3": "AB", "4": "AB", "5": "AA"}
    >>> x, y = ([(i, f"{who}{j}", k) for i, ks in d.items() for j, k in enumerate(ks)] for who, d in (("x", first), ("y", second)))
    >>> result = xrr(read(x), read(y), interval=None)
    >>> [round(float(e), 7) for e in (result.kappa_x, result.observed, result.expected)]
    [0.1818182, 0.4090909, 0.5]

    Wong, Paritosh & Aroyo (2021), ACL, 7053-7065.
    """
    found = xrr_table(x, y, *more, pool=pool, by=by, per_label=per_label, **options)
    if by is None and (per_label or len(found.pools) > 2):
        deprecated(
            "xrr of more than two pools, or with per_label=, is deprecated; use xrr_table. xrr will refuse it in the next minor version."
        )
        return found
    return found if by is not None else found[0]


@takes_options()
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

    ``xrr_table(x, y, z)`` or ``xrr_table(ann, pool="city")``; ``per_label=True``: each label against the rest. Everything else as
    in :func:`xrr`.

    >>> from raters.io import read
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
        anns = [replace(a, scale="nominal") for a in anns]
    slices = _slices(asked, anns, pool, by, per_label)
    found = [_one_slice(asked, pools, at, per_label) for at, pools in _parts(slices, per_label)]
    first = next(iter(slices.values()))
    test = permuted(anns, pool, first, asked.cross, asked.permutations, asked.seed) if asked.permutations else None
    rows = tuple(row for part_ in found for row in part_)
    if by is None and not per_label:
        rows = tuple(shuffled(row, test, anns, pool, first, asked) for row in rows)
    return CrossTable(rows, first.names, tuple(dict.fromkeys(r.slice for r in rows)), test)


def xrr_of_pools(pools: Pools, **options: Unpack[CrossOptions]) -> CrossReliability:
    """The result for the first two of several aligned pools, without querying their tables again."""
    return _one_slice(ask(**CROSS_DEFAULTS | options), pools, None, False)[0]


def _slices(
    asked: CrossRequest, anns: Sequence[Annotations], pool: str | None, by: str | None, per_label: bool
) -> dict[Any, Pools]:
    """The pools side by side, for each value of ``by``."""
    raters = asked.irr.coefficient.compares == "groups" or asked.sample != "items"
    if asked.sample != "items" and not all(a.n_raters for a in anns):
        raise UsageError(f"sample={asked.sample!r} resamples raters, but these have no names; omit it.")
    if pool is not None:
        moments = not raters and not per_label and uses_moments(asked.cross, anns[0])
        slices = from_column(anns[0], pool, asked.names, raters=raters, by=by, moments=moments, cluster=asked.cluster)
    else:
        slices = from_tables(anns, pool_names(anns, asked.names), raters=raters, by=by, cluster=asked.cluster)
    return slices


def _check_per_label(asked: CrossRequest, anns: Sequence[Annotations]) -> None:
    if any(a.scale == "sets" for a in anns):
        raise UsageError(
            "per_label compares single labels, but these are sets; omit it to use a set distance, or read the column of one label (yes or no) on a nominal scale."
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
