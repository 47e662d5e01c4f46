"""Bands are the authors' own."""

import pytest

from raters.agree.bands import bands, name_of
from raters.estimate import Estimate


def test_bands():
    assert [name_of(v, "landis_koch") for v in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9)] == [
        "poor",
        "slight",
        "fair",
        "moderate",
        "substantial",
        "almost perfect",
    ]
    assert [name_of(v, "krippendorff") for v in (0.66, 0.667, 0.8)] == [
        "not reliable enough",
        "good for tentative conclusions",
        "reliable",
    ]
    sure = bands(Estimate("fleiss", 0.7, low=0.69, high=0.71, se=0.005))
    unsure = bands(Estimate("fleiss", 0.7, low=0.4, high=1.0, se=0.15))
    assert sure[0].supported == "substantial" and unsure[0].supported == "moderate"
    # P(k >= .4) for N(.7, .15) cut to [-1, 1]: (Phi(2) - Phi(-2)) / Phi(2)
    assert unsure[0].probability == pytest.approx((0.9772498680518208 - 0.0227501319481792) / 0.9772498680518208)
    assert not bands(Estimate("fleiss", float("nan")))


def test_bands_of_a_small_study_say_that_they_are_too_sure():
    small, large = (bands(Estimate("fleiss", 0.7, low=0.6, high=0.8, se=0.05, n_items=n)) for n in (30, 300))
    assert "fewer than 100 items" in str(small) and small.warnings
    assert not large.warnings


def test_without_a_limit_the_lowest_band_must_hold_for_the_normal_interval():
    close, far = (bands(Estimate("fleiss", value, se=0.1))[0].supported for value in (-0.18, -0.21))
    assert (close, far) == (None, "poor")  # -0.18 + 1.96 * 0.1 reaches past 0
