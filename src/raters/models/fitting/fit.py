"""``consensus``: fit a model from one or several starts, keep the best, say what the others found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.models.families.gaussian import Gaussian
from raters.models.families.majority import TIES, majority
from raters.models.families.registry import BAYES, DISCRETE, MODELS, make
from raters.models.families.spec import Labelled
from raters.models.fitting import em
from raters.models.fitting.gold import compared, doubts, gold_codes, gold_values
from raters.models.fitting.starts import STARTS, begin
from raters.models.result import Consensus, Settings, Start
from raters.models.votes import Votes

Array = NDArray[Any]
RESTARTS = 7
MANY = 500_000
"""With more annotations than this, 1 restart beside the three fixed starts."""
ALIKE = 1e-6
"""Objectives that differ by less are as good: labels exchanged, say."""
FEW_FOR_A_CELL = 8
"""Labels per rater for each off-diagonal cell, below which a fit of whole matrices is too sure of its labels."""
MANY_TO_JUDGE = 200
"""Labels in all, below which nobody takes posteriors at their word."""
PAPER = em.Rule(tolerance=1e-8, max_iter=100, watch="log_likelihood")


def consensus(
    ann: Annotations | Votes,
    model: str = "dawid_skene",
    *,
    start: str = "best",
    smoothing: float = 0.01,
    gold: Mapping[Any, Any] | None = None,
    priors: Consensus | Mapping[Any, Any] | None = None,
    prevalence: str | None = None,
    ties: str = "split",
    items: Sequence[Any] = (),
    restarts: int | None = None,
    tolerance: float = 1e-13,
    max_iter: int = 5000,
    uncertainty: str | None = None,
    draws: int | None = None,
    seed: int = 0,
    progress: em.Progress | None = None,
) -> Consensus:
    """Fit an annotation model: which label each item has, how certain that is, and how each rater errs.

    ``model``: ``majority dawid_skene one_coin hierarchical mace glad`` for labels, ``gaussian`` for numbers.
    ``start``: ``best`` (votes, majority, diagonal and ``restarts`` random ones; the best objective is kept), or one of
    ``votes majority diagonal random paper``; ``paper`` also stops as Passonneau and Carpenter did.
    ``smoothing``: added to every count in the M step. ``gold``: item -> label, for items whose label is known.
    ``priors``: an earlier consensus, or rater -> matrix of counts (true label, given label).
    ``prevalence``: ``"learned"`` or ``"uniform"``; each model has its usual one. ``ties``: for ``majority``,
    ``first random abstain split``. ``items``: more items, which may have no label; they stay without one.
    ``uncertainty``: ``"posterior"`` (Gibbs sampling), ``"bootstrap"`` (over items), or ``"bayes"`` (the extra ``[bayes]``:
    ``dawid_skene hierarchical item_difficulty`` by Hamiltonian Monte Carlo), with ``draws``.

    >>> import raters
    >>> c = consensus(raters.read([("a", 1, "no"), ("a", 2, "no"), ("a", 3, "yes"), ("b", 1, "yes"), ("b", 2, "yes")]))
    >>> c.labels
    {'a': 'no', 'b': 'yes'}
    """
    _check(model, start, smoothing, prevalence, ties, uncertainty)
    _check_numbers(max_iter=(max_iter, 1), restarts=(restarts, 0), draws=(draws, 1), seed=(seed, 0))
    if not isinstance(ann, Annotations | Votes):
        raise UsageError(f"consensus needs annotations, not {type(ann).__name__}: raters.consensus(raters.read(...)).")
    if uncertainty == "bayes":
        from raters.models.uncertainty.bayes import bayes

        return bayes(
            ann, model, gold=gold, draws=draws, seed=seed, start=start, smoothing=smoothing, priors=priors,
            prevalence=prevalence, items=items, restarts=restarts, tolerance=tolerance, max_iter=max_iter, progress=progress,
        )  # fmt: skip
    votes = ann if isinstance(ann, Votes) else Votes.of(ann, items)
    _check_raters(ann, votes, model)
    usual = model in DISCRETE and DISCRETE[model].uniform
    uniform = usual if prevalence is None else prevalence == "uniform"
    settings = Settings(smoothing, uniform, ties, seed, _priors(priors, votes, model))
    rule = em.Rule(tolerance, max_iter)
    if model == "gaussian":
        found = _numbers(ann, votes, gold, settings, rule, progress)
    elif model == "majority":
        found = majority(votes, _gold(gold, votes), settings)
    else:
        known = _gold(gold, votes)
        made = make(model, votes, known, settings)
        found = best_of(model, made, votes, known, settings, start, restarts, rule, progress)
    found = replace(found, warnings=(*found.warnings, *_warnings(found), *_of_gold(found, gold)))
    if uncertainty is not None:
        from raters.models.uncertainty.methods import DRAW

        drawn = DRAW[uncertainty](found, draws, seed)
        found = replace(found, uncertainty=drawn, warnings=(*found.warnings, *drawn.warnings))
    return found


def best_of(
    name: str,
    model: Labelled,
    votes: Votes,
    gold: Array | None,
    settings: Settings,
    start: str,
    restarts: int | None,
    rule: em.Rule,
    progress: em.Progress | None,
) -> Consensus:
    """Run every start, keep the best objective, and compare the others with it."""
    rng = np.random.default_rng(settings.seed)
    if restarts is None:
        restarts = RESTARTS if votes.n_annotations <= MANY else 1
    names = ["votes", "majority", "diagonal", *["random"] * restarts] if start == "best" else [start]
    if alone := start != "paper" and not learnable(votes, gold, settings):
        rule = em.Rule(np.inf, 2)  # nobody to compare with: any split of the labels fits as well as any other
        names = ["votes"] if start == "best" else names
    runs = (
        em.run(model, begin(one, votes, gold, rng), rule=PAPER if one == "paper" else rule, name=one, progress=progress)
        for one in names
    )
    best, kept = next(runs), names[0]
    ends, shares = [_end(kept, best)], votes.shares()
    for one, fit in zip(names[1:], runs, strict=True):
        ends.append(_end(one, fit))
        if _better(fit, best, shares):
            best, kept = fit, one
    if alone:
        best = replace(best, reason="nothing to compare with: the labels as they were given")
    chosen = best.expected.argmax(1)
    starts = tuple(
        Start(one, f.objective, f.log_likelihood, f.iterations, f.converged, f.reason, int((codes != chosen).sum()))
        for one, f, codes in ends
    )
    return Consensus(
        name, votes, best.expected, best.params, best.objectives, best.log_likelihoods, kept, starts,
        best.converged, best.reason, gold, settings,
    )  # fmt: skip


def _better(fit: em.Fit, best: em.Fit, shares: Array) -> bool:
    """By the objective; where labels are only exchanged, which costs nothing, by how far the truth is what raters said."""
    gain = fit.objective - best.objective
    if abs(gain) > ALIKE:
        return gain > 0
    return float(((fit.expected - best.expected) * shares).sum()) > ALIKE * len(shares)


def learnable(votes: Votes, gold: Array | None, settings: Settings) -> bool:
    """Whether there is anything to hold a label against: another rater's, gold, or what was known before."""
    return gold is not None or bool(settings.priors) or bool(compared(votes).any())


