"""Evaluate a system against the posterior: expected accuracy and log loss, and the best that any system could reach."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, xlogy

from raters.annotations import Annotations
from raters.errors import DataError, RatersError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear
from raters.io.any_table import Source, table
from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import tails
from raters.models.base.votes import Votes
from raters.models.checking.diagnostics import ratio
from raters.models.families import voting
from raters.models.fitting.fit import fit
from raters.models.fitting.gold import gold_codes
from raters.models.held_out.choose import Entry, entries, not_tried
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Inference

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
    """For items in each range of stated probability, the share that is right; ``details["stated"]`` is the mean stated
    probability.
    """
    n_items: int = 0
    stated: str = "Stated probability of the label"
    """What the calibration is of; a vote as published states its shares."""
    notes: tuple[Note, ...] = ()
    """How ties are counted, and which models were not tried and why."""

    @property
    def settled(self) -> Estimate | None:
        """The share that is right of the labels stated with a probability of .99 or more; None if there are none."""
        top = self.calibration[-1] if len(self.calibration) else None
        return top if top is not None and top.details["stated"] >= SETTLED else None

    def __str__(self) -> str:
        lines = [f"Against {self.n_items:,} gold labels that the model did not see:"]
        wide = max(24, *(len(e.name) for e in self))
        lines += [f"  {e.name:<{wide}} right on {e.value:.1%} ({e.low:.1%} to {e.high:.1%})" for e in self]
        lines += [f"  {note}." for note in self.notes]
        lines += [f"{self.stated}, and how often it is right:"]
        lines += [
            f"  {e.name:<24} {e.n_items:>6,} items, stated {e.details['stated']:.3f}, right {e.value:.3f} ({e.low:.3f}"
            f" to {e.high:.3f})"
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

    Intervals are exact for shares (Clopper and Pearson). ``c``: a fit that has not learned from this gold; ``ordered``:
    whether the labels have an order, so that models of ordered labels are checked too.
    """
    if c.numeric:
        raise UsageError(
            "a check against gold applies to labels, and these are numbers. Their values and standard deviations are"
            " written by -o (in Python: .to_columns()); compare them with the gold values."
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
        (
            GoldCheck.stated
            if c.definition.likelihood or c.decided is not None
            else "Share of the vote for the label (not a probability)"
        ),
        (*_ties(c, known), *not_tried(c.votes, ordered=ordered or _ordered(c)), *failed),
    )


def _with_names(gold: Mapping[Any, Any], c: FittedModel) -> Mapping[Any, Any]:
    """Gold with the items as the fit has them: names from a file are text where items are numbers."""
    spelled = {str(item): item for item in c.items}
    return {item if item in c._rows else spelled.get(str(item), item): x for item, x in gold.items()}


def _ordered(c: FittedModel) -> bool:
    """Whether the fit takes the labels as ordered."""
    return c.definition.ordered or (c.mixture is not None and c.votes.ordered)


def share(name: str, right: Array, level: float, **details: Any) -> Estimate:
    """The share that is right, with its exact interval."""
    n, hits = len(right), float(np.sum(right))
    low, high = clopper_pearson(hits, n, level)
    return Estimate(
        name,
        hits / n if n else np.nan,
        low,
        high,
        level=level,
        interval="exact",
        n_items=n,
        n_annotations=n,
        coefficient="accuracy",
        title=f"accuracy of {name}",
        details=details,
    )


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


def _models(c: FittedModel, known: Array, level: float, seed: int, ordered: bool) -> tuple[list[Estimate], list[Note]]:
    """The accuracy of the labels that each model gives, and why models could not be fitted.

    Models with equal prevalence have a second row with learned prevalence, if its labels of gold items are others.
    """
    rows: list[Estimate] = []
    failed: list[Note] = []
    usual: Array = np.empty(0)
    for entry in sorted(entries(c.votes, ordered=ordered), key=lambda e: (e.model.rank, _other(e))):
        try:
            found = fit(c.votes, entry.model.name, start="votes", tolerance=1e-8, seed=seed, **entry.options)
        except RatersError as error:
            failed.append(Note("not_tried_refused", {"model": entry.model.title, "why": str(error).rstrip(".")}))
            continue
        at = np.flatnonzero((known >= 0) & (found.codes >= 0))
        if _other(entry) and np.array_equal(found.codes[at], usual[at]):
            continue
        usual = usual if _other(entry) else found.codes
        # the posterior of the plain vote is 1 for the winner, divided among tied labels; that of weighted votes is
        # their shares
        shared = entry.model is voting.MODEL
        right = found.posterior[at, known[at]] if shared else found.codes[at] == known[at]
        rows.append(share(entry.model.name + (" (prevalence learned)" if _other(entry) else ""), right, level))
    return rows, failed


