"""Planning: how many labels per item, how many items, and what a budget buys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.agree.agreement import agreement
from raters.annotations import counted
from raters.charts.of_results import estimate_chart
from raters.errors import UsageError
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, shown
from raters.io.any_table import Source, table
from raters.models.base.fit import FittedModel
from raters.notes.note import Note, codes
from raters.options import asks, filled, given_to
from raters.options.declared import Inference, Planning
from raters.reliability.krr.aggregates import as_good_as
from raters.reliability.krr.krr import (
    ONLY_MEANS,
    Figure,
    curve_of,
    figure_of,
    krr_curve,
    no_data,
    reliability_at,
    study_of,
)
from raters.reliability.krr.study import Study, unknowable
from raters.reliability.planning.subset import compare_subset
from raters.reliability.variance.components import ratings_needed

MOST = 51
"""The search for the best number of labels ends here; the search for the target has no such limit."""


@dataclass(frozen=True)
class Cost:
    """Money, and what a label and an item cost."""

    budget: float
    label: float
    item: float

    def items(self, k: int) -> int:
        """How many items with k labels each the budget buys."""
        return int(self.budget / (self.item + k * self.label) + 1e-9)


def best_split(study: Study, target: float, cost: Cost, needed: Estimate) -> tuple[list[Estimate], str]:
    r"""Two answers: how many items the budget buys at a target reliability, and the k that makes the best use of the
    budget.

    An item whose aggregate has reliability R is as informative about a mean or a correlation as R perfect items, so
    the best k maximises :math:`N_k R_k`. For means it is near
    :math:`\sqrt{c_i (1 - r) / (c_l r)}`, the optimum of two-stage sampling: if an item costs nothing but its labels,
    one label each. Cochran (1977), Sampling Techniques, section 10.6. ``needed``: the labels per item that reach the
    target, however many they are.
    """
    target_k = [int(needed.value)] if np.isfinite(needed.value) else []
    ks = sorted({k for k in (*range(1, MOST + 1), *target_k) if cost.items(k) >= 2 and _differs(study, k)})
    known: list[tuple[int, int, float]] = []
    for k in ks:
        if k in target_k or cost.items(k) > max((n * r for _, n, r in known), default=0.0):  # N_k bounds N_k R_k
            reliability = reliability_at(study, k, "value").value
            known += [(k, cost.items(k), reliability)] if np.isfinite(reliability) else []
    common: dict[str, Any] = {"n_items": study.ann.n_items, "coefficient": study.req.coefficient.name}
    if not known:
        why = (Note("budget_too_small"),)
        return [
            Estimate("best labels per item", np.nan, notes=why, **common)
        ], f"The budget cannot be planned: {why[0]}."
    best = max(known, key=lambda row: row[1] * row[2])
    details = {
        "budget": cost.budget,
        "cost": cost.label,
        "item_cost": cost.item,
        "counts": True,
        "split": [{"k": k, "items": n, "reliability": r, "effective_items": n * r} for k, n, r in known],
    }
    found = [
        Estimate(
            "best labels per item",
            float(best[0]),
            title="Labels per item that make the best use of the budget",
            details=details,
            **common,
        ),
        Estimate(
            "items at the best",
            float(best[1]),
            title="Items at that number of labels",
            details={"counts": True},
            **common,
        ),
    ]
    money = f"{cost.budget:,.6g} buys"
    most = (
        f"the most informative use is {best[1]:,} items with {_labels(best[0])} each (reliability {shown(best[2], 3)})"
    )
    enough = next((row for row in known if row[2] >= target), None)
    if enough is None:
        takes = f", which takes {target_k[0]:,} labels per item" if target_k else ""
        return found, f"{money} not even two items whose aggregates reach {target:g}{takes}; {most}."
    found.append(
        Estimate(
            "items at the target",
            float(enough[1]),
            title=f"Items at a reliability of {target:g}",
            details={"labels_per_item": enough[0], "counts": True},
            **common,
        )
    )
    return (
        found,
        f"{money} {enough[1]:,} items with {_labels(enough[0])} each at a reliability of {target:g} or more; {most}.",
    )


def _differs(study: Study, k: int) -> bool:
    return as_good_as(study.agg, k, len(study.ann.labels)) == k


def _labels(k: int) -> str:
    return f"{k} label{'' if k == 1 else 's'}"


CURVE = (1, 2, 3, 5, 7, 9, 11, 15, 21, 31)


def plan_from_figure(
    irr: Figure, target: float, level: float
) -> tuple[tuple[str, ...], EstimateTable, EstimateTable, float]:
    """Sentences, figures, the curve and the target of a plan based on one published figure."""
    figure = figure_of(irr)
    value, high, low = (_needed(x, target) for x in figure)  # a lower reliability needs more ratings
    said: tuple[Note, ...] = (ONLY_MEANS,)
    if not math.isfinite(value):
        said = (*said, Note("reaches_no_target"))
    needed = Estimate(
        "labels per item",
        value,
        low,
        high,
        level=level,
        interval="published" if math.isfinite(figure[1]) else None,
        title=f"Ratings per item for a reliability of {target:g}",
        coefficient="published",
        notes=said,
        details={"target": target, "aggregate": "mean", "counts": True, "irr": figure[0]},
    )
    ks = sorted({*CURVE, *([int(value)] if math.isfinite(value) else [])})
    return (
        (_sentence(needed, figure[0], target),),
        EstimateTable((needed,), of="question"),
        krr_curve(ks=ks, irr=irr, level=level),
        target,
    )


def _needed(single: float, target: float) -> float:
    if not math.isfinite(single):
        return math.nan
    needed = ratings_needed(single, target)
    return max(1.0, float(np.ceil(needed - 1e-9))) if math.isfinite(needed) else math.nan


def _sentence(e: Estimate, irr: float, target: float) -> str:
    if not math.isfinite(e.value):
        return f"With a reliability of single ratings of {irr:g}, no number of ratings reaches {target:g}."
    limits = ""
    if e.interval is not None:
        top = f"{e.high:,.0f}" if math.isfinite(e.high) else "no number"
        limits = f" ({e.low:,.0f} to {top} by the limits of the published interval)"
    return (
        f"With a reliability of single ratings of {irr:g}, as published, the mean of {e.value:,.0f}"
        f" rating{'' if e.value == 1 else 's'} per item{limits} has a reliability of {target:g} or more, by"
        " Spearman-Brown."
    )


ITEMS = 4000
SHARE = 0.95
ASSUMED = "if raters err independently and no item is hard for all of them; otherwise it takes more"
MANY = 5000
"""With more raters than this, the same one is hardly ever drawn twice for an item."""


def labels_until_settled(consensus: Any, settled: float, seed: int, share: float = SHARE) -> tuple[Estimate, str]:
    """The smallest number of labels after which a share of items has a label that is at least this settled.

    Items are drawn from the fitted prevalence, raters at random, labels from their confusion matrices; the posterior
    then takes the raters as known. No rater labels an item twice: if an item needs more labels than there are raters,
    the others come from new raters like these, and the sentence says how many are needed. ``consensus``: ``.confusion``
    (rater, true, given) and ``.prevalence``, as :func:`raters.consensus` returns them.
    """
    confusion, prevalence = np.asarray(consensus.confusion, float), np.asarray(consensus.prevalence, float)
    if confusion.ndim != 3 or confusion.shape[1:] != (len(prevalence),) * 2:
        raise UsageError("this needs a consensus with a confusion matrix for every rater, such as dawid_skene.")
    rng = np.random.default_rng(seed)
    q = len(prevalence)
    truth = rng.choice(q, ITEMS, p=prevalence / prevalence.sum())
    log = np.tile(np.log(np.maximum(prevalence, 1e-300)), (ITEMS, 1))
    shares = []
    order = _raters(len(confusion), rng)
    for j in range(MOST_LABELS):
        rater = order[:, j]
        given = (rng.random((ITEMS, 1)) > np.cumsum(confusion[rater, truth], 1)[:, :-1]).sum(1)
        log += np.log(np.maximum(confusion[rater, :, given], 1e-300))
        posterior = np.exp(log - log.max(1, keepdims=True))
        shares.append(float((posterior.max(1) / posterior.sum(1) >= settled).mean()))
    enough = np.flatnonzero(np.array(shares) >= share)
    value = float(enough[0] + 1) if len(enough) else np.nan
    said = () if len(enough) else (Note("not_settled", {"share": share, "settled": settled, "labels": MOST_LABELS}),)
    row = Estimate(
        "labels per item until settled",
        value,
        title=f"Labels until {share:.0%} of items are settled at {settled:g}",
        notes=said,
        details={"counts": True, "settled": settled, "share": share, "shares": shares},
    )
    if not len(enough):
        return (
            row,
            (
                f"With raters like these, {MOST_LABELS} labels per item bring only {shares[-1]:.0%} of items to a label"
                f" that is settled at {settled:g}."
            ),
        )
    said_of = (
        f"{value:,.0f} labels per item bring {share:.0%} of items to a label that is settled at {settled:g}, {ASSUMED}"
    )
    if value > len(confusion):
        new = counted(int(value) - len(confusion), "more rater")
        return row, f"There are {counted(len(confusion), 'rater')} here; with {new} like them, {said_of}."
    return row, f"With the fitted raters, {said_of}."


def _raters(n: int, rng: np.random.Generator) -> NDArray[Any]:
    """(item, label): who gives it. Each rater occurs once, in random order; then each once more, as new raters like
    them.
    """
    if n > MANY:
        return rng.integers(0, n, (ITEMS, MOST_LABELS))
    rounds = [rng.random((ITEMS, n)).argsort(1) for _ in range(-(-MOST_LABELS // n))]
    return np.concatenate(rounds, 1)[:, :MOST_LABELS]


Array = NDArray[Any]
MOST_LABELS = 201
LIMITS = ("low", "high")


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """What to collect: answers as sentences, the figures behind them, and the curve over labels per item."""

    sentences: tuple[str, ...]
    estimates: EstimateTable
    curve: EstimateTable
    target: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "schema": SCHEMA,
            "target": self.target,
            "sentences": list(self.sentences),
            "estimates": [e.to_dict() for e in self.estimates],
            "curve": [e.to_dict() for e in self.curve],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each figure."""
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """Reliability over labels per item, with the target, as an Altair chart."""
        return estimate_chart(self.curve, "k", None, self.target).altair()

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]