def _end(name: str, fit: em.Fit) -> tuple[str, em.Fit, Array]:
    """What is kept of a run beside the best one: no posterior."""
    return name, replace(fit, expected=None, params={}), fit.expected.argmax(1).astype(np.int32)


def _numbers(
    ann: Annotations | Votes,
    votes: Votes,
    gold: Mapping[Any, Any] | None,
    settings: Settings,
    rule: em.Rule,
    progress: em.Progress | None,
) -> Consensus:
    if (isinstance(ann, Annotations) and not ann.numeric) or not _are_numbers(votes.labels):
        raise UsageError(f"model='gaussian' needs numbers; the labels are {listed(votes.labels)}. Use 'dawid_skene'.")
    known = gold_values(gold, votes) if gold else None
    model = Gaussian(votes, known)
    fit = em.run(model, model.start(), rule=rule, name="means", progress=progress)
    mean, variance = fit.expected
    only = Start("means", fit.objective, fit.log_likelihood, fit.iterations, fit.converged, fit.reason, 0)
    return Consensus(
        "gaussian", votes, np.stack([mean, np.sqrt(variance)], -1), fit.params, fit.objectives, fit.log_likelihoods,
        "means", (only,), fit.converged, fit.reason, known, settings,
    )  # fmt: skip


def _are_numbers(labels: Sequence[Any]) -> bool:
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in labels)


def _gold(gold: Mapping[Any, Any] | None, votes: Votes) -> Array | None:
    return gold_codes(gold, votes) if gold else None


def _of_gold(c: Consensus, gold: Mapping[Any, Any] | None) -> list[str]:
    labels = c.codes if gold and c.model in DISCRETE else None
    return doubts(gold, c.votes, labels) if gold else []


