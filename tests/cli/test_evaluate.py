"""``raters evaluate`` and ``raters consensus --shares`` on files."""

import json

import pytest


@pytest.fixture
def files(tmp_path):
    labels = ["item,rater,label", *(f"i{i},r{j},{'ab'[(i + j) % 3 == 0]}" for i in range(30) for j in range(5))]
    (tmp_path / "labels.csv").write_text("\n".join(labels) + "\n")
    (tmp_path / "q.csv").write_text("item,p(a),p(b)\n" + "".join(f"i{i},0.6,0.4\n" for i in range(30)))
    (tmp_path / "hard.csv").write_text("item,label\n" + "".join(f"i{i},b\n" for i in range(30)))
    return tmp_path


def test_shares_are_written_and_evaluated(files, run):
    shares = files / "s.parquet"
    assert "30 items: 2 labels, 5 raters" in run("consensus", files / "labels.csv", "--shares", "-o", shares)[1]
    from_table = run("evaluate", files / "q.csv", files / "labels.csv", "--format", "json")
    from_shares = run("evaluate", files / "q.csv", shares, "--format", "json")
    one, two = (json.loads(r[1]) for r in (from_table, from_shares))
    assert one["sentence"] == two["sentence"] and [e["value"] for e in one["estimates"]] == [e["value"] for e in two["estimates"]]  # fmt: skip
    assert one["labels_per_item"] == {"least": 5, "median": 5.0, "most": 5}


def test_the_answer_comes_first_and_fits_the_terminal(files, run):
    out = run("evaluate", files / "q.csv", files / "labels.csv", "--against", files / "hard.csv")[1]
    assert out.startswith("By the Brier score, the first system is closer to the crowd")
    assert all(len(line) <= 80 for line in out.splitlines()) and "(assumed: labels are text" in out


def test_one_line_for_what_cannot_be_read(files, run):
    (files / "bad.csv").write_text("item,p(a),p(b)\ni0,0.6,0.5\ni1,0.5,0.5\n")
    code, out, err = run("evaluate", files / "bad.csv", files / "labels.csv")
    assert code == 2 and not out and "do not sum to 1" in err and len(err.strip().splitlines()) == 1
    code, _, err = run("evaluate", files / "none.csv", files / "labels.csv")
    assert code == 2 and "none.csv" in err and len(err.strip().splitlines()) == 1
