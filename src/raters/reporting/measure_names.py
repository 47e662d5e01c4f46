"""What figures are called where people read them; the names that one types stand in JSON and CSV."""

from __future__ import annotations

from raters.coefficients import REGISTRY
from raters.estimate import Estimate

MEASURES = {
    "soft_match": "share a label", "augmented": "overlap, each label counted", "boot_match": "share a label, beyond chance",
    "boot_precision": "precision, beyond chance", "boot_recall": "recall, beyond chance", "boot_f1": "F1, beyond chance",
    "alpha_masi": "Krippendorff's alpha, MASI distance", "alpha_jaccard": "Krippendorff's alpha, Jaccard distance",
}  # fmt: skip
"""Measures of label sets."""
SETS_ELSEWHERE = (
    "An annotation is a set of labels here; “What if an item has several right labels?” above answers this for sets."
)
_LISTED = "the models in this report are for single labels from a list, but these are"
_NUMBERS = f"{_LISTED} numbers; raters consensus --model gaussian fits a model for numbers"
NOT_CATEGORIES = {
    "sets": f"{_LISTED} sets of labels",
    "interval": _NUMBERS,
    "ratio": _NUMBERS,
    "circular": f"{_LISTED} directions on a circle",
}
"""Why no annotation model is fitted, by the scale."""
KRIPPENDORFF = "Krippendorff's alpha"
BETWEEN_POOLS = (
    "kappa_x", "normalized", "normalized_by_x", "normalized_by_y", "difference", "difference_x", "difference_y", "rho", "observed", "expected", "alpha_x",
    "gwet_x", "irr_x", "irr_y",
)  # fmt: skip


def measure_name(e: Estimate) -> str:
    """A measure of label sets in words.

    >>> measure_name(Estimate("boot_f1", 0.5))
    'F1, beyond chance'
    """
    return MEASURES.get(e.name, e.name.replace("_", " "))


def called(e: Estimate) -> str:
    """What a row of a table is called on the terminal.

    >>> called(Estimate("brennan_prediger", 0.5, title="Brennan-Prediger", coefficient="brennan_prediger"))
    'Brennan-Prediger'
    >>> called(Estimate("kappa_x", 0.5, title="kappa_x")), called(Estimate("boot_f1", 0.5)), called(Estimate("ann", 0.5))
    ('kappa between the pools (kappa_x)', 'F1, beyond chance (boot_f1)', 'ann')
    """
    if e.by:
        return e.name
    if e.name == e.coefficient and e.name in REGISTRY:
        return e.title or REGISTRY[e.name].title
    if e.name in MEASURES:
        return f"{MEASURES[e.name].replace(KRIPPENDORFF, 'alpha')} ({e.name})"
    if e.name == "kappa_x":
        return "kappa between the pools (kappa_x)"
    if e.name in BETWEEN_POOLS and e.title:
        return e.title
    return e.name
