"""What made newcomers stumble on the three routes from the front page of the documentation."""

import csv
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from raters.cli import cli

DOCS = Path(__file__).resolve().parents[2] / "docs"


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


@pytest.mark.parametrize("guide", ["good-enough-to-train", "kappa-for-a-reviewer", "model-as-judge"])
def test_the_front_page_leads_to_the_guide(guide):
    assert f"(guides/{guide}.md)" in (DOCS / "index.md").read_text(encoding="utf-8").split("## Words")[0]


@pytest.fixture
def judged(tmp_path):
    """People's labels as CSV, a model's as JSON lines; both name the items by a column that is not a usual name."""
    draw = random.Random(3)
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as out:
        rows = [(f"r{i}", r, "no" if draw.random() < 0.3 else "yes") for i in range(30) for r in ("ann", "ben", "cat")]
        csv.writer(out).writerows([("response_id", "annotator", "helpful"), *rows])
    said = [
        {
            "response_id": f"r{i}",
            "judge": "gpt",
            "verdict": draw.choice(["yes", "no"]),
            "confidence": round(draw.random(), 2),
            "rationale": "it is so",
        }
        for i in range(50)
    ]
    (tmp_path / "gpt.jsonl").write_text("".join(json.dumps(x) + "\n" for x in said), encoding="utf-8")
    return tmp_path


def test_items_of_a_judge_are_named_as_in_the_file_of_people(judged):
    done = run("judge", judged / "people.csv", "--model", judged / "gpt.jsonl", "--interval", "none")
    assert done.exit_code == 0, done.exception
    assert "Items are named by column 'response_id', as in people.csv" in " ".join(done.output.split())
    given = run(
        "judge", judged / "people.csv", "--model", judged / "gpt.jsonl", "--interval", "none", "--item", "response_id"
    )
    table = [line for line in done.output.splitlines() if line.endswith("  kappa")]
    assert table and table == [line for line in given.output.splitlines() if line.endswith("  kappa")]


def test_a_judge_whose_items_have_another_name_still_says_what_to_type(judged):
    text = (judged / "gpt.jsonl").read_text(encoding="utf-8").replace("response_id", "key_of_it")
    (judged / "other.jsonl").write_text(text, encoding="utf-8")
    done = run("judge", judged / "people.csv", "--model", judged / "other.jsonl")
    assert "no column looks like the item" in str(done.exception)


def test_look_shows_the_ends_of_long_labels(tmp_path):
    long = "an answer in free text " * 10
    (tmp_path / "x.csv").write_text(f"item,rater,label\n1,a,{long}\n1,b,short\n", encoding="utf-8")
    shown = next(line for line in run("look", tmp_path / "x.csv").output.splitlines() if "…" in line)
    assert len(shown) <= 80


def test_that_no_column_was_found_is_told_by_the_kind_of_the_error(tmp_path):
    """The judge's road depends on it, whatever the words of the message."""
    import pytest

    import raters
    from raters.errors import NoColumn

    file = tmp_path / "x.csv"
    file.write_text("key,said\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(30)), encoding="utf-8")
    with pytest.raises(NoColumn) as found:
        raters.read(file)
    assert found.value.role in ("item", "rater")


@pytest.fixture
def coders(tmp_path):
    """A file for each of two coders, with a line above the table and variables whose names have blanks."""
    draw = random.Random(1)
    for who in ("coder_1", "coder_2"):
        rows = [
            (f"Art. {i}", 1 + (i + draw.choice((0, 0, 0, 1))) % 5, 1 + (i + draw.choice((0, 0, 1))) % 3)
            for i in range(28)
        ]
        with (tmp_path / f"{who}.csv").open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(
                [("Coding sheet", "", ""), ("Reference", "tone (1 to 5)", "depth (1 to 3)"), *rows]
            )
    return sorted(tmp_path.glob("coder_*.csv"))


def test_a_file_for_each_coder(coders, tmp_path):
    docx = pytest.importorskip("docx")
    done = run("agree", *coders, "-c", "cohen,alpha", "--format", "json")
    assert [e["coefficient"] for e in json.loads(done.stdout)["estimates"]] == ["cohen", "krippendorff"] * 2
    assert "unknown coefficient 'foo'" in run("agree", *coders, "-c", "cohen,foo").output
    assert "--question 'tone (1 to 5)'" in run("agree", *coders).stdout.split("More")[1]  # as one pastes it
    raters = run("look", *coders, "--question", "tone (1 to 5)").stdout
    assert "coder_1" in raters and "coder_1.csv'" not in raters
    assert run("report", *coders, "-o", tmp_path / "r.docx").exit_code == 0
    made = docx.Document(str(tmp_path / "r.docx"))
    head, *rows = [[cell.text for cell in row.cells] for row in made.tables[0].rows]
    assert head[0] == "question" and sorted(row[0] for row in rows) == ["depth (1 to 3)", "tone (1 to 5)"]


def test_whose_absence_changes_most_is_the_answer(tmp_path):
    draw = random.Random(4)
    rows = []
    for i in range(60):
        truth = draw.choice("xyz")
        rows += [
            (f"i{i}", r, draw.choice("xyz") if draw.random() < wrong else truth)
            for r, wrong in (("ann", 0.1), ("ben", 0.1), ("odd", 0.9))
        ]
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("item", "rater", "label"), *rows])
    said = " ".join(run("agree", tmp_path / "x.csv", "--per", "rater", "--leave-out").stdout.split())
    made = json.loads(run("agree", tmp_path / "x.csv", "--per", "rater", "--leave-out", "--format", "json").stdout)
    value = {e["name"]: e["value"] for e in made["estimates"]}
    assert f"{value['all raters']:.2f}; it changes most without odd: to {value['without odd']:.2f} (95%" in said
    lowest = run("agree", tmp_path / "x.csv", "--per", "rater").stdout.split("items")[0]
    assert lowest.index("odd") < lowest.index("ann")


def test_items_are_shown_hardest_first_by_a_share_that_one_can_read(judged):
    file = judged / "people.csv"
    rows = {}
    with file.open(encoding="utf-8", newline="") as given:
        for row in csv.DictReader(given):
            rows.setdefault(row["response_id"], []).append(row["helpful"])
    split = [item for item, labels in rows.items() if len(set(labels)) > 1]
    done = run("agree", file, "--per", "item")
    head, table, *_ = done.stdout.split("\n\n")
    assert f"People differ on {len(split)} of {len(rows)} items, the hardest first" in " ".join(head.split())
    shown = [line.split() for line in table.splitlines()[1:]]
    assert len(shown) == 20 and {name for name, _ in shown[: len(split)]} <= set(split)
    assert {value for name, value in shown if name in split} == {"0.33"}  # one of three pairs
    assert len(run("agree", file, "--per", "item", "--all").stdout.split("\n\n")[1].splitlines()) == 1 + len(rows)
