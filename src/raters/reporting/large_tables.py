"""A report on a large table: what is answered from a part of it, and what is left out."""

from __future__ import annotations

from dataclasses import replace

from raters.agree.agreement_spec import Options, applicable
from raters.agree.explaining import Explanation, comparable, explain
from raters.annotations import Annotations
from raters.coefficients import REGISTRY
from raters.items.bag import WIDE

PAIRED_RATERS = 12
"""Up to so many, coefficients that average over pairs of raters are part of the report's table."""


def averages_over_pairs(ann: Annotations, options: Options) -> tuple[str, ...]:
    """Coefficients that average over all pairs of raters, where the pairs are many: they take as long as all others together."""
    if ann.n_raters <= PAIRED_RATERS:
        return ()
    return tuple(n for n in applicable(ann, None, options) if "pairs" in REGISTRY[n].terms)


def said_of_part(ann: Annotations, part: Annotations) -> str:
    """What was answered from a part of the table; empty where nothing was."""
    if part is ann:
        return ""
    return (
        f"Sampled: of {ann.n_annotations:,} annotations, the model of the raters, settled labels, label shares of raters and what to label next use "
        f"{part.n_annotations:,}, which are all labels of {part.n_items:,} of {ann.n_items:,} items drawn at random; coefficients, label counts and "
        f"aggregates use every annotation.{_left_out(ann)} raters consensus fits a model to all."
    )


def _left_out(ann: Annotations) -> str:
    apart = ann.n_raters > 1 and ann.n_raters * len(ann.labels) > WIDE
    return (
        " Coefficients that tell raters apart (Conger, Light, ...) are left out: raters agree --coefficient computes them."
        if apart
        else ""
    )


def explained(ann: Annotations, part: Annotations, of_part: str, options: Options) -> Explanation:
    """Why the figure is what it is; of a large table, who disagrees with the others is tested on the part, and the rest on all."""
    if part is ann or not _left_out(ann):
        return explain(ann, **options)
    whole = explain(replace(ann, n_raters=0), **options)
    if not comparable(part):
        return whole
    drawn = explain(part, **options)
    found = (replace(r, text=f"{r.text.rstrip('.')}{of_part}.") for r in drawn.reasons if r.kind == "rater")
    return replace(whole, raters=drawn.raters, reasons=(*found, *whole.reasons))


def coefficients_of(ann: Annotations, part: Annotations, options: Options) -> list[str] | None:
    """The coefficients of a large table: those that tell raters apart need a row an item, unless raters and labels are few. None: all that apply."""
    if part is ann or not _left_out(ann):
        return None
    return [name for name in applicable(ann, None, options) if REGISTRY[name].compares != "groups"]
