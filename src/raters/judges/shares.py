"""Shares of classes by the method that the sample allows, in strata and with weights; and means computed from
shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import DataError, UsageError
from raters.estimate import Estimate
from raters.inference.limits import percentiles
from raters.judges.calibration import Calibration, Labelled, stratum_weights
from raters.notes.note import Note

Array = NDArray[Any]
DRAWS = 8000


@dataclass(frozen=True, eq=False)
class Poststratified:
    """Shares of the classes as people would label them."""

    value: Array
    """(class,)"""
    se: Array
    low: Array
    high: Array
    draws: Array
    """(draw, class): posterior draws, whose percentiles are the limits."""
    lost: int = 0
    """Labels of the judge on no item with a human label."""


def poststratified(
    table: Array, judged: Array, *, level: float = 0.95, seed: int = 0, draws: int = DRAWS
) -> Poststratified:
    """``table``: (judge label, human class) counts of the random subset; ``judged``: (judge label,) counts of the other
    items.

    .. math:: \\hat p_k = \\sum_j P(\\text{judge } j)\\, P(\\text{human } k \\mid \\text{judge } j)

    The interval draws the human shares within each judge label from Dirichlet(counts + 1/K) and the judge's shares from
    Dirichlet(counts + 1). With three or more classes, a frequent class is also drawn against the rest
    (``_against_the_rest``).

    >>> found = poststratified(np.array([[14, 5], [4, 27]]), np.array([400, 600]))
    >>> float(found.value[0].round(8)), float(found.se[0].round(8))
    (0.37157733, 0.05494304)
    """
    table, judged = np.asarray(table, float), np.asarray(judged, float)
    k = table.shape[1]
    n_j, total = table.sum(1), table.sum() + judged.sum()
    share = (n_j + judged) / total
    pooled = table.sum(0) / table.sum()
    empty = n_j == 0
    within = np.where(empty[:, None], pooled, table / np.where(empty, 1, n_j)[:, None])
    value = share @ within
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.where(empty[:, None], 0, within * (1 - within) / np.where(empty, 1, n_j)[:, None])
    se = np.sqrt(share**2 @ inside + share @ (within - value) ** 2 / total)
    rng = np.random.default_rng(seed)
    cells = np.stack([rng.dirichlet(row + 1 / k, draws) for row in table], 1)  # (draw, judge label, class)
    shares = rng.dirichlet(n_j + judged + 1, draws)
    drawn = np.einsum("bj,bjk->bk", shares, cells)
    if k > 2:
        drawn = _against_the_rest(table, shares, drawn, rng)
    low, high = percentiles(drawn, level)
    lost = empty & (judged > 0)
    return Poststratified(value, se, low, high, drawn, int(lost.sum()))


def _against_the_rest(table: Array, shares: Array, drawn: Array, rng: np.random.Generator) -> Array:
    """(draw, class): some draws of a class are replaced by those of the class against the rest, Beta(count + 1/2,
    others + 1/2).

    Dirichlet(1/K) pulls the share of a class within a judge label towards 1/K. With few labels, that is too low for a
    class that most items have: with 20 labels and a judge right 7 times in 10, the limits for one of three classes
    covered a share of .7 in .92 of studies, and .8 in .89. A prior centred on 1/2 does the same for rare classes. So a
    class uses the second prior with probability (2 share)^2, at most 1: coverage is at least .94 over these designs and
    five classes. Draws serve the limits of each class separately; they need not sum to 1 over classes.
    """
    rest = table.sum(1, keepdims=True) - table
    halves = np.einsum("bj,bjk->bk", shares, rng.beta(table + 0.5, rest + 0.5, (len(drawn), *table.shape)))
    pooled = (table.sum(0) + 0.5) / (table.sum() + 1)
    return np.where(rng.random(drawn.shape) < np.minimum(2 * pooled, 1) ** 2, halves, drawn)


def jeffreys(count: Array, n: float, level: float = 0.95) -> tuple[Array, Array]:
    """Jeffreys limits of counted shares, for the human labels alone.

    >>> [float(x.round(4)) for x in jeffreys(np.array(18), 50)]
    [0.2378, 0.4979]
    """
    tail = (1 - level) / 2
    count = np.asarray(count, float)
    low, high = (special.betaincinv(count + 0.5, n - count + 0.5, p) for p in (tail, 1 - tail))
    return np.where(count <= 0, 0.0, low), np.where(count >= n, 1.0, high)


MOST_CONDITION = 20.0
"""Above this condition number of C, the judge cannot distinguish the classes."""
LEAST_DRAWS = 0.02
ERRORS = 1.2
"""Total prior count for the draws of each class's errors. With 1, as for the judge's shares, 25 labels of each class
from a judge that is right 9 times in 10 gave a coverage of .930 for classes balanced on purpose; with 1.2, .947."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Shares of the classes as people would label them, corrected for the judge's errors."""

    raw: Array
    """(class,): C^-1 q, which may leave the simplex; nan if it is undefined."""
    value: Array
    """(class,): raw, moved to the nearest point of the simplex (or to the maximum-likelihood one)."""
    covariance: Array
    low: Array
    high: Array
    shares: Array
    """(1 + class,): the parts of the variance (of the first class) that come from the judged items and from each
    class's errors.
    """
    condition: float
    dropped: float
    """Share of draws that were discarded, because the judge would be no better than chance in them."""
    drawn: Array
    """(draw, class): draws of the shares, whose percentiles are the limits."""
    why: Note | None = None
    """Why the value is undefined or doubtful."""


