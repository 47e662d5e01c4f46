"""Multi-label agreement: annotations are sets of labels, and chance is the agreement that these raters would reach by
drawing sets at random.

Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement import each_label
from raters.agree.agreement_spec import Request, request
from raters.agree.estimating import estimate, folded, kernel_of
from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable, Told, jsonable, name_of
from raters.inference.limits import refuse_many, spec_for
from raters.io.any_table import Source, table
from raters.items import Items, items_by_name
from raters.items.folding import need_sets
from raters.notes.note import Note
from raters.options import asks, filled, given_to
from raters.options.declared import Inference
from raters.options.declared import Sets as SetOptions
from raters.reliability.sets.measures import ALPHAS, ROWS, MeasureRequest, alpha, named, pooled_rows
from raters.reliability.sets.statistics import BASELINE, Options, Sets, codes
from raters.scales import Kernel

Array = NDArray[Any]

AIMS: Mapping[str, tuple[str, str]] = {
    "final_label": (
        "boot_match",
        "for the reliability of a single final label when several may be true, report boot_match",
    ),
    "ambiguity": (
        "boot_f1",
        "to find all true labels of an item, report boot_f1 together with alpha_masi or alpha_jaccard",
    ),
    "uncertainty": (
        "augmented",
        "if one label is true and several mean that the rater is unsure, report augmented",
    ),
    "asymmetric": (
        "boot_precision",
        "if raters give different numbers of labels, or one is the reference, report boot_precision and boot_recall",
    ),
}
"""Which measure to report for which aim."""
OTHER_GUIDANCE = (
    "soft_match is the best that single labels could reach; it ignores that more labels match more easily",
    (
        "compare datasets by the adjusted values, because observed ones depend on labels per item, number of labels and"
        " entropy"
    ),
)
NOT_TRUE = (
    "the distribution of final (intersection) labels is not that of the true labels: frequent labels, and the rater who"
    " gives fewer labels, have more weight in it"
)


@dataclass(frozen=True)
class RaterProfile:
    """How one rater gives labels: the measures depend on it."""

    name: str
    n: int
    sizes: Mapping[int, float]
    """Shares of annotations with 0, 1, 2, ... labels."""
    labels: Mapping[Any, float]
    """Shares of labels among all given labels."""

    @property
    def mean_size(self) -> float:
        return float(sum(m * share for m, share in self.sizes.items()))

    @property
    def several(self) -> float:
        """The share of annotations with two or more labels."""
        return float(sum(share for m, share in self.sizes.items() if m > 1))

    @property
    def entropy(self) -> float:
        """Entropy of the label distribution, in bits."""
        p = np.array([share for share in self.labels.values() if share > 0])
        return float(-(p * np.log2(p)).sum()) if len(p) else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "n_annotations": self.n,
            "sizes": jsonable(self.sizes),
            "labels": jsonable(self.labels),
            "mean_size": self.mean_size,
            "several": self.several,
            "entropy_bits": self.entropy,
        }

    def __str__(self) -> str:
        sizes = ", ".join(f"{m}: {share:.1%}" for m, share in self.sizes.items() if share > 0)
        return (
            f"{self.name}: labels per annotation {sizes}; mean {self.mean_size:.2f}; label entropy {self.entropy:.2f}"
            " bits"
        )


@dataclass(frozen=True)
class Final(Told):
    """The labels that all raters of an item share: how many items have one, several or none, and which labels."""

    one: int
    several: int
    none: int
    labels: Mapping[Any, float]
    """Shares of labels among the intersections, with an intersection of several labels counted in equal parts."""
    warning: str = NOT_TRUE


@dataclass(frozen=True, repr=False)
class Multilabel(EstimateTable):
    """One row per measure; in addition, the pairs of raters, the pooled form, each label, and each rater."""

    form: str = "two"
    """``two`` raters, the mean over ``pairs`` of raters, or ``pooled``."""
    pairs: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Every measure of every pair; ``details`` name ``rater_a`` and ``rater_b``."""
    pooled: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """The same measures for interchangeable raters: one distribution for all."""
    per_label: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Krippendorff's alpha of each label against the rest."""
    baseline: Estimate | None = None
    """Kappa with each set treated as one label."""
    profiles: tuple[RaterProfile, ...] = ()
    final: Final | None = None
    chance: str = "exact"

    @property
    def guidance(self) -> tuple[str, ...]:
        """Which measure to report for which aim."""
        return (*(text for _, text in AIMS.values()), *OTHER_GUIDANCE)

    def matrix(self, measure: str = "boot_match") -> tuple[tuple[str, ...], Array]:
        """Names of raters, and (rater, rater) values of one measure; nan if two share no item.

        Precision and recall are those of the rater in the row against the one in the column.
        """
        names = tuple(c.name for c in self.profiles)
        out = np.full((len(names), len(names)), np.nan)
        turned = {"boot_precision": "boot_recall", "boot_recall": "boot_precision"}.get(measure, measure)
        for e in self.pairs:
            a, b = names.index(e.details["rater_a"]), names.index(e.details["rater_b"])
            if e.coefficient == measure:
                out[a, b] = e.value
            if e.coefficient == turned:
                out[b, a] = e.value
        return names, out

    def to_dict(self) -> dict[str, Any]:
        """The estimates, and everything that accompanies them."""
        return super().to_dict() | {"beside": self.beside()}

    def beside(self) -> dict[str, Any]:
        """Everything that accompanies the table, as plain values ready for JSON."""
        return {
            "form": self.form,
            "chance": self.chance,
            "baseline": jsonable(self.baseline),
            "pairs": jsonable(self.pairs.estimates),
            "pooled": jsonable(self.pooled.estimates),
            "per_label": jsonable(self.per_label.estimates),
            "raters": jsonable(self.profiles),
            "final": jsonable(self.final),
            "guidance": list(self.guidance),
        }


