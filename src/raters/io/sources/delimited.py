"""Text with a separator: the header is read here, the rows by DuckDB as text, and broken rows are located by line."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from threading import Lock

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.base import hexadecimal
from raters.engines.duckdb import Connection, connect
from raters.engines.guards import machine
from raters.errors import DataError, UsageError, brief
from raters.io.labels.numbers import as_plain_numbers
from raters.io.sources.header import SAMPLE, Header, find_header
from raters.io.sources.local import Longest, literal
from raters.io.table import Table, few_columns, positions, told_apart, unique_names
from raters.notes.note import Note
from raters.writing import brief_folder

LIMIT = 1 << 20
"""Longest field, in characters. A longer one comes from an unclosed quote, or from a file that is not a table."""
_lock = Lock()
_readers, _before = 0, 0


@contextmanager
def limited() -> Iterator[None]:
    """Replace Python's limit with ours until the last of our readers has finished, in whatever order they do."""
    global _readers, _before
    with _lock:
        found = csv.field_size_limit(LIMIT)
        _before = _before if _readers else found
        _readers += 1
    try:
        yield
    finally:
        with _lock:
            _readers -= 1
            if not _readers:
                csv.field_size_limit(_before)


SEPARATORS = ",;\t|"


def load(
    path: Path, name: str, delimiter: str | None, longest: Longest, header: int | None = None, skip: int = 0
) -> Table:
    """Load a UTF-8 file into a table of text."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise UsageError(f"delimiter={delimiter!r}: give one character, such as ',' or ';'.")
    delimiter, found, plain = first_rows(path, name, delimiter, header, skip)
    names = unique_names(told_apart(found.names), name)
    connection = connect()
    bare = delimiter == "\t" and _bare_quotes(path, name, found)
    # DuckDB leaves out a last line that is longer than its buffer, and takes a blank first line for the header
    if bare or not plain or longest.length > LIMIT or not filled(connection, path, name, delimiter, len(names)):
        # DuckDB is strict where CSV is loose (mixed line ends): read it again slowly, and say which line is broken.
        with rewritten(path, name, delimiter, found, bare) as (copy, rows):
            if not filled(connection, copy, name, ",", len(names), 64 * LIMIT):
                raise DataError(
                    f"{name}: a row cannot be read. Is this a table with {brief(delimiter)} between columns?"
                )
        if connection.execute("SELECT count(*) FROM source").fetchall() != [(rows,)]:
            raise DataError(f"{name}: a row is too long to be read.")
    again = headers_left_out(connection, found.names)
    if connection.execute("SELECT count(*) FROM source").fetchall() == [(0,)]:
        raise DataError(f"{name}: the file has a header but no rows.")
    signs = longest.marks & {"%", '"' if delimiter == "," else ","}  # a comma within a field is in quotes
    numbers = as_plain_numbers(connection, names) if signs else ()
    notes = (*longest.notes, *found.notes, *((Note("quotes_are_text"),) if bare else ()), *again, *numbers)
    return Table(DuckDBEngine.from_loaded(connection), names, name, from_text=True, notes=notes)


def headers_left_out(connection: Connection, names: Sequence[str]) -> tuple[Note, ...]:
    """Omit rows that repeat the header, as in files that were concatenated, and add a note."""
    if len(names) < 2:
        return ()
    own = [name.strip() for name in names]
    maybe = " AND ".join(may_be(f"c{i}", name) for i, name in enumerate(own))
    if not connection.execute(f"SELECT 1 FROM source WHERE {maybe} LIMIT 1").fetchall():
        return ()
    same = " AND ".join(f"trim(ltrim(c{i}, chr(65279))) = ?" for i in range(len(names)))
    rows = connection.execute(f"DELETE FROM source WHERE {same}", own).fetchall()
    n = int(rows[0][0])
    return (Note("header_repeated", {"n": n}),) if n else ()


def may_be(column: str, name: str) -> str:
    """SQL for whether a cell may be a name with spaces or a byte order mark around it, in ranges only.

    Blocks of rows whose smallest and largest cells are outside the ranges are not read: in most files, none is.
    """
    own = f"decode(unhex('{hexadecimal(name)}'))"
    after = f"{column} >= {own} || chr(128) AND {column} <= {own} || chr(1114111)"
    return f"(({column} >= {own} AND {column} < {own} || '!') OR ({after}) OR {column} < '!' OR {column} >= chr(128))"


def filled(connection: Connection, path: Path, name: str, delimiter: str, n: int, longest: int = LIMIT) -> bool:
    """Whether DuckDB can load the rows below the header."""
    try:
        fill(connection, path, delimiter, n, longest)
    except duckdb.Error as error:
        machine(error, name)
        return False
    return True


def fill(connection: Connection, path: Path, delimiter: str, n: int, longest: int) -> None:
    """Load the rows below the header without guessing types, quotes, or dialect."""
    columns = "{" + ", ".join(f"'{c}': 'VARCHAR'" for c in positions(n)) + "}"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE source AS SELECT * FROM read_csv(?, auto_detect=false, header=true, delim=?, "
        f"quote='\"', escape='\"', columns={columns}, strict_mode=true, null_padding=false, ignore_errors=false, "
        f"max_line_size={longest}, compression='none', hive_partitioning=false)",
        [literal(path), delimiter],
    )


def first_rows(path: Path, name: str, given: str | None, asked: int | None, skip: int) -> tuple[str, Header, bool]:
    """The separator, the header, and whether it is simply the first line of the file."""
    with limited(), path.open(encoding="utf-8-sig", newline="") as file:
        blank, lines = 0, []
        while (start := file.readline(LIMIT)) and not start.strip("\r\n"):
            blank += 1
        lines = [start, *(line for line in islice(iter(lambda: file.readline(LIMIT), ""), 30))]
        delimiter = given or separator_of(lines[skip:] or lines)
        reader = csv.reader(chain(lines, file), delimiter=delimiter)
        rows: list[list[str]] = []
        try:
            while len(rows) <= SAMPLE and (row := next(reader, None)) is not None:
                few_columns(len(row), name)
                rows += [row] if any(cell.strip() for cell in row) else []
        except csv.Error as error:
            if not rows:  # below the header, the row is read again and its line is named
                raise DataError(
                    f"{name}, line {blank + 1}: the header cannot be read ({problem(str(error))})"
                ) from None
    if not rows or not any(cell.strip() for cell in rows[0]):
        raise DataError(f"{name}: no header in the first row. Name the columns there, such as item,rater,label.")
    found = find_header(rows, asked, skip)
    return delimiter, found, not blank and found.above == 1 and not found.notes


def separator_of(lines: Sequence[str]) -> str:
    """The separator in the first lines of a table: that of the header, or of the line after a title; spaces if all
    lines have the same number.
    """
    first = next((line for line in lines if any(mark in line for mark in SEPARATORS)), lines[0])
    found = separator(first)
    if found in first:
        return found
    spaces = {line.strip().count(" ") for line in lines if line.strip()}
    return " " if len(spaces) == 1 and spaces != {0} and len(lines) > 2 else found


def separator(line: str) -> str:
    """The separator that occurs most often in the header, outside quotes; a comma if there is none.

    >>> separator('item;rater;"a,b,c,d"')
    ';'
    """
    bare = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=bare.count)


@contextmanager
def rewritten(path: Path, name: str, delimiter: str, header: Header, bare: bool = False) -> Iterator[tuple[Path, int]]:
    """The same table written out strictly, and the number of its rows; a broken row is an error that names its line."""
    with brief_folder() as folder:
        copy = folder.joinpath("copy.csv")
        rows = 0
        with (
            limited(),
            path.open(encoding="utf-8-sig", newline="") as file,
            copy.open("w", encoding="utf-8", newline="") as out,
        ):
            writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(header.names)
            for row in checked_rows(file, name, delimiter, header, bare):
                writer.writerow(row)
                rows += 1
        yield copy, rows


def _bare_quotes(path: Path, name: str, header: Header) -> bool:
    """Whether quotes in a file with tabs are plain text: with quoting the file cannot be read, and without it every
    line has the right length.
    """
    with limited(), path.open(encoding="utf-8-sig", newline="") as file:
        if not any('"' in line for line in iter(lambda: file.readline(LIMIT), "")):
            return False
    for bare in (False, True):
        try:
            with limited(), path.open(encoding="utf-8-sig", newline="") as file:
                for _ in checked_rows(file, name, "\t", header, bare):
                    pass
        except DataError:
            continue
        return bare
    return False


def checked_rows(
    file: Iterator[str], name: str, delimiter: str, header: Header, bare: bool = False
) -> Iterator[list[str]]:
    """Rows below the header, with as many fields as it has; ``bare``: quotes are text."""
    reader = csv.reader(file, delimiter=delimiter, strict=True, quoting=csv.QUOTE_NONE if bare else csv.QUOTE_MINIMAL)
    line, above, width = 1, header.above, len(header.names)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{name}, line {line}: {problem(str(error))}") from None
        if above:
            above -= any(cell.strip() for cell in row)
        elif row and len(row) != width:
            raise DataError(
                f"{name}, line {line}: {len(row)} field{'' if len(row) == 1 else 's'} where the header has {width} "
                f"({brief(delimiter.join(row))}). Quote fields that contain {brief(delimiter)}, or correct the row."
            )
        elif row:
            yield row
        line = reader.line_num + 1


def problem(message: str) -> str:
    """Python's csv errors, reworded."""
    if "field larger" in message:
        return f"a field of more than {LIMIT:,} characters. A quote may not be closed, or the file may not be a table."
    if "unexpected end" in message:
        return 'a quote (") that is never closed'
    return f"the row cannot be read ({message})."
