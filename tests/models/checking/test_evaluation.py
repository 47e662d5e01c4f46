"""A system is evaluated by the posterior of the labels."""

import numpy as np
import pytest

import raters
from raters.errors import DataError, UsageError


def test_expected_accuracy_and_log_loss(demo: raters.results.Consensus) -> None:
    wrong = dict.fromkeys(demo.items, "neutral")
    table = raters.evaluate(wrong, demo)
    assert table["accuracy"].value == pytest.approx(demo.posterior[:, 1].mean())
    assert table["ceiling"].value == pytest.approx(demo.posterior.max(1).mean())
    assert table["accuracy"].low < table["accuracy"].value < table["accuracy"].high
    assert np.isnan(table["log_loss"].value) and "needs probabilities" in table["log_loss"].warnings[0]
    soft = {
        item: dict(zip(demo.label_names, p, strict=True)) for item, p in zip(demo.items, demo.posterior, strict=True)
    }
    best = raters.evaluate(soft, demo)
    assert best["log_loss"].value == pytest.approx(best["log_loss_floor"].value)
    hedged = raters.evaluate({item: [1 / 3] * 3 for item in demo.items}, demo)
    assert hedged["log_loss"].value == pytest.approx(np.log(3))
    assert raters.evaluate(soft, demo)["of_ceiling"].value <= 1


def test_a_system_as_annotations_and_bad_systems(demo: raters.results.Consensus) -> None:
    rows = [(item, "model", label) for item, label in demo.labels.items()]
    system = raters.read(rows, scale="nominal")
    assert raters.evaluate(system, demo)["of_ceiling"].value == pytest.approx(1)
    with pytest.raises(DataError, match="share no item"):
        raters.evaluate({"elsewhere": "neutral"}, demo)
    with pytest.raises(DataError, match="do not sum to 1"):
        raters.evaluate({demo.items[0]: [0.5, 0.1, 0.1]}, demo)


def test_evaluate_refuses_what_is_no_probability_and_says_why_a_loss_is_infinite(
    demo: raters.results.Consensus,
) -> None:
    item = demo.items[0]
    for answer, says in (
        ([np.nan] * 3, "do not sum to 1"),
        ([0.5, 0.5], "neither a label nor 3 probabilities"),
        ({"negative": "much"}, "not a number"),
    ):
        with pytest.raises(DataError, match=says):
            raters.evaluate({item: answer}, demo)
    loss = raters.evaluate({x: [1, 0, 0] for x in demo.items}, demo)["log_loss"]
    assert loss.value == np.inf and "log loss is infinite: on 200 items" in loss.warnings[0]


def test_a_consensus_is_no_system() -> None:
    c = raters.consensus(raters.examples.demo(), "majority")
    with pytest.raises(UsageError, match="the first argument is a consensus"):
        raters.evaluate(c, c)  # type: ignore[arg-type]
