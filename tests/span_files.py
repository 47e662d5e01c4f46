"""One small project as each tool writes it."""

import csv
import json

TEXT = "Ann Smith met Bob in Rome. Then Bob left for Oslo and Ann wept."
MARKS = {
    "ann": [(0, 9, "PER"), (14, 17, "PER"), (21, 25, "LOC"), (45, 49, "LOC")],
    "bob": [(0, 3, "PER"), (14, 17, "PER"), (21, 25, "ORG"), (32, 35, "PER"), (45, 49, "LOC")],
}
EXPECTED = 2 * 2 / 9


def brat(folder):
    for rater, marks in MARKS.items():
        (folder / rater).mkdir()
        lines = [f"T{i}\t{c} {s} {e}\t{TEXT[s:e]}\n" for i, (s, e, c) in enumerate(marks, 1)]
        (folder / rater / "d.ann").write_text("".join(lines), encoding="utf-8")
        (folder / rater / "d.txt").write_text(TEXT, encoding="utf-8")
    return folder


def tokens():
    at = 0
    for word in TEXT.split(" "):
        yield word, at, at + len(word)
        at += len(word) + 1


def webanno(folder):
    for rater, marks in MARKS.items():
        lines = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=x.NamedEntity|value", "", "", f"#Text={TEXT}"]
        for i, (word, s, e) in enumerate(pieces(), 1):
            here = [(k, c) for k, (a, b, c) in enumerate(marks, 1) if a < e and b > s]
            lines.append(f"1-{i}\t{s}-{e}\t{word}\t" + ("|".join(f"{c}[{k}]" for k, c in here) or "_") + "\t")
        (folder / f"{rater}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def pieces():
    """Tokens without the full stop."""
    for word, s, e in tokens():
        if word.endswith("."):
            yield word[:-1], s, e - 1
            yield ".", e - 1, e
        else:
            yield word, s, e


def label_studio(folder):
    def result(s, e, c):
        value = {"start": s, "end": e, "text": TEXT[s:e], "labels": [c]}
        return {"type": "labels", "from_name": "ner", "to_name": "text", "value": value}

    tasks = [
        {"id": 1, "data": {"text": TEXT}, "annotations": [
            {"completed_by": {"email": r}, "result": [result(*m) for m in marks]} for r, marks in MARKS.items()]}
    ]  # fmt: skip
    (folder / "x.json").write_text(json.dumps(tasks), encoding="utf-8")
    return folder / "x.json"


def doccano(folder):
    for rater, marks in MARKS.items():
        record = {"id": 1, "text": TEXT, "label": [list(m) for m in marks]}
        (folder / f"{rater}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return folder


def prodigy(folder):
    for rater, marks in MARKS.items():
        spans = [{"start": s, "end": e, "label": c} for s, e, c in marks]
        record = {"text": TEXT, "_input_hash": 1, "_task_hash": 2, "spans": spans, "answer": "accept"}
        (folder / f"{rater}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return folder


def conll(folder):
    for rater, marks in MARKS.items():
        lines = []
        for word, s, e in pieces():
            label = next((("B-" if a == s else "I-") + c for a, b, c in marks if a < e and b > s), "O")
            lines.append(f"{word} {label}")
        (folder / f"{rater}.conll").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def table(folder):
    with (folder / "x.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["doc", "annotator", "start", "end", "label"])
        out.writerows(["d", r, *m] for r, marks in MARKS.items() for m in marks)
    return folder / "x.csv"


def argilla(folder):
    given = [{"user_id": r, "status": "submitted", "value": [{"start": s, "end": e, "label": c} for s, e, c in marks]}
             for r, marks in MARKS.items()]  # fmt: skip
    record = {"id": "1", "fields": {"text": TEXT}, "responses": {"ner": given}, "suggestions": {}}
    (folder / "x.json").write_text(json.dumps([record]), encoding="utf-8")
    return folder / "x.json"
