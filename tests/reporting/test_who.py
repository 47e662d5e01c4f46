"""The section on raters: who is below the middle of all."""

import statistics

from raters.estimate import Estimate
from raters.reporting.sections.raters import _answer


def test_the_median_of_an_even_number_of_raters_is_the_mean_of_the_two_in_the_middle():
    values = {"a": 0.10, "b": 0.30, "c": 0.364, "d": 0.40}
    middle = statistics.median(values.values())
    assert round(middle, 3) == 0.332
    for high, named in ((0.33, True), (0.35, False)):  # .35 is below the upper of the two, and not below the median
        against = {n: Estimate(n, v, v - 0.2, high if n == "a" else v + 0.2) for n, v in values.items()}
        said = _answer(against, {})
        assert ("Rater 'a' agrees least" in said) is named
        assert ("the median is 0.33" in said) is named
