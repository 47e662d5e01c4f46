"""No code decides by a sentence: what it needs to know is a code, a fact, or a field."""

import ast
from pathlib import Path

import pytest
from deciders import deciders, in_folder

ROOT = Path(__file__).resolve().parents[2] / "src" / "raters"
OF_OTHERS = {
    "engines/guards.py": "DuckDB's messages begin with the kind of error",
    "io/sources/json.py": "only DuckDB's message says at which byte a document breaks",
}
"""Files that read messages of other software."""


def test_no_code_reads_a_sentence_to_decide():
    found = [(file, line, text) for file, line, text in in_folder(ROOT) if file not in OF_OTHERS]
    assert not found, f"give the note a fact, or the result a field, and ask for that: {found}"


@pytest.mark.parametrize(
    "line",
    [
        "'too few' in e.warnings",
        "e.warnings[-1]",
        "str(note).startswith('column')",
        "ann.scale_reason == 'assumed'",
        "reason.split(': ')",
        "re.search('few', e.reason)",
        "sentence.replace('items', 'clusters')",
        "FEW_ITEMS in warning",
    ],
)
def test_such_lines_are_found(line):
    assert list(deciders(ast.parse(line)))
