"""What a table of labels says of itself."""

import json

import pytest
from sources import ROWS

from raters import examples
from raters.errors import DataError, UsageError
from raters.io.read import read


def test_repeats_are_counted() -> None:
    ann = read([*ROWS, ("q2", "bob", "yes"), ("q1", "ann", "no")], duplicates="last")
    assert ann.repeats == 2 and ann.first_repeat == ("q1", "ann") and ann.duplicates == "last"
    assert "repeats: 2 annotations" in str(ann) and "item 'q1', rater 'ann'" in str(ann)


def test_annotations_come_back_declared_anew() -> None:
    ann = read([("a", "x", 1), ("a", "y", 2)], scale="nominal")
    assert read(ann) is ann
    again = read(ann, scale="ordinal", labels=[3, 2, 1], duplicates="first")
    assert (again.scale, again.labels, again.duplicates, again.declared) == ("ordinal", (3, 2, 1), "first", True)
    assert ann.scale == "nominal"
    with pytest.raises(DataError, match="label 2 is not on the scale"):
        read(ann, labels=[1, 3])
    with pytest.raises(UsageError, match="read the source again"):
        read(ann, item="x")


def test_summary_is_ready_for_json() -> None:
    found = json.loads(json.dumps(examples.four_raters().summary()))
    assert found["n_items"] == 12 and found["labels"] == [1, 2, 3, 4, 5] and found["per_item"]["max"] == 4
