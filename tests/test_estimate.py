"""Estimates as plain values."""

import math

from raters.estimate import jsonable


def test_infinity_is_null_too():
    assert jsonable([math.inf, -math.inf, math.nan, 1.5]) == [None, None, None, 1.5]
