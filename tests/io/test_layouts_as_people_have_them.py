"""Layouts with more in them than one label a row: each is read right, or refused with a command that then works."""

import json

import openpyxl
import pytest

import raters
from raters.errors import RatersError
from raters.io.questions import SeveralQuestions

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
WORDS = ["no", "yes", "maybe"]
N, WHO = 24, ("ann", "bob", "cem")
TONE = [[WORDS[(i * 7 + (i % 5 == j) * (j + 1)) % 3] for i in range(N)] for j in range(3)]
TOXIC = [["safe" if (i * 3 + (i % 7 == j)) % 4 else "toxic" for i in range(N)] for j in range(3)]


def alpha(given, who=WHO):
    rows = [(i, name, given[j][i]) for j, name in enumerate(who) for i in range(N)]
    return raters.agreement(rows, scale="nominal", interval=None).value


def text(header, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in (header, *rows))


def jsonl(rows):
    return "\n".join(map(json.dumps, rows))


HOT = [f"{who}_{w}" for who in WHO for w in WORDS]
FILES = {
    "one-hot for each rater": ("a.csv", text(["id", *HOT], [[i, *(int(TONE[j][i] == w) for j in range(3) for w in WORDS)] for i in range(N)])),
    "one-hot, label first": ("a.csv", text(["id", *(f"{w}.{who}" for w in WORDS for who in WHO)], [[i, *("x" if TONE[j][i] == w else "" for w in WORDS for j in range(3))] for i in range(N)])),
    "a list of objects": ("a.jsonl", jsonl({"id": i, "text": f"t {i}", "annotations": [{"annotator": who, "label": TONE[j][i]} for j, who in enumerate(WHO)]} for i in range(N))),
    "objects by rater": ("a.json", json.dumps({"items": [{"id": i, "labels": {who: {"label": TONE[j][i], "seconds": 3} for j, who in enumerate(WHO)}} for i in range(N)]})),
    "lists beside a majority": ("a.jsonl", jsonl({"text": f"t {i}", "label": TONE[0][i], "annotator_labels": [TONE[j][i] for j in range(3)], "annotator_ids": list(WHO)} for i in range(N))),
    "columns in JSON": ("a.json", json.dumps({"id": list(range(N)), **{who: TONE[j] for j, who in enumerate(WHO)}})),
    "columns in JSON, as pandas writes them": ("a.json", json.dumps({who: {str(i): v for i, v in enumerate(TONE[j])} for j, who in enumerate(WHO)})),
    "a form": ("a.csv", text(["Timestamp", "Your name", *(f"Text {i}: what tone?" for i in range(N))], [[f"2024/03/0{j + 1} 10:01:11", who, *TONE[j]] for j, who in enumerate(WHO)])),
    "a form with addresses": ("a.csv", text(["Timestamp", "Email Address", *(f"Text {i}" for i in range(N))], [[f"2024/03/0{j + 1} 10:01:11", f"{who}@x.org", *TONE[j]] for j, who in enumerate(WHO)])),
    "totals below": ("a.csv", text(["doc", *WHO], [*([f"d{i}", *(TONE[j][i] for j in range(3))] for i in range(N)), ["Total", "", "", "7"], ["Agreement", ".5", "", ""]])),
    "no names at all": ("a.csv", text([0, "ann", TONE[0][0]], [[i, who, TONE[j][i]] for i in range(N) for j, who in enumerate(WHO)][1:])),
    "stimulus and participant": ("a.csv", text(["participant_id", "age", "stimulus", "ms", "rating"], [[who, 20 + j, f"s{i}", 400 + i * 7 + j, TONE[j][i]] for j, who in enumerate(WHO) for i in range(N)])),
    "first reader, second reader": ("a.csv", text(["Case No.", "First reader", "Second reader", "Third reader", "Adjudication", "Agree?"], [[i, *(TONE[j][i] for j in range(3)), "yes", "no"] for i in range(N)])),
}  # fmt: skip


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


BOTH = (TONE, TOXIC)
ASKED = {
    "columns by question and rater": text(["id", *(f"{q}_{who}" for who in WHO for q in ("tone", "harm"))], [[i, *(BOTH[k][j][i] for j in range(3) for k in range(2))] for i in range(N)]),
    "columns by rater and question": text(["id", *(f"R{j}.Q{k}" for j in range(3) for k in range(2))], [[i, *(BOTH[k][j][i] for j in range(3) for k in range(2))] for i in range(N)]),
    "two rows of names": text(["id", *("tone", "", "", "harm", "", "")], [["", *WHO, *WHO], *([i, *(BOTH[k][j][i] for k in range(2) for j in range(3))] for i in range(N))]),
    "a row for each question": text(["item", "rater", "question", "answer"], [[i, who, q, BOTH[k][j][i]] for i in range(N) for j, who in enumerate(WHO) for k, q in enumerate(("tone", "harm"))]),
    "a column for each question": text(["doc", "annotator", "tone", "harm"], [[i, who, TONE[j][i], TOXIC[j][i]] for i in range(N) for j, who in enumerate(WHO)]),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_several_questions_are_listed_and_each_can_be_read(name, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(ASKED[name])
    with pytest.raises(SeveralQuestions, match=r"asks 2 questions.*72 labels.*--question") as caught:
        raters.read(path)
    values = []
    for question in caught.value.questions:
        ann = raters.read(path, question=question)
        assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 3, 3 * N)
        assert ann.recognised
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
    with pytest.raises(RatersError, match="--rater x_k,x_m or --rater x_k,y_k"):
        raters.read(path)
    assert raters.read(path, rater="x_k,y_k").n_raters == 2


def test_marks_that_may_be_several(tmp_path):
    book = openpyxl.Workbook()
    for row in [("ID", "Ann toxic", "Ann rude", "Bob toxic", "Bob rude"), *((i, *("x" if (i * k) % 3 == 0 else None for k in (1, 2, 5, 7))) for i in range(N))]:  # fmt: skip
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(RatersError, match="--scale sets --rater Ann,Bob or --scale sets --rater toxic,rude"):
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
    with pytest.raises(RatersError, match=r"none says by whom.*--raters-as rows --rater Timestamp"):
        raters.read(path)


def test_sets_in_a_wide_table_by_the_command_that_is_shown(tmp_path):
    path = tmp_path / "a.csv"
    cells = ["joy", "fear", "joy; fear", "awe"]
    path.write_text(text(["id", *WHO], [[i, *(cells[(i + j * (i % 5 == 0)) % 4] for j in range(3))] for i in range(N)]))
    note = next(n for n in raters.read(path).notes if "look like several labels" in n)
    assert "--scale sets --sep ';'" in note
    ann = raters.read(path, scale="sets", sep=";")
    assert ann.n_raters == 3 and ann.members == ("awe", "fear", "joy")


@pytest.mark.shared
def test_judges_beside_people_as_they_are(data_dir):
    ann = raters.read(data_dir / "judge-bench" / "dices" / "dices_350_crowdsourced.json.gz")
    assert (ann.n_items, ann.n_annotations, ann.n_raters) == (350, 43050, 0)
    assert raters.agreement(ann, interval=None).value == pytest.approx(0.1609, abs=5e-5)
