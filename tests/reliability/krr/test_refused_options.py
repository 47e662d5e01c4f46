"""What k-rater reliability does not take is refused, and never left out silently."""

import pytest

import raters
from raters import examples
from raters.errors import UsageError


@pytest.mark.parametrize("option", ["group", "within"])
@pytest.mark.parametrize("function", [raters.krr, raters.krr_curve])
def test_slices_are_refused_in_one_line(function, option):
    with pytest.raises(UsageError, match=f"has no option '{option}'"):
        function(examples.demo(), **{option: "topic"})
