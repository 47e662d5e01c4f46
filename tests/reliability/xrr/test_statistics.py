"""Reliability within pools, rho, and the intervals of kappa_x: by other roads."""

import numpy as np
import pytest
from pools import made_pools

import raters
from raters.reliability.xrr.statistics import RANGES


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("irr", ["krippendorff", "iota"])
def test_irr_is_what_agreement_says(scale: str, irr: str) -> None:
    x, y = made_pools(80, 1, 0.3, scale=scale)
    result = raters.xrr(x, y, irr=irr, interval=None)
    for ann, own in ((x, result.irr_x), (y, result.irr_y)):
        if irr == "krippendorff":
            assert float(own) == pytest.approx(float(raters.agreement(ann, irr, interval=None)), abs=1e-12)
    k, a, b = (float(e) for e in (result.kappa_x, result.irr_x, result.irr_y))
    assert float(result.normalized) == pytest.approx(k / np.sqrt(a * b), abs=1e-12)
    assert float(result.normalized_by_y) == pytest.approx(k / b, abs=1e-12)
    assert float(result.difference) == pytest.approx(k - (a + b) / 2, abs=1e-12)


@pytest.mark.parametrize("irr", ["krippendorff", "iota"])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_delta_jackknife_and_bootstrap_agree(scale: str, irr: str) -> None:
    """Three roads to a standard error, for every figure."""
    x, y = made_pools(400, 2, 0.3, scale=scale)
    found = {
        how: raters.xrr(x, y, irr=irr, interval=how, resamples=1500) for how in ("delta", "jackknife", "bootstrap")
    }
    for name in RANGES:
        delta, jackknife, bootstrap = (getattr(found[how], name) for how in found)
        if not np.isfinite(delta.value):
            assert name == "rho" and scale == "nominal"
            continue
        assert jackknife.se == pytest.approx(delta.se, rel=0.03), name
        assert bootstrap.se == pytest.approx(delta.se, rel=0.12), name
        assert delta.low < delta.value < delta.high


def test_the_delta_method_is_the_derivative() -> None:
    """Influence of an item against the change when it counts a little more."""
    from raters.inference.family import Family
    from raters.reliability.xrr.pools import ask, from_tables
    from raters.reliability.xrr.statistics import Maker

    for scale, irr in (("ordinal", "krippendorff"), ("nominal", "iota"), ("interval", "krippendorff")):
        pools = from_tables(made_pools(40, 5, 0.4, scale=scale), ("x", "y"), raters=irr == "iota", by=None)[None]
        pair = Maker(ask(irr=irr), pools, False).pair(0, 1)
        weight, step = pools.items.weight, 1e-5
        for name, stat in pair.stats.items():
            if name == "rho" and scale == "nominal":
                continue
            slope = stat.influence()
            up, down = (Family([stat]).values(weight + sign * step * np.eye(len(weight)))[0] for sign in (1, -1))
            assert slope == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-7), (scale, name)
            # they are the same if all items count twice: influences sum to nothing
            if name in ("kappa_x", "observed", "expected", "gwet_x"):
                assert abs(weight @ slope) < 1e-9


def test_intervals_come_from_the_same_replicates() -> None:
    """The interval of the difference is that of differences, far narrower than of independent figures."""
    x, y = made_pools(300, 7, 0.0)
    result = raters.xrr(x, y, resamples=1000)
    apart = np.hypot(result.kappa_x.se, np.hypot(result.irr_x.se, result.irr_y.se) / 2)
    assert result.difference.se < 0.75 * apart
    assert result.difference.low < 0 < result.difference.high
    again = raters.xrr(x, y, resamples=1000)
    assert (again.kappa_x.low, again.normalized.high) == (result.kappa_x.low, result.normalized.high)
    assert raters.xrr(x, y, resamples=1000, seed=1).kappa_x.low != result.kappa_x.low


def test_rho_by_hand() -> None:
    """Pearson's correlation of means over the root of both one-way ICC(k)."""
    x, y = made_pools(50, 17, 0.4, each=(3, 4), scale="interval")
    result = raters.xrr(x, y, irr_items="shared", interval=None)
    means, roots = [], []
    for ann in (x, y):
        got = ann.engine.query("SELECT item, avg(label) AS m FROM annotations GROUP BY item ORDER BY item")
        means.append(got["m"])
        roots.append(float(raters.icc(ann)["ICC(k)"]))
    assert float(result.rho) == pytest.approx(np.corrcoef(*means)[0, 1] / np.sqrt(roots[0] * roots[1]), rel=1e-9)
