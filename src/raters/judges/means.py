"""Prediction-powered means of strata, differences of two systems, and the ranks of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.joint import Terms
from raters.inference.limits import IntervalSpec
from raters.inference.weights import multinomial
from raters.judges.calibration import Labelled, stratum_weights
from raters.notes.note import Note

Array = NDArray[Any]


@dataclass(frozen=True)
class Powered:
    """A mean of human labels, improved by a judge."""

    value: float
    se: float
    low: float
    high: float
    lam: float
    """The weight of the judge: 0 (human labels alone) to 1."""
    df: float
    human: float
    human_low: float
    human_high: float
    human_se: float
    judge: float
    """The mean of the judge's labels alone."""
    correlation: float
    n: int
    n_judged: int


def powered_mean(
    y: Array,
    f: Array,
    judged: Array,
    *,
    lam: float | None = None,
    level: float = 0.95,
    clusters: Array | None = None,
    weights: tuple[Array, Array] | None = None,
) -> Powered:
    """``y``, ``f``: human and judge labels of the same items; ``judged``: the judge's labels of the others.

    .. math:: \\hat\\theta = \\bar y + \\lambda (\\bar F - \\bar f), \\quad
        \\lambda = \\frac{\\mathrm{cov}(y, f)}{(1 + n/N)\\, \\mathrm{var}(f, F)}

    The interval is by t with n - 2 degrees of freedom, which holds from 10 labels on (z and division by n, as in the
    package ppi-python, are too narrow below 100 labels). ``clusters``: (item,) the clusters of the labelled items,
    whose sums are then the unit. ``weights``: those of the labelled items, and of the others.

    >>> found = powered_mean(np.array([3.0, 4, 2, 5]), np.array([3.0, 5, 2, 5]), np.array([4.0, 3, 5, 2, 4]), lam=1)
    >>> float(found.value)
    3.35
    """
    y, f, judged = (np.asarray(x, float) for x in (y, f, judged))
    n, many = len(y), len(judged)
    if n < 2:
        raise UsageError(f"a mean with an interval needs at least two items with both labels, but there are {n}.")
    w, v = (np.ones(n), np.ones(many)) if weights is None else (weights[0] / weights[0].mean(), weights[1])
    use = tuned(y, f, judged, weights=(w, v)) if lam is None else float(lam)
    if not many:
        use = 0.0
    rest = y - use * f
    middle = float(np.average(rest, weights=w))
    value = middle + use * (float(np.average(judged, weights=v)) if many else 0.0)
    df = max(n - (2 if use else 1), 1)
    off = w * (rest - middle)
    var = (off**2).sum() / n / df
    if clusters is not None:
        var, df = _clustered(off, clusters), max(len(np.unique(clusters)) - 1, 1)
    if use and many > 1:
        var += use**2 * _of_mean(judged, v)
    reach = float(special.stdtrit(df, (1 + level) / 2))
    se = float(np.sqrt(var))
    human, alone = float(np.average(y, weights=w)), float(np.sqrt(_of_mean(y, w)))
    human_reach = float(special.stdtrit(n - 1, (1 + level) / 2))
    r = float(np.corrcoef(y, f)[0, 1]) if y.std() > 0 and f.std() > 0 else 0.0
    return Powered(
        value,
        se,
        value - reach * se,
        value + reach * se,
        use,
        float(df),
        human,
        human - human_reach * alone,
        human + human_reach * alone,
        alone,
        float(np.average(np.concatenate([f, judged]), weights=np.concatenate([w, v / v.mean() if many else v]))),
        r,
        n,
        many,
    )


def _of_mean(x: Array, w: Array) -> float:
    """Variance of a weighted mean: from w (x - mean), with n - 1 degrees of freedom."""
    n = len(x)
    off = w * (x - np.average(x, weights=w))
    return float((off**2).sum() / w.sum() ** 2 * (n / (n - 1)))


