"""How often `raters.groups` names a group of one population, and how often it finds one that differs.

python benchmarks/groups.py [tables]: 80 items, 40 raters who differ in leniency, three attributes, about 21 groups.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import raters

ITEMS, RATERS = 80, 40


def simulated(rng: np.random.Generator, effect: float, missing: float) -> dict[str, list[object]]:
    """Labels by a probit-like model: item, leniency of the rater, and for one group an effect of its own on each item."""
    gender, age, region = rng.integers(2, size=RATERS), rng.integers(3, size=RATERS), rng.integers(4, size=RATERS)
    gender[: RATERS // 2] = 1
    logit = rng.normal(0, 1.5, ITEMS)[:, None] + rng.normal(0, 0.7, RATERS)
    logit = logit + np.outer(rng.normal(0, effect, ITEMS), gender == 1)
    labels = rng.random(logit.shape) < 1 / (1 + np.exp(-logit))
    i, j = np.nonzero(rng.random(labels.shape) >= missing)
    return {
        "item": i.tolist(), "rater": [f"r{x}" for x in j], "label": labels[i, j].astype(int).tolist(),
        "gender": gender[j].tolist(), "age": [f"a{x}" for x in age[j]], "region": [f"g{x}" for x in region[j]],
    }  # fmt: skip


def share(tables: int, effect: float, missing: float = 0.0) -> tuple[float, float, float]:
    """The share of tables in which some group is named, in which one of the right group is, and groups per table."""
    some, right, n = 0, 0, 0
    for seed in range(tables):
        ann = raters.read(simulated(np.random.default_rng(seed), effect, missing), scale="nominal")
        found = raters.groups(ann, "gender,age,region", permutations=199, seed=seed)
        some += bool(found.named)
        right += any(e.name == "gender=1" for e in found.named)
        n += len(found)
    return some / tables, right / tables, n / tables


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 800
    for title, effect, missing, n in (("one population", 0.0, 0.0, tables), ("one population, 10 % of labels missing", 0.0, 0.1, tables // 2),
                                      ("a group with its own effect, sd 1.2", 1.2, 0.0, tables // 4)):  # fmt: skip
        some, right, groups = share(n, effect, missing)
        se = np.sqrt(some * (1 - some) / n)
        sys.stdout.write(
            f"{title}: some group named in {some:.3f} (se {se:.3f}) of {n}, the right one in {right:.3f};"
            f" {groups:.0f} groups\n"
        )
        sys.stdout.flush()
