"""New annotations for a fit at hand: the posterior of new items, or the fit brought up to date."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, listed
from raters.models.families.gaussian import Gaussian
from raters.models.families.majority import majority
from raters.models.families.registry import make
from raters.models.fitting import em
from raters.models.result import Consensus, Start
from raters.models.votes import Votes

Array = NDArray[Any]
BY_RATER = ("confusion", "accuracy", "trust", "habit", "ability", "counts", "bias", "variance")


def predict(c: Consensus, ann: Annotations | Votes) -> Consensus:
    """The posterior of new items, the raters taken as they were fitted."""
    votes = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    votes = votes.recoded(votes.items, tuple(dict.fromkeys((*c.raters, *votes.raters))))
    if c.model == "majority":
        return majority(votes, None, c.settings)
    params = carried(c, votes)
    if c.numeric:
        (mean, variance), total = Gaussian(votes).expect(params)
        posterior = np.stack([mean, np.sqrt(variance)], -1)
    else:
        posterior, total = make(c.model, votes, None, c.settings).expect(params)
    return Consensus(
        c.model, votes, posterior, params, log_likelihoods=(total,), reason="predicted, not fitted", settings=c.settings
    )


def update(c: Consensus, ann: Annotations | Votes) -> Consensus:
    """The fit of old and new annotations together, started where the old one stood."""
    new = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    if c.numeric and new.labels != c.votes.labels:
        values = sorted({*c.votes.labels, *new.labels})
        votes = c.votes.relabelled(values).joined(new.relabelled(values))
    else:
        votes = c.votes.joined(new)
    gold = None
    if c.gold is not None:
        gold = np.full(votes.n_items, np.nan if c.numeric else -1, dtype=c.gold.dtype)
        gold[: len(c.gold)] = c.gold
    if c.model == "majority":
        return majority(votes, gold, c.settings)
    params = carried(c, votes)
    model: Any = Gaussian(votes, gold) if c.numeric else make(c.model, votes, gold, c.settings)
    expected, _ = model.expect(params)
    fit = em.run(model, expected, params, name="update")
    posterior = np.stack([fit.expected[0], np.sqrt(fit.expected[1])], -1) if c.numeric else fit.expected
    only = Start("update", fit.objective, fit.log_likelihood, fit.iterations, fit.converged, fit.reason, 0)
    return Consensus(
        c.model, votes, posterior, fit.params, fit.objectives, fit.log_likelihoods, "update", (only,),
        fit.converged, fit.reason, gold, c.settings,
    )  # fmt: skip


def carried(c: Consensus, votes: Votes) -> dict[str, Array]:
    """The parameters for these votes: known raters as fitted, unknown ones as the average, new items as typical."""
    params = dict(c.params)
    known = {name: i for i, name in enumerate(c.raters)}
    at = np.array([known.get(name, -1) for name in votes.raters])
    weight = c.votes.per_rater.sum(1)
    for name in BY_RATER:
        if name in params:
            value = params[name]
            average = np.average(value, axis=0, weights=weight)
            if name == "counts":
                average = params["crowd"]
            params[name] = np.concatenate([value, average[None]])[at]  # -1 is the last: the average
    if "ease" in params:
        seen = {name: i for i, name in enumerate(c.items)}
        where = np.array([seen.get(name, -1) for name in votes.items])
        params["ease"] = np.append(params["ease"], params["ease"].mean())[where]
    return params


def _same_labels(c: Consensus, votes: Votes) -> Votes:
    """The votes under the fit's labels, which must include all of theirs."""
    if votes.labels == c.votes.labels:
        return votes
    if c.numeric:
        return votes
    odd = [x for x in votes.labels if x not in c.votes.labels]
    used = votes.per_rater.sum(0)
    odd = [x for x in odd if used[votes.labels.index(x)] > 0]
    if odd:
        raise DataError(
            f"label {odd[0]!r} was not there when the model was fitted ({listed(c.votes.labels)}). Fit again with all labels."
        )
    return votes.relabelled(c.votes.labels)
