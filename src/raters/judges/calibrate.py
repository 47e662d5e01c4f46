"""``calibrate``: how people would label all items, from a few human labels and many judge labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError
from raters.estimate import Estimate
from raters.io.any_table import Source, table
from raters.judges.calibration import Calibration, Labelled, column_of_items, labelled, with_weights
from raters.judges.means import StratifiedMean, difference_of, mean_of_strata, systems_together
from raters.judges.shares import Asked, mean_by_errors, prevalence
from raters.notes.note import Note
from raters.options import asks

Array = NDArray[Any]
SAMPLES = ("random", "other")
ESTIMATES = ("prevalence", "mean", "difference")


@asks()
def calibrate(
    people: Source,
    model: Source,
    *,
    sample: str | None = None,
    estimate: str | None = None,
    judge: str | None = None,
    system: str | None = None,
    strata: str | None = None,
    shares: Mapping[str, float] | None = None,
    cluster: str | None = None,
    item_weights: str | None = None,
    classes: Sequence[Any] | None = None,
    score: Mapping[Any, float] | None = None,
    method: str | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 8000,
    seed: int = 0,
) -> Calibration:
    """Estimate class shares, a mean, or differences between systems, as people would label all items that the judge
    labelled.

    ``sample``: how the items with human labels were chosen, which decides the correction. ``"random"``: a random subset
    of the same items; shares are poststratified by the judge's labels, means are prediction-powered. ``"other"``: a
    different set (another date, or balanced on purpose); shares are corrected for the judge's errors (Rogan-Gladen),
    which must be the same on both sets.
    ``estimate``: ``"prevalence"``, ``"mean"``, or ``"difference"`` of the systems in the column ``system``.
    ``strata``: a column of items; ``shares``: the known shares of the strata, by default those of all items.
    ``cluster``: a column of clusters that are resampled as a whole. ``item_weights``: a column with the number of items
    that each item represents. ``classes``: people's classes, if the tables do not show all of them. ``score``: numbers
    for labels (``{"win": 1, "tie": .5, "loss": 0}``). ``method="ml"``: the maximum-likelihood shares instead of the
    nearest ones (``"other"``).
    ``interval``: ``"auto"`` (for shares Dirichlet draws, for means of a random subset t), or None for only the values.
    ``resamples``: the number of draws.

    >>> from raters.io.read import read
    >>> people = read([(i, "ann", "yes" if i % 3 == 0 else "no") for i in range(60)])
    >>> model = read([(i, "m", "yes" if i % 3 == 0 or i % 10 == 1 else "no") for i in range(600)])
    >>> result = calibrate(people, model, sample="random")
    >>> round(result["yes"].value, 3), result.n, result.n_judged
    (0.333, 60, 540)
    """
    if sample not in SAMPLES:
        raise UsageError(
            f"sample={sample!r}: say how the items with human labels were chosen, since the right correction depends on"
            " it: 'random' (a random subset of the items that the judge labelled) or 'other' (another set, another"
            " date, balanced on purpose)."
        )
    first, second = table(people, duplicates="keep"), table(model, duplicates="keep")
    what = estimate or ("difference" if system else "mean" if score or first.scale.amounts else "prevalence")
    if what not in ESTIMATES:
        raise UsageError(f"estimate={estimate!r}: choose one of {', '.join(ESTIMATES)}.")
    if what == "difference" and system is None:
        raise UsageError("estimate='difference' compares systems; name their column: system='system'.")
    if interval not in ("auto", None):
        raise UsageError(f"interval={interval!r}: calibrate takes interval='auto', or None for only the values.")
    data = labelled(first, second, judge, system, classes, score)
    if not data.both.any():
        raise DataError(
            "no item has both a human and a judge label; item names must be spelled the same way in both tables."
        )
    name = judge or str(second.engine.query("SELECT min(CAST(rater AS STRING)) AS r FROM annotations")["r"][0])
    asked = Asked(sample, what, name, method or "projection", level, resamples, seed)
    _check(asked, {"method": method, "strata": strata, "shares": shares, "cluster": cluster})
    data = with_weights(data, column_of_items((second, first), item_weights) if item_weights else None)
    groups = column_of_items((second, first), strata) if strata else None
    if what == "prevalence":
        return without_limits(prevalence(data, asked, groups, shares), interval)
    clusters = column_of_items((second, first), cluster) if cluster else None
    return without_limits(_means(data, asked, groups, shares, clusters), interval)


def _check(asked: Asked, given: Mapping[str, Any]) -> None:
    """Refuse options that would not affect the estimate."""
    if not 0 < asked.level < 1:
        raise UsageError(f"level={asked.level} is not between 0 and 1; 0.95 is usual.")
    if asked.resamples < 2:
        raise UsageError(f"resamples={asked.resamples}: use 2 or more, such as 8000.")
    if asked.estimate == "prevalence" and given["cluster"] is not None:
        raise UsageError("cluster= applies to means; class shares have no errors by cluster. Omit it.")
    if asked.sample == "other" and given["strata"] is not None:
        raise UsageError(
            "strata= needs a random subset in each stratum (sample='random'): with a different set, the judge's errors"
            " are assumed to be the same in all strata. Omit it, or weight the items with item_weights=."
        )
    if given["shares"] is not None and given["strata"] is None:
        raise UsageError("shares= gives the known shares of strata; also name their column: strata='topic'.")
    if given["method"] not in (None, "ml", "projection"):
        raise UsageError(f"method={given['method']!r} is not known. Use 'projection' or 'ml'.")
    if given["method"] is not None and (asked.estimate != "prevalence" or asked.sample != "other"):
        raise UsageError(
            "method= chooses how class shares from another set of items are corrected (sample='other'); omit it here."
        )


def without_limits(c: Calibration, interval: str | None) -> Calibration:
    """The same calibration, without limits if no interval was requested."""
    if interval is not None:
        return c

    def value(e: Estimate) -> Estimate:
        return replace(e, low=np.nan, high=np.nan, se=np.nan, interval=None)

    return replace(
        c,
        combined=tuple(map(value, c.combined)),
        people_alone=tuple(map(value, c.people_alone)),
        judge_alone=tuple(map(value, c.judge_alone)),
    )


def _means(
    data: Labelled,
    asked: Asked,
    groups: dict[str, str] | None,
    shares: Mapping[str, float] | None,
    clusters: dict[str, str] | None,
) -> Calibration:
    if asked.sample == "other":
        if asked.estimate == "difference" or clusters is not None:
            raise UsageError(
                "differences of systems and clusters need a random subset (sample='random'): from a different set of"
                " items, the judge's errors can be carried over only for the shares of classes and for one mean. Have"
                " people label a random subset of what the judge labelled, or estimate each system's mean separately."
            )
        return mean_by_errors(data, asked)
    data = data.where(np.isfinite(data.f))
    names = list(dict.fromkeys(data.systems))
    parts = {
        name: mean_of_strata(
            data.where(np.array([s == name for s in data.systems])), groups, shares, clusters, asked.level
        )
        for name in names
    }
    means = [_estimates(name or "mean", part, asked.level) for name, part in parts.items()]
    combined, alone, naive = (list(column) for column in zip(*means, strict=True))
    lam = {f"{name} {s}".strip() or "mean": x for name, part in parts.items() for s, x in part.lam.items()}
    ranks: dict[str, tuple[float, ...]] = {}
    if asked.estimate == "difference":
        found = _differences(data, names, parts, asked.level)
        lam |= {name: x for _, _, name, x in found if np.isfinite(x)}
        ranks = systems_together(data, names, parts, asked.seed)
        combined, alone = [*(d for d, _, _, _ in found), *combined], [*(h for _, h, _, _ in found), *alone]
    first = parts[names[0]]
    notes = (Note("verdicts_excluded", {"n": data.refused}),) if data.refused else ()
    return Calibration(
        asked.judge,
        asked.estimate,
        "random",
        "prediction_powered",
        tuple(combined),
        tuple(alone),
        tuple(naive),
        sum(p.n for p in parts.values()),
        sum(p.n_judged for p in parts.values()),
        lam=lam,
        correlation=first.correlation,
        ranks=ranks,
        variance=first.variance,
        notes=notes,
    )


def _differences(
    data: Labelled, names: list[str], parts: Mapping[str, StratifiedMean], level: float
) -> list[tuple[Estimate, Estimate, str, float]]:
    """The difference of each pair of systems."""
    if len(names) < 2:
        raise DataError("there is only one system, so there is no difference to estimate.")
    return [difference_of(data, a, b, parts, level) for a, b in combinations(names, 2)]


def _estimates(name: str, part: StratifiedMean, level: float) -> tuple[Estimate, Estimate, Estimate]:
    """The mean from people and judge together, from people alone, and from the judge alone."""
    every = part.n + part.n_judged
    return (
        Estimate(
            name,
            part.value,
            part.low,
            part.high,
            part.se,
            level,
            "t",
            coefficient="mean",
            notes=part.notes,
            n_items=every,
        ),
        Estimate(
            f"{name}, people alone",
            part.human,
            part.human_low,
            part.human_high,
            part.human_se,
            level,
            "t",
            coefficient="people_alone",
            n_items=part.n,
        ),
        Estimate(f"{name}, judge alone", part.judge, level=level, coefficient="judge_alone", n_items=every),
    )
