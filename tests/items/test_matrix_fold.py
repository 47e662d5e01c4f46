"""A matrix in memory is folded by arithmetic on codes: the same facts, patterns and order as the SQL gives."""

import warnings
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raters
from raters.annotations import Annotations
from raters.engines.matrix import MatrixEngine
from raters.errors import DataError
from raters.io.read import read
from raters.items import fold

NAN = float("nan")


def by_sql(ann: Annotations) -> Annotations:
    """The same annotations with the database in place of the matrix."""
    assert isinstance(ann.engine, MatrixEngine)
    return replace(ann, engine=ann.engine._sql)


def quietly(source: Any, **options: Any) -> Annotations:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read(source, layout="wide", **options)


def same_fold(ann: Annotations, **how: Any) -> None:
    here, there = fold(ann, **how)[None], fold(by_sql(ann), **how)[None]
    assert here.labels == there.labels and here.groups == there.groups and here.n_raters == there.n_raters
    if here.moments is None:
        assert np.array_equal(here.weight, there.weight)
        assert np.array_equal(here.counts.toarray(), there.counts.toarray())
    else:
        assert here.moments == pytest.approx(there.moments, rel=1e-12)
        assert here.counts.toarray() == pytest.approx(there.counts.toarray(), rel=1e-9, abs=1e-9)


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    n, r, q = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    values = draw(st.sampled_from([[0.0, 1, 2, 3], [-7.0, -0.0, 5, 100], [0.5, 1.5, -2.25, 3], [1e9, -1e9, 0, 2]]))
    cells = draw(st.lists(st.sampled_from([NAN, *values[:q]]), min_size=n * r, max_size=n * r))
    return np.array(cells).reshape(n, r)


@settings(max_examples=15, deadline=None)
@given(matrices())
def test_same_facts_and_patterns_as_the_database(m: np.ndarray[Any, Any]) -> None:
    if np.isnan(m).all():
        with pytest.raises(DataError, match="no annotations"):
            quietly(m)
        return
    ann, listed = quietly(m), quietly(m.tolist())
    assert isinstance(ann.engine, MatrixEngine) and not isinstance(listed.engine, MatrixEngine)
    for field in fields(Annotations):
        if field.name not in ("engine", "keys", "kept"):
            assert getattr(ann, field.name) == getattr(listed, field.name), field.name
    assert np.array_equal(ann.keys, listed.keys)
    for group in (None, "rater"):
        same_fold(ann, group=group)
    same_fold(ann, moments=True)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("turned", ["columns", "rows"])
def test_types_and_turned_matrices(dtype: str, turned: str) -> None:
    m = np.random.default_rng(1).integers(0, 5, (40, 3)).astype(dtype)
    ann = quietly(m.T if turned == "rows" else m, raters=turned, scale="nominal", labels=[4, 2, 0, 1, 3, 9])
    assert isinstance(ann.engine, MatrixEngine) and ann.labels == (4, 2, 0, 1, 3, 9)
    same_fold(ann)
    same_fold(ann, group="rater")


def test_more_labels_than_one_number_holds_go_by_sql() -> None:
    ann = quietly(np.random.default_rng(2).integers(0, 60, (50, 5)), scale="nominal")
    same_fold(ann)
    same_fold(ann, group="rater")


def test_labels_at_the_edge_of_the_span_are_exact() -> None:
    m = np.array([[-60000.0, 1e-20], [0.0, 5535.0]])
    assert quietly(m).keys.tolist() == [-60000.0, 0.0, 1e-20, 5535.0]


def test_the_matrix_is_neither_changed_nor_followed() -> None:
    m = np.array([[1.0, 1], [2, NAN], [2, 2], [1, 2]])
    before = m.copy()
    ann = quietly(m, scale="nominal")
    value = raters.agreement(ann, interval=None).value
    assert np.array_equal(m, before, equal_nan=True)
    m[:] = 1
    assert raters.agreement(ann, interval=None).value == value
    assert ann.engine.query("SELECT count(*) AS n FROM annotations WHERE label = 2")["n"][0] == 4


def test_whole_numbers_too_long_for_floats_are_codes() -> None:
    ann = quietly(np.array([[2**53 + 1, 2**53 + 3], [2**53 + 1, 2**53 + 1]]))
    assert not isinstance(ann.engine, MatrixEngine) and ann.labels == (str(2**53 + 1), str(2**53 + 3))


def test_infinities_and_labels_off_the_scale_are_named() -> None:
    with pytest.raises(DataError, match="label inf is not a finite number"):
        quietly(np.array([[1.0, np.inf], [1, 2]]))
    with pytest.raises(DataError, match=r"label 3 is not on the scale.*first: item 2, rater 1"):
        quietly(np.array([[1, 2], [3, 1]]), labels=[1, 2])


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_same_seed_same_interval(scale: str) -> None:
    drawn = np.random.default_rng(3)
    truth = drawn.integers(0, 4, 300)
    m = np.where(drawn.random((300, 4)) < 0.7, truth[:, None], drawn.integers(0, 4, (300, 4))).astype(float)
    m[drawn.random(m.shape) < 0.3] = NAN
    ann = quietly(m, scale=scale)
    assert raters.agreement(ann, seed=5) == raters.agreement(by_sql(ann), seed=5)
