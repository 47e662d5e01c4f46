"""CPU time of the default interval over that of the percentile bootstrap, by what is asked, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from coverage_smaller import matrix

import raters

Row = dict[str, Any]
EVEN, FIVE = (0.5, 0.5), (0.2,) * 5


def _rows(n: int, r: int, margin: Any, value: float = 0.6) -> list[tuple[str, str, int]]:
    x = matrix(np.random.default_rng(n), n, r, value, margin)
    return [(f"q{i}", f"r{j}", int(k)) for (i, j), k in np.ndenumerate(x)]


def _numbers() -> Any:
    g = np.random.default_rng(40)
    return raters.read(g.standard_normal((40, 1)) + g.standard_normal((40, 3)), layout="wide", scale="interval")


def _table(n: int, r: int, margin: Any, scale: str) -> Callable[[], Any]:
    return lambda: raters.read(_rows(n, r, margin), scale=scale)


def _pools() -> Any:
    rows = _rows(60, 6, FIVE)
    return [raters.read([x for x in rows if (x[1] < "r3") == first], scale="nominal") for first in (True, False)]


def _krr(method: str) -> Callable[[Any, str], Any]:
    return lambda t, m: raters.krr(t, k=3, method=method, interval=m)


def cases() -> Iterator[tuple[str, Callable[[], Any], Callable[[Any, str], Any]]]:
    """What is asked, the table it is asked of, and the question."""
    kinds = (("nominal", EVEN), ("nominal", FIVE), ("ordinal", FIVE))
    for n in (40, 1000):
        for scale, margin in kinds:
            what = f"agreement, {n:,} x 3, {len(margin)} labels, {scale}"
            yield what, _table(n, 3, margin, scale), lambda t, m: raters.agreement(t, interval=m)
    yield "agreement, 40 x 3 numbers", _numbers, lambda t, m: raters.agreement(t, interval=m)
    small = _table(60, 6, FIVE, "nominal")
    yield "per label, 60 x 6, 5 labels", small, lambda t, m: raters.per_label(t, interval=m)
    yield "per rater, 60 x 6, 5 labels", small, lambda t, m: raters.per_rater(t, interval=m)
    yield "per pair, 60 x 6, 5 labels", small, lambda t, m: raters.per_pair(t, interval=m)
    for scale, margin in kinds:
        what = f"60 x 6, {len(margin)} labels, {scale}"
        yield f"kRR of 3 by split, {what}", _table(60, 6, margin, scale), _krr("split")
    yield "kRR of 3 by model, 60 x 6, 2 labels, nominal", _table(60, 6, EVEN, "nominal"), _krr("model")
    yield "xRR, 60 x (3 + 3), 5 labels", _pools, lambda t, m: raters.xrr(*t, interval=m)
    yield "difference on the same items, 60 x (3 + 3), 5 labels", _pools, lambda t, m: raters.compare(*t, interval=m)


def costs(times: int = 3) -> Iterator[Row]:
    """The least CPU time of several, of the default and of the bootstrap, on a fresh table each; reading is left
    out.
    """
    for what, read, ask in cases():
        ask(read(), "auto")
        spent = {m: min(_cpu(read(), ask, m) for _ in range(times)) for m in ("auto", "bootstrap")}
        yield {"what": what, **spent, "ratio": spent["auto"] / spent["bootstrap"]}


def _cpu(t: Any, ask: Callable[[Any, str], Any], method: str) -> float:
    start = time.process_time()
    ask(t, method)
    return time.process_time() - start


if __name__ == "__main__":
    import sys

    for row in costs():
        sys.stdout.write(
            f"{row['ratio']:5.2f}  {row['auto'] * 1e3:6.0f} ms  {row['bootstrap'] * 1e3:6.0f} ms  {row['what']}\n"
        )
        sys.stdout.flush()
