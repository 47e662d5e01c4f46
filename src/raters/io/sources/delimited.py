"""Text with a separator: the header read here, the rows by DuckDB as text, broken rows found again by line."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import Connection, connect
from raters.errors import DataError, UsageError, brief
from raters.io.sources.local import Longest, literal
from raters.io.table import Table, positions, unique_names
from raters.locking import brief_folder

LIMIT = 1 << 20
"""Longest field, in characters. Longer ones come from a quote that was never closed, or from no table."""
SEPARATORS = ",;\t|"


def load(path: Path, name: str, sep: str | None, longest: Longest) -> Table:
    """Load a UTF-8 file into a table of text."""
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        raise UsageError(f"sep={sep!r}: give one character, such as ',' or ';'.")
    delimiter, header, blank = first_row(path, name, sep)
    names = unique_names(header, name)
    connection = connect()
    # DuckDB leaves out a last line that is longer than its buffer, and takes a blank first line for the header
    if blank or longest.length > LIMIT or not filled(connection, path, delimiter, len(names)):
        # DuckDB is strict where CSV is loose (mixed line ends): read it again slowly, and say which line is broken.
        with rewritten(path, name, delimiter, header) as (copy, rows):
            if not filled(connection, copy, ",", len(names), 64 * LIMIT):
                raise DataError(
                    f"{name}: a row cannot be read. Is this a table with {brief(delimiter)} between columns?"
                )
        if connection.execute("SELECT count(*) FROM source").fetchall() != [(rows,)]:
            raise DataError(f"{name}: a row is too long to be read.")
    if connection.execute("SELECT count(*) FROM source").fetchall() == [(0,)]:
        raise DataError(f"{name}: a header and no rows.")
    return Table(
        DuckDBEngine.from_loaded(connection), names, name, from_text=True, notes=decimal_commas(connection, names)
    )


def decimal_commas(connection: Connection, names: tuple[str, ...]) -> tuple[str, ...]:
    """Numbers written with a decimal comma (3,5) get a point, and it is said. 1,234 alone may be thousands: left as it is."""
    places = positions(len(names))
    whole, comma = "'[+-]?[0-9]+'", "'[+-]?[0-9]*,[0-9]+'"
    tests = ", ".join(
        f"count(*) FILTER (WHERE regexp_full_match(trim({c}), {comma})), "
        f"count(*) FILTER (WHERE regexp_full_match(trim({c}), '[+-]?[0-9]{{1,3}}(,[0-9]{{3}})+')), "
        f"count(*) FILTER (WHERE trim({c}) <> '' AND NOT regexp_full_match(trim({c}), {whole}) AND NOT regexp_full_match(trim({c}), {comma}))"
        for c in places
    )
    found = connection.execute(f"SELECT {tests} FROM source").fetchall()[0]
    at = [i for i in range(len(places)) if found[3 * i] > found[3 * i + 1] and not found[3 * i + 2]]
    for i in at:
        connection.execute(f"UPDATE source SET {places[i]} = replace(trim({places[i]}), ',', '.')")
    return tuple(f"column {names[i]!r} has decimal commas (such as 3,5), which were read as decimal points" for i in at)


def filled(connection: Connection, path: Path, delimiter: str, n: int, longest: int = LIMIT) -> bool:
    """Whether DuckDB can load the rows below the header."""
    try:
        fill(connection, path, delimiter, n, longest)
    except duckdb.Error:
        return False
    return True


def fill(connection: Connection, path: Path, delimiter: str, n: int, longest: int) -> None:
    """Load the rows below the header as they stand: no guessing of types, quotes, or dialect."""
    columns = "{" + ", ".join(f"'{c}': 'VARCHAR'" for c in positions(n)) + "}"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE source AS SELECT * FROM read_csv(?, auto_detect=false, header=true, delim=?, "
        f"quote='\"', escape='\"', columns={columns}, strict_mode=true, null_padding=false, ignore_errors=false, "
        f"max_line_size={longest}, compression='none', hive_partitioning=false)",
        [literal(path), delimiter],
    )


def first_row(path: Path, name: str, sep: str | None) -> tuple[str, list[str], bool]:
    """The separator, the names in the header, and whether blank lines stand above it."""
    with limited(), path.open(encoding="utf-8-sig", newline="") as file:
        blank = 0
        while (start := file.readline(LIMIT)) and not start.strip("\r\n"):
            blank += 1
        delimiter = sep or separator(start)
        try:
            header = next(csv.reader(chain([start], file), delimiter=delimiter), [])
        except csv.Error as error:
            raise DataError(f"{name}, line {blank + 1}: the header cannot be read ({problem(str(error))})") from None
    names = [text.strip() for text in header]
    if not any(names):
        raise DataError(f"{name}: no header in the first row. Name the columns there, such as item,rater,label.")
    return delimiter, [text or ("" if i == 1 else f"column {i}") for i, text in enumerate(names, 1)], blank > 0


def separator(line: str) -> str:
    """The separator that occurs most often in the header, outside quotes; a comma if there is none.

    >>> separator('item;rater;"a,b,c,d"')
    ';'
    """
    bare = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=bare.count)


@contextmanager
def limited() -> Iterator[None]:
    """Python's own limit on a field, which is global, set to ours for a while."""
    before = csv.field_size_limit(LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def rewritten(path: Path, name: str, delimiter: str, header: list[str]) -> Iterator[tuple[Path, int]]:
    """The same table written out strictly, and how many rows it has; one that is broken is an error that names its line."""
    with brief_folder() as folder:
        copy = folder.joinpath("copy.csv")
        rows = -1  # the header is not counted
        with (
            limited(),
            path.open(encoding="utf-8-sig", newline="") as file,
            copy.open("w", encoding="utf-8", newline="") as out,
        ):
            writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
            for row in checked_rows(file, name, delimiter, header):
                writer.writerow(row)
                rows += 1
        yield copy, rows


def checked_rows(file: Iterator[str], name: str, delimiter: str, header: list[str]) -> Iterator[list[str]]:
    """Rows with as many fields as the header."""
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{name}, line {line}: {problem(str(error))}") from None
        if row and len(row) != len(header):
            raise DataError(
                f"{name}, line {line}: {len(row)} field{'' if len(row) == 1 else 's'} where the header has {len(header)} "
                f"({brief(delimiter.join(row))}). Quote fields that contain {brief(delimiter)}, or mend the row."
            )
        if row:
            yield row
        line = reader.line_num + 1


def problem(message: str) -> str:
    """Python's csv errors in our words."""
    if "field larger" in message:
        return f"a field of more than {LIMIT:,} characters. Is a quote not closed, or this not a table?"
    if "unexpected end" in message:
        return 'a quote (") that is never closed'
    return f"the row cannot be read ({message})."