def _other(entry: Entry) -> bool:
    """Whether a model is tried with a learned prevalence although its own is equal over labels."""
    return entry.model.uniform and entry.prevalence == "learned"


def _ties(c: FittedModel, known: Array) -> list[Note]:
    """How tied votes are counted, which can make the plain vote differ from a fit of it."""
    n = int((c.votes.tied & (known >= 0)).sum())
    if not n:
        return []
    own = Note(f"fit_scored_{c.settings.ties if c.decided is None else 'probable'}")
    return [Note("gold_ties", {"n": n}), *([own] if c.model == voting.MODEL.name else [])]


def _raters(c: FittedModel, known: Array, level: float) -> list[Estimate]:
    v = c.votes
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


@asks()
def evaluate(
    system: Source | Mapping[Any, Any],
    consensus: FittedModel,
    *,
    gold: bool = False,
    **options: Unpack[Inference],
) -> EstimateTable:
    """Estimate the expected accuracy and log loss of a system under the posterior of the consensus.

    ``system``: item -> label, item -> {label: probability} (or a list of probabilities in label order), or annotations
    (several labels of an item count by their shares). ``ceiling`` is the expected accuracy of a system that always
    gives the most probable label: no system can be shown to do better on these labels. ``log_loss`` is in nats and
    needs probabilities; ``log_loss_floor``, the mean entropy of the posterior, is its lower limit.

    ``gold=True``: the first argument maps items to known labels, which the model does not learn from. The table then
    has the accuracy of the fit and of every model, ``.raters`` the accuracy of every rater, and ``.calibration`` how
    often labels of a given probability are right.

    >>> import raters
    >>> c = raters.consensus(raters.examples.demo())
    >>> table = evaluate(c.labels, c)
    >>> table["accuracy"].value == table["ceiling"].value
    True
    """
    if not isinstance(consensus, FittedModel):
        raise UsageError(
            f"evaluate(system, consensus): the second argument is {type(consensus).__name__}, not a consensus."
        )
    if isinstance(system, FittedModel):
        raise UsageError(
            "evaluate(system, consensus): the first argument is a consensus; pass its .labels to evaluate them."
        )
    if consensus.numeric:
        raise UsageError("evaluate needs a consensus on labels; compare numbers with .posterior[:, 0].")
    if gold:
        if not isinstance(system, Mapping):
            raise UsageError("evaluate(..., gold=True): pass known labels as a mapping from item to label.")
        usual = filled(Inference, options)
        return check_gold(system, consensus, level=usual["level"], seed=usual["seed"])
    at, given, soft = _given(system if isinstance(system, Mapping) else table(system), consensus)
    q = consensus._shares[at]
    right = (q * given).sum(1)
    best = q.max(1)
    loss = -xlogy(q, given).sum(1) if soft else np.full(len(at), np.nan)
    floor = -xlogy(q, q).sum(1)
    spec = spec_for(options, "auto")
    none, shares = _no_loss(q, given, soft), _only_shares(consensus)
    rows: tuple[tuple[str, str, Array, Array, tuple[Note, ...]], ...] = (
        ("accuracy", "expected accuracy", right, np.ones(len(at)), shares),
        ("ceiling", "highest accuracy that can be reached", best, np.ones(len(at)), shares),
        ("of_ceiling", "accuracy as a share of the ceiling", right, best, shares),
        ("log_loss", "expected log loss", loss, np.ones(len(at)), (*none, *shares)),
        ("log_loss_floor", "lowest log loss that can be reached", floor, np.ones(len(at)), shares),
    )
    found = (_estimate(spec, consensus, *row) for row in rows)
    return EstimateTable(tuple(found), of="figure")


