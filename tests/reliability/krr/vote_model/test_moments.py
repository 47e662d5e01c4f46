"""Moments of labels and of votes are unbiased."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import multinomial
from vote_models import MAJORITY, PLAIN

import raters
from raters.items import Items
from raters.reliability.krr.vote_model.simplex import lattice
from raters.reliability.krr.vote_model.tilted import moments


@given(st.integers(0, 1000), st.integers(2, 5), st.integers(2, 5), st.booleans())
@settings(max_examples=20)
def test_moments_are_unbiased(seed, q, n, ordered):
    """Over all tables of n labels that a point can show, the estimates have the point's own value as their mean."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(q), 1)
    counts = lattice(q, n).astype(float)
    chance = np.array([multinomial.pmf(c, n, p[0]) for c in counts])
    ann = raters.read(
        rng.integers(0, q, (3, 4)), layout="wide", scale="ordinal" if ordered else "nominal", labels=list(range(q))
    )
    items = Items(np.ones(len(counts)), sparse.csr_array(counts), ann.labels, (None,))
    found = moments(PLAIN, ann, MAJORITY, items, p, n, seed)
    assert chance @ found.of_patterns == pytest.approx(found.of_points[0])


def test_moments_of_votes_are_unbiased():
    counts = lattice(3, 6).astype(float)
    p = np.array([[0.5, 0.3, 0.2]])
    chance = np.array([multinomial.pmf(c, 6, p[0]) for c in counts])
    ann = raters.read(np.arange(12).reshape(3, 4) % 3, layout="wide", scale="ordinal", labels=[0, 1, 2])
    many = np.full(len(counts), 100.0)  # so that each table is split often
    found = moments(PLAIN, ann, MAJORITY, Items(many, sparse.csr_array(counts), ann.labels, (None,)), p, 6, 0)
    assert found.of_points.shape == (1, 14)
    assert chance @ found.of_patterns == pytest.approx(found.of_points[0], abs=0.01)
