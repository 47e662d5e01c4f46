"""People and a judge as two pools: kappa_x compared with alpha of people; and runs of one judge."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate, kernel_of, whole
from raters.errors import RatersError
from raters.estimate import Estimate, Told, shown
from raters.items import Items
from raters.items.align import packed
from raters.judges.people_and_judges import Sides, plurality, tally
from raters.notes.note import Note, refused
from raters.options.declared import Inference
from raters.reliability.krr.krr import krr
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.xrr import xrr_of_pools


def crossed(s: Sides, options: Inference, runs: bool = False) -> dict[str, Estimate]:
    """kappa_x of people and one judge, alpha of people, and their ratio and gap, on the same bootstrap samples.

    ``runs``: use every run of the judge, not only the first.
    """
    judge, k = s.judges[0], len(s.labels)
    said = s.runs if runs else tally(s.said, k)
    beside = sparse.hstack([s.counts, said], format="csr")
    if not (np.asarray(said.sum(1)).ravel() * np.asarray(s.counts.sum(1)).ravel()).any():
        undefined = Estimate("kappa_x", np.nan, notes=(Note("no_item_with_judge", {"judge": judge}),))
        return {name: _named(undefined, name, judge) for name in NAMES.values()}
    names = ("people", judge)
    items = Items(np.ones(len(s.items)), beside, s.labels, names, n_raters=len(s.people) + 1)
    pools = Pools(names, packed(items), np.arange(2), s.tables[0], (len(s.people), 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = xrr_of_pools(pools, **options)
    made = {new: _named(getattr(found, old), new, judge) for old, new in NAMES.items()}
    own = whole(request("krippendorff", **options), s.tables[0])  # kept with the table: one alpha has one interval
    alpha = replace(made["alpha_people"], low=own.low, high=own.high, se=own.se, interval=own.interval, notes=own.notes)
    return {**made, "alpha_people": alpha}


NAMES = {
    "kappa_x": "kappa_x",
    "irr_x": "alpha_people",
    "normalized_by_x": "kappa_x_ratio",
    "difference_x": "kappa_x_gap",
}
TITLES = {
    "kappa_x": "kappa_x, people and judge",
    "alpha_people": "Krippendorff's alpha of people",
    "kappa_x_ratio": "kappa_x / alpha (1: as people)",
    "kappa_x_gap": "kappa_x minus alpha of people",
}


def _named(e: Estimate, name: str, judge: str) -> Estimate:
    return replace(e, name=name, coefficient=name, title=TITLES[name], details={**e.details, "judge": judge})


NEAR = 0.02
"""A smaller gain from perfect consistency is ignored."""


@dataclass(frozen=True)
class Consistency(Told):
    """Runs of one judge on the same items."""

    also = ("limits", "sentence")

    judge: str
    runs: tuple[int, int]
    """Smallest and largest number of runs of an item that has several."""
    n_items: int
    alpha_runs: Estimate
    unanimous: float
    """Share of items on which all runs gave the same label."""
    pair_agreement: float
    """Share of pairs of runs that gave the same label; the rest are flips."""
    kappa_x: Estimate
    """kappa_x of people and all runs."""
    alpha_people: Estimate
    ceiling: float
    """Approximate upper limit for one run: sqrt(alpha of people times alpha of runs); not clipped, and a small sample
    may exceed it.
    """
    steady: float
    """kappa_x of a perfectly consistent model: kappa_x / sqrt(alpha of runs)."""
    majority: Estimate | None = None
    """The reliability of the majority of all runs (for numbers, of their mean); None if items have fewer than three."""
    majority_kappa_x: Estimate | None = None
    """kappa_x of people and the majority of the runs; None for numbers."""

    @property
    def limits(self) -> bool:
        """Whether inconsistency lowers agreement with people."""
        return bool(self.steady - self.kappa_x.value > NEAR)

    @property
    def sentence(self) -> str:
        if not math.isfinite(self.alpha_runs.value):
            return f"{self.judge}: its agreement with itself is undefined ({self.alpha_runs.undefined})."
        if self.unanimous == 1:
            return (
                f"{self.judge} gave the same label in every run of all {self.n_items:,} items, which says nothing about"
                " whether it is right. Runs with different prompts, orders or dates would be more informative."
            )
        head = (
            f"{self.judge} agrees with itself at alpha {shown(self.alpha_runs.value, 3)} ({self.unanimous:.0%} of"
            f" {self.n_items:,} items unanimous)"
        )
        if not math.isfinite(self.steady):
            return f"{head}."
        if not self.limits:
            return f"{head}: inconsistency is not what limits its agreement with people."
        text = (
            f"{head}: a perfectly consistent model would reach kappa_x {shown(self.steady, 3)} with people instead of"
            f" {shown(self.kappa_x.value, 3)}."
        )
        most = self.majority_kappa_x
        if most is not None and math.isfinite(most.value):
            sure = (
                f", whose reliability is {shown(self.majority.value, 3)}"
                if self.majority is not None and math.isfinite(self.majority.value)
                else ""
            )
            better = most.value - self.kappa_x.value > NEAR
            text += (
                f" The majority of its {self.runs[1]} runs{sure}, agrees with people at"
                f" {shown(most.value, 3)}{': use it instead of one run' if better else ''}."
            )
        return text


def consistency(s: Sides, options: Inference) -> Consistency | None:
    """The runs of one judge; None if no item has two."""
    counts = s.runs.tocsr()
    runs = np.asarray(counts.sum(1)).ravel()
    at = np.flatnonzero(runs >= 2)
    if not len(at):
        return None
    counts, n = counts[at], runs[at]
    req = request("krippendorff", **options)
    alpha = estimate(req, Items(np.ones(len(at)), counts, s.labels), kernel_of(req, s.tables[0]), "alpha_runs")
    squares = np.asarray((counts.multiply(counts)).sum(1)).ravel()
    same = (squares - n) / (n * (n - 1))
    best = counts.max(axis=1).toarray().ravel()
    cross = crossed(s, options, runs=True)
    k, people = cross["kappa_x"], cross["alpha_people"]
    a, p = alpha.value, people.value
    ceiling = math.sqrt(a * p) if a > 0 and p > 0 else math.nan
    steady = k.value / math.sqrt(a) if a > 0 else math.nan
    majority, voted = _majority(s, options, int(n.max()))
    return Consistency(
        s.judges[0],
        (int(n.min()), int(n.max())),
        len(at),
        alpha,
        float((best == n).mean()),
        float(same.mean()),
        k,
        people,
        ceiling,
        steady,
        majority,
        voted,
    )


def _majority(s: Sides, options: Inference, most: int) -> tuple[Estimate | None, Estimate | None]:
    """How reliable the majority of all runs is (kRR), and how well it agrees with people."""
    if most < 3:
        return None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs = replace(s.judge_rows, duplicates="keep")
            sure = krr(runs, k=most, aggregate="mean" if s.numbers else "majority", interval=None)
    except RatersError as error:
        sure = Estimate("majority", math.nan, notes=(refused(error),))
    if s.numbers:
        return sure, None
    voted = replace(s, said=plurality(s.runs)[:, None].astype(np.int32))
    return sure, crossed(voted, options)["kappa_x"]
