"""Parameter recovery: simulate labels from a fit in the same design, refit, and compare the parameters."""

import numpy as np
import pytest

import raters
from raters import simulate
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit


def recovery(c, simulations=4, seed=0):
    """How well the model recovers its parameters in this design (who labelled what), each the mean over simulations.

    ``prevalence`` (mean absolute error of the label shares), ``accuracy`` (mean absolute error of raters' accuracies,
    weighted by their labels), ``labels`` (share of items whose true label is found) and ``certainty`` (the probability
    that the refit states for them). If ``certainty`` is far above ``labels``, the model is overconfident in this
    design.
    """
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
    return dict(zip(("prevalence", "accuracy", "labels", "certainty"), np.mean(found, 0), strict=True))


def _accuracy(theta, pi):
    return np.einsum("k,rkk->r", pi, theta)


def test_simulated_against_estimated():
    drawn = simulate.labels(300, 6, 3, accuracy=[0.9, 0.85, 0.8, 0.7, 0.7, 0.6], seed=2).annotations()
    table = recovery(raters.consensus(drawn, "dawid_skene"))
    assert table["accuracy"] < 0.05 and table["prevalence"] < 0.06
    assert table["labels"] == pytest.approx(table["certainty"], abs=0.03)
    thin = recovery(raters.consensus(simulate.labels(60, 20, 4, missing=0.9, seed=1).annotations(), "dawid_skene"))
    assert thin["certainty"] > thin["labels"] + 0.05  # two labels an item, twenty raters: far too sure
