"""What is refused: merged raters, spans, bombs, deep JSON, folders of nothing; each in one line and within bounds."""

import gzip
import json
import random
import tracemalloc
import zipfile

import pytest
from made_exports import EXPORTS, lines, packed, write

from raters import DataError, RatersError, UsageError, multilabel, read
from raters.io.exports import documents as bounds
from raters.io.readings.reading import InDoubt
from raters.spans.units import Spans

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
SPANS = {
    "label studio": {"x.json": json.dumps([{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [
        {"from_name": "l", "type": "labels", "value": {"start": 0, "end": 1, "labels": ["X"]}}]}]}])},
    "prodigy": {"x.jsonl": lines({"text": "a", "_input_hash": 1, "_task_hash": 1, "spans": [], "answer": "accept"})},
    "doccano": {"x.jsonl": lines({"text": "a", "label": [[0, 1, "X"]]})},
    "brat": {"ann/d.ann": "T1\tPER 0 1\ta\n", "bob/d.ann": ""},
    "webanno": {"x.tsv": "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NE|value\n\n\n#Text=A b\n1-1\t0-1\tA\tPER[1]\t\n1-2\t2-3\tb\tPER[1]\t\n"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(SPANS) - {"prodigy"}))
def test_spans_are_read_and_labels_of_items_refuse_them(tmp_path, name):
    path = write(tmp_path, SPANS[name])
    found = read(path)
    assert isinstance(found, Spans) and found.n_units == 1
    with pytest.raises(UsageError, match=r"holds spans: raters chose what to label"):
        multilabel(path)


def test_a_record_without_units_is_no_answer(tmp_path):
    with pytest.raises(DataError, match=r"places in a picture|no labels were found"):
        read(write(tmp_path, SPANS["prodigy"]))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"all.jsonl": lines({"id": 1, "text": "a", "label": ["x"]})}, "labels of all members are merged.*Export again"),
        ({"x.csv": "_unit_id,_unit_state,_trusted_judgments,tone,tone:confidence\n1,f,3,good,1\n"}, "aggregated report.*full report"),
        ({"x.json": json.dumps([{"dataRow": {"id": "1"}, "schemaId": "s", "uuid": "u"}])}, "a file for import"),
        ({"x.json": json.dumps([{"id": 1, "data": {}, "annotations": [], "predictions": [], "inner_id": 1}])}, "no labels were found"),
        ({"x.json": '[{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": ['}, "not JSON"),
        ({"x.jsonl": '{"_input_hash": 1, "_task_hash": 1}\n{"_input_hash": 2,\n'}, "x.jsonl, line 2: not JSON"),
    ],
)  # fmt: skip
def test_refused_with_what_to_do(tmp_path, files, why):
    with pytest.raises(DataError, match=why) as caught:
        read(write(tmp_path, files))
    assert "\n" not in str(caught.value)


def test_unscored_logs_say_so(tmp_path):
    log = {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [{"id": 1, "epoch": 1, "scores": {}}]}
    with pytest.raises(DataError, match=r"all labels were excluded: 1 unscored"):
        read(write(tmp_path, {"x.json": json.dumps(log)}))


def test_what_is_no_export_says_what_was_tried(tmp_path):
    with pytest.raises(UsageError, match="does not look like a table of labels by several raters"):
        read(write(tmp_path, {"x.csv": "colour,size\nred,1\n"}))
    with pytest.raises(DataError, match="is a zip file, and no file in it is an export that raters recognises"):
        read(packed(tmp_path, {"a.txt": "hello"}))
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="is a directory, and no file in it"):
        read(tmp_path / "none")


def deep(n):
    return '[{"annotations": [{"completed_by": 1, "result": ' + "[" * n + "]" * n + '}], "data": {}}]'


def test_deep_json_is_refused(tmp_path):
    with pytest.raises(DataError, match="too deeply nested"):
        read(write(tmp_path, {"x.json": deep(200_000)}))


def bomb(path, megabytes):
    """A zip of one export that unpacks to this much."""
    line = EXPORTS["prodigy"][0]["x.jsonl"].splitlines()[0].encode() + b"\n"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.jsonl", "w", force_zip64=True) as out,
    ):
        out.write(line)
        for _ in range(megabytes):
            out.write(b" " * (1 << 20))
    return path


def test_bombs_are_refused_within_bounds(tmp_path):
    path = bomb(tmp_path / "bomb.zip", 200)
    packed_gz = tmp_path / "x.jsonl.gz"
    packed_gz.write_bytes(gzip.compress(EXPORTS["prodigy"][0]["x.jsonl"].encode() + b" " * (200 << 20)))
    for source in (path, packed_gz):
        tracemalloc.start()
        with pytest.raises(DataError, match="unpacks to more than"):
            read(source)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64 << 20


def test_too_many_files_in_a_zip(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "MANY", 3)
    with pytest.raises(DataError, match="more than 3 files"):
        read(packed(tmp_path, {f"{i}.jsonl": "" for i in range(5)}))


def test_a_zip_with_a_password_or_cut_off(tmp_path):
    whole = packed(tmp_path, EXPORTS["prodigy"][0]).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="not a complete zip file"):
        read(tmp_path / "cut.zip")


def test_names_in_a_zip_lead_nowhere(tmp_path):
    path = packed(tmp_path, {"../../etc/ann.jsonl": lines({"id": 1, "text": "a", "label": ["x"]})})
    assert read(path).n_annotations == 1
    assert not (tmp_path.parent / "etc").exists()


@pytest.mark.parametrize("name", EXPORTS)
def test_broken_exports_never_end_in_a_traceback(tmp_path, name):
    """Cut off, with bytes changed, and with values of other kinds in every place."""
    files, question, *_ = EXPORTS[name]
    rng = random.Random(name)
    swaps = ["null", "[]", "{}", "3", '"x"', "true", "[[1]]", '{"a": [null]}']
    said: list[str] = []
    for round_ in range(25):
        broken = {}
        for file, text in files.items():
            if round_ % 3 == 0:
                broken[file] = text[: rng.randrange(1, len(text))]
            elif round_ % 3 == 1:
                at = rng.randrange(len(text))
                broken[file] = text[:at] + rng.choice('{}[]",:\n\t\0é') + text[at + 1 :]
            else:
                places = [i for i, c in enumerate(text) if c in ":,["] or [0]
                at = rng.choice(places) + 1
                end = next((j for j in range(at, len(text)) if text[j] in ",]}\n"), len(text))
                broken[file] = text[:at] + rng.choice(swaps) + text[end:]
        folder = tmp_path / str(round_)
        try:
            read(write(folder, broken), question=question)
        except RatersError as error:
            said += [] if isinstance(error, InDoubt) else [str(error)]
    assert not any("\n" in message for message in said)
