"""Do windows differ by more than chance? One sentence about a table of windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from raters.estimate import Estimate, shown
from raters.io.fold_files.file import PART as DRIFT

__all__ = ["DRIFT", "drift", "heterogeneity"]


def heterogeneity(table: Sequence[Estimate]) -> tuple[float, int, float]:
    """Cochran's Q of independent estimates, its degrees of freedom, and p; nan if fewer than two have a standard error.

    .. math:: Q = \\sum_w (x_w - \\bar x)^2 / s_w^2

    with the mean weighted by :math:`1 / s_w^2`; chi-squared if all windows share one value. Cochran (1954), Biometrics 10, 101-129.
    """
    x, se = (np.array([getattr(e, name) for e in table], dtype=float) for name in ("value", "se"))
    good = np.isfinite(x) & (se > 0)
    df = int(good.sum()) - 1
    if df < 1:
        return np.nan, df, np.nan
    w = se[good] ** -2.0
    q = float(w @ (x[good] - np.average(x[good], weights=w)) ** 2)
    return q, df, float(special.chdtrc(df, q))


def drift(table: Sequence[Estimate]) -> str:
    """Whether the windows of one coefficient differ by more than chance, in a sentence for each coefficient."""
    said = []
    for name in dict.fromkeys(e.coefficient for e in table):
        rows = [e for e in table if e.coefficient == name]
        q, df, p = heterogeneity(rows)
        if not np.isfinite(p):
            said.append(
                f"{rows[0].title}: fewer than two windows have a standard error, so drift cannot be distinguished from chance."
            )
            continue
        low, high = min(rows, key=lambda e: e.value), max(rows, key=lambda e: e.value)
        verdict = "differ by more than chance" if p < 0.05 else "do not differ by more than chance"
        said.append(
            f"{rows[0].title}: the {len(rows)} windows {verdict} (Q = {shown(q, 2)}, df = {df}, p = {p:.2g}), "
            f"from {shown(low.value, 3)} ({low.name}) to {shown(high.value, 3)} ({high.name})."
        )
    return " ".join(said)
