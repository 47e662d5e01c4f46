"""Layouts with more in them than one label a row: each is read right, or refused with a command that then works."""

import openpyxl
import pytest
from made_layouts import ASKED, FILES, TONE, TOXIC, WHO, N, jsonl, text

import raters
from raters.errors import RatersError
from raters.io.table import SeveralQuestions
from raters.notes.note import typed

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")


def alpha(given, who=WHO):
    rows = [(i, name, given[j][i]) for j, name in enumerate(who) for i in range(N)]
    return raters.agreement(raters.read(rows, scale="nominal"), interval=None).value


@pytest.mark.parametrize("name", FILES)
def test_read_right_without_an_option(name, tmp_path):
    file, content = FILES[name]
    path = tmp_path / file
    path.write_text(content)
    ann = raters.read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 3, 3 * N), str(ann)
    assert raters.agreement(ann, interval=None).value == pytest.approx(alpha(TONE), abs=1e-12)


def test_labels_without_raters(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(jsonl({"id": i, "labels": [TONE[j][i] for j in range(3)]} for i in range(N)))
    ann = raters.read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 0, 3 * N) and "raters without names" in ann.recognised
    assert raters.agreement(ann, interval=None).value == pytest.approx(alpha(TONE))


@pytest.mark.parametrize("name", ASKED)
def test_several_questions_are_listed_and_each_can_be_read(name, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(ASKED[name])
    with pytest.raises(SeveralQuestions, match=r"contains 2 questions.*72 labels.*question=") as caught:
        raters.read(path)
    values = []
    for question in caught.value.questions:
        ann = raters.read(path, question=question)
        assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 3, 3 * N)
        assert ann.recognised or name == "a column for each question"  # whoever names the column is not told it
        values.append(raters.agreement(ann, interval=None).value)
    assert values == pytest.approx([alpha(TONE), alpha(TOXIC)])
    with pytest.raises(RatersError, match="no question 'other'"):
        raters.read(path, question="other")


def test_the_names_of_raters_are_theirs(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(ASKED["columns by question and rater"])
    ann = raters.read(path, question="harm")
    assert set(ann.engine.query("SELECT DISTINCT rater FROM annotations")["rater"]) == set(WHO)


def test_names_of_two_parts_that_tell_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        text(["id", "x_k", "x_m", "y_k", "y_m"], [[i, *(TONE[j % 3][(i + j) % N] for j in range(4))] for i in range(N)])
    )
    with pytest.raises(
        RatersError, match=r"does not look like a table of labels by several raters|Nothing was computed"
    ):
        raters.read(path)
    assert raters.read(path, rater="x_k,y_k").n_raters == 2


def test_marks_that_may_be_several(tmp_path):
    book = openpyxl.Workbook()
    for row in [
        ("ID", "Ann toxic", "Ann rude", "Bob toxic", "Bob rude"),
        *((i, *("x" if (i * k) % 3 == 0 else None for k in (1, 2, 5, 7))) for i in range(N)),
    ]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(SeveralQuestions, match=r"'toxic' .* 'rude'"):
        raters.read(tmp_path / "a.xlsx")
    with pytest.raises(RatersError, match=r"ticked nothing. Say what that means: keep='empty'"):
        raters.read(tmp_path / "a.xlsx", scale="sets", rater="Ann,Bob")
    kept = raters.read(tmp_path / "a.xlsx", scale="sets", rater="Ann,Bob", keep="empty")
    assert (kept.n_items, kept.n_raters, kept.members) == (N, 2, ("rude", "toxic"))
    assert kept.n_annotations == 2 * N
    gone = raters.read(tmp_path / "a.xlsx", scale="sets", rater="Ann,Bob", missing=[""])
    assert gone.n_annotations == sum(any((i * k) % 3 == 0 for k in ks) for i in range(N) for ks in ((1, 2), (5, 7)))


def test_a_square_table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",yes,no\nyes,20,5\nno,4,31\n")
    ann = raters.read(path)
    assert ann.layout == "contingency" and ann.n_items == 60 and "square table" in ann.recognised


def test_a_form_without_names_asks(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        text(
            ["Timestamp", *(f"Text {i}" for i in range(6))],
            [[f"2024/03/0{j + 1} 10:01:11", *TONE[j][:6]] for j in range(3)],
        )
    )
    with pytest.raises(RatersError, match=r"does not look like a table of labels by several raters"):
        raters.read(path)


def test_sets_in_a_wide_table_by_the_command_that_is_shown(tmp_path):
    path = tmp_path / "a.csv"
    cells = ["joy", "fear", "joy; fear", "awe"]
    path.write_text(text(["id", *WHO], [[i, *(cells[(i + j * (i % 5 == 0)) % 4] for j in range(3))] for i in range(N)]))
    with typed():
        note = next(str(n) for n in raters.read(path).notes if n.code == "several_labels_in_a_cell")
    assert "--scale sets --sep ';'" in note
    ann = raters.read(path, scale="sets", sep=";")
    assert ann.n_raters == 3 and ann.members == ("awe", "fear", "joy")


@pytest.mark.shared
def test_judges_beside_people_as_they_are(data_dir):
    ann = raters.read(data_dir / "judge-bench" / "dices" / "dices_350_crowdsourced.json.gz")
    assert (ann.n_items, ann.n_annotations, ann.n_raters) == (350, 43050, 0)
    assert raters.agreement(ann, interval=None).value == pytest.approx(0.1609, abs=5e-5)
