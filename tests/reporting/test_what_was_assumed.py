"""Every note of the catalogue that says what was assumed stands in the default output: length is not saved by hiding."""

from dataclasses import replace

import pytest

import raters
from raters import examples
from raters.notes.note import CATALOGUE, OPTION, WORDS, Note
from raters.reporting.answer import printed
from raters.reporting.table_answer import table_answer

LISTS = {"listed": ["a", "b"], "groups": [["a", "A"], ["b", "B"]], "pairs": [("a", "b", 3)], "each": {"a": 0.5}}
ASSUMED = [code for code in sorted(CATALOGUE) if CATALOGUE[code].level == "assumed"]


def example(code):
    """The note with facts that its sentence can show."""
    text = CATALOGUE[code].text
    facts = {}
    for part in (OPTION.sub("", text), *(value for _, value in OPTION.findall(text) if value)):
        for _, name, form, _ in WORDS.parse(part):
            if name is not None:
                kind = (form or "").split(" ")[0]
                plain = LISTS.get(kind, "name" if kind in ("", "quoted") else 3)
                facts[name.split("[")[0]] = [plain, plain] if "[" in name else plain
    return Note(code, facts)


@pytest.mark.parametrize("code", ASSUMED)
def test_it_is_printed(code):
    try:
        note = example(code)
        words = " ".join(str(note).split()).rstrip(".")[1:]
    except (TypeError, ValueError, AttributeError):
        pytest.fail(f"{code} cannot be worded with these facts")
    ann = examples.four_raters()
    e = raters.agreement(ann, interval=None)
    places = {
        "notes of the table": (replace(ann, notes=(note,)), [e]),
        "how it was read": (replace(ann, read_as=(note,)), [e]),
        "notes of a figure": (ann, [replace(e, notes=(note,))]),
        "notes of one of two figures": (ann, [e, replace(e, name="other", notes=(note,))]),
    }
    for place, (table, rows) in places.items():
        assert words in " ".join(printed(table_answer(table, rows)).split()), place
