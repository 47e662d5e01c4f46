"""The training file: other libraries read it as it is, with the item's own column and whatever was carried."""

import csv
import json
import pickle

import pytest

import raters

ROWS = [(f"t{i}", f"a text, {i}", who, "yn"[(i + (who == "c") * (i % 3 == 0)) % 2]) for i in range(12) for who in "abc"]


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("tweet,text,rater,label\n" + "".join(f'{a},"{b}",{c},{d}\n' for a, b, c, d in ROWS))
    return path


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_the_training_file_keeps_names_and_adds_label_probability_and_weight(run, labels, tmp_path, ending):
    path = tmp_path / f"gold.{ending}"
    code, _, err = run("consensus", labels, "--item", "tweet", "--model", "majority", "--soft", "-o", path)
    assert code == 0, err
    if ending == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    elif ending == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            text = {"tweet", "text", "label"}
            rows = [{k: x if k in text else json.loads(x) for k, x in row.items()} for row in csv.DictReader(file)]
        code, out, err = run("consensus", labels, "--item", "tweet", "--model", "majority", "--check", path)
        assert code == 0 and "Against 12 gold labels" in " ".join(out.split())  # by the item's own name
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


def test_python_gives_the_same_table_as_the_file(run, labels, tmp_path):
    path = tmp_path / "gold.parquet"
    code, _, err = run("consensus", labels, "--item", "tweet", "--model", "majority", "--soft", "-o", path)
    assert code == 0, err
    pd = pytest.importorskip("pandas")
    c = raters.consensus(raters.read(labels, item="tweet"), "majority")
    pd.testing.assert_frame_equal(c.to_frame(soft=True), pd.read_parquet(path), check_dtype=False)
    assert list(c.to_frame(soft=False)) == [x for x in pd.read_parquet(path) if not x.startswith("p(")]
    again = pickle.loads(pickle.dumps(c))
    assert again.labels == c.labels and list(again.to_frame())[:2] == ["item", "label"]
    with pytest.raises(raters.errors.UsageError, match="the columns of its table are not known"):
        again.to_frame(soft=True)


def test_a_card_names_the_file_and_its_columns(run, labels, tmp_path):
    (tmp_path / "data").mkdir()
    data, place = tmp_path / "data" / "gold.jsonl", tmp_path / "README.md"
    code, _, err = run("consensus", labels, "--item", "tweet", "--soft", "-o", data, "--card", place)
    assert code == 0, err
    text = place.read_text(encoding="utf-8")
    front = text.split("---\n")[1]
    assert 'data_files: "data/gold.jsonl"' in front and "- n<1K" in front
    assert all(f"`{name}`" in text for name in ("tweet", "text", "label", "probability", "weight", "n_labels"))
    assert "the share of each label (2 columns)" in text and "12 items, 3 raters" in text
    code, _, err = run("consensus", labels, "--item", "tweet", "-o", tmp_path / "g.json", "--card", tmp_path / "R.md")
    assert code == 2 and "--card describes a training file" in err


@pytest.mark.parametrize("tool", ["label_studio", "argilla", "doccano"])
def test_no_task_holds_the_truth(run, tmp_path, tool):
    rows = "".join(f'{a},"{b}",{c},{d},y\n' for a, b, c, d in ROWS)
    (tmp_path / "labels.csv").write_text(f"tweet,text,rater,label,gold\n{rows}")
    path = tmp_path / f"next.{'jsonl' if tool == 'doccano' else 'json'}"
    code, _, err = run(
        "consensus", tmp_path / "labels.csv", "--item", "tweet", "--label", "label", "--next", "5", "--next-for", tool,
        "--next-file", path,
    )  # fmt: skip
    assert code == 0, err
    made = path.read_text(encoding="utf-8")
    tasks = [json.loads(line) for line in made.splitlines()] if tool == "doccano" else json.loads(made)
    assert len(tasks) == 5 and "a text, " in made and "gold" not in made
