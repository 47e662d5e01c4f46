"""Wong & Paritosh (2022), k-Rater Reliability, ACL, 378-384."""

from __future__ import annotations

import csv
from pathlib import Path

from raters.datasets import wordsim_replications
from raters.io.read import read
from raters.papers.figure import Figure, Reproduction, found
from raters.reliability.krr.krr import krr
from raters.reliability.variance.icc import icc

WORDSIM = (
    "set1.csv and set2.csv of WordSim-353 (the subjects' own ratings, as its authors publish them) in the folder of"
    " --data"
)
REPLICATIONS = (
    "replication1.csv and replication2.csv of github.com/google-research-datasets/wordsim-replications, which"
    " raters.datasets.wordsim_replications() fetches, in the folder of --data"
)


def reproduce(data: Path | None = None) -> Reproduction:
    """IRR and 13-rater reliability of WordSim-353 and of its replications."""
    figures = [
        Figure(
            "Table 1",
            "ICC(13), by the Spearman-Brown formula (section 5.3) from the printed ICC(1) of .590",
            0.950,
            float(krr(irr=0.590, k=13)),
            3,
            "the two printed figures do not belong together; see the note",
        ),
        *_original(data),
        *_replications(data),
    ]
    remarks = (
        (
            "Our inference: Table 1's .590 is a one-way ICC(1) and its .950 a two-way ICC(13). On WordSim-353 the one-way"
            " pair is .5905 and .9494, the two-way pair .5915 and .9496; the paper's footnote calls both two-way and says"
            " that one-way models give identical estimates."
        ),
        'The paper says "a scale from 1 to 10"; the ratings in the data go from 0 to 10.',
        (
            "The bootstrap repeats an item's own ratings and is biased upward by construction: with 13 ratings it tends"
            " to .9553, not to .9494."
        ),
    )
    return Reproduction("Wong & Paritosh (2022), k-Rater Reliability", tuple(figures), remarks)


def _original(data: Path | None) -> list[Figure]:
    one, two = found(data, "wordsim353/set1.csv", "set1.csv"), found(data, "wordsim353/set2.csv", "set2.csv")
    rows = (
        ("IRR, ICC(1)", 0.590, ".5905"),
        ("13-rater reliability, ICC(13)", 0.950, ".9496 (two-way)"),
        ("13-rater reliability, bootstrap", 0.953, ".9553 (mean over draws)"),
    )
    if one is None or two is None:
        return [Figure("Table 1", what, printed, needs=WORDSIM, known=known) for what, printed, known in rows]
    ratings = [
        [float(x) for x in row[3:16]]
        for path in (one, two)
        for row in list(csv.reader(path.read_text().splitlines()))[1:]
    ]
    ann = read(ratings, layout="wide", scale="interval")
    table = icc(ann, interval=None)
    boot = krr(ann, 13, method="bootstrap", replications=50, interval=None)
    return [
        Figure("Table 1", rows[0][0], rows[0][1], table["ICC(1)"].value),
        Figure("Table 1", rows[1][0], rows[1][1], table["ICC(A,k)"].value),
        Figure(
            "Table 1",
            rows[2][0],
            rows[2][1],
            boot.value,
            3,
            f"draws of the authors; the mean over draws tends to {boot.details['limit']:.4f}, above the reliability",
        ),
    ]


def _replications(data: Path | None) -> list[Figure]:
    one, two = (
        found(data, "replication1.csv", "wordsim-replications/replication1.csv"),
        found(data, "replication2.csv", "wordsim-replications/replication2.csv"),
    )
    rows = (("empirical, k = 1", 0.574), ("empirical, k = 13", 0.940), ("bootstrap of one replication, k = 13", 0.943))
    if one is None or two is None:
        return [Figure("Figure 1, section 4.2", what, printed, needs=REPLICATIONS) for what, printed in rows]
    x, y = wordsim_replications([one, two])
    ours = (
        krr(x, 1, against=y, interval=None).value,
        krr(x, 13, against=y, interval=None).value,
        krr(x, 13, method="bootstrap", replications=50, interval=None).value,
    )
    why = "random columns: the authors' draws are not known"
    return [
        Figure("Figure 1, section 4.2", what, printed, v, 3, why) for (what, printed), v in zip(rows, ours, strict=True)
    ]
