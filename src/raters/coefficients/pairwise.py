"""Coefficients that average over pairs of raters, each pair on the items that both labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from raters.coefficients.base import Array, Parts, Sums, safe_divide
from raters.errors import UsageError
from raters.items import Items, Lifted, cell_shares
from raters.items.bag import within_rows
from raters.notes.note import Note
from raters.scales import Kernel

MOST_TERMS, MOST_COLUMNS = 100_000_000, 3_000_000
"""Numbers in the table of pairs on their items, and sums over items that each replicate has: beyond them the interval
takes minutes.
"""
FEW_SHARED = 5
"""A kappa of two raters on so few items says next to nothing."""


class TooManyPairs(UsageError):
    """The pairs of raters would not fit into memory: the coefficient is undefined, with this reason."""

    def __init__(self, why: Note) -> None:
        super().__init__(f"{why}.")
        self.why = why


def pair_terms(items: Items, kernel: Kernel) -> tuple[sparse.csr_array, Array]:
    """(pattern, pair * (2 + 2 features)): 1, agreement, and both raters' features, if both labelled the item.

    Second: (pair, 2), the two groups of each pair that has a shared item.
    """
    cells, _ = cell_shares(items, kernel)
    n_groups, width = len(items.groups), cells.shape[1]
    present = items.per_group
    a, b = within_rows(present.indptr)
    if len(a) * (2 + 2 * cells.nnz / max(cells.shape[0], 1)) > MOST_TERMS:
        raise TooManyPairs(Note("too_many_pairs", {"n": len(a)}))
    rows, pairs, which = _numbered(items, a, b)
    if len(pairs) * (2 + 2 * width) > MOST_COLUMNS:
        raise TooManyPairs(Note("too_many_pairs_of_labels", {"n": len(pairs), "labels": width}))
    x, y = cells[a], cells[b]
    start = which * (2 + 2 * width)  # (pair of an item,): the first column of its raters
    blocks = [
        sparse.coo_array(np.ones((len(a), 1))),
        sparse.coo_array(_products(x, y, kernel)[:, None]),
        x.tocoo(),
        y.tocoo(),
    ]
    shift = (0, 1, 2, 2 + width)
    columns = np.concatenate([start[c.row] + at + c.col for c, at in zip(blocks, shift, strict=True)])
    at = np.concatenate([rows[c.row] for c in blocks]), columns
    shape = (present.shape[0], len(pairs) * (2 + 2 * width))
    terms = sparse.coo_array((np.concatenate([c.data for c in blocks]), at), shape).tocsr()
    return terms, np.stack([pairs // n_groups, pairs % n_groups], -1)


def _numbered(items: Items, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """(pair of an item,): its pattern; the pairs of groups, each as one number; and the place of each in them."""
    present = items.per_group
    rows = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))[a]
    code = present.indices[a].astype(np.int64) * len(items.groups) + present.indices[b]
    pairs, which = np.unique(code, return_inverse=True)
    return rows, pairs, which.ravel()


def few_shared(items: Items) -> tuple[Note, ...]:
    """A warning if most pairs of raters share so few items that a coefficient of each pair says next to nothing."""
    typical, pairs = typical_shared(items), _numbered(items, *within_rows(items.per_group.indptr))[1]
    if not len(pairs) or typical > FEW_SHARED or 2 * typical >= items.n_items:
        return ()
    return (Note("few_shared_by_pairs", {"pairs": len(pairs), "n": typical}),)


def typical_shared(items: Items) -> int:
    """How many items a pair of raters shares: the median over pairs that share any."""
    rows, pairs, which = _numbered(items, *within_rows(items.per_group.indptr))
    return round(float(np.median(np.bincount(which, items.weight[rows])))) if len(pairs) else 0


PAIR_TERMS: Mapping[str, Callable[[Lifted], Any]] = {"pairs": lambda x: pair_terms(x.items, x.kernel)[0]}
"""The sums over pairs of raters."""


def _products(x: sparse.csr_array, y: sparse.csr_array, kernel: Kernel, chunk: int = 1 << 22) -> Array:
    """(row,): the kernel of each row of x with that of y."""
    if kernel.form is None:
        return np.asarray(x.multiply(y).sum(1)).ravel()
    if x.nnz == y.nnz == x.shape[0] and kernel.features is None:  # one label each
        return np.asarray(kernel.form[x.indices, y.indices])
    step = max(1, chunk // x.shape[1])
    parts = [kernel.product(x[i : i + step].toarray(), y[i : i + step].toarray()) for i in range(0, x.shape[0], step)]
    return np.concatenate([*parts, np.empty(0)])


def _by_pair(s: Sums, k: Kernel, q: int) -> tuple[Array, Array, Array]:
    """(..., pair): items shared (> 0 or not), observed, expected."""
    f = q if k.form is None else k.form.shape[0]
    t = s.pairs.reshape(*s.pairs.shape[:-1], -1, 2 + 2 * f)
    n = t[..., 0]
    x, y = safe_divide(t[..., 2 : 2 + f], n[..., None]), safe_divide(t[..., 2 + f :], n[..., None])
    return n.real > 0, safe_divide(t[..., 1], n), k.product(x, y)


def _mean(x: Array, at: Array) -> Array:
    return safe_divide(np.where(at, x, 0).sum(-1), at.sum(-1))


def light(s: Sums, k: Kernel, q: int) -> Parts:
    """Light's kappa: the mean of Cohen's kappas of all pairs of raters.

    Light (1971), Psychol. Bull. 76, 365-377. Pairs whose kappa is undefined are omitted.
    """
    shared, observed, expected = _by_pair(s, k, q)
    kappas = Parts(observed, expected, k.perfect, k.unit).value
    defined = np.isfinite(kappas.real)
    mean, skipped = _mean(kappas, defined), (shared & ~defined).sum(-1)
    return Parts(_mean(observed, shared), _mean(expected, shared), k.perfect, k.unit, mean, skipped)


def hubert(s: Sums, k: Kernel, q: int) -> Parts:
    """Hubert's kappa: mean observed agreement compared with mean expected agreement over all pairs of raters.

    On complete data it equals Conger's kappa. Hubert (1977), Psychol. Bull. 84, 289-297.
    """
    shared, observed, expected = _by_pair(s, k, q)
    return Parts(_mean(observed, shared), _mean(expected, shared), k.perfect, k.unit)
