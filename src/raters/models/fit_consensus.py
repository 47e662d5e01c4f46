"""``consensus``: fit a model, with its uncertainty if requested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.models.choosing.auto import AUTO, auto
from raters.models.choosing.power import check_tempering, with_tempering
from raters.models.families.registry import MODELS
from raters.models.fitted_model import FittedModel
from raters.models.fitting.checks import check_known, check_numbers
from raters.models.fitting.em import Progress
from raters.models.fitting.fit import fit
from raters.models.result import Consensus
from raters.models.uncertainty import bayes
from raters.models.uncertainty.methods import DRAW
from raters.models.votes import Votes
from raters.tables import Reading, Source, table, takes_tables


@takes_tables(keep=(Votes,))
def consensus(
    ann: Source | Votes,
    model: str = "auto",
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
    uncertainty: str | None = None,
    draws: int | None = None,
    tempering: float | str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Consensus:
    """Fit an annotation model: estimate the label of each item, how certain it is, and the error rates of each rater.

    ``model``: ``auto`` chooses by held-out labels, and ``.choice`` says which model it chose and why; or one of
    ``raters.models.MODELS``: a vote
    (``majority``) or a model of raters (``dawid_skene``, ``hierarchical``, ...) for labels, ``gaussian`` for numbers.
    ``start``: ``best`` (votes, majority, diagonal and ``restarts`` random ones; the best objective is kept), or one of
    ``votes majority diagonal random paper``; ``paper`` also stops as Passonneau and Carpenter did.
    ``smoothing``: the pseudocount added to every count in the M step. ``gold``: item -> label, for items whose label is known.
    ``priors``: an earlier consensus, or rater -> matrix of counts (true label, given label), and
    ``"prevalence"`` -> counts of items with each label. Large counts hold the parameters where they are.
    ``prevalence``: ``"learned"`` or ``"uniform"``; each model has its usual one. ``ties``: for ``majority``,
    ``first random abstain split``. ``items``: further items, which may be unlabelled and then remain so.
    ``uncertainty``: ``"posterior"`` (Gibbs sampling), ``"bootstrap"`` (over items), or ``"bayes"`` (the extra ``[bayes]``:
    ``dawid_skene hierarchical item_difficulty`` by Hamiltonian Monte Carlo), with ``draws``.

    ``tempering``: the weight of a label in the posterior, such as 0.5; ``"held_out"`` estimates it (as ``auto`` does), and makes
    the posterior of a vote the probability of winning a very large vote. None: 1, the model as published.

    >>> import raters
    >>> c = consensus(raters.read([("a", 1, "no"), ("a", 2, "no"), ("a", 3, "yes"), ("b", 1, "yes"), ("b", 2, "yes")]))
    >>> c.labels
    {'a': 'no', 'b': 'yes'}
    """
    ann = ann if isinstance(ann, Votes) else table(ann)
    check_known("uncertainty", uncertainty, (None, *DRAW, "bayes"))
    check_numbers(draws=(draws, 1))
    options: dict[str, Any] = {
        "start": start, "smoothing": smoothing, "gold": gold, "priors": priors, "prevalence": prevalence, "items": items,
        "restarts": restarts, "tolerance": tolerance, "max_iter": max_iter, "seed": seed, "progress": progress,
    }  # fmt: skip
    check_tempering(tempering)
    if uncertainty == "bayes":
        check_known("model", "dawid_skene" if model == AUTO else model, tuple(bayes.MODELS))
        model = "dawid_skene" if model == AUTO else model
        return full_bayes(ann, model, draws=draws, **options)
    if model in bayes.MODELS and model not in MODELS:
        raise UsageError(f"model={model!r} is full Bayes: pass uncertainty='bayes'.")
    if model == AUTO:
        found = auto(ann, ties=ties, drawn=uncertainty == "posterior", **options)
    else:
        found = fit(ann, model, ties=ties, **options)
    found = with_tempering(found, tempering)
    if uncertainty is not None:
        drawn = DRAW[uncertainty](found, draws, seed)
        found = replace(found, uncertainty=drawn, warnings=(*found.warnings, *drawn.warnings))
    return Consensus.of(found)


def full_bayes(ann: Annotations | Votes, model: str = "dawid_skene", **options: Any) -> Consensus:
    """What ``consensus(..., uncertainty="bayes")`` gives, with the sampler's own ``draws``, ``warmup`` and ``chains``."""
    return Consensus.of(bayes.bayes(ann, model, **options))
