"""What follows from given parameters of an annotation model, without data: posteriors, entropies, and the information
in labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.charts.bars import grouped_bars
from raters.charts.chart import Chart
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import EstimateTable
from raters.items import python_values
from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import bits, mutual, winners
from raters.options import asks

Array = NDArray[Any]
MOST_PATTERNS = 1_000_000
"""Largest number of patterns of several labels that are enumerated."""


Experts = Mapping[Any, Any] | Annotations
"""Experts' labels: item -> label or labels, or a table."""


def by_item(experts: Experts) -> Mapping[Any, Any]:
    """Experts' labels by item; of a table, every label of an item."""
    if not isinstance(experts, Annotations):
        return experts
    got = experts.engine.query("SELECT item, label FROM annotations ORDER BY row")
    name = dict(zip(experts.keys.tolist(), experts.labels, strict=True))
    found: dict[Any, list[Any]] = {}
    for item, label in zip(python_values(got["item"]), python_values(got["label"]), strict=True):
        found.setdefault(item, []).append(name.get(label, label))
    return found


@asks()
def posterior_given(
    labels: Mapping[Any, Any] | Sequence[tuple[Any, Any]],
    matrices: Mapping[Any, Any],
    prevalence: Any,
    *,
    names: Sequence[Any] | None = None,
) -> dict[Any, float]:
    r"""The probability of each true label of one item, given the raters' labels, their confusion matrices and the
    prevalence.

    .. math:: p(z = k \mid y) \propto \pi_k \prod_j \theta_{j, k, y_j}

    ``labels``: rater -> label, or pairs if a rater gave two labels; ``matrices``: rater -> (true label, given label);
    ``names``: the labels in the order of the matrices, by default 1, 2, 3, ...

    >>> matrices = {"a": [[.75, .25], [.40, .60]], "b": [[.65, .35], [.30, .70]], "c": [[.9, .1], [.2, .8]]}
    >>> found = posterior_given({"a": 1, "b": 1, "c": 2}, matrices, [0.2, 0.8])
    >>> {k: round(p, 2) for k, p in found.items()}
    {1: 0.11, 2: 0.89}

    Passonneau & Carpenter (2014), TACL 2, 311-326, section 2.2.1: the vote is for 1, and the probability of 1 is .11.
    """
    pi = distribution(prevalence, "prevalence")
    called = list(names) if names is not None else list(range(1, len(pi) + 1))
    if len(called) != len(pi):
        raise UsageError(f"{len(called)} names for {len(pi)} labels.")
    log = np.log(np.maximum(pi, 1e-300))
    for rater, label in labels.items() if isinstance(labels, Mapping) else labels:
        if rater not in matrices:
            raise UsageError(f"no matrix for the rater {rater!r}; there are: {listed(list(matrices))}.")
        if label not in called:
            raise UsageError(f"label {label!r} of {rater!r} is not one of {listed(called)}.")
        log = log + np.log(np.maximum(matrix(matrices[rater], len(pi), rater)[:, called.index(label)], 1e-300))
    p = np.exp(log - log.max())
    return dict(zip(called, (p / p.sum()).tolist(), strict=True))


@asks()
def entropy_of(p: Any) -> float:
    """Entropy of a distribution in bits: the uncertainty about a label before any rater has labelled.

    >>> round(entropy_of([0.2, 0.8]), 3)
    0.722
    """
    return float(bits(distribution(p, "p")))


@asks()
def mutual_information(confusion: Any, prevalence: Any) -> float:
    """Bits that one label of a rater with this matrix is expected to carry about the truth.

    >>> [round(mutual_information(m, [0.2, 0.8]), 3) for m in ([[.75, .25], [.4, .6]], [[.65, .35], [.3, .7]], [[.9, .1], [.2, .8]])]
    [0.058, 0.059, 0.253]

    Passonneau and Carpenter print .01, .13 and .25 for these; their own matrices and prevalence reproduce only the
    third.
    """
    pi = distribution(prevalence, "prevalence")
    return float(mutual(matrix(confusion, len(pi), "the rater"), pi))


