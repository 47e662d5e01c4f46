"""Several pairs of pools, or several slices: rows, and the matrix of all pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, EstimateTable, Result, shown
from raters.reliability.xrr.figures import TITLES
from raters.reliability.xrr.pictures import irr_histogram, rho_scatter
from raters.reliability.xrr.result import NAMES, CrossReliability, PoolTest

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
        """``what`` for each pair of pools, with IRRs on the diagonal; for ``normalized``, the diagonal is 1, since a pool replicates itself."""
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
        columns |= {f"{name}_{end}": [getattr(getattr(r, name), end) for r in self.rows]
                    for name in ("kappa_x", "normalized", "difference") for end in ("low", "high")}  # fmt: skip
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