@asks()
def plan(
    ann: Source | None = None,
    target: float = 0.8,
    *,
    irr: Figure | None = None,
    consensus: FittedModel | None = None,
    settled: float = 0.99,
    progress: Callable[[str], None] | None = None,
    **options: Unpack[Planning],
) -> Plan:
    """Estimate how many labels and items to collect, from data like those to be collected.

    ``target``: the reliability that the aggregate of an item's labels should reach; the answer, labels per item, has an
    interval, unless ``interval=None``. ``consensus``: a fitted :func:`raters.consensus`, to estimate how many labels an
    item needs until its label is settled at ``settled``: more labels from such raters would hardly change it, which
    does not mean that it is right. ``progress``: called with a line for each step. The number of items is based on the
    standard error of the agreement of single labels, which comes from the delta method if there is no interval.
    ``irr``, instead of a table: the reliability of single ratings as a paper states it, or (value, low, high); ratings
    per item then follow by Spearman-Brown.

    >>> from raters import examples
    >>> answer = plan(examples.fleiss_1971(), target=0.7, resamples=200)
    >>> answer["labels per item"].value > 3
    True
    >>> plan(irr=0.4, target=0.8)["labels per item"].value
    6.0
    """
    given = filled(Planning, options)
    _check(target, settled, given)
    if irr is not None:
        no_data(ann, None)
        return Plan(*plan_from_figure(irr, target, given["level"]))
    ann = table(ann)
    say = progress or (lambda _: None)
    how = given_to(Inference, given)
    study = study_of(ann, aggregate=given["aggregate"], coefficient=given["coefficient"], ties=given["ties"], **how)
    say("labels per item")
    needed = labels_needed(study, target)
    say("agreement of single labels")
    single = agreement(ann, study.req.coefficient.name, **{**how, "interval": given["interval"] or "delta"})
    rows = [
        needed,
        *_items_for(single, given["width"], given["tell"] or (round(target - 0.1, 6), target), given["power"]),
    ]
    sentences = [_labels_sentence(needed, study, target), *_items_sentences(single, rows[1:], given["power"])]
    if (budget := given["budget"]) is not None:
        say("budget")
        bought, sentence = best_split(study, target, Cost(budget, given["cost"], given["item_cost"]), needed)
        rows += bought
        sentences.append(sentence)
    if consensus is not None:
        say("labels until items are settled")
        row, sentence = labels_until_settled(consensus, settled, given["seed"])
        rows.append(row)
        sentences.append(sentence)
    subset = compare_subset(ann, given["seed"])
    rows += subset
    sentences += [e.title for e in subset]
    say("the curve")
    k = needed.value
    ks = sorted({*CURVE, *([int(k)] if np.isfinite(k) else [])})
    curve = curve_of(study, ks, None, False, progress)
    return Plan(tuple(sentences), EstimateTable(tuple(rows), of="question"), curve, target)


