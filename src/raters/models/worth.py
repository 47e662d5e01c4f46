r"""How many bits a rater's label carries about the truth, and who carries none.

.. math:: I_j = \sum_{kl} \pi_k \theta_{jkl} \log_2 \frac{\theta_{jkl}}{p_{jl}}, \qquad p_{jl} = \sum_k \pi_k \theta_{jkl}

A rater is worth the bits, not the accuracy: an adversary who always relabels the same way carries as much as an expert.
The plug-in estimate is never negative and is biased up, so a rater counts as a spammer where it does not pass what a rater with as
many labels, given without a look at the item, would reach in 95 of 100 cases (false discovery rate over raters). For this test a
rater's labels are held against the posterior from the others' labels alone.

Passonneau & Carpenter (2014), section 2.2.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.models.checks import Pair, residual_pairs
from raters.models.dawid_skene import rows_to_one
from raters.models.em import log, normalised
from raters.models.matching import LEAST
from raters.models.registry import model_of
from raters.models.result import Consensus, bits
from raters.models.starts import winners
from raters.models.votes import Votes

Array = NDArray[Any]
DRAWS = 400
CELLS = 4_000_000
COPY = 0.5
"""A pair is a near-copy where it closes this share of the gap from expected to full agreement."""


@dataclass(frozen=True)
class Information(EstimateTable):
    """One estimate for each rater, in bits for each label, best first; and who stands out."""

    entropy: float = 0.0
    """Bits in the truth before any label: no rater can carry more."""
    doubt: float = 0.0
    """Mean bits left in the items' posteriors."""
    spammers: tuple[Any, ...] = ()
    """Raters whose labels cannot be told from labels given without a look at the item."""
    adversaries: tuple[Any, ...] = ()
    """Raters whose labels carry information, but are right less often than by chance."""
    constant: tuple[Any, ...] = ()
    """Raters who gave one label only."""
    copies: tuple[Pair, ...] = ()
    """Pairs that agree more than their confusion matrices allow."""
    by_pool: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Bits for each label by pool, where pools were given."""


def information(
    c: Consensus,
    *,
    pools: Mapping[Any, Any] | None = None,
    cost: Mapping[Any, float] | float | None = None,
    level: float = 0.95,
    rate: float = 0.05,
    seed: int = 0,
) -> Information:
    """Rank raters by the bits that their labels carry; accuracy beside it.

    ``pools``: rater -> pool, for bits by pool. ``cost``: price of a label, one for all or by pool: bits for the money.
    ``rate``: the false discovery rate at which a rater is taken to know anything.

    >>> import raters
    >>> found = information(raters.consensus(raters.examples.demo()))
    >>> found[-1].name, len(found)
    ('dev', 5)
    """
    if c.numeric:
        raise UsageError("information is for labels; for numbers, compare .params['variance'] of the raters.")
    rng = np.random.default_rng(seed)
    value = mutual(c.confusion, c.prevalence)
    low, high, how = limits(c, value, level, rng)
    seen = mutual(rows_to_one(by_others(c) + c.settings.smoothing), c.prevalence)
    null, p = by_chance(c, seen, rng)
    informed = discoveries(p, rate)
    given = c.votes.per_rater
    labelled = np.bincount(c.votes.rater_of, minlength=c.votes.n_raters)
    constant = ((given > 0).sum(1) == 1) & (given.sum(1) >= 2)
    margin = np.einsum("k,rkl->rl", c.prevalence, c.confusion)
    chance = margin @ c.prevalence
    hostile = informed & (c.accuracy < chance) & (value > 0)
    flags = [_flags(bool(a), bool(b), bool(d)) for a, b, d in zip(~informed, hostile, constant, strict=True)]
    order = np.argsort(-value, kind="stable")
    rows = [
        Estimate(
            str(c.raters[j]), float(value[j]), float(low[j]), float(high[j]), level=level, interval=how,
            n_items=int(labelled[j]), n_raters=1, n_annotations=int(given[j].sum()),
            title=f"bits for each label of {c.raters[j]}", coefficient="information", warnings=(),
            details={
                "accuracy": float(c.accuracy[j]), "chance_accuracy": float(chance[j]), "bits_by_others": float(seen[j]), "null_95": float(null[j]),
                "p": float(p[j]), "flags": flags[j],
            },
        )
        for j in order
    ]  # fmt: skip
    return Information(
        tuple(rows),
        float(bits(c.prevalence)),
        float(np.mean(c.entropy[c.votes.per_item > 0])),
        tuple(c.raters[j] for j in order[::-1] if not informed[j]),
        tuple(c.raters[j] for j in order if hostile[j]),
        tuple(c.raters[j] for j in order if constant[j]),
        tuple(pair for pair in residual_pairs(c, rate=0.01) if pair.excess >= COPY),
        _by_pool(c, value, pools, cost),
    )


def _flags(spammer: bool, adversary: bool, constant: bool) -> str:
    names = (("spammer", spammer), ("adversary", adversary), ("constant", constant))
    return ", ".join(name for name, held in names if held)


def mutual(confusion: Array, prevalence: Array) -> Array:
    """(...,): mutual information of a label and the truth, in bits, for (..., true, given) matrices.

    >>> theta = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> round(float(mutual(theta, np.array([0.2, 0.8]))), 3)
    0.253
    """
    margin = np.einsum("k,...kl->...l", prevalence, confusion)
    return np.asarray(np.maximum(bits(margin) - np.einsum("k,...k->...", prevalence, bits(confusion)), 0))


def limits(c: Consensus, value: Array, level: float, rng: np.random.Generator) -> tuple[Array, Array, str]:
    """Limits from the draws of the fit if there are any; else from Dirichlet draws around the expected counts.

    The latter are centred on the estimate, so that the bias of the draws does not add to its own.
    """
    tail = [(1 - level) / 2, (1 + level) / 2]
    if c.uncertainty is not None and "confusion" in c.uncertainty.values:
        d = c.uncertainty.values
        found = mutual_draws(d["confusion"], d["prevalence"])
        low, high = np.quantile(found, tail, axis=0)
        return low, high, c.uncertainty.method
    k = c.votes.n_labels
    low, high = np.empty(len(value)), np.empty(len(value))
    step = max(1, CELLS // (DRAWS * k * k))
    for j in range(0, len(value), step):
        shape = np.maximum(c.expected_counts[j : j + step], 0) + max(c.settings.smoothing, 1e-3)
        draws = mutual(rows_to_one(rng.standard_gamma(shape, (DRAWS, *shape.shape))), c.prevalence)
        draws += value[j : j + step] - draws.mean(0)
        low[j : j + step], high[j : j + step] = np.quantile(draws, tail, axis=0)
    top = float(bits(c.prevalence))
    return np.clip(low, 0, top), np.clip(high, 0, top), "dirichlet"


def mutual_draws(confusion: Array, prevalence: Array) -> Array:
    """(draw, rater)"""
    return np.stack([mutual(theta, share) for theta, share in zip(confusion, prevalence, strict=True)])


def by_chance(c: Consensus, value: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The 95 % quantile of the bits of a rater who labels as often and by the same margin, but blindly; and p values."""
    k, s = c.votes.n_labels, c.settings.smoothing
    given = c.votes.per_rater  # (rater, label)
    total = given.sum(1).astype(np.int64)
    draws = int(np.clip(2e7 / max(given.shape[0] * k * k, 1), 200, 1000))
    quantile, p = np.zeros(len(total)), np.ones(len(total))
    step = max(1, CELLS // (draws * k * k))
    for j in range(0, len(total), step):
        n = total[j : j + step]
        joint = c.prevalence[:, None] * rows_to_one(given[j : j + step])[:, None, :]  # (rater, true, given)
        shares = joint.reshape(len(n), -1)
        shares = shares / shares.sum(1, keepdims=True)
        drawn = rng.multinomial(n, shares, (draws, len(n))).reshape(draws, len(n), k, k)
        null = mutual(rows_to_one(drawn + s), c.prevalence)
        quantile[j : j + step] = np.quantile(null, 0.95, axis=0)
        p[j : j + step] = (1 + (null >= value[j : j + step] - 1e-12).sum(0)) / (draws + 1)
    return quantile, p


def by_others(c: Consensus) -> Array:
    """(rater, true label, given label): counts of each rater's labels against what the *other* labels of the item say.

    A rater's own labels shape the posterior, so that even a guesser seems to know something; not so here.
    """
    k = c.votes.n_labels
    counts = np.zeros((c.votes.n_raters * k, k))  # (rater * given, true)
    sizes = np.diff(c.votes.table.indptr)
    blocks = np.searchsorted(np.cumsum(sizes) * k // CELLS, np.arange(int(sizes.sum()) * k // CELLS + 2))
    for a, b in itertools.pairwise(dict.fromkeys([0, *blocks.tolist(), c.votes.n_items])):
        at = np.arange(a, b)
        votes = c.votes.rows(at)
        q = without_own(c, votes, at)
        np.add.at(counts, votes.table.indices, q * votes.table.data[:, None])
    return counts.reshape(-1, k, k).swapaxes(1, 2)


def without_own(c: Consensus, votes: Votes, at: Array) -> Array:
    """(cell, label): the posterior of each cell's item without any label of the cell's rater."""
    pair = votes.item_of.astype(np.int64) * votes.n_raters + votes.rater_of
    first = np.flatnonzero(np.diff(pair, prepend=-1))  # cells of one rater on one item lie side by side
    group = np.cumsum(np.diff(pair, prepend=-1) != 0) - 1
    model = model_of(c)
    if model is None:
        own = np.zeros((len(pair), votes.n_labels))
        own[np.arange(len(pair)), votes.label_of] = votes.table.data
        return winners(votes.counts[votes.item_of] - np.add.reduceat(own, first)[group])
    params = dict(c.params) | ({"ease": c.params["ease"][at]} if "ease" in c.params else {})
    logs = np.maximum(model.cells(params, votes), LEAST) * votes.table.data[:, None]
    starts = votes.table.indptr[:-1]
    total = np.zeros((votes.n_items, votes.n_labels))
    some = np.flatnonzero(np.diff(votes.table.indptr))
    total[some] = np.add.reduceat(logs, starts[some])
    scores = log(c.prevalence) + total[votes.item_of] - np.add.reduceat(logs, first)[group]
    gold = None if c.gold is None else c.gold[at][votes.item_of]
    return normalised(scores, gold)[0]


def discoveries(p: Array, rate: float) -> Array:
    """Benjamini-Hochberg: which hypotheses fall at this false discovery rate.

    >>> discoveries(np.array([0.001, 0.04, 0.9]), 0.05).tolist()
    [True, False, False]
    """
    order = np.argsort(p, kind="stable")
    passed = np.flatnonzero(p[order] <= rate * np.arange(1, len(p) + 1) / max(len(p), 1))
    found = np.zeros(len(p), bool)
    found[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return found


def _by_pool(
    c: Consensus, value: Array, pools: Mapping[Any, Any] | None, cost: Mapping[Any, float] | float | None
) -> EstimateTable:
    """Bits for each label by pool, labels alike; with a price, bits for each unit of money."""
    if pools is None and cost is None:
        return EstimateTable(())
    pool_of = pools or {}
    names = [pool_of.get(r, "all" if pools is None else None) for r in c.raters]
    weight = c.votes.per_rater.sum(1)
    rows = []
    for pool in dict.fromkeys(names):
        at = np.array([name == pool for name in names])
        n = float(weight[at].sum())
        each = float(weight[at] @ value[at] / n) if n else np.nan
        price = cost.get(pool) if isinstance(cost, Mapping) else cost
        more = {} if price is None else {"cost_per_label": price, "cost_per_bit": price / each if each else np.nan}
        rows.append(
            Estimate(
                str(pool), each, n_raters=int(at.sum()), n_annotations=int(n), coefficient="information",
                title=f"bits for each label of {pool}", details=more,
            )
        )  # fmt: skip
    return EstimateTable(tuple(rows))