def corrected(
    table: Array,
    judged: Array,
    *,
    method: str = "projection",
    level: float = 0.95,
    seed: int = 0,
    draws: int = DRAWS,
) -> Corrected:
    """``table``: (judge label, human class) counts of the items with both; ``judged``: (judge label,) counts of the
    others.

    Judge labels are in the order of the human classes, followed by those that only the judge uses (such as a refusal).

    >>> found = corrected(np.array([[40, 6], [10, 44]]), np.array([380, 620]))
    >>> float(found.value[0].round(8))
    0.38235294
    """
    table, judged = np.asarray(table, float), np.asarray(judged, float)
    k = table.shape[1]
    n_k, n = table.sum(0), judged.sum()
    low, high, dropped, outside, drawn = _limits(table, judged, level, seed, draws)
    nothing = np.full(k, np.nan)
    empty = np.full((k, k), np.nan)
    if (n_k == 0).any():
        why = Note("class_absent")
        return Corrected(nothing, nothing, empty, low, high, np.full(1 + k, np.nan), np.nan, dropped, drawn, why)
    c, q = table / n_k, judged / n
    condition = float(np.linalg.cond(c))
    if condition > MOST_CONDITION or np.linalg.det(c[:k]) <= 0:
        why = Note("classes_not_distinguished")
        return Corrected(nothing, nothing, empty, low, high, np.full(1 + k, np.nan), condition, dropped, drawn, why)
    inverse = np.linalg.inv(c) if c.shape[0] == k else np.linalg.pinv(c)
    raw = inverse @ q
    parts = [spread(q) / n, *(raw[j] ** 2 * spread(c[:, j]) / n_k[j] for j in range(k))]
    covs = [inverse @ part @ inverse.T for part in parts]
    cov = sum(covs)
    first = np.array([part[0, 0] for part in covs])
    value = projected(raw) if method == "projection" else likeliest(c, q)
    share = first / first.sum() if first.sum() > 0 else first * np.nan
    off = Note("errors_not_carried_over") if outside else None
    return Corrected(raw, value, np.asarray(cov), low, high, share, condition, dropped, drawn, off)


def spread(p: Array) -> Array:
    """The covariance of one draw from a distribution: diag(p) - pp'."""
    return np.asarray(np.diag(p) - np.outer(p, p))


def projected(raw: Array) -> Array:
    """The nearest point of the simplex, over the last axis: sort, shift, cut.

    >>> projected(np.array([0.91371141, 0.22788945, -0.14160086])).round(8).tolist()
    [0.84291098, 0.15708902, 0.0]
    """
    order = -np.sort(-raw, -1)
    k = np.arange(1, raw.shape[-1] + 1)
    above = (np.cumsum(order, -1) - 1) / k
    last = np.where(order > above, k, 0).max(-1, keepdims=True)
    shift = np.take_along_axis(above, last - 1, -1)
    return np.asarray(np.maximum(raw - shift, 0))


