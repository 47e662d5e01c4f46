r"""Ordered labels, of which two always are: an item lies at a place z on a line, and each rater cuts the line in their own way.

.. math:: P(y_{ij} \le c \mid z_i) = \Phi\big(a_j (\tau_{jc} - z_i)\big), \qquad \tau_j \sim N(\beta, \Sigma), \quad
    \log a_j \sim N(\mu, \sigma^2)

:math:`\Sigma` is learned: raters may be severe, prefer middle labels, or draw single lines elsewhere, as far as those of this crowd do. What
is not known of a rater's lines widens what is predicted for them. A label is true where the place lies between the crowd's lines
:math:`\beta`, and wins a very large vote where it is given most often. So many raters tell only so much about the crowd's lines:
:math:`\mathrm{Cov}(\beta)^{-1} = \sum_j (\Sigma + I_j^{-1})^{-1}`, where :math:`I_j` is what the labels of rater j tell about their lines.
Places are dense where items are, with ``PULL`` imaginary items from N(0, 1) for each item of the table.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from raters.models.base.probabilities import normalised
from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Before, Component, Judged, Known
from raters.models.choosing.latent import PULL
from raters.models.families import ordinal

Array = NDArray[Any]
Z, EXPERT = ordinal.Z, np.log(10.0)
SHIFT, SCALE, OWN = 0.5, 0.3, 0.2
"""How far raters are severe, spread their lines and draw each of them elsewhere before the data: standard deviations."""
SHARP, UNLIKE = 0.5, 0.5
"""Mean and standard deviation of log precision before the data."""
IMAGINED = 4.0
"""Raters for which what is known before the data counts."""
LEAST = 1e-5
"""No label is less probable than this at any place: fingers slip."""


class Graded(Component):
    """An item has a place on a line."""

    name = "ordinal"
    of_rater: ClassVar[Mapping[str, str]] = {"lines": "thresholds", "precision": "crowd_precision", "unknown": "spread"}

    most_starts = 1  # all of them end in the same place

    def __init__(self, cells: Cells, belief: Array, skill: Array, before: Before) -> None:
        self.cells, self.learning = cells, True
        self.places = ordinal.PRIOR
        self.centre = self.beta = ordinal.threshold_centres(cells.votes)
        k = len(self.beta) + 1
        self.first = np.diag(np.full(k, OWN**2))
        self.first[:-1, :-1] += SHIFT**2 + SCALE**2 * np.outer(self.beta, self.beta)
        self.first[-1, -1] = UNLIKE**2
        self.sharp, self.alike = SHARP, self.first  # (line and log precision, the same): covariance
        self.own = np.tile([*self.beta, SHARP], (cells.n_raters, 1))  # (rater, line and log precision)
        self.spread = np.tile(self.first, (cells.n_raters, 1, 1))
        inside = np.searchsorted(self.beta, Z)
        places = belief[:, inside] * ordinal.PRIOR / np.maximum(np.bincount(inside, ordinal.PRIOR, k)[inside], 1e-300)
        self.learn(places)

    def step(self) -> float:
        places, value = normalised(at_nodes(self.cells, self.known()))
        act = self.cells.active
        self.places = (places[act].sum(0) + PULL * act.sum() * ordinal.PRIOR) / (1 + PULL) / act.sum()
        self.learn(places)
        return value

    def learn(self, places: Array) -> None:
        """Raters, then the crowd, from (item, node) places."""
        c, k = self.cells, self.cells.n_labels
        n = np.asarray(c.votes.columns @ places).reshape(c.n_raters, k, len(Z))
        mean, sure = np.append(self.beta, self.sharp), np.linalg.inv(self.alike)
        gradient, known = score(self.own, n)
        self.spread = np.linalg.inv(known + sure)
        move = np.clip(np.einsum("rij,rj->ri", self.spread, gradient - (self.own - mean) @ sure), -1, 1)

        def value(own: Array, at: Array) -> Array:
            off = own - mean
            return np.asarray(
                (n[at] * np.log(chances(own[:, :-1], np.exp(own[:, -1:])))).sum((1, 2))
                - np.einsum("ri,ij,rj->r", off, sure, off) / 2
            )

        self.own = ordinal.climbed(self.own, move, value)
        lean = (self.own - mean).sum(0) @ sure
        told = len(self.own) * sure - sure @ self.spread.sum(0) @ sure
        told[np.diag_indices(k)] += np.append(np.ones(k - 1), IMAGINED / UNLIKE**2)
        lean += np.append(self.centre - self.beta, (SHARP - self.sharp) * IMAGINED / UNLIKE**2)
        at = np.flatnonzero(c.gold >= 0)
        if len(at):
            gold = np.zeros((1, k, len(Z)))
            np.add.at(gold[0], c.gold[at], places[at])
            more, info = score(np.append(self.beta, EXPERT)[None], gold)
            lean[:-1] += more[0, :-1]
            told[:-1, :-1] += info[0, :-1, :-1]
        self.doubt = np.linalg.inv(told)
        mean = mean + np.clip(self.doubt @ lean, -1, 1)
        self.beta, self.sharp = ordinal.spaced(mean[:-1]), mean[-1]
        if self.learning:
            off = self.own - mean
            seen = off.T @ off + self.spread.sum(0)
            self.alike = (seen + IMAGINED * self.first) / (len(off) + IMAGINED)
            self.alike[-1, :-1] = self.alike[:-1, -1] = 0

    def for_all(self, cells: Cells) -> Self:
        made = copy.copy(self)
        made.cells, made.learning = cells, False
        return made

    def without(self, items: Array, steps: int) -> Known:
        made = self.for_all(self.cells.rows(~items))
        for _ in range(steps):
            made.step()
        return made.known()

    def known(self) -> Known:
        made = {
            "places": self.places,
            "thresholds": self.beta,
            "lines": self.own[:, :-1],
            "precision": np.exp(self.own[:, -1]),
            "unknown": np.diagonal(self.spread, axis1=1, axis2=2)[:, :-1],
            "spread": np.diag(self.alike)[:-1],
            "crowd_precision": np.exp(self.sharp),
            "doubt": np.diag(self.doubt)[:-1],
        }
        return {**made, "crowd": foreseen(made).mean(0)}

    def judged(self) -> Judged:
        return self.of_others(self.cells, self.known())

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        at = at_nodes(c, known)
        total = logsumexp(at, axis=1)
        places = np.exp(at - total[:, None])
        wins = places @ np.eye(c.n_labels)[known["crowd"].argmax(0)]
        return Judged(total, places @ truths(known).T, wins, np.ones(c.n_items))


def chances(lines: Array, precision: Array) -> Array:
    """(rater, label, node): how probable each label is at each place; ``precision``: (rater, line or 1)."""
    return np.maximum(ordinal.between(precision[..., None] * (lines[..., None] - Z)), LEAST)


def foreseen(known: Known) -> Array:
    """(rater, label, node): the same, with what is not known of lines."""
    a = known["precision"][:, None]
    return chances(known["lines"], a / np.sqrt(1 + a**2 * known["unknown"]))


def truths(known: Known) -> Array:
    """(label, node): how probable each label is to be true at each place, averaged over the width of a node."""
    wide = np.sqrt(known["doubt"] + (Z[1] - Z[0]) ** 2 / 12)
    return np.asarray(ordinal.between(((known["thresholds"][:, None] - Z) / wide[:, None])[None])[0])


def at_nodes(c: Cells, known: Known) -> Array:
    """(item, node): the log density of each place together with the item's labels, gold among them."""
    logs = np.log(foreseen(known))
    scores = np.asarray(c.votes.table @ logs.reshape(-1, len(Z))) + np.log(known["places"])
    at = np.flatnonzero(c.gold >= 0)
    scores[at] += np.log(np.maximum(truths(known), LEAST))[c.gold[at]]
    return scores


