r"""Ordinal: an item has a position on a line, and every rater cuts the line in their own way.

.. math:: z_i \sim N(0, 1), \qquad P(y_{ij} \le c \mid z_i) = \Phi\big(a_j (m_j + s_j \beta_c - z_i)\big)

with common thresholds :math:`\beta_1 < \dots < \beta_{K-1}` (``thresholds``), and for each rater a ``shift`` m
(leniency), a ``scale`` s (above 1: the rater prefers middle labels) and a ``precision`` a. An item's label is the
number of thresholds below its place; its posterior is the mass of z between thresholds. Priors:
:math:`m \sim N(0, .5^2)`, :math:`\log s \sim N(0, .3^2)`, :math:`\log a \sim N(.5, .5^2)`, and each threshold normal
around its place in the labels as given. With two labels the scale is not identified, and is 1.

z lies on an evenly spaced grid of 73 nodes on [-6, 6], on which the objective is defined; the mass between thresholds
is found by Gauss-Legendre nodes within each. The M step is one scoring step for every rater, then one for the
thresholds, each shortened until it gains, so that the objective never falls. A gold label is the label of an expert
without leniency and of precision 10, so that thresholds can move past the places of known items.

Johnson (1996), JASA 91, 42-51; Johnson & Albert (1999), Ordinal Data Modeling; Uebersax (1993), JASA 88, 421-427.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from raters.models.base.probabilities import Params, log, normalised
from raters.models.base.votes import Votes
from raters.models.families.spec import EM, Model, Task

Array = NDArray[Any]
Z = np.linspace(-6, 6, 73)
PRIOR = np.exp(-(Z**2) / 2) / np.sqrt(2 * np.pi) * (Z[1] - Z[0])
WITHIN, WITHIN_WEIGHT = np.polynomial.legendre.leggauss(16)
END = 6.0
"""Where the line ends for the mass beyond the outer thresholds."""
CENTRES, WIDTHS = np.array([0.0, 0.0, 0.5]), np.array([0.5, 0.3, 0.5])
"""Means and standard deviations of the priors of shift, log scale and log precision."""
EXPERT = np.array([[0.0, 0.0, np.log(10.0)]])
"""The expert whose labels are the gold labels: the edges of a label are sharper than the grid is fine."""
HALVINGS, LEAST = 8, 1e-300
GAP = 1e-3
"""Minimum distance between thresholds."""


def raters_of(params: Params) -> Array:
    """(rater, 3): shift, log scale, log precision."""
    return np.stack([params["shift"], np.log(params["scale"]), np.log(params["precision"])], -1)


def chances(own: Array, beta: Array, z: Array) -> Array:
    """(rater, label, node): how probable each label is at each place."""
    m, s, a = own[:, 0], np.exp(own[:, 1]), np.exp(own[:, 2])
    return between(a[:, None, None] * (m[:, None, None] + s[:, None, None] * beta[:, None] - z))


def between(cut: Array) -> Array:
    """(rater, label, node): the mass of a normal distribution between cuts (rater, cut, node)."""
    return np.asarray(np.maximum(-np.diff(ndtr(-cut), axis=1, prepend=1.0, append=0.0), LEAST))


def places(votes: Votes, params: Params, z: Array) -> Array:
    """(item, node): the log likelihood of an item's labels at each place."""
    logs = log(chances(raters_of(params), params["thresholds"], z))
    return np.asarray(votes.table @ logs.reshape(-1, len(z)))


def regions(beta: Array) -> tuple[Array, Array]:
    """(label * 16,): nodes within each label's part of the line, and their weights times the density of z."""
    ends = np.concatenate([[-END], np.clip(beta, -END, END), [END]])
    half = np.diff(ends)[:, None] / 2
    z = ((ends[:-1] + ends[1:])[:, None] / 2 + half * WITHIN).ravel()
    return z, (half * WITHIN_WEIGHT).ravel() * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


def expect(task: Task, params: Params) -> tuple[Array, float]:
    v, k = task.votes, task.votes.n_labels
    z, weight = regions(params["thresholds"])
    inner = places(v, params, z) + log(weight)
    top = inner.max(1, keepdims=True)
    mass = np.exp(inner - top).reshape(len(inner), k, -1).sum(-1)
    with np.errstate(divide="ignore"):
        scores = np.log(mass) + top
    q, _ = normalised(scores, task.gold)
    return q, within(task, params)[1]


@dataclass(frozen=True)
class Places:
    """(item, node): how probable each place is, which is all that the M step needs."""

    of_items: Array


