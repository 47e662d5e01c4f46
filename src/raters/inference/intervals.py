"""Intervals of a statistic: with one imaginary item, bootstrap (percentile, BCa), delta, jackknife; a registry of them.

``auto`` is the method with the best coverage in small studies: for labels one imaginary item, for numbers the jackknife
on the variance-stabilising scale. If a statistic has neither, it is the percentile bootstrap, and a warning says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.estimate import PRIOR_ITEM
from raters.inference.limits import NO_INTERVAL, Interval, IntervalSpec, around, by_percentile, defined, student
from raters.inference.prior_item import Numbers, Small, by_imaginary, by_jackknife, by_stabilised, skewed_values
from raters.inference.statistic import MOST_LEFT_OUT, Statistic
from raters.inference.weights import multinomial
from raters.notes.note import Note

__all__ = [
    "EVERY",
    "FEW_CLUSTERS",
    "MANY_ITEMS",
    "METHODS",
    "NO_INTERVAL",
    "OF_BOTH",
    "OF_DIFFERENCES",
    "Interval",
    "IntervalMethod",
    "IntervalSpec",
    "Numbers",
    "Small",
    "around",
    "by_jackknife",
    "by_percentile",
    "chosen",
    "few_clusters",
    "few_units",
    "for_small",
    "interval",
    "method_title",
    "replicates",
    "skewed_values",
    "student",
]  # fmt: skip
Array = NDArray[Any]
MOST_DRAWS = 100_000_000
"""With more patterns times resamples than this (about a second), ``interval="auto"`` takes the delta method."""
MANY_ITEMS = 200
"""Below this, the percentile bootstrap is warned of."""
FEW_CLUSTERS = 20
"""With fewer clusters than this, an interval over clusters carries a warning."""


def few_clusters(n: int, found: Interval) -> Interval:
    """The interval over ``n`` clusters, resampled whole, with a warning if they are few."""
    others = tuple(note for note in found.notes if note.code != "few_items")
    if not np.isfinite(found.low):
        return replace(found, notes=others)
    if n < FEW_CLUSTERS:
        few = Note("few_clusters_wide" if found.method == "imaginary" else "few_clusters", {"n": n})
        return replace(found, notes=(*others, few))
    if len(others) < len(found.notes):
        return replace(found, notes=(*others, few_units("clusters")))
    return found


def few_units(unit: str = "items") -> Note:
    """The warning for the percentile bootstrap of few items (or clusters), where no other interval is known."""
    return Note("few_items", {"limit": MANY_ITEMS, "unit": unit})


def replicates(stat: Statistic, spec: IntervalSpec) -> Array:
    """(replicate,): the statistic on each bootstrap sample of items; precomputed samples, if there are any."""
    found: Array | None = getattr(stat, "draws", None)
    if found is not None:
        return found
    rng = np.random.default_rng(spec.seed)
    return np.concatenate([stat.parts(w).value for w in multinomial(stat.weight, spec.resamples, rng)])


def interval(
    stat: Statistic, value: float, spec: IntervalSpec, influence: Array | None = None, small: Small | None = None
) -> Interval:
    """The interval of a statistic whose value is ``value``; the value always lies within it.

    ``influence`` replaces that of the delta method; ``small`` is the basis of the interval of a small study.
    """
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, chosen(stat, spec, small))
    if stat.weight.sum() < 2:
        return Interval(np.nan, np.nan, np.nan, chosen(stat, spec, small), (Note("single_item"),))
    method = chosen(stat, spec, small)
    if influence is not None:
        return around(_delta(stat, value, spec, small, influence), value)
    found = around(METHODS[method].function(stat, value, spec, small), value)
    if method == "bootstrap" and spec.method == "auto" and np.isfinite(found.low) and stat.weight.sum() < MANY_ITEMS:
        found = replace(found, notes=(*found.notes, few_units()))
    if method == "delta" and spec.method == "auto":
        found = replace(found, notes=(*found.notes, Note("by_delta", {"n": len(stat.weight)})))
    return found


def chosen(stat: Statistic, spec: IntervalSpec, small: Small | None = None) -> str:
    """The method: as requested, or the one that ``auto`` selects."""
    if spec.method != "auto":
        return spec.method
    if not affordable(stat, spec):
        return "delta"
    if isinstance(small, Numbers):
        return "delta" if len(stat.weight) > MOST_LEFT_OUT else "stabilised"
    return "bootstrap" if small is None else "imaginary"


def affordable(stat: Statistic, spec: IntervalSpec) -> bool:
    """Whether resampling every pattern takes about a second or less."""
    return len(stat.weight) * spec.resamples <= MOST_DRAWS


def for_small(stat: Statistic, spec: IntervalSpec | None) -> bool:
    """Whether the interval for small studies (``small``) will be used."""
    if spec is None or spec.method not in ("auto", "imaginary", "stabilised"):
        return False
    return spec.method != "auto" or affordable(stat, spec)


def _percentile(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None = None) -> Interval:
    return by_percentile(replicates(stat, spec), spec)


def _bca(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None = None) -> Interval:
    """Bias-corrected and accelerated (Efron 1987); the acceleration from the jackknife's skewness."""
    draws, notes = defined(replicates(stat, spec))
    if draws is None:
        return Interval(np.nan, np.nan, np.nan, "bca", notes)
    se = float(draws.std(ddof=1))
    below = (np.sum(draws < value) + np.sum(draws == value) / 2) / len(draws)
    pull = value - stat.left_out()
    pull = pull - np.average(pull, weights=stat.weight)
    scale = (stat.weight @ pull**2) ** 1.5
    if np.all(draws == value):
        return Interval(value, value, se, "bca", notes)
    if not 0 < below < 1 or not np.isfinite(scale) or scale == 0:
        return Interval(np.nan, np.nan, se, "bca", (*notes, Note("no_bca")))
    z0, a = special.ndtri(below), stat.weight @ pull**3 / (6 * scale)
    z = z0 + special.ndtri(np.array([(1 - spec.level) / 2, (1 + spec.level) / 2]))
    low, high = np.quantile(draws, special.ndtr(z0 + z / (1 - a * z)))
    return Interval(float(low), float(high), se, "bca", notes)


