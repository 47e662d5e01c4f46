"""What cross-replication reliability answers: frozen results, and the sentence that reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, shown

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
        return {k: jsonable(v) for k, v in vars(self).items()}

    def __str__(self) -> str:
        if not math.isfinite(self.p):
            return f"No test of the pools: {'; '.join(self.warnings)}."
        return (
            f"Disagreement between pools is {shown(self.between)}, within pools {shown(self.within)}: "
            f"p = {self.p:.4g} ({'all' if self.exact else 'shuffled'} {self.permutations:,} arrangements of {self.permuted})."
            + "".join(f" Note: {w}." for w in self.warnings)
        )


@dataclass(frozen=True, repr=False)
class CrossReliability(Result):
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
        return EstimateTable(tuple(getattr(self, name) for name in NAMES), of="figure")

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
        row = {name: jsonable(getattr(self, name)) for name in about}
        return {"schema": SCHEMA, **row, "test": self.test and self.test.to_dict()} | {
            "estimates": [e.to_dict() for e in self.estimates]
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each figure."""
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """kappa_x, both IRRs and normalised kappa_x with their intervals, as an Altair chart."""
        return EstimateTable((self.kappa_x, self.irr_x, self.irr_y, self.normalized)).plot(
            axis="agreement beyond chance"
        )

    def __repr__(self) -> str:
        x, y = self.pools
        return f"<CrossReliability of {x} and {y}: kappa_x = {shown(self.kappa_x.value)}, normalised {shown(self.normalized.value)}>"

    def __str__(self) -> str:
        lines = [self.sentence, *(f"  {e}" for e in self.estimates), *([str(self.test)] if self.test else [])]
        return "\n".join([*lines, *(f"note: {w}" for w in self.warnings)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


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
