r"""Which two labels are confused more often than others, allowing for the choice of the pair?

With :math:`o_{ab}` the share of pairs of labels of an item that are a and b, and :math:`e_{ab}` that share by chance, merging
a and b raises alpha if

.. math:: t_{ab} = \frac{o_{ab}}{e_{ab}} - \frac{D_o}{D_e} > 0:

that is, if the two co-occur more often, given their frequencies, than different labels do. If labels are exchangeable,
every
:math:`t_{ab}` is 0 apart from chance. Each is divided by its standard error over items, and its one-sided p, by Student's
distribution, is multiplied by the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.items import Items

Array = NDArray[Any]
MOST_CELLS = 40_000_000
FEWEST = 5
"""The fewest items on which two labels must co-occur; with fewer, the standard error is not reliable."""


@dataclass(frozen=True)
class Confusion:
    """Pairs of labels that co-occur in an item, the most frequent first."""

    a: Array
    b: Array
    z: Array
    """(pair,): t in units of its standard error; -inf if the two co-occur on too few items."""
    p: Array
    """(pair,): p-values, multiplied by the number of all pairs of labels."""


def confused_labels(items: Items, most: int = 50) -> Confusion:
    """The test on items without groups, for the pairs that co-occur most often; p allows for all pairs."""
    k = len(items.labels)
    pairs_of_all = k * (k - 1) / 2
    at = np.flatnonzero(items.per_item >= 2)
    none = Confusion(np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros(0))
    if not len(at) or len(at) * k > MOST_CELLS:
        return none
    counts, weight, r = items.counts[at].toarray(), items.weight[at], items.per_item[at]
    share = counts / (r - 1)[:, None]
    a, b = np.triu_indices(k, 1)
    met = (share * weight[:, None]).T @ counts
    order = np.argsort(-met[a, b], kind="stable")[:most]
    a, b = a[order], b[order]
    kept = met[a, b] > 0
    a, b = a[kept], b[kept]
    n, items_n = float(weight @ r), float(weight.sum())
    if not len(a) or items_n < 3:
        return none
    margin = weight @ counts  # (label,)
    own = (share * (r[:, None] - counts)).sum(1)  # (pattern,): disagreeing pairs
    apart, chance = float(weight @ own), n**2 - float(margin @ margin)
    z = np.empty(len(a))
    for i, (one, two) in enumerate(zip(a, b, strict=True)):
        both = 2 * share[:, one] * counts[:, two]
        o, e = float(weight @ both), 2 * margin[one] * margin[two]
        t = o / e - apart / chance
        # derivatives of both ratios with respect to the weight of an item
        slope_e = 2 * (counts[:, one] * margin[two] + counts[:, two] * margin[one])
        slope_chance = 2 * (n * r - counts @ margin)
        influence = both / e - o / e**2 * slope_e - own / chance + apart / chance**2 * slope_chance + t * r / n
        se = float(np.sqrt(items_n / (items_n - 1) * (weight @ influence**2)))
        enough = float(weight[both > 0].sum()) >= FEWEST
        z[i] = t / se if se > 0 and enough else -np.inf
    return Confusion(a, b, z, np.minimum(special.stdtr(items_n - 1, -z) * pairs_of_all, 1.0))
