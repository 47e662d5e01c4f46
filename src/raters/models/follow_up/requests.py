"""Who may be asked for which of the next labels, and how requests are divided among raters with limited time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, brief, listed
from raters.models.base.fit import FittedModel

Array = NDArray[Any]
TOGETHER = 500
"""Items whose best rater has no time left are scored again, so many at a time."""
ITEMS = "such as available={'ann': ['q1', 'q2']}"


def way_to_ask(ask: str | None, known: Sequence[str], per_rater: Any, available: Any) -> str:
    """How to ask: limits of raters need requests to named raters."""
    limits = [name for name, x in (("per_rater", per_rater), ("available", available)) if x is not None]
    if ask is None:
        return "pair" if limits else "item"
    if ask not in known:
        raise UsageError(f"ask={ask!r} is not known. Use one of {listed(known)}.")
    if limits and ask != "pair":
        raise UsageError(f"{limits[0]}= is for requests to named raters; with it, pass ask='pair' or omit ask=.")
    return ask


def whole(name: str, value: Any, least: int, of: str = "") -> int:
    """A whole number, or an error that says what is one."""
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value).is_integer() or value < least:
        raise UsageError(f"{name}={brief(value)}{of} is not a whole number of {least} or more.")
    return int(float(value))


def is_share(value: Any) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= 1


def who_of(c: FittedModel, raters: Sequence[Any]) -> Array:
    """Codes of these raters."""
    code = {name: j for j, name in enumerate(c.raters)}
    if isinstance(raters, str) or not isinstance(raters, Sequence | set | frozenset | np.ndarray):
        raise UsageError(f"who={brief(raters)}: name the raters who can be asked in a list, such as who=['ann'].")
    odd = [r for r in raters if r not in code]
    if odd:
        raise UsageError(f"no rater {odd[0]!r}; raters are {listed(c.raters)}.")
    if not len(raters):
        raise UsageError("who=[]: name the raters who can be asked, or omit who= to ask anyone.")
    return np.array([code[r] for r in raters])


def loads(c: FittedModel, per_rater: int | Mapping[Any, int] | None) -> Array | None:
    """(rater,): how many labels each rater may be asked for."""
    if per_rater is None:
        return None
    if not isinstance(per_rater, Mapping):
        return np.full(c.votes.n_raters, whole("per_rater", per_rater, 1))
    if not per_rater:
        raise UsageError("per_rater={} names no rater; omit per_rater= to ask without limits.")
    who_of(c, list(per_rater))
    most = {r: whole("per_rater", x, 0, f" for rater {brief(r)}") for r, x in per_rater.items()}
    return np.array([most.get(r, c.votes.n_items) for r in c.raters])


def closed_to(c: FittedModel, available: Mapping[Any, Sequence[Any]] | None) -> dict[int, Array]:
    """Code of a rater -> (item,): whether the rater cannot label the item."""
    if available is None:
        return {}
    if not isinstance(available, Mapping):
        raise UsageError(
            f"available={brief(available)}: pass a mapping from rater to the items they can label, {ITEMS}."
        )
    if not available:
        raise UsageError("available={} names no rater; omit available= if everyone can label everything.")
    for rater, items in available.items():
        if isinstance(items, str) or not isinstance(items, Sequence | set | frozenset | np.ndarray):
            raise UsageError(
                f"available: the items of rater {brief(rater)} are {brief(items)}; pass a list of items, {ITEMS}."
            )
    codes = who_of(c, list(available)).tolist()
    every = np.arange(c.votes.n_items)
    return {j: ~np.isin(every, [c.where(i) for i in items]) for j, items in zip(codes, available.values(), strict=True)}


def in_order(parts: list[Array], n: int) -> Array:
    """The ``n`` best candidates, best first."""
    found = np.concatenate(parts)
    return found[np.argsort(-found[:, 0], kind="stable")][:n]


def divided(
    open_: Array, most: Array, values: Callable[[Array], Array], load: Array, n: int, per_item: int, step: int
) -> Array:
    """(candidate, 3): bits, item and place of the rater, best first, if raters can be asked a limited number of times.

    The best of all pairs is taken again and again; if a rater has no time left, the item goes to its next best rater.
    ``open_``: items in the order of ``most``, the upper limit of their bits. ``values``: (item, rater) bits, negative
    for pairs that are excluded; ``load``: (rater,).
    """
    left, taken, found = load.copy(), dict[int, list[int]](), list[tuple[float, int, int]]()
    heap: list[tuple[float, int, int]] = []

    def offer(items: Array) -> None:
        value = np.where(left > 0, values(items), -1.0)
        for row, item in zip(value, items.tolist(), strict=True):
            row[taken.get(item, [])] = -1
            if row[best := int(row.argmax())] >= 0:
                heappush(heap, (-float(row[best]), item, best))

    at = 0
    while len(found) < n:
        while at < len(open_) and (not heap or -heap[0][0] < most[at]):
            offer(open_[at : at + step])
            at += step
        if not heap:
            break
        value, item, rater = heappop(heap)
        if left[rater] > 0:
            found.append((-value, item, rater))
            taken.setdefault(item, []).append(rater)
            left[rater] -= 1
        again = [item] if len(taken.get(item, ())) < per_item else []
        while heap and left[heap[0][2]] == 0 and len(again) < min(TOGETHER, step):
            again.append(heappop(heap)[1])
        if again:
            offer(np.array(again))
    return np.array(found).reshape(-1, 3)
