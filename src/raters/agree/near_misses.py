"""What a coefficient without weights ignores on an ordinal scale: the distance between two labels."""

from __future__ import annotations

from typing import Any

from raters.agree.request import Request
from raters.annotations import Annotations


def near_as_far(ann: Annotations) -> str:
    """A near miss and a far one that count the same without weights; "" if labels are not steps of a scale."""
    if ann.scale != "ordinal" or len(ann.labels) < 3:
        return ""
    first, near, last = (_text(ann.labels[i]) for i in (0, -2, -1))
    return f"{near} against {last} counts as much as {first} against {last}"


def unweighted(req: Request, ann: Annotations) -> tuple[str, ...]:
    """The warning about a coefficient without weights on an ordinal scale, if the user did not choose that."""
    row = req.coefficient
    chosen = req.weights is not None or req.distance is not None or row.by_scale
    told = "" if chosen or not row.beyond_chance else without_weights(ann)
    return (told,) if told else ()


def without_weights(ann: Annotations) -> str:
    """The note about a coefficient without weights on this table; "" if nothing is lost without them."""
    told = near_as_far(ann)
    if not told:
        return ""
    return (
        f"no weights, so {told}: not comparable with a coefficient that gives partial credit to near misses, such as ordinal alpha; "
        "for that, pass weights='linear' or 'quadratic' (--weights quadratic)"
    )


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)
