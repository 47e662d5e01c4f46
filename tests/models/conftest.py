"""What tests of annotation models share."""

import pytest

import raters


@pytest.fixture(scope="session")
def demo() -> raters.results.Consensus:
    return raters.consensus(raters.examples.demo(), "dawid_skene")
