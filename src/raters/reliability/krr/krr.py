"""k-rater reliability: how reliable is the aggregate of k labels?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import NDArray

from raters.agree.agreement_spec import request
from raters.agree.explaining import limits
from raters.annotations import Annotations
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable, name_of
from raters.inference.limits import refuse_many, spec_for
from raters.io.any_table import Source, table
from raters.items.subsets import parts_by, thinned
from raters.notes.note import Note, refused
from raters.options import asks, filled, given_to
from raters.options.declared import Inference, Weighing
from raters.reliability.krr.aggregates import Aggregate, aggregate_of
from raters.reliability.krr.methods import MEANS, METHODS, chosen_method, estimate, is_single, single_labels
from raters.reliability.krr.resampling import model_aggregate
from raters.reliability.krr.study import Study
from raters.reliability.krr.validity import validity
from raters.reliability.krr.vote_model.model import MOST_LABELS
from raters.reliability.variance.components import of_means
from raters.spans.asking import or_of_spans
from raters.spans.comparing import krr as krr_of_spans

OWN = ("mean", "median", "majority")


class Options(Weighing, Inference, total=False):
    """How labels are compared, and the interval, which is always over items."""


def study_asked(
    ann: Annotations,
    aggregate: Any,
    method: str | None,
    coefficient: str | None,
    against: tuple[Annotations, ...] | None,
    ties: str,
    form: str,
    draw: str | None,
    draws: int | None,
    options: Options,
) -> tuple[Study, bool]:
    """The study that these options describe, and whether its intervals are the ICC's own."""
    _check(method, options)
    exact = options.get("interval") == "F"
    plain: Options = {**options, "interval": "auto"} if exact else options
    req = request(coefficient or "krippendorff", **plain)
    agg = _aggregate(ann, aggregate, method, against, ties)
    if draws is not None and not (draws >= 1 and draws == int(draws)):
        raise UsageError(f"replications={draws} is too few; omit it, or use 100 or more.")
    refuse_many("replications", draws or 0)
    return Study(ann, req, agg, form, coefficient is not None, against, draw, draws, options.get("seed", 0)), exact


def _check(method: str | None, options: Options) -> None:
    if method is not None and method not in METHODS:
        raise UsageError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}.")
    if options.get("interval") == "F" and method not in (None, *MEANS):
        raise UsageError(
            "interval='F' applies to method='icc' and 'spearman_brown'; use 'bootstrap', 'bca', 'delta' or 'jackknife'."
        )


def _aggregate(
    ann: Annotations, aggregate: Any, method: str | None, against: tuple[Annotations, ...] | None, ties: str
) -> Aggregate:
    """The named aggregate, or the default of the method or the scale; not every method takes every aggregate."""
    if isinstance(aggregate, str) and aggregate not in OWN:
        model = model_aggregate(aggregate, ties)
        if model is not None:
            if method not in (None, "split") or against is not None:
                raise UsageError(f"the reliability of {aggregate} is computed by method='split'.")
            return model
    agg = aggregate_of(ann, "mean" if aggregate is None and method in MEANS else aggregate, ties)
    if method in MEANS and not agg.averages:
        raise UsageError(
            f"method={method!r} applies to means of numbers; for the {agg.name}, use method='split' or 'model'."
        )
    return agg


Others = tuple[Annotations, ...] | None


def slices(ann: Annotations, against: Others, by: str | None) -> Iterator[tuple[Any, Annotations, Others]]:
    """Each slice with its replications; a replication without the column is compared on the shared items."""
    if by is None:
        yield None, ann, against
        return
    if by in ("rater", "label") or by in ann.columns:
        raise UsageError(f"by={by!r} would leave one {by} in each slice; pass a column about items, such as a topic.")
    own = parts_by(ann, by)
    others = [parts_by(other, by) if by in other.extras else None for other in against or ()]
    for value, part in own.items():
        there = [o if p is None else p.get(value) for o, p in zip(against or (), others, strict=True)]
        yield value, part, tuple(o for o in there if o is not None) or None


