"""How often a 95 % interval holds the true value: nominal alpha, Fleiss' kappa and AC1, by simulation.

    python benchmarks/coverage.py [--datasets 2000] [--resamples 1000] [--dry]

Two labels. An item has its own probability of the label "yes", drawn from a beta distribution with mean p (the
prevalence) and intraclass correlation .6; raters answer independently given it; each annotation is missing with a
given probability. Then alpha and Fleiss' kappa of the population are .6 exactly, and AC1 is
(1 - .4 s - s) / (1 - s) with s = 2 p (1 - p), whether annotations are missing or not.

Intervals are those of ``raters.inference``, on the patterns of each drawn set of items; no table is read or folded.
Datasets in which every label is the same have no coefficient, and are counted apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import betabinom, binom

from raters.coefficients import REGISTRY
from raters.inference.intervals import IntervalSpec, interval
from raters.inference.statistic import Linear, linear
from raters.inference.weights import multinomial
from raters.items import Items, lift
from raters.scales import Kernel

Array = np.ndarray[Any, Any]
PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
ITEMS, PREVALENCE, RATERS, MISSING = (30, 100, 200, 1000), (0.1, 0.2, 0.5), (2, 3, 5), (0.0, 0.3)
RHO = 0.6
COEFFICIENTS = {"krippendorff": "alpha", "fleiss": "Fleiss", "gwet": "AC1"}
METHODS = ("bootstrap", "bca", "delta", "jackknife")


@dataclass(frozen=True)
class Drawn(Linear):
    """A statistic whose bootstrap replicates are known, so that percentile and BCa share them."""

    draws: Array | None = None


@dataclass(frozen=True)
class Cell:
    """One design, and the share of intervals that hold the true value: (coefficient, method)."""

    items: int
    prevalence: float
    raters: int
    missing: float
    covered: Array
    undefined: float


def patterns(raters: int, prevalence: float, missing: float) -> tuple[Items, Array]:
    """Every pattern of up to so many labels, and its probability; items without a label are the last entry."""
    a, b = prevalence * (1 - RHO) / RHO, (1 - prevalence) * (1 - RHO) / RHO
    there = np.array([[r - yes, yes] for r in range(1, raters + 1) for yes in range(r + 1)])
    r = there.sum(1)
    labelled = binom.pmf(np.arange(raters + 1), raters, 1 - missing)
    share = labelled[r] * betabinom.pmf(there[:, 1], r, a, b)
    items = Items(np.ones(len(r)), sparse.csr_array(there.astype(float)), ("no", "yes"))
    return items, np.append(share, labelled[0])


def truth(prevalence: float) -> tuple[float, float, float]:
    """Alpha, Fleiss' kappa and AC1 of the population."""
    s = 2 * prevalence * (1 - prevalence)
    return RHO, RHO, (1 - s * (1 - RHO) - s) / (1 - s)


def statistics(items: Items) -> list[Linear]:
    """Each coefficient on all patterns; alpha is about items with two labels or more, as everywhere in raters."""
    kernel, pairable = Kernel("identity", 1.0, total=2.0), np.flatnonzero(items.per_item >= 2)
    bags = [items.where(pairable) if name == "krippendorff" else items for name in COEFFICIENTS]
    return [linear(REGISTRY[name], lift(bag, kernel), 2) for name, bag in zip(COEFFICIENTS, bags, strict=True)]


def drawn(stat: Linear, weight: Array, resamples: int, seed: int) -> Drawn:
    """The statistic on the patterns that occur, with its bootstrap replicates."""
    weight = weight[-len(stat.weight) :]  # patterns come by how many labels they have
    at = np.flatnonzero(weight)
    here = Drawn(weight[at], stat.terms[at], stat.function)
    rng = np.random.default_rng(seed)
    draws = [here.parts(w).value for w in multinomial(here.weight, resamples, rng)]
    return replace(here, draws=np.concatenate(draws))


