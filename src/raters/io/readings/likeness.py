"""How much columns, or the labels of one item, are alike: shared labels, and agreement beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from raters.io.readings.profiles import Facts, Profile

SHARED = 0.5
"""Two columns hold labels of one kind if at least this share of the smaller one's labels is also in the other."""
COMMON = frozenset(
    ["0", "1", "2", "yes", "no", "true", "false", "x", "y", "n", "ja", "nein", "oui", "non", "si", "t", "f"]
)
"""Labels that say little: many variables have them."""
MOST = 12
"""At most so many columns are compared with each other."""
Both = tuple[float, float]
"""Agreement beyond chance, and how many standard errors it is from none."""


def alike(p: Profile, other: Profile) -> bool:
    """Whether two columns hold labels of one kind: values that both have, or numbers over the same range."""
    close = (p.small and other.small) or (p.measured_by_person and other.measured_by_person)
    if (p.number is None) != (other.number is None) or (p.unique != other.unique and not close):
        return False
    small, large = sorted((p.values, other.values), key=len)
    shared = len(small & large) >= SHARED * len(small) and (len(small) > 1 or small <= large)
    if shared or p.number is None or other.number is None:
        return shared
    mine, theirs = p.numbers or (), other.numbers or ()
    low, high = max(mine[0], theirs[0]), min(mine[-1], theirs[-1])
    few = 5 if all(float(x).is_integer() for x in (*mine, *theirs)) else 1
    return len(small) > few and high - low >= SHARED * max(mine[-1] - mine[0], theirs[-1] - theirs[0])


def one_vocabulary(columns: Sequence[Profile]) -> tuple[NDArray[np.int64], list[str]]:
    """The cells of columns, columns by rows, as numbers of their joint values; -1 where empty."""
    known: dict[str, int] = {}
    made = []
    for p in columns:
        at = np.array([known.setdefault(v.lower(), len(known)) for v in p.written] or [0], dtype=np.int64)
        made.append(np.where(p.codes >= 0, at[p.codes], -1))
    return np.array(made), list(known)


def among(facts: Facts, columns: Sequence[Profile]) -> Both:
    """Agreement among columns: of numbers with more than three values by their distance, else by equality."""
    key = ("among", *(p.column for p in columns[:MOST]))
    if key not in facts._made:
        some = list(columns[:MOST])
        numeric = all(p.number is not None for p in some) and len(frozenset().union(*(p.values for p in some))) > 3
        facts._made[key] = of_numbers(some) if numeric else of_names(some)
    found: Both = facts._made[key]
    return found


def of_names(columns: Sequence[Profile]) -> Both:
    cells, known = one_vocabulary(columns)
    seen = expected = variance = pairs = 0.0
    for a, b in combinations(cells, 2):
        there = (a >= 0) & (b >= 0)
        n = int(there.sum())
        if n:
            p, q = (np.bincount(x[there], minlength=len(known)) / n for x in (a, b))
            chance = float(p @ q)
            seen += float((a[there] == b[there]).sum())
            expected, variance, pairs = expected + n * chance, variance + n * chance * (1 - chance), pairs + n
    if not pairs:
        return 0.0, 0.0
    if expected >= pairs * (1 - 1e-9):
        return 0.0, 0.0
    return (seen - expected) / (pairs - expected), (seen - expected) / max(variance, 1e-9) ** 0.5


def of_numbers(columns: Sequence[Profile]) -> Both:
    values = np.array([np.where(p.codes >= 0, p.number[p.codes], np.nan) for p in columns if p.number is not None])
    off = together = count = 0.0
    z = []
    spread = float(np.nanvar(values)) or 1.0
    for a, b in combinations(values, 2):
        there = ~(np.isnan(a) | np.isnan(b))
        n = int(there.sum())
        if n > 2:
            off, count = off + float(((a[there] - b[there]) ** 2).sum()), count + n
            s = np.std(a[there]) * np.std(b[there])
            together = float(((a[there] - a[there].mean()) * (b[there] - b[there].mean())).mean() / s) if s > 0 else 0.0
            z.append(together * (n - 1) ** 0.5)
    return (1 - off / (2 * spread * count), float(np.sum(z)) / len(z) ** 0.5) if z else (0.0, 0.0)


def within(facts: Facts, items: tuple[Profile, ...], label: Profile) -> Both:
    """Agreement of the labels in rows with the same item."""
    key = ("within", *(p.column for p in items), label.column)
    if key not in facts._made:
        codes, n = facts.together(*items)
        there = label.codes >= 0
        facts._made[key] = (
            spread_within(codes[there], n, label.number[label.codes[there]])
            if label.number is not None and label.distinct > 3
            else equal_within(codes[there], label.codes[there], len(label.written))
        )
    found: Both = facts._made[key]
    return found


