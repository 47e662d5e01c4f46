"""Where the judge differs from people: confusion, bias of each class, and whether its stated confidence holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.estimate import Estimate, Told
from raters.inference.intervals import IntervalSpec
from raters.inference.joint import Terms
from raters.judges.kappas import estimate, figured
from raters.judges.people_and_judges import Sides
from raters.judges.preferences import BothOrders
from raters.notes.note import Note

Array = NDArray[Any]
MOST_CLASSES = 60
BINS = 10
NO_NUMBER = "(no number)"


@dataclass(frozen=True)
class Confusion(Told):
    """How often the judge gave each label, by the consensus label of people."""

    rows: tuple[str, ...]
    """The judge's labels, including refusals and verdicts that are not numbers."""
    columns: tuple[str, ...]
    """What most people said."""
    counts: tuple[tuple[int, ...], ...]
    tied: int
    """Items without a majority label of people, which were excluded."""
    accuracy: Estimate


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
    point, found = figured(terms, lambda flat: (flat[:, 1] / flat[:, 0])[None], resamples, spec)
    right = estimate(
        "accuracy",
        point[0],
        found[0],
        spec,
        Note("no_consensus_with_judge"),
        coefficient="accuracy",
        title="agreement with the consensus of people",
        n_items=int(at.sum()),
    )
    tied = int(((said >= 0) & (truth < 0) & (s.given >= 0).any(1)).sum())
    return Confusion(tuple(names), tuple(str(s.labels[j]) for j in classes), tuple(rows), tied, right)


def class_bias(s: Sides, spec: IntervalSpec, resamples: int) -> tuple[Estimate, ...]:
    """For each class, the judge's share minus people's, on the items that both labelled; for numbers, the mean
    difference.
    """
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
    point, found = figured(terms, lambda flat: (flat[:, 1:] / flat[:, :1]).T, resamples, spec)
    return tuple(
        estimate(name, point[i], found[i], spec, title=f"the judge's share of {name} minus people's", **facts)
        for i, name in enumerate(names)
    )


@dataclass(frozen=True)
class Confidence(Told):
    """Whether a stated confidence matches how often the judge is right."""

    also = ("sentence",)

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
            f"the confidence that the judge states is {abs(e.value):.3f} {way} its agreement with people [{e.low:+.3f},"
            f" {e.high:+.3f}] (expected calibration error {self.expected_error:.3f}): {trust}."
        )


def stated_confidence(s: Sides, column: str, spec: IntervalSpec, resamples: int) -> Confidence | None:
    """The confidence in a column of the judge's table, from 0 to 1 (or in percent), compared with the consensus of
    people.
    """
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
    point, found = figured(terms, lambda flat: (flat[:, 1] / flat[:, 0])[None], resamples, spec)
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
        found[0],
        spec,
        coefficient="overconfidence",
        title="confidence minus agreement with people",
        n_items=len(c),
    )
    return Confidence(over, float(error), float(((c - right) ** 2).mean()), tuple(bins))


@dataclass(frozen=True)
class Columns:
    """The columns of the judges' table in which to look for biases."""

    length: str | None = None
    """The column with the length of the judged text."""
    own: str | None = None
    """The column with the family of the judged system, to be compared with the judge's own."""


@dataclass(frozen=True)
class Biases(Told):
    """The biases that the columns show; None if there is no such column."""

    also = ("sentences",)

    position: BothOrders | None = None
    length: Estimate | None = None
    """Rank correlation of length with the judge's difference from people."""
    own_family: Estimate | None = None
    """How much more the judge favours its own family than people do."""

    @property
    def sentences(self) -> list[str]:
        found = [self.position.sentence] if self.position is not None and self.position.pairs else []
        for e, said in (
            (self.length, "longer ones are rated {way} by the judge than by people"),
            (self.own_family, "its own family is rated {way} by the judge than by people"),
        ):
            if e is not None and np.isfinite(e.value) and not np.isfinite(e.low):
                found.append(f"bias by {e.title}: {e.value:+.3f}, without an interval.")
            elif e is not None and np.isfinite(e.low):
                clear = e.low > 0 or e.high < 0
                text = said.format(way="higher" if e.value > 0 else "lower") if clear else f"no clear bias by {e.title}"
                found.append(f"{text} ({e.value:+.3f} [{e.low:+.3f}, {e.high:+.3f}]).")
        return found


