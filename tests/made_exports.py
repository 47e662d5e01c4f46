"""Small exports made after each tool's schema: name -> (files, question, (items, raters, labels), dropped)."""

import json
import zipfile
from pathlib import Path
from typing import Any

from made_logs import LOGS, Case, Files, lines


def ls_task(number: int, text: str, *given: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "data": {"text": text}, "annotations": list(given), "predictions": [], **more}


def ls_choice(who: Any, *labels: str, name: str = "tone", **more: Any) -> dict[str, Any]:
    result = [{"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": list(labels)}}]
    return {"id": 1, "completed_by": who, "result": result, "was_cancelled": False, "ground_truth": False, **more}


LABEL_STUDIO = json.dumps(
    [
        ls_task(1, "a", ls_choice(1, "good"), ls_choice({"id": 2, "email": "bob@x.org"}, "bad")),
        ls_task(
            2,
            "b",
            ls_choice(1, "good"),
            ls_choice({"id": 2, "email": "bob@x.org"}, "good", was_cancelled=True),
            ls_choice(3, "bad", ground_truth=True),
            ls_choice(4, "bad", last_action="rejected"),
            predictions=[{"model_version": "m1", "result": ls_choice(0, "bad")["result"]}],
        ),
        ls_task(3, "c"),
    ]
)
LS_MIN = json.dumps(
    [
        {"text": "a", "id": 1, "tone": "good", "annotator": 1, "annotation_id": 5, "lead_time": 1.0},
        {
            "text": "a",
            "id": 1,
            "tone": {"choices": ["good", "odd"]},
            "annotator": 2,
            "annotation_id": 6,
            "lead_time": 1.0,
        },
        {"text": "b", "id": 2, "tone": "bad", "annotator": 2, "annotation_id": 7, "lead_time": 1.0},
    ]
)
LS_CSV = (
    "annotation_id,annotator,created_at,id,lead_time,text,tone,updated_at\n"
    '1,ann@x.org,2024,1,1.5,"one, two",good,2024\n2,bob@x.org,2024,1,1.5,"one, two",bad,2024\n'
    "3,ann@x.org,2024,2,1.5,three,good,2024\n4,bob@x.org,2024,2,1.5,three,good,2024\n"
)


def prodigy(item: int, who: str, accept: list[str] | None, answer: str = "accept", **more: Any) -> dict[str, Any]:
    picked = {} if accept is None else {"accept": accept, "options": [{"id": "x"}, {"id": "y"}]}
    return {
        "text": f"t{item}",
        "_input_hash": item,
        "_task_hash": item * 10,
        "_session_id": f"data-{who}",
        "_annotator_id": f"data-{who}",
        "answer": answer,
        **picked,
        **more,
    }


def started(item: int, time: str, accept: list[int]) -> dict[str, Any]:
    """An answer without sessions, to options that are numbered; with a span."""
    options = [{"id": i, "text": word} for i, word in enumerate(("no", "yes"))]
    return prodigy(
        item,
        "",
        accept,
        options=options,
        _annotator_id=time,
        _session_id=time,
        spans=[{"start": 0, "end": 1, "label": "X"}],
    )


