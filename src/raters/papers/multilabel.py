"""Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from raters import simulate
from raters.annotations import Annotations
from raters.io.read import read
from raters.papers.figure import Figure, Reproduction
from raters.reliability.sets.multilabel import multilabel
from raters.reliability.sets.statistics import Options, Sets, statistics, two_raters
from raters.scales.sets import LabelSet

TABLE_1 = ((("A",), ("A", "B")), (("A", "B"), ("B", "C")), (("A", "B"), ("A", "B")))
PRINTED = {"boot_match": (1, 1, 1), "augmented": (0.5, 0.25, 0.5), "boot_recall": (1, 0.5, 1), "boot_precision": (0.5, 0.5, 1), "boot_f1": (0.67, 0.5, 1)}  # fmt: skip
DATASETS = 60
PARTS = {"observed": "observed", "expected": "expected", "adjusted": "value"}
SIMULATED: tuple[tuple[str, str, dict[str, Any], str, str, float, str], ...] = (
    ("section 5", "no doubles, 60 % intersection", {"double": 0, "intersection": 0.6}, "boot_match", "adjusted", 0.50, ""),
    ("section 5", "no doubles, 75 %", {"double": 0, "intersection": 0.75}, "boot_match", "adjusted", 0.69, ""),
    ("section 5", "no doubles, 90 %", {"double": 0, "intersection": 0.9}, "boot_match", "adjusted", 0.87, ""),
    ("section 5", "a quarter doubles, 90 %", {"double": 0.25, "intersection": 0.9}, "augmented", "adjusted", 0.49,
     "it does not follow from the paper's text: independent doubles give an observed .69, expected .205, adjusted .61"),
    ("section 5.1", "all doubles, 75 %", {"double": 1, "intersection": 0.75}, "boot_match", "expected", 0.70, ""),
    ("section 5.1", "all doubles, 75 %", {"double": 1, "intersection": 0.75}, "boot_match", "adjusted", 0.17, ""),
    ("section 5.1", "all doubles, 75 %, 10 labels", {"double": 1, "intersection": 0.75, "n_labels": 10}, "boot_match", "adjusted", 0.60, ""),
)  # fmt: skip
TABLE_2 = {
    "soft-match": (0.79, 0.23, 0.73),
    "augmented": (0.51, 0.21, 0.38),
    "boot-match": (0.79, 0.34, 0.68),
    "boot-recall": (0.55, 0.21, 0.43),
    "boot-precision": (0.76, 0.31, 0.65),
    "boot-F1": (0.62, 0.24, 0.50),
}
"""Observed, expected, adjusted, as printed."""


def reproduce(data: Path | None = None) -> Reproduction:
    """Table 1, the adjusted column of Table 2, the simulations of section 5, and its claims about labels and entropy.

    No data need to be fetched.
    """
    figures = [*_table_1(), *_table_2(), *_simulations(), *_more_labels(), *_entropy()]
    remarks = (
        (
            "Precision and recall: Table 1 prints those of c2 against c1 (its caption says c1 with respect to c2),"
            " Table 2 those of c1 against c2."
        ),
        f"Simulations are means over {DATASETS} data sets of 100 items.",
        (
            "Section 5.2 says that the fall of boot-F1 and boot-match with more double labels is reduced if labels are"
            " uneven. For boot-F1 that is so; boot-match falls more, as the last rows show."
        ),
    )
    return Reproduction("Marchal et al. (2022), Annotation Quality in Multi-label Annotations", tuple(figures), remarks)


def _sets(rows: Any) -> Annotations:
    return read([(f"i{i}", f"c{j + 1}", s) for i, pair in enumerate(rows) for j, s in enumerate(pair)], scale="sets")


def _table_1() -> list[Figure]:
    each = [multilabel(_sets([row]), who=["c2", "c1"], interval=None) for row in TABLE_1]
    found = [
        Figure("Table 1", f"{name.removeprefix('boot_')} of item {i + 1}", float(v), each[i][name].observed, 2)
        for name, values in PRINTED.items()
        for i, v in enumerate(values)
    ]
    chance = multilabel(_sets(TABLE_1), interval=None)["augmented"].expected
    return [*found, Figure("section 3.2", "augmented kappa, expected", 0.39, chance, 2)]


@cache
def _means(options: tuple[tuple[str, Any], ...]) -> dict[tuple[str, str], float]:
    """(measure, part) -> its mean over data sets drawn with these options."""
    each = [_measured(simulate.multilabel(100, seed=seed, **dict(options))) for seed in range(DATASETS)]
    return {key: float(np.mean([e[key] for e in each])) for key in each[0]}


def _measured(drawn: simulate.SimulatedSets) -> dict[tuple[str, str], float]:
    """Every measure of one data set, without building a table."""
    q = len(drawn.prevalence)
    labels = [LabelSet(c) for m in (1, 2) for c in combinations(range(q), m)]
    at = {frozenset(x): i for i, x in enumerate(labels)}
    x, y = (np.array([at[frozenset(row[row >= 0].tolist())] for row in t]) for t in (drawn.first, drawn.second))
    found, _ = statistics(two_raters(np.ones(len(x)), x, y, Sets(labels, range(q)), Options()), Options())
    parts = {name: s.parts(s.weight[None]) for name, s in found.items()}
    return {(n, part): float(getattr(p, of)[0]) for n, p in parts.items() for part, of in PARTS.items()}


def _mean(measure: str, part: str, **options: Any) -> float:
    return _means(tuple(options.items()))[measure, part]


def _simulations() -> list[Figure]:
    return [
        Figure(
            where,
            f"{measure} {part}, {what}",
            printed,
            _mean(measure, part, **options),
            2,
            why or "simulated: the authors' draws are not known",
        )
        for where, what, options, measure, part, printed, why in SIMULATED
    ]


def _table_2() -> list[Figure]:
    """The adjusted column from the printed ones; the data of the case study are not public."""
    return [
        Figure("Table 2", f"{name} adjusted, from observed and expected", printed, (seen - chance) / (1 - chance), 2)
        for name, (seen, chance, printed) in TABLE_2.items()
    ]


def _more_labels() -> list[Figure]:
    """What ten labels instead of five add to the adjusted figure without doubles: "5 percentage points"."""

    def adjusted(share: float, labels: int) -> float:
        return (share - 1 / labels) / (1 - 1 / labels)

    gains = {share: adjusted(share, 10) - adjusted(share, 5) for share in (0.6, 0.75, 0.9)}
    why = f"5.6 points at 60 % intersection, where it holds best; {100 * gains[0.75]:.1f} at 75 % and {100 * gains[0.9]:.1f} at 90 %"
    return [
        Figure(
            "section 5.1", "gain from 5 to 10 categories without doubles, 60 % intersection", 0.05, gains[0.6], 2, why
        )
    ]


def _entropy() -> list[Figure]:
    """How much the adjusted figure falls from no doubles to all doubles, with even labels and at 1.5 bits (75 %
    intersection).
    """
    found = []
    for name in ("soft_match", "augmented", "boot_f1", "boot_match"):
        for bits, what in ((float(np.log2(5)), "even labels"), (1.5, "1.5 bits")):
            none, every = (_mean(name, "adjusted", double=d, intersection=0.75, entropy=bits) for d in (0, 1))
            found.append(
                Figure(
                    "section 5.2",
                    f"{name}: adjusted without doubles minus with all doubled, {what}",
                    np.nan,
                    none - every,
                    2,
                )
            )
    return found
