"""How often the product says what is not so, and how often it sees what is: `explain`, and sentences of `report`, `xrr`
and `plan`.

    python benchmarks/sentences.py [TABLES] [explain | report | xrr | plan]

Null rates should be at most .05, up to the simulation's error (two standard errors of .05 with 200 tables are .03).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from alike import table
from lenient import lenient

import raters
from raters.annotations import Annotations
from raters.reliability.planning.subset import compare_subset
from raters.reliability.xrr.result import CrossReliability
from raters.reporting.context import Context

TABLES = 200
Found = tuple[str, str, float, int]
"""What was drawn, what was said, how often, in how many tables."""


def named(ann: Annotations, kind: str, name: str | None = None) -> bool:
    """Whether ``explain`` names a rater or a pair of labels."""
    reasons = [r for r in raters.explain(ann, interval="delta").reasons if r.kind == kind]
    return any(name is None or (r.estimate is not None and r.estimate.name == name) for r in reasons)


def rate(said: Callable[[int], bool], tables: int) -> float:
    return float(np.mean([said(seed) for seed in range(tables)]))


def explain_rows(tables: int) -> Iterator[Found]:
    for labels, accuracy in (("ab", 0.8), ("abc", 0.5), ("abcd", 0.7), ("abcdef", 0.6)):
        drawn = f"50 items, 5 raters alike, accuracy {accuracy}, {len(labels)} labels"
        alike = [table(50, seed, [accuracy] * 5, labels) for seed in range(tables)]
        yield drawn, "names a rater", float(np.mean([named(a, "rater") for a in alike])), tables
        if len(labels) > 2:
            yield drawn, "names a pair of labels", float(np.mean([named(a, "labels") for a in alike])), tables
    for n, worst in ((100, 0.0), (50, 0.0), (100, 0.4)):
        drawn = f"{n} items, 4 raters at .8 and one at {worst}"
        yield (
            drawn,
            "names that rater",
            rate(lambda s, n=n, w=worst: named(table(n, s, [0.8] * 4 + [w]), "rater", "r4"), tables),
            tables,
        )  # type: ignore[misc]
    for n in (50, 100):
        yield (
            f"{n} items, 4 raters at .9, a and b confused half the time",
            "names a and b",
            rate(lambda s, n=n: named(confused(n, s), "labels", "a = b"), tables),
            tables,
        )  # type: ignore[misc]


def confused(n: int, seed: int, share: float = 0.5) -> Annotations:
    """Four labels, two of which are swapped in a share of their cases."""
    rng = np.random.default_rng(seed)
    got = table(n, seed, [0.9] * 4).engine.query("SELECT item, rater, label FROM annotations ORDER BY row")
    swap = {"a": "b", "b": "a"}
    rows = [
        (i, r, swap[v] if v in swap and rng.random() < share else v)
        for i, r, v in zip(got["item"], got["rater"], got["label"], strict=True)
    ]
    return raters.read(rows, scale="nominal")


def xrr_rows(tables: int) -> Iterator[Found]:
    for items, each, spread in ((100, 5, 1.0), (200, 8, 1.0)):
        drawn = f"{items} items, two pools of {each} raters of one population (leniency: standard deviation {spread})"
        found = [_xrr(lenient(seed, items, each, spread)) for seed in range(tables)]
        yield (
            drawn,
            "interval over items below 0 (these raters)",
            float(np.mean([r.difference.high < 0 for r in found])),
            tables,
        )
        yield drawn, "the pools differ", float(np.mean([_differ(r) for r in found])), tables
        yield drawn, "a good replication", float(np.mean([_good(r) for r in found])), tables
    drawn = "100 items, pools of 5 raters (leniency .3), the second rates 1.0 higher"
    found = [_xrr(lenient(seed, 100, 5, 0.3, 1.0)) for seed in range(tables)]
    yield drawn, "the pools differ", float(np.mean([_differ(r) for r in found])), tables
    yield drawn, "a good replication", float(np.mean([_good(r) for r in found])), tables
    drawn = "100 items, pools of 5 raters alike"
    found = [_xrr(lenient(seed, 100, 5, 0.0)) for seed in range(tables)]
    yield drawn, "a good replication", float(np.mean([_good(r) for r in found])), tables
    yield drawn, "the pools differ", float(np.mean([_differ(r) for r in found])), tables


def _xrr(ann: Annotations) -> CrossReliability:
    found = raters.xrr(ann, pool="pool", resamples=200)
    if not isinstance(found, CrossReliability):
        raise TypeError("two pools give one result")
    return found


def _differ(r: CrossReliability) -> bool:
    said = ("less than within themselves", "hardly with each other")
    return any(x in r.sentence for x in said) and not r.sentence.startswith("These raters") and not _good(r)


def _good(r: CrossReliability) -> bool:
    return "a good replication (" in r.sentence


def plan_rows(tables: int) -> Iterator[Found]:
    """Whether the items with several labels are said to be unlike those with one."""
    for single, rare in ((5, 0.5), (50, 0.5), (200, 0.5), (50, 0.8), (200, 0.8)):
        drawn = f"100 items with 3 labels, {single} with one; share of yes .5 and {rare}"
        yield drawn, "unlike", rate(lambda s, n=single, p=rare: _unlike(s, n, p), tables), tables  # type: ignore[misc]


def _unlike(seed: int, single: int, rare: float) -> bool:
    rng = np.random.default_rng(seed)
    rows = [
        (f"{part}{i}", f"r{j}", "yes" if (rng.random() < share) == (rng.random() < 0.9) else "no")
        for part, n, labels, share in (("m", 100, 3, 0.5), ("s", single, 1, rare))
        for i in range(n)
        for j in range(labels)
    ]
    return any(" differ from " in e.title for e in compare_subset(raters.read(rows, scale="nominal"), seed))


def report_rows(tables: int) -> Iterator[Found]:
    """Whether the report says that somebody stands out, by disagreement, by use of labels or by the annotation
    model.
    """
    for labels, accuracy, n, m in (("ab", 0.8, 50, 5), ("abc", 0.6, 50, 5), ("abcd", 0.7, 100, 8)):
        drawn = f"{n} items, {m} raters alike, accuracy {accuracy}, {len(labels)} labels"
        yield (
            drawn,
            "the report names a rater",
            rate(lambda s, a=(n, m, accuracy, labels): _stands_out(s, *a), tables),
            tables,
        )  # type: ignore[misc]


def _stands_out(seed: int, n: int, m: int, accuracy: float, labels: str) -> bool:
    return Context(table(n, seed, [accuracy] * m, labels), interval=None).standing_out.anybody()


PARTS = {"explain": explain_rows, "report": report_rows, "xrr": xrr_rows, "plan": plan_rows}


def main(arguments: Sequence[str]) -> None:
    tables = int(arguments[0]) if arguments else TABLES
    started = time.process_time()
    sys.stdout.write("| drawn | said | share of tables |\n|---|---|---|\n")
    for part in arguments[1:] or PARTS:
        for drawn, said, share, _ in PARTS[part](tables):
            sys.stdout.write(f"| {drawn} | {said} | {share:.3f} |\n")
            sys.stdout.flush()
    sys.stdout.write(f"\n{tables} tables each; {time.process_time() - started:.0f} s of processor time.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
