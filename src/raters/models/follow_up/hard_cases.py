"""Hard cases: the share of items on which raters agree by chance alone.

Every rater gives an easy item its label; each label of a hard item is an independent draw. With two raters, the share
follows from the disagreement; with three or more, it is estimated by likelihood, and is never below the share of items
that are not unanimous.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items import fold
from raters.items.folding import check_repeats

Array = NDArray[Any]
ROUNDS = 5_000
CLOSE = 1e-10


@takes_tables()
def hard_cases(ann: Source, *, guessing: str = "pooled", level: float = 0.95, **reading: Unpack[Reading]) -> Estimate:
    r"""The share of hard items, on which raters' labels are chance, by likelihood; with two labels per item, from the
    disagreement.

    .. math:: P(\text{counts}) = h \prod_k q_k^{n_k} + (1 - h)\, e_k\, [\text{unanimous on } k]

    with h the share of hard items, q the distribution of labels on them and e that on easy items. Items with one label
    are left out. ``guessing``, for two labels per item: ``"pooled"`` (q is the margin: h = 1 - Scott's pi) or
    ``"uniform"``.

    ``details``: ``hard_though_agreed``, the share of unanimous items that are hard; ``guessing`` and ``easy``, the
    distributions; ``log_likelihood``.

    >>> from raters import examples
    >>> round(hard_cases(examples.fleiss_1971()).value, 4)
    0.8344

    Beigman Klebanov & Beigman (2009), Comput. Linguist. 35, 495-503 (the idea; we did not have access to that paper);
    Aickin (1990), Biometrics 46, 293-302.
    """
    ann = table(ann)
    if guessing not in ("pooled", "uniform"):
        raise UsageError(f"guessing={guessing!r} is not 'pooled' or 'uniform'.")
    check_repeats(ann, None, None)
    items = fold(ann)[None].merged()
    items = items.where(np.flatnonzero(items.per_item >= 2))
    counts, weight = items.counts.toarray(), items.weight
    common: dict[str, Any] = {
        "n_items": int(weight.sum()),
        "n_annotations": int(weight @ counts.sum(1)) if len(weight) else 0,
        "level": level,
    }
    title = "share of items labelled by chance"
    if weight.sum() < 2:
        return Estimate(
            "hard cases", math.nan, title=title, warnings=("fewer than two items have two labels",), **common
        )
    said = (
        (f"{ann.n_items - int(weight.sum()):,} items with one label are left out",)
        if ann.n_items > weight.sum()
        else ()
    )
    if counts.sum(1).max() == 2:
        return _two(ann, counts, weight, guessing, title, common, said)
    return _many(counts, weight, title, common, said)


def _two(
    ann: Annotations,
    counts: Array,
    weight: Array,
    guessing: str,
    title: str,
    common: dict[str, Any],
    said: tuple[str, ...],
) -> Estimate:
    n, apart = float(weight.sum()), float(weight[counts.max(1) < 2].sum())
    q = weight @ counts / (2 * n) if guessing == "pooled" else np.full(counts.shape[1], 1 / counts.shape[1])
    room = 1 - float(q @ q)
    if room <= 0:
        return Estimate("hard cases", math.nan, title=title, warnings=(*said, "all labels are the same"), **common)
    h = apart / n / room
    tail = (1 - common["level"]) / 2
    low = float(special.betaincinv(apart, n - apart + 1, tail)) / room if apart else 0.0
    high = float(special.betaincinv(apart + 1, n - apart, 1 - tail)) / room if apart < n else math.inf
    if h > 1:
        said = (*said, "raters disagree more often than by chance: no share of hard items explains that")
    agreed = (h - apart / n) / (1 - apart / n) if apart < n else math.nan
    details = {"hard_though_agreed": agreed, "guessing": q.tolist(), "disagreement": apart / n}
    return Estimate(
        "hard cases",
        h,
        low,
        min(high, 1.0) if h <= 1 else high,
        interval="Clopper-Pearson",
        title=title,
        warnings=said,
        details=details,
        **common,
    )


def _log_likelihood(h: float, q: Array, e: Array, counts: Array, weight: Array, one: Array) -> float:
    return float(weight @ np.log(np.maximum(_parts(h, q, e, counts, one)[0], 1e-300)))


def _parts(h: float, q: Array, e: Array, counts: Array, one: Array) -> tuple[Array, Array]:
    """(pattern,): the likelihood of each pattern, and its part from hard items."""
    hard = h * np.exp(special.xlogy(counts, np.maximum(q, 1e-300)).sum(1))
    return hard + (1 - h) * (one @ e), hard


def _fit(counts: Array, weight: Array, fixed: float | None = None) -> tuple[float, Array, Array, float]:
    """EM; ``fixed`` fixes the share of hard items."""
    one = (counts == counts.sum(1, keepdims=True)).astype(float)
    n = float(weight.sum())
    split = float(weight @ (1 - one.any(1)))
    h = fixed if fixed is not None else min(0.99, max(0.5, split / n))
    q = weight @ counts + 0.5
    q, e = q / q.sum(), weight @ one + 1e-3
    e = e / e.sum()
    before = -math.inf
    for _ in range(ROUNDS):
        whole, hard = _parts(h, q, e, counts, one)
        share = weight * hard / np.maximum(whole, 1e-300)
        h = float(share.sum() / n) if fixed is None else fixed
        q = share @ counts
        q = q / q.sum() if q.sum() > 0 else np.full(len(q), 1 / len(q))
        easy = (weight - share) @ one
        e = easy / easy.sum() if easy.sum() > 0 else e
        now = _log_likelihood(h, q, e, counts, weight, one)
        if now - before < CLOSE:
            break
        before = now
    return h, q, e, now


def _many(counts: Array, weight: Array, title: str, common: dict[str, Any], said: tuple[str, ...]) -> Estimate:
    from scipy import optimize  # slow to import

    h, q, e, best = _fit(counts, weight)
    one = (counts == counts.sum(1, keepdims=True)).any(1)
    rise = float(special.chdtri(1, 1 - common["level"])) / 2
    split = float(weight @ ~one) / float(weight.sum())

    def below(x: float) -> float:
        return _fit(counts, weight, x)[3] - (best - rise)

    low, high = split if split > 0 else 0.0, 1.0
    if below(max(split * 0.5, 1e-6)) < 0 and h > 1e-6:
        low = float(optimize.brentq(below, max(split * 0.5, 1e-6), h, xtol=1e-6))
    if h < 1 - 1e-6 and below(1 - 1e-9) < 0:
        high = float(optimize.brentq(below, h, 1 - 1e-9, xtol=1e-6))
    unanimous = (counts == counts.sum(1, keepdims=True)).astype(float)
    whole, hard = _parts(h, q, e, counts, unanimous)
    agreed = float((weight * hard / whole)[one].sum() / weight[one].sum()) if one.any() else math.nan
    details = {
        "hard_though_agreed": agreed,
        "guessing": q.tolist(),
        "easy": e.tolist(),
        "log_likelihood": best,
        "not_unanimous": split,
    }
    return Estimate(
        "hard cases", h, low, high, interval="profile", title=title, warnings=said, details=details, **common
    )
