"""How many items and labels show that one of two systems is better, per score, at given costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable, text_table
from raters.io.any_table import Source
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.reliability.krr.vote_model.simplex import chances, lattice
from raters.reliability.soft.evaluation import labelled
from raters.reliability.soft.floors import crowd
from raters.reliability.soft.predictions import answers_of, predictions
from raters.reliability.soft.scores import SCORES
from raters.reliability.soft.soft_labels import SoftLabels, soft_labels

Array = NDArray[Any]
KS = (1, 2, 3, 5, 10, 20)
TYPES = 2000
DRAWS = 20_000
ROUNDS = 2000
SIMULATED_BELOW = 200
"""With fewer items, the t test's power is simulated: the noncentral t is off by .04 at 100 items, .10 at 40."""
MOST_ITEMS = 1_000_000
CELLS = 8_000_000


def vote_error(s: Array, q: Array) -> Array:
    """The share of the most probable labels that are not the vote's: 0, 1, or a part of it if votes tie."""
    won = s >= s.max(-1, keepdims=True) - 1e-12
    said = q >= q.max(-1, keepdims=True) - 1e-12
    both = (won / won.sum(-1, keepdims=True) * said / said.sum(-1, keepdims=True)).sum(-1)
    return np.asarray(1 - both)


METRICS: Mapping[str, Callable[[Array, Array], Array]] = {
    **{name: SCORES[name].each for name in ("brier", "cross_entropy", "jensen_shannon", "manhattan")}, "accuracy": vote_error,
}  # fmt: skip
"""Scores by which systems are compared; all of them are smaller for the better system (accuracy is its error)."""
LINEAR = ("brier", "cross_entropy")


@dataclass(frozen=True)
class Items:
    """What items are like: the crowd's distribution on each, and both systems' probabilities."""

    p: Array
    weight: Array
    a: Array
    b: Array

    def difference(self, metric: str, k: int) -> tuple[float, float]:
        """The mean and standard deviation over items of the score of B minus that of A, against k labels."""
        q = self.p.shape[1]
        if comb(k + q - 1, q - 1) * len(self.p) * q > CELLS:
            d = self.drawn(metric, k, np.random.default_rng(k), DRAWS)
            return float(d.mean()), float(d.std())
        counts = lattice(q, k)
        s, each = (counts / k)[:, None], METRICS[metric]
        d, chance = each(s, self.b[None]) - each(s, self.a[None]), chances(counts, self.p) * self.weight
        mean = float((chance * d).sum())
        return mean, math.sqrt(max(float((chance * d**2).sum()) - mean**2, 0.0))

    def drawn(self, metric: str, k: int, rng: np.random.Generator, n: int) -> Array:
        """Differences on n items drawn at random."""
        at = rng.choice(len(self.p), n, p=self.weight)
        s = rng.multinomial(k, self.p[at] / self.p[at].sum(1, keepdims=True)) / k
        return METRICS[metric](s, self.b[at]) - METRICS[metric](s, self.a[at])

    def true(self, metric: str) -> float:
        """The mean difference against the crowd's own distribution: what many labels would show."""
        return float(self.weight @ (METRICS[metric](self.p, self.b) - METRICS[metric](self.p, self.a)))


def t_power(mean: float, sd: float, n: int, level: float = 0.95) -> float:
    """The power of a paired two-sided t test on n items, if differences are normal.

    >>> round(t_power(0.0845, 0.33087346524, 200), 6)
    0.948895
    """
    nc, edge = math.sqrt(n) * abs(mean) / sd, float(special.stdtrit(n - 1, (1 + level) / 2))
    found = float(1 - special.nctdtr(n - 1, nc, edge) + special.nctdtr(n - 1, nc, -edge))
    return found if 0 <= found <= 1 else float(special.ndtr(nc - edge))  # far out, it is not computed