def said_of(
    e: Estimate, rows: Sequence[Estimate], profiles: Sequence[RaterProfile], ann: Annotations, form: str
) -> Estimate:
    """A row with the notes on tables in which many labels make a match easy."""
    if e.name not in ("soft_match", "boot_match"):
        return e
    chance = {r.name: r.expected for r in rows}
    said = []
    few, many = min(profiles, key=lambda c: c.mean_size), max(profiles, key=lambda c: c.mean_size)
    if e.name == "soft_match" and chance["boot_match"] - chance["soft_match"] > 0.05:
        said.append(Note("match_easier", {"chance": chance["boot_match"], "assumed": chance["soft_match"]}))
    if form != "pooled" and few.mean_size > 0 and many.mean_size >= 1.5 * few.mean_size:
        two = {"raters": [many.name, few.name], "sizes": [many.mean_size, few.mean_size]}
        said.append(Note("sizes_differ", two))
    elif len(ann.members) > 2 and many.mean_size > len(ann.members) / 2:
        said.append(Note("more_than_half", {"rater": many.name}))
    return replace(e, notes=(*e.notes, *said))


def profiles_of(items: Items, sets: Sets, which: Array) -> tuple[RaterProfile, ...]:
    found = []
    for g, name in enumerate(items.groups):
        at = which[:, g] >= 0
        n = np.bincount(which[at, g], items.weight[at], len(sets.size))
        labels = np.asarray(n @ sets.has)
        sizes = np.bincount(sets.size, n)
        total = max(labels.sum(), 1)
        shares = {label: float(x / total) for label, x in zip(sets.members, labels, strict=True)}
        found.append(
            RaterProfile(str(name), int(n.sum()), {m: float(x / max(n.sum(), 1)) for m, x in enumerate(sizes)}, shares)
        )
    return tuple(found)


def final_of(sets: Sets, which: Array, weight: Array) -> Final:
    """The labels that all raters of an item share, over the items with two or more raters."""
    several = (which >= 0).sum(1) >= 2
    common = in_all(sets, which[several])
    n, w = np.asarray(common.sum(1)).ravel(), weight[several]
    share = (w / np.maximum(n, 1)) @ common
    total = max(float(share.sum()), 1e-300)
    labels = {label: float(x / total) for label, x in zip(sets.members, share, strict=True) if x > 0}
    one, more, none = (int(w[at].sum()) for at in (n == 1, n > 1, n == 0))
    return Final(one, more, none, labels)


