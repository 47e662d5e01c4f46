"""Draws of a model's parameters given the truth: one function for each model, as ``maximise`` is in EM.

Priors are those whose mode EM finds: Beta and Dirichlet with 1 + ``smoothing`` for every count, Gamma(2, 1) for the crowd
of ``hierarchical``, N(1, 1) for ability and ease of ``glad``. What has no closed form is drawn by Metropolis steps, one for each
rater, item or row at once; their widths are learnt in the warm-up and then held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from raters.models.families.dawid_skene import rows_to_one
from raters.models.families.gaussian import BEFORE, Gaussian
from raters.models.families.glad import log_sigmoid
from raters.models.families.one_coin import earlier
from raters.models.families.spec import Task
from raters.models.fitting.em import Params

Array = NDArray[Any]
Rng = np.random.Generator
ACCEPTED = 0.44
"""The share of accepted proposals that serves a random walk in one dimension best (Gelman, Roberts & Gilks 1996)."""


@dataclass
class Steps:
    """Widths of proposals by name, on the log scale; they move only while ``learning``."""

    learning: bool = True
    turn: int = 0
    logs: dict[str, Array] = field(default_factory=dict)

    def width(self, name: str, shape: tuple[int, ...]) -> Array:
        return np.asarray(np.exp(self.logs.setdefault(name, np.zeros(shape))))

    def learn(self, name: str, accepted: Array) -> None:
        if self.learning:
            self.logs[name] = self.logs[name] + (accepted - ACCEPTED) * 3 / np.sqrt(self.turn + 1)


Redraw = Callable[[Task, Array, Params, Rng, Steps], dict[str, Array]]
"""From (item,) codes of the truth and the last parameters to new ones, prevalence aside."""


def walk(name: str, value: Array, density: Callable[[Array], Array], rng: Rng, steps: Steps) -> Array:
    """A Metropolis step for every element, each with a log density of its own."""
    to = value + steps.width(name, value.shape) * rng.standard_normal(value.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        accepted = np.log(rng.random(value.shape)) < density(to) - density(value)
    steps.learn(name, accepted)
    return np.where(accepted, to, value)


def counts(task: Task, truth: Array) -> Array:
    """(rater, true label, given label), earlier counts included."""
    v, k = task.votes, task.votes.n_labels
    at = (v.rater_of.astype(np.int64) * k + truth[v.item_of]) * k + v.label_of
    found = np.bincount(at, v.table.data, v.n_raters * k * k).reshape(v.n_raters, k, k)
    return found if task.prior is None else found + task.prior


def right(task: Task, truth: Array) -> Array:
    """(cell,): whether the label is the truth."""
    return np.asarray(task.votes.label_of == truth[task.votes.item_of])


def dawid_skene(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Rows of the matrices are Dirichlet."""
    return {"confusion": rows_to_one(rng.standard_gamma(counts(task, truth) + 1 + task.smoothing))}


