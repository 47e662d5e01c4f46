"""Differences where there is none: how often `compare` gives p below .05, on shared items and on different ones.

Each row is one design; both sets of labels come from the same distribution. The figures are those of
``raters.compare``, by the road that it takes once the tables are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.agree.comparing import difference_of
from raters.items import Items
from raters.scales import MID_RANKS, Kernel

Array = np.ndarray[Any, Any]
Row = dict[str, Any]
EVEN, RARE, THREE, FIVE = (0.5, 0.5), (0.9, 0.1), (0.6, 0.3, 0.1), (0.2,) * 5
PAIRED = (20, 30, 60, 200)
APART = ((20, 20), (30, 30), (20, 200))


def given(rng: np.random.Generator, n: int, r: int, kind: str, value: float, margin: Any) -> Array:
    """(item, rater): nominal: the item's label with probability sqrt(value), or a guess; ordinal: the item's point or
    its neighbour.
    """
    common = rng.choice(len(margin), (n, 1), p=margin)
    if kind == "nominal":
        return np.where(rng.random((n, r)) < np.sqrt(value), common, rng.choice(len(margin), (n, r), p=margin))
    slip = rng.random((n, r)) < 1 - value
    return np.clip(common + slip * rng.choice([-1, 1], slip.shape), 0, len(margin) - 1)


def items_of(x: Array, k: int) -> Items:
    bags = (x[:, :, None] == np.arange(k)).sum(1).astype(float)
    return Items(np.ones(len(x)), sparse.csr_array(bags), tuple(range(k)), n_raters=x.shape[1])


def rejected(
    sizes: tuple[int, ...],
    kind: str,
    value: float,
    margin: Any,
    coefficient: str,
    studies: int,
    resamples: int,
    seed: int,
    raters: int = 2,
) -> Row:
    """One design: the share of studies with p below .05, by the default and by the bootstrap; one size: shared
    items.
    """
    rng, k = np.random.default_rng(seed), len(margin)
    kernel = MID_RANKS if kind == "ordinal" else Kernel("identity", 1.0, total=float(k))
    found: dict[str, list[float]] = {"auto": [], "bootstrap": []}
    reqs = {m: request(coefficient, interval=m, resamples=resamples) for m in found}
    for _ in range(studies):
        if len(sizes) == 1:
            both = given(rng, sizes[0], 2 * raters, kind, value, margin)
            rows = [items_of(both[:, :raters], k), items_of(both[:, raters:], k)]
        else:
            rows = [items_of(given(rng, n, raters, kind, value, margin), k) for n in sizes]
        for method, into in found.items():
            shared = sizes[0] if len(sizes) == 1 else 0
            into.append(difference_of((reqs[method],) * 2, rows, (kernel, kernel), shared)[2])
    p = np.array(found["auto"])
    there = np.isfinite(p)
    other = np.array([x for x in found["bootstrap"] if np.isfinite(x)])
    margins = "even" if len(set(margin)) == 1 else ", ".join(f"{m:g}" for m in margin)
    items = f"the same {sizes[0]} items" if len(sizes) == 1 else f"{sizes[0]} and {sizes[1]} items"
    return {
        "what": f"{items} x {raters}, {kind} {coefficient}, {k} labels ({margins}), {value:g}",
        "paired": len(sizes) == 1,
        "studies": int(there.sum()),
        "default": float(np.mean(p[there] < 0.05)),
        "other": float(np.mean(other < 0.05)),
        "undefined": float(1 - there.mean()),
    }


def nulls(studies: int, resamples: int) -> Iterator[Row]:
    """Every design: shared items, then different ones; nominal and ordinal."""
    seed = 0
    for sizes in (*((n,) for n in PAIRED), *APART):
        for kind, value, margin, coefficient in (
            *(("nominal", v, m, "krippendorff") for m in (EVEN, RARE) for v in (0.3, 0.6, 0.9)),
            ("nominal", 0.6, THREE, "krippendorff"),
            ("nominal", 0.8, EVEN, "gwet"),
            ("ordinal", 0.8, FIVE, "krippendorff"),
            ("ordinal", 0.4, FIVE, "krippendorff"),
        ):
            seed += 1
            yield rejected(sizes, kind, value, margin, coefficient, studies, resamples, seed)


if __name__ == "__main__":
    import sys

    n = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for row in nulls(n, 400):
        sys.stdout.write(f"{row['default']:.3f} {row['other']:.3f} undefined {row['undefined']:.2f}  {row['what']}\n")
        sys.stdout.flush()
