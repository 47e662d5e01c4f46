"""A model in the shape of scikit-learn: ``fit``, ``predict``, ``predict_proba``. scikit-learn itself is not needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.models.families.registry import model_named
from raters.models.fit_consensus import consensus
from raters.models.result import Consensus
from raters.models.uses.new_data import predict
from raters.models.votes import Votes

Array = NDArray[Any]


class ConsensusClassifier:
    """From the labels of several raters to one label for each item.

    ``X``: a matrix, items by raters, with None or nan where a rater gave no label; or annotations.

    >>> X = np.array([["a", "a", "b"], ["b", "b", "b"], ["a", None, "a"]], dtype=object)
    >>> ConsensusClassifier().fit(X).predict(X).tolist()
    ['a', 'b', 'a']
    """

    _estimator_type = "classifier"
    classes_: Array
    consensus_: Consensus

    def __init__(
        self,
        model: str = "dawid_skene",
        start: str = "best",
        smoothing: float = 0.01,
        ties: str = "split",
        seed: int = 0,
    ) -> None:
        self.model, self.start, self.smoothing, self.ties, self.seed = model, start, smoothing, ties, seed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("model", "start", "smoothing", "ties", "seed")}

    def set_params(self, **params: Any) -> Self:
        odd = set(params) - set(self.get_params())
        if odd:
            raise UsageError(f"no parameter {sorted(odd)[0]!r}; there are {', '.join(self.get_params())}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the raters. ``y``: gold labels of the items, None or nan where unknown."""
        if model_named(self.model).numbers:
            raise UsageError(f"a classifier gives labels; {self.model!r} gives numbers, by raters.consensus(...).")
        votes = _votes(X)
        gold = None
        if y is not None:
            labels = list(y)
            if len(labels) != votes.n_items:
                raise UsageError(f"y has {len(labels):,} labels for {votes.n_items:,} items; give None where unknown.")
            known = {
                item: _plain(label) for item, label in zip(votes.items, labels, strict=True) if not _missing(label)
            }
            gold = known or None
        self.consensus_ = consensus(votes, gold=gold, **self.get_params())
        self.classes_ = _array(self.consensus_.votes.labels)
        return self

    def predict_proba(self, X: Any) -> Array:
        """(item, label): the posterior of items under the raters that were learned."""
        if not hasattr(self, "consensus_"):
            raise UsageError("fit() comes before predict().")
        votes = _votes(X)
        return predict(self.consensus_, votes).posterior

    def predict(self, X: Any) -> Array:
        """(item,): the most probable label; of a row without any label, the most frequent one."""
        best = self.predict_proba(X).argmax(1)
        return np.asarray(self.classes_[best])

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        return self.fit(X, y).predict(X)

    def score(self, X: Any, y: Any) -> float:
        """The share of items whose label is ``y``."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


def _votes(X: Any) -> Votes:
    if isinstance(X, Annotations):
        return Votes.of(X)
    names = list(X.columns) if hasattr(X, "columns") else None
    table = np.asarray(X, dtype=object)
    if table.ndim != 2:
        raise UsageError("X is not a matrix, items by raters, nor annotations.")
    code: dict[Any, int] = {}
    cells = [(i, j, _plain(x)) for i, row in enumerate(table.tolist()) for j, x in enumerate(row) if not _missing(x)]
    labels: Mapping[Any, None] = dict.fromkeys(x for _, _, x in cells)
    order = sorted(labels, key=lambda x: (isinstance(x, str), x))
    code = {x: k for k, x in enumerate(order)}
    item, rater, label = np.array([(i, j, code[x]) for i, j, x in cells], dtype=np.int64).reshape(-1, 3).T
    return Votes.of_codes(
        item, rater, label, labels=order, items=range(len(table)), raters=names or range(table.shape[1])
    )


def _array(labels: Sequence[Any]) -> Array:
    """Labels as numpy has them; of several kinds as objects, so that 1 does not become '1'."""
    made = np.array(labels)
    if len({str if isinstance(x, str) else type(x) for x in labels}) < 2:
        return made
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    return made


def _missing(x: Any) -> bool:
    """None, nan, and what stands for them in pandas (NA, NaT): only these are not equal to themselves."""
    return x is None or not isinstance(same := x == x, bool | np.bool_) or not same


def _plain(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x
