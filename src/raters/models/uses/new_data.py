"""New annotations for an existing fit: the posterior of new items, or an updated fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, brief, listed
from raters.models.choosing.tempering import like
from raters.models.families.spec import Problem, Vote
from raters.models.families.task import Task
from raters.models.fitted_model import FittedModel
from raters.models.fitting import em
from raters.models.fitting.fit import from_run, voted
from raters.models.votes import Votes

Array = NDArray[Any]


def predict(c: FittedModel, ann: Annotations | Votes) -> FittedModel:
    """The posterior of new items, with the raters as fitted."""
    votes = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    votes, aside = counted(c, votes.recoded(votes.items, tuple(dict.fromkeys((*c.raters, *votes.raters)))))
    row, params = c.definition, carried(c, votes)
    if isinstance(row.method, Vote):
        return as_before(c, like(c, voted(row, row.method, votes, None, c.settings, params)), aside)
    expected, total = row.expect(Task.of(votes, None, c.settings), params)
    found = FittedModel(
        c.model, votes, row.posterior(expected), params, log_likelihoods=(total,), reason="predicted, not fitted",
        settings=c.settings,
    )  # fmt: skip
    return as_before(c, like(c, found), aside)


def update(c: FittedModel, ann: Annotations | Votes) -> FittedModel:
    """Fit old and new annotations together, starting from the old fit."""
    new = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    if c.numeric and new.labels != c.votes.labels:
        values = sorted({*c.votes.labels, *new.labels})
        votes = c.votes.relabelled(values).joined(new.relabelled(values))
    else:
        votes = c.votes.joined(new)
    votes, aside = counted(c, votes)
    if c.aside is not None:
        old = c.aside.recoded(votes.items, votes.raters)
        aside = old if aside is None else replace(old, table=(old.table + aside.table).tocsr())
    gold = None
    if c.gold is not None:
        gold = np.full(votes.n_items, np.nan if c.numeric else -1, dtype=c.gold.dtype)
        gold[: len(c.gold)] = c.gold
    row = c.definition
    if isinstance(row.method, Vote):
        return as_before(c, like(c, voted(row, row.method, votes, gold, c.settings)), aside)
    problem, params = Problem(row, Task.of(votes, gold, c.settings)), carried(c, votes)
    fit = em.run(problem, problem.expect(params)[0], params, within=problem.within, name="update")
    return as_before(c, like(c, from_run(problem, c.settings, fit, "update")), aside)


def counted(c: FittedModel, votes: Votes) -> tuple[Votes, Votes | None]:
    """The votes without new labels from raters whose labels carry no information, and those labels."""
    blind = set() if c.choice is None else set(c.choice.blind)
    out = np.array([r in blind for r in votes.raters], bool)[votes.rater_of]
    if not out.any():
        return votes, None
    return votes.kept(np.where(out, 0, votes.table.data)), votes.kept(np.where(out, votes.table.data, 0))


def as_before(c: FittedModel, found: FittedModel, aside: Votes | None) -> FittedModel:
    """The new fit with the same choice, and with the labels that were not counted."""
    given = None if aside is None else replace(found.votes, table=(found.votes.table + aside.table).tocsr())
    return replace(found, choice=c.choice, given=given)


def carried(c: FittedModel, votes: Votes) -> dict[str, Array]:
    """The parameters for these votes: known raters as fitted, unknown ones as the average, new items as typical."""
    row, params = c.definition, dict(c.params)
    known = {name: i for i, name in enumerate(c.raters)}
    at = np.array([known.get(name, -1) for name in votes.raters])
    if row.unknown_raters and (at < 0).any():
        stranger = votes.raters[int(np.flatnonzero(at < 0)[0])]
        raise DataError(
            f"rater {brief(stranger)} was not in the data that the model was fitted to: {row.unknown_raters}"
        )
    weight = c.votes.per_rater.sum(1)
    for name in row.by_rater:
        value = params[name]
        instead = row.stand_ins.get(name)
        average = np.average(value, axis=0, weights=weight) if instead is None else params[instead]
        params[name] = np.concatenate([value, average[None]])[at]  # -1 is the last: the average
    seen = {name: i for i, name in enumerate(c.items)} if row.by_item else {}
    where = np.array([seen.get(name, -1) for name in votes.items])
    for name in row.by_item:
        params[name] = np.append(params[name], params[name].mean())[where]
    return params


def _same_labels(c: FittedModel, votes: Votes) -> Votes:
    """The votes coded with the fit's labels, which must include all of theirs."""
    if votes.labels == c.votes.labels:
        return votes
    if c.numeric:
        return votes
    odd = [x for x in votes.labels if x not in c.votes.labels]
    used = votes.per_rater.sum(0)
    odd = [x for x in odd if used[votes.labels.index(x)] > 0]
    if odd:
        raise DataError(
            f"label {odd[0]!r} was not in the data that the model was fitted to ({listed(c.votes.labels)}). Fit again with all labels."
        )
    return votes.relabelled(c.votes.labels)
