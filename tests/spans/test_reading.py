"""Spans as tools write them: what is read, round trips, offsets in four encodings, and hostile files."""

import csv

import pytest
from span_files import EXPECTED, argilla, brat, conll, doccano, label_studio, prodigy, table, webanno
from span_projects import cases, project

import raters
from raters.errors import DataError, UsageError
from raters.io.exports.spans.marked import Mark, best_reading, placed
from raters.spans.kinds import kinds


@pytest.mark.parametrize("write", [brat, webanno, label_studio, doccano, prodigy, conll, table, argilla])
def test_one_project_in_every_format(tmp_path, write):
    found = raters.read(write(tmp_path))
    assert (found.n_documents, found.n_raters, found.n_units) == (1, 2, 9)
    assert raters.agreement(found, "exact", interval=None).value == pytest.approx(EXPECTED)
    assert kinds(found).counts() == {"exact": 2, "label": 1, "bounds": 1, "both": 0, "cut": 0, "alone": 1}


ENCODED = {"same units, UTF-16": 1, "same units, UTF-8 bytes": 2, "same units, CRLF read as LF": 3}


@pytest.mark.shared
def test_offsets_in_four_encodings(oracles_dir):
    case = cases(oracles_dir)["trap offsets"]
    text = case["project"]["documents"]["d1"]["text"]
    true = [(u["rater"], u["start"], u["end"], u["label"]) for u in case["project"]["units"]]
    for key, at in {None: 0, **ENCODED}.items():
        rows = case["expected"][key] if key else true
        marks = [
            Mark("d1", r, s, e, c, words) for (r, s, e, c), words in zip(rows, case["expected"]["words"], strict=True)
        ]
        reading, said = best_reading(marks, {"d1": text}, {})
        units = [placed(m, reading, text) for m in marks]
        assert [(u.rater, u.start, u.end, u.label) for u in units] == true
        assert bool(said) is (at > 0)


@pytest.mark.shared
@pytest.mark.parametrize(("path", "question", "sizes"), [
    ("exports/brat/kldtz__bratiaa__example-project", None, (7, 4, 1567, 28)),
    ("exports/brat/kldtz__bratiaa__agree-2", None, (2, 2, 33, 4)),
    ("spans/label-studio-leoka/LEOKA_team_1.first30.json", None, (30, 3, 800, 89)),
    ("spans/csv-evidence-inference/annotations_pilot_run.csv", None, (94, 4, 418, 376)),
    ("spans/csv-evidence-inference", None, (94, 4, 418, 376)),
    ("spans/factgenie-d2t/annotations/human", None, (12, 29, 1276, 341)),
    ("spans/csv-pygamma/AlexPaulSuzan.csv", None, (1, 3, 16, 3)),
    ("spans/csv-pygamma/3by100.csv", None, (1, 3, 372, 3)),
    ("spans/csv-pygamma/5by100.csv", None, (1, 5, 500, 5)),
    ("spans/webanno-inception/simpleSpanDiffWithLabelTest", None, (1, 2, 2, 2)),
    ("spans/webanno-inception/simpleSpanDiffNoLabelTest", None, (1, 2, 1, 2)),
    ("spans/webanno-inception/simpleSpanDiffWithLabelStackingTest", None, (1, 2, 2, 2)),
    ("spans/webanno-inception/simpleSpanDiffWithLabelStacking2Test", None, (1, 2, 3, 2)),
    ("spans/webanno-inception/multipleStackedAnnotationsAreNotMergedTest", None, (1, 2, 4, 2)),
    ("exports/inception/inception-project__inception__named_entity_json_cas", None, (2, 1, 51, 2)),
    ("exports/doccano-spans", None, (25, 2, 199, 50)),
    ("exports/prodigy-people", "spans", (15, 4, 180, 58)),
])  # fmt: skip
def test_genuine_projects(data_dir, path, question, sizes):
    found = raters.read(data_dir / path, question=question)
    assert (found.n_documents, found.n_raters, found.n_units, found.n_views) == sizes


