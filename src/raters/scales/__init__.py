"""Scales, agreement weights and distances: one bilinear form for each.

A *kernel* measures how much two labels agree (1 for equal labels) or differ (0 for equal labels). Weights and
distances are rows of two registries; a row has a function that gives the exact matrix and, where there is one, a form
that needs no matrix, so that very many distinct values never need a square matrix.
"""

from raters.scales.comparison import DENSE, MAX_MATRIX, MID_RANKS, Kernel, LabelComparison, Pairwise
from raters.scales.distances import DISTANCES, SET_DISTANCES, distance_kernel, distance_row
from raters.scales.features import interval_kernel
from raters.scales.scale import Scale
from raters.scales.weights import SET_WEIGHTS, WEIGHTS, Weights, agreement_kernel


def row_of(kernel: Kernel) -> LabelComparison | None:
    """The registry row of the weights or distance behind a kernel; None for a user's own matrix or function."""
    return WEIGHTS.get(kernel.name) or DISTANCES.get(kernel.name)


def along(kernel: Kernel) -> bool:
    """Whether labels are compared by their distance on a scale, so that neighbours nearly agree."""
    row = row_of(kernel)
    return kernel.by_ranks or (row is not None and row.of == "numbers" and not row.turns)


__all__ = [
    "DENSE",
    "DISTANCES",
    "MAX_MATRIX",
    "MID_RANKS",
    "SET_DISTANCES",
    "SET_WEIGHTS",
    "WEIGHTS",
    "Kernel",
    "LabelComparison",
    "Pairwise",
    "Scale",
    "Weights",
    "agreement_kernel",
    "along",
    "distance_kernel",
    "distance_row",
    "interval_kernel",
    "row_of",
]  # fmt: skip
