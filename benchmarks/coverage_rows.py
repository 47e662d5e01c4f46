"""Every row that ``raters agree`` prints, under every unit of sampling: how often its interval holds the true value.

``nice -n 10 python benchmarks/coverage_rows.py [STUDIES]`` writes the table between its marks in ``docs/coverage.md``.
Raters are alike or differ in severity; each design's true values are those of one very large table.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import raters
from raters.agree.agreement import agreement_table

Array = np.ndarray[Any, Any]
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
MARKS = "<!-- rows: benchmarks/coverage_rows.py -->", "<!-- end of rows -->"
MANY = 20_000


@dataclass(frozen=True)
class Design:
    """A population, and how studies of it are drawn."""

    name: str
    draw: Callable[[np.random.Generator, int, int], Array]
    """Items and raters -> (item, rater): every label that would be given."""
    items: int
    raters: int
    each: int
    """Labels per item."""
    sample: str = "items"
    scale: str = "nominal"
    documents: int = 0
    """Clusters of items, whose items resemble each other."""
    studies: int = 0
    """More than of the others, where a share is so near .90 that these do not decide."""

    def study(self, rng: np.random.Generator, items: int, n: int, all_: bool = False) -> Any:
        x = self.draw(rng, items, n)
        keep = np.ones(x.shape, bool)
        if self.each < n and not all_:
            keep = rng.random(x.shape).argsort(1) < self.each
        return x, keep


def alike(margin: tuple[float, ...], kappa: float) -> Callable[..., Array]:
    """Raters see the item's label with probability sqrt(kappa), or guess by the margin."""

    def draw(rng: np.random.Generator, n: int, r: int) -> Array:
        common, own = rng.choice(len(margin), (n, 1), p=margin), rng.choice(len(margin), (n, r), p=margin)
        return np.where(rng.random((n, r)) < np.sqrt(kappa), common, own)

    return draw


def steps(points: int, noise: float) -> Callable[..., Array]:
    """Points of a scale: a normal value of the item and normal errors, cut."""

    def draw(rng: np.random.Generator, n: int, r: int) -> Array:
        x = rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, r))
        return np.clip(np.round(1.2 * x + (points - 1) / 2), 0, points - 1).astype(int)

    return draw


def severe(sd: float) -> Callable[..., Array]:
    """Yes and no: the item (sd 1.5), the rater's severity, and an error (sd 1)."""

    def draw(rng: np.random.Generator, n: int, r: int) -> Array:
        return (rng.normal(0, 1.5, (n, 1)) + rng.normal(0, sd, (1, r)) + rng.normal(size=(n, r)) > 0).astype(int)

    return draw


