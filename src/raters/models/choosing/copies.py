r"""Copies: two raters with the same label on every shared item, which independent raters would not have.

For raters with 30 or more shared items and the same label on each, the chance that the second would agree throughout independently is at most
:math:`\bar{a}^n`, with :math:`\bar a` the mean over the items of :math:`\sum_k q_{ik} \sum_l \theta_{kl}^2`; q and θ (the first rater's
matrix) come from the labels of the other raters alone, so the two do not vouch for each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.families.probabilities import rows_to_one
from raters.models.fitting.fit import fit
from raters.models.votes import Votes

Array = NDArray[Any]
LEAST_SHARED = 30
LEVEL = 0.01
"""Chance of flagging any honest pair in a table."""
MOST_RATERS = 3000
MOST_TRIED = 40
"""Pairs that are tested, those with the most shared items first."""


def copies(votes: Votes) -> tuple[tuple[Any, Any], ...]:
    """(rater, copy): the one with more labels first."""
    if votes.n_raters < 3 or votes.n_raters > MOST_RATERS or votes.n_labels < 2:
        return ()
    pairs, tests = identical(votes)
    found: list[tuple[Any, Any]] = []
    gone: set[int] = set()
    for a, b in pairs[:MOST_TRIED]:
        if a not in gone and b not in gone and by_themselves(votes, a, b) * tests < LEVEL:
            found.append((votes.raters[a], votes.raters[b]))
            gone.add(b)
    return tuple(found)


def identical(votes: Votes) -> tuple[list[tuple[int, int]], int]:
    """Pairs with the same label on every one of 30 or more shared items; and how many pairs share that many."""
    ones = votes.kept(np.minimum(votes.table.data, 1))
    shape = (votes.n_items, votes.n_raters)
    who = sparse.csr_array((ones.table.data, ones.rater_of, ones.table.indptr), shape)
    place = ones.item_of.astype(np.int64) * votes.n_labels + ones.label_of
    _, place = np.unique(place, return_inverse=True)  # (cell,): the item and the label together
    many = int(place.max(initial=-1)) + 1
    gave = sparse.coo_array((ones.table.data, (place, ones.rater_of)), (many, votes.n_raters)).tocsr()
    both, same = who.T @ who, sparse.csr_array(gave.T @ gave)
    shared = sparse.triu(both, 1).tocoo()
    a, b = shared.coords
    enough = shared.data >= LEAST_SHARED
    a, b, n = a[enough], b[enough], shared.data[enough]
    if not len(n):
        return [], 0
    agree = np.asarray(same[a, b]).ravel()
    at = np.flatnonzero(agree == n)
    at = at[np.argsort(-n[at], kind="stable")]
    given = votes.per_rater.sum(1)
    return [(int(a[i]), int(b[i])) if given[a[i]] >= given[b[i]] else (int(b[i]), int(a[i])) for i in at], len(n)


def by_themselves(votes: Votes, a: int, b: int) -> float:
    """An upper bound of the probability that two independent raters agree on all their shared items."""
    cells = votes.rater_of
    others = votes.kept(np.where((cells == a) | (cells == b), 0, votes.table.data))
    if not others.n_annotations:
        return 1.0
    q = fit(others, "one_coin", start="votes", tolerance=1e-6, max_iter=100).posterior
    at = np.intersect1d(votes.item_of[cells == a], votes.item_of[cells == b])
    at = at[others.per_item[at] > 0]
    if len(at) < LEAST_SHARED:
        return 1.0
    k = votes.n_labels
    mine = votes.kept(np.where(cells == a, votes.table.data, 0)).counts
    theta = rows_to_one(q.T @ mine + 0.5 * np.eye(k) + 0.5 / k)  # (true, given)
    match = q[at] @ (theta**2).sum(1)
    return float(np.exp(len(at) * np.log(min(float(match.mean()), 1.0))))


def counted_once(votes: Votes, pairs: tuple[tuple[Any, Any], ...]) -> Votes:
    """The votes without the labels that a copy gave to items of the rater they copied."""
    code = {name: j for j, name in enumerate(votes.raters)}
    data = votes.table.data.copy()
    for one, copy in pairs:
        mine = np.zeros(votes.n_items, bool)
        mine[votes.item_of[votes.rater_of == code[one]]] = True
        data[(votes.rater_of == code[copy]) & mine[votes.item_of]] = 0
    return replace(votes.kept(data)) if pairs else votes
