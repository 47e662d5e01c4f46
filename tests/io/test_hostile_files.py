"""Files that nobody meant to write: read right, or refused in our words with the row."""

import csv
import json
import os
import sys
import warnings

import duckdb
import pytest

import raters
from raters.errors import DataError, RatersWarning
from raters.io.sources import delimited
from raters.io.sources.delimited import LIMIT, limited

HEAD, BODY = "item,rater,label\n", "a,x,1\na,y,1\nb,x,2\nb,y,1\n"
ROWS = [{"item": i, "rater": r, "label": "x"} for i in range(4) for r in "ab"]
LINES = "\n".join(map(json.dumps, ROWS))


@pytest.fixture
def read(tmp_path):
    """Read a file of these bytes."""

    def call(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RatersWarning)
            return raters.read(path, **options)

    return call


def rows(ann):
    got = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row")
    return list(zip(*(got[c].tolist() for c in ("item", "rater", "label")), strict=True))


@pytest.mark.parametrize("above", ["\n", "\r\n\r\n", "\ufeff\n", "\n\n\n"])
def test_blank_lines_above_the_header_are_no_header(read, above):
    """The header was read as a row: alpha -.106 for -.188."""
    plain = read("plain.csv", HEAD + BODY)
    assert rows(read("blank.csv", above + HEAD + BODY)) == rows(plain)


