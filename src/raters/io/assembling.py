"""From a long table to Annotations: inspect the labels, settle the scale, and count everything."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.annotations import Annotations
from raters.errors import brief, warn
from raters.io.clean import Cleaned, nothing_left
from raters.io.layouts import Long
from raters.io.matrices import Matrix
from raters.io.same_labels import apart_by_case, same_label
from raters.io.same_names import names_apart
from raters.io.scale import Found, Scale, decide
from raters.io.sizes import PATTERNS, distinct_labels, sizes_and_patterns
from raters.io.sources.values import written
from raters.io.told_labels import told

MOST_LABELS = 5000
SEPARATORS = (";", "|", "#", ",", "\n", "/", "+")


def ordered_labels(
    made: Long, chosen: list[Any] | None, scale: str | None, gone: list[Any]
) -> tuple[Long, list[Any] | None]:
    """The labels in order: as given, as named by the layout, or the column's own categories; None if none of these defines it."""
    order = chosen if chosen is not None or made.labels is None else list(dict.fromkeys(map(same_label, made.labels)))
    if order is not None or scale not in (None, "ordinal") or made.order is None:
        return replace(made, order=None), order
    dropped = {written(v).strip() for v in gone} | {""}
    return made, [v for v in dict.fromkeys(map(same_label, made.order)) if written(v).strip() not in dropped]


def assemble(
    made: Long | Matrix,
    cleaned: Cleaned,
    scale: str | None,
    labels: Sequence[Any] | None,
    duplicates: str,
    period: float | None,
) -> Annotations:
    """Inspect the labels, settle the scale, and count."""
    keys, counts = cleaned.labels or distinct_labels(cleaned.engine, cleaned.kind)
    if not len(keys):
        raise nothing_left(made.source, cleaned.dropped)
    found = Found(keys, counts, cleaned.kind, made.source, cleaned.engine, made.by_position, bool(cleaned.mixed),
                  made.order is not None)  # fmt: skip
    settled = decide(found, scale, labels, period)
    if settled.warning:
        warn(settled.warning)
    if cleaned.mixed and scale is None:
        warn(f"{made.source}: {cleaned.mixed}")
    said = (*several_labels(keys), *apart_by_case(keys)) if cleaned.kind == "text" and settled.name != "sets" else ()
    said += told(keys, counts, cleaned.kind) if scale is None and labels is None else ()
    sizes, patterns, names = sizes_and_patterns(cleaned.engine, int(counts.sum()), made.raters, settled.keys)
    ann = Annotations(
        engine=cleaned.engine,
        **fields(settled),
        numeric=cleaned.kind != "text",
        **sizes,
        dropped=cleaned.dropped,
        duplicates=duplicates,
        columns=made.columns,
        extras=cleaned.extras,
        source=made.source,
        notes=(*cleaned.notes, *said, *names_apart(cleaned.engine, *names, sizes["n_annotations"])),
    )
    if patterns is not None:
        ann.once(PATTERNS, lambda: patterns, lambda made: made.counts.size)
    return ann


def several_labels(keys: Any) -> tuple[str, ...]:
    """A note about cells that look as if they held several labels, because their parts are labels too."""
    known = set(keys.tolist()) if len(keys) <= MOST_LABELS else set()
    for sep in SEPARATORS:
        parts = {key: [part.strip() for part in key.split(sep)] for key in known if sep in key}
        made_of = [key for key, found in parts.items() if len(found) > 1 and sum(p in known for p in found) >= 2]
        if made_of:
            example = min(made_of)
            return (
                f"{len(made_of)} labels, such as {brief(example)}, look like several labels in one cell; pass scale='sets', "
                f"sep={sep!r} (--scale sets --sep {sep!r}) to read them as sets",
            )
    return ()


def fields(scale: Scale) -> dict[str, Any]:
    """The part of Annotations that depends on what is declared."""
    return {
        "scale": scale.name,
        "scale_reason": scale.reason,
        "labels": scale.labels,
        "keys": scale.keys,
        "declared": scale.declared,
        "period": scale.period,
    }
