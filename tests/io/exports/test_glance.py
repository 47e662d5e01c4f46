"""Recognising takes little time, whatever the size; plain tables stay plain."""

import json
import time

import pytest
from made_exports import ls_choice, ls_task, write

from raters import UsageError, read
from raters.io.exports.opened import from_export

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
PLAIN = {
    "long.csv": "item,rater,label\n1,a,x\n1,b,y\n",
    "text.csv": "text,annotator,label\nhello,a,x\nhello,b,y\n",
    "long.jsonl": '{"item": 1, "rater": "a", "label": "x"}\n{"item": 1, "rater": "b", "label": "y"}\n',
    "text.jsonl": '{"text": "t", "annotator": "a", "label": "x"}\n{"text": "t", "annotator": "b", "label": "y"}\n',
    "other.jsonl": (
        '{"id": 1, "text": "t", "label": "x", "coder": "a"}\n{"id": 1, "text": "t", "label": "y", "coder": "b"}\n'
    ),
    "worker.tsv": "HITId\tWorkerId\tanswer\n1\ta\tx\n1\tb\ty\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_tables_stay_plain(tmp_path, name):
    path = write(tmp_path, {name: PLAIN[name]})
    assert from_export(path, None, (), "utf-8") is None
    assert (read(path).n_items, read(path).n_raters) == (1, 2)


def test_a_column_that_may_name_raters_is_never_passed_by(tmp_path):
    for text in (
        "id,text,label,given by\n1,t,x,a\n1,t,y,b\n",
        '{"id": 1, "text": "t", "label": "x", "given by": "a"}\n',
    ):
        path = write(tmp_path, {f"x.{'csv' if text[0] == 'i' else 'jsonl'}": text})
        with pytest.raises(UsageError, match=r"no column looks like the rater|not certain"):
            read(path)


def test_a_look_is_quick_at_large_files(tmp_path):
    path = write(tmp_path, {"x.csv": "item,rater,label\n" + "".join(f"{i},a,x\n" for i in range(1_000_000))})
    from_export(path, None, (), "utf-8")  # imports
    start = time.perf_counter()
    assert from_export(path, None, (), "utf-8") is None
    assert time.perf_counter() - start < 0.05


def test_long_data_before_the_annotations_does_not_hide_them(tmp_path):
    task = ls_task(1, "x" * 100_000, ls_choice(1, "good"), ls_choice(2, "bad"))
    assert read(write(tmp_path, {"x.json": json.dumps([task])})).n_raters == 2
