"""The intervals of other packages on the same studies: irrCAC, statsmodels and pingouin, each called as it is.

Studies are drawn from the populations of ``coverage_designs.py``; each package answers in its own environment
(environments.py).
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from coverage_designs import Design, Population, drawn_designs, ratings
from environments import python_of, versions

from raters.agree.estimating import estimate

Array = np.ndarray[Any, Any]
Row = dict[str, Any]
IRRCAC = {
    "gwet": "gwet",
    "fleiss": "fleiss",
    "krippendorff": "krippendorff",
    "conger": "conger",
    "brennan_prediger": "bp",
}
SEED = 2026

ASK = {
    "irrCAC": """
import pandas as pd
from irrCAC.raw import CAC
def ask(x):
    kinds = {k: str(k) for k in np.unique(x) if k >= 0}
    frame = pd.DataFrame([[kinds.get(k) for k in row] for row in x])
    return getattr(CAC(frame), name)()["est"]["confidence_interval"]
""",
    "statsmodels": """
from statsmodels.stats.inter_rater import cohens_kappa
def ask(x):
    k = int(x.max()) + 1
    table = np.zeros((k, k))
    np.add.at(table, (x[:, 0], x[:, 1]), 1)
    found = cohens_kappa(table)
    return found.kappa_low, found.kappa_upp
""",
    "pingouin": """
import pandas as pd, pingouin
def ask(x):
    n, r = x.shape
    long = pd.DataFrame({"item": np.repeat(np.arange(n), r), "rater": np.tile(np.arange(r), n), "value": x.ravel()})
    table = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
    row = table.iloc[0]
    return tuple(row[[c for c in table.columns if c.startswith("CI95")][0]])
""",
}  # fmt: skip
WORKER = """
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
given, name, to = sys.argv[1:]
{ask}
ends = []
for x in np.load(given):
    try:
        ends.append([float(v) for v in ask(x)])
    except Exception:
        ends.append([np.nan, np.nan])
np.save(to, np.array(ends))
"""


def theirs(peer: str, name: str, studies: Array) -> Array:
    """(study, 2): the limits that a package gives; nan where it gives none."""
    with tempfile.TemporaryDirectory() as folder:
        given, to = Path(folder) / "studies.npy", Path(folder) / "limits.npy"
        np.save(given, studies)
        code = WORKER.replace("{ask}", ASK[peer])
        subprocess.run([python_of(peer), "-c", code, str(given), name, str(to)], check=True, timeout=1200)
        return np.asarray(np.load(to))


def chosen() -> list[tuple[str, str, Design]]:
    """Designs of the large grid that a package can answer: twelve of irrCAC, four of statsmodels, four of pingouin."""
    found: list[tuple[str, str, Design]] = []
    full = [d for d in drawn_designs(1000, SEED) if d.items <= 200]
    wanted = (
        ("irrCAC", 12, lambda d: d.kind == "nominal" and d.coefficient in IRRCAC),
        ("statsmodels", 4, lambda d: d.kind == "nominal" and d.coefficient == "cohen" and not d.missing),
        ("pingouin", 4, lambda d: d.kind in ("normal", "skewed") and not d.missing),
    )
    for peer, most, fits in wanted:
        for d in [d for d in full if fits(d)][:most]:
            found.append((peer, IRRCAC.get(d.coefficient, ""), d))
    return found


def peers(studies: int, resamples: int) -> Iterator[Row]:
    """Every design: how often our default and the package's interval hold the true value, and the truth below them."""
    for peer, name, design in chosen():
        population = Population(design, resamples)
        x = ratings(design, np.random.default_rng([7, design.seed]))  # as the population was drawn
        rng = np.random.default_rng([11, design.seed])
        at = rng.integers(0, len(x), (studies, design.items))
        ours = np.array(
            [
                (e.low, e.high)
                for e in (estimate(population.req, population.items(row), population.kernel) for row in at)
            ]
        )
        both = {"default": ours, "other": theirs(peer, name, x[at])}
        known = np.isfinite(ours[:, 0])
        row: Row = {
            "peer": f"{peer} {versions(peer, peer)[peer]}",
            "what": design.words,
            "true": population.true,
            "studies": int(known.sum()),
        }
        for who, ends in both.items():
            low, high = ends[known].T
            row[who] = float(np.mean((low <= population.true + 1e-9) & (population.true - 1e-9 <= high)))
            row[f"{who} below"] = float(np.mean(population.true < low - 1e-9))
        yield row


if __name__ == "__main__":
    import sys

    for row in peers(int(sys.argv[1]) if len(sys.argv) > 1 else 100, 400):
        sys.stdout.write(
            f"{row['default']:.2f} {row['other']:.2f} below {row['default below']:.2f} {row['other below']:.2f}"
            f" {row['peer']}: {row['what']} ({row['true']:.2f})\n"
        )
        sys.stdout.flush()