def within(task: Task, params: Params) -> tuple[Places, float]:
    """The E step inside the loop: the labels of the items, which take longer, are needed only at its end."""
    w, log_likelihood = normalised(at_nodes(task, params), weight=task.votes.weight)
    return Places(w), log_likelihood


def at_nodes(task: Task, params: Params) -> Array:
    """(item, node): the log density of each place of the grid together with the item's labels, the gold label among
    them.
    """
    scores = places(task.votes, params, Z) + log(PRIOR)
    if task.gold is not None:
        known = np.flatnonzero(task.gold >= 0)
        scores[known] += log(chances(EXPERT, params["thresholds"], Z))[0, task.gold[known]]
    return np.asarray(scores)


def nodes(task: Task, expected: Array | Places, params: Params | None, beta: Array) -> Array:
    """(item, node): how probable each place is; at the start, places within the labels that are expected."""
    if isinstance(expected, Places):
        return expected.of_items
    if params is not None:
        return within(task, params)[0].of_items
    inside = np.searchsorted(beta, Z)  # (node,): the label of a place
    per = np.bincount(inside, PRIOR, task.votes.n_labels)
    return np.asarray(expected[:, inside] * PRIOR / np.maximum(per[inside], LEAST))


def with_expert(task: Task, own: Array, n: Array, w: Array) -> tuple[Array, Array]:
    """Raters and their labels at each place, with gold labels as those of one more rater."""
    if task.gold is None:
        return own, n
    gold = np.zeros(n.shape[1:])
    known = np.flatnonzero(task.gold >= 0)
    np.add.at(gold, task.gold[known], task.votes.weighted_items(w)[known])
    return np.concatenate([own, EXPERT]), np.concatenate([n, gold[None]])


def maximise(task: Task, expected: Array | Places, params: Params | None) -> Params:
    v, k = task.votes, task.votes.n_labels
    centre = threshold_centres(v)
    beta = centre if params is None else params["thresholds"]
    own = np.tile(CENTRES, (v.n_raters, 1)) if params is None else raters_of(params)
    w = nodes(task, expected, params, beta)
    n = np.asarray(v.columns @ v.weighted_items(w)).reshape(v.n_raters, k, len(Z))
    own = raters_step(own, beta, n)
    beta = thresholds_step(*with_expert(task, own, n, w), beta, centre)
    return {
        "prevalence": np.diff(ndtr(beta), prepend=0.0, append=1.0),
        "thresholds": beta,
        "shift": own[:, 0],
        "scale": np.exp(own[:, 1]),
        "precision": np.exp(own[:, 2]),
    }


def threshold_centres(v: Votes) -> Array:
    """(label - 1,): where the cumulated shares of the labels lie on the line."""
    total = v.per_rater.sum(0) + 0.5
    return spaced(ndtri(np.cumsum(total)[:-1] / total.sum()))


def spaced(beta: Array) -> Array:
    """Thresholds in order and at least ``GAP`` apart."""
    steps = np.arange(len(beta)) * GAP
    return np.asarray(np.maximum.accumulate(beta - steps) + steps)


def slopes(own: Array, beta: Array) -> tuple[Array, Array, Array]:
    """Chances (rater, label, node), the density at each cut (rater, cut, node), and the cuts themselves."""
    m, s, a = own[:, :1, None], np.exp(own[:, 1])[:, None, None], np.exp(own[:, 2])[:, None, None]
    cut = a * (m + s * beta[:, None] - Z)
    return chances(own, beta, Z), np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi), cut


def scoring(n: Array, p: Array, moved: Array) -> tuple[Array, Array]:
    """Gradient (rater, parameter) and expected information from how chances move, (parameter, rater, label, node)."""
    total = n.sum(1, keepdims=True)
    gradient = np.einsum("rcz,jrcz->rj", n / p, moved)
    return gradient, np.einsum("rcz,ircz,jrcz->rij", total / p, moved, moved, optimize=True)


def raters_step(own: Array, beta: Array, n: Array) -> Array:
    """One scoring step in (shift, log scale, log precision) for every rater, halved if it would not gain."""
    p, density, cut = slopes(own, beta)
    a, s = np.exp(own[:, 2])[:, None, None], np.exp(own[:, 1])[:, None, None]
    by = np.stack([density * a, density * a * s * beta[:, None], density * cut])
    moved = np.diff(by, axis=2, prepend=0.0, append=0.0)
    gradient, curve = scoring(n, np.maximum(p, 1e-12), moved)
    gradient -= (own - CENTRES) / WIDTHS**2
    curve += np.diag(1 / WIDTHS**2)
    if len(beta) == 1:  # the scale is not identified
        gradient[:, 1], curve[:, 1, :], curve[:, :, 1] = 0.0, 0.0, 0.0
        curve[:, 1, 1] = 1.0
    move = np.clip(np.linalg.solve(curve, gradient[..., None])[..., 0], -1, 1)
    return climbed(own, move, lambda own, at: gain(own, chances(own, beta, Z), n[at]), gain(own, p, n))


