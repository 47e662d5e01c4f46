"""The six methods of k-rater reliability: each returns the statistic of k labels, its warnings and its details."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from raters.agree.agreement_spec import for_layout
from raters.agree.estimating import FEW_VALUES, folded, item_means, kernel_of, made, n_used, small_study, whole
from raters.coefficients.base import Parts
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.family import Among
from raters.inference.intervals import (
    NO_INTERVAL,
    Interval,
    IntervalSpec,
    Numbers,
    Small,
    around,
    for_small,
    interval,
    skewed_values,
)
from raters.inference.prior_item import Posterior, imagine, posterior
from raters.inference.statistic import Statistic
from raters.items import Items
from raters.notes.note import Note
from raters.reliability.krr.aggregates import as_good_as
from raters.reliability.krr.resampling import resampled, split, split_tables, statistic_alone, statistic_of
from raters.reliability.krr.study import BINS, Prophecy, Study, any_k, reachable, unknowable
from raters.reliability.krr.vote_model.goodness import goodness
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.model import MOST_LABELS, AtK, fit_votes
from raters.reliability.variance.components import of_means
from raters.reliability.variance.icc import FORMS, check_numbers, read_one_way, read_two_way
from raters.scales import along

Found = tuple[Statistic, tuple[Note, ...], dict[str, Any]]
MEANS = ("icc", "spearman_brown")
"""Methods for means of numbers."""
FROM_LABELS = ("split", "bootstrap", "model")
"""Methods that start from the labels of single items, and therefore need items with two."""
TITLES = {"empirical": "two replications", "split": "split halves", "bootstrap": "bootstrap", "icc": "ICC",
           "spearman_brown": "Spearman-Brown", "model": "model"}  # fmt: skip


def _icc(study: Study, k: int) -> Found:
    check_numbers(study.ann, "an intraclass correlation")
    stat = study.single
    return Prophecy(stat, k), () if study.form == "ICC(1)" else study.matrix.notes, {"form": study.form}


def _spearman_brown(study: Study, k: int) -> Found:
    if not study.coefficient_given:
        return _icc(study, k)
    return Prophecy(study.agreement, k), (), {}


def _split(study: Study, k: int) -> Found:
    said = reachable(study, k, 2 * k, "split")
    if study.agg.table is not None:
        return _found(split_tables(study.req, study.ann, study.agg, k, study.draws, study.seed), said)
    b, drawn = split(study.items, k)
    return _found(statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed), said)


def _found(made: tuple[Statistic, dict[str, Any]], said: tuple[Note, ...]) -> Found:
    return made[0], said, made[1]


def _bootstrap(study: Study, k: int) -> Found:
    b, drawn = resampled(study.items, k)
    stat, details = statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)
    said = Note("bootstrap_biased")
    if study.agg.averages:
        r = float(study.single.parts(study.single.weight[None]).value[0])
        limit = r + (1 - r) / study.n
        details["limit"] = limit / (limit + (1 - r) * (study.n - 1) / (study.n * k))
        figures = {"icc": r, "limit": details["limit"], "reliability": float(of_means(r, k))}
        said = Note("bootstrap_biased_by", figures)
    return stat, (said,), details


def _empirical(study: Study, k: int) -> Found:
    both = study.replications
    if len(both.parts) > 2 and study.req.coefficient.between_groups:
        raise UsageError(
            f"{study.req.coefficient.name} distinguishes two sides, which {len(both.parts)} replications do not have: "
            "use krippendorff, fleiss or gwet, or compare two at a time."
        )
    b, drawn = both.pairs(k, any_k(study))
    ann = replace(both.ann, scale=study.compared.scale)
    draws = study.draws or 200 // both.n_pairs * both.n_pairs or both.n_pairs  # all pairs equally often
    stat, details = statistic_of(study.req, ann, study.agg, b, drawn, draws, study.seed)
    details |= {"draw": "columns" if both.by_column else "items", "replications_compared": len(both.parts)}
    return stat, both.notes, details


def beyond(study: Study, k: int) -> bool:
    """Whether the labels of an item leave the reliability of k undetermined."""
    return 2 * as_good_as(study.agg, k, len(study.ann.labels)) > study.n


def _model(study: Study, k: int) -> Found:
    said: tuple[Note, ...] = ()
    further = beyond(study, k)
    if further:
        said = (Note("extrapolated", {"n": study.n, "most": study.n // 2}),)
    if study.binned:
        said = (*said, Note("in_bins", {"n": BINS}))
    at = study.votes.at(k, further)
    return at, said, goodness(study)


def anchored(study: Study, at: Parts) -> Parts:
    """A figure of the smooth fit, raised as :func:`raised` says."""
    value = float(at.value[0])
    moved = raised(study, value)
    return at if moved == value else replace(at, observed=at.expected + moved * (at.perfect - at.expected), mean=None)


def raised(study: Study, value: float) -> float:
    """A reliability, or a limit of one, raised by the factor by which the smooth fit falls short at the largest k that
    the data can check.

    The factor is on the scale r / (1 - r), on which Spearman and Brown's formula is one. The curve therefore falls only
    where the fit itself says that larger votes are less reliable, and stays at 1 where nobody disagrees.
    """
    seen, fitted = _checked(study)
    if not (0 < fitted < seen and 0 < value < 1):
        return value
    odds = value / (1 - value) * (1 - fitted) / fitted
    return seen * odds / (1 - seen + seen * odds)


def _checked(study: Study) -> tuple[float, float]:
    """The reliability at the largest k that the data can check: of the data, and of the smooth fit."""
    kept = study.votes.kept
    if "checked" not in kept:
        k = as_good_as(study.agg, max(1, study.n // 2), len(study.ann.labels))
        seen = _one_label(study) if k == 1 else estimate(study, k, "split", False, True).value
        kept["checked"] = seen, float(study.votes.at(k, True).value.value[0])
    found: tuple[float, float] = kept["checked"]
    return found


def would_settle(study: Study, k: int, expected: float, found: Interval) -> tuple[Note, ...]:
    """How many of many items would need twice k labels, so that two votes of each measure the figure to within
    ``SETTLED``: by the variance of agreement where it is largest in the range.
    """
    if study.ann.n_items < MANY_ITEMS or not 0 <= expected < 1 or study.compared.scale.ordered:
        return ()
    if study.agg.shares is None or not found.high - found.low > 2 * SETTLED:
        return ()
    agree = expected + np.clip([found.low, found.high], 0, 1) * (1 - expected)
    p = float(np.clip(0.5, *agree))
    items = math.ceil(p * (1 - p) / (1 - expected) ** 2 * (1.96 / SETTLED) ** 2 / 10) * 10
    return (Note("would_settle", {"items": items, "labels": 2 * k}),) if items < study.ann.n_items else ()


def _one_label(study: Study) -> float:
    """The coefficient of the labels; nan for one of two raters, which votes have and these labels need not have."""
    most = study.req.coefficient.exactly
    return np.nan if most is not None and study.ann.n_raters > most else single_labels(study, 1, True).value


def why_lower(study: Study, k: int, value: float) -> tuple[Note, ...]:
    """Where a vote is less reliable than one label: the label that is a minority on its items, and loses votes."""
    if study.against is not None or study.agg.shares is None or len(study.ann.labels) > MOST_LABELS:
        return ()
    if not value < _one_label(study) - NOTICED:
        return ()
    before, after = study.votes.shares(k, beyond(study, k))
    label = int(np.argmax(before - after))
    if before[label] - after[label] < NOTICED * before[label]:
        return (Note("lower_by_chance"),)
    facts = {"label": study.ann.labels[label], "k": k, "before": before[label], "after": after[label]}
    return (Note("loses_votes", facts),)


METHODS: Mapping[str, Callable[[Study, int], Found]] = {
    "empirical": _empirical, "split": _split, "bootstrap": _bootstrap, "icc": _icc, "spearman_brown": _spearman_brown, "model": _model,
}  # fmt: skip


def for_split(study: Study, k: int, seed: int) -> Posterior | None:
    """Split halves with one imaginary item; none for aggregates of whole tables, or of many different numbers."""
    if study.agg.table is not None or (study.agg.shares is None and n_used(study.items) > FEW_VALUES):
        return None
    enough = study.items.merged()
    enough = enough.where(np.flatnonzero(enough.per_item >= 2 * k))

    def halves(items: Items) -> Statistic:
        b, drawn = split(items, k)
        return statistic_alone(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)

    return posterior(enough, along(kernel_of(study.req, study.compared)), seed, halves)


def for_model(study: Study, k: int, stat: AtK, seed: int) -> Posterior | None:
    """The vote model refitted with one imaginary item; None if it is calibrated to moments (four labels or more)."""
    if not isinstance(stat.votes.mixture, Mixture):
        return None
    wide, base = imagine(study.items.merged(), along(kernel_of(study.req, study.compared)), seed)
    # fitted with the imaginary item, so that no pattern is impossible when the replicates start
    fitted = fit_votes(study.req, study.compared, study.agg, replace(wide, weight=wide.weight + base), study.n, seed)
    return Posterior(Among(wide.weight, fitted.at(k, stat.beyond), np.arange(len(base))), base)


def prophecy_interval(study: Study, stat: Prophecy, spec: IntervalSpec) -> Interval:
    """The interval of single ratings, transformed by Spearman-Brown: the transformation is monotone, so coverage is
    unchanged.
    """
    inner = stat.of
    value = float(inner.parts(inner.weight[None]).value[0])
    small: Small
    if study.coefficient_given:
        bag = folded(study.req, study.ann)[None]
        small = small_study(replace(study.req, spec=spec), bag, kernel_of(study.req, study.ann), made(study.req))
    else:
        per, weight = study.items.per_item, study.items.weight * (study.items.per_item >= 2)
        several = study.items.merged().where(np.flatnonzero(per >= 2))
        said = skewed_values(item_means(several), several.weight)
        small = Numbers(max(2.0, float(weight @ per / max(weight.sum(), 1.0))), said=said)
    found = interval(inner, value, spec, small=small)
    low, high = (float(of_means(x, stat.k)) for x in (found.low, found.high))
    slope = stat.k / (1 + (stat.k - 1) * value) ** 2 if value > 0 else 1.0
    return replace(found, low=low, high=high, se=found.se * slope)


MOST_REFITS = 300_000_000
NEAR_NOTHING = 0.05
MANY_ITEMS = 1000
SETTLED = 0.05
"""With this many items, a range that is wider than twice this can be narrowed by more labels on some of them."""
NOTICED = 0.005
"""A vote that is less reliable than one label by more than this gets the reason."""
NEGLIGIBLE = 20
"""A Monte Carlo error this many times smaller than the width of the interval needs no warning."""
DRAWN = {"drawing_error", "drawing_error_by_seed"}
"""The notes on the Monte Carlo error of random draws."""


def estimate(
    study: Study, k: int, asked: str | None, exact: bool, point: bool = False, searched: str | None = None
) -> Estimate:
    """The reliability of k labels. ``exact``: with the ICC's own limits; ``point``: without an interval; ``searched``:
    one of many k, of which this limit is wanted: without the Monte Carlo error, which takes as long as the figure, and
    beyond what the data determine without the other limit.
    """
    method = chosen_method(study, k, asked)
    why = unknowable(study) if method in FROM_LABELS else None
    if why is not None and (method != "split" or study.most >= 2 * k):
        return _undefined(study, k, method, why)
    if why is None and is_single(study, k, method):
        return single_labels(study, k, point)
    stat, said, details = METHODS[method](study, k)
    error = stat.votes.drawing_error(k, stat) if isinstance(stat, AtK) and searched is None else None
    if error is not None:
        details = details | {"drawing_error": error}
    at = _point(study, stat)
    value, spec = float(at.value[0]), None if point else study.req.spec
    found = NO_INTERVAL if spec is None else _interval(study, k, method, stat, value, spec, exact, searched)
    extrapolated = method == "model" and beyond(study, k)
    said = (*said, *_reasons(study, k, stat, value, point))
    if extrapolated:
        said = (*said, *would_settle(study, k, float(at.expected[0]), found))
    return Estimate(
        name="krr",
        value=value,
        low=found.low,
        high=found.high,
        se=found.se,
        level=spec.level if spec else 0.95,
        interval=found.method or None,
        observed=float(at.observed[0]),
        expected=float(at.expected[0]),
        parts="disagreement" if study.compared.scale.ordered else "agreement",
        n_items=int(stat.weight.sum()),
        n_raters=study.ann.used.n_raters,
        n_annotations=study.ann.used.n_annotations,
        notes=(*said, *found.notes, *_drawing(details, found)),
        coefficient="icc" if method in MEANS and not study.coefficient_given else study.req.coefficient.name,
        weights=study.compared.scale,
        title=_title(study, k, method),
        details={"k": k, "method": method, "aggregate": study.agg.described, "extrapolated": extrapolated, **details},
    )


def _point(study: Study, stat: AtK | Statistic) -> Parts:
    """The figure itself; beyond what the data can check, anchored at what they can."""
    if not isinstance(stat, AtK):
        return stat.parts(stat.weight[None])
    return anchored(study, stat.value) if stat.beyond else stat.value


def _reasons(study: Study, k: int, stat: AtK | Statistic, value: float, point: bool) -> tuple[Note, ...]:
    """Why there is no figure for k labels, or one that does not rise with k."""
    if not np.isfinite(value):
        return (unknowable(study) or Note("aggregates_equal"),)
    if isinstance(stat, Prophecy) and k > 1 and value <= 0:
        return (Note("never_above_0"),)
    return () if point else tuple(why_lower(study, k, value))


def is_single(study: Study, k: int, method: str) -> bool:
    """Whether the reliability of k labels equals the coefficient of the labels themselves, which needs no draws and no
    model.

    This holds for one label, and for two whose tie is broken at random: the vote of two is either of them.
    """
    if study.against is not None or study.agg.own is not None or study.agg.table is not None:
        return False
    if method == "spearman_brown":
        return study.coefficient_given and k == 1
    return method in ("split", "model") and as_good_as(study.agg, k, len(study.ann.labels)) == 1


def single_labels(study: Study, k: int = 1, point: bool = False) -> Estimate:
    """The figure and interval that :func:`raters.agreement` gives for the whole table."""
    req = for_layout(replace(study.req, spec=None) if point else study.req, study.ann)
    e = whole(req, study.compared)
    same = "" if k == 1 else ": a tie broken at random adds nothing to one label"
    details = {
        "k": k,
        "method": "agreement",
        "aggregate": "single labels" if k == 1 else study.agg.described,
        "extrapolated": False,
    }
    what = "single labels" if k == 1 else f"the {study.agg.name} of {k} labels"
    return replace(e, name="krr", title=f"The reliability of {what} ({e.title}{same})", details=details)


def chosen_method(study: Study, k: int, method: str | None) -> str:
    if method is not None:
        return method
    if study.against is not None:
        return "empirical"
    if study.agg.averages:
        return "icc"
    own = study.agg.own is not None or study.agg.table is not None
    return "split" if 2 * k <= study.n or own else "model"


def _interval(
    study: Study,
    k: int,
    method: str,
    stat: Statistic,
    value: float,
    spec: IntervalSpec,
    exact: bool,
    searched: str | None,
) -> Interval:
    if exact and method in MEANS:
        return _by_f(study, k, spec.level)
    if isinstance(stat, Prophecy) and for_small(stat, spec) and np.isfinite(value):
        return prophecy_interval(study, stat, spec)
    if not isinstance(stat, AtK):
        small = for_split(study, k, spec.seed) if method == "split" and for_small(stat, spec) else None
        return interval(stat, value, spec, small=small)
    if beyond(study, k):
        found = stat.range(spec.level, {"low": (-1,), "high": (1,)}.get(searched or "", (-1, 1)))
        found = around(replace(found, high=raised(study, found.high)), value)
    else:
        found = _by_model(study, k, stat, value, _affordable(stat, spec))
    if 0 < found.low < NEAR_NOTHING and _may_be_nothing(study, spec):
        return replace(found, low=0.0)
    return found


def _by_model(study: Study, k: int, stat: AtK, value: float, spec: IntervalSpec) -> Interval:
    rests = for_model(study, k, stat, spec.seed) if for_small(stat, spec) and np.isfinite(value) else None
    return interval(stat, value, spec, small=rests)


def _by_f(study: Study, k: int, level: float) -> Interval:
    """The ICC's own limits, transformed by Spearman-Brown."""
    if study.coefficient_given:
        raise UsageError("interval='F' applies to the ICC; omit coefficient=, or use 'bootstrap'.")
    form = next(f for f in FORMS if f.name == study.form)
    m = read_one_way(study.ann) if study.form == "ICC(1)" else read_two_way(study.ann, "complete")[0]
    low, high = form.limits(m, float(form.value(m)), level)
    return Interval(float(of_means(low, k)), float(of_means(high, k)), np.nan, form.interval)


