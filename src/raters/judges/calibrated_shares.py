"""Shares of classes by the method that the sample allows, in strata and with weights; and means computed from shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError
from raters.estimate import Estimate
from raters.judges.calibration_data import Labelled, stratum_weights
from raters.judges.calibration_result import Calibration
from raters.judges.poststratified import jeffreys, poststratified
from raters.judges.rogan_gladen import corrected

Array = NDArray[Any]
MOST_SCORES = 12
"""Largest number of different scores: with more, the errors of each cannot be estimated, so a mean cannot be computed from their shares."""


@dataclass(frozen=True)
class Asked:
    """The checked options."""

    sample: str
    estimate: str
    judge: str
    method: str
    interval: str
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the classes with their limits."""

    value: Array
    se: Array
    low: Array
    high: Array
    raw: Array
    drawn: Array
    """(draw, class); empty if limits are not percentiles of draws."""
    why: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def prevalence(
    data: Labelled, asked: Asked, groups: dict[str, str] | None = None, known: Mapping[str, float] | None = None
) -> Calibration:
    """The shares of the classes; ``groups``: item -> stratum, ``known``: the known shares of the strata among all items."""
    table, judged = data.table(), data.judge_counts()
    n, many = int(data.both.sum()), int(data.judged.sum())
    found = _stratified(data, asked, groups, known) if groups is not None else _shares(table, judged, data, asked)
    notes = [*found.notes, *([found.why] if found.why else []), *_moved(data, found), *_extra(data)]
    facts: Any = {"coefficient": "prevalence", "level": asked.level, "n_items": n + many}
    combined = tuple(
        Estimate(str(c), float(found.value[k]), float(found.low[k]), float(found.high[k]), float(found.se[k]), interval=asked.interval,
                 warnings=(found.why,) if found.why and not np.isfinite(found.value[k]) else (), details={"raw": float(found.raw[k])}, **facts)
        for k, c in enumerate(data.classes)
    )  # fmt: skip
    alone = _people_alone(data, asked, groups, known)
    every = judged + (table.sum(1) if asked.sample == "random" else 0)
    naive = tuple(
        Estimate(f"{c}, judge alone", float(every[k] / max(every.sum(), 1)), **facts | {"coefficient": "judge_alone"})
        for k, c in enumerate(data.classes)
    )
    people = table.sum(0) / table.sum()
    hardest = int(np.argmax(people * (1 - people)))  # the class that needs the most labels for a given width
    p = float(people[hardest])
    return Calibration(
        asked.judge, "prevalence", asked.sample, "poststratified" if asked.sample == "random" else "rogan_gladen", combined, alone, naive,
        n, many, correlation=_phi(table, hardest), confusion=_confusion(data, table), variance_shares=found.parts, variance=max(p * (1 - p), 1e-9), warnings=tuple(notes), planned=str(data.classes[hardest]),
    )  # fmt: skip


def _shares(table: Array, judged: Array, data: Labelled, asked: Asked, seed: Any = None) -> Shares:
    """Poststratified by the judge's labels if the subset is random, otherwise corrected for the judge's errors."""
    if asked.sample == "random":
        post = poststratified(
            table, judged, level=asked.level, seed=asked.seed if seed is None else seed, draws=asked.resamples
        )
        return Shares(post.value, post.se, post.low, post.high, post.value, post.draws, post.why)
    if not judged.sum():
        raise DataError(
            "every item has a human label, so there is no item that only the judge labelled; use sample='random'."
        )
    fix = corrected(table, judged, method=asked.method, interval=asked.interval, level=asked.level, seed=asked.seed, draws=asked.resamples)  # fmt: skip
    parts = dict(zip(["judged items", *(f"errors on {c}" for c in data.classes)], fix.shares.tolist(), strict=True))
    passed = f"{fix.dropped:.0%} of the draws were discarded, because the judge would be no better than chance in them"
    return Shares(
        fix.value, np.sqrt(np.diagonal(fix.covariance)), fix.low, fix.high, fix.raw, fix.drawn, fix.why, parts, (passed,) if fix.dropped else (),
    )  # fmt: skip


def _stratified(data: Labelled, asked: Asked, groups: dict[str, str], known: Mapping[str, float] | None) -> Shares:
    """Shares of strata times the shares in them; the draws of strata are independent."""
    names, where, weight = stratum_weights(data, groups, known)
    found = []
    for i, name in enumerate(names):
        part = data.where(where == i)
        if not part.both.any():
            nothing = np.full(len(data.classes), np.nan)
            why = f"the stratum {name!r} has no human label, so its shares are unknown; have people label some of its items"
            return Shares(nothing, nothing, nothing, nothing, nothing, np.zeros((0, len(nothing))), why)
        found.append(_shares(part.table(), part.judge_counts(), part, asked, seed=[asked.seed, i]))
    drawn = np.einsum("s,sbk->bk", weight, np.array([f.drawn for f in found]))
    low, high = _limits(drawn, asked.level)
    value, se = weight @ np.array([f.value for f in found]), np.sqrt(weight**2 @ np.array([f.se**2 for f in found]))
    whys = [f"stratum {name!r}: {f.why}" for name, f in zip(names, found, strict=True) if f.why]
    return Shares(value, se, low, high, value, drawn, "; ".join(whys))


