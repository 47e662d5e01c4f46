"""The charts of estimates under the name that sections know."""

from raters.charts.of_results import estimate_curve, estimate_intervals

__all__ = ["estimate_curve", "estimate_intervals"]
