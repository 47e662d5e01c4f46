"""Files for the fuzzer: tables in every format that can be read, written right, and accidents that happen to them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ODD = ["", " ", "\r", "\n", "\t", '"', "'", "=1+1", "\x1b[2J", "\u202e", "é", "\u2028", "a,b", "*", "$", "NaN", "nan", "null", "1e999",
       "-0", "007", "9" * 25, "9" * 5000, "<b>", "\\", "{", "[", "]", "\ufeff", "\U0001f600", "x" * 3000, "0x10", "1_000", "\x7f", "\x00"]  # fmt: skip
NAMES = ["item", "rater", "label", "Item ID", "worker", "answer", "", "*", "row", "ITEM", "label ", "é", "\x1b", "a.b", "annotator"]  # fmt: skip
DAMAGE = (
    "none",
    "none",
    "none",
    "none",
    "flip",
    "cut",
    "insert",
    "repeat",
    "shuffle",
    "nul",
    "swap",
    "bytes",
    "encode",
)
INSERTED = [b'"', b"\r", b"\n\n", b",", b"{", b"}", b"\\", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"NaN", b"1e400", b"\x00", b"[" * 2000,
            b"<!DOCTYPE", b"&a;", b"1048576", b"-1"]  # fmt: skip

Row = list[object]


def table(rng: random.Random) -> tuple[list[str], list[Row]]:
    """Names and rows; most as people write them, some as nobody would."""
    odd = rng.random() < 0.5
    names = ["item", "rater", "label"]
    if odd and rng.random() < 0.3:
        names[rng.randrange(3)] = rng.choice(NAMES)
    names += rng.sample(NAMES, rng.choice([0, 0, 0, 1, 2]))

    def cell(column: int) -> object:
        if odd and rng.random() < 0.15:
            return rng.choice(ODD)
        if column == 2:
            return rng.choice([1, 2, 3]) if odd and rng.random() < 0.3 else rng.choice(["yes", "no", "maybe"])
        return f"{'ir'[column % 2]}{rng.randrange(8)}"

    return names, [[cell(j) for j in range(len(names))] for _ in range(rng.choice([0, 1, 2, 6, 20, 60]))]


def delimited(names: list[str], rows: list[Row], rng: random.Random, sep: str = "") -> bytes:
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=sep or rng.choice(",,;"),
        lineterminator=rng.choice(["\n", "\n", "\r\n", "\r"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer.writerow(names)
    writer.writerows(rows)
    return ("\n" * (rng.random() < 0.1) + out.getvalue()).encode("utf-8-sig" if rng.random() < 0.1 else "utf-8")


def jsonl(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    return "\n".join(json.dumps(o, ensure_ascii=rng.random() < 0.5) for o in objects).encode()


def json_shape(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    """A list of objects, as it is or under a key; or labels by item and rater."""
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    shape = rng.choice(["list", "list", "key"])
    return json.dumps(objects if shape == "list" else {"version": 1, "data": objects}).encode()


def texts(names: list[str], rows: list[Row]) -> dict[str, list[str]]:
    """Columns of text under names that differ."""
    lower = [name.lower() for name in names]
    unique = [f"{name}{j}" if lower.index(name.lower()) != j else name for j, name in enumerate(names)]
    return {name: [str(row[j]) for row in rows] for j, name in enumerate(unique)}


def parquet(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(texts(names, rows)), out)
    return out.getvalue()


def arrow(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.feather

    out = io.BytesIO()
    pyarrow.feather.write_feather(pa.table(texts(names, rows)), out)
    return out.getvalue()


def storable(cell: object) -> object:
    """What a cell of a spreadsheet can hold."""
    return "".join(c for c in cell if c >= " " or c in "\t\n\r") if isinstance(cell, str) else cell


def xlsx(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [names, *rows]:
        book.active.append([f"'{c}" if str(c).startswith("=") else storable(c) for c in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def ods(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    """A sheet of OpenDocument, by hand: text, numbers, and cells that are repeated."""
    from xml.sax.saxutils import escape

    def cell(value: object) -> str:
        if isinstance(value, int):
            return (
                '<table:table-cell office:value-type="float"'
                f' office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
            )
        text = escape(str(storable(value)))
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in [names, *rows])
    spaces = " ".join(f'xmlns:{x}="urn:oasis:names:tc:opendocument:xmlns:{x}:1.0"' for x in ("office", "table", "text"))
    content = (
        f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:spreadsheet><table:table'
        f' table:name="S">{lines}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    manifest = f'<?xml version="1.0"?><manifest:manifest {space}>{entry}</manifest:manifest>'
    members = {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}
    return zipped({name: text.encode() for name, text in members.items()})


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def by_path(ending: str, write: Callable[[str], None]) -> bytes:
    """What a library writes that only knows paths."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{ending}")
        write(str(path))
        return path.read_bytes()


