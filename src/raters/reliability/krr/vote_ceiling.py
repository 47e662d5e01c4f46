"""The highest accuracy against a vote of k labels, and the accuracy of systems."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, value_alone
from raters.reliability.krr.curve import usual_k
from raters.reliability.krr.scores import Scores, beside
from raters.reliability.krr.study import Study, unknowable
from raters.reliability.krr.vote_model.answers import answer_shares

Array = NDArray[Any]


def vote_rows(study: Study, k: int | None, systems: Scores, spec: IntervalSpec | None, power: float) -> list[Estimate]:
    """The ceiling of accuracy under the vote model, each system's accuracy against the observed votes, and their differences."""
    if study.agg.shares is None:
        raise UsageError(f"a ceiling applies to means and votes; {study.agg.name} is neither.")
    k = usual_k(study, None) if k is None else k
    rows = _ceiling(study, k, spec.level if spec else 0.95)
    if not systems:
        return rows
    there = beside(study.ann, systems, numbers=False)
    counts = there.items.merged().counts.toarray()
    vote = study.agg.shares(counts, study.agg.ties)
    right = {}
    for name, code in there.answers.items():
        one = np.zeros_like(vote)
        at = np.flatnonzero(code >= 0)
        one[at, code[at].astype(int)] = 1
        right[name] = (one * vote).sum(1)
        title = f"accuracy of {name} against the {study.agg.name} of the available labels (a tie counts by its share)"
        rows.append(_mean(name, title, right[name], spec, there.warnings))
    for a, b in combinations(right, 2):
        gap = right[a] - right[b]
        e = _mean(f"{a} - {b}", f"{a} minus {b}", gap, spec, ())
        rows += [e, _needed(a, b, gap, spec.level if spec else 0.95, power)]
    return rows


def _ceiling(study: Study, k: int, level: float) -> list[Estimate]:
    what = f"a fresh {study.agg.name} of {k} labels"
    common: dict[str, Any] = {
        "n_items": int(study.items.weight.sum()),
        "n_annotations": study.ann.used.n_annotations,
        "coefficient": "accuracy",
    }
    why = unknowable(study)
    if why is not None:
        return [
            Estimate(name, math.nan, title=name, warnings=(why,), **common)
            for name in ("highest accuracy", "highest kappa")
        ]
    mixture = study.votes.mixture
    _, q = answer_shares(mixture.support, k, study.agg, np.random.default_rng(study.seed))
    weight = mixture.serving(False)
    weight = weight / weight.sum()
    best, top = q.argmax(1), q.max(1)
    accuracy = float(weight @ top)
    # accuracy is linear in the mixing weights, so the ends of the range lie on the boundary of their set
    low, high = sorted(float(w @ top / w.sum()) for w in (mixture.extreme(sign * top, level) for sign in (1, -1)))
    low, high = min(low, accuracy), max(high, accuracy)
    vote, given = weight @ q, np.bincount(best, weight, q.shape[1])
    chance = float(vote @ given)
    said: tuple[str, ...] = ("by the vote model (kRR's method model); the limits are the range of what the data allow",)
    details = {"k": k, "expected": chance}
    kappa = (accuracy - chance) / (1 - chance) if chance < 1 else math.nan
    limits: dict[str, Any] = {"low": low, "high": high, "interval": mixture.limits, "level": level}
    return [
        Estimate("highest accuracy", accuracy, title=f"highest accuracy of any system against {what}", warnings=said, details=details, **common, **limits),
        Estimate("highest kappa", kappa, title=f"the same, corrected for chance (Cohen's kappa with {what})", warnings=said, details=details, **common),
    ]  # fmt: skip


def _mean(name: str, title: str, x: Array, spec: IntervalSpec | None, said: tuple[str, ...]) -> Estimate:
    terms = np.stack([np.ones_like(x), x], -1)
    stat = Linear(np.ones(len(x)), terms, lambda sums: value_alone(sums[..., 1] / sums[..., 0]))
    value = float(x.mean())
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    details: dict[str, Any] = {}
    if "less" in title and np.isfinite(found.se) and found.se > 0:
        details = {"z": value / found.se, "p": float(2 * special.ndtr(-abs(value / found.se)))}
        shown = "differ" if found.low > 0 or found.high < 0 else "are not shown to differ"
        title += f": the systems {shown} (items resampled)"
    return Estimate(
        name, value, found.low, found.high, found.se, level=spec.level if spec else 0.95, interval=found.method or None, n_items=len(x),
        title=title, coefficient="accuracy", warnings=(*said, *found.warnings), details=details,
    )  # fmt: skip


def _needed(a: str, b: str, gap: Array, level: float, power: float) -> Estimate:
    both = float(special.ndtri((1 + level) / 2) + special.ndtri(power))
    needed = math.ceil((both * gap.std(ddof=1) / gap.mean()) ** 2) if gap.mean() else math.nan
    said = () if gap.mean() else ("the two accuracies are equal: no number of items can distinguish them",)
    title = f"items to tell {a} from {b} with power {power:.0%}, if they differ as they do here"
    return Estimate(
        f"items to tell {a} from {b}",
        float(needed),
        n_items=len(gap),
        title=title,
        warnings=said,
        details={"counts": True},
    )
