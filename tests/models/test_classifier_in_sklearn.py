"""The classifier among scikit-learn's own tools."""

import pickle

import numpy as np
import pytest

import raters
from raters.models import ConsensusClassifier

sklearn = pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def crowd():
    """120 items, five raters who are right four times in five, and the truth."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 120)
    wrong = rng.random((120, 5)) < 0.2
    labels = np.where(wrong, rng.integers(0, 3, (120, 5)), truth[:, None])
    return np.array(["a", "b", "c"], dtype=object)[labels], np.array(["a", "b", "c"])[truth]


def test_clone_and_repr(crowd):
    from sklearn.base import clone, is_classifier

    made = ConsensusClassifier("one_coin", random_state=7)
    assert repr(made) == "ConsensusClassifier(model='one_coin', random_state=7)"
    assert clone(made).get_params() == made.get_params() and is_classifier(made)
    assert not hasattr(clone(made.fit(crowd[0])), "consensus_")


def test_pipeline_grid_search_and_cross_validation(crowd):
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import Pipeline

    X, y = crowd
    steps = Pipeline([("labels", ConsensusClassifier(start="votes"))])
    assert np.mean(steps.fit(X, y).predict(X) == y) > 0.9
    scores = cross_val_score(ConsensusClassifier(start="votes"), X, y, cv=3)
    assert len(scores) == 3 and scores.min() > 0.8
    search = GridSearchCV(ConsensusClassifier(start="votes"), {"model": ["one_coin", "dawid_skene"]}, cv=3).fit(X, y)
    assert search.best_params_["model"] in ("one_coin", "dawid_skene") and search.best_score_ > 0.8
    assert GridSearchCV(steps, {"labels__smoothing": [0.01, 1.0]}, cv=2).fit(X, y).best_score_ > 0.8


def test_not_fitted_is_their_error_and_ours(crowd):
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    for error in (NotFittedError, raters.UsageError):
        with pytest.raises(error, match=r"call fit\(\) before"):
            ConsensusClassifier().predict(crowd[0])
    with pytest.raises(NotFittedError):
        check_is_fitted(ConsensusClassifier())
    check_is_fitted(ConsensusClassifier(start="votes").fit(crowd[0]))


def test_a_fitted_classifier_survives_pickle(crowd):
    X, y = crowd
    fitted = ConsensusClassifier(start="votes").fit(X, y)
    fitted.predict(X)  # what follows from the fit is kept with it, and does not go into the file
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()


def test_random_state(crowd):
    X, _ = crowd
    for state in (3, None, np.random.RandomState(3)):
        assert len(ConsensusClassifier(random_state=state).fit(X).classes_) == 3
    with pytest.raises(raters.UsageError, match=r"ConsensusClassifier\(\) has no option 'modle'. Did you mean model="):
        ConsensusClassifier().set_params(modle="mace")


def test_gold_labels_that_are_unknown_do_not_count(crowd):
    X, y = crowd
    partly = [label if i % 2 else None for i, label in enumerate(y)]
    fitted = ConsensusClassifier(start="votes").fit(X, partly)
    known = [i for i in range(len(y)) if i % 2]
    assert fitted.score(X, partly) == np.mean(fitted.predict(X)[known] == y[known])
