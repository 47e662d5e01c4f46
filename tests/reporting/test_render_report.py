"""Cells of tables as text."""

from raters.estimate import Estimate
from raters.reporting.document import cell_text


def test_cells():
    assert cell_text(Estimate("x", 0.5, 0.25, 0.75)) == "0.50 (0.25 to 0.75)"
    assert cell_text(Estimate("x", float("nan"))) == "undefined"
    assert (cell_text(1234), cell_text(0.12345), cell_text(None)) == ("1,234", "0.12", "-")
