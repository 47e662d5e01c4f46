"""Files in the format of HS-Brexit (labels and raters in lists beside each other) and of JUDGE-BENCH."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from raters import read
from raters.io.table import SeveralQuestions
from raters.results import InDoubt

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")

Extra = Callable[[int], dict[str, Any]]
BESIDE: dict[str, Extra] = {
    "nothing else": lambda i: {},
    "an object of others": lambda i: {"other_info": {"other annotations": "0,1,1", "domain": "x"}},
    "an aggregate": lambda i: {"hard_label": i % 2, "soft_label": {"0": 0.3, "1": 0.7}, "number of annotations": 3},
    "columns called as others are": lambda i: {"coder": "x", "label": i % 2, "score": i, "id": i, "split": "train"},
}


def record(i: int, extra: Extra) -> dict[str, Any]:
    """Two or three of five annotators, in turn."""
    who = [f"Ann{(i + j) % 5}" for j in range(2 + i % 2)]
    labels = ",".join(str((i // 2 + j) % 2) for j in range(len(who)))
    return {"text": f"t {i}", "annotators": ",".join(who), "annotations": labels, **extra(i)}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("form", ["by id", "list", "lines"])
def test_labels_beside_their_raters_whatever_else_there_is(tmp_path, beside, form):
    records = [record(i, BESIDE[beside]) for i in range(20)]
    path = tmp_path / ("x.jsonl" if form == "lines" else "x.json")
    if form == "by id":
        path.write_text(json.dumps({str(i): r for i, r in enumerate(records)}))
    elif form == "list":
        path.write_text(json.dumps(records))
    else:
        path.write_text("\n".join(map(json.dumps, records)))
    ann = read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations, ann.labels) == (20, 5, 50, (0, 1))


def test_instances_of_judge_bench_beside_their_metrics(tmp_path):
    names = ("coherence", "fluency")
    scores = {m: [[1 + (i + j * k) % 5 for j in range(3)] for i in range(12)] for k, m in enumerate(names, 1)}
    instances = [
        {
            "id": i,
            "instance": f"t{i}",
            "annotations": {m: {"mean_human": 3.0, "individual_human_scores": scores[m][i]} for m in names},
        }
        for i in range(12)
    ]
    about = [{"metric": m, "category": "graded", "worst": 1, "best": 5} for m in names]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"dataset": "x", "annotations": about, "instances": instances}))
    with pytest.raises(SeveralQuestions, match=r"'coherence' \(36 labels\), 'fluency' \(36 labels\)"):
        read(path)
    ann = read(path, question="fluency")
    assert (ann.n_items, ann.n_annotations, ann.labels) == (12, 36, (1, 2, 3, 4, 5))


@pytest.mark.parametrize("n", [2, 3])
def test_objects_of_raters_beside_a_list_of_them_and_tallies(n, tmp_path):
    """As LeWiDi's files of 2025: an object is no list with commas, and the number of raters is no label."""
    who = [[f"Ann{j + 1}" for j in range(2 if n == 2 else 2 + i % 2)] for i in range(40)]
    rows = {f"q{i}": {"number of annotators": len(names), "annotators": ",".join(names), "number of annotations": len(names) + (n > 2),
                      "annotations": {x: str((i + j * (i % 2)) % 4 - 2) for j, x in enumerate(names)}} for i, names in enumerate(who)}  # fmt: skip
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(rows))
    ann = read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (40, n, sum(map(len, who)))
    assert ann.labels == (-2, -1, 0, 1)


def answers(i: int, j: int) -> dict[str, int]:
    """Two labels of a rater, who agrees with the others in most cases."""
    return {"flow": 1 + (i + (j == i % 7)) % 3, "depth": 1 + (i // 2 + (j == i % 5)) % 4}


NESTED: dict[str, tuple[Callable[[int], dict[str, Any]], int]] = {
    "named objects": (
        lambda i: {
            "marks": [{"annotator": f"w{(i + j) % 5}", "age": 20 + i, **answers(i, j), "note": f"{i}{j}"} for j in range(3)]
        },
        5,
    ),
    "objects in turn": (lambda i: {"expert_annotations": [answers(i, j) for j in range(3)]}, 0),
    "lists in several columns": (
        lambda i: {"annotators": ["x", "y", "z"], "ages": [31, 44, 31]}
        | {name: [answers(i, j)[name] for j in range(3)] for name in ("flow", "depth")},
        3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", NESTED)
def test_several_labels_of_a_rater_in_cells_are_several_questions(tmp_path, form):
    make, n_raters = NESTED[form]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": f"d{i}", "text": f"the text {i}", **make(i)} for i in range(30)]))
    with pytest.raises(SeveralQuestions, match=r"'flow' \(90 labels\), 'depth' \(90 labels\)"):
        read(path)
    for name in ("flow", "depth"):
        ann = read(path, question=name)
        assert (ann.n_items, ann.n_raters, ann.n_annotations) == (30, n_raters, 90)
        rows = zip(ann.to_columns()["item"], ann.to_columns()["label"], strict=True)
        want = [(f"d{i}", answers(i, j)[name]) for i in range(30) for j in range(3)]
        assert sorted(rows) == sorted(want)
        if form == "lists in several columns":
            assert read(path, label=name).to_columns()["label"] == ann.to_columns()["label"]


def test_orders_are_no_labels_though_their_parts_recur(tmp_path):
    goods = [{"order": i, "items": [{"sku": "ABCDE"[(i + j) % 5], "qty": 1 + (i * 7 + j * 3) % 4} for j in range(2)]} for i in range(40)]  # fmt: skip
    path = tmp_path / "x.json"
    path.write_text(json.dumps(goods))
    with pytest.raises(InDoubt):
        read(path)


def test_two_columns_of_objects_are_asked_about(tmp_path):
    made = [{"id": f"d{i}", **{f"{who}_votes": [answers(i, j) for j in range(n)] for who, n in (("lay", 5), ("expert", 3))}} for i in range(30)]  # fmt: skip
    path = tmp_path / "x.json"
    path.write_text(json.dumps(made))
    with pytest.raises(InDoubt) as doubt:
        read(path)
    assert [r.options["label"] for r in doubt.value.readings] == ["lay_votes", "expert_votes"]
    assert read(path, label="lay_votes", question="flow").n_annotations == 150