def few_ratings(ann: Annotations, ratings: Any, method: str | None, seed: int) -> tuple[Annotations, Note]:
    """A table with ``ratings`` random ratings of each item, and the note about it."""
    if method not in (None, "spearman_brown"):
        raise UsageError(
            f"ratings= applies to method='spearman_brown', which predicts any k from a few ratings; {method!r} uses all"
            " ratings."
        )
    if isinstance(ratings, bool) or not (isinstance(ratings, int) and ratings >= 2):
        raise UsageError(f"ratings={ratings!r}: at least two ratings per item are needed to measure agreement.")
    part, fewer = thinned(ann, ratings, seed)
    few = {"ratings": ratings}
    return part, Note("random_ratings_fewer", {**few, "fewer": fewer}) if fewer else Note("random_ratings", few)


def told(e: Estimate, ratings: Any, said: Note | None) -> Estimate:
    """An estimate from a few ratings, with a note that says so."""
    return e if said is None else replace(e, notes=(said, *e.notes), details={**e.details, "ratings": ratings})


Figure = float | Estimate | Sequence[float]
"""A reliability of single ratings: a number, an estimate, or value, low and high."""
ONLY_MEANS = Note("only_means")


def figure_of(irr: Figure) -> tuple[float, float, float]:
    """Value, low and high; unknown limits are nan.

    >>> figure_of(0.43), figure_of((0.43, 0.38, 0.48))
    ((0.43, nan, nan), (0.43, 0.38, 0.48))
    """
    if isinstance(irr, Estimate):
        value, low, high = irr.value, irr.low, irr.high
    elif isinstance(irr, Sequence):
        if len(irr) != 3:
            raise UsageError(f"irr={irr!r}: pass a number, or three: value, low, high.")
        value, low, high = (float(x) for x in irr)
    else:
        value, low, high = float(irr), math.nan, math.nan
    if not -1 <= value < 1 and value != 1:
        raise UsageError(f"irr={value:g} is not a reliability, which lies between -1 and 1.")
    if math.isfinite(low) and not low <= value <= high <= 1:
        raise UsageError(f"irr={value:g},{low:g},{high:g}: the value must lie between its limits.")
    return value, low, high


def from_figure(irr: Figure, k: int | None, level: float = 0.95) -> Estimate:
    """The reliability of the mean of k ratings, given that of one."""
    if k is None:
        raise UsageError("irr= is the reliability of one rating; also pass the number of ratings to average: k=5.")
    value, low, high = figure_of(irr)
    low, high = (float(of_means(x, k)) if math.isfinite(x) else math.nan for x in (low, high))
    said: tuple[Note, ...] = (ONLY_MEANS,)
    if math.isfinite(low):
        said = (*said, Note("published_limits"))
    if value <= 0:
        said = (*said, Note("never_above_0"))
    details: dict[str, Any] = {
        "k": k,
        "method": "spearman_brown",
        "aggregate": "mean",
        "extrapolated": True,
        "irr": value,
    }
    what = "rating" if k == 1 else "ratings"
    return Estimate(
        "krr",
        float(of_means(value, k)),
        low,
        high,
        level=level,
        interval="published" if math.isfinite(low) else None,
        coefficient="published",
        notes=said,
        title=(
            f"The reliability of the mean of {k:,} {what} (Spearman-Brown from the published {value:g}: means of"
            " numbers only)"
        ),
        details=details,
    )


Array = NDArray[Any]


class KrrOptions(Options, total=False):
    """The options of :func:`krr`, for type checkers."""

    irr: Figure | None
    aggregate: str | Callable[[Array], Array] | None
    method: str | None
    coefficient: str | None
    against: Source | Sequence[Source] | None
    gold: Any
    ratings: int | None
    ties: str
    form: str
    draw: str | None
    replications: int | None


if TYPE_CHECKING:

    @overload
    def krr(
        ann: Source | None = ..., k: int | None = ..., *, by: None = ..., **options: Unpack[KrrOptions]
    ) -> Estimate: ...
    @overload
    def krr(
        ann: Source | None = ..., k: int | None = ..., *, by: str, **options: Unpack[KrrOptions]
    ) -> EstimateTable: ...


