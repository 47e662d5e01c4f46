"""SQL text is quoted in ``engines/`` alone: elsewhere by ``engine.text`` and ``engine.quote``, which know the database."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src" / "raters"
QUOTES = ("''", "``", "\\'", "', '")
"""What takes the place of a quote, or joins texts, where SQL is quoted by hand."""


def by_hand(path: Path) -> list[str]:
    """Where a file doubles or escapes quotes."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [n for n in tree if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    quoting = [
        n for n in found if n.func.attr in ("replace", "join") and any(_in_quotes(x) for x in (n.func.value, *n.args))
    ]
    return [f"{path.relative_to(ROOT)}:{n.lineno}" for n in quoting]


def _in_quotes(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in QUOTES


def test_sql_text_is_quoted_in_engines_alone() -> None:
    files = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "engines"]
    assert not [place for path in files for place in by_hand(path)]
    assert by_hand(ROOT / "engines" / "duckdb.py")  # the rule sees what it forbids