def labels_needed(study: Study, target: float) -> Estimate:
    """The least k whose reliability reaches the target; low and high: where the curve's upper and lower limits do.

    A median or a vote has one curve over odd k and another over even k, where ties are broken as asked.
    """
    found: dict[tuple[int, str], float] = {}
    why: dict[Note, None] = {}

    def reached(k: int, side: str) -> bool:
        if side == "low" and not reached(k, "value"):  # the figure lies within its limits, which take long
            return False
        if (k, side) not in found:
            e = reliability_at(study, k, side)
            found[k, "value"] = e.value
            if side != "value":
                found.update({(k, s): getattr(e, s) for s in ((side,) if e.details["extrapolated"] else LIMITS)})
                why.update(dict.fromkeys(e.notes) if not np.isfinite(e.low) else ())
        return found[k, side] >= target

    sides = ("value", *(LIMITS if study.req.spec is not None else ()))
    at = {side: _least_k(study, lambda k, side=side: reached(k, side)) for side in sides}  # type: ignore[misc]
    value, high, low = (at.get(side, np.nan) for side in ("value", "low", "high"))
    ranged = any(side != "value" and np.isfinite(v) for (_, side), v in found.items())
    said = [] if ranged else [note for note in why if note.level == "undefined"]
    if not np.isfinite(value):
        known = any(np.isfinite(v) for v in found.values())
        reached_not = Note("target_not_reached", {"target": target, "limit": MOST_LABELS})
        said.append(reached_not if known else unknowable(study) or Note("aggregates_equal"))
    elif not np.isfinite(high) and ranged:
        said.append(Note("more_not_ruled_out", {"limit": MOST_LABELS}))
    return Estimate(
        "labels per item",
        value,
        low,
        high,
        level=study.req.spec.level if study.req.spec else 0.95,
        interval="curve" if ranged else None,
        n_items=study.ann.n_items,
        n_raters=study.ann.used.n_raters,
        n_annotations=study.ann.used.n_annotations,
        title=f"Labels per item for a reliability of {target:g}",
        coefficient=study.req.coefficient.name,
        notes=(*said, *_extrapolated(study, value, ranged), *_even(study, value)),
        details={"target": target, "aggregate": study.agg.described, "counts": True},
    )


