"""People and a judge as two pools: kappa_x compared with alpha of people, and alpha with the judge in place of a person."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate, kernel_of, whole
from raters.annotations import Annotations
from raters.errors import RatersError
from raters.estimate import Estimate
from raters.items import Items
from raters.items.align import packed
from raters.judges.people_and_judges import Sides, tally
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.xrr import xrr_of_pools

Array = NDArray[Any]


def crossed(s: Sides, options: dict[str, Any], runs: bool = False) -> dict[str, Estimate]:
    """kappa_x of people and one judge, alpha of people, and their ratio and gap, on the same bootstrap samples.

    ``runs``: use every run of the judge, not only the first.
    """
    judge, k = s.judges[0], len(s.labels)
    said = s.runs if runs else tally(s.said, k)
    beside = sparse.hstack([s.counts, said], format="csr")
    if not (np.asarray(said.sum(1)).ravel() * np.asarray(s.counts.sum(1)).ravel()).any():
        undefined = Estimate("kappa_x", np.nan, warnings=(f"people and {judge} share no item",))
        return {name: _named(undefined, name, judge) for name in NAMES.values()}
    names = ("people", judge)
    items = Items(np.ones(len(s.items)), beside, s.labels, names, n_raters=len(s.people) + 1)
    pools = Pools(names, packed(items), np.arange(2), s.tables[0], (len(s.people), 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = xrr_of_pools(pools, **options)
    made = {new: _named(getattr(found, old), new, judge) for old, new in NAMES.items()}
    return {**made, "alpha_people": _as_elsewhere(made["alpha_people"], s.tables[0], options)}


def _as_elsewhere(alpha: Estimate, people: Annotations, options: dict[str, Any]) -> Estimate:
    """Alpha of people with the interval that it has without a judge, if it is alpha of the same labels."""
    try:
        own = whole(request("krippendorff", **options), people)
    except RatersError:  # people who labelled an item twice
        return alpha
    if own.n_annotations != alpha.n_annotations or not np.isclose(own.value, alpha.value, rtol=1e-9, atol=0):
        return alpha
    return replace(alpha, low=own.low, high=own.high, se=own.se, interval=own.interval)


NAMES = {
    "kappa_x": "kappa_x",
    "irr_x": "alpha_people",
    "normalized_by_x": "kappa_x_ratio",
    "difference_x": "kappa_x_gap",
}
TITLES = {
    "kappa_x": "kappa between people and the model",
    "alpha_people": "Krippendorff's alpha of people",
    "kappa_x_ratio": "kappa between people and the model / alpha of people (1: agrees with a person as well as people do)",
    "kappa_x_gap": "kappa between people and the model minus alpha of people",
}


def _named(e: Estimate, name: str, judge: str) -> Estimate:
    return replace(e, name=name, coefficient=name, title=TITLES[name], details={**e.details, "judge": judge})


def alpha_in_place(s: Sides) -> dict[str, Estimate]:
    """Alpha of people with the judge in place of one of them, on that person's items, averaged over people.

    Alpha of people and the model together hardly changes, since the model is in few of the pairs; it is reported as well.
    """
    people = s.tables[0]
    req = request("krippendorff", interval=None)
    kernel, k, judge = kernel_of(req, people), len(s.labels), s.judges[0]
    if len(s.people) < 2:
        return {}

    def alpha(table: Array) -> float:
        return estimate(req, Items(np.ones(len(table)), tally(table, k), s.labels), kernel).value

    found = []
    for j in range(len(s.people)):
        swapped = s.given.copy()
        at = (s.given[:, j] >= 0) & (s.said[:, 0] >= 0)
        swapped[at, j] = s.said[at, 0]
        found.append(alpha(swapped))
    both = alpha(np.concatenate([s.given, s.said], 1))
    facts: Any = {"n_items": len(s.items), "n_raters": len(s.people), "details": {"judge": judge}}
    return {
        "alpha_in_place": Estimate("alpha_in_place", float(np.mean(found)), coefficient="alpha_in_place",
                                   title="alpha with the model in place of a person (mean over people)", **facts),
        "alpha_with_model": Estimate("alpha_with_model", both, coefficient="alpha_with_model",
                                     title="alpha of people and the model together (insensitive; do not use it alone)", **facts),
    }  # fmt: skip
