"""A consensus in the shape of a scikit-learn classifier."""

import numpy as np
import pytest
from small_crowds import coin, crowd

from raters import models
from raters.errors import DataError, UsageError


def test_scikit_learn_shape() -> None:
    votes, truth = crowd(np.stack([coin(0.8, 3)] * 6), 200)
    matrix = np.full((200, 6), None, dtype=object)
    matrix[votes.item_of, votes.rater_of] = np.array(["a", "b", "c"], dtype=object)[votes.label_of]
    matrix[::7, 2] = None
    y = np.array(["a", "b", "c"])[truth]
    for model in ("dawid_skene", "majority"):
        classifier = models.ConsensusClassifier(model=model).fit(matrix)
        assert classifier.score(matrix, y) > 0.9
        assert classifier.predict_proba(matrix).shape == (200, 3)
        assert classifier.classes_.tolist() == ["a", "b", "c"]
    assert classifier.set_params(smoothing=0.5).get_params()["smoothing"] == 0.5
    with pytest.raises(UsageError, match="no option 'depth'"):
        classifier.set_params(depth=3)
    with pytest.raises(UsageError, match="before predict"):
        models.ConsensusClassifier().predict(matrix)
    known = [*y[:50], *[None] * 150]
    assert models.ConsensusClassifier(start="votes").fit(matrix, known).predict(matrix)[:50].tolist() == y[:50].tolist()


def test_the_classifier_keeps_kinds_of_labels_and_refuses_unknown_ones() -> None:
    made = models.ConsensusClassifier("majority").fit([[1, 1], ["1", "1"], [2, 2]])
    assert made.classes_.tolist() == [1, 2, "1"] and made.predict([[1, 1], ["1", "1"]]).tolist() == [1, "1"]
    with pytest.raises(DataError, match="was not in the data"):
        models.ConsensusClassifier("majority").fit([["a", "b"], ["b", "b"]]).predict([["c", "c"]])
    with pytest.raises(UsageError, match="y has 1 labels for 2 items"):
        models.ConsensusClassifier().fit([["a", "b"], ["b", "b"]], ["a"])


def test_the_classifier_knows_what_pandas_calls_missing() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"r1": ["a", "b", pd.NA], "r2": ["a", "b", "b"]})
    assert models.ConsensusClassifier("majority").fit(table).predict(table).tolist() == ["a", "b", "b"]
