"""Evaluate a system against the posterior: expected accuracy and log loss, and the best that any system could reach."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.models.fitted_model import FittedModel
from raters.models.uses.diagnostics import ratio
from raters.models.uses.gold_check import check_gold
from raters.models.votes import Votes

Array = NDArray[Any]


@takes_tables(keep=(Mapping, FittedModel))
def evaluate(
    system: Source | Mapping[Any, Any],
    consensus: FittedModel,
    *,
    gold: bool = False,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> EstimateTable:
    """Estimate the expected accuracy and log loss of a system under the posterior of the consensus.

    ``system``: item -> label, item -> {label: probability} (or a list of probabilities in label order), or annotations
    (several labels of an item count by their shares). ``ceiling`` is the expected accuracy of a system that always gives
    the most probable label: no system can be shown to do better on these labels. ``log_loss`` is in nats and needs
    probabilities; ``log_loss_floor``, the mean entropy of the posterior, is its lower limit.

    ``gold=True``: the first argument maps items to known labels, which the model does not learn from. The table then has the
    accuracy of the fit and of every model, ``.raters`` the accuracy of every rater, and ``.calibration`` how often labels of a
    given probability are right.

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
        return check_gold(system, consensus, level=level, seed=seed)
    at, given, soft = _given(system if isinstance(system, Mapping) else table(system), consensus)
    q = consensus.posterior[at]
    right = (q * given).sum(1)
    best = q.max(1)
    loss = -xlogy(q, given).sum(1) if soft else np.full(len(at), np.nan)
    floor = -xlogy(q, q).sum(1)
    spec = IntervalSpec(interval or "auto", level, resamples, seed)
    none, shares = _no_loss(q, given, soft), _only_shares(consensus)
    rows: tuple[tuple[str, str, Array, Array, tuple[str, ...]], ...] = (
        ("accuracy", "expected accuracy", right, np.ones(len(at)), shares),
        ("ceiling", "highest accuracy that can be reached", best, np.ones(len(at)), shares),
        ("of_ceiling", "accuracy as a share of the ceiling", right, best, shares),
        ("log_loss", "expected log loss", loss, np.ones(len(at)), (*none, *shares)),
        ("log_loss_floor", "lowest log loss that can be reached", floor, np.ones(len(at)), shares),
    )
    found = (_estimate(spec if interval else None, consensus, *row) for row in rows)
    return EstimateTable(tuple(found), of="figure")


def _only_shares(c: FittedModel) -> tuple[str, ...]:
    """A vote as published says how labels were shared out, not how probable they are."""
    if c.definition.likelihood or c.decided is not None:
        return ()
    return (
        f"{c.model!r} counts votes and does not say how probable it is that a label is right, so this is no expected value; use consensus() without a model, or tempering='held_out'",
    )


def _no_loss(q: Array, given: Array, soft: bool) -> tuple[str, ...]:
    """Why the log loss is undefined or infinite."""
    if not soft:
        return ("log loss needs probabilities; the system gave labels",)
    if ruled_out := int(((given == 0) & (q > 0)).any(1).sum()):
        return (f"log loss is infinite: on {ruled_out:,} items, the system gave probability 0 to a possible label",)
    return ()


def _estimate(
    spec: IntervalSpec | None, c: FittedModel, name: str, title: str, top: Array, bottom: Array, said: tuple[str, ...]
) -> Estimate:
    stat = Linear(np.ones(len(top)), np.stack([bottom, top], -1), ratio)
    value = float(stat.parts(stat.weight).value)
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    return Estimate(
        name, value, found.low, found.high, found.se, spec.level if spec else 0.95, found.method or None, n_items=len(top),
        n_raters=c.votes.n_raters, n_annotations=c.votes.n_annotations, warnings=(*said, *found.warnings),
        coefficient=name, title=title,
    )  # fmt: skip


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
                f"the system's answer {brief(answer)} of item {brief(item)} is neither a label nor {len(row)} probabilities."
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
