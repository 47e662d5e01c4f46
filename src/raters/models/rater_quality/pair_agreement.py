"""How often two raters agree on the items that both labelled, compared with what a fit expects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.base.fit import FittedModel

Array = NDArray[Any]
MOST_PAIRS = 50_000_000


def pair_sums(c: FittedModel, least: int = 1) -> tuple[Array, Array, Array, Array, Array, Array]:
    """For each pair of raters with shared items: the two raters, the number of items, agreements, and their expectation
    and variance.
    """
    v, q = c.votes, c.posterior
    sizes = np.diff(v.table.indptr).astype(np.int64)
    if (work := int((sizes**2).sum())) > MOST_PAIRS:
        # raters with few items share few; of the rest, every m-th item is enough for the pairs
        often = np.bincount(v.rater_of, minlength=v.n_raters) >= least
        v = v.kept(np.where(often[v.rater_of], v.table.data, 0))
        sizes = np.diff(v.table.indptr).astype(np.int64)
        at = np.arange(0, v.n_items, -(-work // MOST_PAIRS))
        at = at[np.cumsum(sizes[at] ** 2) <= MOST_PAIRS]  # one item may have more pairs than fit in memory
        v, q = v.rows(at), q[at]
    shape = (v.n_items, v.n_raters)
    who = sparse.csr_array((v.table.data, v.rater_of, v.table.indptr), shape)
    shared = sparse.triu(who.T @ who, 1).tocoo()
    key = shared.coords[0].astype(np.int64) * v.n_raters + shared.coords[1]
    order = np.argsort(key)
    key, n = key[order], shared.data[order]
    a, b = key // v.n_raters, key % v.n_raters
    agreed, expected, spread = (np.zeros(len(n)) for _ in range(3))
    for k in range(v.n_labels):
        one = v.kept(np.where(v.label_of == k, v.table.data, 0))
        same = sparse.csr_array((one.table.data, one.rater_of, one.table.indptr), shape)
        _add(agreed, key, same.T @ same, v.n_raters)
        mass = np.zeros(len(n))
        _add(mass, key, (who * q[:, [k]]).T @ who, v.n_raters)
        match = np.einsum("pl,pl->p", c.confusion[a, k], c.confusion[b, k])
        expected += mass * match
        spread += mass * match * (1 - match)
    return a, b, n, agreed, expected, spread


def _add(to: Array, key: Array, product: Any, width: int) -> None:
    """Add the upper triangle of a sparse product to the pairs with these keys."""
    upper = sparse.triu(product, 1).tocoo()
    row, column = upper.coords
    at = np.searchsorted(key, row.astype(np.int64) * width + column)
    np.add.at(to, at, upper.data)