@asks()
def expected_entropy(prevalence: Any, *matrices: Any) -> float:
    """Expected bits of uncertainty that remain after one label from each of these raters.

    With one matrix, this is the conditional entropy of the paper; with two, the entropy after two labels, and so on.
    Labels are independent given the truth.

    >>> a, c = [[.75, .25], [.4, .6]], [[.9, .1], [.2, .8]]
    >>> [round(x, 3) for x in (expected_entropy([.2, .8]), expected_entropy([.2, .8], a), expected_entropy([.2, .8], a, c))]
    [0.722, 0.664, 0.43]
    """
    pi = distribution(prevalence, "prevalence")
    given = [matrix(m, len(pi), f"rater {j}") for j, m in enumerate(matrices, 1)]
    if len(pi) ** len(given) > MOST_PATTERNS:
        raise UsageError(f"{len(given)} labels of {len(pi)} kinds make too many patterns; pass fewer matrices.")
    left = 0.0
    for pattern in product(range(len(pi)), repeat=len(given)):
        joint = pi * np.prod([m[:, y] for m, y in zip(given, pattern, strict=True)], axis=0)
        seen = float(joint.sum())
        left += seen * float(bits(joint / seen)) if seen > 0 else 0.0
    return left


def distribution(p: Any, what: str) -> Array:
    """Check that shares are not negative and sum to 1."""
    found = np.asarray(p, dtype=float)
    if found.ndim != 1 or not len(found) or not (found >= 0).all() or abs(found.sum() - 1) > 1e-6:
        raise UsageError(
            f"{what}={np.round(found, 4).tolist()} is not a distribution: shares of 0 or more that sum to 1."
        )
    return found


def matrix(m: Any, k: int, whose: Any) -> Array:
    """Check that there is a row for each true label, and that each is a distribution over the given labels."""
    found = np.asarray(m, dtype=float)
    if found.shape != (k, k) or not (found >= 0).all() or not np.allclose(found.sum(1), 1, atol=1e-6):
        raise UsageError(
            f"the matrix of {whose} is not {k} x {k} with rows that sum to 1: a row for each true label, a column for"
            " each given label."
        )
    return found


@asks()
def prevalences(c: FittedModel, experts: Experts | None = None) -> dict[str, list[Any]]:
    """The share of each label in all labels as given, in the vote (ties split), in the model, and in the experts'
    labels if given.

    Passonneau & Carpenter (2014), Figure 4: where these differ, raters are biased.

    >>> import raters
    >>> found = prevalences(raters.consensus(raters.examples.demo()))
    >>> list(found)
    ['label', 'raw', 'vote', 'model']
    """
    _labels_only(c)
    seen = c.votes.per_item > 0
    raw = c.votes.counts.sum(0)
    table: dict[str, list[Any]] = {
        "label": list(c.votes.labels),
        "raw": (raw / raw.sum()).tolist(),
        "vote": winners(c.votes.counts)[seen].mean(0).tolist(),
        "model": c.prevalence.tolist(),
    }
    if experts:
        table["experts"] = expert_table(c, experts)[1].mean(0).tolist()
    return table


@asks()
def overlap(c: FittedModel, experts: Experts) -> dict[str, float]:
    """The share of items with the same label by experts and vote, by experts and model, and by vote and model.

    ``experts``: item -> label, item -> several labels, or a table of their labels, of which the most frequent counts and ties are divided.
    Only items that experts labelled count. Passonneau & Carpenter (2014), Figure 7.

    >>> import raters
    >>> c = raters.consensus(raters.examples.demo(), "dawid_skene")
    >>> overlap(c, {"review 001": c.labels["review 001"]})["experts_model"]
    1.0
    """
    _labels_only(c)
    at, expert = expert_table(c, experts)
    vote = winners(c.votes.counts)[at]
    model = np.zeros_like(vote)
    codes = c.codes[at]  # not the posterior, which may be shares of a vote
    model[np.flatnonzero(codes >= 0), codes[codes >= 0]] = 1
    pairs = {"experts_vote": (expert, vote), "experts_model": (expert, model), "vote_model": (vote, model)}
    return {name: float((a * b).sum(1).mean()) for name, (a, b) in pairs.items()} | {"n_items": float(len(at))}


