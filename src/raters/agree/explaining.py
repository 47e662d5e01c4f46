"""Explaining a figure: reasons computed from the data, ranked by how much each would change it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.agree.agreement_spec import Options, Request, request
from raters.agree.bands import Bands, bands
from raters.agree.estimating import estimate, fixed, folded, kernel_of, whole
from raters.agree.standing_out import Standing, confused_labels, standing_out
from raters.annotations import Annotations
from raters.estimate import Estimate, EstimateTable, Result, jsonable, p_shown, shown
from raters.io.any_table import Source, table
from raters.items import Items, lift
from raters.items.bag import WIDE
from raters.options import asks
from raters.options.declared import OverItems
from raters.scales import Kernel
from raters.words import printable


@dataclass(frozen=True)
class Reason:
    """One reason for a low (or high) figure, and what the figure would be without it."""

    kind: str
    """skew, rater, labels, items, few, single."""
    text: str
    change: float
    """How much the figure would change; nan if the reason concerns its uncertainty."""
    estimate: Estimate | None = None
    p: float = math.nan
    """For a rater or a pair of labels: the p-value, adjusted for the choice among all of them."""
    together: Estimate | None = None
    """If several raters stand out: the figure without all of them."""
    finding: str = ""
    """For skewed labels: how skewed they are, without what that means for other coefficients."""
    short: str = ""
    """The same in a sentence, for a terminal."""

    @property
    def brief(self) -> str:
        """The reason in a sentence."""
        return self.short or f"{self.text[:1].upper()}{self.text[1:]}"


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The figure, a sentence, the reasons in order of their effect, and the conventional bands."""

    estimate: Estimate
    sentence: str
    reasons: tuple[Reason, ...]
    bands: Bands
    raters: tuple[Any, ...] = ()
    """Raters who disagree with the others more than chance explains (adjusted for the choice), the most extreme
    first.
    """
    largest: float = math.nan
    """The largest value possible with the raters' label frequencies, where the coefficient compares categories; nan
    elsewhere.
    """

    def to_dict(self) -> dict[str, Any]:
        reasons = [
            {"kind": r.kind, "text": r.text, "change": jsonable(r.change), "p": jsonable(r.p)} for r in self.reasons
        ]
        return {
            "sentence": self.sentence,
            "reasons": reasons,
            "raters": [jsonable(r) for r in self.raters],
            "largest": jsonable(self.largest),
            "bands": [jsonable(vars(b)) for b in self.bands],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each reason."""
        return {name: [getattr(r, name) for r in self.reasons] for name in ("kind", "text", "change", "p")}

    def plot(self) -> Any:
        """The figure, and what it would be without each reason, as an Altair chart."""
        rows = [replace(r.estimate, name=f"without: {r.kind}") for r in self.reasons if r.estimate is not None]
        found = EstimateTable((replace(self.estimate, name="as it is"), *rows), of="reason")
        return found.plot(axis=self.estimate.title)

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{escape(printable(r.text))}</li>" for r in self.reasons)
        return f"<p>{escape(printable(self.sentence))}</p><ul>{reasons}</ul>"

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"- {r.text}" for r in self.reasons)])


def p_value(p: float, draws: int = 0) -> str:
    """A p-value in a sentence; the smallest are only called small, and that of all random draws is a limit.

    >>> p_value(0.0005), p_value(1e-43), p_value(0.0005, 1999)
    ('p = 0.0005', 'p < 0.0001', 'p <= 0.0005')
    """
    return "p < 0.0001" if p < 0.0001 else p_shown(p, draws, 2)


Array = NDArray[Any]
SKEWED = 0.75
HARD_SHARE = 0.05
NO_CEILING = 0.95
"""A largest possible value from here on is not worth a sentence."""
NARROW = 0.1
"""If half the interval is wider than this, there are too few items."""
MOST_WORK = 50_000_000
PAIRS_TRIED = 10
NOTABLE = 0.02
ALPHA = 0.05
"""If no pair of labels is confused more than others, a pair is named in at most this share of tables."""
RATERS_ALPHA = 0.025
"""The same for raters. Their use of labels is also tested at this level, so that a report names one of several equal
raters in at most 5 % of tables."""
PICKED = "; optimistic, because the choice was made on these data"


@dataclass(frozen=True)
class _Case:
    """The data from which the reasons are computed."""

    ann: Annotations
    req: Request
    kernel: Kernel
    items: Items
    """Folded by rater if raters have names."""
    base: Estimate
    standing: Standing | None = None
    """Who disagrees with the others; None if raters are unnamed or the test would be slow."""

    @cached_property
    def most(self) -> float:
        """The largest value that is possible: an estimate itself, and never below what the interval still allows."""
        found = largest(self)
        return float(np.fmax(found, self.base.high)) if math.isfinite(found) else found

    def point(self, items: Items, kernel: Kernel | None = None, *, whole: bool = False) -> Estimate:
        """The coefficient on other items; with its interval if ``whole``."""
        req = self.req if whole else replace(self.req, spec=None)
        bag = items if req.coefficient.between_groups else items.merged()
        return estimate(req, bag.labelled().compressed(), kernel or self.kernel)


@asks()
def explain(ann: Source, coefficient: str = "krippendorff", **options: Unpack[OverItems]) -> Explanation:
    """Explain why a coefficient is high or low.

    The reasons examined are skewed labels, a rater who disagrees with the rest, two confused labels, a few hard items,
    many items with one label, and too few items. A rater or a pair of labels is named only if the difference is larger
    than selecting the worst of all would explain (p at most .025 for raters, .05 for labels): see ``standing_out`` and
    ``confused_labels``.

    >>> from raters.io.read import read
    >>> rows = [(f"i{i}", r, "no") for i in range(40) for r in "ab"] + [("x", "a", "yes"), ("x", "b", "no")]
    >>> why = explain(read(rows, scale="nominal"), interval="delta")
    >>> why.reasons[0].kind
    'skew'
    """
    ann = table(ann)
    req = request(coefficient, **options)
    kernel = kernel_of(req, ann)
    by_rater = ann.n_raters > 1 and comparable(ann)
    items = folded(req, ann, "rater" if by_rater else None)[None]
    base = whole(req, ann)
    case = _Case(ann, req, kernel, items, base)
    if by_rater and items.counts.nnz * len(items.groups) <= MOST_WORK:
        seed = req.spec.seed if req.spec is not None else 0
        case = replace(case, standing=standing_out(items, fixed(kernel, items.merged()), seed))
    found = [reason for look in LOOKS for reason in look(case)] if math.isfinite(base.value) else []
    found.sort(key=lambda r: -abs(r.change) if math.isfinite(r.change) else 1.0)
    named = case.standing.named(RATERS_ALPHA) if case.standing is not None else ()
    who = tuple(items.groups[g] for g in named)
    return Explanation(base, _sentence(case, found), tuple(found), bands(base), who, case.most)


def comparable(ann: Annotations) -> bool:
    """Whether raters can be distinguished at a bounded cost: their fold is small, or the test of each is."""
    narrow = ann.n_raters * len(ann.labels) <= WIDE
    return narrow or ann.used.n_annotations * ann.n_raters <= MOST_WORK


def _sentence(case: _Case, found: list[Reason]) -> str:
    e = case.base
    name = e.title
    if not math.isfinite(e.value):
        return f"{name} is undefined: {e.undefined or 'it cannot be computed'}."
    level = "high" if e.value >= 0.8 else "moderate" if e.value >= 0.667 else "low"
    if found and found[0].kind == "skew" and level != "high":
        return f"{name} is {level} ({shown(e.value, 2)}) although raters mostly agree: {found[0].text}"
    if found and math.isfinite(found[0].change):
        return f"{name} is {level} ({shown(e.value, 2)}). The main reason: {found[0].text}"
    return (
        f"{name} is {level} ({shown(e.value, 2)}); no single rater, pair of labels or small group of items stands out"
        " as the reason."
    )


def _skew(case: _Case) -> Iterator[Reason]:
    """Almost all labels are the same, so chance agreement is high, and a few disagreements weigh heavily."""
    items = case.items.merged()
    if not case.ann.scale.categories or items.moments is not None or len(items.labels) < 2:
        return
    share, top = _shares(items)
    if share[top] < SKEWED:
        return
    ac1, percent = (_plain(case, name) for name in ("gwet", "percent"))
    room = (
        ""
        if not case.most < NO_CEILING
        else f" The largest {case.base.title} possible with these raters' label frequencies is {shown(case.most, 2)}."
    )
    finding = (
        f"{share[top]:.0%} of the labels are {items.labels[top]!r}, so two raters agree by chance {_chance(share)} of"
        f" the time; they actually agree {percent.value:.0%} of the time"
    )
    text = (
        f"{finding}. AC1 expects only {ac1.expected:.0%} by chance, so it is {shown(ac1.value, 2)}{limits(ac1)}; that"
        f" does not mean that these raters agree better.{room}"
    )
    most = (
        "" if not case.most < NO_CEILING else f" With these label frequencies it cannot exceed {shown(case.most, 2)}."
    )
    short = (
        f"{share[top]:.0%} of the labels are {items.labels[top]!r}. Report {case.base.title}: AC1 is"
        f" {shown(ac1.value, 2)} only because it expects less agreement by chance.{most}"
    )
    yield Reason("skew", text, ac1.value - case.base.value, ac1, finding=finding, short=short)


def _shares(items: Items) -> tuple[Array, int]:
    """The share of each label, and which is the most frequent."""
    share = items.weight @ items.counts
    share = share / share.sum()
    return share, int(share.argmax())


def dominant(ann: Annotations) -> tuple[str, float] | None:
    """The label that nearly all labels are, and its share; None if there is none."""
    if not ann.scale.categories or len(ann.labels) < 2:
        return None
    items = folded(request("krippendorff", interval=None), ann, None)[None]
    if items.moments is not None or not len(items.weight):
        return None
    share, top = _shares(items)
    return (str(items.labels[top]), float(share[top])) if share[top] >= SKEWED else None


def _plain(case: _Case, name: str) -> Estimate:
    """An unweighted coefficient of the whole table: the same estimate as everywhere else."""
    spec = case.req.spec
    weights = "identity" if not case.ann.scale.equality and name == "gwet" else None
    how: Options = {"weights": weights, "interval": None}
    if spec is not None:
        how |= {"interval": spec.method, "level": spec.level, "resamples": spec.resamples, "seed": spec.seed}
    return whole(request(name, **how), case.ann)


def _chance(share: Array) -> str:
    return f"{float((share**2).sum()):.0%}"


def limits(e: Estimate, note: str = "") -> str:
    return f" ({e.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)}{note})" if math.isfinite(e.low) else ""


def largest(case: _Case) -> float:
    """The largest nominal coefficient that the raters' margins allow: each pair agrees on the smaller share of a label.

    Cohen (1960), for two raters; here the mean over pairs, each on the items that both labelled and weighted by their
    number. Margins of raters who use labels alike differ by chance, too: what the labels on which a pair differs would
    show if either were equally likely to give either (McNemar) is subtracted.
    """
    items = case.items
    if (
        len(items.groups) < 2
        or len(items.groups) > 200
        or not case.base.expected < 1
        or case.base.parts != "agreement"
        or not case.base.unweighted
    ):
        return math.nan
    seen, by_chance, shared = margins_apart(items)
    if not shared:
        return math.nan
    return (1 - max(seen - by_chance, 0.0) - case.base.expected) / (1 - case.base.expected)


def margins_apart(items: Items) -> tuple[float, float, float]:
    """How far the margins of a pair of raters lie apart on their items, how far they would by chance (half the sum of
    absolute differences, the mean over pairs), and how many items pairs share.
    """
    has, w = items.per_group.astype(bool).astype(float).tocsr(), sparse.diags_array(items.weight)
    a, b = np.triu_indices(len(items.groups), 1)
    shared = float((has.T @ w @ has).toarray()[a, b].sum())
    given = (items.counts / max(items.counts.max(), 1)).tocsc()
    seen = by_chance = 0.0
    for k in np.unique(items.counts.indices % items.width):
        x = given[:, k :: items.width]
        here = (x.T @ w @ has).toarray()
        seen += float(np.abs(here - here.T)[a, b].sum()) / 2
        by_chance += float(_by_flips((here + here.T - 2 * (x.T @ w @ x).toarray())[a, b]).sum()) / 2
    return seen / max(shared, 1.0), by_chance / max(shared, 1.0), shared


def _by_flips(n: Array) -> Array:
    """The mean distance from 0 after n steps of one, each up or down at random.

    >>> _by_flips(np.array([0.0, 1.0, 2.0, 3.0])).round(12).tolist()
    [0.0, 1.0, 1.0, 1.5]
    """
    m = np.ceil(np.asarray(n) / 2)
    log = special.gammaln(2 * m + 1) - 2 * special.gammaln(m + 1) - 2 * m * np.log(2)
    return np.asarray(2 * m * np.exp(log))


def _rater(case: _Case) -> Iterator[Reason]:
    """Raters who disagree with the rest: the figure without the rater whose removal raises it most."""
    standing, items = case.standing, case.items
    named = standing.named(RATERS_ALPHA) if standing is not None else ()
    if standing is None or not named:
        return
    values = np.array([case.point(without_raters(items, [g])).value for g in named])
    if not np.isfinite(values).any():
        return
    best = int(np.nanargmax(values))
    worst, change = named[best], values[best] - case.base.value
    if change < NOTABLE:
        return
    without = case.point(without_raters(items, [worst]), whole=True)
    some = 1 < len(named) < len(items.groups) - 1
    together = case.point(without_raters(items, named), whole=True) if some else None
    name = str(items.groups[worst])
    text = (
        f"rater {name!r} disagrees with the others more than chance explains ({p_value(float(standing.p[worst]), standing.draws)},"
        f" adjusted for the choice among {len(items.groups):,} raters); without this rater, {case.base.title} would be"
        f" {shown(without.value, 2)}{limits(without, PICKED)}."
    )
    if together is not None:
        text += (
            f" {len(named):,} raters stand out in this way; without all of them, it would be"
            f" {shown(together.value, 2)}{limits(together, PICKED)}."
        )
    short = (
        f"Rater {name!r} disagrees with the others more than chance explains; without this rater"
        f" {case.base.title} would be {shown(without.value, 2)}"
        + (f", without all {len(named):,} who stand out {shown(together.value, 2)}." if together is not None else ".")
    )
    estimate = replace(without, name=name)
    yield Reason("rater", text, change, estimate, float(standing.p[worst]), together, short=short)


def without_raters(items: Items, some: Sequence[int]) -> Items:
    group_of = np.arange(len(items.groups))
    group_of[list(some)] = -1
    return replace(items.regrouped(group_of, items.groups), n_raters=len(items.groups) - len(some))


def _labels(case: _Case) -> Iterator[Reason]:
    """Two labels are confused: the figure with the two merged."""
    items = case.items
    k = len(items.labels)
    if not case.ann.scale.equality or not case.base.unweighted or not 3 <= k <= 500:
        return
    pairs = confused_labels(items.merged())
    plain_kernel = Kernel("identity", 1.0, total=float(k - 1))
    best: tuple[float, int] | None = None
    for i in np.flatnonzero(pairs.p <= ALPHA)[:PAIRS_TRIED]:
        value = case.point(_merged(items, int(pairs.a[i]), int(pairs.b[i])), plain_kernel).value
        if best is None or value > best[0]:
            best = value, int(i)
    if best is None or not best[0] - case.base.value >= NOTABLE:
        return
    a, b, p = int(pairs.a[best[1]]), int(pairs.b[best[1]]), float(pairs.p[best[1]])
    whole = case.point(_merged(items, a, b), plain_kernel, whole=True)
    one, two = items.labels[a], items.labels[b]
    text = (
        f"raters confuse {one!r} and {two!r} most ({p_value(p)}, adjusted for the choice among all pairs of labels):"
        f" with the two merged, {case.base.title} would be {shown(whole.value, 2)}{limits(whole, PICKED)}."
    )
    yield Reason(
        "labels",
        text,
        best[0] - case.base.value,
        replace(whole, name=f"{one} = {two}", details={"merged": (str(one), str(two))}),
        p,
        short=f"{one!r} and {two!r} are confused most; with the two merged it would be {shown(whole.value, 2)}.",
    )


def _merged(items: Items, a: int, b: int) -> Items:
    """The items with label b replaced by label a."""
    new = np.arange(items.width)
    new[b] = a
    new = np.where(new > b, new - 1, new)
    return items.relabelled(new, [label for i, label in enumerate(items.labels) if i != b])


def _items(case: _Case) -> Iterator[Reason]:
    """A few items account for much of the disagreement: the figure without them."""
    bag = case.items.merged()
    kernel = fixed(case.kernel, bag)
    x = lift(bag, kernel)
    r = np.maximum(x.r, 2)
    each = x.pair / (r - 1)
    worse = np.where(x.r >= 2, r - each if kernel.perfect else each, 0.0)
    total = float(x.items.weight @ worse)
    n = float(x.items.weight[x.r >= 2].sum())
    few = math.floor(HARD_SHARE * n)
    least = float(worse[worse > 0].min(initial=math.inf))
    # if all items that differ differ as much, as with two raters, none is harder than another
    if few < 1 or total <= 0 or math.isclose(least, float(worse.max()), rel_tol=1e-9):
        return
    order = np.argsort(-worse, kind="stable")
    before = np.concatenate([[0], np.cumsum(x.items.weight[order])[:-1]])
    dropped = np.zeros(len(worse))
    dropped[order] = np.clip(few - before, 0, x.items.weight[order])
    held = float(dropped @ worse) / total
    kept = replace(case.items, weight=case.items.weight - dropped)
    without = case.point(kept.where(np.flatnonzero(kept.weight > 0)))
    change = without.value - case.base.value
    if held < 3 * HARD_SHARE or not change >= NOTABLE:
        return
    text = (
        f"the {few:,} hardest items ({HARD_SHARE:.0%}) account for {held:.0%} of all disagreement; without them,"
        f" {case.base.title} would be {shown(without.value, 2)} (optimistic: the items were selected for disagreement)."
    )
    short = f"The {few:,} hardest items ({HARD_SHARE:.0%}) hold {held:.0%} of all disagreement."
    yield Reason("items", text, change, without, short=short)


def _few(case: _Case) -> Iterator[Reason]:
    """Too few items for a precise figure: how many would suffice."""
    e = case.base
    half = (e.high - e.low) / 2
    paired = float(case.items.weight[case.items.per_item >= 2].sum())
    if math.isfinite(half) and round(half, 2) > NARROW:  # not "from ±0.10 to ±0.1"
        needed = math.ceil(paired * (half / NARROW) ** 2)
        text = (
            f"{paired:,.0f} items with two or more labels leave an uncertainty of ±{half:.2f}; about {needed:,} items"
            f" would reduce it to ±{NARROW:g}."
        )
        yield Reason("few", text, math.nan)


def _single(case: _Case) -> Iterator[Reason]:
    """Many items have a single label, which says nothing about agreement."""
    one = float(case.items.weight[case.items.per_item == 1].sum())
    if one > 0.2 * case.items.n_items:
        text = f"{one:,.0f} of {case.items.n_items:,} items have a single label, which says nothing about agreement."
        yield Reason("single", text, math.nan)


LOOKS = (_skew, _rater, _labels, _items, _few, _single)