def power_of(d: Array, n: int, seed: int = 0) -> float:
    """The power on n items like those that show the differences ``d``: simulated if the t formula is too rough."""
    mean, sd = float(d.mean()), float(d.std())
    if n >= SIMULATED_BELOW or not sd > 0:
        return t_power(mean, sd, n) if sd > 0 else 1.0
    found = np.random.default_rng(seed).choice(d, (ROUNDS, n))
    centre, spread = found.mean(1), found.std(1, ddof=1)
    edge = float(special.stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
    return float(np.mean((np.abs(centre) > edge) & (np.sign(centre) == np.sign(mean))))


def items_needed(d: Array, power: float) -> float:
    """The fewest items with this power; nan if there is no difference to find."""
    if not (abs(d.mean()) > 0 and d.std() > 0) or power_of(d, MOST_ITEMS) < power:
        return math.nan
    low, high = 2, MOST_ITEMS
    while high - low > max(1, low // 100):
        middle = int(math.sqrt(low * high)) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if power_of(d, middle) >= power else (middle, high)
    return float(high)


def vet_p(null: Sequence[float], alternative: Sequence[float]) -> tuple[float, float]:
    """VET's p: the share of pairs (null, alternative) with null >= alternative, one-sided, and the smaller side's.

    An average over both samples, not the p of a test.

    >>> vet_p([0] * 5 + [1] * 5, [0] * 6 + [1] * 4)
    (0.8, 0.7)
    """
    a, b = np.asarray(null, float), np.asarray(alternative, float)
    above, below = float((a[:, None] >= b).mean()), float((a[:, None] <= b).mean())
    return above, min(above, below)


def vet_p_of_power(mean: float, sd: float, n: float) -> float:
    """What VET's p would be on average, if scores are normal and as variable under the null: .05 is a power of .64."""
    return float(special.ndtr(-math.sqrt(n / 2) * abs(mean) / sd)) if sd > 0 and n == n else math.nan


@dataclass(frozen=True, repr=False)
class SystemsPlan(EstimateTable):
    """A row for each score: the items needed at the cheapest number of labels, with every K in ``details["split"]``."""

    power: float = 0.8
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        known = [e for e in self if math.isfinite(e.value)]
        if not known:
            return "No number of items up to a million shows the difference."
        e = min(known, key=lambda x: (x.name not in LINEAR, x.details["cost"]))
        k = e.details["labels_per_item"]
        return f"{e.value:,.0f} items with {k} label{'' if k == 1 else 's'} each show the difference by {e.title} with power {self.power:g}."

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"sentence": self.sentence, "power": self.power} | in_json(self.notes)

    def __str__(self) -> str:
        split = [e.details["split"] for e in self]
        needed = [["-" if math.isnan(r["items"]) else f"{r['items']:,.0f}" for r in rows] for rows in split]
        best = [str(e.details["labels_per_item"] or "-") for e in self]
        short = [e.title for e in self]
        head = ["", *(str(r["k"]) for r in split[0])]
        lines = [*wrap(self.sentence, 80), "", "Items needed, by labels per item:"]
        lines += text_table([*head, "cheapest"], [[t, *n, b] for t, n, b in zip(short, needed, best, strict=True)])
        if "power" in split[0][0]:
            powers = [[t, *(f"{r['power']:.2f}" for r in rows)] for t, rows in zip(short, split, strict=True)]
            lines += ["", "Power of the items that were asked about:", *text_table(head, powers)]
        return "\n".join([*lines, *labelled("Why", self.notes)])


@asks()
def plan_systems(
    pilot: Source | SoftLabels,
    *,
    noise: Sequence[float] | None = None,
    systems: Sequence[Any] | None = None,
    difference: float | None = None,
    power: float = 0.8,
    cost: float = 1.0,
    item_cost: float = 0.0,
    items: int | None = None,
    ks: Sequence[int] = KS,
    seed: Seed = 0,
) -> SystemsPlan:
    """Estimate how many items and labels show that one of two systems is better, per score.

    ``pilot``: labels of such items. ``noise``: how far the probabilities of the better and the worse system are off, such
    as (0.1, 0.2): both are the crowd's plus uniform noise of this size. Or ``systems``: the predictions of two systems for
    the pilot's items, with ``difference``, the smallest difference of scores that matters; it is yours to state, because
    the pilot's own is too uncertain to plan by. ``cost``, ``item_cost``: of a label, and of an item. ``items``: each K also
    has the ``power`` that so many items have.

    >>> from raters import examples
    >>> found = plan_systems(examples.demo(), noise=(0.05, 0.2), ks=(1, 3))
    >>> found["brier"].details["labels_per_item"], found["brier"].value > 20
    (1, True)
    """
    if (noise is None) == (systems is None) or (systems is not None and difference is None):
        raise UsageError(
            "pass noise=(0.1, 0.2), how far two systems are off, or their predictions with difference=0.02."
        )
    if not (0 < power < 1 and 0 < cost < math.inf and 0 <= item_cost < math.inf):
        raise UsageError(
            f"power={power}, cost={cost}, item_cost={item_cost}: power is between 0 and 1, costs are positive."
        )
    soft = soft_labels(pilot)
    if soft.sets:
        raise UsageError("plan_systems takes single labels; for sets, plan for each label.")
    if noise is not None:
        return _from_crowd(soft, noise, _Terms(power, cost, item_cost, items), ks, seed)
    return _from_pilot(soft, systems or (), float(difference or 0), _Terms(power, cost, item_cost, items), ks, seed)


def items_like(soft: SoftLabels, noise: Sequence[float], seed: int) -> Items:
    """Items as the pilot's distribution has them, and two systems that are off by uniform noise."""
    if len(noise) != 2 or not all(0 <= x <= 1 for x in noise):
        raise UsageError(f"noise={list(noise)}: pass two numbers between 0 and 1, such as (0.1, 0.2).")
    if noise[0] == noise[1]:
        raise UsageError(f"noise={list(noise)}: both systems are equally far off, so there is no difference to show.")
    if not (soft.k >= 2).any():
        raise UsageError("every item of the pilot has one label, which shows nothing about the crowd's distributions.")
    found, rng = crowd(soft.tables(), soft.k, seed), np.random.default_rng(seed)
    p = found.support[0][rng.choice(len(found.weight[0]), TYPES, p=found.weight[0])]
    a, b = (_noisy(p, x, rng) for x in noise)
    return Items(p, np.full(TYPES, 1 / TYPES), a, b)


def _noisy(p: Array, size: float, rng: np.random.Generator) -> Array:
    """The distribution plus noise; of two labels the second takes what the first leaves."""
    if p.shape[1] == 2:
        first = np.clip(p[:, 0] + rng.uniform(-size, size, len(p)), 0.01, 0.99)
        return np.stack([first, 1 - first], -1)
    off = np.clip(p + rng.uniform(-size, size, p.shape), 0.01, 0.99)
    return np.asarray(off / off.sum(1, keepdims=True))


def _from_crowd(soft: SoftLabels, noise: Sequence[float], terms: _Terms, ks: Sequence[int], seed: int) -> SystemsPlan:
    like = items_like(soft, noise, seed)
    rows, wrong = [], {}
    for metric in METRICS:
        sign, split = np.sign(like.true(metric)), []
        for k in ks:
            mean, sd = like.difference(metric, k)
            d = like.drawn(metric, k, np.random.default_rng(seed), DRAWS)
            d = (d - d.mean()) * (sd / d.std() if d.std() > 0 else 1) + mean  # the exact moments
            n = items_needed(d, terms.power) if mean * sign > 0 else math.nan
            split.append(_row(k, d, n, terms))
            if mean * sign < 0:
                wrong[metric] = k
        rows.append(_estimate(metric, split, len(soft.items)))
    said = (
        [Note("wrong_sign", {"metrics": ", ".join(f"{TITLES[m]} up to K = {k}" for m, k in wrong.items())})]
        if wrong
        else []
    )
    return SystemsPlan(tuple(rows), of="score", power=terms.power, notes=(*said, Note("plan_of_metric")))


def _from_pilot(
    soft: SoftLabels, systems: Sequence[Any], difference: float, terms: _Terms, ks: Sequence[int], seed: int
) -> SystemsPlan:
    if len(systems) != 2 or not difference > 0:
        raise UsageError(f"systems= takes two, and difference={difference:g} is to be above 0.")
    given = [predictions(answers_of(s, soft.labels), soft) for s in systems]
    shared, i, j = np.intersect1d(given[0].at, given[1].at, return_indices=True)
    if len(shared) < 10 or given[0].labels != given[1].labels or len(given[0].labels) != len(soft.labels):
        raise UsageError(f"the systems share {len(shared)} items of the pilot with all labels; at least 10 are needed.")
    a, b, counts = given[0].q[i, 0], given[1].q[j, 0], soft.counts[shared].astype(int)
    rng, rows = np.random.default_rng(seed), []
    most = int(np.median(counts.sum(1)))
    for metric in METRICS:
        split = []
        for k in (k for k in ks if k <= most):
            at = np.flatnonzero(counts.sum(1) >= k)
            at = np.tile(at, max(1, DRAWS // len(at)))
            s = _subsampled(counts[at], k, rng)
            d = METRICS[metric](s / k, b[at]) - METRICS[metric](s / k, a[at])
            sd = float(d.std()) if np.isfinite(d).all() else math.nan
            centred = d - d.mean() + difference if np.isfinite(sd) else d
            n = items_needed(centred, terms.power) if sd > 0 else math.nan
            split.append(_row(k, centred, n, terms))
        rows.append(_estimate(metric, split, len(shared)))
    return SystemsPlan(
        tuple(rows),
        of="score",
        power=terms.power,
        notes=(Note("plan_of_metric"), Note("difference_stated", {"d": difference, "k": most})),
    )


def _subsampled(counts: Array, k: int, rng: np.random.Generator) -> Array:
    """(item, label): k of the labels of each item, drawn without replacement."""
    made, left, need = np.zeros_like(counts), counts.sum(1), np.full(len(counts), k)
    for c in range(counts.shape[1]):
        made[:, c] = rng.hypergeometric(counts[:, c], left - counts[:, c], need)
        left, need = left - counts[:, c], need - made[:, c]
    return made


TITLES = {
    "brier": "Brier score", "cross_entropy": "cross-entropy", "jensen_shannon": "Jensen-Shannon", "manhattan": "Manhattan",
    "accuracy": "accuracy v. the vote",
}  # fmt: skip


@dataclass(frozen=True)
class _Terms:
    """What is asked: the power, the costs, and a number of items whose power is reported."""

    power: float
    cost: float
    item_cost: float
    items: int | None


def _row(k: int, d: Array, n: float, terms: _Terms) -> dict[str, float]:
    """A number of labels: the difference, how variable it is, the items needed, their cost, and VET's p."""
    mean, sd = float(d.mean()), float(d.std())
    made = {"k": k, "difference": mean, "sd": sd, "items": n, "cost": n * (terms.item_cost + k * terms.cost)}
    made["vet_p"] = vet_p_of_power(mean, sd, n)
    return made if terms.items is None else made | {"power": power_of(d, terms.items)}


def _estimate(metric: str, split: list[dict[str, float]], n_items: int) -> Estimate:
    known = [row for row in split if math.isfinite(row["items"])]
    best = min(known, key=lambda row: row["cost"]) if known else None
    details = {
        "labels_per_item": best and int(best["k"]),
        "cost": best["cost"] if best else math.nan,
        "split": split,
        "counts": True,
    }
    return Estimate(metric, best["items"] if best else math.nan, n_items=n_items, coefficient="items", title=TITLES[metric], details=details,
                    notes=() if best else (Note("no_items_enough"),))  # fmt: skip