def in_documents(rng: np.random.Generator, n: int, r: int) -> Array:
    """Items of a document (ten each) share a part of their value."""
    z = np.repeat(rng.normal(0, 0.8, -(-n // 10)), 10)[:n, None] + rng.normal(0, 1.2, (n, 1))
    return (z + rng.normal(size=(n, r)) > 0).astype(int)


DESIGNS = (
    Design("30 x 3, two labels 50/50, kappa .5", alike((0.5, 0.5), 0.5), 30, 3, 3),
    Design("60 x 3, two labels 80/20, kappa .6", alike((0.8, 0.2), 0.6), 60, 3, 3),
    Design("300 x 5 of 20, two labels 92/8, kappa .4", alike((0.92, 0.08), 0.4), 300, 20, 5),
    Design("200 x 4 of 12, two labels 85/15, kappa .5", alike((0.85, 0.15), 0.5), 200, 12, 4),
    Design("100 x 3 of 6, four labels, kappa .6", alike((0.4, 0.3, 0.2, 0.1), 0.6), 100, 6, 3),
    Design("60 x 3, five points, ordinal", steps(5, 0.6), 60, 3, 3, scale="ordinal"),
    Design("50 x 3, severity sd 1", severe(1), 50, 3, 3, "both", studies=1000),
    Design("50 x 3, severity sd .5", severe(0.5), 50, 3, 3, "both"),
    Design("100 x 5, severity sd 1", severe(1), 100, 5, 5, "both"),
    Design("100 x 5, severity sd .5", severe(0.5), 100, 5, 5, "both"),
    Design("200 x 8, severity sd 1", severe(1), 200, 8, 8, "both"),
    Design("200 x 8, severity sd .5", severe(0.5), 200, 8, 8, "both"),
    Design("300 x 5 of 20, severity sd .5", severe(0.5), 300, 20, 5, "both"),
    Design("60 x 5, five points, ordinal, raters alike", steps(5, 0.6), 60, 5, 5, "both", "ordinal"),
    Design("400 x 5, severity sd .5", severe(0.5), 400, 5, 5, "raters"),
    Design("400 x 5 of 20, severity sd .5", severe(0.5), 400, 20, 5, "raters"),
    Design("25 documents of 10, 3 raters", in_documents, 250, 3, 3, documents=25),
)


def table(d: Design, x: Array, keep: Array) -> Any:
    """The kept labels as annotations."""
    item, rater = np.nonzero(keep)
    columns = {"item": item, "rater": rater, "label": x[keep]}
    if d.documents:
        columns["document"] = item // 10
    return raters.read(columns, scale=d.scale)


def measured(d: Design, studies: int, seed: int = 1) -> dict[str, Any]:
    """Coverage of every row, and how often it prints an interval."""
    rng = np.random.default_rng(seed)
    over: dict[str, Any] = {"cluster": "document"} if d.documents else {"sample": d.sample}
    # alike or drawn anew, raters are interchangeable: the population of many items, and of many raters where they differ
    items, n = (4_000, 200) if d.sample != "items" else (MANY, max(3, min(d.raters, 6)))
    big = table(d, *d.study(np.random.default_rng(0), items, n, all_=True))
    found: dict[str, list[tuple[float, float, float]]] = {}
    names = [e.name for e in agreement_table(table(d, *d.study(rng, d.items, d.raters)), interval=None, **over)]
    alone = {"light": "fleiss", "hubert": "fleiss", "conger": "fleiss", "iota": "krippendorff"}
    known = {
        e.name: e.value for e in agreement_table(big, [alone.get(x, x) if n > 6 else x for x in names], interval=None)
    }
    for _ in range(studies):
        state = rng.bit_generator.state
        ann = table(d, *d.study(rng, d.items, d.raters))
        if d.sample == "raters":  # the items are held fixed: the same ones, labelled by very many raters
            same = np.random.default_rng()
            same.bit_generator.state = state
            x = d.draw(same, d.items, n)
            known = {
                e.name: e.value for e in agreement_table(table(d, x, np.ones(x.shape, bool)), names, interval=None)
            }
        for e in agreement_table(ann, resamples=400, **over):
            true = known[e.name if e.name in known else alone[e.name]]
            found.setdefault(e.name, []).append((e.value, e.low, e.high, true))
    rows = {}
    for name, kept in found.items():
        value, low, high, true = np.array(kept).T
        given = np.isfinite(low)
        rows[name] = {
            "holds": float(((low <= true) & (true <= high))[given].mean()) if given.any() else np.nan,
            "given": float(given.mean()),
            "width": float(np.mean((high - low)[given]) / (3.92 * (value - true).std())) if given.any() else np.nan,
        }
    return rows


def cell(row: dict[str, float] | None) -> str:
    """Coverage; in brackets the share of studies in which an interval is printed, where that is not all."""
    if row is None:
        return ""
    if row["given"] < 0.05:
        return "none"
    return f"{row['holds']:.2f}" + (f" ({row['given']:.0%})" if row["given"] < 0.995 else "")


def page(results: dict[str, dict[str, Any]], studies: int) -> str:
    """The table: a design a line, a row of ``agree`` a column."""
    names = list(dict.fromkeys(name for rows in results.values() for name in rows))
    unit = {d.name: "clusters" if d.documents else d.sample for d in DESIGNS}
    more = {d.name: f" ({d.studies:,} studies)" for d in DESIGNS if d.studies > studies}
    lines = [
        f"{studies} studies a design, 400 replicates; a share of .95 has a standard error of"
        f" {np.sqrt(0.95 * 0.05 / studies):.3f}. In brackets: how many studies get an interval, where not all do.",
        "",
        "| design | sample | " + " | ".join(names) + " | width of alpha |",
        "| --- | --- |" + " ---: |" * (len(names) + 1),
    ]
    for design, rows in results.items():
        cells = " | ".join(cell(rows.get(name)) for name in names)
        width = rows["krippendorff"]["width"]
        lines.append(f"| {design}{more.get(design, '')} | {unit[design]} | {cells} | {width:.2f} |")
    return "\n".join(lines)


def main(studies: int, only: str = "") -> None:
    warnings.simplefilter("ignore")
    results = {}
    for d in DESIGNS:
        if only in d.name or only == d.sample:
            results[d.name] = measured(d, max(d.studies, studies))
            told = {name: (cell(row), round(row["width"], 2)) for name, row in results[d.name].items()}
            sys.stderr.write(f"{d.name} ({d.sample}): {told}\n")
    if not only:
        text = PAGE.read_text(encoding="utf-8")
        start, end = (text.index(mark) for mark in MARKS)
        PAGE.write_text(
            text[: start + len(MARKS[0])] + "\n\n" + page(results, studies) + "\n\n" + text[end:], encoding="utf-8"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, sys.argv[2] if len(sys.argv) > 2 else "")