def _least_k(study: Study, reached: Callable[[int], bool]) -> float:
    if study.agg.averages:
        return _least(range(1, MOST_LABELS + 1), reached)
    odd = _least(range(1, MOST_LABELS + 1, 2), reached)
    even = range(2, int(np.nanmin([odd, MOST_LABELS])), 2)
    differs = bool(even) and _differs(study, even[-1]) and reached(even[-1])
    return _least(even, reached) if differs else odd


def _extrapolated(study: Study, value: float, ranged: bool) -> tuple[Note, ...]:
    if study.agg.averages or not 2 * value > study.n:
        return ()
    return (Note("extrapolated_range" if ranged else "extrapolated_point", {"n": study.n}),)


def _even(study: Study, value: float) -> tuple[Note, ...]:
    finer = study.agg.numbers is not None and study.agg.shares is not None
    return (Note("even_median"),) if finer and value % 2 == 0 else ()


def _least(ks: range, reached: Callable[[int], bool]) -> float:
    """The first k that reaches the target; nan if none does.

    Places 0, 1, 2, 4, 8, ... and the last are tried until one reaches it, and those below by halves: a curve may reach
    the target early and fall below it later.
    """
    low, n = -1, len(ks)
    for high in sorted({0, n - 1, *(1 << i for i in range(n.bit_length()) if 1 << i < n)}):
        if reached(ks[high]):
            break
        low = high
    else:
        return np.nan
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(ks[middle]) else (middle, high)
    return float(ks[high])