def _priors(priors: Consensus | Mapping[Any, Any] | None, votes: Votes, model: str) -> dict[Any, Array]:
    """Rater -> counts; from a consensus, the counts that it expects."""
    if priors is None:
        return {}
    takers = [name for name, family in DISCRETE.items() if family.takes_priors]
    if model not in takers:
        raise UsageError(f"model={model!r} takes no priors; {listed(takers)} do.")
    if isinstance(priors, Consensus):
        if priors.votes.labels != votes.labels:
            raise DataError(
                f"the priors are for labels {listed(priors.votes.labels)}, the data have {listed(votes.labels)}. Read both with the same labels=."
            )
        return dict(zip(priors.raters, priors.expected_counts, strict=True))
    if not isinstance(priors, Mapping):
        raise UsageError(f"priors={type(priors).__name__}: give an earlier consensus, or rater -> matrix of counts.")
    k = votes.n_labels
    made = {rater: np.asarray(counts, dtype=float) for rater, counts in priors.items()}
    for rater, counts in made.items():
        if counts.shape != (k, k) or not (np.isfinite(counts) & (counts >= 0)).all():
            raise UsageError(
                f"priors[{rater!r}] is not a {k} x {k} table of counts, one row for each true label {listed(votes.labels)}."
            )
    return made


def _check(
    model: str, start: str, smoothing: float, prevalence: str | None, ties: str, uncertainty: str | None
) -> None:
    if model in BAYES and model not in MODELS and uncertainty != "bayes":
        raise UsageError(f"model={model!r} is full Bayes: pass uncertainty='bayes'.")
    for what, value, known in (
        ("model", model, BAYES if uncertainty == "bayes" else MODELS),
        ("start", start, STARTS),
        ("prevalence", prevalence, (None, "learned", "uniform")),
        ("ties", ties, TIES),
        ("uncertainty", uncertainty, (None, "posterior", "bootstrap", "bayes")),
    ):
        if value not in known:
            raise UsageError(f"{what}={value!r} is not known. Use one of {listed(x for x in known if x is not None)}.")
    if not 0 <= smoothing < np.inf:
        raise UsageError(f"smoothing={smoothing} is not a number from 0 up; 0.01 is usual.")


def _check_numbers(**given: tuple[Any, int]) -> None:
    """Whole numbers, each with the least that makes sense."""
    for name, (value, least) in given.items():
        if value is not None and not (isinstance(value, int | np.integer) and value >= least):
            raise UsageError(f"{name}={value} is not a whole number from {least} up.")


def _check_raters(ann: Annotations | Votes, votes: Votes, model: str) -> None:
    if isinstance(ann, Annotations) and not ann.n_raters and model != "majority":
        raise UsageError(
            "this table does not say who gave which label, so nothing can be learned about raters. Use model='majority'."
        )
    if not votes.n_annotations:
        raise DataError("no annotations: there is nothing to fit.")


def _warnings(c: Consensus) -> list[str]:
    v, said = c.votes, []
    if c.starts and not c.converged:
        said.append(c.reason)
    if v.n_labels == 1:
        said.append("one label only: every item has it, and nothing can be learned about raters")
    elif c.model != "majority" and not learnable(v, c.gold, c.settings):
        who = "one rater only" if v.n_raters == 1 else "no item has labels of two raters"
        said.append(f"{who}: the model has nothing to compare, and takes the labels for the truth")
    few = int((v.per_rater.sum(1) < 5).sum())
    if few and c.model in ("dawid_skene", "one_coin", "mace"):
        said.append(
            f"{few:,} of {v.n_raters:,} raters gave fewer than 5 labels; 'hierarchical' takes such raters for average ones"
        )
    if c.model == "dawid_skene" and not c.settings.priors and (said_of := _too_sure(v)):
        said.append(said_of)
    if (empty := int((v.per_item == 0).sum())) > 0:
        said.append(f"{empty:,} items have no label and stay without one")
    return said


def _too_sure(v: Votes) -> str | None:
    """A whole matrix for each rater from few labels: the fit follows its own noise, and posteriors are too near 0 and 1."""
    cells, each = v.n_labels * (v.n_labels - 1), float(np.median(v.per_rater.sum(1)))
    if v.n_raters < 2 or not cells or each >= FEW_FOR_A_CELL * cells or each * v.n_raters < MANY_TO_JUDGE:
        return None
    return (
        f"{each:,.0f} labels per rater for a matrix of {cells} errors each: the model is too sure of its labels "
        "(in simulations 80 to 95 of 100 that it calls 99 % certain are right); 'hierarchical' or 'one_coin' need fewer"
    )
