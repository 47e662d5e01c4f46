"""Tables of the annotation paper: prevalence estimated in three ways, the overlap of experts, vote and model, and the cost of labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError, brief
from raters.models.families.probabilities import winners
from raters.models.fitted_model import FittedModel
from raters.options import asks

Array = NDArray[Any]


@asks()
def prevalences(c: FittedModel, experts: Mapping[Any, Any] | None = None) -> dict[str, list[Any]]:
    """The share of each label in all labels as given, in the vote (ties split), in the model, and in the experts' labels if given.

    Passonneau & Carpenter (2014), Figure 4: where these differ, raters are biased.

    >>> import raters
    >>> found = prevalences(raters.consensus(raters.examples.demo()))
    >>> list(found)
    ['label', 'raw', 'vote', 'model']
    """
    _labels_only(c)
    seen = c.votes.per_item > 0
    raw = c.votes.counts.sum(0)
    table: dict[str, list[Any]] = {
        "label": list(c.votes.labels),
        "raw": (raw / raw.sum()).tolist(),
        "vote": winners(c.votes.counts)[seen].mean(0).tolist(),
        "model": c.prevalence.tolist(),
    }
    if experts:
        table["experts"] = expert_table(c, experts)[1].mean(0).tolist()
    return table


@asks()
def overlap(c: FittedModel, experts: Mapping[Any, Any]) -> dict[str, float]:
    """The share of items with the same label by experts and vote, by experts and model, and by vote and model.

    ``experts``: item -> label, or item -> several labels, of which the most frequent counts and ties are divided.
    Only items that experts labelled count. Passonneau & Carpenter (2014), Figure 7.

    >>> import raters
    >>> c = raters.consensus(raters.examples.demo(), "dawid_skene")
    >>> overlap(c, {"review 001": c.labels["review 001"]})["experts_model"]
    1.0
    """
    _labels_only(c)
    at, expert = expert_table(c, experts)
    vote = winners(c.votes.counts)[at]
    model = np.zeros_like(vote)
    codes = c.codes[at]  # not the posterior, which may be shares of a vote
    model[np.flatnonzero(codes >= 0), codes[codes >= 0]] = 1
    pairs = {"experts_vote": (expert, vote), "experts_model": (expert, model), "vote_model": (vote, model)}
    return {name: float((a * b).sum(1).mean()) for name, (a, b) in pairs.items()} | {"n_items": float(len(at))}


def _labels_only(c: FittedModel) -> None:
    if c.numeric:
        raise UsageError(f"this compares labels; a {c.model} consensus has numbers, see .posterior[:, 0].")


def expert_table(c: FittedModel, experts: Mapping[Any, Any]) -> tuple[Array, Array]:
    """Rows of the items that experts labelled, and their vote (item, label)."""
    code = {name: k for k, name in enumerate(c.votes.labels)}
    at = [c._rows[item] for item in experts if item in c._rows]
    if not at:
        raise DataError(
            f"none of the experts' items is among the items (theirs are like {brief(next(iter(experts), None))})."
        )
    counts = np.zeros((len(at), len(code)))
    for row, i in enumerate(at):
        given = experts[c.items[i]]
        for label in given if isinstance(given, list | tuple) else (given,):
            if label in code:
                counts[row, code[label]] += 1
    return np.array(at), winners(counts) * (counts.sum(1, keepdims=True) > 0)


@asks()
def costs(c: FittedModel, price: float, *, certainty: float = 0.99) -> dict[str, float]:
    """The cost of the labels: in total, per item, and per item whose label is settled.

    ``price``: the price of one annotation.

    >>> import raters
    >>> round(costs(raters.consensus(raters.examples.demo()), 0.10)["per_item"], 3)
    0.476
    """
    if not price >= 0:
        raise UsageError(f"price={price} is not a price; pass what one annotation costs.")
    total = price * c.all_votes.n_annotations  # labels that were not counted were paid for too
    labelled = int((c.all_votes.per_item > 0).sum())
    sure = int((np.nan_to_num(c.certainty) >= certainty).sum())
    return {
        "total": total,
        "per_item": total / labelled if labelled else np.nan,
        "per_certain_item": total / sure if sure else np.nan,
        "certain_items": float(sure),
    }