def equal_within(items: NDArray[np.int64], labels: NDArray[np.int64], n_labels: int) -> Both:
    cells = np.unique(items * n_labels + labels, return_counts=True)[1]
    size = np.bincount(items)
    pairs = float((size * (size - 1.0)).sum())
    share = np.bincount(labels, minlength=n_labels) / max(len(labels), 1)
    chance = float(share @ share)
    if not pairs or chance > 1 - 1e-9:
        return 0.0, 0.0
    seen = float((cells * (cells - 1.0)).sum()) / pairs
    return (seen - chance) / (1 - chance), (seen - chance) / (chance * (1 - chance) * 2 / pairs) ** 0.5


def spread_within(items: NDArray[np.int64], n: int, values: NDArray[np.float64]) -> Both:
    size = np.bincount(items, minlength=n)
    several = size > 1
    if not several.any() or np.ptp(values) == 0:
        return 0.0, 0.0
    kept = several[items]
    mean = np.bincount(items, values, n)[several] / size[several]
    inside = float((values[kept] ** 2).sum() - (size[several] * mean**2).sum()) / float((size[several] - 1).sum())
    alpha = 1 - inside / float(np.var(values[kept], ddof=1)) if np.var(values[kept]) > 0 else 0.0
    return alpha, alpha * float((size[several] * (size[several] - 1)).sum() / 2) ** 0.5


def of_rows(columns: Sequence[Profile]) -> Both:
    """Agreement among rows, each of which is a rater: of the cells of each column."""
    cells, known = one_vocabulary(columns)
    at, items = cells[cells >= 0], np.nonzero(cells >= 0)[0]
    if len(known) > 3 and all(p.number is not None for p in columns):
        return spread_within(items, len(columns), np.array(known, dtype=float)[at])
    return equal_within(items, at, len(known))


def special(columns: Sequence[Profile]) -> float:
    """How much it says that columns share their labels, from 0 to 1: little for yes and no, and for 0 and 1."""
    known = frozenset().union(*({v.lower() for v in p.values} for p in columns))
    if known <= COMMON:
        return 0.3
    if all(p.number is not None for p in columns):
        return 0.5 if len(known) <= 12 else 0.4
    return 1.0 if len(known) > 2 else 0.7


def is_mean(facts: Facts, p: Profile, others: Sequence[Profile]) -> bool:
    """Whether a column is the mean of others, as far as its numbers are written out, and often enough between them."""
    if p.number is None or len(others) < 2 or any(q.number is None for q in others):
        return False
    values = np.array([np.where(q.codes >= 0, q.number[q.codes], np.nan) for q in others if q.number is not None])
    own = np.where(p.codes >= 0, p.number[p.codes], np.nan)
    there = ~np.isnan(own) & ((~np.isnan(values)).sum(0) > 1)
    if there.sum() < 3:
        return False
    digits = max((len(w.partition(".")[2]) for w in p.written), default=0)
    close = np.abs(own[there] - np.nanmean(values[:, there], axis=0)) <= 0.5 * 10.0**-digits + 1e-9
    given = {x for q in others for x in q.numbers or ()}
    return bool(close.all()) and sum(x not in given for x in own[there].tolist()) >= 3


def decided_from(facts: Facts, columns: Sequence[Profile]) -> list[float]:
    """For each column how surely it was decided from the others, from 0 to 1: it all but never departs from what most
    others say, and they do.
    """
    key = ("decided", *(p.column for p in columns))
    if key not in facts._made:
        cells, known = one_vocabulary(columns)
        facts._made[key] = [0.0] * len(columns)
        if 2 < len(columns) <= MOST and len(known) <= MOST:
            each = cells[:, :, None] == np.arange(len(known))
            off = np.array([departures(cells[j], each.sum(0) - each[j]) for j in range(len(columns))])
            others = (off.sum() - off) / (len(off) - 1)
            facts._made[key] = np.clip((others - 10 * off) / 5 - 1, 0, 1).tolist()
    found: list[float] = facts._made[key]
    return found


def departures(own: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    """In how many rows a column has another label than the one that most others have."""
    ranked = np.sort(others, axis=1)
    most = np.flatnonzero((own >= 0) & (ranked[:, -1] > (ranked[:, -2] if ranked.shape[1] > 1 else 0)))
    return int((others[most].argmax(axis=1) != own[most]).sum())