@or_of_spans(krr_of_spans)
@asks()
def krr(
    ann: Source | None = None,
    k: int | None = None,
    *,
    irr: Figure | None = None,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | None = None,
    coefficient: str | None = None,
    against: Source | Sequence[Source] | None = None,
    gold: Any = None,
    ratings: int | None = None,
    by: str | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    replications: int | None = None,
    **options: Unpack[Options],
) -> Estimate | EstimateTable:
    """Estimate the reliability of the aggregate of k labels: chance-corrected agreement between two replications of it.

    ``k``: labels per aggregate; by default the median number of labels per item. ``aggregate``: ``"mean"``,
    ``"median"``, ``"majority"``, a consensus model (``"dawid_skene"``: fitted to each half), or a function from an
    array (row, k) of labels to one label per row; the default follows the scale. ``ties``: ``random``, ``first``,
    ``last`` or ``abstain``, for majority and the median of labels.

    ``method``: ``empirical`` (replications: ``against=``, a table or a list of them), ``split`` (two disjoint draws of
    k from each item), ``bootstrap`` (draws with replacement: biased upward), ``icc``, ``spearman_brown`` (means of
    numbers, any k; computed from ``ratings`` random ratings of each item, if given), ``model`` (any k: the distribution
    over items' label distributions). Default: ``empirical`` if ``against`` is given, ``icc`` for means, otherwise
    ``split`` up to half the labels per item and ``model`` beyond.

    ``coefficient``: by default, Krippendorff's alpha; ``form``: the ICC of single ratings on which ``icc`` is based. ``replications``: the number of random draws over which ``empirical``, ``split``
    and ``bootstrap`` average. Intervals are over items (``interval="F"``: the ICC's own); beyond half the labels per
    item, ``model`` gives the range that the data allow.

    ``by``: a column; the result is a table with one estimate for each of its values. ``irr``, instead of a table: the
    reliability of single ratings as a paper states it, or (value, low, high); the result follows by Spearman-Brown.

    ``gold`` (item -> answer, a table or a file): validity instead of reliability, that is, how far the aggregate of k
    labels agrees with known answers: the correlation for means, for votes ``coefficient`` (``percent`` by default).

    >>> from raters import examples
    >>> one = krr(examples.fleiss_1971(), k=1, interval=None)
    >>> three = krr(examples.fleiss_1971(), k=3, interval=None)
    >>> one.value < three.value, three.details["method"]
    (True, 'split')
    >>> round(krr(irr=0.43, k=5).value, 3)
    0.79

    Wong & Paritosh (2022), ACL, 378-384.
    """
    if irr is not None:
        return from_figure(irr, no_data(ann, k), options.get("level", 0.95))
    ask = Asking(aggregate, method, coefficient, ratings, ties, form, draw, replications, options)
    if gold is not None:
        study = ask.for_gold(table(ann), against, by)
        return replace(ask.with_gold(study, gold, [usual_k(study, None) if k is None else k])[0], name="krr")

    def one(part: Annotations, others: Others, beside: bool = False) -> Estimate:
        study, exact, said = ask.study(part, others)
        labels = _checked(k, study, ask.method)
        found = told(estimate(study, labels, ask.method, exact), ratings, said)
        return with_one_label(found, study, labels, ask.method, exact) if beside else found

    whole = table(ann)
    if by is None:
        return one(whole, _others(against), beside=True)
    rows = [_row(one, value, part, others, by) for value, part, others in slices(whole, _others(against), by)]
    return EstimateTable(tuple(rows), of=by)


