"""k-rater reliability: how reliable is the aggregate of k labels?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.request import Options, request
from raters.agree.slices import agreement
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import Interval, IntervalSpec, interval
from raters.inference.statistic import Statistic
from raters.reliability.krr.aggregates import aggregate_of, as_good_as
from raters.reliability.krr.consensus_aggregate import model_aggregate, split_tables
from raters.reliability.krr.resampling import resampled, split, statistic_of
from raters.reliability.krr.study import Prophecy, Study, reachable, unknowable
from raters.reliability.krr.vote_model.fitness import goodness
from raters.reliability.krr.vote_model.model import MOST_LABELS, AtK
from raters.reliability.variance.components import spearman_brown
from raters.reliability.variance.icc import FORMS, check_numbers, read_one_way, read_two_way

Array = NDArray[Any]
Found = tuple[Statistic, tuple[str, ...], dict[str, Any]]
OWN = ("mean", "median", "majority")
MEANS = ("icc", "spearman_brown")
FROM_LABELS = ("split", "bootstrap", "model")
MOST_REFITS = 300_000_000
NEAR_NOTHING = 0.05
NOTHING = Interval(np.nan, np.nan, np.nan, "")


def krr(
    ann: Annotations,
    k: int | None = None,
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | None = None,
    coefficient: str | None = None,
    against: Annotations | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    draws: int | None = None,
    **options: Unpack[Options],
) -> Estimate:
    """The reliability of the aggregate of k labels: chance-corrected agreement between two replications of it.

    ``k``: labels per aggregate; if not given, as many as items have (the median). ``aggregate``: ``"mean"``,
    ``"median"``, ``"majority"``, a consensus model (``"dawid_skene"``: fitted to each half), or a function of an array
    (row, k) of labels that gives one for each row; the default follows the scale. ``ties``: ``random``, ``first``, ``last`` or ``abstain``, for majority and the median of labels.

    ``method``: ``empirical`` (two replications: ``against=``), ``split`` (two disjoint draws of k from each item),
    ``bootstrap`` (draws with replacement: biased upward), ``icc``, ``spearman_brown`` (means of numbers, any k), ``model``
    (any k: the distribution over items' label distributions). Default: ``empirical`` where ``against`` is given, ``icc``
    for means, else ``split`` up to half the labels per item and ``model`` beyond.

    ``coefficient``: Krippendorff's alpha unless named; ``form``: the ICC of single ratings that ``icc`` starts from.
    ``draws``: how many random draws ``empirical``, ``split`` and ``bootstrap`` average. Intervals are over items
    (``interval="F"``: the ICC's own); beyond half the labels per item, ``model`` gives the range that the data allow.

    >>> from raters import examples
    >>> one = krr(examples.fleiss_1971(), k=1, interval=None)
    >>> three = krr(examples.fleiss_1971(), k=3, interval=None)
    >>> one.value < three.value, three.details["method"]
    (True, 'split')

    Wong & Paritosh (2022), ACL, 378-384.
    """
    study, exact = _study(ann, aggregate, method, coefficient, against, ties, form, draw, draws, options)
    return _estimate(study, _checked(k, study, method), method, exact)


def krr_curve(
    ann: Annotations,
    ks: Iterable[int] = range(1, 26),
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | None = None,
    coefficient: str | None = None,
    against: Annotations | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    draws: int | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Unpack[Options],
) -> EstimateTable:
    """k-rater reliability over k, the reliability of single labels (IRR, k = 1) in the first row.

    Options as in :func:`krr`; the data are read and fitted once. ``progress``: called with a line for each k.
    Where ``split`` was asked for, a k that no item can serve is left out, unless none can.

    >>> from raters import examples
    >>> [e.name for e in krr_curve(examples.fleiss_1971(), ks=[3], interval=None)]
    ['IRR (k = 1)', 'k = 3']
    """
    study, exact = _study(ann, aggregate, method, coefficient, against, ties, form, draw, draws, options)
    return curve_of(study, ks, method, exact, progress, options)


def curve_of(
    study: Study, ks: Iterable[int], method: str | None, exact: bool, progress: Callable[[str], None] | None, options: Options
) -> EstimateTable:  # fmt: skip
    """The curve of a study: single labels first, then every k."""
    rows = []
    for k in sorted({1, *(_checked(k, study, method) for k in ks)}):
        if progress is not None:
            progress(f"k = {k}")
        e = _irr(study, options) if k == 1 and _is_plain(study, method) else _estimate(study, k, method, exact)
        rows.append(replace(e, name="IRR (k = 1)" if k == 1 else f"k = {k}"))
    return EstimateTable(tuple(rows))


def study_of(
    ann: Annotations,
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    coefficient: str | None = None,
    against: Annotations | None = None,
    ties: str = "random",
    **options: Unpack[Options],
) -> Study:
    """A dataset under study, for those who ask of many k."""
    return _study(ann, aggregate, None, coefficient, against, ties, "ICC(1)", None, None, options)[0]


def reliability_at(study: Study, k: int, point: bool = False) -> Estimate:
    """The reliability of k labels by one road for every k: the ICC for means, the model for all else."""
    return _estimate(study, k, "icc" if study.agg.name == "mean" else "model", False, point)


def _is_plain(study: Study, method: str | None) -> bool:
    """Whether k = 1 is the coefficient of the labels themselves, which needs no draws and no model."""
    drawn = method in ("split", "model") or (method is None and study.agg.name != "mean")
    return drawn and study.against is None and study.agg.own is None and study.agg.table is None


def _irr(study: Study, options: Options) -> Estimate:
    e = agreement(study.compared, study.req.coefficient.name, **options)
    details = {"k": 1, "method": "agreement", "aggregate": "single labels", "extrapolated": False}
    return replace(e, name="krr", title=f"The reliability of single labels ({e.title})", details=details)


def _study(
    ann: Annotations, aggregate: Any, method: str | None, coefficient: str | None, against: Annotations | None, ties: str,
    form: str, draw: str | None, draws: int | None, options: Options,
) -> tuple[Study, bool]:  # fmt: skip
    if method is not None and method not in METHODS:
        raise UsageError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}.")
    for name in ("cluster", "sample", "se", "margins"):
        if options.get(name) not in (None, "items"):
            raise UsageError(f"{name}= is not for k-rater reliability; its intervals are over items.")
    exact = options.get("interval") == "F"
    if exact and not (method in MEANS or method is None):
        raise UsageError(
            "interval='F' is for method='icc' and 'spearman_brown'; use 'bootstrap', 'bca', 'delta' or 'jackknife'."
        )
    plain: Options = {**options, "interval": "auto"} if exact else options
    req = request(coefficient or "krippendorff", **plain)
    model = model_aggregate(aggregate, ties) if isinstance(aggregate, str) and aggregate not in OWN else None
    if model is not None and (method not in (None, "split") or against is not None):
        raise UsageError(f"the reliability of {aggregate} is found by method='split'.")
    agg = model or aggregate_of(ann, "mean" if aggregate is None and method in MEANS else aggregate, ties)
    if method in MEANS and agg.name != "mean":
        raise UsageError(
            f"method={method!r} is for means of numbers; for the {agg.name} use method='split' or 'model'."
        )
    if draws is not None and not (draws >= 1 and draws == int(draws)):
        raise UsageError(f"draws={draws} is too few; leave it out, or give 100 or more.")
    return Study(ann, req, agg, form, coefficient is not None, against, draw, draws, options.get("seed", 0)), exact


def usual_k(study: Study, method: str | None) -> int:
    """The k that is meant where none is named: as many labels as items have, or half of them where only split can serve."""
    votes = method is None and study.against is None and study.agg.shares is not None
    return max(1, study.n // 2) if votes and len(study.ann.labels) > MOST_LABELS else study.n


def _checked(k: Any, study: Study, method: str | None) -> int:
    if k is None:
        return usual_k(study, method)
    if not (isinstance(k, Real) and float(k) >= 1 and float(k).is_integer()):
        raise UsageError(f"k={k} is not a number of labels: 1, 2, 3, ...")
    return int(float(k))


def _chosen(study: Study, k: int, method: str | None) -> str:
    if method is not None:
        return method
    if study.against is not None:
        return "empirical"
    if study.agg.name == "mean":
        return "icc"
    own = study.agg.own is not None or study.agg.table is not None
    return "split" if 2 * k <= study.n or own else "model"


def _estimate(study: Study, k: int, asked: str | None, exact: bool, point: bool = False) -> Estimate:
    method = _chosen(study, k, asked)
    why = unknowable(study) if method in FROM_LABELS else None
    if why is not None and (method != "split" or study.most >= 2 * k):
        return _undefined(study, k, method, why)
    stat, said, details = METHODS[method](study, k)
    beyond = method == "model" and _beyond(study, k)
    at = stat.value if method == "model" else stat.parts(stat.weight[None])  # type: ignore[attr-defined]
    value, spec = float(at.value[0]), None if point else study.req.spec
    found = NOTHING
    if spec is not None:
        if exact and method in MEANS:
            found = _by_f(study, k, spec.level)
        else:
            found = stat.range(spec.level) if beyond else interval(stat, value, _affordable(stat, spec))  # type: ignore[attr-defined]
            if method == "model" and 0 < found.low < NEAR_NOTHING and _may_be_nothing(study, spec):
                found = replace(found, low=0.0)
    if not np.isfinite(value):
        said = (*said, unknowable(study) or "the aggregates do not vary, so their reliability is undefined")
    return Estimate(
        name="krr", value=value, low=found.low, high=found.high, se=found.se, level=spec.level if spec else 0.95,
        interval=found.method or None, observed=float(at.observed[0]), expected=float(at.expected[0]),
        parts="disagreement" if study.compared.scale in ("interval", "ratio", "ordinal") else "agreement",
        n_items=int(stat.weight.sum()), n_raters=study.ann.n_raters, n_annotations=study.ann.n_annotations,
        warnings=(*said, *found.warnings), coefficient="icc" if method in MEANS and not study.coefficient_given else study.req.coefficient.name,
        weights=study.compared.scale, title=_title(study, k, method),
        details={"k": k, "method": method, "aggregate": study.agg.described, "extrapolated": beyond, **details},
    )  # fmt: skip


def _title(study: Study, k: int, method: str) -> str:
    what = ("label" if study.agg.shares is not None else "rating") + ("s" if k > 1 else "")
    return f"The reliability of the {study.agg.name} of {k:,} {what} ({_TITLES[method]})"


def _undefined(study: Study, k: int, method: str, why: str) -> Estimate:
    return Estimate(
        name="krr", value=np.nan, n_items=int(study.items.weight.sum()), n_raters=study.ann.n_raters,
        n_annotations=study.ann.n_annotations, warnings=(why,), coefficient=study.req.coefficient.name,
        weights=study.compared.scale, title=_title(study, k, method),
        details={"k": k, "method": method, "aggregate": study.agg.described, "extrapolated": False},
    )  # fmt: skip


def _may_be_nothing(study: Study, spec: IntervalSpec) -> bool:
    """Whether single labels may agree by chance alone: a mixture cannot say less than that, and its bootstrap never says it."""
    stat = study.agreement
    value = float(stat.parts(stat.weight[None]).value[0])
    return not interval(stat, value, replace(spec, method="delta")).low > 0


def _affordable(stat: Statistic, spec: IntervalSpec) -> IntervalSpec:
    """Refits of many patterns on many points take long: the delta method needs one for each pattern only."""
    if not isinstance(stat, AtK) or spec.method != "auto":
        return spec
    cells = stat.votes.mixture.effort * spec.resamples
    return replace(spec, method="delta") if cells > MOST_REFITS else spec


_TITLES = {"empirical": "two replications", "split": "split halves", "bootstrap": "bootstrap", "icc": "ICC",
           "spearman_brown": "Spearman-Brown", "model": "model"}  # fmt: skip


def _icc(study: Study, k: int) -> Found:
    check_numbers(study.ann, "an intraclass correlation")
    stat = study.single
    return Prophecy(stat, k), () if study.form == "ICC(1)" else study.matrix.warnings, {"form": study.form}


def _spearman_brown(study: Study, k: int) -> Found:
    if not study.coefficient_given:
        return _icc(study, k)
    return Prophecy(study.agreement, k), (), {}


def _by_f(study: Study, k: int, level: float) -> Interval:
    """The Spearman-Brown image of the ICC's own limits."""
    if study.coefficient_given:
        raise UsageError("interval='F' is for the ICC; leave coefficient= out, or use 'bootstrap'.")
    form = next(f for f in FORMS if f.name == study.form)
    m = read_one_way(study.ann) if study.form == "ICC(1)" else read_two_way(study.ann, "complete")[0]
    low, high = form.limits(m, float(form.value(m)), level)
    return Interval(float(spearman_brown(low, k)), float(spearman_brown(high, k)), np.nan, form.interval)


def _split(study: Study, k: int) -> Found:
    said = reachable(study, k, 2 * k, "split")
    if study.agg.table is not None:
        stat, n = split_tables(study.req, study.ann, study.agg, k, study.draws, study.seed)
        return stat, said, {"draws": n}
    b, drawn = split(study.items, k)
    stat, n = statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)
    return stat, said, {"draws": n}


def _bootstrap(study: Study, k: int) -> Found:
    b, drawn = resampled(study.items, k)
    stat, n = statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)
    details: dict[str, Any] = {"draws": n}
    said = "bootstrap samples repeat an item's own labels, so this is biased upward"
    if study.agg.name == "mean":
        r = float(study.single.parts(study.single.weight[None]).value[0])
        limit = r + (1 - r) / study.n
        details["limit"] = limit / (limit + (1 - r) * (study.n - 1) / (study.n * k))
        said += f": with ICC(1) = {r:.4f} it tends to {details['limit']:.4f}, and the reliability is {float(spearman_brown(r, k)):.4f}"
    return stat, (said,), details


def _empirical(study: Study, k: int) -> Found:
    both = study.replications
    b, drawn = both.pairs(k)
    ann = replace(both.ann, scale=study.compared.scale)
    stat, n = statistic_of(study.req, ann, study.agg, b, drawn, study.draws or 200, study.seed)
    return stat, both.warnings, {"draws": n, "draw": "columns" if both.by_column else "items"}


def _beyond(study: Study, k: int) -> bool:
    """Whether the labels of an item leave the reliability of k undetermined."""
    return 2 * as_good_as(study.agg, k, len(study.ann.labels)) > study.n


def _model(study: Study, k: int) -> Found:
    said: tuple[str, ...] = ()
    beyond = _beyond(study, k)
    if beyond:
        said = (
            f"extrapolated: {study.n} labels per item determine the model up to k = {study.n // 2}; "
            "the interval is the range of what the data allow",
        )
    return study.votes.at(k, beyond), said, goodness(study)


METHODS: Mapping[str, Callable[[Study, int], Found]] = {
    "empirical": _empirical, "split": _split, "bootstrap": _bootstrap, "icc": _icc, "spearman_brown": _spearman_brown, "model": _model,
}  # fmt: skip
