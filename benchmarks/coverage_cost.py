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


def _numbers(n: int, r: int) -> list[tuple[str, str, float]]:
    g = np.random.default_rng(n)
    x = g.standard_normal((n, 1)) + g.standard_normal((n, r))
    return [(f"q{i}", f"r{j}", float(v)) for (i, j), v in np.ndenumerate(x)]


def cases() -> Iterator[tuple[str, Callable[[], Any], Callable[[Any, str], Any]]]:
    """What is asked, the table it is asked of, and the question."""
    for n in (40, 1000):
        for scale, margin in (("nominal", EVEN), ("nominal", FIVE), ("ordinal", FIVE)):
            read = lambda n=n, m=margin, s=scale: raters.read(_rows(n, 3, m), scale=s)  # noqa: E731
            yield f"agreement, {n} x 3, {len(margin)} labels, {scale}", read, lambda t, m: raters.agreement(t, interval=m)
        yield f"agreement, {n} x 3 numbers", lambda n=n: raters.read(_numbers(n, 3), scale="interval"), lambda t, m: raters.agreement(t, interval=m)
    small = lambda: raters.read(_rows(60, 6, FIVE), scale="nominal")  # noqa: E731
    yield "per label, 60 x 6, 5 labels", small, lambda t, m: raters.per_label(t, interval=m)
    yield "per rater, 60 x 6, 5 labels", small, lambda t, m: raters.per_rater(t, interval=m)
    yield "per pair, 60 x 6, 5 labels", small, lambda t, m: raters.per_pair(t, interval=m)
    for scale, margin in (("nominal", EVEN), ("nominal", FIVE), ("ordinal", FIVE)):
        read = lambda m=margin, s=scale: raters.read(_rows(60, 6, m), scale=s)  # noqa: E731
        for method in ("split", "model"):
            if method == "split" or len(margin) == 2:
                yield f"kRR of 3 by {method}, 60 x 6, {len(margin)} labels, {scale}", read, lambda t, m, by=method: raters.krr(t, k=3, method=by, interval=m)
    pools = lambda: [raters.read([x for x in _rows(60, 6, FIVE) if (x[1] < "r3") == first], scale="nominal") for first in (True, False)]  # noqa: E731
    yield "xRR, 60 x (3 + 3), 5 labels", pools, lambda t, m: raters.xrr(*t, interval=m)
    yield "difference on the same items, 60 x (3 + 3), 5 labels", pools, lambda t, m: raters.compare(*t, interval=m)


def costs(times: int = 3) -> Iterator[Row]:
    """The least CPU time of several, of the default and of the bootstrap, on a fresh table each; reading is left out."""
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
        sys.stdout.write(f"{row['ratio']:5.2f}  {row['auto'] * 1e3:6.0f} ms  {row['bootstrap'] * 1e3:6.0f} ms  {row['what']}\n")
        sys.stdout.flush()