PRODIGY = lines(
    prodigy(1, "ann", ["x"]), prodigy(1, "bob", ["y"]), prodigy(2, "ann", ["x"], "ignore"), prodigy(2, "bob", ["x"]),
    prodigy(3, "bob", [], "reject"), prodigy(3, "ann", []),
)  # fmt: skip
PRODIGY_BINARY = lines(prodigy(1, "ann", None, label="SPAM"), prodigy(1, "bob", None, "reject", label="SPAM"))
MTURK = (
    '"HITId","AssignmentId","WorkerId","AssignmentStatus","Input.url","Answer.tone","Answer.animal.cat","Answer.animal.dog",'
    '"Approve","Reject"\n'
    '"h1","a1","w1","Approved","u1","good","true","false"\n"h1","a2","w2","Submitted","u1","bad","false","true"\n'
    '"h2","a3","w1","Rejected","u2","good","true","true"\n'
)
MTURK_SEVERAL = "HITId,WorkerId,AssignmentStatus,Input.text1,Input.text2,Answer.label1,Answer.label2\n" + "".join(
    f"H{h},{who},Approved,text {h} one,text {h} two,{'cat' if h == 1 else 'dog'},{who}\n"
    for h in (1, 2)
    for who in ("A", "B")
)
RUBRIX = lines(
    {"id": 1, "text": "a", "annotation": "good", "annotation_agent": "ann", "status": "Validated", "prediction": [{"label": "bad", "score": 0.9}], "prediction_agent": "m1"},
    {"id": 1, "text": "a", "annotation": "good", "annotation_agent": "bob", "status": "Validated"},
    {"id": 2, "text": "b", "annotation": "bad", "annotation_agent": "ann", "status": "Validated"},
    {"id": 2, "text": "b", "annotation": "bad", "annotation_agent": "bob", "status": "Discarded"},
)  # fmt: skip
MTURK_JSON = (
    "HITId,WorkerId,Input.url,Answer.taskAnswers\n"
    'h1,w1,u1,"[{""animal"":{""cat"":true,""dog"":false},""note"":""x""}]"\n'
    'h1,w2,u1,"[{""animal"":{""cat"":false,""dog"":true},""note"":""y""}]"\n'
)
TOLOKA = (
    "INPUT:image\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:worker_id\tASSIGNMENT:status\r\n"
    "i1\tcat\t\t\tw1\tAPPROVED\r\ni2\tdog\tdog\t\tw1\tAPPROVED\r\n\t\t\t\t\t\r\n"
    "i1\tdog\t\t\tw2\tREJECTED\r\ni3\tcat\t\tlook\tw2\tAPPROVED\r\ni1\tcat\t\t\tw3\tSUBMITTED\r\n"
)
APPEN = (
    "_unit_id,_golden,_tainted,_worker_id,_trust,_ip,tone,topics,url,tone_gold\n"
    '1,false,false,w1,.9,1.1.1.1,good,"a\nb",u1,\n1,false,false,w2,.9,1.1.1.2,good,a,u1,\n1,false,true,w3,.2,,bad,a,u1,\n'
    "2,true,false,w1,.9,1.1.1.1,bad,a,u2,bad\n"
)
LABELBOX = json.dumps(
    [
        {"ID": "l1", "DataRow ID": "d1", "Created By": "ann@x.org", "Reviews": [], "Skipped": False,
         "Label": {"objects": [], "classifications": [{"title": "tone", "answer": {"title": "good", "value": "good"}},
                                                      {"title": "tags", "answers": [{"title": "a"}, {"title": "b"}]}]}},
        {"ID": "l2", "DataRow ID": "d1", "Created By": "bob@x.org", "Reviews": [], "Skipped": False,
         "Label": {"objects": [{"title": "box"}], "classifications": [{"title": "tone", "answer": {"title": "bad"}}]}},
        {"ID": "l3", "DataRow ID": "d2", "Created By": "bob@x.org", "Reviews": [], "Skipped": True, "Label": "Skip"},
    ]
)  # fmt: skip


def v2(row: str, *given: tuple[str, str]) -> dict[str, Any]:
    labels = [
        {
            "label_details": {"created_by": who, "reviews": []},
            "performance_details": {"skipped": False},
            "annotations": {"objects": [], "classifications": [{"name": "tone", "radio_answer": {"name": tone}}]},
        }
        for who, tone in given
    ]
    return {"data_row": {"id": row}, "projects": {"p": {"name": "p", "labels": labels}}}