def _labels_only(c: FittedModel) -> None:
    if c.numeric:
        raise UsageError(f"this compares labels; a {c.model} consensus has numbers, see .posterior[:, 0].")


def expert_table(c: FittedModel, given: Experts) -> tuple[Array, Array]:
    """Rows of the items that experts labelled, and their vote (item, label)."""
    experts = by_item(given)
    code = {name: k for k, name in enumerate(c.votes.labels)}
    at = [c._rows[item] for item in experts if item in c._rows]
    if not at:
        raise DataError(
            f"none of the experts' items is among the items (theirs are like {brief(next(iter(experts), None))})."
        )
    counts = np.zeros((len(at), len(code)))
    for row, i in enumerate(at):
        said = experts[c.items[i]]
        for label in said if isinstance(said, list | tuple) else (said,):
            if label in code:
                counts[row, code[label]] += 1
    return np.array(at), winners(counts) * (counts.sum(1, keepdims=True) > 0)


@asks()
def costs(c: FittedModel, price: float, *, certainty: float = 0.99) -> dict[str, float]:
    """The cost of the labels: in total, per item, and per item whose label is settled.

    ``price``: the price of one annotation.

    >>> import raters
    >>> round(costs(raters.consensus(raters.examples.demo()), 0.10)["per_item"], 3)
    0.476
    """
    if not price >= 0:
        raise UsageError(f"price={price} is not a price; pass what one annotation costs.")
    total = price * c.votes.n_annotations  # labels that were not counted were paid for too
    labelled = int((c.votes.per_item > 0).sum())
    sure = int((np.nan_to_num(c.certainty) >= certainty).sum())
    return {
        "total": total,
        "per_item": total / labelled if labelled else np.nan,
        "per_certain_item": total / sure if sure else np.nan,
        "certain_items": float(sure),
    }


BUCKETS = 15


def prevalence_chart(c: FittedModel, experts: Experts | None = None) -> Chart:
    """The share of each label in all labels as given, in the vote, in the model, and in the experts' labels: Figure 4
    of Passonneau and Carpenter.
    """
    table = prevalences(c, experts)
    series = {name: shares for name, shares in table.items() if name != "label"}
    return grouped_bars(
        table["label"],
        series,
        x="label",
        y="share",
        name="prevalence",
        caption="Share of each label in the labels as given, in the vote, and in the model.",
    )


def information_chart(pools: Mapping[str, EstimateTable]) -> Chart:
    """The distribution of bits per label over the raters of each pool: Figure 8.

    ``pools``: name -> :func:`raters.information` of that pool's consensus.
    """
    values = {name: np.array([e.value for e in t if np.isfinite(e.value)]) for name, t in pools.items()}
    if not any(len(v) for v in values.values()):
        raise UsageError("nothing to draw: no rater's information is known.")
    top = max(float(v.max()) for v in values.values() if len(v)) or 1.0
    edges = np.linspace(0, top, BUCKETS + 1)
    shares = {name: (np.histogram(v, edges)[0] / max(len(v), 1)).tolist() for name, v in values.items()}
    middle = [f"{(a + b) / 2:.2f}" for a, b in pairwise(edges)]
    means = ", ".join(f"{name} {v.mean():.2f} ({len(v)} raters)" for name, v in values.items() if len(v))
    return grouped_bars(
        middle,
        shares,
        x="bits in a label",
        y="share of raters",
        name="information",
        caption=f"Information in a label of each rater, by pool. Means: {means}.",
    )