def sqlite(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    columns = texts(names, rows)

    def write(path: str) -> None:
        with contextlib.closing(sqlite3.connect(path)) as held:
            held.execute(f"CREATE TABLE t ({', '.join(quoted(c) for c in columns)})")
            held.executemany(
                f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", list(zip(*columns.values(), strict=True))
            )
            held.commit()

    return by_path("sqlite", write)


def duckdb(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
    import duckdb as engine

    columns = texts(names, rows)

    def write(path: str) -> None:
        with engine.connect(path) as held:
            held.execute(f"CREATE TABLE t ({', '.join(f'{quoted(c)} VARCHAR' for c in columns)})")
            if rows:
                held.executemany(
                    f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", list(zip(*columns.values(), strict=True))
                )

    return by_path("duckdb", write)


def quoted(name: str) -> str:
    return '"' + (name.replace('"', '""').replace("\0", "") or "c") + '"'


def statistics(writer: str, ending: str) -> Callable[[list[str], list[Row], random.Random], bytes]:
    """Files of SPSS and Stata; their names are letters and digits."""

    def write_it(names: list[str], rows: list[Row], rng: random.Random) -> bytes:
        import pandas
        import pyreadstat

        columns = {
            f"c{''.join(c for c in n if c.isalnum() and c.isascii())}" if not n.isalpha() else n: v
            for n, v in texts(names, rows).items()
        }
        frame = pandas.DataFrame({n: [str(storable(c))[:200] for c in v] for n, v in columns.items()}, dtype=object)
        return by_path(ending, lambda path: getattr(pyreadstat, writer)(frame, path))

    return write_it


Write = Callable[[list[str], list[Row], random.Random], bytes]
WRITERS: dict[str, Write] = {
    "csv": delimited, "tsv": lambda n, r, g: delimited(n, r, g, "\t"), "jsonl": jsonl, "json": json_shape, "parquet": parquet,
    "arrow": arrow, "xlsx": xlsx, "ods": ods, "sqlite": sqlite, "duckdb": duckdb,
    "sav": statistics("write_sav", "sav"), "dta": statistics("write_dta", "dta"),
}  # fmt: skip
"""A format by its ending -> its bytes."""
FORMATS = (*("csv", "csv", "tsv", "jsonl", "jsonl", "json", "json", "parquet", "csv.gz", "jsonl.gz", "parquet.gz") * 2,
           "arrow", "xlsx", "xlsx", "ods", "sqlite", "duckdb", "sav", "dta")  # fmt: skip
EXACT = ("csv", "tsv", "jsonl", "json", "parquet", "arrow")
"""Formats whose writers keep every row and cell as it was given."""


def repacked(content: bytes, how: str, rng: random.Random) -> bytes:
    """A zip with damage inside one of its members, and whole outside."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    members[name] = damaged(members[name], how, rng)
    return zipped(members)


def damaged(content: bytes, how: str, rng: random.Random) -> bytes:
    """The same bytes after an accident."""
    data = bytearray(content)
    at = rng.randrange(len(data) + 1)
    if how == "flip" and data:
        for _ in range(rng.choice([1, 1, 5])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "cut":
        data = data[:at]
    elif how == "insert":
        data[at:at] = rng.choice(INSERTED)
    elif how == "repeat":
        data[at:at] = data[at : at + rng.choice([5, 50])] * rng.choice([1, 3])
    elif how == "shuffle":
        lines = bytes(data).split(b"\n")
        rng.shuffle(lines)
        data = bytearray(b"\n".join(lines))
    elif how == "nul":
        data[at : at + 3] = b"\x00" * 3
    elif how == "swap":
        data = data[at:] + data[:at]
    elif how == "bytes":
        data = bytearray(rng.randbytes(rng.choice([1, 10, 500])))
    elif how == "encode":
        with contextlib.suppress(UnicodeError):
            data = bytearray(
                content.decode().encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"]))
            )
    return bytes(data)