def _items_for(irr: Estimate, width: float, tell: Sequence[float], power: float) -> list[Estimate]:
    """Items for a width, items that distinguish two values, and the smallest detectable difference."""
    z = float(special.ndtri((1 + irr.level) / 2))
    both = z + float(special.ndtri(power))
    se = irr.se
    gap = abs(tell[1] - tell[0])
    common: dict[str, Any] = {"n_items": irr.n_items, "coefficient": irr.coefficient, "level": irr.level}
    why = () if np.isfinite(se) else (Note("no_standard_error"),)
    rows = (
        (
            f"items for width {width:g}",
            _items(irr.n_items * (2 * z * se / width) ** 2),
            {"width": width, "counts": True},
        ),
        (
            f"items to tell {tell[0]:g} from {tell[1]:g}",
            _items(irr.n_items * (both * se / gap) ** 2),
            {"values": list(tell), "power": power, "counts": True},
        ),
        ("smallest detectable difference", both * se, {"power": power}),
    )
    return [Estimate(name, value, notes=why, title=name, details=more, **common) for name, value, more in rows]


def _items(x: float) -> float:
    # fewer than two items have no interval, however precise the data seem
    return float(max(np.ceil(x - 1e-9), 2)) if np.isfinite(x) else np.nan


def items_for_kappa(
    rate_1: float,
    rate_2: float,
    kappa: float,
    null: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    two_sided: bool = False,
) -> int:
    """The number of items with which two raters and two labels show that Cohen's kappa differs from a null value, by
    the large-sample variance.

    ``rate_1``, ``rate_2``: how often each rater says yes. Needs no data, so it suits a study that has not begun.

    >>> items_for_kappa(0.5, 0.5, 0.7, 0.85)
    96

    Cantor (1996), Psychol. Methods 1, 150-153; Fleiss, Cohen & Everitt (1969), Psychol. Bull. 72, 323-327.
    """
    z = float(special.ndtri(1 - alpha / (2 if two_sided else 1))), float(special.ndtri(power))
    spread = [np.sqrt(_kappa_variance(rate_1, rate_2, k)) for k in (null, kappa)]
    return int(np.ceil(((z[0] * spread[0] + z[1] * spread[1]) / (kappa - null)) ** 2 - 1e-9))


