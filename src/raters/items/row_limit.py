"""Tables that do not fold to few patterns: the result has one row per item, which must fit in memory."""

from __future__ import annotations

from raters.annotations import Annotations
from raters.engines.duckdb import memory_limit
from raters.errors import UsageError

BY_ITEM, BY_ANNOTATION = 100, 100
"""Bytes per item and per annotation of such a row, measured with hundreds of labels and five annotations per item."""
SMALL = 500_000_000
"""Size below which memory is not checked."""


def require_rows(ann: Annotations, groups: int) -> None:
    """Refuse a fold that would take more memory than the user allows, and say what to do instead."""
    need = BY_ITEM * ann.n_items + BY_ANNOTATION * ann.n_annotations
    if need <= SMALL or need <= (limit := memory_limit()):
        return
    who = f"{groups:,} raters with {len(ann.labels):,} labels" if groups > 1 else f"{len(ann.labels):,} labels"
    raise UsageError(
        f"{ann.n_items:,} items of {who} do not fold to few patterns: their rows would take about {need / 1e9:.1f} GB, but the limit is {limit / 1e9:.1f} GB. "
        "Allow more (memory=, --memory), merge labels, choose a coefficient that does not name raters (krippendorff), or use part of the items."
    )
