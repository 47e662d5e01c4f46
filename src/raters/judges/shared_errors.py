"""Several judges: how many independent ones they amount to, and the same measure for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.estimate import Estimate, jsonable, shown
from raters.inference.intervals import IntervalSpec
from raters.inference.joint import Terms
from raters.judges.kappas import estimate, figured
from raters.judges.people_and_judges import Sides, plurality, tally
from raters.notes.note import Note

Array = NDArray[Any]
LEAST = 30


def error_terms(errors: Array, classes: Array, k: int, rows: Array | None = None, n_items: int = 0) -> sparse.csr_array:
    """(item, k * (1 + J + J * J)): for each class its count, the errors, and the products of errors of two judges.

    ``rows``: which of ``n_items`` items these are, if not all. Errors are rare, so few products are stored.
    """
    n = len(errors)
    width = 1 + errors.shape[1] + errors.shape[1] ** 2
    parts = []
    for start in range(0, n, 20_000):
        e = errors[start : start + 20_000]
        own = np.concatenate([np.ones((len(e), 1)), e, (e[:, :, None] * e[:, None, :]).reshape(len(e), -1)], 1)
        parts.append(sparse.coo_array(own))
    table = sparse.vstack(parts, format="coo") if parts else sparse.coo_array((0, width))
    place = np.arange(n) if rows is None else rows
    shape = (n if rows is None else n_items, k * width)
    return sparse.coo_array((table.data, (place[table.row], classes[table.row] * width + table.col)), shape).tocsr()


def within_classes(sums: Array, k: int, j: int) -> Array:
    """(replicate, J, J): covariances of errors within classes, summed over classes, from the sums of
    ``error_terms``.
    """
    by = sums.reshape(len(sums), k, 1 + j + j * j)
    n, first, both = by[..., 0], by[..., 1 : 1 + j], by[..., 1 + j :].reshape(len(sums), k, j, j)
    centre = first[..., :, None] * first[..., None, :] / np.where(n > 0, n, 1)[..., None, None]
    return np.asarray((both - centre).sum(1))


def correlations(covariance: Array) -> Array:
    """(..., J, J): correlations; nan for a judge that never errs."""
    spread = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = covariance / (spread[..., :, None] * spread[..., None, :])
    return np.where((spread[..., :, None] > 1e-12) & (spread[..., None, :] > 1e-12), r, np.nan)


def mean_correlation(r: Array) -> Array:
    """The mean over pairs of different judges, without undefined pairs."""
    j = r.shape[-1]
    off = r[..., ~np.eye(j, dtype=bool)]
    there = np.isfinite(off)
    return np.asarray(np.where(there.any(-1), np.where(there, off, 0).sum(-1) / np.maximum(there.sum(-1), 1), np.nan))


def effective_number(mean: Array, k: int) -> Array:
    """k / (1 + (k - 1) r): for g copies of each of k / g independent judges, this is k / g.

    >>> float(effective_number(np.array(1.0), 5)), float(effective_number(np.array(0.0), 5))
    (1.0, 5.0)
    """
    return np.asarray(k / np.maximum(1 + (k - 1) * mean, 1e-9))


def best_weights(r: Array) -> float:
    """1' R^-1 1: the effective number with the best weights."""
    if not np.isfinite(r).all() or np.linalg.cond(r) > 1e10:
        return float("nan")
    return float(np.linalg.solve(r, np.ones(len(r))).sum())


def pair_p_values(errors: Array, classes: Array, k: int) -> Array:
    """(pair,): one-sided p-value for two judges making the same errors more than by chance within classes; errors
    permuted within classes.

    The permutation's mean and variance are known (Mantel and Haenszel), so nothing is drawn.
    """
    j = errors.shape[1]
    found = []
    for a, b in combinations(range(j), 2):
        both, mean, var = 0.0, 0.0, 0.0
        for c in range(k):
            own = errors[classes == c]
            n = len(own)
            if n < 2:
                continue
            x, y = own[:, a].sum(), own[:, b].sum()
            both += float((own[:, a] * own[:, b]).sum())
            mean += x * y / n
            var += x * y * (n - x) * (n - y) / (n**2 * (n - 1))
        found.append(float(special.ndtr(-(both - mean) / np.sqrt(var))) if var > 0 else 1.0)
    return np.array(found)


