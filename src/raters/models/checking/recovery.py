"""Parameter recovery: simulate labels from a fit in the same design, refit, and compare the parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.models.base.fit import FittedModel
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit
from raters.options import asks

Array = NDArray[Any]


@asks()
def recovery(c: FittedModel, *, simulations: int = 10, seed: int = 0) -> EstimateTable:
    """How well the model recovers its parameters in this design (who labelled what): labels are simulated from the fit
    and refitted.

    Rows, each the mean over simulations with their spread: ``prevalence`` (mean absolute error of the label shares),
    ``accuracy`` (mean absolute error of raters' accuracies, weighted by their labels), ``labels`` (share of items whose
    true label is found) and ``certainty`` (the probability that the refit states for them). If ``certainty`` is far
    above ``labels``, the model is overconfident in this design.

    >>> import raters
    >>> table = recovery(raters.consensus(raters.examples.demo(), "dawid_skene"), simulations=2)
    >>> [e.name for e in table]
    ['prevalence', 'accuracy', 'labels', 'certainty']
    """
    if simulations < 1:
        raise UsageError(f"simulations={simulations} is too few; use 1 or more.")
    theta, pi, v = np.asarray(c.confusion), np.asarray(c.prevalence), c.votes
    times = v.table.data.astype(np.int64)
    item, rater = (np.repeat(x, times) for x in (v.item_of, v.rater_of))
    rng = np.random.default_rng(seed)
    weight = np.bincount(rater, minlength=len(v.raters)) / len(rater)
    there = np.bincount(item, minlength=v.n_items) > 0
    found = []
    for _ in range(simulations):
        truth = rng.choice(len(pi), v.n_items, p=pi / pi.sum())
        chance = np.cumsum(theta[rater, truth[item]], -1)
        label = np.minimum((rng.random(len(item))[:, None] > chance / chance[:, -1:]).sum(1), len(pi) - 1)
        again = fit(
            Votes.of_codes(item, rater, label, labels=v.labels, items=v.items, raters=v.raters),
            model=c.model,
            restarts=0,
        )
        post = np.asarray(again.posterior)
        off = np.abs(_accuracy(np.asarray(again.confusion), pi) - _accuracy(theta, pi))
        right = (post.argmax(1) == truth)[there]
        found.append(
            (
                np.abs(np.asarray(again.prevalence) - pi).mean(),
                float(weight @ off),
                right.mean(),
                post.max(1)[there].mean(),
            )
        )
    titles = (
        "mean error of label shares",
        "mean error of raters' accuracies",
        "share of labels found",
        "probability stated for them",
    )
    names = ("prevalence", "accuracy", "labels", "certainty")
    rows = np.array(found)
    spread = rows.std(0, ddof=1) if simulations > 1 else np.full(4, np.nan)
    return EstimateTable(
        tuple(
            Estimate(n, float(m), se=float(s), n_items=v.n_items, title=t)
            for n, t, m, s in zip(names, titles, rows.mean(0), spread, strict=True)
        ),
        of="figure",
    )


def _accuracy(theta: Array, pi: Array) -> Array:
    return np.asarray(np.einsum("k,rkk->r", pi, theta))
