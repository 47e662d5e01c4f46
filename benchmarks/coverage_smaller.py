"""Smaller grids: single labels, raters, pairs and slices, pools, k-rater reliability, clusters, ICCs, raters as the
sample, bands.

Each row is one design. ``default`` and ``other`` are shares of studies that hold the true value; of bands, shares of
studies in which the supported band begins above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import raters
from raters.agree.bands import SCHEMES

Array = np.ndarray[Any, Any]
Row = dict[str, Any]
MANY = 20_000
"""Items of the table that stands for the population."""


def smaller_grids(studies: int, resamples: int) -> list[Row]:
    """Every row; a fifth of the studies of the large grid, and at least 40, since each reads a table."""
    n = max(40, studies // 5)
    made = (labels, parts, pools, reliability, clusters, numbers, sampled_raters, bands)
    return [row for make in made for row in make(n, resamples)]


def matrix(rng: np.random.Generator, n: int, r: int, value: float, margin: Any = (0.5, 0.5)) -> Array:
    """(item, rater): each rater sees the item's label with probability sqrt(value), or guesses by the margin."""
    common = rng.choice(len(margin), (n, 1), p=margin)
    own = rng.choice(len(margin), (n, r), p=margin)
    return np.where(rng.random((n, r)) < np.sqrt(value), common, own)


def table(x: Array, prefix: str = "q", who: str = "r", n_labels: int = 0) -> Any:
    """The matrix as annotations, on a nominal scale."""
    rows = [(f"{prefix}{i}", f"{who}{j}", f"L{k}") for (i, j), k in np.ndenumerate(x)]
    return raters.read(rows, scale="nominal", labels=[f"L{k}" for k in range(n_labels)] if n_labels else None)


def _share(found: list[tuple[float, float]], true: float) -> float:
    return float(np.mean([low <= true <= high for low, high in found if np.isfinite(low)]))


def _pair(
    what: str,
    make: Callable[[np.random.Generator], Any],
    ask: Callable[[Any, str], Any],
    true: float,
    studies: int,
    note: str = "",
) -> Row:
    """One design by the default and by the bootstrap, on the same studies."""
    rng = np.random.default_rng(len(what))
    ends: dict[str, list[tuple[float, float]]] = {"auto": [], "bootstrap": []}
    for _ in range(studies):
        data = make(rng)
        for method, into in ends.items():
            e = ask(data, method)
            into.append((e.low, e.high))
    return {
        "what": what,
        "studies": studies,
        "default": _share(ends["auto"], true),
        "other": _share(ends["bootstrap"], true),
        "note": note or "holds; another: bootstrap",
    }


def labels(studies: int, resamples: int) -> Iterator[Row]:
    """One rare label against the rest."""
    for value in (0.3, 0.9):

        def ask(x: Array, method: str) -> Any:
            return raters.per_label(table(x, n_labels=3), interval=method, resamples=resamples)["L2"]

        yield _pair(
            f"a rare label (4 %) against the rest, 60 x 2, {value}",
            lambda g, v=value: matrix(g, 60, 2, v, (0.6, 0.36, 0.04)),
            ask,
            value,
            studies,
        )


def pools(studies: int, resamples: int) -> Iterator[Row]:
    """kappa_x and its normalised form, 40 items, three raters a pool."""
    for name in ("kappa_x", "normalized"):
        true = 0.7 if name == "kappa_x" else 1.0

        def ask(x: Array, method: str, name: str = name) -> Any:
            one, other = table(x[:, :3]), table(x[:, 3:], who="s")
            return getattr(raters.xrr(one, other, interval=method, resamples=resamples), name)

        yield _pair(
            f"{name}, 40 x (3 + 3), two labels at .8 and .2",
            lambda g: matrix(g, 40, 6, 0.7, (0.8, 0.2)),
            ask,
            true,
            studies,
        )


