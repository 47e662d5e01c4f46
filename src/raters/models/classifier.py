"""A model with scikit-learn's interface: ``fit``, ``predict``, ``predict_proba``. scikit-learn itself is not needed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.models.base.votes import Votes
from raters.models.families.registry import model_named
from raters.models.fit_consensus import consensus
from raters.models.result import Consensus
from raters.models.saved import predict
from raters.options import asks, check_options

Array = NDArray[Any]


class ConsensusClassifier:
    """Predict one label for each item from the labels of several raters.

    ``X``: a matrix, items by raters, with None or nan if a rater gave no label; or annotations. ``y``: gold labels.
    Works in ``clone``, ``Pipeline``, ``GridSearchCV`` and ``cross_val_score``. ``random_state``: a whole number, a
    ``numpy.random.RandomState``, or None for a new seed at every fit.

    >>> X = np.array([["a", "a", "b"], ["b", "b", "b"], ["a", None, "a"]], dtype=object)
    >>> ConsensusClassifier(start="votes").fit(X).predict(X).tolist()
    ['a', 'b', 'a']
    >>> ConsensusClassifier(start="votes")
    ConsensusClassifier(start='votes')
    """

    _estimator_type = "classifier"
    classes_: Array
    consensus_: Consensus
    n_features_in_: int

    @asks()
    def __init__(
        self,
        model: str = "dawid_skene",
        start: str = "best",
        smoothing: float = 0.01,
        ties: str = "split",
        random_state: Any = 0,
    ) -> None:
        self.model, self.start, self.smoothing, self.ties = model, start, smoothing, ties
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: Any) -> Self:
        check_options("ConsensusClassifier", params, PARAMETERS)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = [f"{k}={v!r}" for k, v in self.get_params().items() if not _same(v, PARAMETERS[k])]
        return f"ConsensusClassifier({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of its estimators; only scikit-learn calls this."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(string=True, categorical=True, allow_nan=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "consensus_")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Estimate the raters' parameters. ``y``: gold labels of the items, None or nan if unknown."""
        if model_named(self.model).numbers:
            raise UsageError(
                f"a classifier predicts labels, but {self.model!r} estimates numbers; use raters.consensus(...)."
            )
        votes = _votes(X)
        gold = None
        if y is not None:
            labels = list(y)
            if len(labels) != votes.n_items:
                raise UsageError(
                    f"y has {len(labels):,} labels for {votes.n_items:,} items; use None for unknown labels."
                )
            known = {
                item: _plain(label) for item, label in zip(votes.items, labels, strict=True) if not _missing(label)
            }
            gold = known or None
        how = {name: value for name, value in self.get_params().items() if name != "random_state"}
        self.consensus_ = consensus(votes, gold=gold, seed=_seed(self.random_state), **how)
        self.classes_ = _array(self.consensus_.votes.labels)
        self.n_features_in_ = votes.n_raters
        return self

    def predict_proba(self, X: Any) -> Array:
        """(item, label): the posterior of items, given the fitted raters."""
        if not hasattr(self, "consensus_"):
            raise not_fitted("this ConsensusClassifier is not fitted yet: call fit() before predict().")
        votes = _votes(X)
        return predict(self.consensus_, votes).posterior

    def predict(self, X: Any) -> Array:
        """(item,): the most probable label; for a row without labels, the most frequent one."""
        best = self.predict_proba(X).argmax(1)
        return np.asarray(self.classes_[best])

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        return self.fit(X, y).predict(X)

    def score(self, X: Any, y: Any) -> float:
        """The share of items whose label is ``y``; items whose ``y`` is None or nan are ignored."""
        pairs = [(p == g) for p, g in zip(self.predict(X).tolist(), map(_plain, y), strict=True) if not _missing(g)]
        return float(np.mean(pairs)) if pairs else float("nan")


PARAMETERS: Mapping[str, Any] = {
    "model": "dawid_skene", "start": "best", "smoothing": 0.01, "ties": "split", "random_state": 0,
}  # fmt: skip
"""The parameters of the classifier and their defaults."""


def not_fitted(message: str) -> Exception:
    """An error that is also scikit-learn's ``NotFittedError`` if scikit-learn is loaded."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
    made: Exception = type("NotFittedError", (UsageError, theirs), {})(message)
    return made


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _seed(random_state: Any) -> int:
    """The seed of a fit: a given number unchanged, or a random one."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    return int(random_state.randint(2**31 - 1)) if hasattr(random_state, "randint") else int(random_state)


def _votes(X: Any) -> Votes:
    if isinstance(X, Annotations):
        return Votes.of(X)
    names = list(X.columns) if hasattr(X, "columns") else None
    table = np.asarray(X, dtype=object)
    if table.ndim != 2:
        raise UsageError("X is neither a matrix (items by raters) nor annotations.")
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
    """Labels as a numpy array; labels of several types become objects, so that 1 does not become '1'."""
    made = np.array(labels)
    if len({str if isinstance(x, str) else type(x) for x in labels}) < 2:
        return made
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    return made


def _missing(x: Any) -> bool:
    """Whether a value is None, nan, or pandas' NA or NaT: apart from None, only these are not equal to themselves."""
    return x is None or not isinstance(same := x == x, bool | np.bool_) or not same


def _plain(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x
