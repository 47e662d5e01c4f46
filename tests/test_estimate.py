"""Estimates as plain values."""

import math

from raters.estimate import plain


def test_infinity_is_null_too():
    assert plain([math.inf, -math.inf, math.nan, 1.5]) == [None, None, None, 1.5]
