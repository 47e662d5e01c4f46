"""Several people's files make one table."""

import json
import zipfile

import pytest
from made_exports import EXPORTS, LS_CSV, lines, ls_choice, ls_task, packed, prodigy, write

from raters import DataError, read

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")


def uploads(who, project, prefix, labels):
    """One person's own Label Studio: task ids, project and prefix are theirs, and everyone is number 1."""
    return json.dumps(
        [
            {
                **ls_task(10 * project + i, "", ls_choice(1, label)),
                "data": {"image": f"/data/upload/{project}/{prefix}{i:07d}-{name}.jpg"},
            }
            for i, (name, label) in enumerate(labels.items())
        ]
    )


def test_upload_prefixes_are_stripped_and_the_rater_is_the_file(tmp_path):
    files = {
        "ann.json": uploads("ann", 1, "a", {"cat": "x", "dog": "y", "cow": "x"}),
        "bob.json": uploads("bob", 8, "b", {"dog": "y", "cat": "y"}),
    }
    ann = read(write(tmp_path, files))
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (3, 2, 5)
    rows = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY item, rater")
    assert list(zip(rows["item"], rows["rater"], rows["label"], strict=True)) == [
        ("cat.jpg", "ann", "x"),
        ("cat.jpg", "bob", "y"),
        ("cow.jpg", "ann", "x"),
        ("dog.jpg", "ann", "y"),
        ("dog.jpg", "bob", "y"),
    ]
    said = " ".join(ann.warnings)
    assert "0 shared as written, 2 after upload prefixes were removed, of 3 items" in said
    assert "every file names the same rater, 1" in said


def test_a_list_of_paths_a_folder_and_a_zip_are_one(tmp_path):
    files = {
        "ann.jsonl": lines({"id": 1, "text": "a", "label": ["x"]}),
        "bob.jsonl": lines({"id": 1, "text": "a", "label": ["y"]}),
    }
    folder = write(tmp_path / "in", files)
    listed = read([folder / "ann.jsonl", str(folder / "bob.jsonl")])
    for other in (read(folder), read(packed(tmp_path, files))):
        assert (
            (other.n_items, other.n_raters, other.labels)
            == (listed.n_items, listed.n_raters, listed.labels)
            == (1, 2, ("x", "y"))
        )


def test_raters_of_one_server_stay_who_they_are(tmp_path):
    files = {
        "one.json": json.dumps([ls_task(1, "a", ls_choice(1, "x"), ls_choice(2, "y"))]),
        "two.json": json.dumps([ls_task(2, "b", ls_choice(1, "x"), ls_choice(2, "y"))]),
    }
    ann = read(write(tmp_path, files))
    assert (ann.n_items, ann.n_raters) == (2, 2)


def test_plain_tables_of_several_people(tmp_path):
    write(tmp_path, {"ann.csv": "item,label\n1,2\n2,3\n", "bob.csv": "item,label\n1,2\n2,2\n", "x.txt": ""})
    ann = read([tmp_path / "ann.csv", tmp_path / "bob.csv"])
    assert (ann.n_items, ann.n_raters, ann.labels) == (2, 2, (2, 3))


def test_two_tools_are_not_mixed(tmp_path):
    write(
        tmp_path,
        {"a.csv": LS_CSV, "b.jsonl": lines({"_input_hash": 1, "_task_hash": 2, "answer": "accept", "accept": ["x"]})},
    )
    with pytest.raises(
        DataError,
        match=r"is a directory that contains exports of several tools: a.csv of Label Studio, b.jsonl of Prodigy",
    ):
        read(tmp_path)


def test_few_shared_items_are_said(tmp_path):
    rows = [
        {
            "text": str(i),
            "_input_hash": i,
            "_task_hash": i,
            "_session_id": f"d-{who}",
            "answer": "accept",
            "accept": ["x"],
        }
        for who, items in (("ann", range(50)), ("bob", range(49, 99)))
        for i in items
    ]
    ann = read(write(tmp_path, {"x.jsonl": lines(*rows)}))
    assert any("only 1 of 99 items have labels of two or more raters" in note for note in ann.warnings)


@pytest.mark.shared
def test_two_tasks_of_a_run_are_never_joined(data_dir):
    folder = data_dir / "exports" / "evaluation-logs" / "lm-eval"
    ann = read(sorted(folder.glob("*hendrycks*")))
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (120, 1, 120)


