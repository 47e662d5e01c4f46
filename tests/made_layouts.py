"""Small files in the layouts that people have: one label a cell and three raters, or two questions of each item."""

import json

WORDS = ["no", "yes", "maybe"]
N, WHO = 24, ("ann", "bob", "cem")
TONE = [[WORDS[(i * 7 + (i % 5 == j) * (j + 1)) % 3] for i in range(N)] for j in range(3)]
TOXIC = [["safe" if (i * 3 + (i % 7 == j)) % 4 else "toxic" for i in range(N)] for j in range(3)]


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

BOTH = (TONE, TOXIC)
ASKED = {
    "columns by question and rater": text(["id", *(f"{q}_{who}" for who in WHO for q in ("tone", "harm"))], [[i, *(BOTH[k][j][i] for j in range(3) for k in range(2))] for i in range(N)]),
    "columns by rater and question": text(["id", *(f"R{j}.Q{k}" for j in range(3) for k in range(2))], [[i, *(BOTH[k][j][i] for j in range(3) for k in range(2))] for i in range(N)]),
    "two rows of names": text(["id", *("tone", "", "", "harm", "", "")], [["", *WHO, *WHO], *([i, *(BOTH[k][j][i] for k in range(2) for j in range(3))] for i in range(N))]),
    "a row for each question": text(["item", "rater", "question", "answer"], [[i, who, q, BOTH[k][j][i]] for i in range(N) for j, who in enumerate(WHO) for k, q in enumerate(("tone", "harm"))]),
    "a column for each question": text(["doc", "annotator", "tone", "harm"], [[i, who, TONE[j][i], TOXIC[j][i]] for i in range(N) for j, who in enumerate(WHO)]),
}  # fmt: skip
