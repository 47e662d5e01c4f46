"""Check against gold without learning from it: how often each model and rater is right, and whether labels called settled are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from raters.annotations import counted
from raters.errors import RatersError, UsageError
from raters.estimate import Estimate, EstimateTable
from raters.models.choosing.choose import Entry, entries, not_tried
from raters.models.entropy import tails
from raters.models.families import majority
from raters.models.families.majority import HANDLED, PROBABLE
from raters.models.families.registry import MODELS
from raters.models.fitted_model import FittedModel
from raters.models.fitting.fit import fit
from raters.models.fitting.gold import gold_codes

Array = NDArray[Any]
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
SETTLED = EDGES[-2]
SHOWN = 10


@dataclass(frozen=True, repr=False)
class GoldCheck(EstimateTable):
    """Accuracy and calibration against known labels that no model has seen.

    The estimates are the share of gold items that each model is right about, with the fit that was checked first.
    """

    raters: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """The share of gold items that each rater is right about, raters with the most labels first."""
    calibration: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """For items in each range of stated probability, the share that is right; ``details["stated"]`` is the mean stated probability."""
    n_items: int = 0
    stated: str = "Stated probability of the label"
    """What the calibration is of; a vote as published states its shares."""
    notes: tuple[str, ...] = ()
    """How ties are counted, and which models were not tried and why, in sentences."""

    @property
    def settled(self) -> Estimate | None:
        """The share that is right of the labels stated with a probability of .99 or more; None if there are none."""
        top = self.calibration[-1] if len(self.calibration) else None
        return top if top is not None and top.details["stated"] >= SETTLED else None

    def __str__(self) -> str:
        lines = [f"Against {self.n_items:,} gold labels that the model did not see:"]
        wide = max(24, *(len(e.name) for e in self))
        lines += [f"  {e.name:<{wide}} right on {e.value:.1%} ({e.low:.1%} to {e.high:.1%})" for e in self]
        lines += [f"  {note}" for note in self.notes]
        lines += [f"{self.stated}, and how often it is right:"]
        lines += [
            f"  {e.name:<24} {e.n_items:>6,} items, stated {e.details['stated']:.3f}, right {e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
            for e in self.calibration
        ]
        lines += [f"Raters (those with the most labels on gold items, of {len(self.raters):,}):"]
        lines += [
            f"  {e.name:<24} right on {e.value:.1%} ({e.low:.1%} to {e.high:.1%}) of {e.n_items:,}"
            for e in list(self.raters)[:SHOWN]
        ]
        return "\n".join(lines)


def check_gold(
    gold: Mapping[Any, Any], c: FittedModel, *, level: float = 0.95, seed: int = 0, ordered: bool = False
) -> GoldCheck:
    """Accuracy of every model and rater on the gold items, and a calibration curve of ``c``; no model learns from gold.

    Intervals are exact for shares (Clopper and Pearson). ``c``: a fit that has not learned from this gold; ``ordered``: whether
    the labels have an order, so that models of ordered labels are checked too.
    """
    if c.numeric:
        raise UsageError(
            "a check against gold applies to labels, and these are numbers. Their values and standard deviations are written by -o (in Python: .to_columns()); compare them with the gold values."
        )
    known = gold_codes(_with_names(gold, c), c.votes)
    if c.gold is not None and ((c.gold >= 0) & (known >= 0)).any():
        raise UsageError("this model was fitted with the same gold labels; omit them from gold= to check against them.")
    at = np.flatnonzero((known >= 0) & (c.codes >= 0))
    truth, right = known[at], c.codes[at] == known[at]
    chosen = share(f"{c.model} (this fit)", right, level)
    rows, failed = _models(c, known, level, seed, ordered or _ordered(c))
    return GoldCheck(
        (chosen, *rows),
        EstimateTable(tuple(_raters(c, known, level))),
        EstimateTable(tuple(_curve(c.certainty[at], right, level))),
        len(truth),
        GoldCheck.stated
        if c.definition.likelihood or c.decided is not None
        else "Share of the vote for the label (not a probability)",
        (*_ties(c, known), *not_tried(c.all_votes, ordered=ordered or _ordered(c)), *failed),
    )


def _with_names(gold: Mapping[Any, Any], c: FittedModel) -> Mapping[Any, Any]:
    """Gold with the items as the fit has them: names from a file are text where items are numbers."""
    spelled = {str(item): item for item in c.items}
    return {item if item in c._rows else spelled.get(str(item), item): x for item, x in gold.items()}


def _ordered(c: FittedModel) -> bool:
    """Whether the fit, or one that it was compared with, takes the labels as ordered."""
    tried = () if c.choice is None else c.choice.candidates
    return c.definition.ordered or any(MODELS[one.model].ordered for one in tried)


def share(name: str, right: Array, level: float, **details: Any) -> Estimate:
    """The share that is right, with its exact interval."""
    n, hits = len(right), float(np.sum(right))
    low, high = clopper_pearson(hits, n, level)
    return Estimate(
        name, hits / n if n else np.nan, low, high, level=level, interval="exact", n_items=n, n_annotations=n, coefficient="accuracy",
        title=f"accuracy of {name}", details=details,
    )  # fmt: skip


def clopper_pearson(hits: float, n: int, level: float) -> tuple[float, float]:
    """Exact limits of a share.

    >>> [round(x, 3) for x in clopper_pearson(9, 10, 0.95)]
    [0.555, 0.997]
    """
    if not n:
        return np.nan, np.nan
    a, b = tails(level)
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, a))
    return low, 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, b))


def _models(c: FittedModel, known: Array, level: float, seed: int, ordered: bool) -> tuple[list[Estimate], list[str]]:
    """The accuracy of the labels that each model gives, and why models could not be fitted.

    Models with equal prevalence have a second row with learned prevalence, if its labels of gold items are others.
    """
    rows, failed = [], []
    usual: Array = np.empty(0)
    for entry in sorted(entries(c.all_votes, ordered=ordered), key=lambda e: (e.model.rank, _other(e))):
        try:
            found = fit(c.all_votes, entry.model.name, start="votes", tolerance=1e-8, seed=seed, **entry.options)
        except RatersError as error:
            failed.append(f"{entry.model.title} was not tried: {error}")
            continue
        at = np.flatnonzero((known >= 0) & (found.codes >= 0))
        if _other(entry) and np.array_equal(found.codes[at], usual[at]):
            continue
        usual = usual if _other(entry) else found.codes
        # the posterior of the plain vote is 1 for the winner, divided among tied labels; that of weighted votes is their shares
        shared = entry.model is majority.MODEL
        right = found.posterior[at, known[at]] if shared else found.codes[at] == known[at]
        rows.append(share(entry.model.name + (" (prevalence learned)" if _other(entry) else ""), right, level))
    return rows, failed


def _other(entry: Entry) -> bool:
    """Whether a model is tried with a learned prevalence although its own is equal over labels."""
    return entry.model.uniform and entry.prevalence == "learned"


def _ties(c: FittedModel, known: Array) -> list[str]:
    """How tied votes are counted, which can make the plain vote differ from a fit of it."""
    n = int((c.all_votes.tied & (known >= 0)).sum())
    if not n:
        return []
    said = f"majority: the votes of {counted(n, 'gold item')} are tied; each counts as right by the share of its tied labels that is right."
    if c.model == majority.MODEL.name:
        said += f" majority (this fit) is scored by the labels it gives: {HANDLED[c.settings.ties] if c.decided is None else PROBABLE}."
    return [said]


def _raters(c: FittedModel, known: Array, level: float) -> list[Estimate]:
    v = c.all_votes
    seen = known[v.item_of] >= 0
    order = np.argsort(-np.bincount(v.rater_of[seen], minlength=v.n_raters), kind="stable")
    right = v.label_of == known[v.item_of]
    rows = [(j, right[seen & (v.rater_of == j)]) for j in order.tolist()]
    return [share(str(v.raters[j]), hits, level) for j, hits in rows if len(hits)]


def _curve(stated: Array, right: Array, level: float) -> list[Estimate]:
    bins = np.clip(np.searchsorted(EDGES, stated, side="right") - 1, 0, len(EDGES) - 2)
    return [
        share(f"{EDGES[b]:g} to {EDGES[b + 1]:g}", right[bins == b], level, stated=float(stated[bins == b].mean()))
        for b in range(len(EDGES) - 1)
        if (bins == b).any()
    ]
