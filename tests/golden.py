"""Figures of the bundled tables that a release publishes: `python tests/golden.py` writes them to tests/golden.json.

A figure that changes is a promise broken unless the changelog says why: write the row there first, then this file
again.
"""

import json
import math
from pathlib import Path
from typing import Any

import raters
from raters import examples

FILE = Path(__file__).with_name("golden.json")
TABLES = ("four_raters", "fleiss_1971", "hayes_krippendorff_2007", "abstractors", "demo")


def plain(x: float) -> float | None:
    return round(float(x), 10) if math.isfinite(x) else None


def row(e: Any) -> list[float | None]:
    return [plain(e.value), plain(e.low), plain(e.high)]


def figures() -> dict[str, Any]:
    """Every figure by its name: value, low, high."""
    found: dict[str, Any] = {}
    for name in TABLES:
        ann = getattr(examples, name)()
        for e in raters.agreement_table(ann):
            found[f"{name}: {e.name}"] = row(e)
        for e in raters.per_label(ann):
            found[f"{name}: per label, {e.name}"] = row(e)
        found[f"{name}: kRR of 3"] = row(raters.krr(ann, 3, interval=None))
        for model in ("majority", "dawid_skene"):
            c = raters.consensus(ann, model, uncertainty=None)
            found[f"{name}: {model}"] = [plain(x) for x in c.prevalence]
    for interval in ("bootstrap", "bca", "delta", "jackknife"):
        found[f"fleiss_1971: {interval}"] = row(raters.agreement(examples.fleiss_1971(), "fleiss", interval=interval))
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(figures(), indent=0) + "\n", encoding="utf-8")
