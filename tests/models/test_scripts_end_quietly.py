"""A script that fits a model ends without lines about leaked instances."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "script",
    ["import raters; raters.consensus(raters.examples.demo(), 'majority')", "import raters.reliability, raters.judges"],
)
def test_nothing_is_leaked(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "nanobind" not in done.stderr
