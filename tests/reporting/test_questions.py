"""The registry of sections: one row a question, a function in the file of its name, a row in the documentation."""

from pathlib import Path

import pytest

import raters
from raters import examples
from raters.reporting.report import QUESTIONS

ROOT = Path(__file__).resolve().parents[2]


def test_the_report_has_the_questions_in_their_order():
    said = []
    made = raters.report(examples.demo(), resamples=50, progress=said.append)
    assert [(s.key, s.question) for s in made.sections] == [(q.key, q.question) for q in QUESTIONS]
    assert said == [q.stage for q in QUESTIONS]
    assert len({q.key for q in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.key)
def test_a_function_has_the_name_of_its_file_and_a_row_in_the_documentation(question):
    module, name = question.answer.__module__, question.answer.__name__
    assert module == f"raters.reporting.sections.{name}"
    assert f"| {question.question} |" in (ROOT / "docs" / "report.md").read_text(encoding="utf-8")


def test_every_section_is_in_the_registry():
    files = {p.stem for p in (ROOT / "src/raters/reporting/sections").glob("*.py")} - {"__init__"}
    assert files == {q.answer.__name__ for q in QUESTIONS}
