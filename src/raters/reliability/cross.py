"""What cross-replication reliability answers: frozen results, and the sentence that reads them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import SCHEMA, Estimate, EstimateTable, plain, shown

Array = NDArray[Any]

LOW = 0.4
"""Below this both IRRs count as low in the sentence; a convention to speak by, not a threshold of quality."""
NEAR = 0.9
"""A normalised kappa_x of this or more reads as a good replication."""
FAR = 0.5
"""Below this share of what the IRRs allow, pools are said not to agree with each other."""
APART = 0.2
"""A pool's IRR this far from the trusted one's is pointed out."""

NAMES = (
    "kappa_x", "irr_x", "irr_y", "normalized", "normalized_by_x", "normalized_by_y", "difference", "difference_x",
    "difference_y", "rho", "observed", "expected", "alpha_x", "gwet_x",
)  # fmt: skip


@dataclass(frozen=True)
class PoolTest:
    """Whether pools differ at all: their mean disagreement between pools against within, when pools are shuffled."""

    statistic: float
    """Mean disagreement of two labels of an item from different pools, less that of two from the same pool."""
    between: float
    within: float
    p: float
    permutations: int
    permuted: str
    """What was shuffled: ``raters`` (whole), or ``labels within items`` where no rater labels two items."""
    exact: bool = False
    """Every arrangement was counted, instead of drawn."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {k: plain(v) for k, v in vars(self).items()}

    def __str__(self) -> str:
        if not math.isfinite(self.p):
            return f"No test of the pools: {'; '.join(self.warnings)}."
        return (
            f"Disagreement between pools is {shown(self.between)}, within pools {shown(self.within)}: "
            f"p = {self.p:.4g} ({'all' if self.exact else 'shuffled'} {self.permutations:,} arrangements of {self.permuted})."
        )


@dataclass(frozen=True)
class CrossReliability:
    """Two pools on the same items: agreement between them, within each, and of the one in the light of the other."""

    pools: tuple[str, str]
    kappa_x: Estimate
    """Chance-corrected agreement between the pools; ``observed`` and ``expected`` are disagreement."""
    irr_x: Estimate
    irr_y: Estimate
    normalized: Estimate
    """kappa_x / sqrt(IRR_x IRR_y): 1 for a perfect replication; it may exceed 1."""
    normalized_by_x: Estimate
    normalized_by_y: Estimate
    """kappa_x / IRR_y: where y is the trusted side."""
    difference: Estimate
    """kappa_x less the mean of both IRRs."""
    difference_x: Estimate
    difference_y: Estimate
    rho: Estimate
    """Spearman's correlation of item means, corrected for attenuation."""
    observed: Estimate
    expected: Estimate
    alpha_x: Estimate
    """The same question by Krippendorff's alpha between the pools: one margin for both."""
    gwet_x: Estimate
    """The same by Gwet's AC1 (AC2 with weights) between the pools."""
    n_shared: int
    n_only_x: int
    """Items of x alone: left out of kappa_x."""
    n_only_y: int
    irr: str
    irr_items: str
    trusted: str | None = None
    slice: str | None = None
    """The value of ``by``, or the label against the rest."""
    test: PoolTest | None = None
    warnings: tuple[str, ...] = ()

    def __float__(self) -> float:
        return float(self.kappa_x)

    @property
    def estimates(self) -> EstimateTable:
        """All figures, each an estimate of its own."""
        return EstimateTable(tuple(getattr(self, name) for name in NAMES))

    @property
    def sentence(self) -> str:
        """What the figures say together."""
        return triangulate(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        about = (
            "pools",
            "slice",
            "n_shared",
            "n_only_x",
            "n_only_y",
            "irr",
            "irr_items",
            "trusted",
            "sentence",
            "warnings",
        )
        row = {name: plain(getattr(self, name)) for name in about}
        return {"schema": SCHEMA, **row, "test": self.test and self.test.to_dict()} | {
            "estimates": [e.to_dict() for e in self.estimates]
        }

    def __str__(self) -> str:
        lines = [self.sentence, *(f"  {e}" for e in self.estimates), *([str(self.test)] if self.test else [])]
        return "\n".join([*lines, *(f"note: {w}" for w in self.warnings)])

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


@dataclass(frozen=True)
class Matrix:
    """Every pool against every other, each pool's own IRR on the diagonal."""

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


@dataclass(frozen=True)
class CrossTable(Sequence[CrossReliability]):
    """Several pairs of pools, or several slices, or both: one row for each."""

    rows: tuple[CrossReliability, ...]
    pools: tuple[str, ...]
    slices: tuple[str | None, ...] = (None,)
    test: PoolTest | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[CrossReliability]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int) -> CrossReliability: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[CrossReliability]: ...
    def __getitem__(self, key: int | slice) -> CrossReliability | Sequence[CrossReliability]:
        return self.rows[key]

    def pair(self, x: str, y: str, slice: Any = None) -> CrossReliability:
        """The row of these two pools (in either order), of this slice where there are several."""
        at = None if slice is None else str(slice)
        for row in self.rows:
            if set(row.pools) == {x, y} and (at is None or row.slice == at):
                return row
        raise UsageError(
            f"no row of {x!r} and {y!r}{'' if at is None else f' for {at!r}'}; pools: {', '.join(self.pools)}."
        )

    def matrix(self, what: str = "kappa_x", slice: Any = None) -> Matrix:
        """``what`` of every two pools, with IRR on the diagonal; of ``normalized``, 1: a pool replicates itself."""
        if what not in NAMES or what.startswith("irr"):
            raise UsageError(
                f"matrix takes one of {', '.join(n for n in NAMES if not n.startswith('irr'))}, not {what!r}."
            )
        at = self.slices[0] if slice is None else str(slice)
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
        return EstimateTable(tuple(e for row in self.rows for e in row.estimates))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "pools": list(self.pools),
            "test": self.test and self.test.to_dict(),
            "rows": [{k: v for k, v in row.to_dict().items() if k != "schema"} for row in self.rows],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each pair and slice, a column for each figure: the shape of the paper's Table 5."""
        columns: dict[str, list[Any]] = {"slice": [r.slice for r in self.rows]}
        columns |= {f"pool_{side}": [r.pools[i] for r in self.rows] for i, side in enumerate("xy")}
        columns |= {name: [plain(getattr(r, name).value) for r in self.rows] for name in NAMES}
        columns |= {f"{name}_{end}": [plain(getattr(getattr(r, name), end)) for r in self.rows]
                    for name in ("kappa_x", "normalized", "difference") for end in ("low", "high")}  # fmt: skip
        return columns | {"n_shared": [r.n_shared for r in self.rows]}

    def to_frame(self) -> Any:
        """A pandas dataframe of ``to_columns()``."""
        import pandas

        return pandas.DataFrame(self.to_columns())

    def __str__(self) -> str:
        heads = [f"{r.slice + ': ' if r.slice is not None else ''}{r.sentence}" for r in self.rows]
        return "\n".join([*heads, *([str(self.test)] if self.test else [])])

    def _repr_html_(self) -> str:
        return self.estimates._repr_html_()


