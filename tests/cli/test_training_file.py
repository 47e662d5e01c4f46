"""The training file: other libraries read it as it is, with the item's own column and whatever was carried."""

import json

import pytest

ROWS = [(f"t{i}", f"a text, {i}", who, "yn"[(i + (who == "c") * (i % 3 == 0)) % 2]) for i in range(12) for who in "abc"]


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("tweet,text,rater,label\n" + "".join(f'{a},"{b}",{c},{d}\n' for a, b, c, d in ROWS))
    return path


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_the_training_file_keeps_names_and_adds_label_probability_and_weight(run, labels, tmp_path, ending):
    path = tmp_path / f"gold.{ending}"
    code, _, err = run("consensus", labels, "--item", "tweet", "--model", "majority", "--soft", "-o", path)
    assert code == 0, err
    if ending == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    assert list(rows[0]) == ["tweet", "text", "label", "probability", "weight", "n_labels", "p(n)", "p(y)"]
    texts = {a: b for a, b, _, _ in ROWS}
    votes = {name: [d for a, _, _, d in ROWS if a == name] for name in texts}
    for row in rows:
        most = max(set(votes[row["tweet"]]), key=votes[row["tweet"]].count)
        assert row["text"] == texts[row["tweet"]] and row["label"] == most and row["n_labels"] == 3
        assert row["probability"] == row["weight"] == pytest.approx(row[f"p({most})"])


def test_items_below_the_threshold_have_no_label_and_no_weight(run, labels, tmp_path):
    path = tmp_path / "gold.jsonl"
    code, _, err = run("consensus", labels, "--item", "tweet", "--model", "majority", "--threshold", "1.0", "-o", path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert code == 0, err
    assert {(row["label"] is None, row["weight"] == 0) for row in rows} == {(True, True), (False, False)}


def test_sets_and_several_tasks_are_not_written_as_what_they_are_not(run, labels, tmp_path):
    code, _, err = run("consensus", labels, "--item", "tweet", "--by", "text", "-o", tmp_path / "gold.parquet")
    assert code == 2 and "written as CSV or JSON" in err
    sets = tmp_path / "sets.csv"
    sets.write_text("item,rater,label\n" + "".join(f"{i},{who},a;b\n" for i in range(4) for who in "xy"))
    code, _, err = run("consensus", sets, "--scale", "sets", "--sep", ";", "-o", tmp_path / "sets.parquet")
    assert code == 2 and "written as CSV or JSON" in err
