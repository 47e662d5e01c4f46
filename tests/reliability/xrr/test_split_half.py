"""Split-half reliability of item means, behind the disattenuated correlation of two pools."""

import numpy as np
import pytest

import raters
from raters.errors import UsageError
from raters.items import fold
from raters.reliability.xrr.item_means import split_half


def _ratings(seed: int, items: int, n: int, noise: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.random.default_rng(7).normal(size=(items, 1)) + noise * rng.normal(size=(items, n))


def _table(values: np.ndarray, who: str) -> raters.Annotations:
    rows = [(f"i{i}", f"{who}{j}", float(x)) for i, row in enumerate(values) for j, x in enumerate(row)]
    return raters.read(rows, scale="interval")


@pytest.mark.parametrize("n", [2, 4, 5])
def test_it_is_the_mean_over_random_splits(n: int) -> None:
    """Drawn splits, their moments pooled, and Spearman-Brown: what the closed form gives without drawing."""
    values, rng, h = _ratings(1, 40, n, 0.8), np.random.default_rng(3), n // 2
    cross, own = [], []
    for _ in range(3000):
        order = np.argsort(rng.random(values.shape), 1)
        shuffled = np.take_along_axis(values, order, 1)
        a, b = shuffled[:, :h].mean(1), shuffled[:, h : 2 * h].mean(1)
        cross.append((a * b).mean())
        own.append(((a * a).mean() + (b * b).mean()) / 2)
    centre = values.mean() ** 2
    r = (np.mean(cross) - centre) / (np.mean(own) - centre)
    expected = (n / h) * r / (1 + (n / h - 1) * r)
    items = fold(_table(values, "r"))[None]
    stat = split_half(items, np.unique(values))
    assert float(stat.parts(stat.weight[None]).value[0]) == pytest.approx(expected, abs=0.01)


def test_rho_by_halves_is_near_that_by_variance_components() -> None:
    x, y = _table(_ratings(1, 400, 4, 0.8), "x"), _table(_ratings(2, 400, 6, 1.0), "y")
    icc, half = (raters.xrr(x, y, means=m, interval=None).rho.value for m in ("icc", "split_half"))
    assert half == pytest.approx(icc, abs=0.01) and half == pytest.approx(1, abs=0.05)
    assert raters.xrr(x, y, means="split_half", resamples=200).rho.low < half


def test_items_with_one_label_stay_out_and_unknown_names_are_refused() -> None:
    values = _ratings(1, 40, 4, 0.8)
    more = np.vstack([values, values[:5]])
    rows = [(f"i{i}", f"x{j}", float(v)) for i, row in enumerate(more) for j, v in enumerate(row[: 4 if i < 40 else 1])]
    x, y = raters.read(rows, scale="interval"), _table(_ratings(2, 40, 4, 0.8), "y")
    assert np.isfinite(raters.xrr(x, y, means="split_half", interval=None).rho.value)
    single = raters.read([(f"i{i}", "x", float(v)) for i, v in enumerate(values[:, 0])], scale="interval")
    assert np.isnan(raters.xrr(single, y, means="split_half", interval=None).rho.value)
    with pytest.raises(UsageError, match="means='half' is not one of 'icc', 'split_half'"):
        raters.xrr(x, y, means="half")
