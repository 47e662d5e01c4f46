"""How projects lie in folders and archives, and what else is in them: nothing is taken for something else, or lost."""

import io
import json
import zipfile

import pytest

import raters
from raters.errors import DataError

TEXTS = {"d1": "Ann Lee met Bob in Rome.", "d2": "Then Bob and Max left for Oslo with Zoe."}
ANN = {"d1": [(0, 7, "PER"), (19, 23, "LOC")], "d2": [(5, 8, "PER"), (26, 30, "LOC")]}
BOB = {"d1": [(0, 3, "PER"), (19, 23, "LOC")], "d2": []}
WHO = {"ann": ANN, "bob": BOB}


def brat(text, marks):
    return "".join(f"T{i}\t{c} {s} {e}\t{text[s:e]}\n" for i, (s, e, c) in enumerate(marks, 1))


def tokens(text):
    at = 0
    for word in text.split(" "):
        yield word, at, at + len(word)
        at += len(word) + 1


def tags(text, marks):
    lines = []
    for word, s, e in tokens(text):
        here = next(((a, c) for a, b, c in marks if a < e and s < b), None)
        lines.append(f"{word} {'O' if here is None else ('B-' if here[0] >= s else 'I-') + here[1]}\n")
    return "".join(lines) + "\n"


def tsv(text, marks):
    lines = ["#FORMAT=WebAnno TSV 3.3\n", "#T_SP=webanno.custom.Entity|value\n\n\n", f"#Text={text}\n"]
    for i, (word, s, e) in enumerate(tokens(text), 1):
        here = [f"{c}[{k}]" for k, (a, b, c) in enumerate(marks, 1) if a < e and s < b]
        lines.append(f"1-{i}\t{s}-{e}\t{word}\t{'|'.join(here) or '_'}\t\n")
    return "".join(lines)


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def project(write, path, beside=None):
    """Files by name: ``path`` has {rater} and {document}."""
    made = {}
    for rater, marks in WHO.items():
        for document, text in TEXTS.items():
            name = path.format(rater=rater, document=document)
            made[name] = write(text, marks[document])
            if beside:
                made[beside.format(rater=rater, document=document)] = text
    return made


