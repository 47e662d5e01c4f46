"""Which column is the item, the rater, the label."""

import pytest

import raters
from raters.errors import RatersError
from raters.io.read import read


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["item", "rater", "label"], ["item", "rater", "label"]),
        (["Item ID", "WORKER-ID", "Answer"], ["Item ID", "WORKER-ID", "Answer"]),
        (
            ["!amt_annotation_ids", "!amt_worker_ids", "orig_id", "response", "gold"],
            ["orig_id", "!amt_worker_ids", "response"],
        ),
        (["id", "text", "annotator", "label"], ["id", "annotator", "label"]),
        (["task", "id", "worker", "user", "rating", "value"], ["task", "worker", "rating"]),
        (["units", "coders", "codes"], ["units", "coders", "codes"]),
        (["question", "judge", "class"], ["question", "judge", "class"]),
    ],
)
def test_columns_are_found(columns: list[str], found: list[str]) -> None:
    ann = read({name: ["a", "b"] for name in columns})
    assert list(ann.columns.values()) == found
    assert ann.extras == tuple(c for c in columns if c not in found)


def test_columns_that_clash_are_moved_aside() -> None:
    ann = read(
        {"doc": [1], "who": ["a"], "grade": ["x"], "item": [2], "Label": [3], "row": [4]},
        item="doc",
        rater="who",
        label="grade",
    )
    assert ann.extras == ("item_", "Label_", "row_")
    assert len(ann.warnings) == 3 and ann.engine.query('SELECT "Label_" AS x FROM annotations')["x"].tolist() == [3]


@pytest.mark.parametrize(
    "names, role",
    [
        (("item", "rater", "label", "label "), "2 questions"),
        (("doc", "worker", "answer", "response"), "2 questions"),
        (("doc", "question", "worker", "answer"), "Nothing was computed|does not look like"),
    ],
)
def test_two_columns_for_one_role_are_not_taken_for_two_raters(names, role):
    rows = [{**dict.fromkeys(names, "no"), names[0]: f"d{i}", names[1]: f"w{j}"} for i in range(5) for j in range(3)]
    with pytest.raises(RatersError, match=role):
        raters.read(rows)
