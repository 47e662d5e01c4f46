"""What has no k-rater reliability: refused with what to do instead, or undefined with the reason."""

import numpy as np
import pytest
from coded_sets import drawn
from ratings import wide

import raters
from raters import examples
from raters.errors import DataError, UsageError


def test_errors_say_what_to_do():
    ann = examples.fleiss_1971()
    with pytest.raises(DataError, match="split allows k up to 3; for a larger k, use method='model'"):
        raters.krr(ann, 4, method="split")
    with pytest.raises(UsageError, match="choose majority"):
        raters.krr(ann, 3, aggregate="mean")
    with pytest.raises(UsageError, match="to means of numbers"):
        raters.krr(wide([[1, 2], [2, 3]]), 2, aggregate="median", method="icc")
    with pytest.raises(UsageError, match="against="):
        raters.krr(ann, 3, method="empirical")
    with pytest.raises(UsageError, match="k=0"):
        raters.krr(ann, 0)
    with pytest.raises(UsageError, match="unknown method"):
        raters.krr(ann, 3, method="magic")
    with pytest.raises(UsageError, match="no option 'cluster'"):
        raters.krr(ann, 3, cluster="topic")
    once = raters.read([(i, 0, i % 2) for i in range(6)], scale="nominal")
    with pytest.raises(DataError, match="no item has two labels"):
        raters.krr(once, 2, method="split")


def test_undefined_is_said():
    e = raters.krr(wide([[1, 1, 1, 1]] * 5, "nominal"), 2)
    assert np.isnan(e.value) and "do not vary" in e.warnings[-1]


@pytest.mark.parametrize("method", ["model", "bootstrap"])
def test_labels_that_say_nothing_of_reliability(method):
    once = raters.read([(i, 0, i % 2) for i in range(30)], scale="nominal")
    alone = raters.read([("a", j, j % 2) for j in range(6)], scale="nominal")
    same = wide(np.zeros((20, 6), int), "nominal", labels=[0, 1, 2, 3])
    for ann, why in ((once, "no item has two labels"), (alone, "a single item"), (same, "every label is the same")):
        e = raters.krr(ann, 5, method=method)
        assert np.isnan(e.value) and np.isnan(e.low) and why in e.warnings[0]
    few = raters.read([(i, 0, i / 7) for i in range(30)], scale="interval")
    assert "no item has two labels" in raters.krr(few, 5, method="icc").warnings[0]


def test_replications_must_share_labels():
    x, y = (wide([list(row) for row in rows], "nominal") for rows in (["yyn", "nny"] * 5, ["YYN", "NNY"] * 5))
    with pytest.raises(DataError, match="no label in common"):
        raters.krr(x, 3, against=y)


def test_errors_name_only_methods_that_take_the_labels():
    rng = np.random.default_rng(0)
    many = wide(rng.normal(size=(40, 6)))
    with pytest.raises(DataError, match="split allows k up to 3; for a larger k, use method='icc' or 'spearman_brown'"):
        raters.krr(many, 4, method="split")
    text = wide(rng.integers(0, 70, (100, 6)), "nominal")
    with pytest.raises(DataError, match=r"split allows k up to 3\.$"):
        raters.krr(text, 4, method="split")


def test_numbers_that_are_none_are_refused():
    ann = examples.fleiss_1971()
    for k in (1.5, float("nan"), float("inf"), "3"):
        with pytest.raises(UsageError, match=r"k=.* is not a whole number"):
            raters.krr(ann, k)
    for seed in (-1, 1.5):
        with pytest.raises(UsageError, match="seed="):
            raters.krr(ann, 2, seed=seed)
    with pytest.raises(UsageError, match="replications="):
        raters.krr(ann, 2, replications=1.5)
    with pytest.raises(UsageError, match="one answer per row"):
        raters.krr(ann, 2, aggregate=lambda rows: rows[:1, 0])


def test_krr_needs_a_stated_aggregate() -> None:
    from raters.reliability.krr.krr import krr

    with pytest.raises(UsageError, match="explicit aggregate"):
        krr(drawn(), k=1)
