r"""Posterior predictive checks: what a fitted model expects of data of this shape, compared with what was observed.

Who labelled what stays fixed, and new labels are drawn. Two counts have exact expectations:

.. math:: E[\text{unanimous}] = \sum_i \sum_k \pi_k \sum_l \prod_{j \in i} \theta_j(k, l)

and the share of pairs of labels of an item that agree. Where more items are unanimous than expected, items differ in
difficulty.

Gelman, Meng & Stern (1996), Statistica Sinica 6, 733-760; Paun et al. (2018), TACL 6, 571-585.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import LEAST, log
from raters.models.base.votes import Votes
from raters.models.families.registry import too_large
from raters.notes.note import Note

Array = NDArray[Any]
CELLS = 2_000_000
"""Numbers processed at a time."""
STRIKING = 2.0
LEAST_EXPECTED = 0.5


@dataclass(frozen=True)
class Check:
    """One count of the data and what the model expects."""

    name: str
    seen: float
    expected: float
    sd: float
    """Conditional on the parameters; uncertainty about them would make it wider."""

    @property
    def says_something(self) -> bool:
        """Whether anything was observed or expected: where items have very many labels, nothing is unanimous."""
        return self.seen > 0 or self.expected >= LEAST_EXPECTED

    @property
    def z(self) -> float:
        return (self.seen - self.expected) / self.sd if self.sd > 0 else 0.0


def predictive_checks(c: FittedModel) -> tuple[Check, ...]:
    """Items on which all raters agree, and pairs of labels that agree: observed and expected.

    None if labels are not independent given the true label, because items have parameters of their own (``glad``) or a
    place on a line (``ordinal``).

    >>> import raters
    >>> found = predictive_checks(raters.consensus(raters.examples.demo(), "dawid_skene"))
    >>> [check.name for check in found]
    ['unanimous items', 'agreement of pairs']
    """
    votes = c.votes.rows(np.flatnonzero(c.votes.per_item >= 2))
    if not votes.n_items or not applies(c) or too_large(votes):
        return ()
    chance, pairs = expected(c, votes)
    counts, n = votes.counts, votes.per_item
    of = n * (n - 1) / 2
    agreed = (counts * (counts - 1) / 2).sum(1)
    unanimous = Check(
        "unanimous items",
        float((counts.max(1) == n).sum()),
        float(chance.sum()),
        float(np.sqrt((chance * (1 - chance)).sum())),
    )
    share = float(pairs.sum() / of.sum())
    spread = float(np.sqrt(((agreed - pairs) ** 2).sum()) / of.sum())
    return unanimous, Check("agreement of pairs", float(agreed.sum() / of.sum()), share, spread)


def applies(c: FittedModel) -> bool:
    """Whether the labels of an item are independent given its true label under this model."""
    row = c.definition
    return row.likelihood and row.foretell is None and not row.by_item and not row.numbers


def expected(c: FittedModel, votes: Votes) -> tuple[Array, Array]:
    """(item,): the chance that all labels of the item agree, and how many of its pairs are expected to."""
    k = votes.n_labels
    theta = c.confusion.reshape(votes.n_raters, k * k)
    logs = np.maximum(log(theta), LEAST)
    who = sparse.csr_array((votes.table.data, votes.rater_of, votes.table.indptr), (votes.n_items, votes.n_raters))
    chance, pairs = np.empty(votes.n_items), np.empty(votes.n_items)
    step = max(1, CELLS // (k * k))
    for i in range(0, votes.n_items, step):
        part = who[i : i + step]
        all_ = np.exp(part @ logs).reshape(-1, k, k)  # (item, true, given)
        total, squares = (part @ theta).reshape(-1, k, k), (part @ theta**2).reshape(-1, k, k)
        chance[i : i + step] = np.einsum("k,ikl->i", c.prevalence, all_)
        pairs[i : i + step] = np.einsum("k,ikl->i", c.prevalence, total**2 - squares) / 2
    return np.minimum(chance, 1), pairs


def note(c: FittedModel, check: Check, *, all_counted: bool = True) -> Note:
    """The first check in words; ``all_counted``: whether every label was counted."""
    code = "agree_as_expected" if check.z >= -STRIKING else "agree_less_than_expected"
    if check.z > STRIKING:
        code = "items_differ_adjusted" if c.power < 1 or c.hard is not None else "items_differ_unadjusted"
    figures = {"seen": check.seen, "expected": check.expected, "sd": check.sd}
    return Note(code, {"all_counted": all_counted, "model": c.definition.title, **figures})
