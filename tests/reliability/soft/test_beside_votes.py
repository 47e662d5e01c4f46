"""A classifier beside the votes: a useless one changes nothing, a good one helps, and its weight by enumeration."""

import numpy as np
import pytest

import raters
from raters import simulate


def drawn(seed, n=150, k=3, accuracy=0.7, labels=2):
    found = simulate.labels(n, k, labels, accuracy=accuracy, seed=seed)
    return found.truth, found.annotations()


def said(truth, right, seed, sure=0.85):
    rng, q = np.random.default_rng(seed), int(truth.max()) + 1
    told = np.where(rng.random(len(truth)) < right, truth, (truth + rng.integers(1, q, len(truth))) % q)
    return {i: {k: sure if k == t else (1 - sure) / (q - 1) for k in range(q)} for i, t in enumerate(told.tolist(), 1)}


@pytest.mark.parametrize("right", [0.5, 0.15])
def test_a_random_or_adversarial_classifier_changes_nothing(right):
    changed = 0
    for seed in range(8):
        truth, ann = drawn(seed)
        c = raters.consensus(ann, "one_coin", prevalence="learned")
        found = raters.with_classifier(ann, said(truth, right, seed), fitted=c)
        changed += bool(found.changed)
        assert found.labels == dict(c.labels) or found.changed
    assert changed <= 1


def test_a_good_classifier_helps_and_what_it_changed_is_listed():
    gain = []
    for seed in range(4):
        truth, ann = drawn(seed, n=400, k=5, accuracy=0.7)
        c = raters.consensus(ann, "one_coin", prevalence="learned")
        found = raters.with_classifier(ann, said(truth, 0.85, seed), fitted=c)
        for item, old, new in found.changed:
            assert c.labels[item] == old != new == found.labels[item]
        gain.append(np.mean([(found.labels[i] == t) - int(c.labels[i] == t) for i, t in enumerate(truth, 1)]))
        assert found.to_columns()["label"] == list(found.labels.values())
    assert np.mean(gain) > 0.005


def test_suspects_are_labels_against_the_others_and_the_classifier():
    truth, ann = drawn(3, n=200, k=4, accuracy=0.9)
    found = raters.with_classifier(ann, said(truth, 0.95, 1))
    rows = {(i, r): x for i, r, x in zip(*(ann.to_columns()[n] for n in ("item", "rater", "label")), strict=True)}
    assert len(found.suspects) > 5 and [p for *_, p in found.suspects] == sorted(p for *_, p in found.suspects)
    assert all(rows[item, rater] == label for item, rater, label, _ in found.suspects)
    assert np.mean([label != truth[item - 1] for item, _, label, _ in found.suspects]) > 0.8


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        ({1: 1, 2: 0}, "gives labels, not probabilities"),
        ({1: {0: 0.7, 1: 0.7}}, "do not sum to 1"),
        ({"x": {0: 0.5, 1: 0.5}}, "share no item"),
        ({1: {0: 0.5, 7: 0.5}}, "labels that no rater gave"),
    ],
)
def test_one_clear_line(classifier, message):
    with pytest.raises(raters.RatersError, match=message):
        raters.with_classifier(drawn(1)[1], classifier)


def test_sets_and_numbers_are_refused():
    with pytest.raises(raters.UsageError, match="single labels"):
        raters.with_classifier(raters.read([("1", "a", "x;y"), ("1", "b", "x")], scale="sets", sep=";"), {"1": "x"})