def likeliest(c: Array, q: Array, rounds: int = 20_000) -> Array:
    """The maximum-likelihood shares, by EM; equal to the raw values if those are shares."""
    p = np.full(c.shape[1], 1 / c.shape[1])
    for _ in range(rounds):
        expected = c @ p
        new = p * ((q / np.where(expected > 0, expected, 1)) @ c)
        if np.abs(new - p).max() < 1e-13:
            return new
        p = new
    return p


def _limits(
    table: Array, judged: Array, level: float, seed: int, draws: int
) -> tuple[Array, Array, float, bool, Array]:
    """Percentiles of posterior draws of both samples, the share that was discarded, and
    whether all draws lie outside the possible shares, in which case the errors do not carry over.
    """
    rng = np.random.default_rng(seed)
    rows, k = table.shape
    c = np.stack([rng.dirichlet(table[:, j] + ERRORS / rows, draws) for j in range(k)], 2)
    q = rng.dirichlet(judged + 1 / rows, draws)
    known = np.linalg.det(c[:, :k]) > 1e-6
    dropped = float(1 - known.mean())
    if known.mean() < LEAST_DRAWS:
        return np.zeros(k), np.ones(k), dropped, False, np.zeros((0, k))
    c, q = c[known], q[known]
    raw = np.linalg.solve(c, q[..., None])[..., 0] if rows == k else np.einsum("bkj,bj->bk", np.linalg.pinv(c), q)
    drawn = projected(raw)
    low, high = percentiles(drawn, level)
    free = percentiles(raw, level)
    return low, high, dropped, bool(((free[0] > 1) | (free[1] < 0)).any()), drawn


MOST_SCORES = 12
"""Largest number of different scores: with more, the errors of each cannot be estimated, so a mean cannot be computed
from their shares.
"""


@dataclass(frozen=True)
class Asked:
    """The checked options."""

    sample: str
    estimate: str
    judge: str
    method: str
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
    """(draw, class); empty if nearly all draws were discarded."""
    notes: tuple[Note, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)


def prevalence(
    data: Labelled, asked: Asked, groups: dict[str, str] | None = None, known: Mapping[str, float] | None = None
) -> Calibration:
    """The shares of the classes; ``groups``: item -> stratum, ``known``: the known shares of the strata among all
    items.
    """
    table, judged = data.table(), data.judge_counts()
    n, many = int(data.both.sum()), int(data.judged.sum())
    found = _stratified(data, asked, groups, known) if groups is not None else _shares(table, judged, data, asked)
    notes = (*found.notes, *_moved(data, found), *_extra(data))
    facts: Any = {"coefficient": "prevalence", "level": asked.level, "n_items": n + many}
    combined = tuple(
        Estimate(
            str(c),
            float(found.value[k]),
            float(found.low[k]),
            float(found.high[k]),
            float(found.se[k]),
            interval="posterior" if asked.sample == "random" else "draws",
            notes=() if np.isfinite(found.value[k]) else tuple(n for n in found.notes if n.level == "undefined"),
            details={"raw": float(found.raw[k])},
            **facts,
        )
        for k, c in enumerate(data.classes)
    )
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
        asked.judge,
        "prevalence",
        asked.sample,
        "poststratified" if asked.sample == "random" else "rogan_gladen",
        combined,
        alone,
        naive,
        n,
        many,
        correlation=_phi(table, hardest),
        confusion=_confusion(data, table),
        variance_shares=found.parts,
        variance=max(p * (1 - p), 1e-9),
        notes=notes,
        planned=str(data.classes[hardest]),
    )


def _shares(table: Array, judged: Array, data: Labelled, asked: Asked, seed: Any = None) -> Shares:
    """Poststratified by the judge's labels if the subset is random, otherwise corrected for the judge's errors."""
    if asked.sample == "random":
        post = poststratified(
            table, judged, level=asked.level, seed=asked.seed if seed is None else seed, draws=asked.resamples
        )
        lost = (Note("judge_labels_without_people", {"n": post.lost}),) if post.lost else ()
        return Shares(post.value, post.se, post.low, post.high, post.value, post.draws, lost)
    if not judged.sum():
        raise DataError(
            "every item has a human label, so there is no item that only the judge labelled; use sample='random'."
        )
    fix = corrected(
        table,
        judged,
        method=asked.method,
        level=asked.level,
        seed=asked.seed,
        draws=asked.resamples,
    )
    parts = dict(zip(["judged items", *(f"errors on {c}" for c in data.classes)], fix.shares.tolist(), strict=True))
    dropped = (Note("draws_discarded", {"share": fix.dropped}),) if fix.dropped else ()
    return Shares(
        fix.value,
        np.sqrt(np.diagonal(fix.covariance)),
        fix.low,
        fix.high,
        fix.raw,
        fix.drawn,
        (*dropped, *(() if fix.why is None else (fix.why,))),
        parts,
    )


