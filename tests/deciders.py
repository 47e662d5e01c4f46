"""Where code reads a sentence to decide: comparisons and string methods on the text of a note, a reason or a title."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

METHODS = frozenset(
    [
        "startswith",
        "endswith",
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "replace",
        "removeprefix",
        "removesuffix",
        "find",
        "index",
        "count",
    ]
)
PATTERNS = frozenset(["match", "search", "sub", "findall", "fullmatch", "finditer"])
SENTENCES = frozenset(["warnings", "reason", "scale_reason", "recognised", "sentence", "title", "verdict", "answer"])
"""Attributes that hold sentences."""
WORDS = frozenset(["warning", "sentence", "reason", "title"])
"""Names that hold one."""


def holds_a_sentence(node: ast.AST) -> bool:
    """Whether an expression is the text of a note, a reason or a title, or such a text out of several."""
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCES
    if isinstance(node, ast.Name):
        return node.id in WORDS
    if isinstance(node, ast.Subscript):
        return holds_a_sentence(node.value)
    if isinstance(node, ast.Call):  # str(note), and methods that give text again
        if isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            return isinstance(node.args[0], ast.Name) and node.args[0].id in {"note", "n", "w"}
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in {"lower", "strip", "casefold"}
            and (holds_a_sentence(node.func.value))
        )
    return False


def words(node: ast.AST) -> bool:
    """Whether this is text typed in the code, with more than nothing in it."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(words, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != ""


def deciders(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, expression) of every place that decides by a sentence."""
    for node in ast.walk(tree):
        found = False
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            found = any(map(holds_a_sentence, sides)) and (
                any(map(words, sides)) or any(isinstance(op, ast.In | ast.NotIn) for op in node.ops)
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_pattern = node.func.attr in PATTERNS and any(map(holds_a_sentence, node.args))
            found = of_pattern or (node.func.attr in METHODS and holds_a_sentence(node.func.value))
        elif isinstance(node, ast.Subscript):  # the last of several sentences, as "the reason"
            found = isinstance(node.value, ast.Attribute) and node.value.attr == "warnings"
        if found:
            yield node.lineno, ast.unparse(node)


def in_folder(root: Path) -> Iterator[tuple[str, int, str]]:
    """(file, line, expression) of every decider below a folder."""
    for path in sorted(root.rglob("*.py")):
        for line, text in deciders(ast.parse(path.read_text(encoding="utf-8"))):
            yield str(path.relative_to(root)), line, text
