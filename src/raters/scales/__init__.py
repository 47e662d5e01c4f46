"""Scales, agreement weights and distances: one bilinear form for each.

A *kernel* says how far two labels agree (1 for equal labels) or how far they lie apart (0 for equal labels). Weights and
distances are rows of two registries; a row has a function that gives the exact matrix and, where there is one, a form
that needs no matrix, so that no table of very many distinct values is squared.
"""

from raters.scales.distances import DISTANCES, SET_DISTANCES, distance_kernel, distance_row
from raters.scales.features import interval_kernel
from raters.scales.kernel import DENSE, MAX_MATRIX, MID_RANKS, Kernel, Pairwise
from raters.scales.rows import LabelComparison
from raters.scales.weights import SET_WEIGHTS, WEIGHTS, Weights, agreement_kernel, weights_of_scale

SCALES = ("nominal", "ordinal", "interval", "ratio", "circular", "sets")
NUMERIC_SCALES = ("interval", "ratio", "circular")


def row_of(kernel: Kernel) -> LabelComparison | None:
    """What is known of the weights or the distance behind a kernel; None: a matrix or function of the user's own."""
    return WEIGHTS.get(kernel.name) or DISTANCES.get(kernel.name)


def along(kernel: Kernel) -> bool:
    """Whether labels are compared by how far apart they lie on a scale, so that neighbours nearly agree."""
    row = row_of(kernel)
    return kernel.by_ranks or (row is not None and row.of == "numbers" and not row.turns)


__all__ = [
    "DENSE", "DISTANCES", "MAX_MATRIX", "MID_RANKS", "NUMERIC_SCALES", "SCALES", "SET_DISTANCES", "SET_WEIGHTS", "WEIGHTS",
    "Kernel", "LabelComparison", "Pairwise", "Weights", "agreement_kernel", "along", "distance_kernel", "distance_row",
    "interval_kernel", "row_of", "weights_of_scale",
]  # fmt: skip
