"""A model as an aggregation of ratings: the form that kRR needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit
from raters.options import check_passed_on

Array = NDArray[Any]


def aggregate(
    codes: Array, n_labels: int, model: str = "dawid_skene", *, raters: Array | None = None, **options: Any
) -> Array:
    """(item,): the model's label of each item, from a table of ratings.

    ``codes``: (item, rating), label codes 0 .. n_labels - 1, -1 for none. ``raters``: (item, rating) or (rating,), who
    gave each rating; without it, each column is a rater. The result is -1 for an item without ratings.

    >>> aggregate(np.array([[0, 0, 1], [1, 1, 1], [-1, -1, -1]]), 2).tolist()
    [0, 1, -1]
    """
    check_passed_on("aggregate", options, fit)
    codes = np.asarray(codes)
    if codes.ndim != 2:
        raise UsageError("aggregate needs a table of label codes, items by ratings.")
    who = np.broadcast_to(np.arange(codes.shape[1]) if raters is None else np.asarray(raters), codes.shape)
    item, column = np.nonzero(codes >= 0)
    names, rater = np.unique(who[item, column], return_inverse=True)
    votes = Votes.of_codes(
        item, rater, codes[item, column], labels=range(n_labels), items=range(len(codes)), raters=names.tolist()
    )
    if not len(item):
        return np.full(len(codes), -1)
    return fit(votes, model, **({"start": "votes"} | options)).codes


def aggregator(model: str = "dawid_skene", **options: Any) -> Callable[[Array], Array]:
    """A function from (item, rating) labels to one label for each item, for ``raters.krr(..., aggregate=)``.

    >>> aggregator("dawid_skene")(np.array([["a", "a", "b"], ["b", "b", "b"]])).tolist()
    ['a', 'b']
    """
    check_passed_on("aggregator", options, fit)

    def function(labels: Array) -> Array:
        names, codes = np.unique(labels, return_inverse=True)
        return np.asarray(names[aggregate(codes.reshape(labels.shape), len(names), model, **options)])

    return function
