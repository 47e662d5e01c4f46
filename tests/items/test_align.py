"""Items of several tables side by side: by name, with equal rows as one and labels in one order."""

import numpy as np
import pytest
from pools import rows_of

import raters
from raters.items.align import align, beside, distinct, packed, unified


def test_items_align_by_name_over_kinds_of_names() -> None:
    x = raters.read([(1, "a", "n"), (2, "a", "y"), (2, "b", "y")])
    y = raters.read([("2", "c", "n"), ("z", "c", "y")])
    names, (left, right) = align([x, y])
    assert names == ["1", "2", "z"]
    assert left.per_item.tolist() == [1, 2, 0] and right.per_item.tolist() == [0, 1, 1]
    assert left.labels == right.labels == ("n", "y")
    whole = beside([left, right], "xy")
    assert whole.groups == (("x", None), ("y", None)) and whole.counts.shape == (3, 4)


def test_equal_rows_become_one_however_wide() -> None:
    rng = np.random.default_rng(4)
    from scipy import sparse

    dense = rng.integers(0, 2, (200, 7)) * rng.integers(1, 3, (200, 7))
    wide = np.zeros((200, 90))
    wide[:, rng.permutation(90)[:7]] = dense
    first, which = distinct(sparse.csr_array(wide))
    assert (wide[first][which] == wide).all() and len(first) == len(np.unique(wide, axis=0))
    _, (items,) = align([raters.read(rows_of("a", labels="nnnn", more="yyyy"))])
    assert packed(items).weight.tolist() == [4]


def test_labels_in_one_order() -> None:
    low = raters.read(rows_of("a"), scale="ordinal", labels=["y", "n"])
    high = raters.read(rows_of("b"), scale="ordinal", labels=["n", "y"])
    with pytest.raises(raters.UsageError, match="order their labels differently"):
        unified([low, high])
    more = raters.read(rows_of("b"), scale="ordinal", labels=["y", "so-so", "n"])
    assert unified([low, more])[0].labels == ("y", "so-so", "n")
    guessed = raters.read([("q1", "b1", 1), ("q1", "b2", 2)], scale="nominal")
    told = raters.read([("q1", "b1", 3.5), ("q1", "b2", 2)], scale="interval")
    with pytest.raises(raters.UsageError, match="different scales"):
        unified([guessed, told])
