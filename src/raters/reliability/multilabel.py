"""Multi-label agreement: annotations are sets of labels, and chance is what these coders would reach by drawing sets.

Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree import each_label
from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.family import Among, Derived, Family, together
from raters.inference.intervals import How, Interval
from raters.inference.statistic import Statistic
from raters.items import Items, items_by_name
from raters.measure import Request, estimate, folded, kernel_of, request
from raters.reliability.chance import MEASURES, MOST_STEPS
from raters.reliability.coders import BASELINE, KAPPAS, Boot, Options, Sets, codes, crowd, statistics, two_coders
from raters.reliability.settable import Coder, Final, Multilabel
from raters.scales import Kernel
from raters.sets import MASI, SIMILARITIES

Array = NDArray[Any]
FEW_CODERS = 8
"""Up to this many coders every pair is compared; more are taken as a crowd."""
MANY_LABELS = 60
"""With more labels than this, each label has its value without an interval."""
MOST_LABELS = 3000
ROWS = ("soft_match", "augmented", *MEASURES)
ALPHAS = ("alpha_masi", "alpha_jaccard")
TITLES = {
    "soft_match": "Soft-match kappa", "augmented": "Augmented kappa", "boot_match": "Boot-match",
    "boot_precision": "Boot-precision", "boot_recall": "Boot-recall", "boot_f1": "Boot-F1",
    BASELINE: "Kappa with each set as one label",
    "alpha_masi": "Krippendorff's alpha (MASI)", "alpha_jaccard": "Krippendorff's alpha (Jaccard)",
}  # fmt: skip
NO_ROOM = "chance alone gives full agreement, so nothing is left to measure and {} is undefined"


@dataclass(frozen=True)
class Asked:
    """The options, settled."""

    options: Options
    how: How | None
    level: float
    pooled: bool | None
    alphas: Mapping[str, tuple[Request, Kernel | UsageError]]


def multilabel(
    ann: Annotations,
    *,
    coders: Sequence[Any] | None = None,
    chance: str = "exact",
    simulations: int = 1000,
    pooled: bool | None = None,
    by: str | None = None,
    masi: str = "masi",
    weights: Sequence[float] | None = None,
    empty: str = "agree",
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Multilabel:
    """Agreement on sets of labels: ``soft_match augmented boot_match boot_precision boot_recall boot_f1`` and two alphas.

    ``coders``: which raters, and in which order: precision and recall are of the first against the second. With more
    than two, values are means over pairs; with ``pooled=True``, or more than 8, coders are interchangeable and share
    one distribution. ``chance``: ``exact`` (by enumeration, simulated where that would take long) or ``simulated``
    (``simulations`` datasets of this size), with its Monte Carlo error in ``details["chance_se"]``. ``masi``: ``masi``
    (exact thirds, the default), ``masi_rounded`` (.67 and .33, as in NLTK) or ``masi_2004`` (without Jaccard's factor).
    ``weights``: for augmented kappa, the weights of primary, secondary, ... labels (of a table read with
    ``ordered=True``). ``empty``: two empty sets ``agree`` (1) or share ``nothing`` (0). The rest as everywhere.

    >>> from raters.io import read
    >>> table = [("1", "A", "A;B"), ("2", "A;B", "B;C"), ("3", "A;B", "A;B")]
    >>> rows = [(i, who, s) for i, x, y in table for who, s in (("c1", x), ("c2", y))]
    >>> t = multilabel(read(rows, scale="sets", sep=";"), interval=None)
    >>> [round(x, 2) for x in (t["augmented"].observed, t["augmented"].expected, t["boot_match"].observed)]
    [0.42, 0.39, 1.0]
    """
    asked = _ask(ann, chance, simulations, pooled, masi, weights, empty, interval, level, resamples, seed)
    bags = folded(request("cohen"), ann, "rater", by)
    if by is None:
        return _one(asked, ann, _chosen(bags[None], coders, ann), details=True)
    rows = []
    for value, items in bags.items():
        slice_ = "(missing)" if value is None else str(value)
        found = _one(asked, ann, _chosen(items, coders, ann, slice_), details=False)
        rows += [replace(e, name=slice_, by=by, details={**e.details, "measure": e.name}) for e in found]
    return Multilabel(tuple(rows), form="slices", chance=chance)


def _ask(
    ann: Annotations, chance: str, simulations: int, pooled: bool | None, masi: str, weights: Sequence[float] | None,
    empty: str, interval: str | None, level: float, resamples: int, seed: int,
) -> Asked:  # fmt: skip
    if ann.scale != "sets":
        raise UsageError(f"multilabel needs sets of labels, and {ann.source} has single ones; read with scale='sets'.")
    for name, value, choices in (("chance", chance, ("exact", "simulated")), ("empty", empty, ("agree", "nothing")),
                                 ("masi", masi, MASI)):  # fmt: skip
        if value not in choices:
            raise UsageError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")
    if simulations < 1:
        raise UsageError(f"simulations={simulations} is too few; 1000 is usual.")
    if weights is not None and (not len(weights) or min(weights) < 0 or weights[0] <= 0):
        raise UsageError(
            f"weights={list(weights)!r}: give positive numbers for primary, secondary, ... labels: [2, 1]."
        )
    how = None if interval is None else How(interval, level, resamples, seed)
    given = {"interval": interval, "level": level, "resamples": resamples, "seed": seed}
    alphas: dict[str, tuple[Request, Kernel | UsageError]] = {}
    for name, distance in zip(ALPHAS, (masi, "jaccard"), strict=True):
        req = request("krippendorff", distance=distance, **given)  # type: ignore[arg-type]
        try:
            alphas[name] = req, kernel_of(req, ann)
        except UsageError as error:
            alphas[name] = req, error
    replicates = 1 if how is None else 2 * len(ann.members) if how.method == "delta" else how.resamples
    own = None if weights is None else tuple(map(float, weights))
    options = Options(chance, simulations, float(empty == "agree"), own, replicates, seed)
    return Asked(options, how, level, pooled, alphas)


def _chosen(items: Items, coders: Sequence[Any] | None, ann: Annotations, where: str | None = None) -> Items:
    """The items of these coders, in their order, with two or more of them somewhere."""
    place = f"{ann.source}{f', {where}' if where else ''}"
    names = list(items.groups)
    if coders is not None:
        wanted = [n for c in coders for n in names if n == c or str(n) == str(c)]
        unknown = [c for c in coders if str(c) not in map(str, names)]
        if unknown or len(set(map(str, coders))) < len(coders) or isinstance(coders, str):
            raise UsageError(f"coders={coders!r}: name different raters of {place}; there are {listed(names)}.")
        group_of = np.full(len(names), -1)
        for new, name in enumerate(wanted):
            group_of[names.index(name)] = new
        items = replace(items.regrouped(group_of, wanted), n_raters=len(wanted))
        names = wanted
    here = np.asarray(items.per_group.sum(0)).ravel() > 0
    if coders is None and not here.all():  # raters of other slices
        group_of = np.where(here, np.cumsum(here) - 1, -1)
        items = items.regrouped(group_of, [n for n, h in zip(names, here, strict=True) if h])
    if len(items.groups) < 2 and where is None:
        raise DataError(f"{place}: one coder only ({listed(items.groups)}); agreement needs two.")
    return items


def _one(asked: Asked, ann: Annotations, items: Items, details: bool) -> Multilabel:
    """All measures of one slice; ``details``: with all that stands beside them."""
    sets = Sets(ann.labels, ann.members, asked.options.weights)
    which = codes(items)
    coders = _coders(items, sets, which)
    n = len(items.groups)
    as_crowd = asked.pooled if asked.pooled is not None else n > FEW_CODERS
    pooled = _pooled(asked, items, sets) if as_crowd or details else []
    pairs: list[Estimate] = []
    if as_crowd or n < 2:
        rows, form = pooled or _pooled(asked, items, sets), "pooled"
        if asked.pooled is None and n > FEW_CODERS:
            said = f"{n} coders are taken as interchangeable (pooled); name up to {FEW_CODERS} with coders= for pairs"
            rows = [replace(e, warnings=(*e.warnings, said)) for e in rows]
    else:
        rows, pairs = _named(asked, items, sets, which)
        form = "two" if n == 2 else "pairs"
    rows = [_said(e, rows, coders, ann, form) for e in rows]
    table = {e.name: e for e in rows}
    table |= {name: _alpha(asked, name, items) for name in ALPHAS}
    chosen = tuple(table[name] for name in (*ROWS, *ALPHAS))
    found = Multilabel(chosen, form=form, baseline=table[BASELINE], coders=coders, chance=chosen[2].details["chance"])
    if not details:
        return found
    return replace(
        found,
        pairs=EstimateTable(tuple(pairs)),
        pooled=EstimateTable(tuple(e for e in pooled if e.name != BASELINE)),
        per_label=per_label(ann, items, asked.alphas["alpha_masi"][0]),
        final=_final(sets, which, items.weight),
    )


def _named(asked: Asked, items: Items, sets: Sets, which: Array) -> tuple[list[Estimate], list[Estimate]]:
    """Two coders, or the means over pairs and the pairs themselves, all from the same replicates."""
    n, weight = len(items.groups), items.weight
    stats: list[Statistic] = []
    made: list[tuple[tuple[int, int], str, Statistic, Boot, int]] = []
    for a, b in combinations(range(n), 2):
        # of more than two coders, a pair is compared on what both labelled, as with Light's kappa
        at = np.flatnonzero((which[:, a] >= 0) & (which[:, b] >= 0)) if n > 2 else np.arange(len(weight))
        shared = int(weight[(which[:, a] >= 0) & (which[:, b] >= 0)].sum())
        if not shared:
            continue
        terms = two_coders(weight[at], which[at, a], which[at, b], sets, asked.options)
        found, boot = statistics(terms, asked.options)
        for name, stat in found.items():
            whole = stat if len(at) == len(weight) else Among(weight, stat, at)
            made.append(((a, b), name, whole, boot, shared))
            stats.append(whole)
    if not made:
        return [_nothing(asked, name, items) for name in (*ROWS, BASELINE)], []
    means = (
        {}
        if n == 2
        else {name: Derived(tuple(s for _, k, s, _, _ in made if k == name), _mean) for name in (*ROWS, BASELINE)}
    )
    stats += means.values()
    parts = [s.parts(weight[None, :]) for s in stats]
    points = np.array([float(p.value[0]) for p in parts])
    ends = _intervals(asked, stats, points)
    pairs = []
    for ((a, b), name, _, boot, shared), p, end in zip(made, parts, ends, strict=False):
        who = items.groups[a], items.groups[b]
        pairs.append(
            _row(asked, name, p.value[0], p.observed[0], p.expected[0], end, [boot], (shared, 2, 2 * shared), who)
        )
    if n == 2:
        return pairs, [e for e in pairs if e.name != BASELINE]
    rows = []
    for (name, _), point, end in zip(means.items(), points[len(made) :], ends[len(made) :], strict=True):
        own = [e for e in pairs if e.name == name]
        observed, expected = (float(np.mean([getattr(e, x) for e in own])) for x in ("observed", "expected"))
        size = items.n_items, n, items.n_annotations
        row = _row(asked, name, point, observed, expected, end, [m[3] for m in made if m[1] == name], size, None)
        left = sum(not np.isfinite(e.value) for e in own)
        said = [f"{left} of {len(own)} pairs are undefined and left out of the mean"] if left else []
        rows.append(replace(row, warnings=(*row.warnings, *said)))
    return rows, [
        replace(e, name=f"{e.details['rater_a']} v. {e.details['rater_b']}: {e.coefficient}")
        for e in pairs
        if e.name != BASELINE
    ]


def _mean(*values: Array) -> Array:
    """The mean of those that are defined."""
    v = np.stack([np.asarray(x) for x in values])
    here = np.isfinite(v.real)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(here, v, 0).sum(0) / here.sum(0))


def _pooled(asked: Asked, items: Items, sets: Sets) -> list[Estimate]:
    """Interchangeable coders: every two of an item, and one distribution for all."""
    at = np.flatnonzero(items.per_item >= 2)
    if not len(at):
        return [_nothing(asked, name, items) for name in (*ROWS, BASELINE)]
    used = items.where(at)
    found, boot = statistics(crowd(used, sets, asked.options), asked.options)
    stats: list[Statistic] = [Among(items.weight, s, at) for s in found.values()]
    parts = [s.parts(items.weight[None, :]) for s in stats]
    ends = _intervals(asked, stats, np.array([float(p.value[0]) for p in parts]))
    size = used.n_items, len(items.groups), used.n_annotations
    return [
        _row(asked, name, p.value[0], p.observed[0], p.expected[0], end, [boot], size, None, pooled=True)
        for name, p, end in zip(found, parts, ends, strict=True)
    ]


def _intervals(asked: Asked, stats: Sequence[Statistic], points: Array) -> list[Interval]:
    if asked.how is None:
        return [Interval(np.nan, np.nan, np.nan, "")] * len(stats)
    return together(Family(stats), points, asked.how, [(-np.inf, 1.0)] * len(stats))


def _row(
    asked: Asked, name: str, value: Any, observed: Any, expected: Any, end: Interval, boots: Sequence[Boot],
    size: tuple[int, int, int], who: tuple[Any, Any] | None, pooled: bool = False,
) -> Estimate:  # fmt: skip
    """One measure as an estimate, with how its chance was found and of whom it is."""
    details: dict[str, Any] = {"chance": "margins", "chance_se": 0.0}
    warnings = [*end.warnings]
    if name in MEASURES:
        drawn = [b for b in boots if not b.exact]
        se = float(np.sqrt(sum(b.se[name] ** 2 for b in boots))) / len(boots)
        details |= {"chance": "simulated" if drawn else "exact", "chance_se": se}
        if drawn:
            n = sum(b.n_drawn for b in drawn)
            details["simulated_pairs"] = n
            why = f" (exact chance would take {drawn[0].cost:.2g} steps; the limit is {MOST_STEPS:,})"
            because = why if asked.options.chance == "exact" else ""
            warnings.append(
                f"chance was simulated on {n:,} pairs of sets; the standard error of expected is {se:.1g}{because}"
            )
    if who is not None:
        details |= {"rater_a": str(who[0]), "rater_b": str(who[1])}
    title = TITLES[name] + (" (pooled)" if pooled else "" if who is not None else " (mean over pairs)")
    if name in ("boot_precision", "boot_recall"):
        of, against = (
            map(str, who)
            if who is not None
            else ("each", "every other")
            if pooled
            else ("the first of each pair", "the second")
        )
        details |= {"of": of, "against": against}
        title = f"{title} of {of} against {against}"
    if not np.isfinite(value):
        warnings.append(NO_ROOM.format(name))
    return Estimate(
        name=name, coefficient=name, title=title, value=float(np.real(value)), low=end.low, high=end.high, se=end.se,
        level=asked.level, interval=end.method or None, observed=float(observed), expected=float(expected),
        n_items=size[0], n_raters=size[1], n_annotations=size[2], warnings=tuple(warnings), details=details,
    )  # fmt: skip


def _nothing(asked: Asked, name: str, items: Items) -> Estimate:
    why = "no item has sets of two coders, so nothing can be compared"
    method = None if asked.how is None else "bootstrap" if asked.how.method == "auto" else asked.how.method
    return Estimate(
        name=name, coefficient=name, title=TITLES[name], value=np.nan, level=asked.level, interval=method,
        n_items=items.n_items, n_raters=len(items.groups), n_annotations=items.n_annotations, warnings=(why,),
        details={"chance": "none", "chance_se": 0.0},
    )  # fmt: skip


def _alpha(asked: Asked, name: str, items: Items) -> Estimate:
    """Krippendorff's alpha with a set distance, by the road of every coefficient."""
    req, kernel = asked.alphas[name]
    if isinstance(kernel, UsageError):
        return replace(_nothing(asked, name, items), warnings=(str(kernel),))
    found = estimate(req, items.merged(), kernel, name)
    return replace(found, title=TITLES[name], coefficient=name, details={"chance": "margins", "chance_se": 0.0})


def _said(e: Estimate, rows: Sequence[Estimate], coders: Sequence[Coder], ann: Annotations, form: str) -> Estimate:
    """The warning where many labels make a match easy."""
    if e.name not in ("soft_match", "boot_match"):
        return e
    chance = {r.name: r.expected for r in rows}
    said = []
    few, many = min(coders, key=lambda c: c.mean_size), max(coders, key=lambda c: c.mean_size)
    if e.name == "soft_match" and chance["boot_match"] - chance["soft_match"] > 0.05:
        said.append(
            f"several labels make a match easier than soft_match allows for: by chance {chance['boot_match']:.2f} of items "
            f"would match, not {chance['soft_match']:.2f}; report boot_match"
        )
    if form != "pooled" and few.mean_size > 0 and many.mean_size >= 1.5 * few.mean_size:
        said.append(
            f"{many.name} gives {many.mean_size:.2f} labels per annotation, {few.name} {few.mean_size:.2f}: this inflates the "
            "observed match; look at boot_precision and boot_recall"
        )
    elif len(ann.members) > 2 and many.mean_size > len(ann.members) / 2:
        said.append(
            f"{many.name} gives more than half of all labels on average, so that nearly anything matches; see boot_f1"
        )
    return replace(e, warnings=(*e.warnings, *said))


def _coders(items: Items, sets: Sets, which: Array) -> tuple[Coder, ...]:
    found = []
    for g, name in enumerate(items.groups):
        at = which[:, g] >= 0
        n = np.bincount(which[at, g], items.weight[at], len(sets.size))
        labels = np.asarray(n @ sets.has)
        sizes = np.bincount(sets.size, n)
        total = max(labels.sum(), 1)
        shares = {label: float(x / total) for label, x in zip(sets.members, labels, strict=True)}
        found.append(
            Coder(str(name), int(n.sum()), {m: float(x / max(n.sum(), 1)) for m, x in enumerate(sizes)}, shares)
        )
    return tuple(found)


def per_label(ann: Annotations, items: Items, req: Request) -> EstimateTable:
    """Each label against the rest: whether coders agree on when to give it (Krippendorff's alpha)."""
    if len(ann.members) > MOST_LABELS:
        return EstimateTable(())
    two = replace(req, distance=None, weights=None, coefficient=replace(req.coefficient, by_scale=False))
    if len(ann.members) > MANY_LABELS:
        two = replace(two, how=None)
    kernel = Kernel("identity", 1.0, total=2.0)
    rows = (estimate(two, one, kernel, str(label)) for label, one in each_label(ann, items.merged()))
    return EstimateTable(tuple(rows))


def _final(sets: Sets, which: Array, weight: Array) -> Final:
    """What all coders of an item share, over the items that two or more labelled."""
    several = (which >= 0).sum(1) >= 2
    common = _common(sets, which[several])
    n, w = np.asarray(common.sum(1)).ravel(), weight[several]
    share = (w / np.maximum(n, 1)) @ common
    total = max(float(share.sum()), 1e-300)
    labels = {label: float(x / total) for label, x in zip(sets.members, share, strict=True) if x > 0}
    one, more, none = (int(w[at].sum()) for at in (n == 1, n > 1, n == 0))
    return Final(one, more, none, labels)


def _common(sets: Sets, which: Array) -> Any:
    """(item, label): 1 where all coders of the item gave the label."""
    counts: Any = 0
    for g in range(which.shape[1]):
        rows = sets.has[np.maximum(which[:, g], 0)].multiply((which[:, g] >= 0)[:, None]).tocsr()
        counts = rows if g == 0 else counts + rows
    out = counts.tocoo()
    full = out.data == (which >= 0).sum(1)[out.row]
    return type(out)((np.ones(int(full.sum())), (out.row[full], out.col[full])), out.shape).tocsr()


def final_labels(ann: Annotations, coders: Sequence[Any] | None = None) -> dict[Any, tuple[Any, ...]]:
    """The labels that all coders of an item share, for every item that two or more labelled; () where there is none.

    The distribution of these labels is not the true one: frequent labels are shared more often, and the coder who gives
    fewer labels decides more. Where one label is needed and there are several, choose by the aim, not by the order.

    >>> from raters.io import read
    >>> final_labels(read([("1", "c1", ["A", "B"]), ("1", "c2", ["B", "C"]), ("2", "c1", ["A"]), ("2", "c2", [])], scale="sets"))
    {'1': ('B',), '2': ()}
    """
    if ann.scale != "sets":
        raise UsageError(f"final_labels needs sets of labels; read {ann.source} with scale='sets'.")
    names, items = items_by_name(ann, "rater")
    at = range(len(items.groups)) if coders is None else [list(map(str, items.groups)).index(str(c)) for c in coders]
    sets, which = Sets(ann.labels, ann.members), codes(items)[:, list(at)]
    several = np.flatnonzero((which >= 0).sum(1) >= 2)
    common = _common(sets, which[several])
    common.sort_indices()
    rows = np.split(common.indices, common.indptr[1:-1])
    return {names[i]: tuple(sets.members[k] for k in row) for i, row in zip(several, rows, strict=True)}


__all__ = ["ALPHAS", "KAPPAS", "ROWS", "SIMILARITIES", "final_labels", "multilabel", "per_label"]
