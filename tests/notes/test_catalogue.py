"""Notes and their catalogue: every sentence can be worded, every note is in it, and a committed file holds the words.

``python tests/notes/test_catalogue.py`` writes that file again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import raters
from raters.notes.figures import FIGURES
from raters.notes.judges import JUDGES
from raters.notes.models import MODELS
from raters.notes.note import CATALOGUE, OPTION, WORDS, Note, typed
from raters.notes.reading import READING
from raters.notes.spans import SPANS

SOURCE = Path(raters.__file__).parent
WRITTEN = Path(__file__).parent / "catalogue.txt"
LISTS: dict[str, Any] = {"listed": ["a", "b"], "groups": [["a", "A"], ["b", "B"]], "pairs": [("a", "b", 3)],
                         "each": {"a": 0.5}}  # fmt: skip
"""Facts of the forms that show lists; ``listed 4`` shows up to four."""
COUNTED = re.compile(r"(?!quoted|listed|groups|pairs|each)[a-z][a-z -]+|.*[|].*")
"""A number with its noun, or one of two words."""
ELSEWHERE = {"text", "refused"}
"""Codes that ``notes.note`` gives to a sentence from elsewhere."""
ADDED = {"not_tried_too_large": {"models", "n"}, "not_tried_too_slow": {"models", "n"},
         "not_tried_too_few_labels": {"models", "n"}}  # fmt: skip
"""Facts that a note gets when it is joined with others of its code."""


def fields(text: str) -> dict[str, set[str]]:
    """The facts that a template names, each with the forms in which it is shown; in options, too."""
    found: dict[str, set[str]] = {}
    inside = [value for _, value in OPTION.findall(text) if value]
    for part in (OPTION.sub("", text), *inside):
        for _, name, form, _ in WORDS.parse(part):
            if name is not None:
                found.setdefault(name.split("[")[0], set()).add(("[]" if "[" in name else "") + (form or ""))
    return found


class Symbol(str):
    """A fact without quotes, whatever shows it."""

    def __repr__(self) -> str:
        return str(self)


def example(name: str, forms: set[str], n: int) -> Any:
    """A fact that can be shown in these forms: its own name, or ``n``."""
    for form in forms:
        if form.split(" ")[0] in LISTS:
            return LISTS[form.split(" ")[0]]
    plain = {form.removeprefix("[]") for form in forms}
    one = name if "quoted" in plain else Symbol(name) if plain == {""} else n
    return [one, one] if any(form.startswith("[]") for form in forms) else one


def sentences(code: str) -> list[str]:
    """The note with several and with one of what it counts, in Python and as one types it."""
    named, found = fields(CATALOGUE[code].text), []
    counts = any(COUNTED.fullmatch(form) for forms in named.values() for form in forms)
    for n in (3, 1) if counts else (3,):
        facts = {name: example(name, forms, n) for name, forms in named.items()}
        with typed():
            asked = str(Note(code, facts))
        found += [str(Note(code, facts)), asked]
    return list(dict.fromkeys(found))


def catalogue() -> str:
    parts = (
        f"{code} ({CATALOGUE[code].level})\n" + "".join(f"    {said}\n" for said in sentences(code))
        for code in sorted(CATALOGUE)
    )
    return "".join(parts)


class Made(NamedTuple):
    """A note that the source makes."""

    place: str
    codes: tuple[str, ...]
    """Its code, or those between which it chooses; empty if it comes from elsewhere."""
    facts: frozenset[str] | None
    """The names of its facts; None if they are those of another note."""


def made() -> Iterator[Made]:
    """Every ``Note(...)`` of the source."""
    for path, tree in modules():
        for scope in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Module)):
            for node in own(scope):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note":
                    facts = keys(node.args[1], scope) if len(node.args) > 1 else frozenset()
                    yield Made(f"{path}:{node.lineno}", literals(node.args[0]), facts)


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """The source without the notes themselves."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent.name != "notes"]
    return tuple((str(path.relative_to(SOURCE)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


def own(scope: ast.AST) -> Iterator[ast.AST]:
    """What a function or a module holds, without the functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef):
            yield from own(child)


def literals(node: ast.expr) -> tuple[str, ...]:
    if isinstance(node, ast.IfExp):
        return (*literals(node.body), *literals(node.orelse))
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def keys(node: ast.expr, scope: ast.AST) -> frozenset[str] | None:
    """The keys of a dict that is written out, here or under a name of the same function."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return together(keys(node.left, scope), keys(node.right, scope))
    if isinstance(node, ast.Dict):
        each = (
            keys(value, scope) if key is None else frozenset(literals(key)) or None
            for key, value in zip(node.keys, node.values, strict=True)
        )
        return together(*each)
    if isinstance(node, ast.Name):
        named = [
            n.value
            for n in own(scope)
            if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in n.targets)
        ]
        return keys(named[0], scope) if len(named) == 1 else None
    return None


def together(*found: frozenset[str] | None) -> frozenset[str] | None:
    return None if any(one is None for one in found) else frozenset(name for one in found for name in one or ())


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_sentence_can_be_worded_in_both_languages(code: str) -> None:
    said = sentences(code)
    assert said and not any(re.search(r"(?<!\.\.)\.$| $", text) for text in said)


def test_every_note_has_a_code_of_the_catalogue_and_the_facts_of_its_sentence() -> None:
    """A choice between two codes gives both the same facts: all that one or the other states."""
    wrong = []
    for note in made():
        named = [set(fields(CATALOGUE[code].text)) - ADDED.get(code, set()) for code in note.codes if code in CATALOGUE]
        if len(named) < len(note.codes) or (named and note.facts is not None and note.facts != set().union(*named)):
            wrong.append(note)
    assert not wrong


def test_every_code_stands_in_one_file() -> None:
    assert len(CATALOGUE) == sum(map(len, (READING, SPANS, FIGURES, MODELS, JUDGES)))


def test_every_code_is_used() -> None:
    """It is written out somewhere, or begins and ends like an f-string that makes codes."""
    nodes = [node for _, tree in modules() for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    made_up = [node.args[0] for node in calls if getattr(node.func, "id", "") == "Note"]
    patterns = [
        "".join(re.escape(str(x.value)) if isinstance(x, ast.Constant) else ".+" for x in code.values)
        for code in made_up
        if isinstance(code, ast.JoinedStr)
    ]
    unused = CATALOGUE.keys() - ELSEWHERE - texts
    assert not {code for code in unused if not any(re.fullmatch(pattern, code) for pattern in patterns)}


def test_the_words_of_the_catalogue() -> None:
    told = "the words have changed; if that is meant: python tests/notes/test_catalogue.py"
    assert catalogue() == WRITTEN.read_text(encoding="utf-8"), told


if __name__ == "__main__":
    WRITTEN.write_text(catalogue(), encoding="utf-8")
