"""Tables of two raters, as patterns and as rows, that tests of small studies share."""

import numpy as np
from scipy import sparse

import raters
from raters.items import Items
from raters.scales import Kernel

PLAIN = Kernel("identity", 1.0, total=2.0)
ALL_AGREE = [["a", "a"]] * 15 + [["b", "b"]] * 15


def two_raters(agree_no, apart, agree_yes, labels=("no", "yes")):
    """Items of two labels each, as patterns."""
    counts = np.zeros((3, len(labels)))
    counts[0, 0], counts[1, :2], counts[2, 1] = 2, 1, 2
    weight = np.array([agree_no, apart, agree_yes], float)
    at = weight > 0
    return Items(weight[at], sparse.csr_array(counts[at]), labels, n_raters=2)


def rows_of(matrix, prefix="q", who="r"):
    return [(f"{prefix}{i}", f"{who}{j}", str(k)) for i, row in enumerate(matrix) for j, k in enumerate(row)]


def table(matrix, **options):
    return raters.read(rows_of(matrix), scale="nominal", **options)
