"""Workbooks, database files and files of statistics programs that are damaged, or were made to do harm."""

import io
import random
import sqlite3
import struct
import zipfile

import duckdb
import fuzz_inputs
import openpyxl
import pyarrow
import pyarrow.feather
import pytest

import raters
from raters.errors import DataError, UsageError
from raters.io.sources import other_files as databases
from raters.io.sources import workbooks
from raters.io.sources import workbooks as isolated

NAMES, ROWS = ["item", "rater", "label"], [[f"i{i}", f"r{j}", "yn"[i * j % 2]] for i in range(4) for j in range(3)]
SHEET = "xl/worksheets/sheet1.xml"


def book(tmp_path, member=SHEET, change=lambda xml: xml, kind="xlsx"):
    made = getattr(fuzz_inputs, kind)(NAMES, ROWS, random.Random(0))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = change(members[member])
    path = tmp_path / f"a.{kind}"
    path.write_bytes(fuzz_inputs.zipped(members))
    return path


@pytest.mark.parametrize("kind, member", [("xlsx", SHEET), ("ods", "content.xml")])
def test_entities_in_a_workbook_are_refused(tmp_path, kind, member):
    levels = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "x" * 99}">' for i in range(10))
    before = b'<?xml version="1.0"?>' + b"<!-- -->" * 1000 + f"<!DOCTYPE w [{levels}]>".encode()

    def laughing(xml):
        return before + xml.removeprefix(b'<?xml version="1.0"?>').replace(b"i0<", b"&a9;<", 1)

    with pytest.raises(DataError, match="declares a document type, which no spreadsheet program does"):
        raters.read(book(tmp_path, member, laughing, kind))


def test_a_cell_far_away_ends_neither_the_memory_nor_the_process(tmp_path, monkeypatch):
    path = book(tmp_path, change=lambda xml: xml.replace(b'r="C9"', b'r="XFD1048576"'))
    monkeypatch.setattr(isolated, "MEMORY", 1 << 28)
    with pytest.raises(DataError, match=r"a\.xlsx: needs more than 0 GiB of memory; a single cell far away"):
        raters.read(path)


def test_a_sheet_of_too_many_cells_says_how_many(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "CELLS", 30)
    with pytest.raises(DataError, match="sheet 'Sheet' spans 39 cells; the maximum is 30"):
        raters.read(book(tmp_path))


def test_a_workbook_that_unpacks_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "PACKED_SMALL", 1 << 16)
    path = book(tmp_path, change=lambda xml: xml.replace(b"</worksheet>", b" " * 5_000_000 + b"</worksheet>"))
    with pytest.raises(DataError, match=r"bytes unpack to more than .* the limit is 200 times its size"):
        raters.read(path)


def test_a_workbook_that_lies_about_its_size(tmp_path):
    path = book(tmp_path, change=lambda xml: xml.replace(b"</worksheet>", b" " * 100_000 + b"</worksheet>"))
    data = bytearray(path.read_bytes())
    name = SHEET.encode()
    data[data.rfind(name) - 22 : data.rfind(name) - 18] = struct.pack("<I", 1000)
    path.write_bytes(data)
    with pytest.raises(DataError, match="not a workbook that can be read"):
        raters.read(path)


def test_a_sheet_without_an_end_is_refused_at_once(tmp_path):
    """Its reader goes round for ever."""
    path = book(tmp_path, "content.xml", lambda xml: xml[: xml.rindex(b"<table:table-row>")], "ods")
    with pytest.raises(DataError, match=r"a\.ods: damaged: content\.xml in it has no end"):
        raters.read(path)
    spaced = book(tmp_path, "content.xml", lambda xml: xml + b"\n" * (3 << 20), "ods")
    assert raters.read(spaced).n_annotations == len(ROWS)


def test_a_reader_that_goes_round_for_ever_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "READ", "while True: pass")
    monkeypatch.setattr(isolated, "PATIENCE", 1)
    with pytest.raises(DataError, match=r"a\.xlsx: damaged, or too large: it could not be read in 1 s"):
        raters.read(book(tmp_path))


