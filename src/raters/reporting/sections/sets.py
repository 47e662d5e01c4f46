"""What if an item has several right labels?"""

from __future__ import annotations

from raters.reporting.context import Context
from raters.reporting.model import Section


def several(c: Context) -> Section:
    """Multi-label agreement, where labels are sets."""
    question = "What if an item has several right labels?"
    return Section(
        "sets",
        question,
        "Each annotation is one label here; read with sets of labels (scale='sets') to ask this.",
        absent=True,
    )
