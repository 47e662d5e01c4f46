"""What follows from given parameters of an annotation model, without data: posteriors, entropies, and the information in labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.models.entropy import bits, mutual
from raters.options import asks

Array = NDArray[Any]
MOST_PATTERNS = 1_000_000
"""Largest number of patterns of several labels that are enumerated."""


@asks()
def posterior_given(
    labels: Mapping[Any, Any] | Sequence[tuple[Any, Any]],
    matrices: Mapping[Any, Any],
    prevalence: Any,
    *,
    names: Sequence[Any] | None = None,
) -> dict[Any, float]:
    r"""The probability of each true label of one item, given the raters' labels, their confusion matrices and the prevalence.

    .. math:: p(z = k \mid y) \propto \pi_k \prod_j \theta_{j, k, y_j}

    ``labels``: rater -> label, or pairs if a rater gave two labels; ``matrices``: rater -> (true label, given label); ``names``: the
    labels in the order of the matrices, by default 1, 2, 3, ...

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

    Passonneau and Carpenter print .01, .13 and .25 for these; their own matrices and prevalence reproduce only the third.
    """
    pi = distribution(prevalence, "prevalence")
    return float(mutual(matrix(confusion, len(pi), "the rater"), pi))


@asks()
def expected_entropy(prevalence: Any, *matrices: Any) -> float:
    """Expected bits of uncertainty that remain after one label from each of these raters.

    With one matrix, this is the conditional entropy of the paper; with two, the entropy after two labels, and so on. Labels are independent given the truth.

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
            f"the matrix of {whose} is not {k} x {k} with rows that sum to 1: a row for each true label, a column for each given label."
        )
    return found