def score(own: Array, n: Array) -> tuple[Array, Array]:
    """Gradient (rater, line and log precision) of the labels n (rater, label, node), and expected information."""
    a = np.exp(own[:, -1])[:, None, None]
    cut, p = a * (own[:, :-1, None] - Z), chances(own[:, :-1], a[..., 0])
    density = np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi)
    by_line, by_a = a * density, np.diff(density * cut, axis=1, prepend=0.0, append=0.0)
    each, total = n / p, n.sum(1, keepdims=True) / p
    k = own.shape[1]
    gradient = np.empty(own.shape)
    gradient[:, :-1] = ((each[:, :-1] - each[:, 1:]) * by_line).sum(2)
    gradient[:, -1] = (each * by_a).sum((1, 2))
    info = np.zeros((len(own), k, k))
    line = np.arange(k - 1)
    info[:, line, line] = ((total[:, :-1] + total[:, 1:]) * by_line**2).sum(2)
    beside = -(total[:, 1:-1] * by_line[:, :-1] * by_line[:, 1:]).sum(2)
    info[:, line[:-1], line[1:]] = info[:, line[1:], line[:-1]] = beside
    moved = total * by_a
    info[:, -1, :-1] = info[:, :-1, -1] = ((moved[:, :-1] - moved[:, 1:]) * by_line).sum(2)
    info[:, -1, -1] = (moved * by_a).sum((1, 2))
    return gradient, info
