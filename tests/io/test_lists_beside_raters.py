"""Files in the format of HS-Brexit (labels and raters in lists beside each other) and of JUDGE-BENCH."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from raters import read
from raters.io.table import SeveralQuestions

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
