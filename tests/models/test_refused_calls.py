"""Calls that a model cannot answer are refused in one line."""

from typing import Any

import pytest
from small_crowds import right_in_four_of_five

import raters
from raters.errors import DataError, UsageError
from raters.papers import annotation_tables


def test_bad_calls_are_one_line(demo: raters.results.Consensus) -> None:
    ann = raters.examples.demo()
    for options, says in (
        ({"max_iter": 0}, "max_iter=0"),
        ({"restarts": -1}, "restarts=-1"),
        ({"uncertainty": "posterior", "draws": 0}, "draws=0"),
        ({"seed": -1}, "seed=-1"),
        ({"priors": 3}, "priors=3 is not a consensus"),
    ):
        with pytest.raises(UsageError, match=says):
            raters.consensus(ann, **options)
    calls: list[tuple[Any, str]] = [
        (lambda: demo.confusion_interval(95), "level=95"),
        (lambda: raters.information(demo, level=95), "level=95"),
        (lambda: raters.next_labels(demo, who=[]), "who="),
        (lambda: raters.next_labels(demo, share=95), "share=95"),
        (lambda: raters.evaluate(demo, ann), "first argument is a consensus"),  # type: ignore[arg-type]
    ]
    for call, says in calls:
        with pytest.raises(UsageError, match=says):
            call()


def test_a_consensus_on_numbers_refuses_what_is_for_labels() -> None:
    c = raters.consensus(
        raters.read([(i, r, float(i + r)) for i in range(6) for r in range(3)], scale="interval"), "gaussian"
    )
    for call in (
        lambda: c.entropy,
        c.confusion_interval,
        lambda: annotation_tables.prevalences(c),
        lambda: annotation_tables.overlap(c, {}),
    ):
        with pytest.raises(UsageError, match="gaussian"):
            call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "magic"}, "model='magic' is not known. Use one of 'majority', "),
        ({"start": "middle"}, "start='middle' is not known"),
        ({"ties": "both"}, "ties='both' is not known"),
        ({"smoothing": -1}, "smoothing=-1 is not a number of 0 or more"),
        ({"prevalence": "high"}, "prevalence='high' is not known"),
        ({"uncertainty": "some"}, "uncertainty='some' is not known"),
        ({"model": "majority", "uncertainty": "posterior"}, "or uncertainty='bootstrap'"),
        ({"model": "gaussian"}, "needs numbers"),
        ({"gold": {"i0": "k7"}}, "gold label 'k7' of item 'i0' is not one of the labels 'k0', 'k1'"),
        ({"gold": {"elsewhere": "k0"}}, "no gold item is among the items"),
        ({"gold": ["k0"]}, "gold=['k0'] is not a dictionary"),
    ],
)
def test_bad_requests_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=r"^[^\n]*$") as caught:
        raters.consensus(raters.read(right_in_four_of_five(5, 2), scale="nominal"), **options)
    assert message in str(caught.value)