def holm(p: Array) -> Array:
    """Holm's adjusted p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    out = np.empty(len(p))
    out[order] = np.minimum(steps, 1)
    return out


def person_accuracy(s: Sides, classes: Array) -> float:
    """How often one person is right, if people's errors are independent and equally frequent: from how often two of
    them agree, on the items where all their labels are among these classes.

    agreement = a^2 + (1 - a)^2 / (K - 1); for two classes a = (1 + sqrt(2 agreement - 1)) / 2.
    """
    counts = s.counts
    n = np.asarray(counts.sum(1)).ravel()
    squares = np.asarray(counts.multiply(counts).sum(1)).ravel()
    inside = np.asarray(counts[:, classes].sum(1)).ravel()
    at = (n >= 2) & (inside == n)
    pairs = (n * (n - 1))[at].sum()
    if not pairs:
        return float("nan")
    agree = float((squares - n)[at].sum() / pairs)
    k = len(classes)
    room = 1 / k**2 - (1 / (k - 1) - agree) * (k - 1) / k
    return float("nan") if room < 0 else float(1 / k + np.sqrt(room))


def consensus_error(accuracy: float, k: int, people: Sequence[int] | Array, seed: int = 0) -> float:
    """How often an untied consensus of this many people is wrong, averaged over items.

    >>> round(consensus_error(0.85, 2, [3]), 5)
    0.06075
    """
    if not np.isfinite(accuracy):
        return float("nan")
    sizes, share = np.unique(np.asarray(people), return_counts=True)
    wrong = [_wrong(accuracy, k, int(m), seed) for m in sizes]
    return float(np.average(wrong, weights=share))


def _wrong(a: float, k: int, m: int, seed: int) -> float:
    if k == 2:
        votes = np.arange(m + 1)
        p = (
            np.exp(special.gammaln(m + 1) - special.gammaln(votes + 1) - special.gammaln(m - votes + 1))
            * a**votes
            * (1 - a) ** (m - votes)
        )
        right, wrong = p[votes > m / 2].sum(), p[votes < m / 2].sum()
        return float(wrong / (right + wrong))
    rng = np.random.default_rng([seed, m, k])
    votes = rng.multinomial(m, [a, *([(1 - a) / (k - 1)] * (k - 1))], 20_000)
    best = votes.max(1)
    clear = (votes == best[:, None]).sum(1) == 1
    return float((votes[clear].argmax(1) != 0).mean())


def deconvolved(sums: Array, k: int, j: int, delta: float) -> Array:
    """(replicate, J, J): covariances within classes of the *truth*, if the consensus is wrong with probability delta.

    ``sums``: (replicate, class of consensus, ...) counts of (label a, label b), in the form of ``label_terms``. The
    joint counts of (consensus, a, b) become those of (truth, a, b) by the inverse of the consensus' own confusion.
    """
    joint = sums.reshape(len(sums), k, j, k, j, k)  # consensus, judge a, label of a, judge b, label of b
    m = np.full((k, k), delta / (k - 1))
    np.fill_diagonal(m, 1 - delta)
    truth = np.einsum("tc,bcxyzw->btxyzw", np.linalg.inv(m), joint)
    total = truth[:, :, 0, :, 0, :].sum((-2, -1))  # (replicate, truth)
    single = np.einsum("btxyxw->btxy", truth)  # judge a with itself: label counts given the truth
    right_a = np.stack([single[:, c, :, c] for c in range(k)], 1)  # (replicate, truth, judge)
    right_ab = np.stack([truth[:, c, :, c, :, c] for c in range(k)], 1)  # (replicate, truth, a, b)
    # errors: P(both wrong) = 1 - right_a - right_b + right_ab
    wrong = total[..., None] - right_a
    both = total[..., None, None] - right_a[..., :, None] - right_a[..., None, :] + right_ab
    idx = np.arange(j)
    both[..., idx, idx] = wrong
    n = np.where(np.abs(total) > 0, total, 1)[..., None, None]
    return np.asarray((both - wrong[..., :, None] * wrong[..., None, :] / n).sum(1))


def label_terms(said: Array, classes: Array, k: int) -> Array:
    """(class, J, k, J, k): how often each pair of judges gave each pair of labels, for each class of the consensus."""
    j = said.shape[1]
    out = np.zeros((k, j, k, j, k))
    for a in range(j):
        for b in range(j):
            cell = (classes * k + said[:, a]) * k + said[:, b]
            out[:, a, :, b, :] = np.bincount(cell, minlength=k**3).reshape(k, k, k)
    return out


def numeric_covariance(errors: Array, noise: float = 0.0) -> Array:
    """(J, J): covariances of errors, minus the variance of people's mean, which all judges share."""
    return np.asarray(np.cov(errors.T, ddof=1).reshape(errors.shape[1], -1) - noise)


