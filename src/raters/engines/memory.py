"""How much memory the database may use, which is the user's limit for a table."""

from __future__ import annotations

from raters.engines.duckdb import SIZE, connect


def memory_limit() -> float:
    """The limit in bytes: as set by ``memory=``, otherwise most of the machine's memory."""
    with connect() as connection:
        said = str(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
    found = SIZE.fullmatch(said)
    if found is None:
        return float("inf")
    unit = found.group(2).upper()
    base = 1024.0 if "I" in unit else 1000.0
    return float(float(found.group(1)) * base ** (1 + "KMGT".index(unit[0])))
