"""Every reader on a small export made after the tool's schema."""

import gzip
import json

import pytest
from made_exports import EXPORTS, packed, write
from made_logs import INSPECT

from raters import DataError, UsageError, agreement, read
from raters.io.exports.documents import documents
from raters.io.exports.glance import glance
from raters.io.exports.opened import recognised
from raters.io.exports.registry import TOOLS

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")


@pytest.mark.parametrize("name", EXPORTS)
def test_items_raters_labels_and_what_was_left_out(tmp_path, name):
    files, question, sizes, dropped = EXPORTS[name]
    ann = read(write(tmp_path, files), question=question)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == sizes
    assert ann.dropped == dropped
    assert ann.warnings[0].startswith(f"read as an export of {TOOLS[name.split()[0]].title}")


@pytest.mark.parametrize("name", [name for name in EXPORTS if name != "inspect"])  # a packed log has another form
def test_a_zip_says_the_same(tmp_path, name):
    files, question, sizes, dropped = EXPORTS[name]
    ann = read(packed(tmp_path, files), question=question)
    assert ((ann.n_items, ann.n_raters, ann.n_annotations), ann.dropped) == (sizes, dropped)


def test_every_tool_with_labels_has_a_made_export():
    assert {name.split()[0] for name in EXPORTS} == set(TOOLS) - {"brat", "factgenie", "conll"}


@pytest.mark.parametrize("name", EXPORTS)
def test_one_tool_alone_recognises_an_export(tmp_path, name):
    for document in documents(write(tmp_path, EXPORTS[name][0])):
        look = glance(document)
        assert [t.name for t in TOOLS.values() if t.sniff(look)] == [recognised(look).name]


def test_a_packed_inspect_log(tmp_path):
    samples = {f"samples/{s['id']}_epoch_1.json": json.dumps(s) for s in INSPECT["samples"]}
    files = {
        "header.json": json.dumps({k: v for k, v in INSPECT.items() if k != "samples"}),
        "summaries.json": "[]",
        **samples,
    }
    ann = read(packed(tmp_path, files, "log.eval"))
    assert (ann.n_items, ann.n_raters, ann.n_annotations, ann.dropped) == (2, 2, 3, {"unscored": 1})


def test_gzip_is_unpacked(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(EXPORTS["prodigy"][0]["x.jsonl"].encode()))
    assert read(path).n_annotations == 3


def test_several_questions_are_listed_with_their_labels_and_the_command(tmp_path):
    path = write(tmp_path, EXPORTS["mturk"][0])
    with pytest.raises(DataError, match=r"contains 2 questions: 'animal' \(2 labels\), 'tone' \(2 labels\)") as caught:
        read(path)
    assert "raters.read(..., question='animal')" in str(caught.value)
    with pytest.raises(UsageError, match="no question 'mood' with labels"):
        read(path, question="mood")


def test_every_function_takes_a_question(tmp_path):
    path = write(tmp_path, EXPORTS["mturk"][0])
    assert agreement(read(path, question="tone"), "percent", interval=None).value == 0


def test_rows_are_kept_by_reason(tmp_path):
    path = write(tmp_path, EXPORTS["label_studio"][0])
    judged = read(path, keep="predicted")
    assert judged.n_raters == 3 and "m1" in judged.engine.query("SELECT rater FROM annotations")["rater"]
    assert "predicted" not in judged.dropped and judged.dropped["rejected"] == 1
    everything = read(path, keep=["predicted", "rejected", "cancelled", "curated"])
    assert everything.n_annotations == 7 and not everything.dropped
    with pytest.raises(UsageError, match="keep='bad' is not a known reason"):
        read(path, keep="bad")


def test_question_and_keep_are_for_exports_alone(tmp_path):
    path = write(tmp_path, {"x.csv": "item,rater,label\n1,a,x\n1,b,y\n"})
    with pytest.raises(UsageError, match="question='tone' applies to exports"):
        read(path, question="tone")
    with pytest.raises(UsageError, match="keep='gold' applies to exports"):
        read([(1, "a", "x")], keep="gold")


def test_the_label_in_prodigy_is_what_was_accepted_not_that_it_was(tmp_path):
    ann = read(write(tmp_path, EXPORTS["prodigy"][0]))
    assert ann.labels == ("x", "y")
    assert read(write(tmp_path, EXPORTS["prodigy binary"][0])).labels == ("accept", "reject")


def test_a_column_given_by_hand_is_taken_as_it_is(tmp_path):
    path = write(tmp_path, EXPORTS["appen"][0])
    by_hand = read(path, item="_unit_id", rater="_worker_id", label="tone")
    assert by_hand.n_annotations == 4 and not by_hand.dropped
    other_item = read(path, question="tone", item="url")
    assert other_item.columns["item"] == "url" and other_item.dropped == {"gold": 1, "untrusted": 1}


def test_several_labels_make_sets(tmp_path):
    ann = read(write(tmp_path, EXPORTS["appen several"][0]), question="topics")
    assert ann.scale == "sets" and ann.members == ("a", "b")
    with pytest.raises(UsageError, match="allows several labels"):
        read(tmp_path / "x.csv", question="topics", scale="nominal")


def test_numbers_in_tables_are_numbers(tmp_path):
    ann = read(write(tmp_path, EXPORTS["qualtrics"][0]), question="Q5")
    assert ann.labels == (3, 4, 5) and ann.scale == "ordinal"
