r"""Numbers: every rater has a bias and a precision.

.. math:: \mu_i \sim N(m, v), \qquad y_{ij} \mid \mu_i \sim N(\mu_i + b_j, \sigma_j^2)

Biases are measured from the raters' mean (they sum to 0: a bias that all raters share cannot be distinguished from the
truth). A scaled inverse-gamma prior worth one annotation (or ``alike``), centred on the spread within items, keeps a
rater's variance from falling to 0, where the likelihood is unbounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import Params
from raters.models.base.votes import Votes
from raters.models.families.spec import EM, Model, Rng, Sampler, Steps, Task

Array = NDArray[Any]


@dataclass(frozen=True)
class Gaussian:
    """Parameters: ``center`` and ``spread`` of the truth (variance), ``bias`` (rater,) and ``variance`` (rater,)."""

    votes: Votes
    gold: Array | None = None
    """(item,): the known value, or nan if there is none."""
    alike: float = 1.0
    """What the prior of a rater's variance is worth, in annotations; all but one of them also count as labels without
    bias.
    """

    @property
    def values(self) -> Array:
        """(cell,)"""
        return np.asarray(self.votes.labels, dtype=float)[self.votes.label_of]

    @property
    def within(self) -> float:
        """The variance of labels within items, for the prior."""
        v, y = self.votes, self.values
        n = v.table.data
        mean = np.bincount(v.item_of, n * y, v.n_items) / np.maximum(v.per_item, 1)
        free = max(v.n_annotations - int((v.per_item > 0).sum()), 1)
        found = float(n @ (y - mean[v.item_of]) ** 2) / free
        return found if found > 0 else self.rounding

    @property
    def rounding(self) -> float:
        """The variance of numbers that were rounded to the smallest step between labels: where all labels of an item
        agree, no less is known of their spread.
        """
        steps = np.diff(np.unique(self.values))
        if (self.votes.per_item > 1).any() and len(steps):
            return float(steps.min()) ** 2 / 12
        return 1e-6 * max(float(np.var(self.values)), 1e-6)  # nothing to compare: labels are returned unchanged

    def start(self) -> tuple[Array, Array]:
        """Plain means of the items."""
        v, n = self.votes, np.maximum(self.votes.per_item, 1)
        overall = float(v.table.data @ self.values) / max(v.n_annotations, 1)
        mean = np.where(v.per_item > 0, np.bincount(v.item_of, v.table.data * self.values, v.n_items) / n, overall)
        return self._known(mean, self.within / n)

    def expect(self, params: Params) -> tuple[tuple[Array, Array], float]:
        v, n = self.votes, self.votes.table.data
        center, spread = float(params["center"][0]), float(params["spread"][0])
        exact = n / params["variance"][v.rater_of]  # (cell,): precision
        off = self.values - params["bias"][v.rater_of] - center
        precision = 1 / spread + np.bincount(v.item_of, exact, v.n_items)
        mean = np.bincount(v.item_of, exact * off, v.n_items) / precision
        each = np.log(2 * np.pi * params["variance"])[v.rater_of] * n + exact * off**2
        logs = -(np.bincount(v.item_of, each, v.n_items) + np.log(spread * precision) - mean**2 * precision) / 2
        if self.gold is not None:  # the log density of the gold value given the item's labels
            at = (np.log(precision / (2 * np.pi)) - precision * (self.gold - center - mean) ** 2) / 2
            logs += np.where(np.isfinite(self.gold), at, 0)
        total = float(logs.sum() if v.weight is None else logs @ v.weight)
        return self._known(center + mean, 1 / precision), total

    def _known(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        if self.gold is None:
            return mean, variance
        known = np.isfinite(self.gold)
        return np.where(known, self.gold, mean), np.where(known, 0.0, variance)

    def maximise(self, expected: tuple[Array, Array], params: Params | None = None) -> Params:
        v = self.votes
        mean, variance = expected
        n = v.weighted(v.table.data)
        total = np.bincount(v.rater_of, n, v.n_raters)
        off = self.values - mean[v.item_of]
        more = self.alike - 1
        bias = np.bincount(v.rater_of, n * off, v.n_raters) / np.where(total + more > 0, total + more, 1)
        squares: Array = np.bincount(v.rater_of, n * ((off - bias[v.rater_of]) ** 2 + variance[v.item_of]), v.n_raters)
        squares = squares + more * bias**2
        known = v.per_item > 0 if self.gold is None else (v.per_item > 0) | np.isfinite(self.gold)
        w = np.where(known, 1.0 if v.weight is None else v.weight, 0.0)
        center = float(w @ mean / w.sum())
        spread = float(w @ (variance + (mean - center) ** 2) / w.sum())
        shift = 0.0 if self.gold is not None or more else bias[total > 0].mean()
        return {
            "center": np.array([center + shift]),
            "spread": np.array([max(spread, 1e-12 * max(self.within, 1e-300))]),
            "bias": np.where(total > 0, bias - shift, 0.0),
            "variance": (squares + self.alike * self.within) / (total + self.alike + (more > 0)),
        }

    def penalty(self, params: Params) -> float:
        s = params["variance"]
        more, squares = self.alike - 1, params["bias"] ** 2
        own = float(-self.alike / 2 * (np.log(s) + self.within / s).sum())
        return own - float((np.log(s) + more * squares / s).sum()) / 2 if more else own


def of(task: Task) -> Gaussian:
    return Gaussian(task.votes, task.gold, task.alike)


def redraw(task: Task, mu: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Biases, variances, and the normal distribution of the truth, given the (item,) truth.

    Variances have the fit's prior, a scaled inverse chi-square worth one annotation. Biases are normal around 0 with
    the variance of all labels, so that a rater with one label does not make everybody's bias, which is measured from
    the mean, unbounded; the standard deviation of the truth has a uniform prior.
    """
    model = of(task)
    v, n, wide = model.votes, model.votes.table.data, width(model)
    total = np.bincount(v.rater_of, n, v.n_raters)
    off = model.values - mu[v.item_of]
    more = model.alike - 1
    precision = (total + more) / params["variance"] + 1 / wide
    mean = np.bincount(v.rater_of, n * off, v.n_raters) / params["variance"] / precision
    bias = mean + rng.standard_normal(v.n_raters) / np.sqrt(precision)
    squares: Array = np.bincount(v.rater_of, n * (off - bias[v.rater_of]) ** 2, v.n_raters)
    squares = squares + more * bias**2
    variance = (squares + model.alike * model.within) / rng.chisquare(total + model.alike + (more > 0))
    there = mu[v.per_item > 0 if model.gold is None else (v.per_item > 0) | np.isfinite(model.gold)]
    center = there.mean() + rng.standard_normal() * np.sqrt(params["spread"] / len(there))
    if model.gold is None:  # shifting all biases against all truths leaves the likelihood unchanged
        shift = bias.mean() + rng.standard_normal() * np.sqrt(wide / len(bias))
        bias, center, there = bias - shift, center + shift, there + shift
    spread = ((there - center) ** 2).sum() / rng.chisquare(len(there) - 1, 1)
    return {"center": center, "spread": spread, "bias": bias, "variance": variance}