QUALTRICS = (
    "\ufeffStartDate,Status,Finished,ResponseId,Q5_1,Q5_2,Q6_TEXT\n"
    '"Start","Status","Finished","Response ID","Rate\nthis - one","Rate this - two","Why?"\n'
    '"{""ImportId"":""startDate""}","{""ImportId"":""status""}","{""ImportId"":""finished""}","{""ImportId"":""_recordId""}",'
    '"{""ImportId"":""QID5_1""}","{""ImportId"":""QID5_2""}","{""ImportId"":""QID6_TEXT""}"\n'
    "2024,0,1,R_1,3,4,because\n2024,0,1,R_2,3,5,\n2024,1,1,R_3,1,1,test\n2024,0,0,R_4,2,,\n"
)


IDS = ["startDate", "status", "_recordId", "QID1", "QID2", "QID3"]
FORM = [
    ["StartDate", "Status", "ResponseId", "coder", "item", "tone"],
    ["Start", "Status", "Response ID", "Who are you?", "Which?", "How?"],
]
FORM_ROWS = [["2024-01-01", "0", f"R{i}{who}", who, f"doc{i}", tone] for i, who, tone in
             ((1, "ann", "good"), (1, "bob", "bad"), (2, "ann", "good"), (2, "bob", ""))]  # fmt: skip


def csv_of(*rows: list[str]) -> str:
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


IMPORTED = [f'{{""ImportId"":""{key}""}}' for key in IDS]


def potato(user: str, **items: list[tuple[str, str]]) -> str:
    values = {i: [[{"schema": s, "name": n}, "true"] for s, n in given] for i, given in items.items()}
    return json.dumps({"user_id": user, "instance_id_ordering": list(items), "instance_id_to_label_to_value": values})


WEBANNO = "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.POS|PosValue\n#T_SP=x.NamedEntity|value\n\n\n#Text=A b\n"


ARGILLA = lines(
    {"id": "1", "fields": {"text": "a"}, "suggestions": {"tone": {"value": "good", "agent": "m"}},
     "responses": {"tone": [{"value": "good", "user_id": "u1"}, {"value": "bad", "user_id": "u2"}]}},
)  # fmt: skip
ARGILLA_FLAT = lines(
    {"id": "1", "text": "a", "tone.responses": ["good", "bad"], "tone.responses.users": ["u1", "u2"],
     "tone.responses.status": ["submitted", "discarded"], "tone.suggestion": "good"},
    {"id": "2", "text": "b", "tone.responses": None, "tone.responses.users": None, "tone.responses.status": None},
)  # fmt: skip
ARGILLA_1 = lines(
    {"external_id": "1", "text": "a", "tone": [{"user_id": "u1", "value": "good", "status": "submitted"}]},
    {
        "external_id": "2",
        "text": "b",
        "tone": {"user_id": ["u1", "u2"], "value": ["x", "y"], "status": ["submitted", "draft"]},
    },
)
CAS = json.dumps(
    {"%TYPES": {"webanno.custom.Doc": {"%NAME": "webanno.custom.Doc", "%SUPER_TYPE": "uima.cas.AnnotationBase"}},
     "%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "x"},
                             {"%ID": 2, "%TYPE": "webanno.custom.Doc", "@sofa": 1, "tone": "good"}], "%VIEWS": {}}
)  # fmt: skip