def biases(
    s: Sides,
    columns: Columns,
    family: Mapping[str, str] | None,
    spec: IntervalSpec,
    resamples: int,
    orders: BothOrders | None = None,
) -> Biases | None:
    """The biases of one judge; None if no column was named. ``orders``: its pairs that were shown in both orders."""
    if columns == Columns() and orders is None:
        return None
    for name in (columns.length, columns.own):
        if name is not None and name not in s.tables[1].extras:
            raise UsageError(
                f"the table of judges has no column {name!r}; other columns are {listed(s.tables[1].extras) or 'none'}."
            )
    return Biases(
        orders,
        _length(s, columns.length, spec, resamples) if columns.length else None,
        _own(s, columns.own, (family or {}).get(s.judges[0], s.judges[0]), spec, resamples) if columns.own else None,
    )


def _differences(s: Sides, label: int | None = None) -> tuple[Array, Array]:
    """The shared items, and the judge's value minus people's mean: of numbers, or of whether the label is ``label``."""
    n = np.asarray(s.counts.sum(1)).ravel()
    rows = np.flatnonzero((s.said[:, 0] >= 0) & (n > 0))
    if label is None:
        return rows, s.values[s.said[rows, 0]] - (s.counts[rows] @ s.values) / n[rows]
    own = np.asarray(s.counts[rows][:, [label]].todense()).ravel() / n[rows]
    return rows, (s.said[rows, 0] == label) - own


def _by_item(s: Sides, column: str) -> dict[str, Any]:
    engine = s.judge_rows.engine
    got = engine.query(f"SELECT item, min({engine.quote(column)}) AS v FROM annotations GROUP BY item")
    return {str(i): v for i, v in zip(got["item"].tolist(), got["v"].tolist(), strict=True)}


def _length(s: Sides, column: str, spec: IntervalSpec, resamples: int) -> Estimate:
    """Spearman's correlation of length and the judge's difference from people; for nominal labels, of length and
    whether the judge differs.
    """
    from scipy import stats  # slow to import, and seldom needed

    found = _by_item(s, column)
    if s.scale.equality:
        rows = np.flatnonzero((s.said[:, 0] >= 0) & (s.consensus >= 0))
        off = (s.said[rows, 0] != s.consensus[rows]).astype(float)
    else:
        rows, off = _differences(s)
    size = np.array([float(found.get(str(s.items[i]), np.nan) or np.nan) for i in rows])
    at = np.isfinite(size)
    x, y = stats.rankdata(size[at]), stats.rankdata(off[at])
    x, y = x - x.mean(), y - y.mean()
    terms = Terms(int(at.sum()))
    terms.add(np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], 1))

    def figures(flat: Array) -> Array:
        n, sx, sy, xx, yy, xy = flat.T
        return np.asarray((xy - sx * sy / n) / np.sqrt((xx - sx**2 / n) * (yy - sy**2 / n)))[None]

    point, limits = figured(terms, figures, resamples, spec)
    return estimate(
        "length",
        point[0],
        limits[0],
        spec,
        Note("length_never_varies"),
        coefficient="length_bias",
        title="length",
        n_items=int(at.sum()),
    )


def _own(s: Sides, column: str, family: str, spec: IntervalSpec, resamples: int) -> Estimate:
    """The judge's mean difference from people on its own family's items, minus that on the others; for winners, from
    the share of verdicts for its own family.
    """
    found = _by_item(s, column)
    label = next((k for k, name in enumerate(s.labels) if str(name) == family), None) if s.scale.equality else None
    rows, off = _differences(s, label)
    mine = np.array([str(found.get(str(s.items[i]), "")) == family for i in rows])
    terms = Terms(len(rows))
    terms.add(np.stack([mine, mine * off, ~mine, ~mine * off], 1).astype(float))

    def figures(flat: Array) -> Array:
        if label is not None:  # winners: every item may name the family
            return np.asarray((flat[:, 1] + flat[:, 3]) / (flat[:, 0] + flat[:, 2]))[None]
        return np.asarray(flat[:, 1] / flat[:, 0] - flat[:, 3] / flat[:, 2])[None]

    point, limits = figured(terms, figures, resamples, spec)
    return estimate(
        "own_family",
        point[0],
        limits[0],
        spec,
        Note("family_on_no_or_every_item", {"family": family}),
        coefficient="own_family_bias",
        title="own family",
        n_items=len(rows),
    )
