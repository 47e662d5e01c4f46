"""Labels of several pools of raters: drawn, and in the file of the IRep data set."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

import raters
from raters import datasets

SEED = 20210


def pooled(n: int = 120, pools: str = "abc", each: int = 2, seed: int = SEED, labels: str = "uvw") -> dict[str, Any]:
    """Columns of a made table: pool c goes its own way on half of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(labels), n, p=np.arange(len(labels), 0, -1) / np.arange(1, len(labels) + 1).sum())
    rows = []
    for p in pools:
        own = np.where(rng.random(n) < (0.5 if p == "c" else 0), rng.integers(0, len(labels), n), truth)
        for i in range(n):
            for j in range(each):
                if rng.random() < 0.9:
                    k = own[i] if rng.random() < 0.8 else rng.integers(len(labels))
                    rows.append((i, f"{p}{j}", labels[k], p, "even" if i % 2 == 0 else "odd"))
    return dict(zip(("item", "rater", "label", "pool", "half"), map(list, zip(*rows, strict=True)), strict=True))


EXPRESSIONS = ["amusement", "awe", "love", "unsure"]


def irep_file(path: Path, n: int = 300, seed: int = 0) -> Path:
    """Made data of the published schema, stray quote in the header included; KualaLumpur sees awe its own way."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.3, 0.7, (n, len(EXPRESSIONS)))
    own = rng.beta(0.3, 0.7, n)
    lines = ['item_id",platform,rater,' + ",".join(EXPRESSIONS)]
    for i in range(n):
        for city in datasets.PLACES:
            for rater in range(1, 3 if rng.random() < 0.8 else 2):
                q = p[i].copy()
                if city == "KualaLumpur":
                    q[1] = own[i]
                lines.append(f"{i + 1},{city},{rater}," + ",".join(str(int(v)) for v in rng.random(len(q)) < q))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


Bags = dict[str, tuple[list[float], list[float]]]
"""Item -> labels of x, labels of y."""


def two_pools(bags: Bags, **options: Any) -> tuple[raters.Annotations, raters.Annotations]:
    values = sorted({v for pair in bags.values() for labels in pair for v in labels})
    found = []
    for side, who in enumerate("xy"):
        rows = [(item, f"{who}{j}", v) for item, pair in bags.items() for j, v in enumerate(pair[side])]
        found.append(raters.read(rows, **{"labels": values, **options}))
    return found[0], found[1]


def made_pools(n: int, seed: int, flip: float = 0.0, each: tuple[int, int] = (3, 2), scale: str = "nominal") -> Any:
    rng = np.random.default_rng(seed)
    level, swap = rng.choice(4, (2, n), p=(0.5, 0.25, 0.15, 0.1))
    other = np.where(rng.random(n) < flip, swap, level)
    bags = {}
    for i in range(n):
        sides = []
        for value, most in zip((level[i], other[i]), each, strict=True):
            k = most - int(rng.random() < 0.2)
            sides.append([float(v) for v in np.where(rng.random(k) < 0.7, value, rng.integers(0, 4, k))])
        bags[f"q{i:04d}"] = (sides[0], sides[1])
    return two_pools(bags, scale=scale)


def rows_of(who: str, items: str = "1234", labels: str = "nnyy", more: str = "nyyy") -> list[tuple[str, str, str]]:
    pairs = zip(items, labels, more, strict=True)
    return [row for i, a, b in pairs for row in ((f"q{i}", f"{who}1", a), (f"q{i}", f"{who}2", b))]


def hs_brexit(folder: Path) -> list[tuple[str, str, str]]:
    """Item, rater and label (1: hate) of tweets that three members of a target group and three others labelled."""
    rows = []
    for part in ("train.json.gz", "dev.json", "test.json"):
        file = folder / "lewidi-2023" / "HS-Brexit" / f"HS-Brexit_{part}"
        told = json.loads(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_text())
        for key, x in told.items():
            given = zip(x["annotators"].split(","), x["annotations"].split(","), strict=True)
            rows += [(f"{part[:2]}{key}", who, label) for who, label in given]
    return rows
