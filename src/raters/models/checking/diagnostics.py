"""Does the model hold? Whether it predicts held-out labels better than the vote, and whether raters are independent
given the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr

from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import Interval, IntervalSpec, interval
from raters.inference.statistic import Linear
from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import log
from raters.models.base.votes import Votes
from raters.models.families import voting
from raters.models.families.registry import model_named, names
from raters.models.families.spec import Vote, had
from raters.models.fitting.fit import fit
from raters.models.rater_quality.pair_agreement import pair_sums
from raters.models.rater_quality.skill import discoveries
from raters.options import asks, check_passed_on

Array = NDArray[Any]


@dataclass(frozen=True)
class Pair:
    """Two raters on the items that both labelled: observed agreement and what their matrices allow."""

    rater: Any
    other: Any
    n: int
    observed: float
    expected: float
    z: float
    p: float

    @property
    def excess(self) -> float:
        """The share of the gap from expected to full agreement that the pair closes."""
        return (self.observed - self.expected) / (1 - self.expected) if self.expected < 1 else 0.0


@asks()
def residual_pairs(c: FittedModel, *, least: int = 10, rate: float = 0.05) -> tuple[Pair, ...]:
    """Pairs that agree more than they would if they were independent given the truth, strongest first.

    Expected agreement on an item is the sum over truths k of q_ik times the sum over labels l of θ_akl θ_bkl. Pairs
    with fewer than ``least`` shared items are skipped; ``rate`` is the false discovery rate over all pairs (1: every
    pair).

    >>> import raters
    >>> len(residual_pairs(raters.consensus(raters.examples.demo(), "dawid_skene")))
    0
    """
    a, b, n, observed, expected, spread = pair_sums(c, least)
    keep = (n >= least) & (spread > 0)
    a, b, n, observed, expected, spread = (x[keep] for x in (a, b, n, observed, expected, spread))
    # continuity correction: the count is a whole number
    z = (observed - expected - 0.5) / np.sqrt(spread)
    p = ndtr(-z)
    found = np.flatnonzero(discoveries(p, rate))
    return tuple(
        Pair(
            c.raters[a[i]],
            c.raters[b[i]],
            int(n[i]),
            float(observed[i] / n[i]),
            float(expected[i] / n[i]),
            float(z[i]),
            float(p[i]),
        )
        for i in found[np.argsort(p[found], kind="stable")]
    )


def compare_models(
    ann: Annotations | Votes,
    models: Sequence[str] | None = None,
    *,
    folds: int = 5,
    start: str = "votes",
    tolerance: float = 1e-9,
    level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> EstimateTable:
    """Held-out log-likelihood of each model, in nats per annotation, by cross-validation over annotations.

    A held-out label is predicted from the other labels of its item and what the model learned about its rater; the vote
    predicts by shares of the other votes, with one added to each label. ``models``: by default, every model of raters
    and labels. ``tolerance``: as in ``consensus``; gains below it change these means by far less than their standard
    error. ``details``: the gain over the vote with its interval, and how often the most probable label was the one
    given.

    >>> import raters
    >>> table = compare_models(raters.examples.demo(), ["dawid_skene"])
    >>> table["dawid_skene"].value > table["majority"].value
    True
    """
    check_passed_on("compare_models", options, fit)
    models = names(likelihood=True) if models is None else (models,) if isinstance(models, str) else models
    odd = [m for m in models if m not in (can := names(numbers=False))]
    if odd:
        raise UsageError(f"model {odd[0]!r} cannot be compared here; {', '.join(can)} can.")
    votes = ann if isinstance(ann, Votes) else Votes.of(ann)
    if folds < 2 or votes.n_annotations < folds:
        raise UsageError(f"folds={folds} needs at least 2, and as many annotations.")
    fold = np.random.default_rng(seed).integers(0, folds, len(votes.table.data))
    scores = {name: np.empty((len(fold), 2)) for name in (voting.MODEL.name, *models)}
    for f in range(folds):
        train, held = (votes.kept(np.where(at, votes.table.data, 0)) for at in (fold != f, fold == f))
        for name, table in scores.items():
            table[fold == f] = held_out(
                name, train, held, {"start": start, "tolerance": tolerance, "seed": seed} | options
            )
    vote = scores.pop(voting.MODEL.name)
    first = _estimate(voting.MODEL.name, votes, vote, None, level, seed)
    return EstimateTable((first, *(_estimate(name, votes, x, vote, level, seed) for name, x in scores.items())))


def held_out(name: str, train: Votes, held: Votes, options: dict[str, Any]) -> Array:
    """(cell, 2): log probability of each held-out label, and whether it was the most probable one."""
    k, cells = train.n_labels, np.arange(len(held.table.data))
    row, c = model_named(name), fit(train, name, **options)
    if isinstance(row.method, Vote):
        p = (train.summed(train.table.data * row.method.weigh(c.params, train)) + 1)[held.item_of]
        p /= p.sum(1, keepdims=True)
    else:
        p = np.empty((len(cells), k))
        every = held.table.indices - held.label_of
        for label in range(k):
            table = sparse.csr_array((held.table.data, every + label, held.table.indptr), held.table.shape)
            asked = Votes(held.items, held.raters, held.labels, table)
            if row.dense:
                given = c.confusion[asked.rater_of, :, asked.label_of]
            else:
                given = np.exp(had(row.cells)(c.params, asked))
            p[:, label] = (c.posterior[held.item_of] * given).sum(1)
    return np.stack([log(p[cells, held.label_of]), p.argmax(1) == held.label_of], -1)


def _estimate(name: str, votes: Votes, table: Array, vote: Array | None, level: float, seed: int) -> Estimate:
    value, found = mean_over_items(votes, table[:, 0], level, seed)
    right = float(votes.table.data @ table[:, 1] / votes.table.data.sum())
    more = {"held_out_accuracy": right}
    if vote is not None:
        gain, limits = mean_over_items(votes, table[:, 0] - vote[:, 0], level, seed)
        more |= {"gain": gain, "gain_low": limits.low, "gain_high": limits.high}
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        level=level,
        interval=found.method,
        n_items=votes.n_items,
        n_raters=votes.n_raters,
        n_annotations=votes.n_annotations,
        title=f"held-out log-likelihood of {name}",
        coefficient="log_likelihood",
        details=more,
    )


def mean_over_items(votes: Votes, cells: Array, level: float, seed: int) -> tuple[float, Interval]:
    """The mean of a value over annotations, with its interval over items."""
    n = votes.table.data
    sums = np.stack([votes.per_item, np.bincount(votes.item_of, n * cells, votes.n_items)], -1)
    stat = Linear(np.ones(votes.n_items), sums, ratio)
    value = float(stat.parts(stat.weight).value)
    return value, interval(stat, value, IntervalSpec(level=level, seed=seed, resamples=1000))


def ratio(sums: Array) -> Parts:
    """The second of two sums divided by the first."""
    mean = sums[..., 1] / np.where(np.real(sums[..., 0]) == 0, np.nan, sums[..., 0])
    return Parts(mean, np.zeros_like(mean), 1.0, mean=mean)
