"""Monitor raters during labelling: has a rater changed, given how hard their items were?

Each label is compared with the consensus without the rater's own labels. The expectation follows from the rater's first
labels and from the item: disagreeing on hard items is not a change. Batches are judged by a Shewhart chart, single
labels by a risk-adjusted CUSUM.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.charts.lines import control_chart
from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, Result, jsonable, shown, text_table
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items.folding import column_of, python_values
from raters.models.base.fit import FittedModel
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit

Array = NDArray[Any]
SPREAD = 0.7
"""Raters' log odds of disagreeing differ by about this: a baseline is shrunk towards the pool accordingly."""
ODDS = 2.0
"""The change that the CUSUM looks for: the odds of disagreeing doubled, or halved."""
PATHS = 2_000
RUN = 500
"""Median number of labels of one unchanged rater until a false alarm, multiplied by the number of raters."""
ALARM, WARN = 3.0, 2.0


@dataclass(frozen=True)
class Watched:
    """One rater over time."""

    rater: Any
    baseline: float
    """Share of the first labels that differ from the consensus of the others."""
    n: int
    """Labels after the baseline that could be judged."""
    batches: tuple[dict[str, float], ...]
    """For each batch: ``n``, ``seen``, ``expected``, ``z``."""
    more: tuple[float, ...]
    less: tuple[float, ...]
    """The CUSUM after each label, for more and for less disagreement than before."""
    limit: tuple[float, float]
    changed: str
    """``more``, ``less`` or empty: the rater disagrees more, or less, than at the beginning."""
    at: int | None
    """The label, counted after the baseline, at which the CUSUM crossed its limit."""


