"""Products of terms: sparse what dense gives, group by group."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from raters import scales
from raters.items import Items, products
from raters.items.bag import _self_product
from raters.scales import distance_kernel


def test_products_of_terms_by_group():
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.integers(0, 3, (7, 4 * 5)) * (rng.random((7, 20)) < 0.5).astype(float))
    kernel = distance_kernel("ratio", np.arange(1.0, 6), tuple(range(1, 6)), dense=0)
    items = Items(np.ones(7), counts, tuple(range(1, 6)), ("a", "b", "c", "nobody"))
    items = replace(items, counts=(counts @ sparse.diags_array([1.0] * 15 + [0.0] * 5)).tocsr())
    table, whole = products.by_group(items, kernel), products.features(items, kernel).toarray()
    blocks, both = products.Blocks((np.ones((7, 1)), table, counts)), np.c_[np.ones(7), whole, counts.toarray()]
    for made, exact in ((table, whole), (blocks, both)):
        assert made.shape == exact.shape
        rows, slope, few = rng.random((3, 7)), rng.random(exact.shape[1]), sparse.csr_array(np.eye(7)[[2, 0]])
        for weights in (rows, rows[0], few):
            assert np.allclose(weights @ made, weights @ exact, atol=1e-13)
        assert np.allclose(made @ slope, exact @ slope, atol=1e-13)
        assert np.allclose(products.dense(made[2:5]), exact[2:5], atol=1e-13)
        assert np.allclose(products.dense(made), exact, atol=1e-13)


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(1, 30), st.floats(0, 0.6), st.integers(0, 10**6))
def test_pair_sums_of_sparse_rows(n_rows, width, share, seed):
    """Few entries in a row: over its pairs; many: over the whole row. Both are s M s."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 4, (n_rows, width)) * (rng.random((n_rows, width)) < share)
    form = rng.normal(size=(width, width))
    k = scales.Kernel("own", 1.0, form + form.T)
    expected = np.einsum("ij,jk,ik->i", dense, k.form, dense)
    np.testing.assert_allclose(_self_product(sparse.csr_array(dense.astype(float)), k), expected, atol=1e-9)
    np.testing.assert_allclose(_self_product(sparse.csr_array(dense.astype(float)), k, chunk=7), expected, atol=1e-9)