def _delta(
    stat: Statistic, value: float, spec: IntervalSpec, small: Small | None = None, influence: Array | None = None
) -> Interval:
    """Linearised: variance n/(n-1) times the sum of squared influences; t with n - 1 df."""
    slope = stat.influence() if influence is None else influence
    n = stat.weight.sum()
    return student(value, float(np.sqrt(n / (n - 1) * (stat.weight @ slope**2))), n, spec, "delta")


@dataclass(frozen=True)
class IntervalMethod:
    """A row of the registry: how an interval is computed, and how to describe it in a paper."""

    name: str
    function: Callable[[Statistic, float, IntervalSpec, Small | None], Interval]
    title: str
    """After "95 % interval by ..."."""
    words: str
    """For a methods section; ``{resamples}`` stands for the number of replicates."""
    paper: str
    bibtex: str = ""

    @property
    def cited(self) -> str:
        """Author and year of its first reference, as cited in a text."""
        found = re.match(r"([A-Z]\w+) \((\d{4})\)", self.paper)
        return f"{found[1]} {found[2]}" if found else ""


METHODS: Mapping[str, IntervalMethod] = {row.name: row for row in (
    IntervalMethod(
        "imaginary", by_imaginary, f"a {PRIOR_ITEM}",
        "a Bayesian bootstrap with one prior item, chosen for its coverage in small samples (percentiles of {resamples} draws from the "
        "posterior of the coefficient under a Dirichlet-process prior of mass one; Ferguson 1973; Rubin 1981)",
        "Ferguson (1973), Ann. Stat. 1, 209-230; Rubin (1981), Ann. Stat. 9, 130-134",
        "@article{ferguson1973bayesian, author={Ferguson, Thomas S.}, title={A {B}ayesian Analysis of Some Nonparametric Problems}, journal={The Annals of Statistics}, volume={1}, number={2}, pages={209--230}, year={1973}}",
    ),
    IntervalMethod(
        "stabilised", by_stabilised, "the jackknife on the variance-stabilising scale",
        "a delete-one-item jackknife on the variance-stabilising scale of an intraclass correlation, log((1 + (m - 1) a) / (1 - a)), "
        "with Student's t, reaching further on the side to which items are skewed (Fisher 1925; Miller 1974; Hall 1992)",
        "Fisher (1925), Statistical Methods for Research Workers, ch. 7; Miller (1974), Biometrika 61, 1-15; Hall (1992), The Bootstrap and Edgeworth Expansion",
        "@article{miller1974jackknife, author={Miller, Rupert G.}, title={The Jackknife: A Review}, journal={Biometrika}, volume={61}, number={1}, pages={1--15}, year={1974}}",
    ),
    IntervalMethod(
        "bootstrap", _percentile, "the percentile bootstrap",
        "a percentile bootstrap ({resamples} samples; Efron 1979)", "Efron (1979), Ann. Stat. 7, 1-26",
        "@article{efron1979bootstrap, author={Efron, Bradley}, title={Bootstrap Methods: Another Look at the Jackknife}, journal={The Annals of Statistics}, volume={7}, number={1}, pages={1--26}, year={1979}}",
    ),
    IntervalMethod(
        "bca", _bca, "the BCa bootstrap", "a bias-corrected and accelerated bootstrap ({resamples} samples; Efron 1987)",
        "Efron (1987), J. Am. Stat. Assoc. 82, 171-185",
        "@article{efron1987better, author={Efron, Bradley}, title={Better Bootstrap Confidence Intervals}, journal={Journal of the American Statistical Association}, volume={82}, number={397}, pages={171--185}, year={1987}}",
    ),
    IntervalMethod("delta", _delta, "the delta method", "the delta method with Student's t", "linearisation"),
    IntervalMethod(
        "jackknife", by_jackknife, "the jackknife", "a delete-one jackknife with Student's t (Miller 1974)",
        "Miller (1974), Biometrika 61, 1-15",
        "@article{miller1974jackknife, author={Miller, Rupert G.}, title={The Jackknife: A Review}, journal={Biometrika}, volume={61}, number={1}, pages={1--15}, year={1974}}",
    ),
)}  # fmt: skip
"""Every interval method by name; ``auto`` chooses among the first three."""