def cell(n: int, p: float, raters: int, missing: float, datasets: int, resamples: int) -> Cell:
    """Coverage at one design."""
    items, share = patterns(raters, p, missing)
    rng = np.random.default_rng([n, int(100 * p), raters, int(100 * missing)])
    weights = rng.multinomial(n, share, datasets)[:, :-1].astype(float)
    true, hows = truth(p), [IntervalSpec(m, resamples=resamples, lowest=-1.0) for m in METHODS]
    stats, pairable = statistics(items), items.counts.toarray() * (items.per_item >= 2)[:, None]
    covered, defined = np.zeros((len(COEFFICIENTS), len(METHODS))), 0
    for seed, weight in enumerate(weights):
        if (weight @ pairable > 0).sum() < 2:
            continue  # one label in all that can be compared
        defined += 1
        for i, whole in enumerate(stats):
            stat = drawn(whole, weight, resamples, seed)
            value = float(stat.parts(stat.weight[None]).value[0])
            for j, spec in enumerate(hows):
                found = interval(stat, value, spec)
                covered[i, j] += found.low <= true[i] <= found.high
    return Cell(n, p, raters, missing, covered / max(defined, 1), 1 - defined / datasets)


def outside(share: float) -> bool:
    """Too far from .95, to the three digits that are shown."""
    return not 0.93 <= float(f"{share:.3f}") <= 0.97


def summary(cells: list[Cell]) -> str:
    """For each number of items and method: the lowest and highest coverage over the grid, and how many are outside."""
    lines = ["| items | interval | " + " | ".join(COEFFICIENTS.values()) + " |", "| ---: | --- |" + " --- |" * 3]
    for n, (j, method) in product(sorted({c.items for c in cells}), enumerate(METHODS)):
        here = np.array([c.covered[:, j] for c in cells if c.items == n])
        shown = []
        for column in here.T:
            bad = sum(map(outside, column))
            shown.append(
                f"{column.min():.3f} to {column.max():.3f}" + (f"; {bad} of {len(column)} outside" * (bad > 0))
            )
        lines.append(f"| {n:,} | {method} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def table(cells: list[Cell]) -> str:
    """Every design; what lies outside .93 to .97 in bold."""
    named = [f"{c} {m}" for c, m in product(COEFFICIENTS.values(), METHODS)]
    lines = [
        "| items | prevalence | raters | missing | " + " | ".join(named) + " | undefined |",
        "|" + " ---: |" * (5 + len(named)),
    ]
    for c in cells:
        shown = [f"**{x:.3f}**" if outside(x) else f"{x:.3f}" for x in c.covered.ravel()]
        design = f"| {c.items:,} | {c.prevalence} | {c.raters} | {c.missing:.0%} | "
        lines.append(design + " | ".join(shown) + f" | {c.undefined:.1%} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--dry", action="store_true", help="do not write docs/coverage.md")
    given = parser.parse_args()
    start, cells = time.monotonic(), []
    for design in product(ITEMS, PREVALENCE, RATERS, MISSING):
        cells.append(cell(*design, given.datasets, given.resamples))
        sys.stderr.write(f"{design}: {np.round(cells[-1].covered, 3).tolist()} {time.monotonic() - start:.0f} s\n")
    error = np.sqrt(0.95 * 0.05 / given.datasets)
    said = f"{given.datasets:,} datasets for each row, {given.resamples:,} bootstrap replicates each; a share of .95 has a standard error of {error:.4f}."
    text = f"{said}\n\n{summary(cells)}\n\n### Every design\n\n{table(cells)}"
    sys.stdout.write(text + "\n")
    if not given.dry:
        page = PAGE.read_text()
        first, last = (
            "<!-- generated by benchmarks/coverage.py -->",
            "<!-- end of what benchmarks/coverage.py generates -->",
        )
        head, rest = page.split(first)
        PAGE.write_text(f"{head}{first}\n\n{text}\n\n{last}{rest.split(last)[1]}")


if __name__ == "__main__":
    main()
