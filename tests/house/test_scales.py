"""What follows from a scale stands in its row (``raters.scales.scale``): code asks for a field, not for a name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from raters.scales import DISTANCES, SET_DISTANCES, SET_WEIGHTS, WEIGHTS, Scale

ROOT = Path(__file__).resolve().parents[2] / "src" / "raters"
NAMES = set(map(str, Scale))
OTHER_WORDS = {
    ("scales/comparison.py", "self.of == 'sets'"): "what weights compare: numbers, sets, or any labels",
    ("io/sources/other_files.py", "found['measure'].get(name) == 'ordinal'"): "the word of SPSS for a column",
    ("reporting/methods.py", "'sets' in there"): "a question of the report",
}
"""Comparisons with a word that is also the name of a scale. Charts are left out: Vega-Lite has its own scales."""
FILES = [p for p in sorted(ROOT.rglob("*.py")) if p.relative_to(ROOT).parts[0] != "charts"]


def words(node: ast.AST | None) -> set[str]:
    """Scales that an expression names: by a string, as a member, or inside a tuple, a list or a set."""
    if isinstance(node, ast.Constant):
        return {node.value} & NAMES if isinstance(node.value, str) else set()
    if isinstance(node, ast.Attribute):
        return {node.attr} & NAMES if isinstance(node.value, ast.Name) and node.value.id == "Scale" else set()
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return set().union(*map(words, node.elts))
    if isinstance(node, ast.Dict):
        return set().union(*map(words, node.keys))
    return set()


def decisions(tree: ast.AST) -> Iterator[ast.AST]:
    """Comparisons with a scale, collections of scales, and cases of a match."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            if any(words(side) for side in (node.left, *node.comparators)):
                yield node
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            if len(words(node)) > 1:
                yield node
        elif isinstance(node, ast.MatchValue) and words(node.value):
            yield node


def found() -> set[tuple[str, str]]:
    return {
        (path.relative_to(ROOT).as_posix(), ast.unparse(node))
        for path in FILES
        for node in decisions(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_nothing_decides_by_the_name_of_a_scale():
    more = found() - set(OTHER_WORDS)
    assert not more, f"ask for a field of the scale (raters.scales.scale), or give it one: {sorted(more)}"


def test_every_exception_is_still_there():
    assert set(OTHER_WORDS) <= found()


@pytest.mark.parametrize(
    "line",
    [
        "ann.scale == 'ordinal'",
        "ann.scale not in ('nominal', 'ordinal')",
        "ann.scale is Scale.sets",
        "{'interval': 'mean', 'ratio': 'mean'}[ann.scale]",
        "match ann.scale:\n    case 'sets': pass",
    ],
)
def test_what_is_refused(line):
    assert list(decisions(ast.parse(line)))


def test_outside_a_scale_is_its_name():
    assert Scale.ordinal == "ordinal" and f"{Scale.ordinal}, {Scale.ordinal!r}" == "ordinal, 'ordinal'"


@pytest.mark.parametrize("scale", Scale)
def test_a_row_names_what_there_is(scale):
    assert scale.distance is None or scale.distance in (SET_DISTANCES if scale.of_sets else DISTANCES)
    assert scale.weights is None or scale.weights in (SET_WEIGHTS if scale.of_sets else WEIGHTS)
    assert scale.ordered or scale.distance is not None
    assert {name for name in vars(scale) if not name.startswith("_")} == set(Scale.__annotations__)