def noise_of_means(s: Sides, rows: Array) -> float:
    """The mean over items of s_i^2 / m_i, the variance of the mean of an item's human labels."""
    counts = s.counts[rows]
    n = np.asarray(counts.sum(1)).ravel()
    first, second = counts @ s.values, counts @ s.values**2
    with np.errstate(invalid="ignore", divide="ignore"):
        var = (second - first**2 / n) / (n - 1)
    several = n >= 2
    return float((var[several] / n[several]).mean()) if several.any() else float("nan")


def others_consensus(s: Sides, without: Sequence[int]) -> Array:
    """(item,): the consensus of all people except these; -1 if there is none."""
    rest = s.given.copy()
    rest[:, list(without)] = -1
    return plurality(tally(rest, len(s.labels)))


RARE = 0.005
"""Labels with a smaller share of people's annotations are excluded from the corrected figure."""
PAIR = 100
"""Least number of items on which two people are compared with the consensus of the others."""
MOST_COLUMNS = 20_000
MOST_PAIRS = 60


@dataclass(frozen=True)
class Several:
    """How far judges make the same errors."""

    judges: tuple[str, ...]
    correlations: tuple[tuple[float, ...], ...]
    """(judge, judge): correlations of errors relative to people's consensus, within its classes."""
    p: Mapping[str, float]
    """"a, b" -> p-value for two judges making the same errors no more than by chance, adjusted over pairs (Holm)."""
    mean_correlation: Estimate
    effective_number: Estimate
    """k / (1 + (k - 1) r), relative to the consensus of people, which errs too."""
    corrected_correlation: float
    corrected_number: float
    """The same corrected for the noise of people's consensus."""
    best_weights: float
    people_correlation: Estimate
    """Correlation of the errors of two people, relative to the consensus of the others."""
    judges_correlation: Estimate
    """Correlation of the judges' errors, relative to the same reference."""
    excess: Estimate
    """Judges minus people: only this is dependence between models."""
    families: Mapping[str, float]
    n_items: int
    tied: int

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return (
            self.mean_correlation,
            self.effective_number,
            self.people_correlation,
            self.judges_correlation,
            self.excess,
        )

    @property
    def sentence(self) -> str:
        k = len(self.judges)
        if not math.isfinite(self.effective_number.value):
            return f"How far the {k} judges make the same errors is unknown: {self.effective_number.undefined}."
        text = (
            f"The {k} judges amount to about {shown(self.effective_number.value, 1)} independent ones, measured against"
            " people's consensus"
        )
        if math.isfinite(self.corrected_number):
            text += f", {shown(self.corrected_number, 1)} after correcting for errors in the consensus itself"
        text += "."
        e = self.excess
        if math.isfinite(e.value):
            people, own = shown(self.people_correlation.value, 2), shown(self.judges_correlation.value, 2)
            limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else ""
            more = "more than" if e.low > 0 else "no more than" if e.high <= 0 or e.low <= 0 else "as"
            text += (
                f" Their errors correlate {own} where those of people correlate {people} (excess"
                f" {e.value:+.2f}{limits}): models make the same errors {more} people do."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        plain = (
            "judges",
            "correlations",
            "p",
            "corrected_correlation",
            "corrected_number",
            "best_weights",
            "families",
            "n_items",
            "tied",
            "sentence",
        )
        return {
            **{name: jsonable(getattr(self, name)) for name in plain},
            "estimates": [e.to_dict() for e in self.estimates],
        }


def several(s: Sides, spec: IntervalSpec, resamples: int, families: Mapping[str, str] | None = None) -> Several | None:
    """Several judges of the same items; None for one judge."""
    if len(s.judges) < 2:
        return None
    everyone = np.asarray((s.said >= 0).all(1))
    rows, tied, made = _numbers(s, everyone) if s.numbers else _labels(s, everyone)
    j = len(s.judges)
    terms = Terms(len(rows))
    k = int(made["classes"].max(initial=0)) + 1
    terms.add(error_terms(made["errors"], made["classes"], k))

    def figures(flat: Array) -> Array:
        mean = mean_correlation(correlations(within_classes(flat, k, j)))
        return np.array([mean, effective_number(mean, j)])

    point, found = figured(terms, figures, resamples, spec)
    why = Note("judges_never_differ" if len(rows) else "no_consensus_with_every_judge")
    facts: Any = {"n_items": len(rows), "n_raters": j}
    r = correlations(within_classes(terms.sums(), k, j)[0])
    pairs = list(combinations(range(j), 2))
    p = holm(pair_p_values(made["errors"], made["classes"], k)) if not s.numbers and len(rows) else np.zeros(0)
    corrected = (
        float(mean_correlation(correlations(made["covariance"]))) if made["covariance"] is not None else math.nan
    )
    yardstick = _yardstick(s, everyone, spec, resamples)
    return Several(
        s.judges,
        tuple(map(tuple, r.tolist())),
        {f"{s.judges[a]}, {s.judges[b]}": float(x) for (a, b), x in zip(pairs, p, strict=False)},
        estimate(
            "error_correlation",
            point[0],
            found[0],
            spec,
            why,
            coefficient="error_correlation",
            title="correlation of judges' errors",
            **facts,
        ),
        estimate(
            "effective_judges",
            point[1],
            found[1],
            spec,
            why,
            coefficient="effective_judges",
            title="effective number of judges",
            **facts,
        ),
        corrected,
        float(effective_number(np.array(corrected), j)) if math.isfinite(corrected) else math.nan,
        best_weights(r),
        *yardstick,
        _families(s, r, families),
        len(rows),
        tied,
    )


def _labels(s: Sides, everyone: Array) -> tuple[Array, int, dict[str, Any]]:
    truth = s.consensus
    rows = np.flatnonzero((truth >= 0) & everyone)
    tied = int(((truth < 0) & everyone & (s.given >= 0).any(1)).sum())
    made = {"errors": (s.said[rows] != truth[rows, None]).astype(float), "classes": truth[rows], "covariance": None}
    used = np.asarray(s.counts.sum(0)).ravel()
    common = np.flatnonzero(used / max(used.sum(), 1) >= RARE)
    if 2 <= len(common) <= 12 and len(s.people) >= 2 and len(common) ** 3 * len(s.judges) ** 2 < 2_000_000:
        made["covariance"] = _corrected(s, rows, common)
    return rows, tied, made


def _corrected(s: Sides, rows: Array, common: Array) -> Array | None:
    """(judge, judge): covariances of errors within classes of the truth, corrected for errors of the consensus."""
    code = np.full(len(s.labels), -1)
    code[common] = np.arange(len(common))
    kept = rows[
        (code[s.consensus[rows]] >= 0)
        & (code[s.said[rows]] >= 0).all(1)
        & (np.asarray(s.counts.sum(1)).ravel()[rows] >= 1)
    ]
    accuracy = person_accuracy(s, common)
    people = np.asarray(s.counts.sum(1)).ravel()[kept].astype(int)
    delta = consensus_error(accuracy, len(common), people) if len(kept) else math.nan
    k, j = len(common), len(s.judges)
    if not math.isfinite(delta) or delta >= (k - 1) / k - 0.05:
        return None
    table = label_terms(code[s.said[kept]], code[s.consensus[kept]], k)
    return np.asarray(deconvolved(table.reshape(1, -1), k, j, delta)[0])


def _numbers(s: Sides, everyone: Array) -> tuple[Array, int, dict[str, Any]]:
    n = np.asarray(s.counts.sum(1)).ravel()
    rows = np.flatnonzero((n > 0) & everyone)
    own = s.values[s.said[rows]] - ((s.counts @ s.values)[rows] / n[rows])[:, None]
    noise = noise_of_means(s, rows)
    covariance = numeric_covariance(own, noise) if math.isfinite(noise) and len(rows) > 2 else None
    return rows, 0, {"errors": own, "classes": np.zeros(len(rows), int), "covariance": covariance}


def _yardstick(s: Sides, everyone: Array, spec: IntervalSpec, resamples: int) -> tuple[Estimate, Estimate, Estimate]:
    """Correlations of two people's errors relative to the consensus of the others, of the judges' errors relative to
    the same, and the difference.
    """
    j, k = len(s.judges), len(s.labels)
    terms, blocks = Terms(len(s.items)), []
    pairs = _pairs_of_people(s, everyone)
    least = min(PAIR, max((len(rows) for *_, rows in pairs), default=0))
    for a, b, truth, rows in pairs:
        width = k * (1 + (j + 2) + (j + 2) ** 2)
        if len(rows) < max(least, 2) or width > MOST_COLUMNS:
            continue
        off = (np.concatenate([s.given[rows][:, [a, b]], s.said[rows]], 1) != truth[rows, None]).astype(float)
        blocks.append((terms.add(error_terms(off, truth[rows], k, rows, len(s.items))), len(rows)))

    def figures(flat: Array) -> Array:
        total = np.zeros((3, len(flat)), flat.dtype)
        for at, n in blocks:
            r = correlations(within_classes(flat[:, at], k, j + 2))
            people, judges = r[:, 0, 1], mean_correlation(r[:, 2:, 2:])
            there = np.isfinite(people) & np.isfinite(judges)
            total += np.where(there, np.array([n * people, n * judges, np.full(len(flat), n)]), 0)
        people, judges = total[0] / total[2], total[1] / total[2]
        return np.array([people, judges, judges - people])

    names = ("people_error_correlation", "judges_error_correlation", "excess_correlation")
    titles = ("correlation of people's errors", "correlation of judges' errors, same reference", "judges minus people")
    if not blocks or s.numbers:
        why = (Note("three_people_needed"),)
        return tuple(
            Estimate(n, math.nan, level=spec.level, notes=why, title=t) for n, t in zip(names, titles, strict=True)
        )  # type: ignore[return-value]
    point, found = figured(terms, figures, resamples, spec)
    return tuple(  # type: ignore[return-value]
        estimate(
            n,
            point[i],
            found[i],
            spec,
            Note("people_hardly_err"),
            coefficient=n,
            title=t,
            n_raters=len(blocks),
        )
        for i, (n, t) in enumerate(zip(names, titles, strict=True))
    )


def _pairs_of_people(s: Sides, everyone: Array) -> list[tuple[int, int, Array, Array]]:
    """Pairs of people, the consensus of the others, and the items that have it; the 60 pairs with the most items."""
    has = ((s.given >= 0) & everyone[:, None] & ((s.given >= 0).sum(1) >= 3)[:, None]).astype(np.int64)
    shared = has.T @ has
    pairs = [(a, b) for a, b in combinations(range(len(s.people)), 2) if shared[a, b] > 1]
    found = []
    for a, b in sorted(pairs, key=lambda p: -shared[p])[:MOST_PAIRS]:
        truth = others_consensus(s, (a, b))
        found.append((a, b, truth, np.flatnonzero((truth >= 0) & (s.given[:, [a, b]] >= 0).all(1) & everyone)))
    return found


def _families(s: Sides, r: Array, families: Mapping[str, str] | None) -> dict[str, float]:
    """Mean correlation within families and between them."""
    if not families:
        return {}
    of = [families.get(name, name) for name in s.judges]
    within = [r[a, b] for a, b in combinations(range(len(of)), 2) if of[a] == of[b]]
    between = [r[a, b] for a, b in combinations(range(len(of)), 2) if of[a] != of[b]]
    return {
        "within": float(np.mean(within)) if within else math.nan,
        "between": float(np.mean(between)) if between else math.nan,
    }