def _people_alone(
    data: Labelled, asked: Asked, groups: dict[str, str] | None, known: Mapping[str, float] | None
) -> tuple[Estimate, ...]:
    """The human labels alone, which are meaningful if their items are a random subset."""
    if asked.sample != "random":
        return ()
    count, n = data.table().sum(0), data.table().sum()
    value, (low, high), how = count / n, jeffreys(count, n, asked.level), "jeffreys"
    if groups is not None:
        names, where, weight = stratum_weights(data, groups, known)
        rng, total = np.random.default_rng([asked.seed, len(names)]), np.zeros((asked.resamples, len(count)))
        value = np.zeros(len(count))
        for i in range(len(names)):
            own = data.where(where == i).table().sum(0)
            if not own.sum():
                return ()
            value = value + weight[i] * own / own.sum()
            total += weight[i] * rng.beta(own + 0.5, own.sum() - own + 0.5, total.shape)
        (low, high), how = _limits(total, asked.level), "posterior"
    facts: Any = {"coefficient": "people_alone", "level": asked.level, "n_items": int(data.both.sum()), "interval": how}
    return tuple(
        Estimate(f"{c}, people alone", float(value[k]), float(low[k]), float(high[k]), **facts)
        for k, c in enumerate(data.classes)
    )


def mean_by_errors(data: Labelled, asked: Asked) -> Calibration:
    """The mean of scores if the labelled items are another set: scores times their shares, corrected for the judge's errors."""
    k = len(data.classes)
    if k > MOST_SCORES:
        raise UsageError(
            f"the mean of {k} different scores cannot be carried over from another set of items: the judge's errors would have to be known for each "
            f"score. Have people label a random subset of the items that the judge labelled (50 or more) and pass sample='random' (--sample random), or "
            f"round the scores to at most {MOST_SCORES} values."
        )
    found = _shares(data.table(), data.judge_counts(), data, asked)
    number = data.numbers
    value = float(found.value @ number)
    low, high = (
        _limits(found.drawn @ number, asked.level)
        if len(found.drawn)
        else (np.array(number.min()), np.array(number.max()))
    )
    se = float((found.drawn @ number).std()) if len(found.drawn) else np.nan
    n, many = int(data.both.sum()), int(data.judged.sum())
    facts: Any = {"level": asked.level, "n_items": n + many}
    why = (found.why,) if found.why else ()
    combined = Estimate(
        "mean", value, float(low), float(high), se, interval="draws", coefficient="mean", warnings=why, **facts
    )
    naive = Estimate("mean, judge alone", float(np.nanmean(data.f[data.judged])), coefficient="judge_alone", **facts)
    notes = (*found.notes, *why, *_extra(data))
    return Calibration(
        asked.judge, "mean", "other", "rogan_gladen", (combined,), (), (naive,), n, many, confusion=_confusion(data, data.table()), variance_shares=found.parts,
        variance=float(np.nanvar(data.y[data.both], ddof=1)) if n > 1 else np.nan, warnings=notes,
    )  # fmt: skip


def _limits(drawn: Array, level: float) -> tuple[Array, Array]:
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return low, high


def _moved(data: Labelled, found: Shares) -> list[str]:
    """A note if the correction gave values that are not shares."""
    if not (np.isfinite(found.raw).all() and ((found.raw < 0) | (found.raw > 1)).any()):
        return []
    raw = ", ".join(f"{c} {x:.3f}" for c, x in zip(data.classes, found.raw, strict=True))
    return [f"the correction gave {raw}, which are not shares; the nearest shares are reported"]


def _extra(data: Labelled) -> list[str]:
    extra = [str(label) for label in data.labels[len(data.classes) :]]
    return [f"labels that only the judge uses are kept unchanged: {', '.join(extra)}"] if extra else []


def _confusion(data: Labelled, table: Array) -> dict[str, dict[str, float]]:
    return {
        str(j): {str(c): float(v) for c, v in zip(data.classes, row, strict=True)}
        for j, row in zip(data.labels, table, strict=True)
    }


def _phi(table: Array, k: int) -> float:
    """Correlation of people's and the judge's indicator of a class."""
    n = table.sum()
    p, q, both = table[:, k].sum() / n, table[k].sum() / n, table[k, k] / n
    spread = p * (1 - p) * q * (1 - q)
    return float((both - p * q) / np.sqrt(spread)) if spread > 0 else 0.0
