"""Posteriors, entropies and mutual information of given parameters."""

import numpy as np
import pytest

from raters.errors import UsageError
from raters.papers import annotation_tables as tables

THETA = {"a": [[0.75, 0.25], [0.40, 0.60]], "b": [[0.65, 0.35], [0.30, 0.70]], "c": [[0.9, 0.1], [0.2, 0.8]]}
PI = [0.2, 0.8]


def test_the_papers_worked_example():
    """Passonneau & Carpenter (2014), section 2.2.1: .00975 and .0768, that is .11 and .89."""
    found = tables.posterior_given({"a": 1, "b": 1, "c": 2}, THETA, PI)
    assert found == pytest.approx({1: 0.00975 / (0.00975 + 0.0768), 2: 0.0768 / (0.00975 + 0.0768)})
    assert {k: round(v, 2) for k, v in found.items()} == {1: 0.11, 2: 0.89}
    named = tables.posterior_given([("a", "no"), ("b", "no"), ("c", "yes")], THETA, PI, names=["no", "yes"])
    assert named["yes"] == found[2]


def test_entropies_of_the_papers_matrices():
    """The paper prints conditional entropies .71 .60 .47 and information .01 .13 .25; its own numbers give these."""
    left = [tables.expected_entropy(PI, m) for m in THETA.values()]
    assert [round(x, 3) for x in left] == [0.664, 0.663, 0.468]
    bits = [tables.mutual_information(m, PI) for m in THETA.values()]
    assert [round(x, 3) for x in bits] == [0.058, 0.059, 0.253]
    for x, y in zip(left, bits, strict=True):
        assert x + y == pytest.approx(tables.entropy_of(PI))


def test_laws_of_expected_entropy():
    one, two = tables.expected_entropy(PI, THETA["a"]), tables.expected_entropy(PI, THETA["a"], THETA["c"])
    assert two == pytest.approx(tables.expected_entropy(PI, THETA["c"], THETA["a"])) and two < one
    blind = [[0.3, 0.7], [0.3, 0.7]]
    assert tables.expected_entropy(PI, blind, blind) == pytest.approx(tables.entropy_of(PI))
    assert tables.expected_entropy(PI, np.eye(2)) == pytest.approx(0)
    for wrong in ([0.5, 0.6], [1.2, -0.2]):
        with pytest.raises(UsageError, match="not a distribution"):
            tables.entropy_of(wrong)
    with pytest.raises(UsageError, match="rows that sum to 1"):
        tables.mutual_information([[0.5, 0.4], [0, 1]], PI)
    with pytest.raises(UsageError, match="no matrix for"):
        tables.posterior_given({"z": 1}, THETA, PI)
