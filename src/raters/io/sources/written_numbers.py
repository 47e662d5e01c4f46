"""Numbers as people write them in text files: decimal commas and percent signs are converted and reported."""

from __future__ import annotations

from raters.engines.duckdb import Connection
from raters.errors import listed
from raters.io.columns import rank
from raters.io.table import positions

WHOLE, COMMA, THOUSANDS = "[+-]?[0-9]+", "[+-]?[0-9]*,[0-9]+", "[+-]?[0-9]{1,3}(,[0-9]{3})+"
PERCENT = "[+-]?[0-9]*[.,]?[0-9]+ *%"


def as_plain_numbers(connection: Connection, names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of numbers with a decimal comma (3,5) or a percent sign are converted to plain numbers. 1,234 alone may mark thousands, so it is left unchanged."""
    places = with_signs(connection, positions(len(names)))
    if not places:
        return ()
    tests = ", ".join(
        part
        for c in places
        for part in (
            matching(c, COMMA),
            matching(c, THOUSANDS),
            f"count(*) FILTER (WHERE trim({c}) <> '' AND NOT ({full(c, WHOLE)} OR {full(c, COMMA)}))",
            matching(c, PERCENT),
            f"count(*) FILTER (WHERE trim({c}) <> '')",
        )
    )
    found = connection.execute(f"SELECT {tests} FROM source").fetchall()[0]
    if lists_of_people(connection, names):
        return ()
    notes, decimal = [], []
    seen = [found[5 * at : 5 * at + 5] for at in range(len(places))]
    clear = any(commas > thousands and not others for commas, thousands, others, _, _ in seen)
    for c, (commas, thousands, others, percent, filled) in zip(places, seen, strict=True):
        i = int(c[1:])
        if percent and percent == filled:
            plain(connection, c, "replace(trim(replace(trim({}), '%', '')), ',', '.')")
            notes.append(
                f"column {names[i]!r} holds percentages (such as 10%), which were read as the numbers before the sign"
            )
        elif (commas > thousands or (clear and commas)) and not others:  # one file writes its numbers in one way
            plain(connection, c, "replace(trim({}), ',', '.')")
            decimal.append(names[i])
        elif thousands and not others:
            notes.append(
                f"column {names[i]!r} has numbers such as 1,234, in which the comma may mark thousands or decimals, so they "
                "were read as text; remove the comma if they are numbers"
            )
    if decimal:
        have = f"column {decimal[0]!r} has" if len(decimal) == 1 else f"columns {listed(decimal, 4)} have"
        notes.insert(0, f"{have} decimal commas (such as 3,5), which were read as decimal points")
    return tuple(notes)


def with_signs(connection: Connection, places: list[str]) -> list[str]:
    """The columns with a comma or a percent sign in any cell: only these are examined."""
    tests = ", ".join(f"coalesce(bool_or(contains({c}, ',') OR contains({c}, '%')), false)" for c in places)
    found = connection.execute(f"SELECT {tests} FROM source").fetchall()[0]
    return [c for c, there in zip(places, found, strict=True) if there]


def lists_of_people(connection: Connection, names: tuple[str, ...]) -> bool:
    """Whether a column names several raters in a cell (Ann1,Ann2); then "0,1" next to it is two labels."""
    people = [f"contains(c{i}, ',')" for i, name in enumerate(names) if rank(name, "rater") is not None]
    return bool(people) and bool(
        connection.execute(f"SELECT count(*) FROM source WHERE {' OR '.join(people)}").fetchall()[0][0]
    )


def full(column: str, pattern: str) -> str:
    """SQL for whether the cell matches the pattern."""
    return f"regexp_full_match(trim({column}), '{pattern}')"


def matching(column: str, pattern: str) -> str:
    """SQL for the number of cells that match the pattern."""
    return f"count(*) FILTER (WHERE {full(column, pattern)})"


def plain(connection: Connection, column: str, made: str) -> None:
    """Rewrite a column."""
    connection.execute(f"UPDATE source SET {column} = {made.format(column)}")
