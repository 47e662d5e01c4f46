"""Hayes & Krippendorff (2007), Communication Methods and Measures 1, 77-89."""

import pytest
from tables import same

import raters
from raters import examples


@pytest.mark.parametrize(
    "scale, alpha", [("nominal", ".4765"), ("ordinal", ".7598"), ("interval", ".7574"), ("ratio", ".6621")]
)
def test_alpha(scale, alpha):
    e = raters.agreement(examples.hayes_krippendorff_2007(scale), interval=None)
    assert same(e.value, alpha)
    assert (e.n_items, e.n_raters, e.n_annotations) == (40, 5, 159)


def test_the_bootstrap_over_items_is_wider_than_the_papers():
    """The paper resamples pairs, (.7078, .8078), as if they were independent; items are the unit here."""
    e = raters.agreement(examples.hayes_krippendorff_2007("ordinal"), resamples=4000, seed=1)
    assert e.low < 0.7078 < 0.7598 < 0.8078 < e.high
