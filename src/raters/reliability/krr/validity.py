"""Validity, as opposed to reliability: how far the mean or the vote of k labels agrees with experts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import request
from raters.annotations import Annotations
from raters.coefficients.base import safe_divide
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.io.read import read
from raters.items import Items
from raters.items.align import items_by_name
from raters.items.folding import check_repeats
from raters.notes.note import Note
from raters.reliability.krr.aggregates import answers
from raters.reliability.krr.resampling import bags, collected
from raters.reliability.krr.study import Study

Array = NDArray[Any]
Scores = Mapping[str, Mapping[Any, Any]]
DRAWS = 100
MOST_DRAWN = 4_000_000
"""Largest total number of drawn labels; with many items, each gets fewer draws."""


@dataclass(frozen=True)
class Beside:
    """The items that people labelled and every system answered."""

    items: Items
    answers: Mapping[str, Array]
    """For each system, (item,): numbers, or codes of labels (-1 for a label that is not on the scale)."""
    left_out: int
    """Items that people labelled but some system did not answer."""

    @property
    def notes(self) -> tuple[Note, ...]:
        n = len(self.items.weight)
        return (Note("answered_items", {"n": n, "of": n + self.left_out}),) if self.left_out else ()


def scores_of(given: Any) -> Scores:
    """Systems by name: a mapping of mappings, a table with a rater for each system, or a file with a column for
    each.
    """
    if isinstance(given, Mapping):
        if not all(isinstance(one, Mapping) for one in given.values()):
            raise UsageError("systems= takes name -> {item: score}, a table of item, system and score, or a file.")
        return given
    ann = given if isinstance(given, Annotations) else _read(given)
    names, items = items_by_name(ann, "rater")
    found: dict[str, dict[Any, Any]] = {str(g): {} for g in items.groups}
    counts = items.counts.tocoo()
    for row, column in zip(counts.row.tolist(), counts.col.tolist(), strict=True):
        found[str(items.groups[column // items.width])][names[row]] = items.labels[column % items.width]
    return found


def _read(given: str | PathLike[str]) -> Annotations:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scale of scores does not matter
        return read(given, layout="wide")


def beside(ann: Annotations, systems: Scores, numbers: bool) -> Beside:
    """Align systems with the items of a table; items match by name, or by its text."""
    check_repeats(ann, None, None)
    names, items = items_by_name(ann)
    by_text = {str(name): i for i, name in enumerate(names)}
    code = {str(label): k for k, label in enumerate(ann.labels)}
    answers = {}
    for system, said in systems.items():
        column = np.full(len(names), np.nan)
        for item, answer in said.items():
            at = by_text.get(str(item))
            if at is not None and answer is not None:
                column[at] = _number(system, item, answer) if numbers else code.get(str(answer), -1)
        answers[str(system)] = column
        if np.isnan(column).all():
            few = listed([str(x) for x in list(said)[:3]])
            raise DataError(
                f"{system} answers no item of {ann.source}: its items are like {few}, those of the table like"
                f" {listed(list(by_text)[:3])}."
            )
    there = ~np.isnan(np.stack(list(answers.values()))).any(0) if answers else np.ones(len(names), bool)
    if there.sum() < 4:
        raise DataError(
            f"{int(there.sum())} items have labels and an answer from every system; at least four are needed."
        )
    kept = np.flatnonzero(there)
    return Beside(items.where(kept), {s: a[kept] for s, a in answers.items()}, len(names) - len(kept))


def _number(system: Any, item: Any, answer: Any) -> float:
    try:
        return float(answer)
    except (TypeError, ValueError):
        raise DataError(f"the score {brief(answer)} of {system} for item {brief(item)} is not a number.") from None


def validity(study: Study, gold: Any, ks: Iterable[int], coefficient: str, spec: IntervalSpec | None) -> EstimateTable:
    r"""Estimate how far the aggregate of k labels agrees with known answers, over k: validity, as opposed to
    reliability (kRR).

    ``gold``: item -> answer, a table or a file. **Means**: the correlation of the mean of k ratings with the answers,
    for every k exactly (the mean of k of an item's n ratings varies by :math:`s^2 (1/k - 1/n)` around the mean of all),
    and in the last row its limit, ``k = all``: the correlation that a mean without noise would have (disattenuated).
    **Votes**: agreement (``coefficient``: percent, or cohen) of the vote of k with the answers, over random draws of k
    of the item's labels.

    Snow, O'Connor, Jurafsky & Ng (2008), EMNLP, 254-263.
    """
    known = {"gold": _gold(gold)}
    chosen = sorted({_whole(k) for k in ks})
    if study.agg.averages:
        there = beside(study.ann, known, numbers=True)
        rows = [_of_means(study.ann, there, k, spec) for k in [*map(float, chosen), math.inf]]
    else:
        if study.agg.shares is None or study.agg.numbers is not None:
            raise UsageError("gold= applies to means and votes: use aggregate='majority', or 'mean' for numbers.")
        there = beside(study.ann, known, numbers=False)
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
    said = there.notes
    if not limit and k > n.min():
        said = (*said, Note("more_than_rated", {"n": int(n.min())}))
    title = (
        "correlation of a mean without noise with the known answers (disattenuated)"
        if limit
        else f"correlation of the mean of {k:.0f} ratings with the known answers"
    )
    if not np.isfinite(value):
        said = (*said, Note("only_noise"))
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
    said = there.notes
    if len(kept) < len(there.items.weight):
        said = (*said, Note("items_of_k", {"n": len(kept), "of": len(there.items.weight), "k": k}))
    if unknown:
        said = (*said, Note("answers_never_given", {"n": unknown}))
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
    said: tuple[Note, ...],
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
        notes=(*said, *found.notes),
        details=details,
    )