def tuned(y: Array, f: Array, judged: Array, cut: bool = True, weights: tuple[Array, Array] | None = None) -> float:
    """The weight of the judge that minimises the variance, clipped to [0, 1]; 0 for a judge that never varies.

    >>> tuned(np.array([1.0, 2, 3]), np.array([2.0, 2, 2]), np.array([2.0, 2]))
    0.0
    """
    n, many = len(y), len(judged)
    if not many:
        return 0.0
    w, v = (np.ones(n), np.ones(many)) if weights is None else (x / x.mean() for x in weights)
    every, share = np.concatenate([f, judged]), np.concatenate([w, v])
    pooled = np.average((every - np.average(every, weights=share)) ** 2, weights=share) * len(every) / (len(every) - 1)
    if pooled <= 0 or f.var() <= 0:
        return 0.0
    apart = (y - np.average(y, weights=w)) * (f - np.average(f, weights=w))
    ratio = (w.sum() ** 2 / (w**2).sum()) / (v.sum() ** 2 / (v**2).sum())
    lam = float(np.average(apart, weights=w) / ((1 + ratio) * pooled))
    return min(max(lam, 0.0), 1.0) if cut else lam


def _clustered(off: Array, clusters: Array) -> float:
    """Variance of the mean if whole clusters are drawn: from sums of deviations by cluster, with G - 1 degrees of
    freedom.
    """
    _, which = np.unique(clusters, return_inverse=True)
    sums = np.bincount(which, off)
    groups = len(sums)
    return float(groups / max(groups - 1, 1) * (sums**2).sum() / len(off) ** 2)


OWN = 10
"""A stratum with at least this many human labels gets its own lambda."""
SAMPLES = 2000


@dataclass(frozen=True)
class StratifiedMean:
    """A mean over strata, from people and judge together, and from people alone."""

    value: float
    se: float
    low: float
    high: float
    human: float
    human_se: float
    human_low: float
    human_high: float
    judge: float
    lam: Mapping[str, float]
    correlation: float
    variance: float
    n: int
    n_judged: int
    notes: tuple[Note, ...] = ()


def mean_of_strata(
    data: Labelled,
    groups: dict[str, str] | None,
    shares: Mapping[str, float] | None,
    clusters: dict[str, str] | None,
    level: float,
) -> StratifiedMean:
    """The mean; with strata, shares times the means of strata, with variances added."""
    names, where, weight = stratum_weights(data, groups, shares)
    both, alone = data.both, data.judged
    common = tuned(data.y[both], data.f[both], data.f[alone], weights=(data.weight[both], data.weight[alone]))
    found: list[Powered | None] = []
    for s in range(len(names)):
        at = both & (where == s)
        if at.sum() < 2:
            found.append(None)
            continue
        lam = None if at.sum() >= OWN or len(names) == 1 else common
        which = np.array([clusters.get(i, i) for i in np.array(data.items)[at]]) if clusters else None
        found.append(
            powered_mean(
                data.y[at],
                data.f[at],
                data.f[alone & (where == s)],
                lam=lam,
                level=level,
                clusters=which,
                weights=(data.weight[at], data.weight[alone & (where == s)]),
            )
        )
    return _combined(data, names, weight, found, level)


def _combined(
    data: Labelled, names: list[str], weight: Array, found: list[Powered | None], level: float
) -> StratifiedMean:
    y, n, many = data.y[data.both], int(data.both.sum()), int(data.judged.sum())
    missing = [s for s, p in zip(names, found, strict=True) if p is None]
    known = [p for p in found if p is not None]
    r = float(np.corrcoef(y, data.f[data.both])[0, 1]) if n > 1 and y.std() > 0 and data.f[data.both].std() > 0 else 0.0
    spread = float(y.var(ddof=1)) if n > 1 else np.nan
    if missing:
        too_few = Note("few_labels_in_stratum", {"stratum": missing[0]}) if missing[0] else Note("few_both", {"n": n})
        no = float("nan")
        judge = float(data.f.mean())
        return StratifiedMean(no, no, no, no, no, no, no, no, judge, {}, r, spread, n, many, (too_few,))
    w2 = weight**2
    se = float(np.sqrt(w2 @ np.array([p.se**2 for p in known])))
    human_se = float(np.sqrt(w2 @ np.array([p.human_se**2 for p in known])))
    value, human = float(weight @ [p.value for p in known]), float(weight @ [p.human for p in known])
    df, human_df = sum(p.df for p in known), sum(p.n - 1 for p in known)
    reach = float(special.stdtrit(df, (1 + level) / 2))
    human_reach = float(special.stdtrit(human_df, (1 + level) / 2))
    lam = {s: p.lam for s, p in zip(names, known, strict=True)}
    return StratifiedMean(
        value,
        se,
        value - reach * se,
        value + reach * se,
        human,
        human_se,
        human - human_reach * human_se,
        human + human_reach * human_se,
        float(weight @ [p.judge for p in known]),
        lam,
        r,
        spread,
        n,
        many,
    )


