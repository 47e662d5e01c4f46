"""Prediction-powered means of strata, differences of two systems, and the ranks of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.estimate import Estimate
from raters.judges.calibration_data import Labelled, stratum_weights
from raters.judges.prediction_powered import Powered, powered_mean, tuned

Array = NDArray[Any]
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
    how: str
    notes: tuple[str, ...] = ()


def mean_of_strata(
    data: Labelled,
    groups: dict[str, str] | None,
    shares: Mapping[str, float] | None,
    clusters: dict[str, str] | None,
    interval: str,
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
        lam = None if at.sum() >= OWN or len(names) == 1 or interval == "ppi-python" else common
        which = np.array([clusters.get(i, i) for i in np.array(data.items)[at]]) if clusters else None
        found.append(
            powered_mean(
                data.y[at],
                data.f[at],
                data.f[alone & (where == s)],
                lam=lam,
                interval=interval,
                level=level,
                clusters=which,
                weights=(data.weight[at], data.weight[alone & (where == s)]),
            )
        )
    return _combined(data, names, weight, found, interval, level)


def _combined(
    data: Labelled, names: list[str], weight: Array, found: list[Powered | None], interval: str, level: float
) -> StratifiedMean:
    y, n, many = data.y[data.both], int(data.both.sum()), int(data.judged.sum())
    missing = [s for s, p in zip(names, found, strict=True) if p is None]
    known = [p for p in found if p is not None]
    r = float(np.corrcoef(y, data.f[data.both])[0, 1]) if n > 1 and y.std() > 0 and data.f[data.both].std() > 0 else 0.0
    spread = float(y.var(ddof=1)) if n > 1 else np.nan
    if missing:
        what = (
            f"too few human labels in the stratum {missing[0]!r}"
            if missing[0]
            else f"{n} items with both labels are too few"
        )
        no = float("nan")
        judge = float(data.f.mean())
        return StratifiedMean(no, no, no, no, no, no, no, no, judge, {}, r, spread, n, many, "t", (what,))
    w2 = weight**2
    se = float(np.sqrt(w2 @ np.array([p.se**2 for p in known])))
    human_se = float(np.sqrt(w2 @ np.array([p.human_se**2 for p in known])))
    value, human = float(weight @ [p.value for p in known]), float(weight @ [p.human for p in known])
    df, human_df = sum(p.df for p in known), sum(p.n - 1 for p in known)
    reach = float(special.ndtri((1 + level) / 2) if interval == "ppi-python" else special.stdtrit(df, (1 + level) / 2))
    human_reach = float(special.stdtrit(human_df, (1 + level) / 2))
    lam = {s: p.lam for s, p in zip(names, known, strict=True)}
    return StratifiedMean(
        value, se, value - reach * se, value + reach * se, human, human_se, human - human_reach * human_se, human + human_reach * human_se,
        float(weight @ [p.judge for p in known]), lam, r, spread, n, many, interval,
    )  # fmt: skip


def difference_of(
    data: Labelled, a: str, b: str, parts: Mapping[str, StratifiedMean], interval: str, level: float
) -> tuple[Estimate, Estimate, str, float]:
    """The difference of two systems, from people and judge, and from people alone: paired on shared items, otherwise with variances added."""
    name = f"{a} - {b}"
    by = [{item: i for i, item in enumerate(data.items) if data.systems[i] == s} for s in (a, b)]
    shared = [item for item in by[0] if item in by[1]]
    left, right = (np.array([side[item] for item in shared], int) for side in by)
    pairs = data.both[left] & data.both[right] if len(shared) else np.zeros(0, bool)
    if pairs.sum() >= 2 and len(shared) >= 0.9 * min(map(len, by)):
        y, f = data.y[left] - data.y[right], data.f[left] - data.f[right]
        alone = data.judged[left] & data.judged[right]
        weights = (data.weight[left][pairs], data.weight[left][alone])
        p = powered_mean(y[pairs], f[pairs], f[alone], interval=interval, level=level, weights=weights)
        facts: Any = {"level": level, "n_items": len(shared)}
        return (
            Estimate(name, p.value, p.low, p.high, p.se, interval=f"{interval}, paired", coefficient="difference", **facts),
            Estimate(f"{name}, people alone", p.human, p.human_low, p.human_high, p.human_se, interval="t, paired", coefficient="people_alone", **facts),
            name, p.lam,
        )  # fmt: skip
    x, y_ = parts[a], parts[b]
    z = float(
        special.ndtri((1 + level) / 2)
        if interval == "ppi-python"
        else special.stdtrit(max(x.n + y_.n - 4, 1), (1 + level) / 2)
    )

    def apart(value: float, one: float, two: float, label: str, kind: str) -> Estimate:
        se = float(np.hypot(one, two))
        return Estimate(
            label,
            value,
            value - z * se,
            value + z * se,
            se,
            level,
            f"{interval}, different items",
            coefficient=kind,
            n_items=x.n + y_.n,
        )

    return (
        apart(x.value - y_.value, x.se, y_.se, name, "difference"),
        apart(x.human - y_.human, x.human_se, y_.human_se, f"{name}, people alone", "people_alone"), name, float("nan"),
    )  # fmt: skip


def systems_together(
    data: Labelled, names: list[str], parts: Mapping[str, StratifiedMean], seed: int
) -> dict[str, tuple[float, ...]]:
    """The probability of each rank, best first, by one bootstrap of items for all systems, with fixed lambdas."""
    items = {item: i for i, item in enumerate(dict.fromkeys(data.items))}
    where = np.array([items[i] for i in data.items])
    weights = np.random.default_rng(seed).multinomial(len(items), np.full(len(items), 1 / len(items)), SAMPLES)
    means = []
    for name in names:
        own = np.array([s == name for s in data.systems])
        lam = float(np.mean(list(parts[name].lam.values()) or [0.0]))
        both, alone = own & data.both, own & data.judged
        w, v = (weights[:, where[at]] * data.weight[at] for at in (both, alone))
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = (w @ (data.y[both] - lam * data.f[both])) / w.sum(1)
            means.append(rest + (lam * (v @ data.f[alone]) / v.sum(1) if lam and alone.any() else 0.0))
    table = np.array(means)
    table = table[:, np.isfinite(table).all(0)]
    rank = (-table).argsort(0).argsort(0)
    return {name: tuple(float((rank[i] == r).mean()) for r in range(len(names))) for i, name in enumerate(names)}
