"""Bad files and bad calls: one clear line that says what, where, and what to do."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import raters
from raters.errors import DataError, RatersError, UsageError
from raters.io.read import read
from raters.io.sources.delimited import LIMIT

HEAD = b"item,rater,label\n"
FILES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("x.csv", b"", "x.csv: the file is empty"),
    "only newlines": ("x.csv", b"\n\n", "x.csv: no header"),
    "only a BOM": ("x.csv", b"\xef\xbb\xbf", "x.csv: no header"),
    "header only": ("x.csv", HEAD, "x.csv: the file has a header but no rows"),
    "header without end": ("x.csv", HEAD.strip(), "x.csv: the file has a header but no rows"),
    "missing column": (
        "x.csv",
        b"item,rater\n1,a\n",
        "no column looks like the label. If it is one, name its columns: raters.read(.*); columns found: 'item', 'rater'",
    ),
    "doubled column": (
        "x.csv",
        b"item,rater,label,label\n1,a,x,y\n",
        "does not look like a table of labels by several raters",
    ),
    "ambiguous": (
        "x.csv",
        b"item,worker,annotator,label\n1,a,b,x\n",
        "does not look like a table of labels|Nothing was computed",
    ),
    "too few fields": ("x.csv", HEAD + b"1,a,x\n2,b\n", "x.csv, line 3: 2 fields where the header has 3"),
    "too many fields": ("x.csv", HEAD + b"1,a,x\n2,b,c,d\n", "x.csv, line 3: 4 fields where the header has 3"),
    "far down": ("x.csv", HEAD + b"1,a,x\n" * 300_000 + b"2,b\n", "x.csv, line 300002: 2 fields"),
    "after a quoted newline": ("x.csv", HEAD + b'1,a,"x\ny"\n2,b\n', "x.csv, line 4: 2 fields"),
    "open quote": ("x.csv", HEAD + b'1,a,x\n2,b,"y\n3,c,z\n', "x.csv, line 3: a quote .*never closed"),
    "text after a quote": ("x.csv", HEAD + b'1,a,"x"y\n', "x.csv, line 2: the row cannot be read"),
    "NUL": ("x.csv", HEAD + b"1,a,x\n2,b\0,y\n", "x.csv, line 3: a NUL byte"),
    "NUL in gzip": ("x.csv.gz", gzip.compress(HEAD + b"1,a,\0\n"), "x.csv.gz, line 2: a NUL byte"),
    "latin-1": (
        "x.csv",
        HEAD + b"1,a,x\n2,b,caf\xe9\n",
        "x.csv, line 3: byte 0xe9 at position 30 is not utf-8. Pass encoding='cp1252'",
        "utf-8",
    ),
    "one broken letter of UTF-8": (
        "x.csv",
        HEAD + b"1,a,caf\xc3\xa9\n2,b,caf\xe9\n",
        "line 3: byte 0xe9 .* is not utf-8",
    ),
    "a byte that is no text": ("x.csv", HEAD + b"1,a,caf\xe9\n2,b,\x02\n", "line 2: byte 0xe9 .* is not utf-8"),
    "cut in a character": ("x.csv", HEAD + b"1,a,caf\xc3", "x.csv, line 2: byte 0xc3"),
    "latin-1, far down": (
        "x.csv",
        HEAD + b"1,a,x\n" * 300_000 + b"2,b,\xe9\n",
        "x.csv, line 300002: byte 0xe9 at position 1,800,021",
        "utf-8",
    ),
    "utf-16": ("x.csv", "item,rater,label\n1,a,x\n".encode("utf-16"), "Pass encoding='utf-16'", "utf-8"),
    "huge field": (
        "x.csv",
        HEAD + b"1,a,x\n2,b," + b"y" * (LIMIT + 1) + b"\n",
        "x.csv, line 3: a field of more than 1,048,576 characters",
    ),
    "huge quoted field": (
        "x.csv",
        HEAD + b'1,a,"' + b"y\n" * LIMIT + b'"\n',
        "x.csv, line 2: a field of more than 1,048,576",
    ),
    "nothing left": ("x.csv", HEAD + b"1,a,\n2,b,\n", "no annotations in it .rows left out: 2 with missing label."),
    "not gzip": ("x.csv.gz", HEAD + b"1,a,x\n", "not a complete gzip file"),
    "cut gzip": ("x.csv.gz", gzip.compress(HEAD + b"1,a,x\n" * 1000)[:-9], "not a complete gzip file"),
    "unknown format": ("x.docx", b"PK", "x.docx: format unknown. Pass format= one of 'csv'"),
    "broken workbook": ("x.xlsx", b"PK", "x.xlsx: not a workbook that can be read"),
    "JSON cut": ("x.jsonl", b'{"item": 1, "rater": "a", "label": 1}\n{"item": 2,\n', "x.jsonl, line 2: not JSON"),
    "JSON, no object": (
        "x.jsonl",
        b'{"item": 1, "rater": "a", "label": 1}\n7\n',
        "x.jsonl, row 2: '7' is not a JSON object",
    ),
    "JSON list labels": ("x.jsonl", b'{"item": 1, "rater": "a", "label": [1]}\n', "column 'label' holds lists"),
    "JSON infinite": ("x.jsonl", b'{"item": 1, "rater": "a", "label": Infinity}\n', "label inf is not a finite number"),
    "JSON latin-1": ("x.jsonl", b'{"item": 1, "rater": "\xe9", "label": 1}\n', "x.jsonl, line 1: byte 0xe9", "utf-8"),
    "JSON blank": ("x.jsonl", b"\n \n", "x.jsonl: the file contains no JSON objects"),
    "JSON deep": ("x.jsonl", b'{"item": ' + b"[" * 100_000 + b"\n", "x.jsonl, line 1"),
    "no Parquet": ("x.parquet", b"PAR1 and then nothing like it", "x.parquet: not a Parquet file"),
    "Parquet in name": ("x.parquet", HEAD + b"1,a,x\n", "x.parquet: not a Parquet file"),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_files(case: str, tmp_path: Path) -> None:
    name, data, message, *encoding = FILES[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(RatersError, match=message) as caught:
        read(path, encoding=next(iter(encoding), "auto"))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.csv", "no such file"),
        ("*.json", "no such file"),
        ("?.tsv", "no such file"),
        ("empty", "is a directory"),
        ("http://example.org/x.csv", "is a URL"),
        ("s3://bucket/x.csv", "is a URL"),
        ("file:///x.csv", "is a URL"),
        ("/dev/null", "not a regular file"),
        ("x\0.csv", "no such file"),
    ],
)
def test_bad_paths(name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").write_bytes(HEAD + b"1,a,x\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RatersError, match=message):
        read(name)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([], {}, "there are none"),
        ([("a", "b")], {}, r"row 1 is \('a', 'b'\), not \(item, rater, label\)"),
        ([("a", "b", "c"), ("a", "b", "c", "d")], {}, "row 2 is"),
        ([{"item": 1}, ("a", "b", "c")], {}, "row 2 is .* not a dict like the first"),
        (["abc"], {}, "row 1 is 'abc'"),
        (7, {}, "cannot read int"),
        (b"abc", {}, "cannot read bytes"),
        (None, {}, "cannot read NoneType"),
        (np.zeros((3, 3)), {}, "Pass layout='wide'"),
        (np.zeros(3), {"layout": "wide"}, "1 dimension"),
        (np.zeros((0, 3)), {"layout": "wide"}, "matrix: it is empty"),
        ([[1, 2], [1]], {"layout": "wide"}, "row 2 has 1 cells where row 1 has 2"),
        ([[None, None]], {"layout": "wide"}, "no annotations in it"),
        ({"item": [1, 2], "rater": [1], "label": [1, 2]}, {}, "columns of different lengths"),
        ({}, {}, "no columns"),
        (pd.DataFrame(), {}, "no columns"),
        (pa.Table.from_arrays([pa.array([1])] * 3, ["item", "rater", "rater"]), {}, "'rater' 2 times"),
        (pd.DataFrame({"item": [], "rater": [], "label": []}), {}, "no annotations in it"),
        (pd.DataFrame([[1, 2, 3]], columns=["item", "rater", "rater"]), {}, "column name 'rater' occurs twice"),
        (
            {"item": [1], "rater": [1], "label": [1]},
            {"item": "doc"},
            "no column 'doc' for item=; columns found: 'item', 'rater', 'label'",
        ),
        ({"item": [1], "rater": [1], "label": [1]}, {"item": "rater", "rater": "rater"}, "two roles"),
        ([[1, -1], [2, 0]], {"layout": "counts"}, "row 1, column '2' is '-1', not a count"),
        ([[1, 0.5], [2, 0]], {"layout": "counts"}, "is '0.5', not a count"),
        ([["a", "b"]], {"layout": "counts"}, "does not hold counts"),
        ([[1, 2]], {"layout": "counts", "labels": ["a"]}, "1 labels in labels= for 2 columns"),
        ([[1, 2, 3], [1, 2, 3]], {"layout": "contingency"}, "a contingency table is square|rows are named"),
        ([[1, 2], [1, 2], [3, 4]], {"layout": "contingency"}, "3 rows and 2 columns"),
        ([[0, 0], [0, 0]], {"layout": "contingency"}, "every count is 0"),
        ([[1, 0], [0, 1]], {"layout": "contingency", "rater": "A"}, "two raters, so give two names"),
        ({"item": ["a"], "rater": ["b"], "label": ["\ud800"]}, {}, "not valid Unicode"),
    ],
)
def test_bad_objects(source: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RatersError, match=message) as caught:
        read(source, **options)
    assert "\n" not in str(caught.value)


def test_bad_options(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(HEAD + b"1,a,x\n")
    with pytest.raises(UsageError, match="encoding='klingon' is not known"):
        read(path, encoding="klingon")
    with pytest.raises(UsageError, match="give one character"):
        read(path, delimiter=", ")
    with pytest.raises(UsageError, match="format xml"):
        read(path, format="xml")


def test_the_limit_on_a_field_is_generous(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    long = "y" * (LIMIT // 2)
    path.write_text(f"item,rater,label,a,b,c\n1,a,x,{long},{long},{long}\n1,b,{long},,,\n")
    assert [len(label) for label in read(path).labels] == [1, LIMIT // 2]


def test_no_network_and_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_bytes(HEAD + b"1,a,x\n")
    (tmp_path / "a[1].csv").write_bytes(HEAD + b"2,b,y\n")
    assert read(tmp_path / "a[1].csv").labels == ("y",)
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "a[12].csv")


SPAN_ROWS = "doc,annotator,start,end,label\nd1,a,0,5,PER\nd1,a,9,12,LOC\nd1,b,0,5,PER\n"


@pytest.mark.parametrize("columns", [("start", "end"), ("char_start", "char_end")])
def test_a_table_of_offsets_holds_spans(tmp_path, columns):
    path = tmp_path / "spans.csv"
    path.write_text(SPAN_ROWS.replace("start,end", ",".join(columns)))
    found = read(path)
    assert (found.n_documents, found.n_raters, found.n_units) == (1, 2, 3)
    assert raters.agreement(found, "exact", interval=None).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("columns", [("start", "end"), ("arg1", "arg2")])
def test_relations_and_spans_as_labels_are_refused(tmp_path, columns):
    path = tmp_path / "spans.csv"
    path.write_text(SPAN_ROWS.replace("start,end", ",".join(columns)))
    with pytest.raises(DataError, match=f"columns '{columns[0]}' and '{columns[1]}' look like spans"):
        raters.agreement(read(path, scale="nominal"))
    kept = read(path, scale="nominal", duplicates="first")
    assert raters.agreement(kept, "percent", interval=None).value == 1


def test_objects_as_labels_are_refused(tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text('{"item": "d1", "rater": "a", "label": {"start": 0, "end": 5, "label": "PER"}}\n' * 2)
    with pytest.raises(DataError, match="spans and relations are not supported"):
        read(path)
    with pytest.raises(DataError, match="spans and relations are not supported"):
        read(path, scale="sets")