@pytest.mark.shared
def test_two_systems_answers_to_one_question_are_two_items(data_dir):
    folder = data_dir / "exports" / "evaluation-logs" / "ragas"
    ann = read(sorted(folder.glob("*detailed*")), question="faithfulness")
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (24, 1, 24)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    record = {"id": 1, "text": "a"}
    write(
        tmp_path, {f"{who}/all of it.jsonl": lines({**record, "label": [x]}) for who, x in (("ann", "x"), ("bob", "y"))}
    )
    ann = read([tmp_path / "ann" / "all of it.jsonl", tmp_path / "bob" / "all of it.jsonl"])
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (1, 2, 2)


def test_files_that_number_their_texts_differently_are_matched_by_text(tmp_path):
    for name in ("doccano of the first versions", "prodigy hashes"):
        files = (
            EXPORTS[name][0]
            if name in EXPORTS
            else {
                f"{who}.jsonl": lines(
                    *(
                        prodigy(i, who, [x], _input_hash=f"{who}{i}", _task_hash=f"{who}{i}")
                        for i, x in ((1, "x"), (2, "y"))
                    )
                )
                for who in ("ann", "bob")
            }
        )
        ann = read(write(tmp_path / name, files))
        assert (ann.n_items, ann.n_raters, ann.n_annotations) == (2, 2, 4)
        assert any("matched by what they show: 2 of" in note for note in ann.warnings)


def test_spans_of_files_that_number_their_texts_differently(tmp_path):
    units = {"ann": (1, [[0, 1, "X"]]), "bob": (7, [[0, 1, "X"]])}
    found = read(
        write(tmp_path, {f"{who}.jsonl": lines({"id": n, "data": "a b", "label": x}) for who, (n, x) in units.items()})
    )
    assert (found.n_documents, found.n_raters, found.n_units) == (1, 2, 2)
    assert "joined_by_text" in {n.code for n in found.notes}


def test_texts_of_options_and_spans_beside_them_are_said(tmp_path):
    path = write(tmp_path, EXPORTS["prodigy without sessions"][0])
    ann = read(path)
    assert ann.labels == ("no", "yes") and any(
        "4 spans were marked beside these labels" in note for note in ann.warnings
    )
    assert read(path, question="spans").n_units == 4


def test_the_same_name_in_all_files_is_the_same_person(tmp_path):
    files = {
        f"{n}.json": json.dumps([ls_task(n, f"t{n}", ls_choice({"id": 3, "email": "ann@x.org"}, "x"))]) for n in (1, 2)
    }
    ann = read(write(tmp_path, files))
    assert (ann.n_items, ann.n_raters) == (2, 1)


def test_argilla_without_a_status_says_that_drafts_are_unknown(tmp_path):
    said = read(write(tmp_path, EXPORTS["argilla"][0])).warnings
    assert any("drafts and discarded ones cannot be told" in note for note in said)
    assert not any("drafts" in note for note in read(write(tmp_path / "flat", EXPORTS["argilla flat"][0])).warnings)


def test_a_zip_of_tables_is_read_as_the_folder_of_them(tmp_path):
    """Each person's file is a rater; what an operating system adds, and names that lead out of the folder, do no harm."""
    rows = {
        r: "item,label\n" + "".join(f"q{i},{'yn'[(i + k) % 3 == 0]}\n" for i in range(9)) for k, r in enumerate("abc")
    }
    archived = tmp_path / "people.zip"
    with zipfile.ZipFile(archived, "w") as archive:
        for name, text in rows.items():
            archive.writestr(f"../labels/{name}.csv", text)
            archive.writestr(f"__MACOSX/labels/._{name}.csv", b"\0")
    (tmp_path / "labels").mkdir()
    for name, text in rows.items():
        (tmp_path / "labels" / f"{name}.csv").write_text(text)
    found, folder = read(archived), read(tmp_path / "labels")
    assert found.to_columns() == folder.to_columns() and found.n_raters == 3
    assert read([archived]).n_annotations == found.n_annotations
    with zipfile.ZipFile(archived, "w") as archive:
        archive.writestr("a.csv", "item,rater,label\n1,x,y\n1,z,n\n")
    assert read(archived).n_annotations == 2  # the new content
    with zipfile.ZipFile(archived, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"item,rater,label\n" + b"1,x,y\n" * 4_000_000)
    with pytest.raises(DataError, match="unpacks to more than"):
        read(archived)
