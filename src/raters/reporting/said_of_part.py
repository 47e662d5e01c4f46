"""What the first line of a report on a large table says of the part that some of it was answered from."""

from __future__ import annotations

from raters.annotations import Annotations


def said_of_part(ann: Annotations, part: Annotations) -> str:
    """What was answered from a part of the table; empty where nothing was."""
    if part is ann:
        return ""
    return (
        f"Sampled: of {ann.n_annotations:,} annotations, the model of the raters, settled labels, label shares of raters and what to label next use "
        f"{part.n_annotations:,}, which are all labels of {part.n_items:,} of {ann.n_items:,} items drawn at random; coefficients, label counts and "
        "aggregates use every annotation. raters consensus fits a model to all."
    )
