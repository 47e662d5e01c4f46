"""Where the judge differs from people: confusion, bias of each class, and whether its stated confidence holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.estimate import Estimate, jsonable
from raters.inference.intervals import IntervalSpec
from raters.judges.people_and_judges import Sides
from raters.judges.resampled_sums import Terms, estimate, replicated

Array = NDArray[Any]
MOST_CLASSES = 60
BINS = 10
NO_NUMBER = "(no number)"


@dataclass(frozen=True)
class Confusion:
    """How often the judge gave each label, by the consensus label of people."""

    rows: tuple[str, ...]
    """The judge's labels, including refusals and verdicts that are not numbers."""
    columns: tuple[str, ...]
    """What most people said."""
    counts: tuple[tuple[int, ...], ...]
    tied: int
    """Items without a majority label of people, which were excluded."""
    accuracy: Estimate

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items() if k != "accuracy"} | {
            "accuracy": self.accuracy.to_dict()
        }


def confusion(s: Sides, spec: IntervalSpec, resamples: int) -> Confusion | None:
    """The judge against the consensus of people; None for numbers with very many values."""
    if len(s.labels) > MOST_CLASSES:
        return None
    said, truth = s.said[:, 0], s.consensus
    at = (said >= 0) & (truth >= 0)
    k = len(s.labels)
    counts = np.zeros((k, k), int)
    np.add.at(counts, (said[at], truth[at]), 1)
    used, classes = np.flatnonzero(counts.sum(1) > 0), np.unique(truth[truth >= 0])
    both = sorted({*used, *classes})
    rows = [tuple(counts[j, classes].tolist()) for j in both]
    names = [str(s.labels[j]) for j in both]
    if s.refusals[0]:
        place = {str(name): i for i, name in enumerate(s.items)}
        met = [int(truth[place[i]]) for i in s.refused.get(s.judges[0], ()) if i in place]
        names, rows = [*names, NO_NUMBER], [*rows, tuple(met.count(c) for c in classes.tolist())]
    terms = Terms(len(s.items))
    terms.add(np.stack([at, at & (said == truth)], 1).astype(float))
    point, draws = replicated(terms, lambda flat: (flat[:, 1] / flat[:, 0])[None], resamples, spec.seed)
    right = estimate("accuracy", point[0], draws[0], spec, "no item has a label of the judge and a consensus of people",
                     coefficient="accuracy", title="agreement with the consensus of people", n_items=int(at.sum()))  # fmt: skip
    tied = int(((said >= 0) & (truth < 0) & (s.given >= 0).any(1)).sum())
    return Confusion(tuple(names), tuple(str(s.labels[j]) for j in classes), tuple(rows), tied, right)


def class_bias(s: Sides, spec: IntervalSpec, resamples: int) -> tuple[Estimate, ...]:
    """For each class, the judge's share minus people's, on the items that both labelled; for numbers, the mean difference."""
    n = np.asarray(s.counts.sum(1)).ravel()
    at = (s.said[:, 0] >= 0) & (n > 0)
    rows = np.flatnonzero(at)
    terms = Terms(len(rows))
    terms.add(np.ones(len(rows)))
    facts: Any = {"coefficient": "bias", "n_items": len(rows), "n_raters": len(s.people)}
    if s.numbers or len(s.labels) > MOST_CLASSES:
        terms.add(s.values[s.said[rows, 0]] - (s.counts[rows] @ s.values) / n[rows])
        names = ["mean"]
    else:
        own = np.zeros((len(rows), len(s.labels)))
        own[np.arange(len(rows)), s.said[rows, 0]] = 1
        terms.add(own - s.counts[rows].toarray() / n[rows, None])
        names = [str(label) for label in s.labels]
    point, draws = replicated(terms, lambda flat: (flat[:, 1:] / flat[:, :1]).T, resamples, spec.seed)
    return tuple(
        estimate(name, point[i], draws[i], spec, title=f"the judge's share of {name} minus people's", **facts)
        for i, name in enumerate(names)
    )


@dataclass(frozen=True)
class Confidence:
    """Whether a stated confidence matches how often the judge is right."""

    overconfidence: Estimate
    """Mean confidence minus the share that agrees with the consensus of people."""
    expected_error: float
    """Mean distance between confidence and that share over ten bins."""
    brier: float
    bins: tuple[tuple[float, float, int], ...]
    """(mean confidence, share right, items) of each bin."""

    @property
    def sentence(self) -> str:
        e = self.overconfidence
        way = "higher than" if e.value > 0 else "lower than"
        clear = e.low > 0 or e.high < 0
        trust = "do not interpret it as a probability" if clear else "on average, it is about right"
        return (
            f"the confidence that the judge states is {abs(e.value):.3f} {way} its agreement with people [{e.low:+.3f}, {e.high:+.3f}] "
            f"(expected calibration error {self.expected_error:.3f}): {trust}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items() if k != "overconfidence"} | {
            "overconfidence": self.overconfidence.to_dict(),
            "sentence": self.sentence,
        }


def stated_confidence(s: Sides, column: str, spec: IntervalSpec, resamples: int) -> Confidence | None:
    """The confidence in a column of the judge's table, from 0 to 1 (or in percent), compared with the consensus of people."""
    model = s.judge_rows
    got = model.engine.query(
        f"SELECT item, min(CAST({model.engine.quote(column)} AS DOUBLE)) AS c FROM annotations GROUP BY item"
    )
    given = {str(i): c for i, c in zip(got["item"].tolist(), got["c"].tolist(), strict=True) if c is not None}
    c = np.array([given.get(str(i), np.nan) for i in s.items], float)
    c = c / 100 if np.nanmax(c, initial=0) > 1 else c
    at = (s.said[:, 0] >= 0) & (s.consensus >= 0) & np.isfinite(c)
    if not at.any():
        return None
    right, c = (s.said[at, 0] == s.consensus[at]).astype(float), c[at]
    terms = Terms(len(c))
    terms.add(np.stack([np.ones(len(c)), c - right], 1))
    point, draws = replicated(terms, lambda flat: (flat[:, 1] / flat[:, 0])[None], resamples, spec.seed)
    which = np.minimum((c * BINS).astype(int), BINS - 1)
    bins = [
        (float(c[which == b].mean()), float(right[which == b].mean()), int((which == b).sum()))
        for b in range(BINS)
        if (which == b).any()
    ]
    error = sum(n * abs(a - b) for a, b, n in bins) / len(c)
    over = estimate(
        "overconfidence",
        point[0],
        draws[0],
        spec,
        coefficient="overconfidence",
        title="confidence minus agreement with people",
        n_items=len(c),
    )
    return Confidence(over, float(error), float(((c - right) ** 2).mean()), tuple(bins))
