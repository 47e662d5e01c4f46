"""Very large and very small numbers: measured in a power of two, so that their squares stay within the range of floats."""

from __future__ import annotations

import numpy as np

from raters.annotations import Annotations

ORDINARY = 100
"""Labels between 2^-100 and 2^100 are left unchanged."""


def label_unit(ann: Annotations) -> float:
    """1, or the power of two nearest to the largest label if squares of labels might overflow or vanish.

    Dividing by it is exact, and no coefficient changes with the unit.
    """
    if not ann.numeric or not len(ann.keys):
        return 1.0
    exponent = int(np.frexp(np.abs(ann.keys.astype(float)).max())[1])
    return 1.0 if abs(exponent) <= ORDINARY else float(np.ldexp(1.0, exponent))


def in_units(ann: Annotations, label: str) -> str:
    """SQL for a label in this unit."""
    unit = label_unit(ann)
    return label if unit == 1 else f"({label} / CAST('{unit!r}' AS DOUBLE))"
