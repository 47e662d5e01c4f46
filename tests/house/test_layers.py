"""Which module may import which: only those before it in the list, and the numerical core nothing but numpy and
scipy.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src" / "raters"
ORDER = (
    "public", "errors", "options", "plugins", "words", "notes", "writing", "charts", "estimate", "scales", "annotations", "spans.units", "engines",
    "io.table", "io.labels.numbers", "io.sources", "io.layouts.wide", "io.labels", "io.readings.names", "io.readings.profiles", "io.readings.likeness", "io.layouts.nested", "io.readings.grids", "io.readings.candidates",
    "io.readings.evidence", "io.readings.reading", "io.layouts", "io.readings",
    "io.exports", "io.fold_files", "io.write_long", "io.look", "io.read", "io.any_table", "simulate", "examples", "datasets",
    "items", "coefficients", "inference", "spans", "agree",
    "models.base.votes", "models.base.probabilities", "models.base.ties", "models.families", "models.base", "models.fitting", "models.uncertainty",
    "models.rater_quality.skill", "models.rater_quality.evidence", "models.rater_quality.pair_agreement", "models.rater_quality.camps", "models.held_out", "models.choosing", "models.checking.diagnostics", "models.rater_quality", "models.follow_up", "models.checking", "models",
    "reliability.variance", "reliability.sets", "reliability.krr", "reliability.xrr", "reliability.soft", "reliability.planning",
    "judges", "papers", "reporting", "reporting.sections", "reporting.report", "results", "sets", "web", "cli", "__main__",
)  # fmt: skip
"""From the bottom up; of two entries that fit a module the longer counts. ``raters/__init__`` holds the public names
and may import any; of it nothing is imported but the version."""
CORE = ("items", "coefficients", "inference", "reliability", "models")
EXTRAS = {"pandas", "polars", "sklearn"}
"""What the core may import inside a function, where an extra was asked for."""
BY_NAME = {"public.py", "cli/__init__.py", "options/option.py", "plugins.py"}
"""Files that may import what they are told by name: public names when first used, commands when called, registries of words, plug-ins."""

FILES = sorted(ROOT.rglob("*.py"))


def module(path: Path) -> str:
    """The dotted name of a file under raters, "" for raters itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path): path for path in FILES}


def home(name: str) -> str:
    """The entry of ``ORDER`` that a module belongs to."""
    fits = [entry for entry in ORDER if name == entry or name.startswith(entry + ".")]
    return max(fits, key=len, default=name)


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


def within(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every module of raters that a file imports."""
    for node in ast.walk(_without_type_checking(parsed(path))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "raters":
            base = str(node.module).partition(".")[2]
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                yield node.lineno, inner if inner in MODULES else base
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name.partition(".")[2]) for a in node.names if a.name.split(".")[0] == "raters")


def _without_type_checking(tree: ast.AST) -> ast.AST:
    class Drop(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | None:
            return None if "TYPE_CHECKING" in ast.dump(node.test) else self.generic_visit(node)

    return Drop().visit(tree)


def test_every_module_has_its_place():
    lost = {name for name in MODULES if name and home(name) not in ORDER} - {"io", "models", "reliability"}
    assert not lost, f"put {sorted(lost)} into ORDER, below all that import it"


def test_the_documentation_lists_the_layers_in_this_order():
    text = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[1] for line in text.split("## Layers")[1].split("\n## ")[0].splitlines() if line[:3] == "| `"
    ]
    named = [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]
    there = {home(name) for name in MODULES}
    assert named == [name for name in ORDER if name in there]


def imports_above(path):
    """The imports of a module from those that are not before it."""
    me = module(path)
    package = path.name == "__init__.py"
    allowed = {*ORDER[: ORDER.index(home(me))], home(me)} if home(me) in ORDER else set()
    for line, other in within(path):
        if not other:  # raters itself: its version
            continue
        if package and (other == me or other.startswith(me + ".")):
            continue  # a package may show what it holds
        if home(other) not in allowed:
            yield f"{path}:{line} imports raters.{other}, which is above raters.{me}"


def test_a_module_imports_only_from_those_before_it():
    assert not [fault for path in FILES if module(path) for fault in imports_above(path)]


def test_no_module_imports_itself_by_way_of_others():
    """Imports inside functions count: nothing is reached by a way round."""
    graph = {name: {other for _, other in within(path)} - {name, ""} for name, path in MODULES.items() if name}
    done: set[str] = set()

    def visit(name: str, road: tuple[str, ...]) -> None:
        assert name not in road, " -> ".join([*road[road.index(name) :], name])
        if name not in done:
            for other in sorted(graph.get(name, ())):
                visit(other, (*road, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_nothing_is_imported_by_its_name_as_text():
    for path in FILES:
        if str(path.relative_to(ROOT)) not in BY_NAME:
            text = path.read_text(encoding="utf-8")
            assert "import_module" not in text and "__import__" not in text, path


def test_no_package_shows_a_function_under_the_name_of_one_of_its_modules():
    for path in (p for p in FILES if p.name == "__init__.py"):
        inside = {p.stem for p in path.parent.iterdir() if p.suffix == ".py" or p.is_dir()}
        shown = {
            alias.asname or alias.name
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}".partition(".")[2] not in MODULES
        }
        assert not shown & inside, f"importing raters.{module(path)}.{min(shown & inside)} would yield a function"


def test_the_core_needs_numpy_and_scipy_only():
    known = {"raters", "numpy", "scipy", *sys.stdlib_module_names}
    for path in (p for p in FILES if module(p).split(".")[0] in CORE):
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
