r"""GLAD: a label is right with a probability that grows with the rater's ability and falls with the item's difficulty.

.. math:: p(y_{ij} = z_i) = \sigma(\alpha_j \beta_i), \qquad \beta_i = e^{b_i} > 0

wrong labels evenly over the other :math:`K - 1`; :math:`\alpha_j \sim N(1, 1)` and :math:`b_i \sim N(1, 1)`. Only the
probability that each label is right is needed, so a step costs O(N). Parameters: ``prevalence`` (label,), ``ability``
(rater,), ``ease`` (item,), the logarithm b of beta. The M step is one scoring step for every rater, then
one for every item; the steps are independent given the other parameters, and a step that does not gain is halved. At
last all abilities are multiplied and all ease divided by one number, the best by the priors. The objective never falls.

Whitehill, Ruvolo, Wu, Bergsma & Movellan (2009), NIPS 22, 2035-2043.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import Params, expected_counts, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families import one_coin
from raters.models.families.spec import EM, Rng, Sampler, Steps, Task, counts, right, walk

Array = NDArray[Any]
HALVINGS = 6
SHIFTS = 20
BY_ITEM = ("ease",)


def logs(params: Params, votes: Votes) -> tuple[Array, Array]:
    x = params["ability"].take(votes.rater_of) * np.exp(params["ease"]).take(votes.item_of)
    hit = log_sigmoid(x)
    return hit, hit - x - np.log(max(votes.n_labels - 1, 1))


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    v = task.votes
    hit = v.given(expected)  # (cell,): P(the label is right)
    n = v.weighted(v.table.data)
    w = np.ones(v.n_items) if v.weight is None else v.weight
    ability = np.ones(v.n_raters) if params is None else params["ability"]
    ease = np.ones(v.n_items) if params is None else params["ease"]
    beta = np.exp(ease).take(v.item_of)

    def by_ability(a: Array) -> tuple[Array, Array]:
        return a.take(v.rater_of) * beta, beta

    ability = step(ability, np.ones(v.n_raters), v.rater_sums, by_ability, hit, n)
    skill = ability.take(v.rater_of)

    def by_ease(b: Array) -> tuple[Array, Array]:
        x = skill * np.exp(b).take(v.item_of)
        return x, x

    ease = step(ease, w, v.item_sums, by_ease, hit, n)
    along = shift(task, ability, ease, w)
    ability, ease = ability * np.exp(along), ease - along
    return {"prevalence": task.prevalence(expected), "ability": ability, "ease": ease}


def shift(task: Task, ability: Array, ease: Array, weight: Array) -> Any:
    """How far abilities go up and ease down along the line on which the likelihood is constant: to where the prior is
    largest.

    Scoring steps creep along that line, where only the prior rises; with this step, a fit takes a third of the
    iterations or fewer.
    """

    def prior(ability: Array, ease: Array) -> Any:
        return -((ability - 1) ** 2).sum(0) - (weight * (ease - 1) ** 2).sum(0)

    size = weight.sum(0)
    along = 0.0 * size
    for _ in range(SHIFTS):
        grown = ability * np.exp(along)
        slope = (weight * (ease - 1 - along)).sum(0) - ((grown - 1) * grown).sum(0)
        curve = np.maximum(size + np.maximum(((2 * grown - 1) * grown).sum(0), 0), 1)
        move = np.minimum(np.maximum(slope / curve, -0.5), 0.5)
        along = along + move
        if np.all(np.abs(move) < 1e-12):
            break
    moved = prior(ability * np.exp(along), ease - along)
    return np.where(moved >= prior(ability, ease), along, 0.0)


def penalty(task: Task, params: Params) -> Any:
    w = 1.0 if task.votes.weight is None else task.votes.weight
    total = ((params["ability"] - 1) ** 2).sum(0) + (w * (params["ease"] - 1) ** 2).sum(0)
    return -total / 2 + task.prevalence_penalty(params)


def confusion(task: Task, params: Params) -> Array:
    """Confusion matrices from the posterior, since the model's own depend on the item."""
    q, _ = one_coin.posterior(task, params, logs, BY_ITEM)
    return rows_to_one(expected_counts(task.votes, q) + task.smoothing)


