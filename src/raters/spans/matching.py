"""Matchings of units of two raters: the largest, and the one of greatest gain; many at once, each by its components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.spans.sweeps import linked

Array = NDArray[Any]
AT_ONCE = 400
"""Nodes of a graph that is solved at once: the solver takes time proportional to it for each of its nodes."""


def numbered(*keys: Array) -> tuple[Array, int]:
    """Keys as numbers 0, 1, ..., and how many there are."""
    one, *more = keys
    for key in more:
        one = one * (int(key.max(initial=0)) + 1) + key
    known, place = np.unique(one, return_inverse=True)
    return np.asarray(place), len(known)


def largest(left: Array, right: Array) -> Array:
    """(edge,): whether an edge is in a largest one-to-one matching; an edge whose ends have no other is."""
    from scipy.sparse.csgraph import maximum_bipartite_matching  # slow to import

    (a, n), (b, k) = numbered(left), numbered(right)
    single = (np.bincount(a, minlength=n)[a] == 1) & (np.bincount(b, minlength=k)[b] == 1)
    rest = np.flatnonzero(~single)
    if not len(rest):
        return np.asarray(single)
    (a, n), (b, k) = numbered(a[rest]), numbered(b[rest])
    graph = sparse.csr_array((np.ones(len(rest), np.int8), (a, b)), (n, k))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    chosen = partner[a] == b
    single[rest[chosen]] = True
    return np.asarray(single)


def best(left: Array, right: Array, gain: Array) -> Array:
    """(edge,): whether an edge is in a one-to-one matching of the greatest total gain; gains are above 0."""
    taken = np.zeros(len(left), bool)
    if not len(left):
        return taken
    (a, n), (b, k) = numbered(left), numbered(right)
    alone = (np.bincount(a, minlength=n)[a] == 1) & (np.bincount(b, minlength=k)[b] == 1)
    taken[alone] = True
    rest = np.flatnonzero(~alone)
    if not len(rest):
        return taken
    component = linked(n + k, a[rest], n + b[rest])[a[rest]]
    order = np.argsort(component, kind="stable")
    rest, component = rest[order], component[order]
    starts = np.flatnonzero(np.concatenate([[True], component[1:] != component[:-1]]))
    blocks = np.searchsorted(starts, np.arange(0, len(rest), AT_ONCE), "left")
    cuts = np.unique(np.concatenate([starts[blocks[blocks < len(starts)]], [len(rest)]]))
    for at, to in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        block = rest[at:to]
        taken[block[_solved(a[block], b[block], gain[block])]] = True
    return taken


def _solved(left: Array, right: Array, gain: Array) -> Array:
    """(edge,): whether it is chosen. Each left node may also stay alone, for no gain."""
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # slow to import

    (a, n), (b, k) = numbered(left), numbered(right)
    most = float(gain.max()) + 1
    rows = np.concatenate([a, np.arange(n)])
    columns = np.concatenate([b, k + np.arange(n)])
    cost = np.concatenate([most - gain, np.full(n, most)])
    row, column = min_weight_full_bipartite_matching(sparse.csr_array((cost, (rows, columns)), (n, k + n)))
    partner = np.full(n, -1)
    partner[row] = column
    return np.asarray(partner[a] == b)