def reliability(studies: int, resamples: int) -> Iterator[Row]:
    """k-rater reliability of the majority of three."""
    big = matrix(np.random.default_rng(0), MANY, 6, 0.5)
    majority = [(big[:, at].mean(1) > 0.5).astype(int) for at in (slice(0, 3), slice(3, 6))]
    true = float(np.corrcoef(*majority)[0, 1])
    for method_, n in (("split", studies), ("model", max(20, studies // 4))):

        def ask(x: Array, method: str, by: str = method_) -> Any:
            return raters.krr(table(x), k=3, method=by, interval=method, resamples=min(resamples, 300))

        yield _pair(f"kRR of 3 by {method_}, 40 x 6, two even labels", lambda g: matrix(g, 40, 6, 0.5), ask, true, n)


def parts(studies: int, resamples: int) -> Iterator[Row]:
    """One rater with the others, one pair, one slice of a table: raters alike, 40 items, two labels at .8 and .2."""

    def rater(x: Array, method: str) -> Any:
        return raters.per_rater(table(x), interval=method, resamples=resamples)["r1"]

    def pair(x: Array, method: str) -> Any:
        return raters.per_pair(table(x), interval=method, resamples=resamples)[0]

    def part(x: Array, method: str) -> Any:
        rows = {"item": [], "rater": [], "label": [], "topic": []}  # type: ignore[var-annotated]
        for (i, j), k in np.ndenumerate(x):
            for name, cell in zip(rows, (f"q{i}", f"r{j}", f"L{k}", f"t{i % 3}"), strict=True):
                rows[name].append(cell)
        found = raters.agreement(raters.read(rows, scale="nominal"), by="topic", interval=method, resamples=resamples)
        return found["t1"]

    for value in (0.6, 0.9):
        for what, ask, n, times in (
            ("one of four raters", rater, 40, 5),  # the lowest of this grid, so it has more studies
            ("one pair of four raters", pair, 40, 1),
            ("one of three slices, 30 items", part, 90, 1),
        ):
            made = lambda g, n=n, v=value: matrix(g, n, 4, v, (0.8, 0.2))  # noqa: E731
            yield _pair(f"{what}, {n} x 4, {value}", made, ask, value, times * studies)


def bands(studies: int, resamples: int) -> Iterator[Row]:
    """Gwet's bands: how often the band that the data are said to support begins above the true value."""
    starts = {name: start for start, name in SCHEMES["landis_koch"]}
    for value in (0.58, 0.78):
        rng, above = np.random.default_rng(int(100 * value)), {"auto": [], "bootstrap": []}  # type: ignore[var-annotated]
        for _ in range(studies):
            x = table(matrix(rng, 30, 2, value))
            for method, into in above.items():
                band = raters.bands(raters.agreement(x, interval=method, resamples=resamples))["landis_koch"].supported
                into.append(band is not None and starts[band] > value)
        yield {
            "what": f"Gwet's band above the truth, 30 x 2, two even labels, {value}",
            "studies": studies,
            "default": float(np.mean(above["auto"])),
            "other": float(np.mean(above["bootstrap"])),
            "note": "too high a band, 5 % stated; another: bootstrap",
        }


def clusters(studies: int, resamples: int) -> Iterator[Row]:
    """Documents of ten items; half of what an item is comes from its document."""
    for n in (6, 12, 25):

        def make(g: np.random.Generator, n: int = n) -> Array:
            document = g.random((n, 1)) < 0.3
            common = np.where(g.random((n, 10)) < 0.5, document, g.random((n, 10)) < 0.3).reshape(-1, 1)
            return np.where(g.random((10 * n, 3)) < np.sqrt(0.6), common, g.random((10 * n, 3)) < 0.3).astype(int)

        def ask(x: Array, method: str) -> Any:
            rows = {"item": [], "rater": [], "label": [], "document": []}  # type: ignore[var-annotated]
            for (i, j), k in np.ndenumerate(x):
                for name, cell in zip(rows, (f"q{i}", f"r{j}", f"L{k}", f"d{i // 10}"), strict=True):
                    rows[name].append(cell)
            return raters.agreement(
                raters.read(rows, scale="nominal"), cluster="document", interval=method, resamples=resamples
            )

        yield _pair(f"{n} documents of 10 items as clusters", make, ask, 0.6, studies)


def numbers(studies: int, resamples: int) -> Iterator[Row]:
    """ICC of means of three by the default, beside the bootstrap; normal ratings and lognormal items."""
    for kind, single, n in (("normal", 0.9, 20), ("lognormal items", 0.9, 20), ("lognormal items", 0.9, 50)):

        def make(g: np.random.Generator, kind: str = kind, a: float = single, n: int = n) -> Array:
            z = g.standard_normal((n, 1))
            item = z if kind == "normal" else np.exp(0.8 * z) / np.sqrt((np.exp(0.64) - 1) * np.exp(0.64))
            return np.asarray(np.sqrt(a) * item + np.sqrt(1 - a) * g.standard_normal((n, 3)))

        def ask(x: Array, method: str) -> Any:
            return raters.krr(
                raters.read(x, layout="wide", scale="interval"), k=3, interval=method, resamples=resamples
            )

        true = 3 * single / (1 + 2 * single)
        yield _pair(f"ICC of the mean of 3, {kind}, {n} x 3", make, ask, true, studies)


def sampled_raters(studies: int, resamples: int) -> Iterator[Row]:
    """Raters of different skill as the sample; the true value is that of very many raters."""
    for n in (3, 5, 8, 12, 25):

        def make(g: np.random.Generator, n: int = n) -> Array:
            skill = g.beta(8, 2, n)
            common, own = g.random((200, 1)) < 0.5, g.random((200, n)) < 0.5
            return np.where(g.random((200, n)) < skill, common, own).astype(int)

        def ask(x: Array, method: str) -> Any:
            return raters.agreement(table(x), sample="raters", interval=method, resamples=resamples)

        yield _pair(f"raters as the sample, {n} raters, 200 items", make, ask, 0.64, studies)