def log_sigmoid(x: Array) -> Array:
    """log σ(x); log σ(-x) is this minus x. Exact to 1e-16, which is enough for a sum; log1p takes five times as
    long.
    """
    return np.asarray(np.minimum(x, 0) - np.log(1 + np.exp(-np.abs(x))))


def step(
    value: Array,
    prior: Array,
    summed: Callable[[Array], Array],
    link: Callable[[Array], tuple[Array, Array]],
    hit: Array,
    n: Array,
) -> Array:
    """One Fisher scoring step for each group, halved where it would lower the group's objective.

    ``link``: from the values of groups to x and dx/dvalue at each cell; ``summed``: from cells to sums over groups. The
    objective of a group is the sum over its cells of n (p log σ(x) + (1 - p) log σ(-x)), minus ``prior`` (value - 1)² /
    2.
    """

    def gain(at: Array, x: Array, small: Array) -> Array:
        fit = summed(n * ((hit - 1) * x + np.minimum(x, 0) - np.log(1 + small)))
        return np.asarray(fit - prior * (at - 1) ** 2 / 2)

    def moved(at: Array) -> Array:
        x, _ = link(at)
        return gain(at, x, np.exp(-np.abs(x)))

    x, slope = link(value)
    small = np.exp(-np.abs(x))
    chance = np.where(x < 0, small, 1) / (1 + small)  # σ(x)
    gradient = summed(n * (hit - chance) * slope) - prior * (value - 1)
    curve = summed(n * chance * (1 - chance) * slope**2) + prior
    move = np.clip(gradient / np.where(curve > 0, curve, 1), -2, 2)
    before = gain(value, x, small)
    for _ in range(HALVINGS):
        worse = ~(moved(value + move) >= before)
        if not worse.any():
            return np.asarray(value + move)
        move = np.where(worse, move / 4, move)
    return np.asarray(np.where(moved(value + move) >= before, value + move, value))


def redraw(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Abilities given ease, ease given abilities, then both along the line on which the likelihood is constant."""
    v = task.votes
    n, wrong = v.table.data, ~right(task, truth)

    def fits(x: Array, group: Array, size: int) -> Array:
        return np.bincount(group, n * (log_sigmoid(x) - wrong * x), size)

    beta = np.exp(params["ease"])[v.item_of]
    ability = walk(
        "ability",
        params["ability"],
        lambda a: fits(a[v.rater_of] * beta, v.rater_of, v.n_raters) - (a - 1) ** 2 / 2,
        rng,
        steps,
    )
    skill = ability[v.rater_of]
    ease = walk(
        "ease",
        params["ease"],
        lambda b: fits(skill * np.exp(b)[v.item_of], v.item_of, v.n_items) - (b - 1) ** 2 / 2,
        rng,
        steps,
    )

    def line(t: Array) -> Array:  # n log c: the change of volume
        prior = ((ability * np.exp(t) - 1) ** 2).sum() + ((ease - t - 1) ** 2).sum()
        return np.asarray(v.n_raters * t - prior / 2)

    for _ in range(3):
        t = walk("line", np.zeros(1), line, rng, steps)
        ability, ease = ability * np.exp(t), ease - t
    return {"ability": ability, "ease": ease}


def matrices(task: Task, truth: Array, params: Params, rng: Rng) -> Array:
    """Confusion matrices for items like these, since the model's own depend on the item."""
    return rows_to_one(rng.standard_gamma(counts(task, truth) + 1 + task.smoothing))


MODEL = one_coin.model(
    logs,
    name="glad",
    rank=3.0,
    title="GLAD",
    rater="an ability; items differ in ease",
    reference="Whitehill, Ruvolo, Wu, Bergsma & Movellan (2009), NIPS 22, 2035-2043",
    method=EM(maximise, penalty),
    confusion=confusion,
    sampler=Sampler(redraw, sweeps=3, matrices=matrices),
    by_rater=("ability",),
    by_item=BY_ITEM,
    bootstrap_holds=79,
)
