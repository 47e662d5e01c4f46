"""k-rater reliability: how reliable is the aggregate of k labels?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Unpack

from numpy.typing import NDArray

from raters.agree.request import DEFAULTS, Options
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.reliability.krr.estimating import chosen_method, estimate, is_single, single_labels
from raters.reliability.krr.request import study_asked
from raters.reliability.krr.study import Study
from raters.reliability.krr.vote_model.model import MOST_LABELS
from raters.tables import Source, table, takes_tables

Array = NDArray[Any]
takes_options = partial(
    takes_tables, "ann", "against", options=Options, defaults=DEFAULTS, renamed={"draws": "replications"}
)


@takes_options()
def krr(
    ann: Source,
    k: int | None = None,
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | None = None,
    coefficient: str | None = None,
    against: Source | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    replications: int | None = None,
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
    ``replications``: how many random draws ``empirical``, ``split`` and ``bootstrap`` average. Intervals are over items
    (``interval="F"``: the ICC's own); beyond half the labels per item, ``model`` gives the range that the data allow.

    >>> from raters import examples
    >>> one = krr(examples.fleiss_1971(), k=1, interval=None)
    >>> three = krr(examples.fleiss_1971(), k=3, interval=None)
    >>> one.value < three.value, three.details["method"]
    (True, 'split')

    Wong & Paritosh (2022), ACL, 378-384.
    """
    study, exact = study_asked(
        table(ann), aggregate, method, coefficient, _other(against), ties, form, draw, replications, options
    )
    return estimate(study, _checked(k, study, method), method, exact)


@takes_options()
def krr_curve(
    ann: Source,
    ks: Iterable[int] = range(1, 26),
    *,
    aggregate: str | Callable[[Array], Array] | None = None,
    method: str | None = None,
    coefficient: str | None = None,
    against: Source | None = None,
    ties: str = "random",
    form: str = "ICC(1)",
    draw: str | None = None,
    replications: int | None = None,
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
    study, exact = study_asked(
        table(ann), aggregate, method, coefficient, _other(against), ties, form, draw, replications, options
    )
    return curve_of(study, ks, method, exact, progress)


def _other(against: Source | None) -> Annotations | None:
    return None if against is None else table(against)


def curve_of(
    study: Study, ks: Iterable[int], method: str | None, exact: bool, progress: Callable[[str], None] | None
) -> EstimateTable:  # fmt: skip
    """The curve of a study: single labels first, then every k."""
    rows = []
    for k in sorted({1, *(_checked(k, study, method) for k in ks)}):
        if progress is not None:
            progress(f"k = {k}")
        alone = k == 1 and is_single(study, 1, chosen_method(study, 1, method))
        e = single_labels(study) if alone else estimate(study, k, method, exact)
        rows.append(replace(e, name="IRR (k = 1)" if k == 1 else f"k = {k}"))
    return EstimateTable(tuple(rows), of="k")


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
    return study_asked(ann, aggregate, None, coefficient, against, ties, "ICC(1)", None, None, options)[0]


def reliability_at(study: Study, k: int, point: bool = False) -> Estimate:
    """The reliability of k labels by one road for every k: the ICC for means, the model for all else."""
    return estimate(study, k, "icc" if study.agg.name == "mean" else "model", False, point)


MOST_K = 1_000_000


def usual_k(study: Study, method: str | None) -> int:
    """The k that is meant where none is named: as many labels as items have, or half of them where only split can serve."""
    votes = method is None and study.against is None and study.agg.shares is not None
    return max(1, study.n // 2) if votes and len(study.ann.labels) > MOST_LABELS else study.n


def _checked(k: Any, study: Study, method: str | None) -> int:
    if k is None:
        return usual_k(study, method)
    if not (isinstance(k, Real) and float(k) >= 1 and float(k).is_integer()):
        raise UsageError(f"k={k} is not a number of labels: 1, 2, 3, ...")
    if float(k) > MOST_K:
        raise UsageError(f"k={k} is more than {MOST_K:,} labels for an item; nobody collects as many.")
    return int(float(k))