def difference_of(
    data: Labelled, a: str, b: str, parts: Mapping[str, StratifiedMean], level: float
) -> tuple[Estimate, Estimate, str, float]:
    """The difference of two systems, from people and judge, and from people alone: paired on shared items, otherwise
    with variances added.
    """
    name = f"{a} - {b}"
    by = [{item: i for i, item in enumerate(data.items) if data.systems[i] == s} for s in (a, b)]
    shared = [item for item in by[0] if item in by[1]]
    left, right = (np.array([side[item] for item in shared], int) for side in by)
    pairs = data.both[left] & data.both[right] if len(shared) else np.zeros(0, bool)
    if pairs.sum() >= 2 and len(shared) >= 0.9 * min(map(len, by)):
        y, f = data.y[left] - data.y[right], data.f[left] - data.f[right]
        alone = data.judged[left] & data.judged[right]
        weights = (data.weight[left][pairs], data.weight[left][alone])
        p = powered_mean(y[pairs], f[pairs], f[alone], level=level, weights=weights)
        facts: Any = {"level": level, "n_items": len(shared)}
        return (
            Estimate(name, p.value, p.low, p.high, p.se, interval="t, paired", coefficient="difference", **facts),
            Estimate(
                f"{name}, people alone",
                p.human,
                p.human_low,
                p.human_high,
                p.human_se,
                interval="t, paired",
                coefficient="people_alone",
                **facts,
            ),
            name,
            p.lam,
        )
    x, y_ = parts[a], parts[b]
    z = float(special.stdtrit(max(x.n + y_.n - 4, 1), (1 + level) / 2))

    def apart(value: float, one: float, two: float, label: str, kind: str) -> Estimate:
        se = float(np.hypot(one, two))
        return Estimate(
            label,
            value,
            value - z * se,
            value + z * se,
            se,
            level,
            "t, different items",
            coefficient=kind,
            n_items=x.n + y_.n,
        )

    return (
        apart(x.value - y_.value, x.se, y_.se, name, "difference"),
        apart(x.human - y_.human, x.human_se, y_.human_se, f"{name}, people alone", "people_alone"),
        name,
        float("nan"),
    )


def systems_together(
    data: Labelled, names: list[str], parts: Mapping[str, StratifiedMean], seed: int
) -> dict[str, tuple[float, ...]]:
    """The probability of each rank, best first, by one bootstrap of items for all systems, with fixed lambdas."""
    items = {item: i for i, item in enumerate(dict.fromkeys(data.items))}
    where = np.array([items[i] for i in data.items])
    terms = Terms(len(items))
    for name in names:
        own = np.array([s == name for s in data.systems])
        lam = float(np.mean(list(parts[name].lam.values()) or [0.0]))
        alone = own & data.judged
        if not (lam and alone.any()):  # people's labels only
            lam, alone = 0.0, own & data.both
        for at, value in ((own & data.both, data.y - lam * data.f), (alone, lam * data.f)):
            w = data.weight[at]
            terms.add(np.stack([np.bincount(where[at], x, len(items)) for x in (w, w * value[at])], 1))

    def means(flat: Array) -> Array:
        sums = flat.reshape(len(flat), len(names), 2, 2)
        return np.asarray((sums[..., 1] / sums[..., 0]).sum(-1).T)

    joint = terms.joint(means, IntervalSpec("bootstrap", resamples=SAMPLES, seed=seed))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = multinomial(joint.weight, SAMPLES, np.random.default_rng(seed))
        table = np.concatenate([joint.values(weights) for weights in drawn], 1)
    table = table[:, np.isfinite(table).all(0)]
    rank = (-table).argsort(0).argsort(0)
    return {name: tuple(float((rank[i] == r).mean()) for r in range(len(names))) for i, name in enumerate(names)}
