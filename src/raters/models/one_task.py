"""One task: fit a model, with its uncertainty if requested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.models.choosing.auto import AUTO, auto
from raters.models.choosing.power import check_tempering, with_tempering
from raters.models.families.registry import MODELS
from raters.models.families.spec import Vote
from raters.models.fitting.checks import check_known, check_numbers
from raters.models.fitting.fit import fit
from raters.models.result import Consensus
from raters.models.uncertainty import bayes
from raters.models.uncertainty.methods import DRAW
from raters.models.votes import Votes
from raters.options import check_passed_on


def fit_one(
    ann: Annotations | Votes,
    model: str = AUTO,
    *,
    ties: str = "split",
    uncertainty: str | None = None,
    draws: int | None = None,
    tempering: float | str | None = None,
    **options: Any,
) -> Consensus:
    """The result of :func:`raters.consensus` for one task."""
    check_known("uncertainty", uncertainty, (None, *DRAW, "bayes"))
    check_numbers(draws=(draws, 1))
    check_tempering(tempering)
    if uncertainty == "bayes":
        check_known("model", "dawid_skene" if model == AUTO else model, tuple(bayes.MODELS))
        return full_bayes(ann, "dawid_skene" if model == AUTO else model, draws=draws, **options)
    if model in bayes.MODELS and model not in MODELS:
        raise UsageError(f"model={model!r} is full Bayes: pass uncertainty='bayes'.")
    if model == AUTO:
        found = auto(ann, ties=ties, drawn=uncertainty == "posterior", **options)
    else:
        found = fit(ann, model, ties=ties, **options)
    if ties != "split" and not isinstance(found.definition.method, Vote):
        found = replace(found, warnings=(*found.warnings, f"ties={ties!r} was not used: {found.model} is not a vote"))
    if (asked := options.get("prevalence")) and (isinstance(found.definition.method, Vote) or found.numeric):
        unused = f"prevalence={asked!r} was not used: {found.model} has no prevalence"
        found = replace(found, warnings=(*found.warnings, unused))
    found = with_tempering(found, tempering)
    if uncertainty is not None:
        drawn = DRAW[uncertainty](found, draws, int(options.get("seed", 0)))
        found = replace(found, uncertainty=drawn, warnings=(*found.warnings, *drawn.warnings))
    return Consensus.of(found)


def full_bayes(ann: Annotations | Votes, model: str = "dawid_skene", **options: Any) -> Consensus:
    """The result of ``consensus(..., uncertainty="bayes")``, with the sampler's own ``draws``, ``warmup`` and ``chains``.

    It needs the extra ``[bayes]``::

        c = raters.models.full_bayes(raters.examples.demo(), draws=200, warmup=100)
        c.uncertainty.interval("prevalence")
    """
    check_passed_on("full_bayes", options, bayes.bayes, fit)
    return Consensus.of(bayes.bayes(ann, model, **options))
