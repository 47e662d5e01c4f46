"""Agreement coefficients: pure functions of sums over weighted items, and the registry of them all."""

from __future__ import annotations

from collections.abc import Mapping

from raters.coefficients.base import Coefficient, Parts, Sums
from raters.coefficients.grouped import cohen, conger
from raters.coefficients.pairwise import hubert, light
from raters.coefficients.pooled import (
    brennan_prediger,
    fleiss,
    fleiss_pooled,
    gwet,
    gwet_pooled,
    krippendorff,
    krippendorff_large,
    percent,
)

__all__ = ["POOLED_MARGINS", "REGISTRY", "Coefficient", "Parts", "Sums"]

_ITEM = ("labelled", "paired", "agree")
_GROUP = ("by_group", "group_n")
_ALPHA = ("pairable_n", "pairable_agree", "pairable_own", "pairable")

REGISTRY: Mapping[str, Coefficient] = {
    row.name: row
    for row in (
        Coefficient("percent", "Percent agreement", percent, _ITEM, "", lowest=0.0),
        Coefficient("cohen", "Cohen's kappa", cohen, ("pair_labels", "pair_labels_agree", *_GROUP), "Cohen 1960, 1968",
                    compares="groups", exactly=2),
        Coefficient("conger", "Conger's kappa", conger, (*_ITEM, *_GROUP), "Conger 1980", compares="groups"),
        Coefficient("light", "Light's kappa", light, ("pairs",), "Light 1971", compares="groups"),
        Coefficient("hubert", "Hubert's kappa", hubert, ("pairs",), "Hubert 1977", compares="groups"),
        Coefficient("scott", "Scott's pi", fleiss, (*_ITEM, "shares"), "Scott 1955", exactly=2),
        Coefficient("fleiss", "Fleiss' kappa", fleiss, (*_ITEM, "shares"), "Fleiss 1971"),
        Coefficient("krippendorff", "Krippendorff's alpha", krippendorff, _ALPHA, "Krippendorff 2004", by_scale=True,
                    large_sample=krippendorff_large),
        Coefficient("gwet", "Gwet's AC", gwet, (*_ITEM, "label_shares"), "Gwet 2008"),
        Coefficient("brennan_prediger", "Brennan-Prediger", brennan_prediger, _ITEM, "Brennan & Prediger 1981"),
        Coefficient("iota", "Iota", conger, (*_ITEM, *_GROUP), "Janson & Olsson 2001", compares="groups", by_scale=True),
    )
}  # fmt: skip

POOLED_MARGINS: Mapping[str, Coefficient] = {
    name: Coefficient(name, REGISTRY[name].title, function, (*_ITEM, margin, "annotations"), REGISTRY[name].paper)
    for name, function, margin in (
        ("fleiss", fleiss_pooled, "pooled"), ("gwet", gwet_pooled, "label_pooled"), ("scott", fleiss_pooled, "pooled"),
    )
}  # fmt: skip
"""The same with ``margins="pooled"``: every annotation counts alike, not every item."""
