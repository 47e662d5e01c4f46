"""A classifier beside the votes: its weight is learned on held-out labels, so that a useless one changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations, counted
from raters.errors import UsageError
from raters.estimate import SCHEMA, Result
from raters.io.any_table import Source, table
from raters.models.base.fit import FittedModel
from raters.models.fit_consensus import consensus
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.reliability.soft.predictions import answers_of, predictions
from raters.reliability.soft.soft_labels import soft_labels

Array = NDArray[Any]
GRID = np.arange(0, 1.501, 0.05)
LEAST = 1e-4
"""The smallest probability of a classifier that counts."""
SUSPECT = 0.05
"""A label is listed if its probability by the other labels and the classifier is below this."""
MOST = 100


@dataclass(frozen=True, eq=False, repr=False)
class WithClassifier(Result):
    """The labels of a consensus with a classifier beside the votes, and what it changed."""

    weight: float
    """From 0 (the classifier says nothing beyond the labels) to 1.5."""
    gain: float
    """By how much it raises the log-likelihood of a held-out label."""
    labels: Mapping[Any, Any]
    changed: tuple[tuple[Any, Any, Any], ...]
    """Item, label before, label now."""
    suspects: tuple[tuple[Any, Any, Any, float], ...]
    """Item, rater, label, and its probability by the others and the classifier, the least probable first."""
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        if not self.weight:
            return "The classifier is not shown to say anything beyond the labels, so it changed none (weight 0)."
        return f"The classifier has a weight of {self.weight:.2f} and changed {counted(len(self.changed), 'label')} of {len(self.labels):,}."

    def to_dict(self) -> dict[str, Any]:
        keys = ("item", "rater", "label", "probability")
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            "weight": self.weight,
            "gain": self.gain,
            "changed": [dict(zip(("item", "before", "now"), row, strict=True)) for row in self.changed],
            "suspects": [dict(zip(keys, row, strict=True)) for row in self.suspects],
        } | in_json(self.notes)

    def to_columns(self) -> dict[str, list[Any]]:
        before = {item: old for item, old, _ in self.changed}
        items = list(self.labels)
        return {
            "item": items,
            "label": list(self.labels.values()),
            "without_classifier": [before.get(i, self.labels[i]) for i in items],
        }

    def __str__(self) -> str:
        lines = [self.sentence]
        lines += [f"  {item}: {old} -> {new}" for item, old, new in self.changed[:10]]
        if self.suspects:
            lines.append("Labels to check, given against the other raters and the classifier:")
            lines += [
                f"  {item}, {rater}: {label} (probability {p:.3f})" for item, rater, label, p in self.suspects[:10]
            ]
        return "\n".join([*lines, *(f"{n}." for n in self.notes)])


@asks()
def with_classifier(labels: Source, classifier: Any, *, fitted: FittedModel | None = None) -> WithClassifier:
    """Combine a classifier's probabilities with the labels of raters, with a weight learned on held-out labels.

    ``classifier``: item -> {label: probability}, or a file of such; it must not have been trained on these labels.
    ``fitted``: the consensus that it is added to; :func:`raters.consensus` of the labels if omitted. The weight is the
    smallest whose held-out labels are as probable, within two standard errors, as with the best one; a random or
    adversarial classifier gets 0. ``suspects`` lists single labels that the other raters and the classifier contradict.

    >>> from raters import simulate
    >>> drawn = simulate.labels(400, 5, 2, accuracy=0.7, seed=1)
    >>> sure = {i: {k: 0.9 if k == t else 0.1 for k in (0, 1)} for i, t in enumerate(drawn.truth.tolist(), 1)}
    >>> found = with_classifier(drawn.annotations(), sure)
    >>> found.weight > 0, len(found.changed) > 5
    (True, True)
    """
    ann: Annotations = table(labels)
    if ann.scale.of_sets or not ann.n_raters:
        raise UsageError("a classifier beside the votes needs single labels of raters with names.")
    c = consensus(ann) if fitted is None else fitted
    if c.numeric:
        raise UsageError("a classifier beside the votes applies to labels, not to numbers.")
    model = c if c.definition.likelihood and c.confusion.ndim == 3 else consensus(ann, "one_coin", prevalence="learned")
    soft = soft_labels(ann)
    given = predictions(answers_of(classifier, soft.labels), soft)
    if given.hard:
        raise UsageError("the classifier gives labels, not probabilities; its weight cannot be learned from them.")
    if len(given.labels) > len(soft.labels):
        raise UsageError("the classifier has labels that no rater gave; read the labels with labels= and all of them.")
    at = [model._rows[soft.items[i]] for i in given.at]
    own = {x: k for k, x in enumerate(soft.labels)}
    m = given.q[:, 0][:, [own[x] for x in model.label_names]]
    m = np.maximum(m, LEAST) / np.maximum(m, LEAST).sum(1, keepdims=True)
    prior = np.log(np.maximum(np.asarray(model.prevalence, float), 1e-9))
    shift = np.zeros((model.votes.n_items, len(prior)))
    shift[at] = np.log(m) - prior
    return _combined(c, model, shift, prior, np.isin(np.arange(len(shift)), at))


def _combined(c: FittedModel, model: FittedModel, shift: Array, prior: Array, known: Array) -> WithClassifier:
    v = model.votes
    log = np.log(np.maximum(np.asarray(model.confusion, float), 1e-9))
    each = log[v.rater_of, :, v.label_of]  # (cell, true)
    total = np.zeros_like(shift)
    np.add.at(total, v.item_of, each)
    others = prior + total[v.item_of] - each
    cells = known[v.item_of] & (v.per_item[v.item_of] > 1)
    found = np.array([_held_out(others + w * shift[v.item_of], each)[cells] for w in GRID])  # (weight, cell)
    best = int(found.sum(1).argmax())
    item = v.item_of[cells]
    gap = np.array([np.bincount(item, found[best] - row, len(shift)) for row in found])
    n = max(len(np.unique(item)), 2)
    near = gap.sum(1) <= 2 * np.sqrt(
        n / (n - 1) * ((gap - gap.sum(1, keepdims=True) / n)[:, np.unique(item)] ** 2).sum(1)
    )
    chosen = int(np.flatnonzero(near)[0])
    weight = float(GRID[chosen])
    before = (prior + total).argmax(1)
    state = prior + total + weight * shift
    after = state.argmax(1)
    names, labels, changed = model.label_names, dict(c.labels), []
    for i in np.flatnonzero((before != after) & known).tolist():
        name = model.items[i]
        old, new = labels.get(name), names[after[i]]
        if old != new:
            labels[name] = new
            changed.append((name, old, new))
    gain = float((found[chosen] - found[0]).mean()) if cells.any() else 0.0
    return WithClassifier(
        weight,
        gain,
        labels,
        tuple(changed),
        _suspects(model, others + weight * shift[v.item_of], shift, cells),
        (Note("classifier_not_trained"),),
    )


def _held_out(state: Array, each: Array) -> Array:
    """(cell,): the log-probability of the label, given the state of its item without it."""
    p = np.exp(state - state.max(1, keepdims=True))
    return np.asarray(np.log(np.maximum((p * np.exp(each)).sum(1) / p.sum(1), 1e-300)))


def _suspects(model: FittedModel, state: Array, shift: Array, cells: Array) -> tuple[tuple[Any, Any, Any, float], ...]:
    """Labels that both the other raters and the classifier contradict."""
    v = model.votes
    p = np.exp(state - state.max(1, keepdims=True))
    own = (p / p.sum(1, keepdims=True))[np.arange(len(p)), v.label_of]
    against = shift[v.item_of].argmax(1) != v.label_of
    at = np.flatnonzero(cells & against & (own < SUSPECT))
    at = at[np.argsort(own[at], kind="stable")][:MOST]
    return tuple(
        (v.items[v.item_of[i]], v.raters[v.rater_of[i]], v.labels[v.label_of[i]], float(own[i])) for i in at.tolist()
    )