def _drawing(details: dict[str, Any], found: Interval) -> tuple[Note, ...]:
    """A warning if the Monte Carlo error is large relative to the interval."""
    error = float(details.get("drawing_error", 0.0))
    if not error or not error * NEGLIGIBLE > found.high - found.low:
        return ()
    n = int(details.get("draws", 0))
    if not n:  # their number is fixed
        return (Note("drawing_error_by_seed", {"error": error}),)
    return (Note("drawing_error", {"error": error, "replications": 4 * n}),)


def _title(study: Study, k: int, method: str) -> str:
    what = ("label" if study.agg.shares is not None else "rating") + ("s" if k > 1 else "")
    several = method == "empirical" and len(study.against or ()) > 1
    how = f"{len(study.against or ()) + 1} replications" if several else TITLES[method]
    if study.ratings is not None and method == "spearman_brown":
        how += f" from {study.ratings} random ratings of each item"
    return f"The reliability of the {study.agg.name} of {k:,} {what} ({how})"


def _undefined(study: Study, k: int, method: str, why: Note) -> Estimate:
    return Estimate(
        name="krr",
        value=np.nan,
        n_items=int(study.items.weight.sum()),
        n_raters=study.ann.used.n_raters,
        n_annotations=study.ann.used.n_annotations,
        notes=(why,),
        coefficient=study.req.coefficient.name,
        weights=study.compared.scale,
        title=_title(study, k, method),
        details={"k": k, "method": method, "aggregate": study.agg.described, "extrapolated": False},
    )


def _may_be_nothing(study: Study, spec: IntervalSpec) -> bool:
    """Whether single labels may agree by chance alone: a mixture cannot express less agreement, and its bootstrap never
    reaches that bound.
    """
    stat = study.agreement
    value = float(stat.parts(stat.weight[None]).value[0])
    return not interval(stat, value, replace(spec, method="delta")).low > 0


def _affordable(stat: AtK, spec: IntervalSpec) -> IntervalSpec:
    """Use the delta method if the bootstrap would be slow: it needs only one refit for each pattern."""
    many = stat.votes.mixture.effort * spec.resamples > MOST_REFITS
    return replace(spec, method="delta") if spec.method == "auto" and many else spec
