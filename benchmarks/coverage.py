"""How often a 95 % interval holds the true value: the default beside bootstrap, BCa, delta, jackknife and Fisher's z.

    python benchmarks/coverage.py [--designs 200] [--studies 1000] [--resamples 500] [--full] [--results FILE] [--again
    PART] [--dry]

Designs are drawn by a seed from the grid of ``coverage_designs.py``: items 20 to 1,000; true value .05 to .99; two to
ten labels, even and skewed; 2, 3, 5, 10 raters; none and 30 % missing; nominal, ordinal and squared on 5, 7 and 11
points, numbers normal and skewed; six coefficients. ``--full`` takes 1,000 designs and 2,000 replicates. Smaller grids
follow, of kRR, pools, single labels, raters, pairs and slices, clusters, ICCs, and raters as the sample
(``coverage_smaller.py``); differences where there is none (``coverage_nulls.py``); every table of two labels by two
raters (``coverage_exact.py``); cost beside the bootstrap (``coverage_cost.py``); other packages' intervals
(``coverage_peers.py``, in environments of their own). Studies without a coefficient (every label the same) are counted
apart. The default is what ``raters.agreement`` gives, by the same road.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from coverage_cost import costs
from coverage_designs import Design, Population, drawn_designs
from coverage_exact import exact
from coverage_nulls import nulls
from coverage_peers import peers
from coverage_smaller import smaller_grids
from coverage_tables import page
from scipy import special

import raters.inference.prior_item as imaginary
from raters.agree.estimating import entering, estimate, statistic
from raters.inference.intervals import IntervalSpec, interval
from raters.inference.statistic import Statistic
from raters.inference.weights import multinomial

Array = np.ndarray[Any, Any]
PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"
METHODS = ("default", "bootstrap", "bca", "delta", "jackknife", "Fisher z")
SEED = 2026


@dataclass(frozen=True, eq=False)
class Drawn:
    """A statistic whose bootstrap replicates are known, so that percentile and BCa share them."""

    inner: Statistic
    draws: Array

    @property
    def weight(self) -> Array:
        return self.inner.weight

    def parts(self, weights: Array) -> Any:
        return self.inner.parts(weights)

    def influence(self) -> Array:
        return self.inner.influence()

    def left_out(self) -> Array:
        return self.inner.left_out()


def limits(population: Population, items: Any) -> list[tuple[float, float]] | None:
    """The limits by every method for one study; None where the coefficient is undefined."""
    req, kernel = population.req, population.kernel
    used = entering(req, items, kernel)
    if not len(used.weight) or used.per_item.max() < 2:
        return None
    stat = statistic(req, used, kernel, population.design.labels)
    value = float(stat.parts(stat.weight[None]).value[0])
    if not np.isfinite(value) or req.spec is None:
        return None
    first = estimate(req, items, kernel)
    rng = np.random.default_rng(req.spec.seed)
    draws = np.concatenate([stat.parts(w).value for w in multinomial(stat.weight, req.spec.resamples, rng)])
    known = Drawn(stat, draws)
    found = [interval(known, value, replace(req.spec, method=m, lowest=-np.inf)) for m in METHODS[1:5]]
    both = [(first.low, first.high), *((f.low, f.high) for f in found)]
    return [*both, _fisher(value, found[2].se, stat.weight.sum(), req.spec)]


def _fisher(value: float, se: float, n: float, spec: IntervalSpec) -> tuple[float, float]:
    if not abs(value) < 1 or not np.isfinite(se):
        return value, value
    reach = float(special.stdtrit(n - 1, (1 + spec.level) / 2)) * se / (1 - value**2)
    z = np.arctanh(value)
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


def cell(design: Design, studies: int, resamples: int) -> dict[str, Any]:
    """One design: for every method the share that holds, the share with the truth below the interval, the mean
    width.
    """
    population = Population(design, resamples)
    found = [x for x in (limits(population, population.study()) for _ in range(studies)) if x is not None]
    ends = np.array(found).reshape(len(found), len(METHODS), 2)
    low, high, true = ends[..., 0], ends[..., 1], population.true
    there = np.isfinite(low)
    holds = there & (low <= true + 1e-9) & (true - 1e-9 <= high)
    width = np.where(there, high - low, np.nan)
    return {
        **asdict(design),
        "words": design.words,
        "true": true,
        "undefined": 1 - len(found) / studies,
        "studies": len(found),
        "holds": holds.mean(0).tolist(),
        "below": (true < low - 1e-9).mean(0).tolist(),
        "width": [float(np.nanmean(w)) if np.isfinite(w).any() else None for w in width.T],
    }


def sensitivity(studies: int, resamples: int) -> list[dict[str, Any]]:
    """How far half and twice the imaginary item move the limits, at 30 and at 200 items."""
    rows = []
    for n in (30, 200):
        for value in (0.6, 0.9):
            design = Design("nominal", "krippendorff", n, value, 2, True, 3, 0.0, "copies", 1)
            population = Population(design, resamples)
            sets = [population.study() for _ in range(studies)]
            by_mass = {}
            for mass in (0.5, 1.0, 2.0):
                by_mass[mass] = np.array([_with_mass(population, items, mass) for items in sets])
            one = by_mass[1.0]
            rows.append(
                {
                    "items": n,
                    "true": population.true,
                    **{f"{m:g}": np.nanmean(by_mass[m] - one, 0).tolist() for m in (0.5, 2.0)},
                    "width": float(np.nanmean(one[:, 1] - one[:, 0])),
                }
            )
    return rows


def _with_mass(population: Population, items: Any, mass: float) -> tuple[float, float]:
    kept, imaginary.MASS = imaginary.MASS, mass
    try:
        e = estimate(population.req, items, population.kernel)
    finally:
        imaginary.MASS = kept
    return e.low, e.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", type=int, default=200)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--full", action="store_true", help="1,000 designs, 2,000 replicates")
    parser.add_argument("--dry", action="store_true", help="do not write docs/coverage.md")
    parser.add_argument(
        "--results", type=Path, help="where the figures go as JSON, part by part; what is there is not measured again"
    )
    parser.add_argument(
        "--again",
        nargs="*",
        default=[],
        choices=[*PARTS, "pairs", "numbers"],
        help=(
            "measure these parts anew; pairs: the designs with two labels of two kinds an item, numbers: those of"
            " numbers"
        ),
    )
    given = parser.parse_args()
    designs, resamples = (1000, 2000) if given.full else (given.designs, given.resamples)
    whole = json.loads(given.results.read_text()) if given.results and given.results.exists() else {}
    whole = {"asked": designs, "studies": given.studies, "resamples": resamples, "seed": SEED, "cpu": 0.0} | whole
    for part in dict.fromkeys([*given.again, *PARTS]):
        if part in whole and part not in given.again:
            continue
        start = time.process_time()
        if part in ("pairs", "numbers"):
            whole["cells"] = measured_again(whole, part)
        else:
            whole[part] = PARTS[part](whole)
        if part == "cells":
            whole["cpu"] = time.process_time() - start
        if given.results:
            given.results.write_text(json.dumps(whole))
    text = page(whole, METHODS)
    sys.stdout.write(text + "\n")
    if not given.dry:
        kept = PAGE.read_text()
        first, last = (
            "<!-- generated by benchmarks/coverage.py -->",
            "<!-- end of what benchmarks/coverage.py generates -->",
        )
        head, rest = kept.split(first)
        PAGE.write_text(f"{head}{first}\n\n{text}\n\n{last}{rest.split(last)[1]}")


Whole = dict[str, Any]


def cells(whole: Whole) -> list[dict[str, Any]]:
    """Every design of the large grid."""
    start, found = time.process_time(), []
    for design in drawn_designs(whole["asked"], SEED):
        found.append(told(cell(design, whole["studies"], whole["resamples"]), start))
    return found


def told(done: dict[str, Any], start: float) -> dict[str, Any]:
    sys.stderr.write(
        f"{time.process_time() - start:6.0f} s  {done['holds'][0]:.3f} {done['holds'][1]:.3f}  {done['words']}\n"
    )
    return done


def measured_again(whole: Whole, part: str) -> list[dict[str, Any]]:
    """The cells, some of them measured anew: two labels by two raters, or numbers."""

    def wanted(d: Design) -> bool:
        if part == "numbers":
            return d.kind in ("normal", "skewed")
        return d.kind == "nominal" and d.labels == 2 and (d.raters == 2 or d.missing > 0)

    start, designs = time.process_time(), drawn_designs(whole["asked"], SEED)
    return [
        told(cell(d, whole["studies"], whole["resamples"]), start) if wanted(d) else old
        for d, old in zip(designs, whole["cells"], strict=False)
    ]


PARTS: dict[str, Callable[[Whole], Any]] = {
    "cells": cells,
    "sensitivity": lambda w: sensitivity(min(w["studies"], 200), w["resamples"]),
    "smaller": lambda w: smaller_grids(w["studies"], w["resamples"]),
    "nulls": lambda w: list(nulls(max(40, w["studies"] * 2 // 5), w["resamples"])),
    "exact": lambda w: list(exact()),
    "cost": lambda w: list(costs()),
    "peers": lambda w: list(peers(max(20, w["studies"] // 10), w["resamples"])),
}
"""What the page rests on, each of which can be measured by itself."""


if __name__ == "__main__":
    main()
