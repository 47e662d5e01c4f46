"""Is A better than B? Strengths of systems from preferences with ties, given by people or by a judge, with clustered
errors.

Davidson (1970), J. Am. Stat. Assoc. 65, 317-328; Rao & Kupper (1967), J. Am. Stat. Assoc. 62, 194-204.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, jsonable
from raters.inference.limits import Interval, around
from raters.notes.note import Note

Array = NDArray[Any]
Vote = tuple[Any, Any, Any, Any, str]
"""(item, rater, first system, second system, "first" | "second" | "tie")"""
SINGULAR = 1e-7
"""A direction with a curvature this many times smaller than the largest is not determined."""
OUTCOMES = {"first": 0, "second": 1, "tie": 2}


@dataclass(frozen=True, eq=False)
class Strengths:
    """Log strengths that sum to zero, and what a comparison of two systems needs."""

    model: str
    systems: tuple[str, ...]
    log_strength: Mapping[str, float]
    tie: float
    """nu (Davidson) or theta (Rao and Kupper)."""
    position: float
    """Log advantage of being shown first; nan if it was not requested."""
    log_likelihood: float
    covariance: Array
    """Covariance of log strengths, clustered by item."""
    by_rater: Array | None
    """The same clustered by rater; None for one rater."""
    n_raters: int
    influence: Array
    """(item, parameter): the influence of each item on the parameters."""
    items: tuple[Any, ...]
    note: Note | None

    def contrast(self, a: str, b: str, level: float = 0.95) -> Estimate:
        """The log strength of a minus that of b, with the larger of two errors: items as clusters, or raters, whose
        limits use Student's t.
        """
        v = self._difference(a, b)
        value, z = self.log_strength[a] - self.log_strength[b], float(special.ndtri((1 + level) / 2))
        se = math.sqrt(float(v @ self.covariance @ v))
        if self.by_rater is not None and v @ self.by_rater @ v > se**2:
            se, z = math.sqrt(float(v @ self.by_rater @ v)), float(special.stdtrit(self.n_raters - 1, (1 + level) / 2))
        limits = around(Interval(value - z * se, value + z * se, se, "delta"), value)
        return Estimate(
            f"{a} - {b}",
            value,
            limits.low,
            limits.high,
            limits.se,
            level,
            "delta",
            n_items=len(self.items),
            coefficient="strength",
            notes=(*limits.notes, *(() if self.note is None else (self.note,))),
        )

    def _difference(self, a: str, b: str) -> Array:
        for name in (a, b):
            if name not in self.systems:
                raise UsageError(f"no system is called {name!r}; the systems are {listed(self.systems)}.")
        return np.array([(s == a) - float(s == b) for s in self.systems])

    def chances(self, a: str, b: str) -> tuple[float, float, float]:
        """The probabilities that a wins, that they tie, and that b wins."""
        d = self.log_strength[a] - self.log_strength[b]
        p = np.exp(_FORMS[self.model](np.array([d]), math.log(self.tie) if self.tie > 0 else -np.inf)[0])
        return float(p[0, 0]), float(p[0, 2]), float(p[0, 1])

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items() if k not in HELD} | {
            "covariance": self.covariance.tolist(),
            "note": str(self.note or ""),
        }


HELD = ("covariance", "by_rater", "n_raters", "influence", "items")
"""What a fit holds for its contrasts."""


def fit_strengths(
    votes: Sequence[Vote], model: str = "davidson", *, position: bool = False, prior: float = 0.0
) -> Strengths:
    """Maximum likelihood from rows of (item, rater, first, second, outcome); ``model``: ``"davidson"`` or
    ``"rao_kupper"``.

    ``position``: adds a term for the system that is shown first. ``prior``: a penalty on the squares of log strengths,
    for systems that always win or never meet; none by default.
    """
    if model not in _FORMS:
        raise UsageError(f"model={model!r}: choose one of {', '.join(_FORMS)}.")
    systems, left, right, won = _coded(votes)
    if not prior:
        _finite(systems, left, right, won)
    ties, s, rows = bool((won == 2).any()), len(systems), np.arange(len(votes))
    design = _design(left, right, s, position)
    if position and not prior and np.linalg.matrix_rank(design) < s:
        raise DataError(
            "the advantage of being shown first cannot be told from the strengths: in these votes the order of"
            " two systems is always the same. Omit position=, or collect votes in both orders."
        )

    def scores(x: Array) -> tuple[float, Array]:
        log_p, slope, tie_slope = _FORMS[model](design @ x[: s + position], x[-1] if ties else -np.inf)
        own = design * slope[rows, won][:, None]
        return float(log_p[rows, won].sum()), np.concatenate([own, tie_slope[rows, won][:, None]], 1) if ties else own

    def loss(x: Array) -> tuple[float, Array]:
        value, own = scores(x)
        level = float(x[:s].mean())  # the level of strengths is free; a small penalty keeps it at zero
        pull = np.zeros(len(x))
        pull[:s] = prior * x[:s] + 1e-3 * level
        return -value + 0.5 * prior * float(x[:s] @ x[:s]) + 0.5e-3 * s * level**2, pull - own.sum(0)

    from scipy import optimize  # slow to import

    start = np.zeros(s + position + ties)
    if ties and model == "rao_kupper":
        start[-1] = 0.5
    found = optimize.minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    x = found.x.copy()
    x[:s] -= x[:s].mean()
    value, own = scores(x)
    curvature = _hessian(scores, x)
    curvature[:s, :s] += prior * np.eye(s)
    inverse = _inverse(curvature, systems)
    items, by_item = _clusters([v[0] for v in votes], own @ inverse)
    raters, by_rater = _clusters([v[1] for v in votes], own @ inverse)
    note = Note("clustered_by_item_only", {"n": len(raters)}) if len(raters) < 2 else None
    tie = math.exp(x[-1]) if ties else 0.0
    return Strengths(
        model,
        systems,
        {name: float(x[i]) for i, name in enumerate(systems)},
        tie,
        float(x[s]) if position else math.nan,
        value,
        _variance(by_item[:, :s]),
        None if note else _variance(by_rater[:, :s]),
        len(raters),
        by_item[:, :s],
        items,
        note,
    )


def _coded(votes: Sequence[Vote]) -> tuple[tuple[str, ...], Array, Array, Array]:
    """The systems, and (vote,): the places of the first and of the second, and of the outcome."""
    bad = sorted({str(v[4]) for v in votes} - set(OUTCOMES))
    if bad or not votes:
        raise DataError(
            f"an outcome is 'first', 'second' or 'tie', not {listed(bad)}." if bad else "there are no votes."
        )
    systems = tuple(dict.fromkeys(str(s) for v in votes for s in v[2:4]))
    place = {s: i for i, s in enumerate(systems)}
    left, right = (np.array([place[str(v[k])] for v in votes]) for k in (2, 3))
    return systems, left, right, np.array([OUTCOMES[v[4]] for v in votes])


def _design(left: Array, right: Array, s: int, position: bool) -> Array:
    """(vote, parameter): the difference of strengths, and the advantage of being shown first."""
    made, rows = np.zeros((len(left), s + position)), np.arange(len(left))
    made[rows, left] += 1
    made[rows, right] -= 1
    made[:, s:] = 1
    return made


def _davidson(d: Array, tie: float) -> tuple[Array, Array, Array]:
    """(vote, 3) log probabilities of first, second, tie; their slopes in the difference of strengths, and in log nu."""
    logits = np.stack([d / 2, -d / 2, np.full(len(d), tie)], 1)
    log_p = logits - special.logsumexp(logits, 1, keepdims=True)
    p = np.exp(log_p)
    centre = (p[:, :1] - p[:, 1:2]) / 2
    slope = np.array([0.5, -0.5, 0.0]) - centre
    return log_p, slope, np.array([0.0, 0.0, 1.0]) - p[:, 2:]


def _rao_kupper(d: Array, tie: float) -> tuple[Array, Array, Array]:
    """The same with thresholds ± log theta."""
    t = tie if np.isfinite(tie) else 0.0
    a, b = special.expit(d - t), special.expit(-d - t)
    rest = np.maximum(1 - a - b, 1e-300)
    log_p = np.stack([special.log_expit(d - t), special.log_expit(-d - t), np.log(rest)], 1)
    slope = np.stack([1 - a, b - 1, (b * (1 - b) - a * (1 - a)) / rest], 1)
    return log_p, slope, np.stack([a - 1, b - 1, (a * (1 - a) + b * (1 - b)) / rest], 1)


_FORMS: Mapping[str, Callable[[Array, float], tuple[Array, Array, Array]]] = {
    "davidson": _davidson,
    "rao_kupper": _rao_kupper,
}


def _hessian(scores: Callable[[Array], tuple[float, Array]], x: Array, step: float = 1e-5) -> Array:
    """Minus the second derivatives, by central differences of the exact scores."""
    rows = [(scores(x + step * e)[1].sum(0) - scores(x - step * e)[1].sum(0)) / (2 * step) for e in np.eye(len(x))]
    h = -np.array(rows)
    return np.asarray((h + h.T) / 2)


def _inverse(curvature: Array, systems: Sequence[str]) -> Array:
    """The inverse on strengths that sum to zero; an error that names the systems if the votes do not determine them."""
    s = len(systems)
    level = np.zeros((len(curvature), 1))
    level[:s] = s**-0.5
    free = np.linalg.svd(level)[0][:, 1:]  # every direction but the common level of all strengths
    size, axes = np.linalg.eigh(free.T @ curvature @ free)
    if size[0] < SINGULAR * size[-1]:
        lost = np.abs(free @ axes[:, size < SINGULAR * size[-1]])[:s].max(1)
        raise DataError(
            f"no finite strength for {listed([x for x, far in zip(systems, lost, strict=True) if far > 0.1] or systems)}:"
            " some of these votes occur in one direction alone. Collect more votes, or pass prior=1."
        )
    return np.asarray(free @ (axes / size) @ axes.T @ free.T)


def _variance(influence: Array) -> Array:
    """The covariance of the sum of these clusters, with G / (G - 1) for G of them; nan for one."""
    n = len(influence)
    return np.asarray(influence.T @ influence * (n / (n - 1) if n > 1 else np.nan))


def _clusters(names: Sequence[Any], own: Array) -> tuple[tuple[Any, ...], Array]:
    every = {name: i for i, name in enumerate(dict.fromkeys(names))}
    at = np.array([every[name] for name in names])
    table = sparse.coo_array((np.ones(len(at)), (at, np.arange(len(at)))), (len(every), len(at))).tocsr()
    return tuple(every), np.asarray(table @ own)


def _finite(systems: Sequence[str], left: Array, right: Array, won: Array) -> None:
    """Check that every system has, directly or indirectly, beaten or tied with the rest, and lost to or tied with
    them.
    """
    from scipy.sparse import csgraph  # slow to import

    a = np.concatenate([left[won == 0], right[won == 1], left[won == 2], right[won == 2]])
    b = np.concatenate([right[won == 0], left[won == 1], right[won == 2], left[won == 2]])
    n = len(systems)
    graph = sparse.coo_array((np.ones(len(a)), (a, b)), (n, n)).tocsr()
    parts, part = csgraph.connected_components(graph, directed=True, connection="strong")
    if parts > 1:
        sizes = np.bincount(part)
        lone = [systems[i] for i in range(n) if part[i] != sizes.argmax()]
        raise DataError(
            f"no finite strength for {listed(lone)}, which won or lost every comparison with the rest, or was never"
            " compared. Collect more votes, or pass prior=1."
        )


def compared(people: Strengths, judge: Strengths, a: str, b: str, level: float = 0.95) -> Estimate:
    """(a minus b) according to the judge minus (a minus b) according to people, with items as clusters for both."""
    one, two = (s.contrast(a, b, level) for s in (people, judge))
    every = {name: i for i, name in enumerate(dict.fromkeys([*people.items, *judge.items]))}
    total = np.zeros(len(every))
    for sign, s in ((-1, people), (1, judge)):
        total[[every[name] for name in s.items]] += sign * (s.influence @ s._difference(a, b))
    n, z = len(every), float(special.ndtri((1 + level) / 2))
    se = float(np.sqrt((total**2).sum() * n / (n - 1))) if n > 1 else math.nan
    value = two.value - one.value
    return Estimate(
        f"{a} - {b}, judge minus people",
        value,
        value - z * se,
        value + z * se,
        se,
        level,
        "delta",
        n_items=len(every),
        coefficient="strength",
    )
