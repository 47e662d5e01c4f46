"""The order of modules inside ``raters.models``: nothing is imported from above, not even inside a function."""

import ast
from pathlib import Path

import pytest

import raters.models

ROOT = Path(raters.models.__file__).parent
ORDER = (
    "votes", "entropy", "draws", "families", "fitted_model", "fitting", "choosing", "uncertainty", "uses", "result", "one_task",
    "label_sets", "several_tasks", "fit_consensus", "classifier",
)  # fmt: skip
FAMILIES = ("probabilities", "task", "drawing", "spec", "matrix_size", "matching", "voting")
"""What families are made of, from the bottom up; then the families, then their registry."""
FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def inner(path: Path) -> list[str]:
    """Modules of ``raters.models`` that a file imports anywhere, as dotted names below it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{a.name}" for a in node.names]
            found += [name.removeprefix("raters.models.") for name in whole if name.startswith("raters.models.")]
            assert node.module != "raters.models", f"{path}:{node.lineno} imports from the package itself"
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_is_imported_from_above(path: Path) -> None:
    me = path.relative_to(ROOT).parts[0].removesuffix(".py")
    allowed = {*ORDER[: ORDER.index(me)], me}
    assert {name.split(".")[0] for name in inner(path)} <= allowed


@pytest.mark.parametrize("path", sorted((ROOT / "families").glob("*.py")), ids=lambda p: p.stem)
def test_a_family_knows_no_registry(path: Path) -> None:
    others = {name.split(".")[1] for name in inner(path) if name.startswith("families.")}
    if path.stem in FAMILIES:
        assert others <= set(FAMILIES[: FAMILIES.index(path.stem)])
    elif path.stem != "registry":
        assert "registry" not in others


def test_no_function_goes_by_the_name_of_a_module() -> None:
    for package in (ROOT, *(p for p in ROOT.iterdir() if (p / "__init__.py").exists())):
        names = {
            a.asname or a.name
            for node in ast.walk(ast.parse((package / "__init__.py").read_text()))
            if isinstance(node, ast.ImportFrom)
            for a in node.names
        }
        assert not names & {p.stem for p in package.iterdir()}