@pytest.mark.parametrize("first", [2**64, -(2**63) - 12, 10**30])
@pytest.mark.parametrize("key", ["item", "rater", "label"])
def test_whole_numbers_beyond_64_bits_stay_apart(read, first, key):
    table = [{"item": i % 3, "rater": i // 3, "label": i % 2} | {key: first + i} for i in range(12)]
    ann = read("big.jsonl", "\n".join(map(json.dumps, table)))
    assert [row[("item", "rater", "label").index(key)] for row in rows(ann)] == [str(first + i) for i in range(12)]
    assert any("read as text" in note for note in ann.warnings)


def test_long_numbers_among_fractions_are_quantities(read):
    """JavaScript writes 1e20 without an exponent."""
    table = '{"item": 1, "rater": "a", "label": 100000000000000000000}\n{"item": 1, "rater": "b", "label": 0.5}'
    assert read("js.jsonl", table).labels == (0.5, 1e20)


@pytest.mark.parametrize("last", ["c,x," + "z" * 33_000_000, 'c,x,"' + "z" * 33_000_000 + '"', "z" * 33_000_000])
def test_a_very_long_last_line_is_not_dropped(read, last):
    with pytest.raises(DataError, match="line 6: a field of more than"):
        read("long.csv", HEAD + BODY + last)


def test_a_long_line_of_many_fields_is_read(read):
    wide = ",".join(f"r{i}" for i in range(1000))
    cells = ",".join(["z" * 1500] * 1000)
    ann = read("wide.csv", f"item,{wide}\na,{cells}\nb,{cells}", layout="wide")
    assert (ann.n_items, ann.n_annotations) == (2, 2000)


@pytest.mark.parametrize("first", [True, False])
def test_a_very_long_json_line_is_refused_with_its_number(read, first):
    long = json.dumps(ROWS[0] | {"text": "z" * 33_000_000})
    with pytest.raises(DataError, match=f"line {1 if first else 9}: longer than"):
        read("long.jsonl", f"{long}\n{LINES}" if first else f"{LINES}\n{long}")


@pytest.mark.parametrize("key", ["*", "", "$", "a.b", 'a"b', "a[0]", "a/b", "~", "\\", "'", "k\0"])
def test_any_key_is_a_key(read, key):
    with_key = "\n".join(json.dumps(row | {key: f"v{i}"}) for i, row in enumerate(ROWS))
    ann = read("key.jsonl", with_key)
    (name,) = ann.extras
    got = ann.engine.query(f"SELECT {ann.engine.quote(name)} AS x FROM annotations ORDER BY row")["x"].tolist()
    assert got == [f"v{i}" for i in range(len(ROWS))]


def test_a_star_is_no_wildcard_for_items(read):
    table = "\n".join(json.dumps({"*": row["item"], "rater": row["rater"], "label": "x"}) for row in ROWS)
    assert read("star.jsonl", table, item="*").n_items == 4


@pytest.mark.parametrize(
    "line, why",
    [
        (r'{"item": "\ud800", "rater": "a", "label": "x"}', "line 9: .*surrogate"),
        (r'{"item": 1, "rater": "a", "label": "x", "\udfff": 1}', "line 9: .*surrogate"),
        ('{"item": 1, "item": 2, "rater": "a", "label": "x"}', "row 9: the key 'item' occurs twice"),
        ('{"item": 1, "rater": "a", "label": Infinity, "label": 1}', "row 9: .*twice"),
        ("[" * 5000, "line 9: .*nested"),
        ("{", "line 9: not JSON"),
        ("3", "row 9: '3' is not a JSON object"),
    ],
)
def test_what_is_no_json_object_is_named_with_its_row(read, line, why):
    with pytest.raises(DataError, match=why):
        read("bad.jsonl", f"{LINES}\n{line}")


def test_nesting_is_counted_whatever_the_recursion_limit_is(read):
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(20_000)
        with pytest.raises(DataError, match=r"line 9: .*nested"):
            read("deep.jsonl", LINES + "\n" + "[" * 5000)
    finally:
        sys.setrecursionlimit(limit)


def test_numbers_that_are_too_large_name_nobody(read):
    more = '{"item": 1e999, "rater": "a", "label": "x"}\n{"item": 2e999, "rater": "b", "label": "x"}'
    ann = read("inf.jsonl", f"{LINES}\n{more}")
    assert ann.n_items == 4 and ann.dropped == {"missing item": 2}


def test_numbers_of_five_thousand_digits_are_text(read):
    digits = "9" * 5000
    for name, table in (
        ("d.csv", f"{HEAD}a,x,{digits}\na,y,1\n"),
        ("d.jsonl", f'{{"item": "a", "rater": "x", "label": {digits}}}\n{{"item": "a", "rater": "y", "label": 1}}'),
    ):
        ann = read(name, table)
        assert ann.labels == ("1", digits)
        assert len(str(ann)) < 1000, "the summary is for people"
    one = read("one.json", f'[{{"item": "a", "rater": "x", "label": {digits}}}]')  # a single object is read by Python
    assert one.labels == (digits,)
    by_rater = f'{{"id": "q", "labels": {{"ann": {digits}, "bob": 1}}}}'
    assert digits in read("cells.jsonl", f"{by_rater}\n{by_rater.replace('q', 'p')}\n").labels
    task = {
        "id": 1,
        "data": {},
        "annotations": [
            {"completed_by": 7, "result": [{"type": "choices", "from_name": "q", "value": {"choices": ["x"]}}]}
        ],
    }
    assert read("tasks.json", json.dumps([task]).replace("7", digits)).n_annotations == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name, text", [("u.csv", HEAD + BODY), ("u.jsonl", LINES)])
def test_utf_16_without_a_mark_says_what_to_pass(read, encoding, name, text):
    with pytest.raises(DataError, match=f"line 1: a NUL byte.*encoding='{encoding}'"):
        read(name, text.encode(encoding))
    assert read(name, text.encode(encoding), encoding=encoding).n_annotations in (4, 8)
    if encoding == "utf-16-be":  # without a mark Python takes UTF-16 for little-endian, or refuses it
        with pytest.raises(DataError):
            read(name, text.encode(), encoding="utf-16")


@pytest.mark.parametrize("at", [5, 100, 2000, -400, -9])
def test_a_damaged_parquet_file_is_named(tmp_path, at):
    import duckdb

    path = tmp_path / "p.parquet"
    table = "SELECT (i // 20) AS item, (i % 20) AS rater, md5(i::VARCHAR)[1:1] AS label FROM range(20000) t(i)"
    duckdb.sql(table).write_parquet(str(path))
    content = bytearray(path.read_bytes())
    at = at % len(content)
    content[at : at + 40] = bytes(b ^ 0xFF for b in content[at : at + 40])
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"p\.parquet: "):
        raters.per_item(raters.read(path, scale="nominal"))


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
@pytest.mark.parametrize("ending, content", [(b"csv", HEAD + BODY), (b"jsonl", LINES), (b"parquet", None)])
def test_a_file_name_that_is_no_utf_8(tmp_path, ending, content):
    import duckdb

    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9." + ending)
    if content is None:
        duckdb.sql("SELECT * FROM (VALUES (1, 'a', 'x'), (1, 'b', 'x')) t(item, rater, label)").write_parquet(
            str(tmp_path / "x.parquet")
        )
        os.rename(tmp_path / "x.parquet", path)
    else:
        with open(path, "wb") as file:
            file.write(content.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RatersWarning)
        ann = raters.read(os.fsdecode(path))
    assert ann.n_items and raters.report(ann, resamples=20).html().encode()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\r", "\n", "\r\n", "\r\r\n"])
@pytest.mark.parametrize("slow", [True, False])
def test_line_ends_inside_quotes_stay(read, monkeypatch, end, inside, slow):
    if slow:  # the road that mends what DuckDB does not take
        fill = delimited.fill

        def once(connection, path, *rest):
            if path.name != "copy.csv":
                raise __import__("duckdb").Error
            fill(connection, path, *rest)

        monkeypatch.setattr(delimited, "fill", once)
    table = end.join(["item,rater,label", f'a,x,"1{inside}2"', f'a,y,"1{inside}2"', "b,x,3", "b,y,3"]) + end
    ann = read("cr.csv", table)
    assert rows(ann) == [("a", "x", f"1{inside}2"), ("a", "y", f"1{inside}2"), ("b", "x", "3"), ("b", "y", "3")]


def test_an_index_column_without_a_name_is_kept(read):
    assert read("index.csv", ",item,rater,label\n0,a,x,1\n1,a,y,2\n").extras == ("unnamed",)


def test_half_a_surrogate_pair_in_a_column_name(read):
    """The key of an export's other column: the database answered std::bad_cast."""
    lines = [
        {"text": "t", "_inp\ud800": 1, "_input_hash": 1, "_task_hash": 1, "_annotator_id": a, "accept": ["x"]}
        for a in "ab"
    ]
    with pytest.raises(DataError, match=r"column name .* is not valid Unicode text"):
        read("x.jsonl", "\n".join(map(json.dumps, lines)))


def test_scans_that_contradict_each_other_are_an_error(read):
    """The statistics in a damaged Parquet file make the database skip rows: one scan finds labels, the next does
    not.
    """
    import numpy as np

    from raters.io.labels.sizes import sizes_and_patterns

    ann = read("x.csv", HEAD + BODY)
    assert sizes_and_patterns(ann.engine, 4, True, ann.keys)[0]["n_items"] == 2
    with pytest.raises(DataError, match="damaged: one scan found 5 labels in it and another 4"):
        sizes_and_patterns(ann.engine, 5, True, ann.keys)
    with pytest.raises(DataError, match="damaged: one scan found 4 labels in it and another 0"):
        sizes_and_patterns(ann.engine, 4, True, np.array([7.0]))


def test_a_parquet_column_whose_name_is_not_text(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql("SELECT 'a' AS item, 'b' AS rater, 'c' AS labzzel").write_parquet(str(path))
    path.write_bytes(path.read_bytes().replace(b"labzzel", b"lab\xff\xfeel"))
    with pytest.raises(DataError, match=r"a\.parquet: "):
        raters.read(path)


def test_two_readers_that_finish_in_any_order_leave_pythons_limit_as_it_was() -> None:
    before = csv.field_size_limit()
    first, second = limited(), limited()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert csv.field_size_limit() == LIMIT  # the second still reads
    second.__exit__(None, None, None)
    assert csv.field_size_limit() == before


def test_an_object_nested_fifty_thousand_deep(tmp_path):
    """One line that says so, not Python's RecursionError."""
    path = tmp_path / "deep.json"
    path.write_text('{"a":' * 50_000 + "1" + "}" * 50_000)
    with pytest.raises(raters.DataError, match="nested"):
        raters.read(path)
