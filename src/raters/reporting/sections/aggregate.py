"""How reliable is the aggregate?"""

from __future__ import annotations

from raters.reporting.context import Context
from raters.reporting.model import Section


def aggregate(c: Context) -> Section:
    """kRR at the present k, the curve, and how many raters the target needs."""
    return Section("aggregate", "How reliable is the aggregate?", "Not computed yet.", absent=True)