LAYOUTS = {
    "brat": project(brat, "{rater}/{document}.ann", "{rater}/{document}.txt"),
    "brat, deep": project(brat, "data/v1/{rater}/{document}.ann", "data/v1/{rater}/{document}.txt"),
    "brat, document outside": project(brat, "{document}/{rater}.ann", "{document}/{rater}.txt"),
    "brat, batches": project(brat, "{document}/{rater}/x.ann", "{document}/{rater}/x.txt"),
    "brat, texts apart": project(brat, "{rater}/{document}.ann", "texts/{document}.txt"),
    "brat and others": project(brat, "{rater}/{document}.ann", "{rater}/{document}.txt")
    | {"README.md": "# ours", "annotation.conf": "[entities]\n", "ann/._d1.ann": "junk"},
    "conll": project(tags, "{rater}/{document}.conll"),
    "conll, document outside": project(tags, "{document}/{rater}.conll"),
    "tsv": project(tsv, "{document}/{rater}.tsv"),
    "tsv, user outside": project(tsv, "{rater}/{document}.tsv"),
    "a project": project(tsv, "annotation/{document}.txt/{rater}.tsv")
    | {f"curation/{d}.txt/CURATION_USER.tsv": tsv(t, ANN[d]) for d, t in TEXTS.items()}
    | {f"annotation/{d}.txt/INITIAL_CAS.tsv": tsv(t, []) for d, t in TEXTS.items()},
    "a zip a user": {
        name: zipped({"x.tsv": content, "TypeSystem.xml": "<x/>"})
        for name, content in project(tsv, "annotation/{document}.txt/{rater}.zip").items()
    },
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_the_same_project(tmp_path, name, packed):
    files = {k: v if isinstance(v, bytes) else v.encode() for k, v in LAYOUTS[name].items()}
    source = tmp_path / "project"
    if packed:
        source = tmp_path / "project.zip"
        source.write_bytes(zipped(files))
    for path, data in {} if packed else files.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(data)
    found = raters.read(source)
    assert found.raters == ("ann", "bob") and found.n_documents == 2
    assert (found.n_units, found.n_views, found.blank_views) == (6, 4, 1)
    assert raters.agreement(found, "exact", interval=None).value == pytest.approx(1 / 3)
    assert found.lengths_known and not found.texts_differ


def write(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8", newline="")
    return folder


def test_texts_of_one_name_may_differ_and_are_said(tmp_path):
    files = LAYOUTS["brat"] | {"bob/d1.txt": TEXTS["d1"] + " Again."}
    found = raters.read(write(tmp_path, files))
    assert found.raters == ("ann", "bob") and {n.code for n in found.notes} == {"other_texts"}
    assert raters.agreement(found, "u").undefined.code == "texts_differ"


def test_what_is_no_unit_is_counted(tmp_path):
    more = "R1\tKnows Arg1:T1 Arg2:T2\nA1\tSure T1\n#1\tAnnotatorNotes T1\tT2 here\nT9\tLOC 19 23;0 3\tRome Ann\n"
    files = LAYOUTS["brat"] | {"ann/d1.ann": LAYOUTS["brat"]["ann/d1.ann"] + more}
    found = raters.read(write(tmp_path, files))
    assert found.left_out["relations, events, attributes and notes"] == 3 and found.discontinuous == 1
    with pytest.raises(DataError, match=r"ann/d2\.ann, line 3: .*the unit 90 to 95 lies outside"):
        raters.read(write(tmp_path, {"ann/d2.ann": LAYOUTS["brat"]["ann/d2.ann"] + "T3\tX 90 95\tx\n"}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann B-P\nLee I-P\nmet O\nBob B-P\nMax B-P\n\n", "Ann I-P\nLee I-P\nmet O\nBob I-P\nMax B-P\n\n"),
        ("Ann B-P\nLee E-P\nmet O\nBob S-P\nMax S-P\n\n", "Ann B-P\nLee L-P\nmet O\nBob U-P\nMax W-P\n\n"),
        ("Ann\tB_P\r\nLee\tI_P\r\nmet\tO\r\nBob\tB_P\r\nMax\tB_P\r\n", "Ann NN B-P\nLee NN I-P\nmet VB O\nBob NN B-P\nMax NN B-P"),
        ("# id = 3\n1\tAnn\tB-P\n2\tLee\tI-P\n3\tmet\tO\n4\tBob\tB-P\n5\tMax\tB-P\n", "\ufeffAnn B-P\nLee I-P\nmet O\nBob B-P\nMax B-P"),
        ("#Ann B-P\nmet O\nBob B-P\n", "#Ann B-P\nmet O\nBob B-P\n"),
        ("Ann P\nmet O\nBob P\n", "Ann B-P\nmet O\nBob B-P\n"),
    ],
)  # fmt: skip
def test_tags_of_every_scheme(tmp_path, one, other):
    found = raters.read(write(tmp_path, {"ann.conll": one, "bob.conll": other}))
    assert found.n_documents == 1 and found.n_units in (4, 6)
    assert raters.agreement(found, "exact", interval=None).value == 1


def test_small_and_blank_files_are_views(tmp_path):
    files = LAYOUTS["conll"] | {
        f"{r}/{n}.conll": t for r in WHO for n, t in (("tiny", "Hi O\n"), ("one", "Bob B-PER\n"))
    }
    found = raters.read(write(tmp_path, files | {"ann/notes.conll": "to do: ask Bob\n"}))
    assert (found.n_documents, found.n_views, found.n_units) == (4, 8, 8)
    assert next(n for n in found.notes if n.code == "not_of_the_tool").facts["files"] == ["notes.conll"]


def task(number, text, people):
    result = [
        {
            "completed_by": who,
            "result": [
                {
                    "from_name": "ner",
                    "type": "labels",
                    "value": {"start": s, "end": e, "text": text[s:e], "labels": [c]},
                }
                for s, e, c in marks
            ],
        }
        for who, marks in people
    ]
    return {"id": number, "data": {"text": text}, "annotations": result}


def test_tasks_with_one_text_stay_apart_and_a_second_answer_is_counted(tmp_path):
    text, again = TEXTS["d1"], [(8, 11, "X")]
    tasks = [task(i, text, [(1, ANN["d1"]), (2, BOB["d1"])]) for i in (1, 2)]
    tasks[0]["annotations"] += task(1, text, [(1, again)])["annotations"]
    (tmp_path / "x.json").write_text(json.dumps(tasks))
    found = raters.read(tmp_path / "x.json")
    assert (found.n_documents, found.n_units) == (2, 8)
    assert found.left_out["later annotations of a rater and document"] == 1


@pytest.mark.parametrize("form", ["json", "csv"])
def test_flat_exports_of_label_studio(tmp_path, form):
    rows = [
        {"text": TEXTS[d], "id": i, "ner": [{"start": s, "end": e, "text": TEXTS[d][s:e], "labels": [c]} for s, e, c in m[d]],
         "annotator": who, "annotation_id": 10 * i + who, "created_at": "x", "updated_at": "x", "lead_time": 1.5}
        for i, d in enumerate(TEXTS) for who, m in enumerate(WHO.values())
    ]  # fmt: skip
    if form == "json":
        content = json.dumps(rows)
    else:
        cells = [[json.dumps(v) if isinstance(v, list) else str(v) for v in r.values()] for r in rows]
        content = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in row) for row in [list(rows[0]), *cells])
    (tmp_path / f"x.{form}").write_text(content)
    found = raters.read(tmp_path / f"x.{form}")
    assert (found.n_documents, found.n_raters, found.n_units, found.n_views) == (2, 2, 6, 4)