def _stratified(data: Labelled, asked: Asked, groups: dict[str, str], known: Mapping[str, float] | None) -> Shares:
    """Shares of strata times the shares in them; the draws of strata are independent."""
    names, where, weight = stratum_weights(data, groups, known)
    found = []
    for i, name in enumerate(names):
        part = data.where(where == i)
        if not part.both.any():
            nothing = np.full(len(data.classes), np.nan)
            unknown = (Note("stratum_without_people", {"stratum": name}),)
            return Shares(nothing, nothing, nothing, nothing, nothing, np.zeros((0, len(nothing))), unknown)
        found.append(_shares(part.table(), part.judge_counts(), part, asked, seed=[asked.seed, i]))
    drawn = np.einsum("s,sbk->bk", weight, np.array([f.drawn for f in found]))
    low, high = percentiles(drawn, asked.level)
    value, se = weight @ np.array([f.value for f in found]), np.sqrt(weight**2 @ np.array([f.se**2 for f in found]))
    notes = tuple(
        Note(f"stratum_{n.code}", {"stratum": name, **n.facts})
        for name, f in zip(names, found, strict=True)
        for n in f.notes
    )
    return Shares(value, se, low, high, value, drawn, notes)


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
        (low, high), how = percentiles(total, asked.level), "posterior"
    facts: Any = {"coefficient": "people_alone", "level": asked.level, "n_items": int(data.both.sum()), "interval": how}
    return tuple(
        Estimate(f"{c}, people alone", float(value[k]), float(low[k]), float(high[k]), **facts)
        for k, c in enumerate(data.classes)
    )


def mean_by_errors(data: Labelled, asked: Asked) -> Calibration:
    """The mean of scores if the labelled items are another set: scores times their shares, corrected for the judge's
    errors.
    """
    k = len(data.classes)
    if k > MOST_SCORES:
        raise UsageError(
            f"the mean of {k} different scores cannot be carried over from another set of items: the judge's errors"
            " would have to be known for each score. Have people label a random subset of the items that the judge"
            " labelled (50 or more) and pass sample='random', or round the scores to at most"
            f" {MOST_SCORES} values."
        )
    found = _shares(data.table(), data.judge_counts(), data, asked)
    number = data.numbers
    value = float(found.value @ number)
    low, high = (
        percentiles(found.drawn @ number, asked.level)
        if len(found.drawn)
        else (np.array(number.min()), np.array(number.max()))
    )
    se = float((found.drawn @ number).std()) if len(found.drawn) else np.nan
    n, many = int(data.both.sum()), int(data.judged.sum())
    facts: Any = {"level": asked.level, "n_items": n + many}
    combined = Estimate(
        "mean", value, float(low), float(high), se, interval="draws", coefficient="mean", notes=found.notes, **facts
    )
    naive = Estimate("mean, judge alone", float(np.nanmean(data.f[data.judged])), coefficient="judge_alone", **facts)
    notes = (*found.notes, *_extra(data))
    return Calibration(
        asked.judge,
        "mean",
        "other",
        "rogan_gladen",
        (combined,),
        (),
        (naive,),
        n,
        many,
        confusion=_confusion(data, data.table()),
        variance_shares=found.parts,
        variance=float(np.nanvar(data.y[data.both], ddof=1)) if n > 1 else np.nan,
        notes=notes,
    )


def _moved(data: Labelled, found: Shares) -> list[Note]:
    """A note if the correction gave values that are not shares."""
    if not (np.isfinite(found.raw).all() and ((found.raw < 0) | (found.raw > 1)).any()):
        return []
    return [Note("no_shares", {"shares": dict(zip(data.classes, found.raw.tolist(), strict=True))})]


def _extra(data: Labelled) -> list[Note]:
    extra = list(data.labels[len(data.classes) :])
    return [Note("labels_of_judge_kept", {"labels": extra})] if extra else []


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