EXPORTS: dict[str, Case] = {
    "label_studio": ({"x.json": LABEL_STUDIO}, None, (2, 2, 3), {"cancelled": 1, "curated": 1, "predicted": 1, "rejected": 1}),
    "label_studio starred": (
        {"x.json": json.dumps([ls_task(1, "a", ls_choice(1, "good", ground_truth=True), ls_choice(2, "bad"), ls_choice(9, "bad", ground_truth=True)),
                               ls_task(2, "b", ls_choice(1, "good"), {**ls_choice(2), "result": []})])},
        None, (2, 2, 3), {"curated": 1, "empty": 1},
    ),
    "label_studio min": ({"x.json": LS_MIN}, None, (2, 2, 3), {}),
    "label_studio csv": ({"x.csv": LS_CSV}, None, (2, 2, 4), {}),
    "label_studio old": ({"x.json": json.dumps([{"id": 1, "completions": [ls_choice(1, "a")]}])}, None, (1, 1, 1), {}),
    "prodigy": ({"x.jsonl": PRODIGY}, None, (2, 2, 3), {"empty": 1, "rejected": 1, "skipped": 1}),
    "prodigy reviewed": ({"x.jsonl": lines(prodigy(1, "ann", ["x"]), prodigy(1, "rev", ["x"], _view_id="review"))}, None, (1, 1, 1), {"curated": 1}),
    "prodigy without sessions": (
        {"ann.jsonl": lines(*(started(i, f"2024-05-0{i}_10-00-00", [i % 2]) for i in (1, 2))),
         "bob.jsonl": lines(*(started(i, f"2024-06-0{i}_10-00-00", [1]) for i in (1, 2)))},
        None, (2, 2, 4), {},
    ),
    "prodigy days of one": ({"ann.jsonl": lines(*(started(i, f"2024-05-0{i}_10-00-00", [1]) for i in (1, 2)))}, None, (2, 1, 2), {}),
    "prodigy datasets": (
        {"one.jsonl": lines(prodigy(1, "ann", ["x"]), prodigy(1, "bob", ["y"])),
         "two.jsonl": lines(*(prodigy(2, who, ["x"], _annotator_id=f"more-data-{who}") for who in ("ann", "bob")))},
        None, (2, 2, 4), {},
    ),
    "prodigy binary": ({"x.jsonl": PRODIGY_BINARY}, None, (1, 2, 2), {}),
    "doccano": (
        {"ann.jsonl": lines({"id": 1, "text": "a", "label": ["x"]}, {"id": 2, "text": "b", "label": []}),
         "bob.jsonl": lines({"id": 1, "text": "a", "label": ["y"]}, {"id": 2, "text": "b", "label": ["y"]})},
        None, (2, 2, 3), {"empty": 1},
    ),
    "doccano of the first versions": (
        {"ann.jsonl": lines({"id": 1, "data": "a", "label": ["x"]}, {"id": 2, "data": "b", "label": ["y"]}),
         "bob.jsonl": lines({"id": 7, "data": "b", "label": ["y"]}, {"id": 8, "data": "a", "label": ["y"]}),
         "unknown.jsonl": lines({"id": 3, "data": "c", "label": []})},
        None, (2, 2, 4), {"empty": 1},
    ),
    "doccano images": ({"ann.jsonl": lines({"id": 1, "filename": "a.jpg", "label": ["x"], "Comments": []})}, None, (1, 1, 1), {}),
    "doccano csv": ({"ann.csv": "id,text,label\n1,a,x#y\n2,b,x\n", "bob.csv": "id,text,label\n1,a,x\n"}, None, (2, 2, 3), {}),
    "doccano old": ({"x.jsonl": lines({"id": 1, "text": "a", "annotation_approver": None,
                                       "annotations": [{"label": 3, "user": 1}, {"label": 4, "user": 2}]})}, None, (1, 2, 2), {}),
    "mturk": ({"x.csv": MTURK}, "tone", (1, 2, 2), {"rejected": 1}),
    "mturk options": ({"x.csv": MTURK}, "animal", (1, 2, 2), {"rejected": 1}),
    "mturk several items": ({"x.csv": MTURK_SEVERAL}, "label", (4, 2, 8), {}),
    "mturk json": ({"x.csv": MTURK_JSON}, "animal", (1, 2, 2), {}),
    "toloka": ({"x.tsv": TOLOKA}, None, (1, 2, 2), {"gold": 1, "rejected": 1, "training": 1}),
    "appen": ({"x.csv": APPEN}, "tone", (1, 2, 2), {"gold": 1, "untrusted": 1}),
    "appen several": ({"x.csv": APPEN}, "topics", (1, 2, 2), {"gold": 1, "untrusted": 1}),
    "labelbox": ({"x.json": LABELBOX}, "tone", (1, 2, 2), {"skipped": 1}),
    "labelbox v2": ({"x.ndjson": lines(v2("d1", ("ann", "good"), ("bob", "bad")), v2("d2", ("ann", "good")))}, None, (2, 2, 3), {}),
    "qualtrics": ({"x.csv": QUALTRICS}, "Q5", (2, 2, 4), {"preview": 2, "unfinished": 2}),
    "qualtrics form": ({"x.csv": csv_of(*FORM, IMPORTED, *FORM_ROWS)}, None, (2, 2, 3), {"missing label": 1}),
    "qualtrics form without texts": ({"x.csv": csv_of(FORM[0], IMPORTED, *FORM_ROWS)}, None, (2, 2, 3), {"missing label": 1}),
    "qualtrics without codes": ({"x.csv": csv_of(FORM[1], IMPORTED, *FORM_ROWS)}, "How?", (1, 3, 3), {"missing label": 1}),
    "qualtrics cleaned": ({"x.csv": "StartDate,EndDate,ResponseId,Q5_1,Q5_2\n2024-01-01,2024-01-01,R_1,3,4\n2024-01-01,2024-01-01,R_2,3,5\n"}, None, (2, 2, 4), {}),
    "potato": (
        {"ann/user_state.json": potato("ann", r1=[("tone", "good"), ("tags", "a"), ("tags", "b")], r2=[("tone", "bad")]),
         "bob/user_state.json": potato("bob", r1=[("tone", "good"), ("tags", "a")])},
        "tags", (1, 2, 2), {"empty": 1},
    ),
    "potato 1": (
        {"ann/annotated_instances.jsonl": lines({"id": "1", "label_annotations": {"tone": {"good": "true"}}, "span_annotations": {}}),
         "bob/annotated_instances.jsonl": lines({"id": "1", "label_annotations": {"tone": {"bad": "true"}}, "span_annotations": {}})},
        None, (1, 2, 2), {},
    ),
    "potato tsv": ({"x.tsv": "user\tinstance_id\ttone:::good\ttone:::bad\nann\t1\t1\t\nbob\t1\t\t1\n"}, None, (1, 2, 2), {}),
    "webanno": (
        {"annotation/d.txt/ann.tsv": WEBANNO + "1-1\t0-1\tA\tDT\t_\t\n1-2\t2-3\tb\tNN\tPER\t\n",
         "annotation/d.txt/bob.tsv": WEBANNO + "1-1\t0-1\tA\tDT\t_\t\n1-2\t2-3\tb\tVB\t_\t\n",
         "curation/d.txt/CURATION_USER.tsv": WEBANNO + "1-1\t0-1\tA\tDT\t_\t\n1-2\t2-3\tb\tNN\t_\t\n"},
        None, (2, 2, 4), {"curated": 2},
    ),
    "webanno cas": ({"annotation/d.txt/ann.json": CAS, "annotation/d.txt/bob.json": CAS}, None, (1, 2, 2), {}),
    "argilla": ({"x.json": ARGILLA}, None, (1, 2, 2), {"predicted": 1}),
    "argilla flat": ({"x.jsonl": ARGILLA_FLAT}, None, (1, 1, 1), {"empty": 1, "predicted": 1, "skipped": 1}),
    "argilla rubrix": ({"x.jsonl": RUBRIX}, None, (2, 2, 3), {"predicted": 1, "skipped": 1}),
    "argilla 1": ({"x.jsonl": ARGILLA_1}, None, (2, 1, 2), {"draft": 1}),
    **LOGS,
}  # fmt: skip
"""Each by the name of its tool, and a word where a tool has several forms."""


def write(folder: Path, files: Files) -> Path:
    """The files in a folder; the path of the only one, or of the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(files)) if len(files) == 1 else folder


def packed(folder: Path, files: Files, name: str = "export.zip") -> Path:
    """The files in a zip."""
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return folder / name