def climbed(own: Array, move: Array, value: Callable[[Array, Array], Array], before: Array | None = None) -> Array:
    """Each rater's parameters moved, a quarter as far where ``value`` (of parameters and raters) would fall."""
    new, left = own + move, np.arange(len(own))
    before = value(own, left) if before is None else before
    for _ in range(HALVINGS + 1):
        left = left[~(value(new[left], left) >= before[left])]
        if not len(left):
            return np.asarray(new)
        move[left] /= 4
        new[left] = own[left] + move[left]
    new[left] = own[left]
    return np.asarray(new)


def gain(own: Array, p: Array, n: Array) -> Array:
    """(rater,): the expected log-likelihood and the log prior of a rater's parameters, with the chances that follow
    from them.
    """
    return np.asarray((n * log(p)).sum((1, 2)) - (((own - CENTRES) / WIDTHS) ** 2).sum(1) / 2)


def thresholds_step(own: Array, n: Array, beta: Array, centre: Array) -> Array:
    """One scoring step of the thresholds that all raters share, shortened until it gains and keeps them in order."""
    p, density, _ = slopes(own, beta)
    size = (np.exp(own[:, 2]) * np.exp(own[:, 1]))[:, None, None]
    moved, most = (
        size * density,
        np.maximum(p, 1e-12),
    )  # a threshold moves the chances of the labels on both sides of it
    each, total = n / most, n.sum(1, keepdims=True) / most
    gradient = ((each[:, :-1] - each[:, 1:]) * moved).sum((0, 2)) - (beta - centre)
    beside = -(total[:, 1:-1] * moved[:, :-1] * moved[:, 1:]).sum((0, 2))
    curve = np.diag(1 + ((total[:, :-1] + total[:, 1:]) * moved**2).sum((0, 2)))
    curve += np.diag(beside, 1) + np.diag(beside, -1)
    move = np.linalg.solve(curve, gradient)

    def whole(at: Array, p: Array) -> float:
        return float((n * log(p)).sum() - ((at - centre) ** 2).sum() / 2)

    before = whole(beta, p)
    for _ in range(HALVINGS):
        new = beta + move
        if (np.diff(new) >= GAP).all() and whole(new, chances(own, new, Z)) >= before:
            return np.asarray(new)
        move = move / 3
    return beta


def penalty(task: Task, params: Params) -> float:
    own = (((raters_of(params) - CENTRES) / WIDTHS) ** 2).sum()
    return float(-own - ((params["thresholds"] - threshold_centres(task.votes)) ** 2).sum()) / 2


def confusion(task: Task, params: Params) -> Array:
    """(rater, true label, given label): chances averaged over the places of each label."""
    z, weight = regions(params["thresholds"])
    p = (chances(raters_of(params), params["thresholds"], z) * weight).reshape(
        len(params["shift"]), -1, len(weight) // 16, 16
    )
    made = p.sum(-1).swapaxes(1, 2)
    return np.asarray(made / made.sum(-1, keepdims=True))


def cells(params: Params, votes: Votes) -> Array:
    return np.asarray(log(confusion(Task(votes), params))[votes.rater_of, :, votes.label_of])


def foretell(task: Task, params: Params, held: Votes) -> Array:
    """(cell,): probabilities of further labels given the items' places, which are more informative than their
    labels.
    """
    w = normalised(at_nodes(task, params))[0]
    p = chances(raters_of(params), params["thresholds"], Z)
    return np.asarray((w[held.item_of] * p[held.rater_of, held.label_of]).sum(1))


MODEL = Model(
    name="ordinal",
    rank=5.0,
    title="Ordinal",
    rater="a leniency, a scale and a precision",
    reference="Johnson (1996), JASA 91, 42-51; Uebersax (1993), JASA 88, 421-427",
    method=EM(
        maximise, penalty, start=lambda task: task.votes.shares(), start_name="votes", within=within, tolerance=1e-8
    ),
    expect=expect,
    cells=cells,
    confusion=confusion,
    sampler="the ordinal model has no draws yet; use uncertainty='bootstrap'.",
    foretell=foretell,
    ordered=True,
    by_rater=("shift", "scale", "precision"),
)
