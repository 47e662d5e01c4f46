"""Items lifted to pairs of labels."""

import numpy as np
from scipy import sparse

from raters.items import Items, lift
from raters.scales import distance_kernel


def test_lifted_pairs_between_groups_leave_out_the_group_itself():
    counts = sparse.csr_array(np.array([[2.0, 0, 1, 1], [0, 1, 0, 1]]))
    items = Items(np.ones(2), counts, ("a", "b"), ("g", "h"))
    x = lift(items, distance_kernel("nominal", np.array([1.0, 2]), ("a", "b")), between_groups=True)
    np.testing.assert_allclose(x.pair, [2 * 0.5, 2])
    np.testing.assert_allclose(x.own, [1 + 0.5, 2])
    assert x.r.tolist() == [2, 2]
