"""What tests of the report share."""

import pytest

import raters
from raters import examples
from raters.reporting.document import Report


@pytest.fixture(scope="session")
def demo() -> Report:
    return raters.report(examples.demo(), resamples=200, seed=3)