@asks()
def krr_curve(
    ann: Source | None = None,
    ks: Iterable[int] = range(1, 26),
    *,
    irr: Figure | None = None,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | Sequence[str] | None = None,
    coefficient: str | None = None,
    against: Source | Sequence[Source] | None = None,
    gold: Any = None,
    ratings: int | None = None,
    by: str | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    replications: int | None = None,
    **options: Unpack[Options],
) -> EstimateTable:
    """Estimate k-rater reliability over a range of k; the first row is the reliability of single labels (IRR, k = 1).

    Options as in :func:`krr`; the data are read and fitted once. With ``gold=``, means also have the row ``k = all``:
    the correlation that a mean without noise would have (disattenuated).
    With ``split``, a k for which no item has enough labels is omitted, unless no k is possible. With several methods
    (``method=["empirical", "icc", "spearman_brown"]``) or ``by=``, there is a curve for each, in one table and one
    chart; ``ratings`` then applies to ``spearman_brown`` only. Wong and Paritosh's Figure 1 is
    ``krr_curve(x, range(1, 14), against=y, method=["empirical", "icc", "spearman_brown"], ratings=2).plot()``.

    >>> from raters import examples
    >>> [e.name for e in krr_curve(examples.fleiss_1971(), ks=[3], interval=None)]
    ['IRR (k = 1)', 'k = 3']
    """
    if irr is not None:
        no_data(ann, 1)
        return EstimateTable(
            tuple(_named(from_figure(irr, k, options.get("level", 0.95))) for k in sorted({1, *ks})), of="k"
        )
    if gold is not None:
        ask = Asking(aggregate, method, coefficient, ratings, ties, form, draw, replications, options)  # type: ignore[arg-type]
        return ask.with_gold(ask.for_gold(table(ann), against, by), gold, ks)
    several = not (method is None or isinstance(method, str))
    if several and by is not None:
        raise UsageError("by= and several methods would make a grid of curves; pass only one of them.")
    whole, others, ks = table(ann), _others(against), list(ks)
    curves: dict[str, EstimateTable] = {}
    for name in list(method) if several else [method]:  # type: ignore[arg-type]
        some = ratings if not several or name == "spearman_brown" else None
        ask = Asking(aggregate, name, coefficient, some, ties, form, draw, replications, options)  # type: ignore[arg-type]
        for value, part, theirs in slices(whole, others, by):
            study, exact, said = ask.study(part, theirs if not several or name == "empirical" else None)
            made = curve_of(study, ks, ask.method, exact)
            title = str(name) if several else name_of(value)
            curves[title] = replace(made, estimates=tuple(told(e, some, said) for e in made))
    if not several and by is None:
        return next(iter(curves.values()))
    return EstimateTable(tuple(_series(e, title, by) for title, made in curves.items() for e in made), of="k")


@dataclass(frozen=True)
class Asking:
    """The options of a call, whatever the table."""

    aggregate: str | Callable[[Array], Array] | None
    given: str | None
    coefficient: str | None
    ratings: int | None
    ties: str
    form: str
    draw: str | None
    replications: int | None
    options: Options

    @property
    def method(self) -> str | None:
        return self.given if self.ratings is None else "spearman_brown"

    def study(self, ann: Annotations, against: Others) -> tuple[Study, bool, Note | None]:
        """The study of one table, whether its intervals are the ICC's own, and the note about the ratings drawn."""
        said = None
        if self.ratings is not None:
            ann, said = few_ratings(ann, self.ratings, self.given, self.options.get("seed", 0))
        study, exact = study_asked(
            ann,
            self.aggregate,
            self.method,
            self.coefficient,
            against,
            self.ties,
            self.form,
            self.draw,
            self.replications,
            self.options,
        )
        return replace(study, ratings=self.ratings), exact, said

    def for_gold(self, ann: Annotations, against: Any, by: str | None) -> Study:
        """The study of one table for known answers; an error for options that do not apply to them."""
        usual: Any = filled(Options, {})
        given = {"method": self.given, "against": against, "ratings": self.ratings, "by": by, "draw": self.draw}
        given |= {"replications": self.replications, "form": self.form if self.form != "ICC(1)" else None}
        given |= {name: value for name, value in self.options.items() if name not in Inference.__annotations__}
        for name, value in given.items():
            if value is not None and value != usual.get(name):
                raise UsageError(f"{name}= does not apply to krr with known answers (gold=); omit it.")
        return study_of(ann, aggregate=self.aggregate, ties=self.ties, seed=self.options.get("seed", 0))

    def with_gold(self, study: Study, gold: Any, ks: Iterable[int]) -> EstimateTable:
        """How far the aggregates of k labels agree with known answers."""
        spec = spec_for(given_to(Inference, self.options))
        ks, most = list(ks), study.ann.used.per_item[2]
        possible = ks if study.agg.averages else [k for k in ks if k <= most]
        return validity(study, gold, possible or ks, self.coefficient or "percent", spec)


