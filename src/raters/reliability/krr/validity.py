"""Validity, as opposed to reliability: how far the mean or the vote of k labels agrees with experts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import request
from raters.annotations import Annotations
from raters.coefficients.base import safe_divide
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.reliability.krr.aggregates import answers
from raters.reliability.krr.ceilings import Beside, beside, scores_of
from raters.reliability.krr.krr import study_of
from raters.reliability.krr.resampling import bags, collected
from raters.reliability.krr.study import Study

Array = NDArray[Any]
DRAWS = 100
MOST_DRAWN = 4_000_000
"""Largest total number of drawn labels; with many items, each gets fewer draws."""


@takes_tables(keep=(Mapping,))
def validity(
    ann: Source,
    gold: Any,
    ks: Iterable[int] = range(1, 11),
    *,
    aggregate: str | None = None,
    coefficient: str = "percent",
    ties: str = "random",
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> EstimateTable:
    r"""Estimate how far the aggregate of k labels agrees with known answers, over k: validity, as opposed to
    reliability (kRR).

    ``gold``: item -> answer, a table or a file. **Means**: the correlation of the mean of k ratings with the answers,
    for every k exactly (the mean of k of an item's n ratings varies by :math:`s^2 (1/k - 1/n)` around the mean of all),
    and in the last row its limit, ``k = all``: the correlation that a mean without noise would have (disattenuated).
    **Votes**: agreement (``coefficient``: percent, or cohen) of the vote of k with the answers, over random draws of k
    of the item's labels.

    >>> import raters
    >>> x = raters.read([[1, 2], [2, 4], [5, 5], [7, 6]], layout="wide", scale="interval")
    >>> [e.name for e in validity(x, {1: 1, 2: 3, 3: 5, 4: 8}, [1, 2], interval=None)]
    ['k = 1', 'k = 2', 'k = all']

    Snow, O'Connor, Jurafsky & Ng (2008), EMNLP, 254-263.
    """
    ann = table(ann)
    spec = (
        None
        if interval is None
        else IntervalSpec("bootstrap" if interval == "auto" else interval, level, resamples, seed)
    )
    study = study_of(ann, aggregate=aggregate, ties=ties, seed=seed)
    known = {"gold": _gold(gold)}
    chosen = sorted({_whole(k) for k in ks})
    if study.agg.name == "mean":
        there = beside(ann, known, numbers=True)
        rows = [_of_means(ann, there, k, spec) for k in [*map(float, chosen), math.inf]]
    else:
        if study.agg.shares is None or study.agg.numbers is not None:
            raise UsageError("validity applies to means and votes: use aggregate='majority', or 'mean' for numbers.")
        there = beside(ann, known, numbers=False)
        rows = [_of_votes(study, there, k, coefficient, spec) for k in chosen]
    return EstimateTable(tuple(rows), of="k")


def _whole(k: Any) -> int:
    if isinstance(k, bool) or not (isinstance(k, int | np.integer) and k >= 1):
        raise UsageError(f"ks: {k!r} is not a number of labels: 1, 2, 3, ...")
    return int(k)


def _gold(gold: Any) -> Mapping[Any, Any]:
    if isinstance(gold, Mapping):
        return gold
    found = scores_of(gold)
    if len(found) != 1:
        raise UsageError(f"gold: {len(found)} columns of answers, but exactly one is needed; pass item -> answer.")
    return next(iter(found.values()))


def _of_means(ann: Annotations, there: Beside, k: float, spec: IntervalSpec | None) -> Estimate:
    values = ann.keys.astype(float)
    values = (values - values.mean()) / (values.std() or 1.0)
    counts = there.items.merged().counts
    n = np.asarray(counts.sum(1)).ravel()
    m = counts @ values / n
    with np.errstate(invalid="ignore", divide="ignore"):
        noise = np.where(n > 1, (counts @ values**2 - n * m**2) / (n - 1), np.nan)
    several = n > 1
    # if k is more than an item has, the mean of k is less noisy than the observed mean
    squares = m**2 + (1 / k - 1 / n) * np.where(several, noise, noise[several].mean() if several.any() else np.nan)
    g = there.answers["gold"]
    g = g - g.mean()
    terms = np.stack([np.ones_like(m), m, squares, g, g**2, g * m], -1)

    def correlation(sums: Array) -> Array:
        one, a, aa, b, bb, ab = np.moveaxis(sums, -1, 0)
        va, vb = aa - safe_divide(a * a, one), bb - safe_divide(b * b, one)
        return np.asarray(
            safe_divide(ab - safe_divide(a * b, one), np.sqrt(np.where(np.real(va) > 0, va * vb, np.nan)))
        )

    stat = Linear(np.ones(len(m)), terms, lambda sums: value_alone(correlation(sums)))
    value = float(correlation((np.ones(len(m)) @ terms)[None])[0])
    limit = math.isinf(k)
    said = there.warnings
    if not limit and k > n.min():
        said = (
            *said,
            (
                f"k is more than the {int(n.min())} ratings that some items have: extrapolated from the noise of the"
                " ratings"
            ),
        )
    title = (
        "correlation of a mean without noise with the known answers (disattenuated)"
        if limit
        else f"correlation of the mean of {k:.0f} ratings with the known answers"
    )
    if not np.isfinite(value):
        said = (*said, "noise explains all the differences between item means, so the correlation is undefined")
    return _estimate("k = all" if limit else f"k = {k:.0f}", value, stat, spec, title, said, {"k": k})


def _of_votes(study: Study, there: Beside, k: int, coefficient: str, spec: IntervalSpec | None) -> Estimate:
    req = request(coefficient, interval=None)
    b = bags(there.items, k)
    kept = np.flatnonzero(there.items.merged().per_item >= k)
    if len(kept) < 2:
        raise DataError(f"k={k}: {len(kept)} items have {k} labels; the most is {int(there.items.per_item.max())}.")
    rng = np.random.default_rng(study.seed)
    draws = int(np.clip(MOST_DRAWN // max(b.codes.size, 1), 5, DRAWS))
    codes = b.without(k, draws, rng).reshape(-1, k)
    vote = answers(study.agg, codes, study.ann.keys, rng).reshape(draws, len(kept))
    gold = there.answers["gold"][kept].astype(int)
    unknown = int((gold < 0).sum())
    known = np.flatnonzero(gold >= 0)
    if len(known) < 2:
        raise DataError("none of the known answers is a label of this table; spell them the same way.")
    parts = [(np.arange(len(known)), vote[:, known], np.tile(gold[known], (draws, 1)))]
    stat = collected(req, study.ann, study.agg, np.ones(len(known)), parts)
    value = float(stat.parts(stat.weight[None]).value[0])
    said = there.warnings
    if len(kept) < len(there.items.weight):
        said = (*said, f"from the {len(kept):,} of {len(there.items.weight):,} items that have {k} labels or more")
    if unknown:
        said = (*said, f"{unknown:,} items whose known answer no rater ever gave are left out")
    title = (
        f"{req.coefficient.title} of the {study.agg.name} of {k} label{'' if k == 1 else 's'} with the known answers"
    )
    return _estimate(f"k = {k}", value, stat, spec, title, said, {"k": k, "draws": draws}, req.coefficient.name)


def _estimate(
    name: str,
    value: float,
    stat: Statistic,
    spec: IntervalSpec | None,
    title: str,
    said: tuple[str, ...],
    details: Any,
    coefficient: str = "correlation",
) -> Estimate:
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        level=spec.level if spec else 0.95,
        interval=found.method or None,
        n_items=int(stat.weight.sum()),
        title=title,
        coefficient=coefficient,
        warnings=(*said, *found.warnings),
        details=details,
    )