@pytest.mark.parametrize(
    ("head", "document"),
    [
        ("file,annotator,start,end,label,text", "file"),
        ("docId,annotatorId,startOffset,endOffset,entityType,coveredText", "docId"),
        ("sentence_id,coder,char_start,char_end,category,words", "sentence_id"),
    ],
)
def test_columns_of_units_are_found_and_said(tmp_path, head, document):
    rows = [f"{d},{r},{s},{e},{c},{TEXTS[d][s:e]}" for r, m in WHO.items() for d in TEXTS for s, e, c in m[d]]
    (tmp_path / "x.csv").write_text("\n".join([head, *rows, f",ann,0,3,PER,{'Ann'}"]))
    found = raters.read(tmp_path / "x.csv")
    assert found.documents == ("d1", "d2") and found.labels == ("LOC", "PER")
    assert f"document = '{document}'" in str(found) and f"1 rows without {document}" in str(found)


@pytest.mark.parametrize("head", ["document,annotator,start,length,label", "doc_id,coder,char_offset,char_len,entity"])
def test_a_table_of_starts_and_lengths_holds_spans(tmp_path, head):
    rows = [f"{d},{r},{s},{e - s},{c}" for r, m in WHO.items() for d in TEXTS for s, e, c in m[d]]
    (tmp_path / "x.csv").write_text("\n".join([head, *rows]))
    ends = [f"{d},{r},{s},{e},{c}" for r, m in WHO.items() for d in TEXTS for s, e, c in m[d]]
    (tmp_path / "y.csv").write_text("\n".join(["document,annotator,start,end,label", *ends]))
    found, same = raters.read(tmp_path / "x.csv"), raters.read(tmp_path / "y.csv")
    assert found.units() == same.units() and head.split(",")[2] + " + " in str(found)


def test_an_item_may_have_a_start_and_a_length_and_is_no_span(tmp_path):
    rows = [f"clip{i},{r},{10 * i},{7 + i},{'yn'[(i + (r == 'b')) % 2]}" for i in range(9) for r in "abc"]
    (tmp_path / "x.csv").write_text("\n".join(["clip_id,annotator,start,length,label", *rows]))
    assert raters.read(tmp_path / "x.csv").n_items == 9


def test_spans_within_objects_are_refused_with_what_to_do(tmp_path):
    made = [{"id": d, "text": TEXTS[d], "annotations": [{"annotator": r, "spans": [{"start": s, "end": e, "label": c} for s, e, c in m[d]]}
            for r, m in WHO.items()]} for d in TEXTS]  # fmt: skip
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(x) + "\n" for x in made))
    with pytest.raises(
        raters.errors.UsageError, match="'annotations' holds spans within objects: write a row for each"
    ):
        raters.read(tmp_path / "x.jsonl")
