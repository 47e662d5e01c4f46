"""``raters consensus --next``, and sheets that are empty."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import raters
from raters.models.follow_up.next_labels import label_next


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """24 items with three of four raters each; rater 0 is a number that Python takes for nothing."""
    rows = [(i, j, "ny"[(i + (j == 3) * (i % 3)) % 2]) for i in range(24) for j in range(4) if j != i % 4]
    there = tmp_path / "l.csv"
    there.write_text("item,rater,label\n" + "".join(f"q{i},{j},{x}\n" for i, j, x in rows))
    return there


def asked(out: str) -> list[tuple[str, str]]:
    lines = [line.split() for line in out.splitlines() if " bits  " in line and line.startswith("  ")]
    return [(words[2], " ".join(words[4:])) for words in lines]


def test_the_command_says_how_many_labels_it_can_ask_for(run: Any, table: Path) -> None:
    code, out, _ = run("consensus", table, "--model", "one_coin", "--next", "8")
    assert code == 0 and len(asked(out)) == 8 and "can be asked for" not in out
    _, out, _ = run("consensus", table, "--model", "one_coin", "--next", "30")
    assert len(asked(out)) == 10 and "14 more labels to ask for: --next-file FILE, or --all" in out
    assert "nly 24 of 30 labels can be asked for" in out
    _, every, _ = run("consensus", table, "--model", "one_coin", "--next", "30", "--all")
    assert len(asked(every)) == 24 and asked(every)[:10] == asked(out)
    code, _, err = run("consensus", table, "--next", "-3")
    assert code == 2 and "--next -3 is not a number of labels" in err


EVIL = '=1+1 "quoted", <b>\u202e'


@pytest.fixture
def tweets(tmp_path: Path) -> Path:
    """Items under a name of their own, with a text that spreadsheets and browsers would take for something else."""
    there = tmp_path / "t.csv"
    with there.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["tweet", "text", "topic", "rater", "label"])
        for i in range(24):
            for j in range(4):
                if j != i % 4:
                    out.writerow([f"q{i}", f"{EVIL} {i}", "ab"[i % 2], "abcd"[j], "ny"[(i + (j == 3) * (i % 3)) % 2]])
    return there


HOW = ("--item", "tweet", "--rater", "rater", "--label", "label")


@pytest.mark.parametrize("tool", ["label_studio", "argilla", "doccano"])
def test_the_next_labels_are_tasks_that_tools_import_and_lead_nobody(run: Any, tweets: Path, tool: str) -> None:
    path = tweets.with_name("tasks.jsonl" if tool == "doccano" else "tasks.json")
    code, out, err = run("consensus", tweets, *HOW, "--next", "5", "--next-file", path, "--next-for", tool)
    assert code == 0 and "5 labels to ask for are in" in out and not asked(out), err
    text = path.read_text(encoding="utf-8")
    made = [json.loads(line) for line in text.splitlines()] if tool == "doccano" else json.loads(text)
    c = raters.consensus(raters.read(tweets, item="tweet", rater="rater", label="label"))
    wanted = [row.item for row in label_next(c, 5)]
    flat = [{**row.get("data", {}), **row.get("fields", {}), **row.get("metadata", {}), **row} for row in made]
    assert [row["tweet"] for row in flat] == wanted and len(wanted) == 5
    assert [row["text"] for row in flat] == [f"{EVIL} {item[1:]}" for item in wanted]
    assert not any({"certainty", "probability", "prediction", "suggestions"} & set(row) for row in flat)
    assert all(row["label"] == [] for row in flat) if tool == "doccano" else not any("label" in row for row in flat)


def test_the_next_labels_are_a_table_by_the_ending_of_the_file(run: Any, tweets: Path) -> None:
    for ending in ("csv", "xlsx"):
        code, _, err = run("consensus", tweets, *HOW, "--next-file", tweets.with_name(f"next.{ending}"))
        assert code == 0, err
    rows = list(csv.reader(io.StringIO(tweets.with_name("next.csv").read_text(encoding="utf-8"))))
    cells = list(openpyxl.load_workbook(tweets.with_name("next.xlsx")).worksheets[0].iter_rows())
    assert rows[0] == ["tweet", "text", "topic", "rater", "bits"] == [c.value for c in cells[0]]
    assert [row[0] for row in rows[1:]] == [row[0].value for row in cells[1:]] and len(rows) == 25
    assert all(c.data_type != "f" for row in cells for c in row) and rows[1][1].startswith("'=")
    for more, said in (
        (["--next-file", "n.json"], "or name the tool: --next-for label_studio, argilla, doccano"),
        (["--next-file", "n.json", "--next-for", "doccano"], "doccano imports a file that ends in .jsonl"),
        (["--next-for", "doccano"], "needs a file"),
        (["--next-file", "n.csv", "-o", "n.csv"], "name the same file"),
    ):
        code, _, err = run("consensus", tweets, *HOW, *more)
        assert code == 2 and said in err, err


def test_report_and_command_have_one_list() -> None:
    ann = raters.examples.demo()
    (shown,) = (t for t in raters.report(ann, resamples=50).section("next").tables() if t.name == "next")
    wanted = [row for row in label_next(raters.consensus(ann), 100) if row.certainty < 0.99]
    assert [row[0] for row in (*shown.rows, *shown.rest)] == [str(row.item) for row in wanted]


@pytest.mark.parametrize("option", ["--gold", "--check"])
def test_an_empty_sheet_is_said_to_be_empty(run: Any, table: Path, option: str) -> None:
    empty = table.with_name("empty.csv")
    empty.write_text("\n")
    code, _, err = run("consensus", table, "--model", "one_coin", "--next", "2", option, empty)
    assert code != 0 and "empty.csv: the file is empty." in err and err.count("\n") == 1
