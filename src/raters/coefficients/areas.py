"""Coefficients of areas in the agreement chart of two raters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from raters.coefficients.base import Parts, Sums, safe_divide
from raters.errors import UsageError
from raters.items import Lifted
from raters.items.bag import shares_by_group
from raters.scales import Kernel

MOST_LABELS = 300
"""Maximum number of labels for weighted areas, which need the whole table of two raters."""


def crossed(x: Lifted) -> Any:
    """(pattern, label * label): the table of two raters; without weights (pattern, 3 * label), diagonal and margins."""
    width = x.items.width
    own = shares_by_group(x.items, Kernel("identity", 1.0))
    first, second = own[:, :width], own[:, width:]
    if x.kernel.form is None:
        both = sparse.diags_array((x.r >= 2).astype(float))
        return sparse.hstack([first.multiply(second), both @ first, both @ second]).tocsr()
    if width > MOST_LABELS:
        raise UsageError(
            f"bangdiwala with weights needs a table of all labels by all labels, but {width:,} are too many (at most"
            f" {MOST_LABELS}); omit weights, or merge labels."
        )
    left = sparse.kron(sparse.eye_array(width), np.ones((1, width))).tocsr()
    right = sparse.kron(np.ones((1, width)), sparse.eye_array(width)).tocsr()
    return (first @ left).multiply(second @ right).tocsr()


def bangdiwala(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Bangdiwala's B: the area of agreement in the agreement chart of two raters, divided by its largest possible
    area.

    .. math:: B = \frac{\sum_k n_{kk}^2}{\sum_k r_k c_k}, \quad
        B_w = \frac{\sum_k \sum_b w_b (A_{kb} - A_{k,b-1})}{\sum_k r_k c_k}, \quad
        A_{kb} = \sum_{|l-k| \le b} n_{lk} \sum_{|l-k| \le b} n_{kl}

    over items that both raters labelled, with margins r and c. Each band, that is all labels b positions apart, has one
    weight. It is not agreement beyond chance: independent raters get :math:`\sum r_k^2 c_k^2 / (n^2 \sum r_k c_k)`.
    Observed and expected agreement are those of Cohen's kappa on the same items; B is not computed from them.

    >>> from raters import agreement, examples
    >>> round(agreement(examples.abstractors(), "bangdiwala", interval=None).value, 4)
    0.806

    Bangdiwala (1985), Proc. Int. Stat. Inst., 307-308; Munoz & Bangdiwala (1997), J. Appl. Stat. 24, 105-112.
    """
    if k.form is None:
        table = s.crossed.reshape(*s.crossed.shape[:-1], 3, -1)
        agreed, rows, columns = table[..., 0, :], table[..., 1, :], table[..., 2, :]
        area = (agreed**2).sum(-1)
        observed = agreed.sum(-1)
    else:
        table = s.crossed.reshape(*s.crossed.shape[:-1], q, q)
        rows, columns = table.sum(-1), table.sum(-2)
        area, observed = _weighted_area(table, k.form[0]), (table * k.form).sum((-1, -2))
    n, possible = rows.sum(-1), (rows * columns).sum(-1)
    chance = safe_divide(k.product(rows, columns), n * n)
    return Parts(safe_divide(observed, n), chance, k.perfect, k.unit, safe_divide(area, possible))


def _weighted_area(table: Any, w: Any) -> Any:
    """The ring of each band around the squares of the diagonal, times its weight. ``w``: (band,)."""
    q = len(w)
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    total, inside = 0.0, 0.0
    for b in range(q):
        within = apart <= b
        area = ((table * within).sum(-1) * (table * within).sum(-2)).sum(-1)
        total, inside = total + w[b] * (area - inside), area
    return total