OF_DIFFERENCES = IntervalMethod(
    "posterior_and_t", _percentile, "the wider of a Bayesian bootstrap with one prior item for each figure and Student's t",
    "the wider, on each side, of percentiles of {resamples} draws of the difference of two Dirichlet-process posteriors, each with an imaginary item of "
    "its own (Ferguson 1973), and Student's t with the larger of the jackknife's and the posterior's standard error (Miller 1974)",
    "Ferguson (1973), Ann. Stat. 1, 209-230; Miller (1974), Biometrika 61, 1-15", METHODS["imaginary"].bibtex,
)  # fmt: skip
"""The method that ``auto`` uses for differences; it cannot be requested by name."""
OF_BOTH = IntervalMethod(
    "items_and_raters", _percentile, "linearisation with Satterthwaite's degrees of freedom",
    "linearisation, with the variance that items and raters share counted once, Satterthwaite's degrees of freedom on "
    "the scale of Fisher's z (Owen 2007; Satterthwaite 1946)",
    "Owen (2007), Ann. Appl. Stat. 1, 386-411; Satterthwaite (1946), Biometrics Bull. 2, 110-114",
    "@article{owen2007pigeonhole, author={Owen, Art B.}, title={The Pigeonhole Bootstrap}, journal={The Annals of Applied Statistics}, volume={1}, number={2}, pages={386--411}, year={2007}}",
)  # fmt: skip
"""The method for items and raters as the sample."""
EVERY: Mapping[str, IntervalMethod] = {**METHODS, **{row.name: row for row in (OF_DIFFERENCES, OF_BOTH)}}


def method_title(name: str | None) -> str:
    """How an interval was computed, in words; names outside this registry are returned unchanged.

    >>> method_title("bootstrap"), method_title("F")
    ('the percentile bootstrap', 'F')
    """
    return EVERY[name].title if name is not None and name in EVERY else str(name)
