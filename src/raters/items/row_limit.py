"""Tables that do not fold to few patterns: what comes back is a row an item, and that has to fit in memory."""

from __future__ import annotations

from raters.annotations import Annotations
from raters.engines.memory import memory_limit
from raters.errors import UsageError

BY_ITEM, BY_ANNOTATION = 100, 100
"""Bytes that a row an item takes, with those of its labels; measured at hundreds of labels, five an item."""
SMALL = 500_000_000
"""Bytes that are not asked about."""


def require_rows(ann: Annotations, groups: int) -> None:
    """Refuse a fold that would bring more to memory than the user allows, with what to do instead."""
    need = BY_ITEM * ann.n_items + BY_ANNOTATION * ann.n_annotations
    if need <= SMALL or need <= (limit := memory_limit()):
        return
    who = f"{groups:,} raters with {len(ann.labels):,} labels" if groups > 1 else f"{len(ann.labels):,} labels"
    raise UsageError(
        f"{ann.n_items:,} items of {who} do not fold to few patterns: their rows would take about {need / 1e9:.1f} GB, and {limit / 1e9:.1f} GB may be "
        "taken. Allow more (memory=, --memory), merge labels, choose a coefficient that does not name raters (krippendorff), or take part of the items."
    )