def width(model: Gaussian) -> float:
    """The variance of all labels."""
    n, y = model.votes.table.data, model.values
    mean = float(n @ y) / float(n.sum())
    return max(float(n @ (y - mean) ** 2) / float(n.sum()), model.within)


def reported(task: Task, params: Params) -> tuple[dict[str, Array], float]:
    """Biases measured from the mean of the raters who gave labels, unless gold says where 0 is."""
    shift = params["bias"][task.votes.per_rater.any(1)].mean() if task.gold is None else 0.0
    return dict(params, bias=params["bias"] - shift, center=params["center"] + shift), shift


MODEL = Model(
    name="gaussian",
    rank=2.0,
    title="Gaussian",
    rater="a bias and a precision",
    reference="after Raykar et al. (2010), JMLR 11, 1297-1322, with a bias for each rater",
    method=EM(
        lambda task, expected, params: of(task).maximise(expected, params),
        lambda task, params: of(task).penalty(params),
        start=lambda task: of(task).start(),
        start_name="means",
    ),
    expect=lambda task, params: of(task).expect(params),
    cells="it estimates a number, not one of several labels",
    confusion="a gaussian consensus has .params['bias'] and ['variance'] for each rater, not a confusion matrix.",
    sampler=Sampler(redraw, reported=reported),
    numbers=True,
    by_rater=("bias", "variance"),
)
