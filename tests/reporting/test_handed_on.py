"""What people hand on: Word and Excel files that other programs open, the list for a meeting, and what a spreadsheet
makes of it.
"""

import io

import openpyxl
import pytest
from click.testing import CliRunner

import raters
from raters.agree.leave_out import leave_one_out
from raters.cli import cli
from raters.models.follow_up.sheets import read_answers
from raters.reporting.handed_on import PAPER_FILES, report_document, tables_of
from raters.reporting.meeting import DECISION, WRITERS, meeting
from raters.reporting.office import Heading, Sheet, document, workbook
from raters.reporting.paper_table import paper_table

docx = pytest.importorskip("docx")
EVIL = "=HYPERLINK(1)\x1b[2J\u202e<b>\ud800"


def opened(content):
    return openpyxl.load_workbook(io.BytesIO(content))


def test_no_cell_is_a_formula_and_text_stays():
    book = opened(workbook([Sheet("a/b", ["name", "n"], [("=1+1", 2), ("-2", 0.5), (EVIL, None), ("x" * 40_000, 1)])]))
    cells = [(c.value, c.data_type) for c in book.worksheets[0]["A"][1:]]
    assert book.sheetnames == ["a b"] and cells[:2] == [("=1+1", "s"), ("-2", "s")]
    assert "\x1b" not in cells[2][0] and "\u202e" not in cells[2][0] and len(cells[3][0]) == 32_767
    assert [c.value for c in book.worksheets[0]["B"]] == ["n", 2, 0.5, None, 1]


def test_more_rows_than_a_sheet_holds_go_to_the_next():
    book = opened(workbook([Sheet("long", ["n"], [(i,) for i in range(7)]), Sheet("LONG", ["n"], [])], most=4))
    assert book.sheetnames == ["long", "long (2)", "long (3)", "LONG (4)"]
    assert [c.value for name in book.sheetnames for c in book[name]["A"][1:]] == list(range(7))


def test_a_document_has_headings_and_tables():
    made = docx.Document(io.BytesIO(document([Heading("One"), EVIL, Sheet("t", ["a", "b"], [(EVIL, 1)])], "Title")))
    assert [p.text for p in made.paragraphs][:2] == ["Title", "One"] and made.tables[0].cell(1, 1).text == "1"
    assert made.tables[0].cell(1, 0).text.startswith("=HYPERLINK") and "\x1b" not in made.paragraphs[2].text


def test_the_table_of_a_paper(tmp_path):
    paper = paper_table(raters.examples.demo(), interval=None)
    assert opened(PAPER_FILES[".xlsx"](paper)).worksheets[0]["A1"].value == paper.head[0]
    table = docx.Document(io.BytesIO(PAPER_FILES[".docx"](paper))).tables[0]
    assert [c.text for c in table.rows[0].cells] == list(paper.head) and len(table.rows) == 1 + len(paper.rows)
    for ending, first in ((".pdf", b"%PDF"), (".png", b"\x89PNG"), (".svg", b"<svg")):
        assert PAPER_FILES[ending](paper).startswith(first)
    assert [row.name in PAPER_FILES[".svg"](paper).decode() for row in paper.rows] == [True] * len(paper.rows)
    with pytest.raises(raters.errors.UsageError, match="no figure to draw"):
        PAPER_FILES[".pdf"](paper_table(raters.examples.demo(), ["percent"], interval=None))
    (tmp_path / "x.csv").write_text(
        "item,rater,label\n" + "".join(f"{i},{r},{'ab'[i % 2]}\n" for i in range(6) for r in "xy")
    )
    done = CliRunner().invoke(cli, ["agree", str(tmp_path / "x.csv"), "--paper", "-o", str(tmp_path / "t.pptx")])
    assert done.exit_code == 2 and "ends in none of them" in done.output
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "x.csv"), "-o", str(tmp_path / "t.pptx")])
    assert done.exit_code == 2 and "has no known format" in done.output


def test_a_report_as_a_document_and_its_tables_as_a_workbook():
    made = raters.report(raters.examples.demo(), resamples=50)
    word = docx.Document(io.BytesIO(report_document(made)))
    assert any(p.style.name == "Heading 1" for p in word.paragraphs) and word.inline_shapes and word.tables
    assert len(opened(tables_of(made)).sheetnames) == sum(len(list(s.tables())) for s in made.sections)


@pytest.mark.parametrize("ending", WRITERS)
def test_the_list_for_a_meeting_has_only_items_on_which_people_differ(ending):
    ann = raters.examples.demo()
    sheet = meeting(ann)
    rows = ann.to_columns()
    given = {}
    for item, label in zip(rows["item"], rows["label"], strict=True):
        given.setdefault(item, set()).add(label)
    assert {row[0] for row in sheet.rows} == {item for item, labels in given.items() if len(labels) > 1}
    assert sheet.head[-5:] == ["ana", "ben", "chi", "dev", "eli"] and WRITERS[ending](meeting(ann, 3))


def test_decisions_are_read_back_as_gold_also_from_a_sheet_that_a_spreadsheet_saved(tmp_path):
    rows = [(i, who, (i + (who == "c") * (i % 2)) % 3) for i in range(9) for who in "abc"]
    ann = raters.read(rows, scale="nominal")
    path = tmp_path / "meeting.xlsx"
    path.write_bytes(WRITERS[".xlsx"](meeting(ann)))
    book = openpyxl.load_workbook(path)
    page = book.worksheets[0]
    at = [c.value for c in page[1]].index(DECISION) + 1
    page.cell(2, at).value = 1.0
    item = page.cell(2, 1).value
    book.save(path)
    c = raters.consensus(ann, "majority")
    assert read_answers(path, c) == {item: 1}
    (tmp_path / "m.csv").write_text(f"item;decision\n{item};2\n1;\n")
    assert read_answers(tmp_path / "m.csv", c) == {item: 2}


def test_the_figure_without_a_rater_is_that_of_the_table_without_the_rater():
    ann = raters.examples.demo()
    found = leave_one_out(ann, interval=None)
    rows = ann.to_columns()
    kept = [row for row in zip(rows["item"], rows["rater"], rows["label"], strict=True) if row[1] != "dev"]
    alone = raters.agreement(raters.read(kept, scale="nominal"), interval=None).value
    assert found["without dev"].value == pytest.approx(alone, abs=1e-12)
    assert found["without dev"].details["change"] == pytest.approx(alone - found["all raters"].value)
    assert found["all raters"].value == raters.agreement(ann, interval=None).value