def triangulate(r: CrossReliability) -> str:
    """Both IRRs and kappa_x read against one another, in a sentence or two."""
    x, y = r.pools
    k, ix, iy = (float(e.value) for e in (r.kappa_x, r.irr_x, r.irr_y))
    if not math.isfinite(k):
        return f"kappa_x of {x} and {y} is undefined: {r.kappa_x.warnings[-1] if r.kappa_x.warnings else 'no chance to compare'}."
    figures = f"kappa_x {shown(k, 3)}{_limits(r.kappa_x)}, IRR {shown(ix, 3)} ({x}) and {shown(iy, 3)} ({y})"
    if not (math.isfinite(ix) and math.isfinite(iy)):
        without = " and ".join(name for name, v in ((x, ix), (y, iy)) if not math.isfinite(v))
        return f"{figures}: without an IRR of {without}, kappa_x cannot be read against agreement within both pools."
    said = f"{_reading(r, k, ix, iy)} ({figures}, normalised {shown(float(r.normalized.value), 3)})."
    return said + _trusted(r, ix, iy)


def _reading(r: CrossReliability, k: float, ix: float, iy: float) -> str:
    x, y = r.pools
    low, high = r.difference.low, r.difference.high
    norm = float(r.normalized.value)
    less = high < 0 if math.isfinite(high) else k < 0.8 * (ix + iy) / 2
    more = low > 0
    if max(ix, iy) < LOW and (not less or not norm < FAR):
        tail = "" if not less else ", though even less between the pools"
        return (
            f"Agreement is low within {x}, within {y} and between them: look at the task and its guidelines first{tail}"
        )
    if more:
        return f"{x} and {y} agree with each other more than within themselves: errors within a pool differ, or pools mix raters unlike each other"
    if not less:
        good = "a good replication: " if not norm < NEAR else ""
        return f"{x} and {y}: {good}they agree with each other about as much as within themselves"
    if norm >= NEAR:
        return (
            f"{x} and {y}: a good replication, though they agree with each other a little less than within themselves"
        )
    if not norm >= FAR:
        return f"{x} and {y} each agree within themselves and hardly with each other: what each pool means by the labels differs"
    return f"{x} and {y} agree with each other less than within themselves"


def _trusted(r: CrossReliability, ix: float, iy: float) -> str:
    if r.trusted is None:
        return ""
    other, gap = (r.pools[0], ix - iy) if r.trusted == r.pools[1] else (r.pools[1], iy - ix)
    if abs(gap) < APART:
        return ""
    why = (
        "collusion, or guidelines that are too simple"
        if gap > 0
        else "vague guidelines, or raters of unequal qualification"
    )
    return f" {other} agrees within itself far {'more' if gap > 0 else 'less'} than {r.trusted}: think of {why}."


def _limits(e: Estimate) -> str:
    return f" [{shown(e.low, 3)}, {shown(e.high, 3)}]" if math.isfinite(e.low) else ""
