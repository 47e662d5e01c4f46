"""The results of cross-replication reliability, and the sentence that interprets them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Unpack

import numpy as np
from scipy import special

from raters.annotations import Annotations, counted
from raters.charts.chart import Chart
from raters.charts.heat import heat
from raters.charts.lines import curves
from raters.charts.points import scatter
from raters.errors import UsageError
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, Told, jsonable, p_shown, shown
from raters.inference.limits import spec_for
from raters.items.align import unified
from raters.items.folding import Query, python_values
from raters.items.subsets import parts_by
from raters.notes.note import Note, in_json
from raters.options.declared import Inference
from raters.reliability.xrr.why_apart import PoolDifferences, why_apart

LEAST = 0.5
"""A smaller margin was probably meant as a loss (0.1 for 0.9)."""


@dataclass(frozen=True, repr=False)
class Equivalence(Told, Result):
    """Whether normalised kappa_x is shown to be at least the margin, below it, or neither."""

    verdict: str
    """``equivalent``, ``not equivalent`` or ``inconclusive``."""
    margin: float
    figure: Estimate
    p: float
    """The p-value of the one-sided test that the figure is at or below the margin, from its standard error."""
    sentence: str

    def to_columns(self) -> dict[str, list[Any]]:
        return {k: [v] for k, v in self.to_dict().items() if k != "figure"}

    def __str__(self) -> str:
        return self.sentence


def verdict_of(figure: Estimate, margin: float, pools: tuple[str, str]) -> Equivalence:
    """Compare the whole interval with the margin: absence of a difference is not evidence of equivalence."""
    if not 0 < margin <= 1:
        raise UsageError(f"margin={margin:g}: pass a share of what the IRRs allow, between 0 and 1, such as 0.9.")
    if margin < LEAST:
        raise UsageError(
            f"margin={margin:g}: pools are equivalent if normalised kappa_x is at least the margin, and 1 is a perfect"
            f" replication. For a loss of at most {margin:g} use {1 - margin:g}; a margin below {LEAST:g} does not show"
            " equivalence."
        )
    x, y = pools
    p = float(special.ndtr((margin - figure.value) / figure.se)) if figure.se > 0 else math.nan
    if not math.isfinite(figure.low):
        why = figure.undefined or "it has no interval"
        return Equivalence(
            "inconclusive", margin, figure, math.nan, f"{x} and {y}: equivalence is inconclusive ({why})."
        )
    interval = (
        f"normalised kappa between the pools {shown(figure.value, 3)}, {figure.level:.0%} interval"
        f" {shown(figure.low, 3)} to {shown(figure.high, 3)}"
    )
    if figure.low >= margin:
        said, word = f"equivalent within the margin: the whole interval is at least {margin:g}", "equivalent"
    elif figure.high < margin:
        said, word = f"not equivalent: the whole interval is below {margin:g}", "not equivalent"
    else:
        said = (
            f"equivalence is inconclusive: the interval contains the margin of {margin:g}; more items would narrow it"
        )
        word = "inconclusive"
    return Equivalence(word, margin, figure, p, f"{x} and {y}: {said} ({interval}).")


LOW = 0.4
"""IRRs whose intervals lie below this count as low in the sentence; this is a convention for wording, not a threshold
of quality.
"""
NEAR = 0.9
"""The margin of equivalence: if the whole interval of normalised kappa_x lies above it, the sentence reports a good
replication.
"""
FAR = 0.5
"""If the whole interval lies below this share of what the IRRs allow, the sentence says that the pools hardly agree
with each other.
"""
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
class PoolTest(Told):
    """Test whether pools differ at all: mean disagreement between pools minus that within, compared with shuffled
    pools.
    """

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
    notes: tuple[Note, ...] = ()

    @property
    def sampled(self) -> int:
        """How many arrangements were drawn at random, below whose share p cannot go; 0 if all were tried."""
        return 0 if self.exact else self.permutations

    def __str__(self) -> str:
        if not math.isfinite(self.p):
            return f"No test of the pools: {'; '.join(map(str, self.notes))}."
        return (
            f"Disagreement between pools is {shown(self.between)}, within pools {shown(self.within)}:"
            f" {p_shown(self.p, self.sampled, 4)}"
            f" ({'all' if self.exact else 'shuffled'} {self.permutations:,} arrangements of {self.permuted})."
            + "".join(f" Note: {w}." for w in self.notes)
        )


@dataclass(frozen=True)
class Compared:
    """The tables behind a comparison: one for each pool, or one with a column that names the pools."""

    tables: tuple[Annotations, ...]
    pools: tuple[str, ...]
    column: str | None

    def two(self, pools: tuple[str, str]) -> tuple[Annotations, Annotations]:
        """The annotations of two of the pools, on one scale."""
        of = self.parts()
        one, two = unified([of[p] for p in pools])
        return one, two

    def parts(self) -> dict[str, Annotations]:
        """The annotations of each pool."""
        if self.column is None:
            return dict(zip(self.pools, self.tables, strict=True))
        return {str(name): part for name, part in parts_by(self.tables[0], self.column).items()}


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
    notes: tuple[Note, ...] = ()
    compared: Compared | None = field(default=None, compare=False, repr=False)
    """The whole tables, for :meth:`why`; none for a slice, or one label against the rest."""

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

    def why(
        self,
        *,
        most: int = 20,
        **options: Unpack[Inference],
    ) -> PoolDifferences:
        """Why the pools differ: their disagreement, beyond that within them, split into leniency, labels and items.

        Only items with two or more labels in each pool count; ``most`` of them are named.

        >>> import raters
        >>> one = [(i, f"a{j}", "no" if i < 30 else "yes") for i in range(60) for j in (1, 2)]
        >>> two = [(i, f"b{j}", "no" if i < 20 else "yes") for i in range(60) for j in (1, 2)]
        >>> found = raters.xrr(raters.read(one), raters.read(two), interval=None).why(interval=None)
        >>> round(found.estimates["excess"].value, 4), sorted(i["item"] for i in found.items[:10])
        (0.1667, [20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
        """
        if self.compared is None:
            raise UsageError(
                "why() needs two whole pools: call xrr without by=, or xrr_table without by= and per_label=."
            )
        two = self.compared.two(self.pools)
        return why_apart(*two, self.pools, most=most, spec=spec_for(options))

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
        )
        row = {name: jsonable(getattr(self, name)) for name in about}
        return {"schema": SCHEMA, **row, **jsonable(in_json(self.notes)), "test": self.test and self.test.to_dict()} | {
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
        return (
            f"<CrossReliability of {x} and {y}: kappa_x = {shown(self.kappa_x.value)}, normalised"
            f" {shown(self.normalized.value)}>"
        )

    def __str__(self) -> str:
        lines = [self.sentence, *(f"  {e}" for e in self.estimates), *([str(self.test)] if self.test else [])]
        return "\n".join([*lines, *(f"note: {w}" for w in self.notes)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


def triangulate(r: CrossReliability) -> str:
    """Both IRRs and kappa_x interpreted together, in a sentence or two, and what is held fixed."""
    x, y = r.pools
    k, ix, iy = (float(e.value) for e in (r.kappa_x, r.irr_x, r.irr_y))
    if not math.isfinite(k):
        return (
            f"The kappa between the pools {x} and {y} (kappa_x) is undefined:"
            f" {r.kappa_x.undefined or 'no chance to compare'}."
        )
    figures = (
        f"{FIGURES} {shown(k, 3)}{_limits(r.kappa_x)}; agreement within the pools (IRR) is {shown(ix, 3)} for {x} and"
        f" {shown(iy, 3)} for {y}"
    )
    if not (math.isfinite(ix) and math.isfinite(iy)):
        without = " and ".join(name for name, v in ((x, ix), (y, iy)) if not math.isfinite(v))
        return f"{figures}. Without an IRR of {without}, kappa_x cannot be compared with agreement within both pools."
    norm = f"normalised kappa_x is {shown(float(r.normalized.value), 3)}{_limits(r.normalized)}"
    return f"{reading(r)}. {figures}; {norm}{_held(r)}." + _trusted(r, ix, iy)


def in_short(r: CrossReliability) -> str:
    """The same beside a table of the figures."""
    ix, iy = float(r.irr_x.value), float(r.irr_y.value)
    if not all(map(math.isfinite, (float(r.kappa_x.value), ix, iy))):
        return triangulate(r)
    return f"{reading(r)}.{_trusted(r, ix, iy)}"


def _held(r: CrossReliability) -> str:
    """What the intervals hold fixed."""
    if not math.isfinite(r.kappa_x.low) or r.kappa_x.sampled == "items and raters":
        return ""
    return " (the items are held fixed)" if r.kappa_x.sampled == "raters" else " (the raters are held fixed)"


def reading(r: CrossReliability, tested: bool = True) -> str:
    """What the whole intervals show; if they show nothing, that it is not clear. ``tested``: with the p of the test."""
    x, y = r.pools
    if r.n_shared < FEW_ITEMS:
        return f"{x} and {y}: {counted(r.n_shared, 'shared item')} {'is' if r.n_shared == 1 else 'are'} too few to decide whether they replicate each other"
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
        return (
            f"{x} and {y}: it is not clear whether they replicate each other, because {who} shown to agree within"
            " itself"
        )
    low = f", with low agreement within both ({_both(r)})" if max(r.irr_x.value, r.irr_y.value) < LOW else ""
    if more or norm.low > 1:
        return (
            f"These raters of {x} and {y} agree with each other more than within themselves{low}: raters differ within"
            " a pool, as in leniency or in what they attend to; look at them before the pools"
        )
    if norm.low >= NEAR:
        tail = ", though these raters agree with each other a little less than within themselves" if less else ""
        return (
            f"{x} and {y}: a good replication{low} (the whole interval of the normalised figure is at least"
            f" {NEAR:g}){tail}"
        )
    if less:
        return _less(r, tested)
    return (
        f"{x} and {y}: it is not clear whether they replicate each other; agreement between them is not shown to be"
        " lower than within, but a good replication needs a normalised figure whose whole interval is at least"
        f" {NEAR:g}"
    )


def _both(r: CrossReliability) -> str:
    return " and ".join(f"{shown(e.value, 2)}" for e in (r.irr_x, r.irr_y))


def _less(r: CrossReliability, tested: bool) -> str:
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
    shuffled = (
        f"{p_shown(r.test.p, r.test.sampled, 2)} with {'whole raters' if r.test.permuted == 'raters' else r.test.permuted} shuffled between"
        " the pools"
    )
    few = "".join(f"; {w}" for w in r.test.notes) if r.test.p > ALPHA else ""
    shown_test = f" ({shuffled}{few})" if tested else ""
    if r.test.p <= ALPHA:
        return f"{x} and {y} {what}{meant}{shown_test}"
    return (
        f"These raters of {x} and {y} {what}, but it is not clear whether the pools differ: differences between raters"
        f" of one pool can look the same{shown_test}"
    )


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


BUCKETS = 20


def items_by_labels(ann: Annotations, pool: str) -> dict[tuple[Any, int], int]:
    """(pool, labels of an item) -> items: Wong, Paritosh and Aroyo's Table 4, if a rater gives an item one label."""
    query = Query(ann, group=pool)
    inner = f"SELECT grp, item, count(*) AS n FROM ({query.base}) AS b WHERE grp IS NOT NULL GROUP BY grp, item"
    got = query.run(f"SELECT grp, n, count(*) AS items FROM ({inner}) AS i GROUP BY grp, n ORDER BY grp, n")
    return {(g, int(n)): int(k) for g, n, k in zip(python_values(got["grp"]), got["n"], got["items"], strict=True)}


def items_by_labels_chart(ann: Annotations, pool: str) -> Chart:
    """The share of each pool's items with one label, two labels and so on."""
    found = items_by_labels(ann, pool)
    totals: dict[Any, int] = {}
    for (name, _), items in found.items():
        totals[name] = totals.get(name, 0) + items
    cells = [(str(name), str(n), items / totals[name]) for (name, n), items in found.items()]
    return heat(
        *zip(*cells, strict=True),
        row_title=pool,
        column_title="labels of an item",
        column_order=[str(n) for n in sorted({n for _, n in found})],
        name="items by labels",
        caption="Share of each pool's items by the number of labels it gave them.",
    )


def irr_histogram(rows: Sequence[CrossReliability]) -> Chart:
    """How many labels (or slices) have an IRR in each range, with a line for each pool: Figure 2 of the paper."""
    found: dict[str, dict[str, float]] = {}
    for r in rows:
        for pool, e in zip(r.pools, (r.irr_x, r.irr_y), strict=True):
            if math.isfinite(e.value):
                found.setdefault(pool, {})[str(r.slice)] = e.value
    if not found:
        raise UsageError("nothing to draw: no row has an IRR.")
    every = [v for values in found.values() for v in values.values()]
    low, high = min(0.0, *every), max(1.0, *every) if len(every) > 1 else 1.0
    edges = np.linspace(low, high, BUCKETS + 1)
    series = {}
    for pool, values in found.items():
        counts = np.histogram(list(values.values()), edges)[0]
        series[pool] = [
            (float((a + b) / 2), float(n), math.nan, math.nan)
            for a, b, n in zip(edges, edges[1:], counts, strict=False)
        ]
    return curves(
        series,
        x="IRR",
        y="labels",
        legend="pool",
        name="irr",
        caption="How many labels have an IRR in each range, by pool.",
    )


def rho_scatter(rows: Sequence[CrossReliability]) -> Chart:
    """Normalised kappa_x against the disattenuated correlation of item means, a point for each row: Figure 7 of the
    paper.
    """
    kept = [r for r in rows if math.isfinite(r.normalized.value) and math.isfinite(r.rho.value)]
    if not kept:
        raise UsageError("nothing to draw: no row has both a normalised kappa_x and a correlation of item means.")
    names = [f"{'' if r.slice is None else f'{r.slice}: '}{r.pools[0]} v. {r.pools[1]}" for r in kept]
    x, y = [r.normalized.value for r in kept], [r.rho.value for r in kept]
    both = (
        f" Their correlation is {np.corrcoef(x, y)[0, 1]:.3f}." if len(kept) > 2 and np.std(x) * np.std(y) > 0 else ""
    )
    return scatter(
        names,
        x,
        y,
        x="normalised kappa between the pools",
        y="correlation of item means, disattenuated",
        name="normalised and rho",
        caption=f"Each row by two measures of replication.{both}",
    )
