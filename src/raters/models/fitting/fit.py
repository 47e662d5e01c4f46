"""Fit a model from one or several starts, keep the best, and report what the others found; or compute a vote
directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.models.base.fit import FittedModel, Start
from raters.models.base.probabilities import Params
from raters.models.base.votes import Votes
from raters.models.families.registry import model_named, require_room
from raters.models.families.spec import EM, Model, Problem, Settings, Task, Vote
from raters.models.fitting import em
from raters.models.fitting.checks import (
    check_call,
    check_table,
    learnable,
    notes_of,
    prior_matrices,
)
from raters.models.fitting.em import BEST, SHAKES, begin
from raters.models.fitting.gold import gold_codes, gold_values

Array = NDArray[Any]
End = tuple[str, em.Fit, Array]
"""The name of a start, its end without the posterior, and its labels."""
RESTARTS = 7
MANY = 500_000
"""With more annotations than this, one restart in addition to the three fixed starts."""
SMALL = 60_000
"""Up to this many annotations, further starts near the best end are tried, unless independent starts found it ..."""
TIMES = 3
"""... this often, ..."""
PATIENCE, MOST_STARTS = 40, 200
"""... until this many in a row find nothing better, or this many starts have been made in all."""
COARSE, SHORT = 1e-10, 400
"""The relative gain and the iterations at which each of many starts ends; the best is then run to its own end."""
SAME_MODE = 0.01
"""Objectives that differ by less are the same mode."""
ALIKE = 1e-6
"""Objectives that differ by less are equally good, for example after label switching."""
PAPER = em.Rule(tolerance=1e-8, max_iter=100, watch="log_likelihood")


def fit(
    ann: Annotations | Votes,
    model: str = "dawid_skene",
    *,
    start: str = "best",
    smoothing: float = 0.01,
    gold: Mapping[Any, Any] | None = None,
    priors: FittedModel | Mapping[Any, Any] | None = None,
    prevalence: str | None = None,
    ties: str = "split",
    items: Sequence[Any] = (),
    restarts: int | None = None,
    tolerance: float = 1e-13,
    max_iter: int = 5000,
    seed: int = 0,
    progress: em.Progress | None = None,
    alike: float = 1.0,
) -> FittedModel:
    """Fit a model; the options are those of :func:`raters.consensus`, and ``alike``, which ``auto`` chooses for
    numbers.
    """
    row = model_named(model)
    check_call(
        ann,
        start=start,
        smoothing=smoothing,
        prevalence=prevalence,
        ties=ties,
        restarts=restarts,
        max_iter=max_iter,
        seed=seed,
    )
    votes = ann if isinstance(ann, Votes) else Votes.of(ann, items)
    check_table(ann, votes, row)
    uniform = row.uniform if prevalence is None else prevalence == "uniform"
    settings = Settings(smoothing, uniform, ties, seed, prior_matrices(priors, votes, row), alike=alike)
    known = None if not gold else gold_values(gold, votes) if row.numbers else gold_codes(gold, votes)
    if isinstance(row.method, Vote):
        found = voted(row, row.method, votes, known, settings)
    else:
        if row.dense:
            require_room(votes, model)
        problem = Problem(row, Task.of(votes, known, settings))
        rule = em.Rule(max(tolerance, row.method.tolerance), max_iter)
        if row.method.start is not None:
            found = from_one_start(problem, row.method, settings, rule, progress)
            if row.numbers and not learnable(votes, known, settings):  # one label each does not show how exact it is
                found = replace(found, posterior=np.stack([found.posterior[:, 0], np.full(votes.n_items, np.nan)], -1))
        else:
            found = best_of(problem, settings, start, restarts, rule, progress)
    return replace(found, notes=(*found.notes, *notes_of(found, gold)))


def voted(
    row: Model, vote: Vote, votes: Votes, gold: Array | None, settings: Settings, params: Params | None = None
) -> FittedModel:
    """The result of a vote; ``params``: what is already known about the raters."""
    task = Task.of(votes, gold, settings)
    reason = "predicted, not fitted" if params else vote.reason
    params = vote.params(task) if params is None else params
    q, _ = row.expect(task, params)
    return FittedModel(row.name, votes, q, params, reason=reason, gold=gold, settings=settings, notes=vote.notes(task))


def from_one_start(
    problem: Problem, method: EM, settings: Settings, rule: em.Rule, progress: em.Progress | None
) -> FittedModel:
    """A model with a start of its own."""
    if method.start is None:
        raise UsageError(f"{problem.model.name!r} has no default starting point.")
    first = method.start(problem.task)
    got = em.run(problem, first, rule=rule, within=problem.within, name=method.start_name, progress=progress)
    return from_run(problem, settings, got, method.start_name)


def from_run(problem: Problem, settings: Settings, got: em.Fit, name: str) -> FittedModel:
    """The result of the only run of the loop."""
    only = Start(name, got.objective, got.log_likelihood, got.iterations, got.converged, got.reason, 0)
    row, task = problem.model, problem.task
    return FittedModel(
        row.name,
        task.votes,
        row.posterior(got.expected),
        got.params,
        got.objectives,
        got.log_likelihoods,
        name,
        (only,),
        got.converged,
        got.reason,
        task.gold,
        settings,
    )


def best_of(
    problem: Problem,
    settings: Settings,
    start: str,
    restarts: int | None,
    rule: em.Rule,
    progress: em.Progress | None,
) -> FittedModel:
    """Run every start, keep the best objective, and compare the others with it."""
    votes, gold = problem.task.votes, problem.task.gold
    rng, restarts_asked = np.random.default_rng(settings.seed), restarts
    if restarts is None:
        restarts = RESTARTS if votes.n_annotations <= MANY else 1
    names = [*BEST, *["random"] * restarts] if start == "best" else [start]
    if alone := start != "paper" and not learnable(votes, gold, settings):
        rule = em.Rule(np.inf, 2)  # nobody to compare with: all splits of the labels fit equally well
        names = ["votes"] if start == "best" else names
    small = start == "best" and restarts_asked is None and not alone and votes.n_annotations <= SMALL
    short = em.Rule(max(rule.tolerance, COARSE), min(rule.max_iter, SHORT)) if small else rule

    def run(one: str, near: Array | None) -> em.Fit:
        how = PAPER if one == "paper" else short
        q = begin(one, votes, gold, rng) if near is None else SHAKES[one](near, begin("random", votes, gold, rng), rng)
        return em.run(problem, q, rule=how, name=one, progress=progress)

    best, at, ends = _searched(run, names, votes.shares(), small)
    if small:
        best = _finished(problem, best, rule, ends[at][0], progress)
        ends[at] = _end(ends[at][0], best)
    kept = ends[at][0]
    if alone:
        best = replace(best, reason="no overlapping raters; labels returned unchanged")
    chosen = best.expected.argmax(1)
    starts = tuple(
        Start(one, f.objective, f.log_likelihood, f.iterations, f.converged, f.reason, int((codes != chosen).sum()))
        for one, f, codes in ends
    )
    return FittedModel(
        problem.model.name,
        votes,
        best.expected,
        best.params,
        best.objectives,
        best.log_likelihoods,
        kept,
        starts,
        best.converged,
        best.reason,
        gold,
        settings,
    )


def _searched(
    run: Callable[[str, Array | None], em.Fit], names: list[str], shares: Array, small: bool
) -> tuple[em.Fit, int, list[End]]:
    """The best end, its index, and all ends: of the named starts and, for a small table, of starts near the best."""
    best, at, since = run(names[0], None), 0, 0
    ends = [_end(names[0], best)]
    waiting = names[1:]
    while waiting or (small and since < PATIENCE and len(ends) < MOST_STARTS and not _found_again(best, ends)):
        one = waiting.pop(0) if waiting else list(SHAKES)[len(ends) % len(SHAKES)]
        fit = run(one, best.expected if one in SHAKES else None)
        ends.append(_end(one, fit))
        since = 0 if one not in SHAKES or fit.objective > best.objective + SAME_MODE else since + 1
        if _better(fit, best, shares):
            best, at = fit, len(ends) - 1
    return best, at, ends


def _found_again(best: em.Fit, ends: list[End]) -> bool:
    """Whether enough independent starts ended where the best one did."""
    return sum(best.objective - f.objective < SAME_MODE for name, f, _ in ends if name not in SHAKES) >= TIMES


def _finished(problem: Problem, fit: em.Fit, rule: em.Rule, name: str, progress: em.Progress | None) -> em.Fit:
    """The best of many short runs, run to its end."""
    left = rule.max_iter - fit.iterations
    if left < 1:
        return fit
    more = em.run(problem, fit.expected, fit.params, rule=em.Rule(rule.tolerance, left), name=name, progress=progress)
    traces = (*fit.objectives, *more.objectives), (*fit.log_likelihoods, *more.log_likelihoods)
    return replace(more, objectives=traces[0], log_likelihoods=traces[1])


def _better(fit: em.Fit, best: em.Fit, shares: Array) -> bool:
    """Compare by the objective; if labels are only switched, which leaves it unchanged, by how well the truth matches
    the raters' labels.
    """
    gain = fit.objective - best.objective
    if abs(gain) > ALIKE:
        return gain > 0
    return float(((fit.expected - best.expected) * shares).sum()) > ALIKE * len(shares)


def _end(name: str, fit: em.Fit) -> End:
    """What is kept of a run besides the best one: everything but the posterior."""
    return name, replace(fit, expected=None, params={}), fit.expected.argmax(1).astype(np.int32)
