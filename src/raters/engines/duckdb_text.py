"""SQL as text: what kind of values a DuckDB column holds, and views without the numbers of rows."""

import re

KINDS = {
    "BOOLEAN": "bool",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "int"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"), "big"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
}
ROW = re.compile(r"\brow\b")
NUMBERED = "row_number() OVER () AS row"
"""Rows are numbered so that the first of several labels of a rater is known. A filter cannot be moved below that, to where a file is read."""
NESTED = ("STRUCT", "MAP", "UNION", "LIST", "ARRAY", "JSON", "VARIANT")


def kind_of(type_name: str) -> str:
    """``bool int big float text nested`` for the name of a DuckDB type; big: whole numbers beyond 64 bits."""
    if type_name.endswith("]") or type_name.startswith(NESTED):
        return "nested"
    return "float" if type_name.startswith("DECIMAL") else KINDS.get(type_name, "text")


def needs_rows(sql: str) -> bool:
    """Whether a query may use the numbers of rows: it names them, or takes all columns.

    >>> needs_rows("SELECT count(*) FROM annotations"), needs_rows("SELECT * FROM annotations")
    (False, True)
    """
    return bool(ROW.search(sql)) or "*" in sql.replace("count(*)", "")


def unnumbered(view: str) -> str:
    """A view without numbers of rows, if it only hands them on.

    >>> unnumbered("SELECT row, a FROM (SELECT row_number() OVER () AS row, * FROM source AS t(a)) AS s")
    'SELECT row, a FROM (SELECT 0 AS row, * FROM source AS t(a)) AS s'
    """
    handed_on = view.replace(NUMBERED, "").replace("SELECT row,", "")
    used = ROW.search(handed_on) or "DISTINCT" in view or "UNION" in view.replace("UNION ALL", "")
    return view if used else view.replace(NUMBERED, "0 AS row")
