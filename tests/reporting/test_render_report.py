"""Cells of tables as text."""

from raters.estimate import Estimate
from raters.reporting.report_formats import cell_text


def test_cells():
    assert cell_text(Estimate("x", 0.5, 0.25, 0.75)) == "0.500 (0.250 to 0.750)"
    assert cell_text(Estimate("x", float("nan"))) == "undefined"
    assert (cell_text(1234), cell_text(0.12345), cell_text(None)) == ("1,234", "0.123", "-")