@dataclass(frozen=True, repr=False)
class Monitoring(Result):
    """Every rater over time: who has changed, and when."""

    raters: Mapping[Any, Watched]
    too_few: tuple[Any, ...]
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[Any, ...]:
        return tuple(name for name, w in self.raters.items() if w.changed)

    @property
    def sentence(self) -> str:
        if not self.raters:
            return "No rater has enough labels to be watched."
        if not self.changed:
            return f"None of {len(self.raters)} raters is shown to have changed."
        said = [
            f"{name} disagrees {self.raters[name].changed} with the others than before, from about label"
            f" {self.raters[name].at} after the baseline"
            for name in self.changed
        ]
        return f"{len(self.changed)} of {len(self.raters)} raters changed: {'; '.join(said)}."

    def to_dict(self) -> dict[str, Any]:
        rows = [{k: jsonable(v) for k, v in vars(w).items() if k not in ("more", "less")} for w in self.raters.values()]
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            "raters": rows,
            "too_few": [str(x) for x in self.too_few],
            "warnings": list(self.warnings),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each rater and batch."""
        rows = [(name, i + 1, b) for name, w in self.raters.items() for i, b in enumerate(w.batches)]
        made: dict[str, list[Any]] = {"rater": [r for r, _, _ in rows], "batch": [i for _, i, _ in rows]}
        return made | {key: [b[key] for _, _, b in rows] for key in ("n", "seen", "expected", "z")}

    def plot(self, rater: Any) -> Any:
        """The control chart of one rater: z of each batch, with warnings at 2 and limits at 3."""
        if rater not in self.raters:
            raise UsageError(f"{rater!r} is not watched; there are: {listed(list(self.raters))}.")
        w = self.raters[rater]
        return control_chart(
            [b["z"] for b in w.batches],
            warn=WARN,
            limit=ALARM,
            name=f"control-{rater}",
            caption=f"{rater}: observed minus expected disagreement with the others, by batch, in standard deviations.",
        ).altair()

    def __str__(self) -> str:
        rows = [
            [
                str(name),
                shown(w.baseline, 3),
                f"{w.n:,}",
                shown(w.batches[-1]["z"], 2) if w.batches else "-",
                f"disagrees {w.changed}" if w.changed else "",
            ]
            for name, w in self.raters.items()
        ]
        lines = [self.sentence, *text_table(["rater", "baseline", "labels since", "last z", "changed"], rows)]
        return "\n".join([*lines, *(f"note: {w}" for w in self.warnings)])


@takes_tables()
def monitor(
    ann: Source,
    *,
    order: str | None = None,
    baseline: int = 50,
    batch: int = 25,
    consensus: FittedModel | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Monitoring:
    """Test whether a rater has changed: compare labels, in order, with the consensus of the others, adjusted for item
    difficulty.

    ``order``: the column that says when a label was given; by default, the order of the rows. ``baseline``: the number
    of a rater's first labels, which define what is expected of them. ``batch``: the number of labels for each point of
    the Shewhart chart (25 or more). ``consensus``: the current consensus, such as ``c.update(new)``, whose confusion
    matrices and posteriors are used; by default, Dawid and Skene's model is fitted.

    The CUSUM detects odds of disagreeing that have doubled or halved; its limit is simulated so that an unchanged rater
    raises a false alarm after a median of 500 labels times the number of raters. "Changed" is not "bad".

    Steiner, Cook, Farewell & Treasure (2000), Biostatistics 1, 441-452; Montgomery, Introduction to Statistical Quality
    Control.

    >>> import raters
    >>> monitor(raters.examples.demo()).changed
    ()
    """
    ann = table(ann)
    if not ann.n_raters:
        raise UsageError("monitoring needs to know who gave which label, but this table does not name raters.")
    if baseline < 10 or batch < 5:
        raise UsageError(f"baseline={baseline}, batch={batch}: use at least 10 and 5 labels; 50 and 25 are usual.")
    votes = Votes.of(ann)
    c = fit(votes, model="dawid_skene", restarts=0) if consensus is None else consensus
    if c.numeric or tuple(c.votes.labels) != tuple(votes.labels):
        raise UsageError(
            "consensus= was fitted to other labels than these annotations have; fit or update it with them."
        )
    item, rater, label = _in_order(ann, votes, order)
    p, known = _without_own(c, votes, item, rater, label)
    differs, risk = _risk(p, label, known)
    rng = np.random.default_rng(seed)
    found: dict[Any, Watched] = {}
    too_few = []
    for j, name in enumerate(votes.raters):
        mine = np.flatnonzero((rater == j) & known)
        if len(mine) < baseline + batch:
            too_few.append(name)
            continue
        found[name] = _watch(name, differs[mine], risk[mine], baseline, batch, len(votes.raters), rng)
    said = (
        [f"{len(too_few):,} raters have fewer than {baseline + batch} labels that others gave too, and are not watched"]
        if too_few
        else []
    )
    said += [] if order is not None else ["labels were taken in the order of the rows; order= names a column of times"]
    return Monitoring(found, tuple(too_few), tuple(said))


def _in_order(ann: Annotations, votes: Votes, order: str | None) -> tuple[Array, Array, Array]:
    """(label,): item, rater and label codes of every annotation, the earliest first."""
    if order is not None and order not in ann.extras:
        raise UsageError(f"no column {order!r}; other columns are {listed(ann.extras) or 'none'}.")
    by = "row" if order is None else f"{ann.engine.quote(order)}, row"
    got = ann.engine.query(f"SELECT item, rater, label FROM annotations ORDER BY {by}")
    places = [{name: i for i, name in enumerate(names)} for names in (votes.items, votes.raters)]
    item, rater = (
        np.array([place[v] for v in python_values(got[n])]) for place, n in zip(places, ("item", "rater"), strict=True)
    )
    key = {v: k for k, v in enumerate(python_values(column_of(ann.keys.tolist())))}
    return item, rater, np.array([key[v] for v in python_values(got["label"])])


def _without_own(c: FittedModel, votes: Votes, item: Array, rater: Array, label: Array) -> tuple[Array, Array]:
    """(label, true label): the posterior of each label's item without the labels of the rater who gave it; and whether
    others labelled it.
    """
    rows, who = {name: i for i, name in enumerate(c.items)}, {name: j for j, name in enumerate(c.raters)}
    at = np.array([rows.get(name, -1) for name in votes.items])[item]
    of = np.array([who.get(name, -1) for name in votes.raters])[rater]
    theta = np.log(np.maximum(np.asarray(c.confusion), 1e-12))
    average = theta.mean(0)
    own = np.where((of >= 0)[:, None], theta[of, :, label], average[:, label].T)
    _, cell = np.unique(item.astype(np.int64) * len(votes.raters) + rater, return_inverse=True)
    sums = np.zeros((int(cell.max()) + 1, own.shape[1]))
    np.add.at(sums, cell.ravel(), own)  # a rater may have labelled the item more than once
    log = np.log(np.maximum(np.asarray(c.posterior)[at], 1e-300)) - sums[cell.ravel()]
    log -= log.max(1, keepdims=True)
    p = np.exp(log)
    total = np.bincount(item, minlength=votes.n_items)[item]
    mine = np.bincount(cell.ravel())[cell.ravel()]
    return p / p.sum(1, keepdims=True), (total > mine) & (at >= 0)


def _risk(p: Array, label: Array, known: Array) -> tuple[Array, Array]:
    """(label,): whether it differs from the consensus of the others, and the log odds that any rater's label would,
    given the item.

    The odds come from a logistic regression on those of the posterior alone, over all raters, so that the expected
    total equals the observed one.
    """
    k = p.shape[1]
    counts = np.full((k, k), 1.0 / k)
    np.add.at(counts.T, label[known], p[known])
    pool = counts / counts.sum(1, keepdims=True)
    agreed = p.argmax(1)
    differs = (label != agreed).astype(float)
    raw = np.clip(1 - (p * pool[:, agreed].T).sum(1), 1e-4, 1 - 1e-4)
    x = np.log(raw / (1 - raw))
    design = np.stack([np.ones(int(known.sum())), x[known]], -1)
    beta = np.array([0.0, 1.0])
    for _ in range(30):  # Newton steps, kept near the start by a weak prior
        e = _odds(design @ beta)
        slope = design.T @ (differs[known] - e) - (beta - [0.0, 1.0])
        curve = (design * (e * (1 - e))[:, None]).T @ design + np.eye(2)
        beta = beta + np.linalg.solve(curve, slope)
    return differs, beta[0] + beta[1] * x


def _odds(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _own(y: Array, x: Array) -> tuple[float, float]:
    """A rater's own log odds relative to the pool's, from their first labels, and its standard deviation."""
    shift = 0.0
    for _ in range(30):
        e = _odds(x + shift)
        curve = float((e * (1 - e)).sum()) + 1 / SPREAD**2
        shift += (float((y - e).sum()) - shift / SPREAD**2) / curve
    return shift, 1 / math.sqrt(curve)


def _watch(name: Any, y: Array, x: Array, baseline: int, batch: int, raters: int, rng: np.random.Generator) -> Watched:
    shift, unsure = _own(y[:baseline], x[:baseline])
    first = float(y[:baseline].mean())
    y, log_odds = y[baseline:], x[baseline:] + shift
    e = _odds(log_odds)
    batches = []
    for start in range(0, len(y) - batch + 1, batch):
        end = start + batch if len(y) - start - batch >= batch else len(y)
        seen, expected = float(y[start:end].sum()), float(e[start:end].sum())
        variance = float((e[start:end] * (1 - e[start:end])).sum())
        z = (seen - expected) / math.sqrt(
            variance + (variance * unsure) ** 2
        )  # labels, and the baseline they are compared with
        batches.append({"n": end - start, "seen": seen / (end - start), "expected": expected / (end - start), "z": z})
        if end == len(y):
            break
    limits = [_limit(log_odds, unsure, odds, RUN * raters, rng) for odds in (ODDS, 1 / ODDS)]
    paths = [_cusum(y, e, odds) for odds in (ODDS, 1 / ODDS)]
    first_at = [
        next((i + 1 for i, w in enumerate(path) if w >= h), None) for path, h in zip(paths, limits, strict=True)
    ]
    hits = [(at, word) for at, word in zip(first_at, ("more", "less"), strict=True) if at is not None]
    at, word = min(hits) if hits else (None, "")
    return Watched(
        name, first, len(y), tuple(batches), tuple(paths[0]), tuple(paths[1]), (limits[0], limits[1]), word, at
    )


def _steps(e: Array, odds: float) -> tuple[Array, Array]:
    """What a label adds to the CUSUM: if it agrees, and if it does not."""
    agree = -np.log(1 - e + odds * e)
    return agree, agree + math.log(odds)


def _cusum(y: Array, e: Array, odds: float) -> list[float]:
    agree, not_ = _steps(e, odds)
    w, path = 0.0, []
    for step in np.where(y > 0, not_, agree).tolist():
        w = max(0.0, w + step)
        path.append(w)
    return path


def _limit(log_odds: Array, unsure: float, odds: float, run: int, rng: np.random.Generator) -> float:
    """The limit that an unchanged rater reaches, within these labels, as seldom as a median run of ``run`` labels
    implies.

    Simulated paths differ in the rater's true odds by the uncertainty that the baseline leaves.
    """
    n = len(log_odds)
    agree, not_ = _steps(_odds(log_odds), odds)
    true = _odds(log_odds[:, None] + unsure * rng.normal(size=PATHS))
    w, top = np.zeros(PATHS), np.zeros(PATHS)
    for i in range(n):
        w = np.maximum(0.0, w + np.where(rng.random(PATHS) < true[i], not_[i], agree[i]))
        np.maximum(top, w, out=top)
    return float(np.quantile(top, 0.5 ** (n / run))) + 1e-9