def _only_shares(c: FittedModel) -> tuple[Note, ...]:
    """A vote as published says how labels were shared out, not how probable they are."""
    if c.definition.likelihood or c.decided is not None:
        return ()
    return (Note("shares_of_votes", {"model": c.model}),)


def _no_loss(q: Array, given: Array, soft: bool) -> tuple[Note, ...]:
    """Why the log loss is undefined or infinite."""
    if not soft:
        return (Note("no_probabilities"),)
    if ruled_out := int(((given == 0) & (q > 0)).any(1).sum()):
        return (Note("ruled_out_labels", {"n": ruled_out}),)
    return ()


def _estimate(
    spec: IntervalSpec | None, c: FittedModel, name: str, title: str, top: Array, bottom: Array, said: tuple[Note, ...]
) -> Estimate:
    stat = Linear(np.ones(len(top)), np.stack([bottom, top], -1), ratio)
    value = float(stat.parts(stat.weight).value)
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        spec.level if spec else 0.95,
        found.method or None,
        n_items=len(top),
        n_raters=c.votes.n_raters,
        n_annotations=c.votes.n_annotations,
        notes=(*said, *found.notes),
        coefficient=name,
        title=title,
    )


def _given(system: Annotations | Mapping[Any, Any], c: FittedModel) -> tuple[Array, Array, bool]:
    """Rows of the shared items, the system's probabilities (item, label), and whether it gave probabilities."""
    if isinstance(system, Annotations):
        votes = Votes.of(system)
        system = (
            {item: votes.labels[k] for item, k in zip(votes.items, votes.counts.argmax(1).tolist(), strict=True)}
            if (float(votes.per_item.max()) == 1)
            else {
                item: dict(zip(votes.labels, row, strict=True))
                for item, row in zip(votes.items, votes.shares().tolist(), strict=True)
            }
        )
    if not isinstance(system, Mapping):
        raise UsageError("system: pass a mapping from item to label or to {label: probability}, or annotations.")
    rows = c._rows
    labelled = c.codes >= 0
    at = np.array([rows[item] for item in system if item in rows and labelled[rows[item]]], dtype=int)
    if not len(at):
        first = next(iter(system), None)
        raise DataError(f"the system and the consensus share no item (the system's are like {brief(first)}).")
    code = {name: k for k, name in enumerate(c.votes.labels)}
    probabilities = np.zeros((len(at), len(code)))
    soft = False
    for row, i in enumerate(at):
        soft |= _fill(probabilities[row], system[c.items[i]], code, c.items[i])
    return at, probabilities, soft


def _fill(row: Array, answer: Any, code: Mapping[Any, int], item: Any) -> bool:
    """Put one answer into its row, and return whether it consisted of probabilities."""
    if isinstance(answer, Mapping):
        for label, p in answer.items():
            if label not in code:
                raise DataError(
                    f"the system's label {brief(label)} of item {brief(item)} is not one of {listed(code)}."
                )
            row[code[label]] = _number(p, item)
    elif not isinstance(answer, Hashable) or (isinstance(answer, tuple) and answer not in code):
        if not isinstance(answer, list | tuple | np.ndarray) or len(answer) != len(row):
            raise DataError(
                f"the system's answer {brief(answer)} of item {brief(item)} is neither a label nor {len(row)}"
                " probabilities."
            )
        row[:] = [_number(p, item) for p in answer]
    else:
        if answer in code:  # a label that no rater gave is simply wrong
            row[code[answer]] = 1
        return False
    if not ((row >= 0).all() and abs(row.sum() - 1) <= 1e-6):
        raise DataError(f"the system's probabilities of item {brief(item)} do not sum to 1.")
    return True


def _number(p: Any, item: Any) -> float:
    if not isinstance(p, Real):
        raise DataError(f"the system's probability {brief(p)} of item {brief(item)} is not a number.")
    return float(p)