def one_coin(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Accuracies are Beta."""
    v, before = task.votes, earlier(task)
    hits = np.bincount(v.rater_of, v.table.data * right(task, truth), v.n_raters)
    return {"accuracy": rng.beta(1 + hits + before[0], 1 + v.per_rater.sum(1) - hits + before[1])}


def mace(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Which hits came from knowledge is drawn first; then trust is Beta and habit Dirichlet."""
    v, s = task.votes, task.smoothing
    given = v.per_rater
    hits = np.bincount(v.table.indices, v.table.data * right(task, truth), given.size).reshape(given.shape)
    trust = params["trust"][:, None]
    sure = trust + (1 - trust) * params["habit"]
    known = rng.binomial(hits.astype(np.int64), np.where(sure > 0, trust / np.where(sure > 0, sure, 1), 0.5))
    guessed = given - known
    return {
        "trust": rng.beta(1 + s + known.sum(1), 1 + s + guessed.sum(1)),
        "habit": rows_to_one(rng.standard_gamma(guessed + 1 + s)),
    }


def hierarchical(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """The crowd with the raters' matrices integrated out, by column and by row; then the matrices, which are Dirichlet."""
    n = counts(task, truth)
    size, k, total = len(n), task.votes.n_labels, n.sum(-1)  # (rater, true)
    logs = np.log(params["crowd"])  # (true, given)
    for at in range(k):
        rest = np.exp(logs).sum(1) - np.exp(logs[:, at])

        def column(x: Array, at: int = at, rest: Array = rest) -> Array:
            a = np.exp(x)
            whole = rest + a
            fit = size * (gammaln(whole) - gammaln(a)) - gammaln(whole + total).sum(0) + gammaln(a + n[..., at]).sum(0)
            return np.asarray(2 * x - a + fit)  # Gamma(2, 1), on the log scale

        logs[:, at] = walk(f"crowd {at}", logs[:, at], column, rng, steps)

    def row(shift: Array) -> Array:
        a = np.exp(logs + shift[:, None])
        whole = a.sum(1)
        fit = size * (gammaln(whole) - gammaln(a).sum(1)) - gammaln(whole + total).sum(0) + gammaln(a + n).sum((0, 2))
        return np.asarray((2 * (logs + shift[:, None]) - a).sum(1) + fit)

    crowd = np.exp(logs + walk("crowd", np.zeros(k), row, rng, steps)[:, None])
    return {"crowd": crowd, "confusion": rows_to_one(rng.standard_gamma(n + crowd))}


def glad(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Abilities given ease, ease given abilities, then both along the line on which the likelihood does not change."""
    v = task.votes
    n, wrong = v.table.data, ~right(task, truth)

    def fits(x: Array, group: Array, size: int) -> Array:
        return np.bincount(group, n * (log_sigmoid(x) - wrong * x), size)

    beta = np.exp(params["ease"])[v.item_of]
    ability = walk(
        "ability", params["ability"],
        lambda a: fits(a[v.rater_of] * beta, v.rater_of, v.n_raters) - (a - 1) ** 2 / 2, rng, steps,
    )  # fmt: skip
    skill = ability[v.rater_of]
    ease = walk(
        "ease", params["ease"],
        lambda b: fits(skill * np.exp(b)[v.item_of], v.item_of, v.n_items) - (b - 1) ** 2 / 2, rng, steps,
    )  # fmt: skip

    def line(t: Array) -> Array:  # n log c: the change of volume
        prior = ((ability * np.exp(t) - 1) ** 2).sum() + ((ease - t - 1) ** 2).sum()
        return np.asarray(v.n_raters * t - prior / 2)

    for _ in range(3):
        t = walk("line", np.zeros(1), line, rng, steps)
        ability, ease = ability * np.exp(t), ease - t
    return {"ability": ability, "ease": ease}


REDRAW: Mapping[str, Redraw] = {
    "dawid_skene": dawid_skene,
    "one_coin": one_coin,
    "hierarchical": hierarchical,
    "mace": mace,
    "glad": glad,
}


def gaussian(model: Gaussian, mu: Array, params: Params, rng: Rng) -> dict[str, Array]:
    """Biases, variances, and the normal distribution of the truth, given the (item,) truth.

    Variances have the fit's prior, a scaled inverse chi-square worth one annotation. Biases are normal around 0 with the
    variance of all labels, so that a rater of one label does not make everybody's bias, which is measured from the mean,
    boundless; the deviation of the truth is uniform.
    """
    v, n, wide = model.votes, model.votes.table.data, width(model)
    total = np.bincount(v.rater_of, n, v.n_raters)
    off = model.values - mu[v.item_of]
    precision = total / params["variance"] + 1 / wide
    mean = np.bincount(v.rater_of, n * off, v.n_raters) / params["variance"] / precision
    bias = mean + rng.standard_normal(v.n_raters) / np.sqrt(precision)
    squares = np.bincount(v.rater_of, n * (off - bias[v.rater_of]) ** 2, v.n_raters)
    variance = (squares + BEFORE * model.within) / rng.chisquare(total + BEFORE)
    there = mu[v.per_item > 0 if model.gold is None else (v.per_item > 0) | np.isfinite(model.gold)]
    center = there.mean() + rng.standard_normal() * np.sqrt(params["spread"] / len(there))
    if model.gold is None:  # all biases against all truths: the likelihood does not change
        shift = bias.mean() + rng.standard_normal() * np.sqrt(wide / len(bias))
        bias, center, there = bias - shift, center + shift, there + shift
    spread = ((there - center) ** 2).sum() / rng.chisquare(len(there) - 1, 1)
    return {"center": center, "spread": spread, "bias": bias, "variance": variance}


def width(model: Gaussian) -> float:
    """The variance of all labels."""
    n, y = model.votes.table.data, model.values
    mean = float(n @ y) / float(n.sum())
    return max(float(n @ (y - mean) ** 2) / float(n.sum()), model.within)
