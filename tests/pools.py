"""Labels of several pools of raters: drawn, and in the file of the IRep data set."""

from pathlib import Path
from typing import Any

import numpy as np

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
