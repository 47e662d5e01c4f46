"""Coefficients of one table share draws, and each is what it would be alone."""

import dataclasses

import numpy as np
import pytest

import raters
from raters.inference import weights

TABLE = raters.simulate.labels(40, 4, 3, accuracy=0.7, seed=1).columns()


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_as_each_coefficient_alone(scale, monkeypatch):
    names = ["percent", "fleiss", "gwet", "krippendorff", "conger"]
    drawn = []
    real = weights.dirichlet_process
    monkeypatch.setattr("raters.inference.prior_item.dirichlet_process", lambda *a: drawn.append(1) or real(*a))
    together = raters.agreement_table(raters.read(TABLE, scale=scale), names, resamples=300)
    fewer = len(drawn)
    alone = [raters.agreement(raters.read(TABLE, scale=scale), name, resamples=300) for name in names]
    assert [dataclasses.asdict(e) for e in together] == [dataclasses.asdict(e) for e in alone]
    assert fewer < len(drawn) - fewer, "each drew its own"
    assert weights._KEPT.get() is None


def test_what_is_kept_has_a_limit(monkeypatch):
    monkeypatch.setattr(weights, "MOST_KEPT", 10)
    with weights.shared_draws():
        for name in "abc":
            assert [x.tolist() for x in weights.kept_draws(name, lambda: iter([np.ones(6)]), 6)] == [[1.0] * 6]
        assert list(weights._KEPT.get()) == ["c"]
        assert sum(x.size for x in weights.kept_draws("d", lambda: iter([np.ones(11)]), 11)) == 11
        assert list(weights._KEPT.get()) == ["c"]
