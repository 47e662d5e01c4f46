r"""How far a vote is settled: the probability that a label would win if very many more such raters voted.

The shares of the labels that a very large crowd would give an item are taken to vary over items as

.. math:: p_i \sim \mathrm{Dirichlet}(\alpha), \qquad n_i \mid p_i \sim \mathrm{Multinomial}(p_i)

with :math:`\alpha` by maximum likelihood, so that an item's shares are :math:`\mathrm{Dirichlet}(\alpha + n_i)` given its votes. Three votes of three
are not certainty: :math:`\alpha` says how often such items turn. For two labels the probability is a Beta tail; for more, with
independent Gamma variables of shapes :math:`a = \alpha + n_i`, it is :math:`\int f(x; a_k) \prod_{l \ne k} F(x; a_l)\, dx`, by Gauss-Legendre
nodes in the quantiles of the first.

Minka (2000), Estimating a Dirichlet distribution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, digamma, gammainc, gammaincinv

Array = NDArray[Any]
NODES = 48
STEPS = 200
FEW_LABELS = 12
"""Up to so many labels every one is integrated by itself; with more, those without a vote share what the others leave."""
FEW_VOTES = 10
"""With fewer votes on items that have several, how items vary is not learned: one vote, spread as the labels are, stands for it."""
LEAST = -700.0
FINE = 64.0
"""Weighted votes are rounded to this part of a label, so that items with the same votes are worked out once."""


def concentration(counts: Array) -> Array:
    """(label,): the Dirichlet that these (item, label) votes come from, by Minka's fixed point.

    >>> a = concentration(np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0], [2.0, 1.0]]))
    >>> bool((a > 0).all() and a.sum() < 3)
    True
    """
    rows, times = np.unique(np.round(counts * FINE), axis=0, return_counts=True)
    rows = rows / FINE
    n = rows.sum(1)
    several = n > 1  # one vote says nothing of how far raters agree on an item
    margin = (counts.sum(0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    if times[several] @ n[several] < FEW_VOTES:
        return np.asarray(margin)
    rows, times, n = rows[several], times[several], n[several]
    alpha = margin * counts.shape[1] / 2
    for _ in range(STEPS):
        up = times @ (digamma(rows + alpha) - digamma(alpha))
        down = times @ (digamma(n + alpha.sum()) - digamma(alpha.sum()))
        new = np.clip(alpha * up / max(float(down), 1e-12), 1e-3, 1e3)
        if np.abs(new - alpha).max() < 1e-6 * alpha.max():
            return np.asarray(new)
        alpha = new
    return np.asarray(alpha)


def chance_to_win(shapes: Array, unvoted: Array | None = None) -> Array:
    """(item, label): how probable it is that each label has the largest share, for Dirichlet rows.

    ``unvoted``: (label,), the shape of a label without a vote, by which very many labels are told from those with votes.

    >>> chance_to_win(np.array([[1.0, 1.0], [4.0, 1.0]])).round(4).tolist()
    [[0.5, 0.5], [0.9375, 0.0625]]
    """
    a = np.asarray(shapes, dtype=float)
    if a.shape[1] == 1:
        return np.ones_like(a)
    if a.shape[1] == 2:
        first = 1 - betainc(a[:, 0], a[:, 1], 0.5)
        return np.stack([first, 1 - first], -1)
    if a.shape[1] > FEW_LABELS:
        return _of_many(a, a.min(0) if unvoted is None else unvoted)
    made = np.empty_like(a)
    for k in range(a.shape[1]):
        x, weight = _nodes(a[:, [k]])
        below = np.ones_like(x)
        for other in range(a.shape[1]):
            if other != k:
                below *= gammainc(a[:, [other]], x)
        made[:, k] = below @ weight
    return np.asarray(made / made.sum(1, keepdims=True))


def _nodes(shape: Array) -> tuple[Array, Array]:
    """(item, node): where a Gamma variable is asked, and the weights of the nodes."""
    at, weight = np.polynomial.legendre.leggauss(NODES)
    return gammaincinv(shape, (at + 1) / 2), weight / 2


def _of_many(a: Array, none: Array) -> Array:
    """The same for very many labels: an item has votes for few, and those alone have a chance worth an integral of its own."""
    top = float(a.max())
    span = np.linspace(np.log(1e-6), np.log(top + 12 * np.sqrt(top) + 40), int(np.clip(4e6 / len(none), 200, 2000)))
    with np.errstate(divide="ignore"):
        below = sum(
            np.maximum(np.log(gammainc(one, np.exp(span))), LEAST) for one in none
        )  # that no unvoted label is beyond
    made = np.empty_like(a)
    for i, row in enumerate(a):
        voted = np.flatnonzero(row > none + 0.5 / FINE)
        x, weight = _nodes(row[voted][:, None])  # (label, node)
        with np.errstate(divide="ignore"):
            own = np.maximum(np.log(gammainc(none[voted][:, None, None], x)), LEAST).sum(0)
        inside = gammainc(row[voted][:, None, None], x)  # (label, asked label, node)
        inside[np.arange(len(voted)), np.arange(len(voted))] = 1
        chance = (inside.prod(0) * np.exp(np.minimum(np.interp(np.log(x), span, below) - own, 0))) @ weight
        unvoted = none.copy()
        unvoted[voted] = 0
        made[i] = max(1 - float(chance.sum()), 0.0) * unvoted / max(float(unvoted.sum()), 1e-300)
        made[i, voted] = chance
    return np.asarray(made / made.sum(1, keepdims=True))


def settled(counts: Array, alpha: Array | None = None) -> Array:
    """(item, label): how probable it is that each label would win a very large vote; ``alpha``: known from other votes.

    >>> q = settled(np.array([[3.0, 0.0], [0.0, 3.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> bool(0.5 < q[2, 0] < q[0, 0] < 1)
    True
    """
    alpha = concentration(counts) if alpha is None else alpha
    rows, which = np.unique(np.round(counts * FINE), axis=0, return_inverse=True)
    return np.asarray(chance_to_win(rows / FINE + alpha, alpha)[which.ravel()])
