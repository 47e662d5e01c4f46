r"""Copies: two raters with the same label on every shared item, who also share errors, as independent raters would not.

Two raters who are right agree throughout, too. So the evidence is a likelihood ratio: the labels of all raters with
those of the second counted once, against the same labels from two independent raters, each at the best parameters of
Dawid-Skene (the second includes that the two are experts among raters who err). For two experts both fit equally well;
for a copy, the shared errors are improbable twice. Under independence, the ratio exceeds :math:`1/p` with probability
at most :math:`p` at known parameters, so :math:`p` is :data:`LEVEL` divided by the number of pairs.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.base.votes import Votes
from raters.models.families import dawid_skene, one_coin
from raters.models.families.registry import too_large
from raters.models.families.spec import Model, Problem, Settings, Task
from raters.models.fitting import em
from raters.notes.note import Note

Array = NDArray[Any]
LEAST_SHARED = 30
LEVEL = 0.05
"""The most probable that any honest pair of a table may be, to be counted once."""
MOST_RATERS = 3000
MOST_TRIED = 40
"""Pairs that are tested, those with the most shared items first."""
MOST_LABELS = 20_000
"""Labels of items that the two do not share, from which the other raters are learned."""
RULE = em.Rule(tolerance=1e-6, max_iter=100)


@dataclass(frozen=True)
class Alike:
    """Pairs of raters with the same label on every one of 30 or more shared items, those with the most items first."""

    pairs: tuple[tuple[int, int], ...] = ()
    """The one with more labels first."""
    shared: tuple[int, ...] = ()
    """How many items each pair shares."""
    compared: int = 0
    """How many pairs share that many."""


def copies(votes: Votes, alike: Alike | None = None) -> tuple[tuple[Any, Any], ...]:
    """(rater, copy): the one with more labels first; ``alike``: if already known."""
    known = alike or identical(votes)
    near: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in known.pairs:
        near[a].add(b)
        near[b].add(a)
    found: list[tuple[Any, Any]] = []
    gone: set[int] = set()
    for a, b in known.pairs[:MOST_TRIED]:
        if a in gone or b in gone:
            continue
        if evidence(votes, a, b, (near[a] | near[b]) - {a, b}) > np.log(known.compared / LEVEL):
            found.append((votes.raters[a], votes.raters[b]))
            gone.add(b)
    return tuple(found)


def both_counted(votes: Votes, found: tuple[tuple[Any, Any], ...], alike: Alike | None = None) -> tuple[Note, ...]:
    """A note on raters who agree throughout, more than the crowd's agreement explains, but may both be right."""
    known, gone = alike or identical(votes), {copy for _, copy in found}
    said = []
    for pair, shared in zip(known.pairs[:MOST_TRIED], known.shared[:MOST_TRIED], strict=True):
        one, other = (votes.raters[j] for j in pair)
        if not gone & {one, other} and known.compared * votes.pair_agreement**shared < LEVEL:
            said.append((one, other, shared))
    return (Note("alike_counted_twice", {"raters": said}),) if said else ()


def identical(votes: Votes) -> Alike:
    """Who agrees throughout; nobody if there are too few raters to tell copies from the truth, or too many to
    compare.
    """
    if votes.n_raters < 3 or votes.n_raters > MOST_RATERS or votes.n_labels < 2:
        return Alike()
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
        return Alike()
    agree = np.asarray(same[a, b]).ravel()
    at = np.flatnonzero(agree == n)
    at = at[np.argsort(-n[at], kind="stable")]
    given = votes.per_rater.sum(1)
    pairs = ((int(a[i]), int(b[i])) if given[a[i]] >= given[b[i]] else (int(b[i]), int(a[i])) for i in at)
    return Alike(tuple(pairs), tuple(int(x) for x in n[at]), len(n))


def evidence(votes: Votes, a: int, b: int, mates: set[int]) -> float:
    """The log likelihood ratio of a copy to two independent raters; ``mates``, who agree with one of them throughout,
    do not vouch for them.
    """
    used = votes.kept(np.where(np.isin(votes.rater_of, [*mates]), 0, np.minimum(votes.table.data, 1)))
    used = used.rows(not_repeated(used, a, b))
    one, two = (used.rater_of == j for j in (a, b))
    label = given(used, a)
    shared = (label >= 0) & (given(used, b) >= 0)
    once = used.kept(np.where(two & shared[used.item_of], 0, used.table.data))
    others = used.kept(np.where(one | two, 0, used.table.data)).shares()
    right = used.shares()
    right[shared] = np.eye(votes.n_labels)[label[shared]]  # the two are experts, and all others err
    rows = (one_coin.MODEL,) if too_large(votes) else (one_coin.MODEL, dawid_skene.MODEL)
    return min(ratio(row, used, once, others, right) for row in rows)


def not_repeated(votes: Votes, a: int, b: int) -> Array:
    """The items to use: the shared ones and, of a large table, some others. Of neighbours with the same labels of the
    same raters, who disagree, only the first: versions of one text would otherwise count as so many shared errors."""
    ends = zip(votes.table.indptr[:-1], votes.table.indptr[1:], strict=True)
    patterns = [votes.table.indices[low:high].tobytes() for low, high in ends]
    again = np.array([False, *(x == y for x, y in itertools.pairwise(patterns))])
    both = (given(votes, a) >= 0) & (given(votes, b) >= 0)
    room = np.cumsum(np.where(both, 0, votes.per_item)) <= MOST_LABELS
    disputed = (votes.counts > 0).sum(1) > 1
    return np.flatnonzero((votes.per_item > 0) & (both | room) & ~(again & disputed))


def given(votes: Votes, rater: int) -> Array:
    """(item,): the code of the label that a rater gave, -1 for none."""
    label, mine = np.full(votes.n_items, -1), votes.rater_of == rater
    label[votes.item_of[mine]] = votes.label_of[mine]
    return label


def ratio(row: Model, used: Votes, once: Votes, others: Array, right: Array) -> float:
    """The log-likelihood of the labels with those of the copy counted once, less that of all labels, each the highest
    that was found.
    """
    copied = max((ended(row, once, q) for q in (once.shares(), others)), key=_likelihood)
    independent = max((ended(row, used, q) for q in (used.shares(), right, copied.expected)), key=_likelihood)
    return copied.log_likelihood - independent.log_likelihood


def ended(row: Model, votes: Votes, start: Array) -> em.Fit:
    return em.run(Problem(row, Task.of(votes, None, Settings(uniform=row.uniform))), start, rule=RULE)


def _likelihood(end: em.Fit) -> float:
    return end.log_likelihood


def counted_once(votes: Votes, pairs: tuple[tuple[Any, Any], ...]) -> Votes:
    """The votes without the labels that a copy gave to items of the rater they copied."""
    code = {name: j for j, name in enumerate(votes.raters)}
    data = votes.table.data.copy()
    for one, copy in pairs:
        mine = np.zeros(votes.n_items, bool)
        mine[votes.item_of[votes.rater_of == code[one]]] = True
        data[(votes.rater_of == code[copy]) & mine[votes.item_of]] = 0
    return replace(votes.kept(data)) if pairs else votes


def notes(votes: Votes, pairs: tuple[tuple[Any, Any], ...]) -> tuple[Note, ...]:
    """What was counted once, for each pair."""
    code = {name: j for j, name in enumerate(votes.raters)}
    labelled = {name: given(votes, code[name]) >= 0 for pair in pairs for name in pair}
    return tuple(
        Note("copy_counted_once", {"raters": (one, copy), "n": int((labelled[one] & labelled[copy]).sum())})
        for one, copy in pairs
    )
