"""The results of cross-replication reliability, and the sentence that interprets them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, shown
from raters.reliability.xrr.equivalence import Equivalence, verdict_of

LOW = 0.4
"""IRRs whose intervals lie below this count as low in the sentence; this is a convention for wording, not a threshold of quality."""
NEAR = 0.9
"""The margin of equivalence: if the whole interval of normalised kappa_x lies above it, the sentence reports a good replication."""
FAR = 0.5
"""If the whole interval lies below this share of what the IRRs allow, the sentence says that the pools hardly agree with each other."""
FEW_ITEMS = 20
"""With fewer shared items, the sentence says that they are too few to decide."""
ALPHA = 0.05
"""The sentence says that pools differ if shuffling whole raters between them gives a p of at most this."""
APART = 0.2
"""A pool's IRR this far from the trusted one's is pointed out."""
FIGURES = "The kappa between the pools (kappa_x) is"
"""How the sentence goes on after the verdict, with its figures."""

NAMES = (
    "kappa_x", "irr_x", "irr_y", "normalized", "normalized_by_x", "normalized_by_y", "difference", "difference_x",
    "difference_y", "rho", "observed", "expected", "alpha_x", "gwet_x",
)  # fmt: skip


@dataclass(frozen=True)
class PoolTest:
    """Test whether pools differ at all: mean disagreement between pools minus that within, compared with shuffled pools."""

    statistic: float
    """Mean disagreement of two labels of an item from different pools, minus that of two from the same pool."""
    between: float
    within: float
    p: float
    permutations: int
    permuted: str
    """What was shuffled: ``raters`` (whole), or ``labels within items`` if no rater labels two items."""
    exact: bool = False
    """Whether all arrangements were enumerated instead of sampled."""
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
    """Two pools on the same items: agreement between them, within each, and between relative to within."""

    pools: tuple[str, str]
    kappa_x: Estimate
    """Chance-corrected agreement between the pools; ``observed`` and ``expected`` are disagreements."""
    irr_x: Estimate
    irr_y: Estimate
    normalized: Estimate
    """kappa_x / sqrt(IRR_x IRR_y): 1 for a perfect replication; it may exceed 1."""
    normalized_by_x: Estimate
    normalized_by_y: Estimate
    """kappa_x / IRR_y, for the case that y is the trusted pool."""
    difference: Estimate
    """kappa_x minus the mean of both IRRs."""
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
    """Items that only x labelled, excluded from kappa_x."""
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
        """All figures, each as an estimate."""
        return EstimateTable(tuple(getattr(self, name) for name in NAMES), of="figure")

    @property
    def sentence(self) -> str:
        """What the figures say together, in words."""
        return triangulate(self)

    def equivalence(self, margin: float = NEAR) -> Equivalence:
        """Whether the pools are equivalent: compare the whole interval of normalised kappa_x with a stated margin."""
        return verdict_of(self.normalized, margin, self.pools)

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
    """Both IRRs and kappa_x interpreted together, in a sentence or two, and what is held fixed."""
    x, y = r.pools
    k, ix, iy = (float(e.value) for e in (r.kappa_x, r.irr_x, r.irr_y))
    if not math.isfinite(k):
        return f"The kappa between the pools {x} and {y} (kappa_x) is undefined: {r.kappa_x.warnings[-1] if r.kappa_x.warnings else 'no chance to compare'}."
    figures = f"{FIGURES} {shown(k, 3)}{_limits(r.kappa_x)}; agreement within the pools (IRR) is {shown(ix, 3)} for {x} and {shown(iy, 3)} for {y}"
    if not (math.isfinite(ix) and math.isfinite(iy)):
        without = " and ".join(name for name, v in ((x, ix), (y, iy)) if not math.isfinite(v))
        return f"{figures}. Without an IRR of {without}, kappa_x cannot be compared with agreement within both pools."
    norm = f"normalised kappa_x is {shown(float(r.normalized.value), 3)}{_limits(r.normalized)}"
    return f"{_reading(r)}. {figures}; {norm}{_held(r)}." + _trusted(r, ix, iy)


def _held(r: CrossReliability) -> str:
    """What the intervals hold fixed."""
    if not math.isfinite(r.kappa_x.low) or r.kappa_x.sampled == "items and raters":
        return ""
    return " (the items are held fixed)" if r.kappa_x.sampled == "raters" else " (the raters are held fixed)"


def _reading(r: CrossReliability) -> str:
    """What the whole intervals show; if they show nothing, that it is not clear."""
    x, y = r.pools
    if r.n_shared < FEW_ITEMS:
        return f"{x} and {y}: {r.n_shared:,} shared items are too few to decide whether they replicate each other"
    if not (math.isfinite(r.difference.low) and math.isfinite(r.difference.high)):
        return f"{x} and {y}: without an interval, it is not clear whether they replicate each other"
    less, more, norm = r.difference.high < 0, r.difference.low > 0, r.normalized
    if max(r.irr_x.high, r.irr_y.high) < LOW and not (less and norm.high < FAR):
        tail = ", though even less between the pools" if less else ""
        return (
            f"Agreement is low within {x}, within {y} and between them: look at the task and its guidelines first{tail}"
        )
    if not (r.irr_x.low > 0 and r.irr_y.low > 0):
        without = [n for n, e in zip(r.pools, (r.irr_x, r.irr_y), strict=True) if not e.low > 0]
        who = f"neither {x} nor {y} is" if len(without) == 2 else f"{without[0]} is not"
        return f"{x} and {y}: it is not clear whether they replicate each other, because {who} shown to agree within itself"
    if norm.low >= NEAR:
        tail = ", though these raters agree with each other a little less than within themselves" if less else ""
        return (
            f"{x} and {y}: a good replication (the whole interval of the normalised figure is at least {NEAR:g}){tail}"
        )
    if more:
        return f"These raters of {x} and {y} agree with each other more than within themselves: errors within a pool differ, or pools mix dissimilar raters"
    if less:
        return _less(r)
    return f"{x} and {y}: it is not clear whether they replicate each other; agreement between them is not shown to be lower than within, but a good replication needs a normalised figure whose whole interval is at least {NEAR:g}"


def _less(r: CrossReliability) -> str:
    """Less agreement between than within: for these raters, and for the pools if shuffling whole raters shows it."""
    x, y = r.pools
    hardly = r.normalized.high < FAR
    what = (
        "each agree within themselves and hardly with each other"
        if hardly
        else "agree with each other less than within themselves"
    )
    meant = ": the pools interpret the labels differently" if hardly else ""
    if "raters" in r.difference.sampled:
        return f"{x} and {y} {what}{meant}"
    if r.test is None or not math.isfinite(r.test.p):
        return f"These raters of {x} and {y} {what}; whether other raters from the same pools would is unknown"
    shuffled = f"p = {r.test.p:.2g} with {'whole raters' if r.test.permuted == 'raters' else r.test.permuted} shuffled between the pools"
    if r.test.p <= ALPHA:
        return f"{x} and {y} {what}{meant} ({shuffled})"
    few = "".join(f"; {w}" for w in r.test.warnings)
    return f"These raters of {x} and {y} {what}, but it is not clear whether the pools differ: differences between raters of one pool can look the same ({shuffled}{few})"


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
    return (
        f" {other} agrees within itself far {'more' if gap > 0 else 'less'} than {r.trusted}. Possible reasons: {why}."
    )


def _limits(e: Estimate) -> str:
    return f" [{shown(e.low, 3)}, {shown(e.high, 3)}]" if math.isfinite(e.low) else ""
