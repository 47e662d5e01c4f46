"""Which module may import which: only those before it in the list, and the numerical core nothing but numpy and scipy."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "src" / "raters"
ORDER = (
    "errors", "plugins", "writing", "estimate", "sheet", "sets", "scales", "annotations", "matrix", "engines", "io", "simulate", "examples",
    "datasets", "items", "align", "coefficients", "inference", "measure", "agree", "banding", "comparing", "explaining",
    "reliability", "models", "judges", "reporting", "web", "cli",
)  # fmt: skip
"""From the bottom up. ``__init__`` holds the public names and may import any; nothing but its version comes from it."""
CORE = ("items", "coefficients", "inference", "reliability", "models")
EXTRAS = {"numpyro", "jax", "arviz", "pandas", "polars"}
"""What the core may import inside a function, where an extra was asked for."""

FILES = sorted(ROOT.rglob("*.py"))


def home(path: Path) -> str:
    """The module or package of a file, directly under raters."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(tree: ast.AST, top_level_only: bool = False) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import; those for type checkers aside."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if top_level_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            names = [f"{node.module}.{a.name}" for a in node.names] if node.module == "raters" else [str(node.module)]
            yield from ((node.lineno, name) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names)
        else:
            yield from imports(node, top_level_only)


def parsed(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_every_module_has_its_place():
    found = {home(path) for path in FILES} - {"__init__"}
    assert found <= set(ORDER), f"put {sorted(found - set(ORDER))} into ORDER, below all that import it"


def test_the_documentation_lists_the_layers_in_this_order():
    text = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.split("## Layers")[1].split("##")[0].splitlines() if line[:3] == "| `"]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    there = {home(path) for path in FILES} - {"__init__"}
    assert named == [name for name in ORDER if name in there]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_imports_only_from_those_before_it(path):
    me = home(path)
    if me == "__init__":
        return
    allowed = {*ORDER[: ORDER.index(me)], me}
    for line, name in imports(parsed(path)):
        if name == "raters" or name.startswith("raters."):
            other = name.split(".")[1] if "." in name else "__init__"
            assert other in allowed | {"__version__"}, (
                f"{path}:{line} imports raters.{other}, which is above raters.{me}"
            )


@pytest.mark.parametrize("path", [p for p in FILES if home(p) in CORE], ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_needs_numpy_and_scipy_only(path):
    known = {"raters", "numpy", "scipy", *sys.stdlib_module_names}
    for line, name in imports(parsed(path), top_level_only=True):
        assert name.split(".")[0] in known, f"{path}:{line} imports {name}"
    for line, name in imports(parsed(path)):
        assert name.split(".")[0] in known | EXTRAS, f"{path}:{line} imports {name}"


def test_the_checks_see_what_they_should():
    tree = ast.parse("from raters import cli\ndef f():\n    import duckdb\nif TYPE_CHECKING:\n    import pandas\n")
    assert [name for _, name in imports(tree)] == ["raters.cli", "duckdb"]
    assert [name for _, name in imports(tree, top_level_only=True)] == ["raters.cli"]


def test_only_renderers_and_the_command_line_print():
    for path in FILES:
        calls = [n for n in ast.walk(parsed(path)) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "print"]
        assert not calls, f"{path}:{calls[0].lineno} prints"