def _kappa_variance(p: float, q: float, kappa: float) -> float:
    """n times the variance of kappa in a 2 x 2 table with these margins."""
    chance = p * q + (1 - p) * (1 - q)
    seen = chance + kappa * (1 - chance)
    yes = (seen - 1 + p + q) / 2
    cells = np.array([[yes, p - yes], [q - yes, 1 - p - q + yes]])
    if cells.min() < -1e-12:
        raise UsageError(f"kappa = {kappa:g} is impossible with rates {p:g} and {q:g}.")
    rows, columns = np.array([p, 1 - p]), np.array([q, 1 - q])
    same = sum(cells[i, i] * ((1 - chance) - (columns[i] + rows[i]) * (1 - seen)) ** 2 for i in range(2))
    other = (1 - seen) ** 2 * sum(
        cells[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    return float((same + other - (seen * chance - 2 * chance + seen) ** 2) / (1 - chance) ** 4)


def undetermined(e: Estimate) -> bool:
    """Whether the answer is an extrapolation, and the data also allow one twice as large or no answer at all."""
    return bool("extrapolated_range" in codes(e.notes) and np.isfinite(e.low) and not e.high < 2 * e.low)


def _labels_sentence(e: Estimate, study: Study, target: float) -> str:
    what = f"For a reliability of {target:g} the {study.agg.name} of an item's labels needs"
    if not np.isfinite(e.value) and "target_not_reached" not in codes(e.notes):
        return f"How many labels per item a reliability of {target:g} needs cannot be determined: {e.undefined}."
    if not np.isfinite(e.value):
        low = f" (at best {e.low:,.0f})" if np.isfinite(e.low) else ""
        return (
            f"{what} more than {MOST_LABELS:,} labels per item{low}: better raters or a clearer task would help more."
        )
    needed = f"{e.value:,.0f} label{'' if e.value == 1 else 's'} per item"
    if e.interval is None:
        return f"{what} {needed}, by the best estimate ({e.undefined or 'no interval was requested'})."
    if not np.isfinite(e.high) or undetermined(e):
        return f"{what} about {needed} ({span_of(e.low, e.high)})."
    return f"{what} {needed} ({e.level:.0%} interval {e.low:,.0f} to {e.high:,.0f})."


def span_of(low: float | None, high: float | None) -> str:
    """How many labels the data allow to be needed, after the best estimate; None or nan: no number that was tried.

    >>> span_of(3, None), span_of(3, 15), span_of(None, None)
    ('anywhere from 3 upward; possibly no number is enough', 'anywhere from 3 to 15', 'possibly no number is enough')
    """
    open_ended = high is None or not np.isfinite(high)
    if low is None or not np.isfinite(low):
        return "possibly no number is enough"
    if open_ended:
        return f"anywhere from {low:,.0f} upward; possibly no number is enough"
    return f"anywhere from {low:,.0f} to {high:,.0f}"


def _items_sentences(irr: Estimate, rows: list[Estimate], power: float) -> list[str]:
    if not np.isfinite(irr.se):
        return ["The agreement of single labels has no standard error here, so the number of items cannot be planned."]
    width, tell, least = rows
    values = tell.details["values"]
    return [
        (
            f"An interval of width {width.details['width']:g} for the agreement of single labels ({shown(irr.value, 3)}"
            f" here) requires {width.value:,.0f} items with the same number of labels each."
        ),
        (
            f"Distinguishing {values[0]:g} from {values[1]:g} with power {power:.0%} requires {tell.value:,.0f} items;"
            f" with the {irr.n_items:,} items here, the smallest detectable difference is {shown(least.value, 3)}."
        ),
    ]


def _check(target: float, settled: float, given: Planning) -> None:
    shares = {"target": target, "settled": settled, **{n: given[n] for n in ("width", "power", "level")}}
    for name, x in shares.items():
        if not 0 < x < 1:
            raise UsageError(f"{name}={x} is not between 0 and 1.")
    tell, budget, cost, item_cost = given["tell"], given["budget"], given["cost"], given["item_cost"]
    if tell is not None and not (len(tell) == 2 and -1 <= tell[0] <= 1 and -1 <= tell[1] <= 1 and tell[0] != tell[1]):
        raise UsageError(
            f"tell={','.join(f'{x:g}' for x in tell)} are not two different values of a coefficient, between -1 and 1."
        )
    if not (0 < cost < np.inf and 0 <= item_cost < np.inf and (budget is None or cost + item_cost <= budget < np.inf)):
        raise UsageError(
            f"budget={budget}, cost={cost}, item_cost={item_cost}: costs must be positive, and the budget must buy at"
            " least one label."
        )
