"""Wong, Paritosh & Aroyo (2021), Cross-replication Reliability, ACL, 7053-7065."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from raters.datasets import irep
from raters.io.read import read
from raters.papers.figure import Figure, Reproduction, found
from raters.reliability.xrr.xrr import xrr, xrr_table

IREP = (
    "IREP_data_release.csv of github.com/google-research-datasets/replication-dataset, which raters.datasets.irep()"
    " fetches, in the folder of --data"
)
TABLE_5 = (  # label, pools, IRR, IRR, kappa_x, and the normalised one if it is printed
    ("sadness", ("Mexico", "Budapest"), 0.5147, 0.5175, 0.4709, math.nan),
    ("contentment", ("Mexico", "KualaLumpur"), 0.4494, 0.6363, -0.0344, math.nan),
    ("awe", ("Mexico", "Budapest"), 0.1208, 0.1170, 0.0817, 0.6872),
)
BEHIND = "what kappa_x is made of; the test states kappa_x alone"
FIRST = {"1": "BB", "2": "BBB", "3": "AA", "4": "AAA", "5": "AB"}
SECOND = {"1": "BB", "2": "AB", "3": "AB", "4": "AB", "5": "AA"}


def reproduce(data: Path | None = None) -> Reproduction:
    """The authors' unit test, arithmetic on printed figures, and Table 5 if the data are available."""
    x, y = (
        [(i, f"{who}{j}", k) for i, ks in d.items() for j, k in enumerate(ks)]
        for who, d in (("x", FIRST), ("y", SECOND))
    )
    test = xrr(read(x, scale="nominal"), read(y, scale="nominal"), interval=None)
    figures = [
        Figure("the authors' unit test", "kappa_x", 0.1818182, float(test.kappa_x), 7),
        Figure("its table", "observed disagreement", math.nan, float(test.observed), 7, BEHIND),
        Figure("its table", "expected disagreement", math.nan, float(test.expected), 7, BEHIND),
        *(
            Figure(
                "Table 2" if math.isfinite(norm) else "section 4.3",
                f"normalised kappa_x of {label}, {a} and {b}",
                norm,
                k / math.sqrt(one * two),
                4,
                "arithmetic on the printed IRRs and kappa_x; not printed in the text",
            )
            for label, (a, b), one, two, k, norm in TABLE_5
        ),
        *_irep(data),
    ]
    remarks = (
        (
            "IRRs are over all items of a city that have two labels, by Cohen's kappa of first and second rater, as in"
            " the paper."
        ),
        (
            'The published file names a fourth platform, "International", and 32 columns of labels; the paper analyses'
            " three cities and 31 labels: raters xrr FILE --schema irep --names Budapest,KualaLumpur,Mexico leaves it out."
        ),
        "Table 4 counts the items of a city with one or two raters, not with one or two labels.",
        "The kappa_x of contemplation, .0707 .0406 .0363, stands in the README of the authors' library, not in the paper.",
    )
    return Reproduction("Wong, Paritosh & Aroyo (2021), Cross-replication Reliability", tuple(figures), remarks)


def _irep(data: Path | None) -> list[Figure]:
    path = found(data, "IREP_data_release.csv", "irep/IREP_data_release.csv")
    rows = [
        (f"{what} of {label}, {a} and {b}", v)
        for label, (a, b), one, two, k, _ in TABLE_5
        for what, v in ((f"IRR in {a}", one), (f"IRR in {b}", two), ("kappa_x", k))
    ]
    fig7 = "correlation of normalised kappa_x and rho"
    if path is None:
        return [Figure("Table 5", what, v, digits=4, needs=IREP) for what, v in rows] + [
            Figure("Figure 7", fig7, 0.99, digits=2, needs=IREP)
        ]
    table = xrr_table(irep(path), pool="platform", by="expression", irr="cohen", interval=None)
    ours = []
    for label, (a, b), *_ in TABLE_5:
        row = table.pair(a, b, slice=label)
        irr = dict(zip(row.pools, (row.irr_x.value, row.irr_y.value), strict=True))
        ours += [irr[a], irr[b], row.kappa_x.value]
    both = [
        (r.normalized.value, r.rho.value) for r in table if np.isfinite(r.normalized.value) and np.isfinite(r.rho.value)
    ]
    r = float(np.corrcoef(np.array(both).T)[0, 1]) if len(both) > 2 else math.nan
    return [Figure("Table 5", what, v, o, 4) for (what, v), o in zip(rows, ours, strict=True)] + [
        Figure("Figure 7", fig7, 0.99, r, 2, "over the rows whose figures are defined")
    ]
