"""Matthews' correlation for K labels (Gorodkin 2004), and the G index by its name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raters

TABLES = {
    "SexualFun": ([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]], 0.1305655),
    "MS Winnipeg": ([[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]], 0.2252529),
    "MS New Orleans": ([[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]], 0.3078800),
    "abstractors": ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.7978982),
    "Agresti 1992": ([[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]], 0.5360594),
}


def read(table):
    return raters.read(np.asarray(table), layout="contingency", scale="nominal")


@pytest.mark.parametrize("name", TABLES)
def test_figures(name):
    table, value = TABLES[name]
    e = raters.agreement(read(table), "mcc", interval="delta")
    assert round(e.value, 7) == value and e.low < e.value < e.high


def test_the_g_index_by_its_name():
    table, _ = TABLES["SexualFun"]
    e = raters.agreement(read(table), "g index", interval=None)
    assert round(e.value, 7) == 0.1501832 and e.coefficient == "brennan_prediger"


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=30))
@settings(max_examples=40)
def test_by_its_definition_and_beside_cohen(pairs):
    n = np.zeros((3, 3))
    for a, b in pairs:
        n[a, b] += 1
    ann = raters.read(
        [(i, r, v) for i, pair in enumerate(pairs) for r, v in zip("xy", pair, strict=True)],
        scale="nominal",
        labels=[0, 1, 2],
    )
    e = raters.agreement(ann, "matthews", interval=None)
    r, c, total = n.sum(1), n.sum(0), n.sum()
    below = (total**2 - (r**2).sum()) * (total**2 - (c**2).sum())
    if below == 0:
        assert np.isnan(e.value) and e.warnings
        return
    assert e.value == pytest.approx((total * np.trace(n) - r @ c) / np.sqrt(below), abs=1e-9)
    kappa = raters.agreement(ann, "cohen", interval=None).value
    assert abs(e.value) >= abs(kappa) - 1e-9


def test_it_is_the_correlation_of_two_columns_of_yes_and_no():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 60)
    y = np.where(rng.random(60) < 0.3, 1 - x, x)
    ann = raters.read(np.column_stack([x, y]), layout="wide", scale="nominal")
    assert raters.agreement(ann, "phi", interval=None).value == pytest.approx(np.corrcoef(x, y)[0, 1])