def _row(
    one: Callable[[Annotations, Others], Estimate], value: Any, part: Annotations, others: Others, by: str
) -> Estimate:
    """The estimate of one slice; if a slice is too small, its row says so, and the other slices are unaffected."""
    try:
        e = one(part, others)
    except DataError as error:
        e = Estimate("krr", nan, n_items=part.n_items, n_annotations=part.n_annotations, notes=(refused(error),))
    return replace(e, name=name_of(value), by=by)


def _series(e: Estimate, title: str, by: str | None) -> Estimate:
    return replace(e, name=f"{title}: {e.name}", by=by, details={**e.details, "series": title})


def _named(e: Estimate) -> Estimate:
    k = e.details["k"]
    return replace(e, name="IRR (k = 1)" if k == 1 else f"k = {k}")


def no_data(ann: Any, k: int | None) -> int | None:
    """Check that a published figure was passed without a table."""
    if ann is not None:
        raise UsageError("pass a table or irr=, not both: irr= is for a published figure without its data.")
    return k


def _others(against: Source | Sequence[Source] | None) -> Others:
    """The tables of the replications: one, or a list of tables or paths, which differs from the rows of one table."""
    if against is None:
        return None
    if isinstance(against, list | tuple) and all(isinstance(x, Annotations | str | PathLike) for x in against):
        return tuple(map(table, against))
    return (table(against),)


def curve_of(
    study: Study,
    ks: Iterable[int],
    method: str | None,
    exact: bool,
    progress: Callable[[str], None] | None = None,
) -> EstimateTable:
    """The curve of a study: single labels first, then every k."""
    rows = []
    for k in sorted({1, *(_checked(k, study, method) for k in ks)}):
        if progress is not None:
            progress(f"k = {k}")
        alone = k == 1 and is_single(study, 1, chosen_method(study, 1, method))
        e = single_labels(study) if alone else estimate(study, k, method, exact)
        rows.append(_named(replace(e, details={**e.details, "k": k})))
    return EstimateTable(tuple(rows), of="k")


def study_of(
    ann: Annotations,
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    coefficient: str | None = None,
    against: tuple[Annotations, ...] | None = None,
    ties: str = "random",
    **options: Unpack[Options],
) -> Study:
    """A dataset prepared for questions about many k."""
    return study_asked(ann, aggregate, None, coefficient, against, ties, "ICC(1)", None, None, options)[0]


def reliability_at(study: Study, k: int, wanted: str = "value") -> Estimate:
    """The reliability of k labels for a search over k of the value, the low or the high limit: as :func:`krr` gives it,
    of aggregates that any k has.
    """
    any_k = study.agg.own is None and study.agg.table is None
    return estimate(study, k, None if any_k else "model", False, wanted == "value", wanted)


MOST_K = 1_000_000


def usual_k(study: Study, method: str | None) -> int:
    """The default k: the number of labels per item, or half of it if only split is possible."""
    votes = method is None and study.against is None and study.agg.shares is not None
    return max(1, study.n // 2) if votes and len(study.ann.labels) > MOST_LABELS else study.n


def with_one_label(e: Estimate, study: Study, k: int, method: str | None, exact: bool) -> Estimate:
    """The reliability of k labels with that of one label beside it, as the paper advises, where that takes no draws."""
    chosen = chosen_method(study, 1, method)
    if is_single(study, k, chosen_method(study, k, method)) or not (is_single(study, 1, chosen) or chosen in MEANS):
        return e
    try:
        alone = single_labels(study) if is_single(study, 1, chosen) else estimate(study, 1, method, exact)
    except UsageError:  # cohen and scott compare two aggregates, but not the single labels of more than two raters
        return e
    if not math.isfinite(alone.value):
        return e
    return replace(e, notes=(*e.notes, Note("one_label_alone", {"value": alone.value, "limits": limits(alone)})))


def _checked(k: Any, study: Study, method: str | None) -> int:
    if k is None:
        return usual_k(study, method)
    if not (isinstance(k, Real) and float(k) >= 1 and float(k).is_integer()):
        raise UsageError(f"k={k} is not a number of labels: 1, 2, 3, ...")
    if float(k) > MOST_K:
        raise UsageError(f"k={k} is more than {MOST_K:,} labels per item, which is not realistic.")
    return int(float(k))
