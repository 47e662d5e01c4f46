"""Logs whose members are packed by Zstandard, several items in a HIT, and what is named and not read."""

import errno
import json
import os
import random
import zipfile

import duckdb
import pytest
from made_exports import MTURK_SEVERAL

import raters
from raters.errors import DataError
from raters.io.exports.documents import ZSTANDARD

SAMPLES = [
    {"id": i, "epoch": 1, "scores": {"judge": {"value": "CI"[i % 2]}, "match": {"value": "C"}}} for i in range(4)
]


def zstd(text, folder):
    """Text packed by Zstandard."""
    path = folder / "x.zst"
    duckdb.execute("CREATE OR REPLACE TEMP TABLE one AS SELECT ? AS line", [text])
    duckdb.execute(
        f"COPY one TO '{path}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f', COMPRESSION zstd)"
    )
    return path.read_bytes()


def eval_log(tmp_path, method=ZSTANDARD, samples=SAMPLES):
    """A log as newer versions of Inspect write it: members of a zip under a method that zipfile does not know."""
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    members = {"header.json": header, **{f"samples/{s['id']}_epoch_1.json": s for s in samples}}
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, value in members.items():
            packed.writestr(name, zstd(json.dumps(value), tmp_path))
    data = bytearray(path.read_bytes())
    for mark, at, size_at in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        place = 0
        for value in members.values():
            place = data.find(mark, place)
            data[place + at : place + at + 2] = method.to_bytes(2, "little")
            data[place + size_at : place + size_at + 4] = len(json.dumps(value)).to_bytes(4, "little")
            place += 4
    path.write_bytes(data)
    return path


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_members_packed_by_zstandard(tmp_path):
    ann = raters.read(eval_log(tmp_path))
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (4, 2, 8)


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_little_memory_is_enough_for_small_members_and_is_named_where_it_is_not(tmp_path):
    assert raters.read(eval_log(tmp_path), memory="50MB").n_items == 4
    long = eval_log(
        tmp_path, samples=[SAMPLES[0] | {"input": random.Random(0).randbytes(20_000_000).hex()}, *SAMPLES[1:]]
    )
    with pytest.raises(DataError, match=r"log.eval: not enough memory to unpack samples/0_epoch_1.json, .*memory="):
        raters.read(long, memory="50MB")
    assert raters.read(long).n_items == 4, "neither the limit nor the failure stays"


def test_members_that_are_not_what_they_say(tmp_path):
    path = eval_log(tmp_path)
    data = path.read_bytes().replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe")
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"header.json in it cannot be unpacked: not compressed with Zstandard"):
        raters.read(path)


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
                                     PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
                                     duckdb.IOException(f"IO Error: Could not write file: {os.strerror(errno.ENOSPC)}"),
                                     duckdb.OutOfMemoryException("failed to allocate"), MemoryError()])  # fmt: skip
@pytest.mark.parametrize("ending", ["eval", "csv", "jsonl", "parquet", "duckdb"])
def test_what_the_machine_refuses_is_no_wrong_format(tmp_path, monkeypatch, failure, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "eval":
        path = eval_log(tmp_path)
    else:
        path.write_text("item,rater,label\na,b,c\n" if ending == "csv" else '{"item": 1, "rater": "a", "label": "x"}\n')

    def refused(*_, **__):
        raise failure

    place, what = {"eval": ("exports.documents", "connect"), "csv": ("sources.delimited", "fill"),
                   "jsonl": ("sources.json", "fill"), "parquet": ("sources.files", "unpacked"),
                   "duckdb": ("sources.other_files", "private_folder")}[ending]  # fmt: skip
    monkeypatch.setattr(f"raters.io.{place}.{what}", refused)
    with pytest.raises((DataError, OSError, MemoryError)) as caught:
        raters.read(path)
    said = str(caught.value)
    assert isinstance(caught.value, MemoryError) or "memory" in said or "left on device" in said or "denied" in said
    assert not any(other in said for other in ("recognises", "not a", "not JSON", "Is this a table"))


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_several_items_in_a_hit(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(MTURK_SEVERAL)
    ann = raters.read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (4, 2, 8)
    assert any("each HIT shows 2 numbered items" in note for note in ann.warnings)


def test_cas_as_xml_is_named(tmp_path):
    path = tmp_path / "doc.xmi"
    path.write_text(
        '<?xml version="1.0"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"><cas:NULL xmi:id="0"/></xmi:XMI>\n'
    )
    with pytest.raises(DataError, match=r"XMI.*WebAnno TSV v3.3 or as UIMA CAS JSON"):
        raters.read(path)
