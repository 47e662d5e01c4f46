"""Multi-label agreement: annotations are sets of labels, and chance is the agreement that these raters would reach by drawing sets at random.

Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement import each_label
from raters.agree.agreement_spec import Request, request
from raters.agree.estimating import estimate, folded, kernel_of
from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable, name_of
from raters.inference.limits import IntervalSpec, refuse_many
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items import Items, items_by_name
from raters.reliability.sets.notes import final_of, in_all, profiles_of, said_of
from raters.reliability.sets.result import Multilabel
from raters.reliability.sets.rows import ALPHAS, ROWS, MeasureRequest, alpha, named, pooled_rows
from raters.reliability.sets.terms import BASELINE, Options, Sets, codes
from raters.scales import Kernel
from raters.scales.sets import MASI

Array = NDArray[Any]
FEW_RATERS = 8
"""Up to this many raters, every pair is compared; more raters are pooled."""
MANY_LABELS = 60
"""With more labels than this, each label has its value without an interval."""
MOST_LABELS = 3000


@takes_tables(renamed={"coders": "who", "weights": "order_weights"}, fixed={"scale": "sets"})
def multilabel(
    ann: Source,
    *,
    who: Sequence[Any] | None = None,
    chance: str = "exact",
    simulations: int = 1000,
    pooled: bool | None = None,
    by: str | None = None,
    cluster: str | None = None,
    masi: str = "masi",
    order_weights: Sequence[float] | None = None,
    empty: str = "agree",
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Multilabel:
    """Estimate agreement on sets of labels: ``soft_match augmented boot_match boot_precision boot_recall boot_f1`` and two
    alphas.

    ``who``: the raters to compare, in order: precision and recall are those of the first against the second. With more than two
    raters, values are means over pairs; with ``pooled=True``, or more than 8 raters, they are pooled and share one distribution.
    ``chance``: ``exact`` (by enumeration, or by simulation if that is slow) or ``simulated``
    (``simulations`` datasets of this size), with its Monte Carlo error in ``details["chance_se"]``. ``masi``: ``masi``
    (exact thirds, the default), ``masi_rounded`` (.67 and .33, as in older versions of NLTK) or ``masi_2004`` (without Jaccard's factor).
    ``order_weights``: for augmented kappa, the weights of primary, secondary, ... labels (of a table read with
    ``ordered=True``). ``cluster``: a column, such as the document of an item, whose values are drawn whole for the
    intervals. ``empty``: whether two empty sets ``agree`` (1) or share ``nothing`` (0).

    >>> from raters.io import read
    >>> table = [("1", "A", "A;B"), ("2", "A;B", "B;C"), ("3", "A;B", "A;B")]
    >>> rows = [(i, who, s) for i, x, y in table for who, s in (("c1", x), ("c2", y))]
    >>> t = multilabel(read(rows, scale="sets", sep=";"), interval=None)
    >>> [round(x, 2) for x in (t["augmented"].observed, t["augmented"].expected, t["boot_match"].observed)]
    [0.42, 0.39, 1.0]
    """
    ann = table(ann)
    asked = _ask(
        ann, chance, simulations, pooled, masi, order_weights, empty, interval, level, resamples, seed, cluster
    )
    bags = folded(request("cohen", cluster=cluster), ann, "rater", by)
    # alpha knows no raters: the fold that agreement uses, so that the same seed gives the same limits there and here
    plain = folded(asked.alphas["alpha_masi"][0], ann, None, by) if who is None else {}
    if by is None:
        return _one(asked, ann, _chosen(bags[None], who, ann), plain.get(None), details=True)
    rows = []
    for value, items in bags.items():
        slice_ = name_of(value)
        found = _one(asked, ann, _chosen(items, who, ann, slice_), plain.get(value), details=False)
        rows += [replace(e, name=slice_, by=by, details={**e.details, "measure": e.name}) for e in found]
    return Multilabel(tuple(rows), form="slices", chance=chance, of=by)


def _ask(
    ann: Annotations, chance: str, simulations: int, pooled: bool | None, masi: str, weights: Sequence[float] | None,
    empty: str, interval: str | None, level: float, resamples: int, seed: int, cluster: str | None = None,
) -> MeasureRequest:  # fmt: skip
    if ann.scale != "sets":
        raise UsageError(
            f"multilabel needs sets of labels, but {ann.source} has single labels; read it with scale='sets'."
        )
    for name, value, choices in (("chance", chance, ("exact", "simulated")), ("empty", empty, ("agree", "nothing")),
                                 ("masi", masi, MASI)):  # fmt: skip
        if value not in choices:
            raise UsageError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")
    if simulations < 1:
        raise UsageError(f"simulations={simulations} is too few; 1000 is usual.")
    refuse_many("simulations", simulations)
    if weights is not None and (not len(weights) or min(weights) < 0 or weights[0] <= 0):
        raise UsageError(
            f"order_weights={list(weights)!r}: pass positive numbers for primary, secondary, ... labels, such as [2, 1]."
        )
    spec = None if interval is None else IntervalSpec(interval, level, resamples, seed)
    given = {"interval": interval, "level": level, "resamples": resamples, "seed": seed, "cluster": cluster}
    alphas: dict[str, tuple[Request, Kernel | UsageError]] = {}
    for name, distance in zip(ALPHAS, (masi, "jaccard"), strict=True):
        req = request("krippendorff", distance=distance, **given)  # type: ignore[arg-type]
        try:
            alphas[name] = req, kernel_of(req, ann)
        except UsageError as error:
            alphas[name] = req, error
    replicates = 1 if spec is None else 2 * len(ann.members) if spec.method == "delta" else spec.resamples
    own = None if weights is None else tuple(map(float, weights))
    options = Options(chance, simulations, float(empty == "agree"), own, replicates, seed)
    return MeasureRequest(options, spec, level, pooled, alphas)


def _chosen(items: Items, who: Sequence[Any] | None, ann: Annotations, where: str | None = None) -> Items:
    """The items of these raters, in the given order; at least two raters are needed."""
    place = f"{ann.source}{f', {where}' if where else ''}"
    names = list(items.groups)
    if who is not None:
        wanted = [n for c in who for n in names if n == c or str(n) == str(c)]
        unknown = [c for c in who if str(c) not in map(str, names)]
        if unknown or len(set(map(str, who))) < len(who) or isinstance(who, str):
            raise UsageError(f"who={who!r}: name different raters of {place}; there are {listed(names)}.")
        group_of = np.full(len(names), -1)
        for new, name in enumerate(wanted):
            group_of[names.index(name)] = new
        items = replace(items.regrouped(group_of, wanted), n_raters=len(wanted))
        names = wanted
    here = np.asarray(items.per_group.sum(0)).ravel() > 0
    if who is None and not here.all():  # raters of other slices
        group_of = np.where(here, np.cumsum(here) - 1, -1)
        items = items.regrouped(group_of, [n for n, h in zip(names, here, strict=True) if h])
    if len(items.groups) < 2 and where is None:
        raise DataError(f"{place}: only one rater ({listed(items.groups)}); agreement needs two.")
    return items


def _one(asked: MeasureRequest, ann: Annotations, items: Items, plain: Items | None, details: bool) -> Multilabel:
    """All measures of one slice; ``plain``: the items without raters; ``details``: whether to include pairs, profiles and notes."""
    bag = items.merged() if plain is None else plain
    sets = Sets(ann.labels, ann.members, asked.options.weights)
    which = codes(items)
    profiles = profiles_of(items, sets, which)
    n = len(items.groups)
    as_crowd = asked.pooled if asked.pooled is not None else n > FEW_RATERS
    pooled = pooled_rows(asked, items, sets) if as_crowd or details else []
    pairs: list[Estimate] = []
    if as_crowd or n < 2:
        rows, form = pooled or pooled_rows(asked, items, sets), "pooled"
        if asked.pooled is None and n > FEW_RATERS:
            said = f"{n} raters are pooled; name up to {FEW_RATERS} of them with who= (--who A,B) to compare pairs"
            rows = [replace(e, warnings=(*e.warnings, said)) for e in rows]
    else:
        rows, pairs = named(asked, items, sets, which)
        form = "two" if n == 2 else "pairs"
    rows = [said_of(e, rows, profiles, ann, form) for e in rows]
    found_ = {e.name: e for e in rows}
    found_ |= {name: alpha(asked, name, bag) for name in ALPHAS}
    chosen = tuple(found_[name] for name in (*ROWS, *ALPHAS))
    found = Multilabel(
        chosen, form=form, baseline=found_[BASELINE], profiles=profiles, chance=chosen[2].details["chance"]
    )
    if not details:
        return found
    return replace(
        found,
        pairs=EstimateTable(tuple(pairs), of="pair"),
        pooled=EstimateTable(tuple(e for e in pooled if e.name != BASELINE)),
        per_label=each_against_rest(ann, bag, asked.alphas["alpha_masi"][0]),
        final=final_of(sets, which, items.weight),
    )


def each_against_rest(ann: Annotations, items: Items, req: Request) -> EstimateTable:
    """Each label against the rest: whether raters agree on when to give it (Krippendorff's alpha)."""
    if len(ann.members) > MOST_LABELS:
        return EstimateTable(())
    two = replace(req, distance=None, weights=None, coefficient=replace(req.coefficient, by_scale=False))
    if len(ann.members) > MANY_LABELS:
        two = replace(two, spec=None)
    kernel = Kernel("identity", 1.0, total=2.0)
    rows = (estimate(two, one, kernel, str(label)) for label, one in each_label(ann, items.merged()))
    return EstimateTable(tuple(rows), of="label")


@takes_tables(renamed={"coders": "who"}, fixed={"scale": "sets"})
def final_labels(
    ann: Source, who: Sequence[Any] | None = None, **reading: Unpack[Reading]
) -> dict[Any, tuple[Any, ...]]:
    """Return the labels that all raters of an item share, for every item with at least two raters; () if there is none.

    The distribution of these labels is not the true one: frequent labels are shared more often, and the rater who gives fewer
    labels has more influence. If several labels are shared but one is needed, choose by purpose, not by order.

    >>> from raters.io import read
    >>> final_labels(read([("1", "c1", ["A", "B"]), ("1", "c2", ["B", "C"]), ("2", "c1", ["A"]), ("2", "c2", [])], scale="sets"))
    {'1': ('B',), '2': ()}
    """
    ann = table(ann)
    if ann.scale != "sets":
        raise UsageError(f"final_labels needs sets of labels; read {ann.source} with scale='sets'.")
    names, items = items_by_name(ann, "rater")
    place = {str(name): g for g, name in enumerate(items.groups)}
    unknown = [c for c in who or () if str(c) not in place]
    if unknown:
        raise UsageError(f"who={who!r}: no rater {unknown[0]!r} in {ann.source}; there are {listed(items.groups)}.")
    at = list(place.values()) if who is None else [place[str(c)] for c in who]
    sets, which = Sets(ann.labels, ann.members), codes(items)[:, at]
    several = np.flatnonzero((which >= 0).sum(1) >= 2)
    common = in_all(sets, which[several])
    common.sort_indices()
    rows = np.split(common.indices, common.indptr[1:-1])
    return {names[i]: tuple(sets.members[k] for k in row) for i, row in zip(several, rows, strict=True)}