@pytest.mark.parametrize("files", [1, 2])
def test_tables_of_a_folder_have_the_documents_that_raters_share(tmp_path, files):
    """A file for each rater is no document; a folder of one table is that table."""
    rows = [(f"p{i}", r, 10 * i, 10 * i + 4) for i in range(6) for r in ("ann", "bob")]
    for n in range(files):
        mine = rows if files == 1 else [row for row in rows if row[1] == ("ann", "bob")[n]]
        columns = (0, 1, 2, 3) if files == 1 else (0, 2, 3)
        head = [("prompt_id", "rater", "start", "end")[c] for c in columns]
        text = "\n".join(",".join(str(row[c]) for c in columns) for row in mine)
        (tmp_path / f"coder{n}.csv").write_text(f"{','.join(head)}\n{text}\n")
    found = raters.read(tmp_path)
    assert (found.n_documents, found.n_raters, found.n_units, found.shared) == (6, 2, 12, 6)


def test_seen_says_who_marked_nothing(tmp_path):
    (tmp_path / "seen.csv").write_text("document,rater\nd,ann\nd,bob\ne,ann\ne,bob\n")
    found = raters.read(table(tmp_path), seen=tmp_path / "seen.csv")
    assert (found.n_views, found.blank_views) == (4, 2)
    assert "every_rater_saw_all" not in {n.code for n in found.read_as}


def test_a_blank_annotation_file_is_a_view(tmp_path):
    brat(tmp_path)
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "d.ann").write_text("")
    assert raters.read(tmp_path).blank_views == 1


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    project_ = tmp_path / "project"
    project_.mkdir()
    brat(project_)
    (tmp_path / "secret.txt").write_text("secret")
    (project_ / "ann" / "d.txt").unlink()
    (project_ / "ann" / "d.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(DataError, match="leads out of the folder"):
        raters.read(project_)


XMI = """<?xml version="1.0"?>{head}<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:custom="http:///webanno/custom.ecore"><cas:Sofa xmi:id="1" sofaString="Ann met Bob."/>
<custom:Name xmi:id="2" sofa="1" begin="0" end="3" value="PER"/></xmi:XMI>"""


def test_xmi_and_entities_in_it(tmp_path):
    for rater in ("ann", "bob"):
        (tmp_path / f"{rater}.xmi").write_text(XMI.format(head=""))
    found = raters.read(tmp_path)
    assert found.n_units == 2 and raters.agreement(found, "exact", interval=None).value == 1
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    (tmp_path / "bob.xmi").write_text(XMI.format(head=bomb).replace('"Ann met Bob."', '"&b;"'))
    with pytest.raises(DataError, match="declarations of its own"):
        raters.read(tmp_path)


@pytest.mark.parametrize(
    ("row", "why"), [("d,ann,9,4,X", "ends before it starts"), ("d,ann,x,4,X", "not a whole number")]
)
def test_bad_rows_name_the_place(tmp_path, row, why):
    path = tmp_path / "x.csv"
    path.write_text("doc,annotator,start,end,label\nd,bob,0,4,X\n" * 1 + "d,bob,5,6,X\nd,bob,7,8,X\n" * 6 + row + "\n")
    with pytest.raises((DataError, UsageError), match=why):
        raters.read(path, start="start", end="end")


def test_the_typed_cases_survive_a_table(oracles_dir, tmp_path):
    for name in ("three raters", "order, as given", "trap stacked"):
        case = cases(oracles_dir)[name]["project"]
        whole = project(case)
        rows = [(u["document"], u["rater"], u["start"], u["end"], u["label"]) for u in case["units"]]
        path = tmp_path / "x.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("document", "rater", "start", "end", "label"), *rows])
        seen = [(d, r) for d, about in case["documents"].items() for r in about["raters"]]
        again = raters.read(path, seen=seen)
        assert kinds(again).counts() == kinds(whole).counts()
