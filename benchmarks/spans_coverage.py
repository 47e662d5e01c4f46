"""How often the 95 % intervals over documents cover the value of a large set of documents, in simulated designs.

python benchmarks/spans_coverage.py [SETS [PROJECT]]

With a project, its documents are drawn with replacement, and the value of the whole project is the one to cover.
"""

from __future__ import annotations

import sys

import numpy as np
from spans_designs import design

import raters
from raters.spans.measures import MEASURES, Asked, estimate
from raters.spans.units import Spans, Unit, spans

DESIGNS = {
    "low": (0.5, 0.3, 0.3),
    "middle": (0.2, 0.15, 0.1),
    "high": (0.03, 0.03, 0.02),
    "near 1": (0.008, 0.006, 0.004),
}
"""How often a rater moves a bound, misses a unit, and gives another label."""
NAMES = ("exact", "overlap", "u", "cu")
LARGE = 400


def of_project(path: str, sets: int) -> None:
    """Documents drawn from a real project, each draw under a name of its own."""
    found = raters.read(path)
    rng = np.random.default_rng(0)
    names = ("exact", "overlap", "u_boundary")
    truth = {n: raters.agreement(found, n, pooled=True, interval=None).value for n in names}
    shared = np.flatnonzero(found.views_each >= 2)
    for d in (7, 15, 30, 100):
        hits = dict.fromkeys(names, 0)
        for _ in range(sets if d < 100 else max(sets // 2, 20)):
            part = drawn(found, rng.choice(shared, d).tolist())
            for n in names:
                e = estimate(part, n, Asked(pooled=True, chance=False))
                hits[n] += e.low <= truth[n] <= e.high
        total = sets if d < 100 else max(sets // 2, 20)
        rates = ", ".join(f"{MEASURES[n].title} {truth[n]:.2f}: {hits[n] / total:.3f}" for n in names)
        sys.stdout.write(f"{found.source}, {d} documents: {rates}\n")
        sys.stdout.flush()


def drawn(found: Spans, documents: list[int]) -> Spans:
    """These documents, each as often as it is drawn."""
    units: dict[str, list[Unit]] = {}
    for u in found.units():
        units.setdefault(u.document, []).append(u)
    views: dict[str, list[str]] = {}
    for name, rater in found.views():
        views.setdefault(name, []).append(rater)
    named = [(f"{i}", found.documents[d], int(found.length[d])) for i, d in enumerate(documents)]
    return spans(
        (u._replace(document=new) for new, old, _ in named for u in units.get(old, ())),
        [(new, rater) for new, old, _ in named for rater in views[old]],
        lengths={new: n for new, _, n in named if n >= 0},
    )


def main(sets: int) -> None:
    rng = np.random.default_rng(0)
    for title, errors in DESIGNS.items():
        large = design(LARGE, errors, rng)
        truth = {n: raters.agreement(large, n, interval=None).value for n in NAMES}
        for d in (7, 15, 30, 100):
            hits = dict.fromkeys(NAMES, 0)
            known = dict.fromkeys(NAMES, 0)
            for _ in range(sets if d < 100 else max(sets // 2, 20)):
                part = large.of_documents(rng.choice(LARGE, d, replace=False).tolist())
                for n in NAMES:
                    e = estimate(part, n, Asked(chance=False))
                    if np.isfinite(e.low):
                        known[n] += 1
                        hits[n] += e.low <= truth[n] <= e.high
            rates = ", ".join(f"{MEASURES[n].title} {truth[n]:.2f}: {hits[n] / max(known[n], 1):.3f}" for n in NAMES)
            sys.stdout.write(f"{title}, {d} documents: {rates}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    if len(sys.argv) > 2:
        of_project(sys.argv[2], many)
    else:
        main(many)