def test_the_reader_of_workbooks_may_die(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "READ", "import os; os.abort()")
    with pytest.raises(DataError, match=r"a\.xlsx: damaged, or not in the format that its name suggests"):
        raters.read(book(tmp_path))


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "a.duckdb"
    path.write_bytes(fuzz_inputs.duckdb(NAMES, ROWS * 100, random.Random(0)))
    return path


def test_a_damaged_duckdb_file_is_named(database):
    data = bytearray(database.read_bytes())
    block = data.index(b"i3")
    data[block : block + 4000] = b"\0" * 4000
    database.write_bytes(data)
    with pytest.raises(DataError, match=r"a\.duckdb: "):
        raters.read(database, duplicates="keep")


def test_views_of_a_duckdb_file_reach_nothing_else_and_run_only_when_named(tmp_path):
    path, other = tmp_path / "a.duckdb", tmp_path / "secret.csv"
    other.write_text("item,rater,label\na,b,c\n")
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{other}')")
    with pytest.raises(UsageError, match=r"no tables; choose one with sheet='NAME'.*\(and views: 'v'\)"):
        raters.read(path)
    with pytest.raises(DataError, match=r"a\.duckdb: "):
        raters.read(path, sheet="v")


def test_views_of_sqlite_run_only_when_named_and_not_without_end(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as made:
        made.execute(
            "CREATE VIEW v AS WITH RECURSIVE t(item) AS (SELECT 1 UNION ALL SELECT item + 1 FROM t) SELECT * FROM t"
        )
    made.close()
    with pytest.raises(UsageError, match=r"no tables.*views: 'v'"):
        raters.read(path)
    monkeypatch.setattr(databases, "MOST", 1000)
    with pytest.raises(DataError, match="more than 1,000 rows"):
        raters.read(path, sheet="v")


def test_arrow_with_offsets_that_point_elsewhere(tmp_path):
    path = tmp_path / "a.arrow"
    pyarrow.feather.write_feather(
        pyarrow.table({n: [r[j] for r in ROWS] for j, n in enumerate(NAMES)}), path, compression="uncompressed"
    )
    data = path.read_bytes()
    at = data.index(struct.pack("<3i", 0, 2, 4))
    path.write_bytes(data[: at + 8] + struct.pack("<i", 1 << 30) + data[at + 12 :])
    with pytest.raises(DataError, match="not an Arrow file that can be read"):
        raters.read(path)


@pytest.fixture
def spss(tmp_path):
    pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")

    def made(texts, measure="nominal"):
        frame = pandas.DataFrame([(i, j, (i + i * j) % 4 + 1) for i in range(8) for j in range(3)], columns=NAMES)
        path = tmp_path / "a.sav"
        pyreadstat.write_sav(
            frame, str(path), variable_value_labels={"label": texts}, variable_measure={"label": measure}
        )
        return path

    return made


def test_values_of_spss_with_one_text_stay_apart(spss):
    found = raters.read(spss({1: "yes", 2: "yes", 3: "no", 4: "other"}))
    assert found.labels == ("no", "other", "yes (1)", "yes (2)")


def test_values_of_spss_that_are_labelled_in_part_stay_numbers(spss):
    with pytest.warns(UserWarning, match="ordinal"):
        found = raters.read(spss({1: "not at all", 4: "very much"}))
    assert found.labels == (1, 2, 3, 4)
    assert any("only some of its values have labels" in note for note in found.warnings)


def test_formulas_without_a_value_are_missing_labels(tmp_path):
    made = openpyxl.Workbook()
    for row in [NAMES, ["a", "r", "=1+1"], ["a", "s", "yes"], ["b", "r", "yes"]]:
        made.active.append(row)
    made.save(tmp_path / "a.xlsx")
    assert raters.read(tmp_path / "a.xlsx").dropped == {"missing label": 1}


def test_a_member_without_a_name(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(fuzz_inputs.zipped({"abc.json": b"[]", "folder/": b""}).replace(b"abc.json", b"\0bc.json"))
    with pytest.raises(DataError, match=r"a\.zip"):
        raters.read(path)