def in_all(sets: Sets, which: Array) -> Any:
    """(item, label): 1 if all raters of the item gave the label."""
    counts: Any = 0
    for g in range(which.shape[1]):
        rows = sets.has[np.maximum(which[:, g], 0)].multiply((which[:, g] >= 0)[:, None]).tocsr()
        counts = rows if g == 0 else counts + rows
    out = counts.tocoo()
    full = out.data == (which >= 0).sum(1)[out.row]
    return type(out)((np.ones(int(full.sum())), (out.row[full], out.col[full])), out.shape).tocsr()


FEW_RATERS = 8
"""Up to this many raters, every pair is compared; more raters are pooled."""
MANY_LABELS = 60
"""With more labels than this, each label has its value without an interval."""
MOST_LABELS = 3000


class MultilabelOptions(SetOptions, Inference, total=False):
    """The options of agreement on sets of labels."""


@asks()
def multilabel(
    ann: Source,
    *,
    by: str | None = None,
    cluster: str | None = None,
    **options: Unpack[MultilabelOptions],
) -> Multilabel:
    """Estimate agreement on sets of labels: ``soft_match augmented boot_match boot_precision boot_recall boot_f1`` and
    two alphas.

    With more than two raters, values are means over pairs; pooled raters share one distribution. Simulated chance has
    its Monte Carlo error in ``details["chance_se"]``. ``cluster``: a column, such as the document of an item, whose
    values are drawn whole for the intervals.

    >>> from raters.io.read import read
    >>> table = [("1", "A", "A;B"), ("2", "A;B", "B;C"), ("3", "A;B", "A;B")]
    >>> rows = [(i, who, s) for i, x, y in table for who, s in (("c1", x), ("c2", y))]
    >>> t = multilabel(read(rows, scale="sets", sep=";"), interval=None)
    >>> [round(x, 2) for x in (t["augmented"].observed, t["augmented"].expected, t["boot_match"].observed)]
    [0.42, 0.39, 1.0]
    """
    ann = table(ann, scale="sets")
    given = filled(MultilabelOptions, options)
    asked, who = _ask(ann, given, cluster), given["who"]
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
    return Multilabel(tuple(rows), form="slices", chance=given["chance"], of=by)


def _ask(ann: Annotations, given: MultilabelOptions, cluster: str | None) -> MeasureRequest:
    need_sets(ann, "multilabel")
    refuse_many("simulations", given["simulations"])
    weights = given["order_weights"]
    if weights is not None and (not len(weights) or min(weights) < 0 or weights[0] <= 0):
        raise UsageError(
            f"order_weights={list(weights)!r}: pass positive numbers for primary, secondary, ... labels, such as"
            " [2, 1]."
        )
    spec = spec_for(given, "auto")
    alphas: dict[str, tuple[Request, Kernel | UsageError]] = {}
    for name, distance in zip(ALPHAS, (given["masi"], "jaccard"), strict=True):
        req = request("krippendorff", distance=distance, cluster=cluster, **given_to(Inference, given))
        try:
            alphas[name] = req, kernel_of(req, ann)
        except UsageError as error:
            alphas[name] = req, error
    replicates = 1 if spec is None else 2 * len(ann.members) if spec.method == "delta" else spec.resamples
    own = None if weights is None else tuple(map(float, weights))
    chosen = Options(
        given["chance"], given["simulations"], float(given["empty"] == "agree"), own, replicates, given["seed"]
    )
    return MeasureRequest(chosen, spec, given["level"], given["pooled"], alphas)


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
    """All measures of one slice; ``plain``: the items without raters; ``details``: whether to include pairs, profiles
    and notes.
    """
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
            said = Note("raters_pooled", {"n": n, "limit": FEW_RATERS})
            rows = [replace(e, notes=(*e.notes, said)) for e in rows]
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


@asks()
def final_labels(ann: Source, who: Sequence[Any] | None = None) -> dict[Any, tuple[Any, ...]]:
    """Return the labels that all raters of an item share, for every item with at least two raters; () if there is none.

    The distribution of these labels is not the true one: frequent labels are shared more often, and the rater who gives
    fewer labels has more influence. If several labels are shared but one is needed, choose by purpose, not by order.

    >>> from raters.io.read import read
    >>> final_labels(read([("1", "c1", ["A", "B"]), ("1", "c2", ["B", "C"]), ("2", "c1", ["A"]), ("2", "c2", [])], scale="sets"))
    {'1': ('B',), '2': ()}
    """
    ann = table(ann, scale="sets")
    need_sets(ann, "final_labels")
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
