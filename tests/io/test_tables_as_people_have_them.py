"""Small files as people have them: each is read right without an option, or refused with a command that then works."""

import json
import random
import sqlite3

import duckdb
import numpy as np
import openpyxl
import pandas
import polars
import pytest

import raters
from raters.errors import RatersError

rng = random.Random(18)
LABELS = ["neg", "neu", "pos"]
N = 24
TRUTH = [rng.choice(LABELS) for _ in range(N)]
GIVEN = [[t if rng.random() < 0.75 else rng.choice(LABELS) for t in TRUTH] for _ in range(3)]
THEMES = [rng.choice(["news", "sport", "tech"]) for _ in range(N)]
SCORES = [[1 + 2 * LABELS.index(v) + rng.choice([0, 0, 1]) for v in row] for row in GIVEN]


def lines(header, rows, sep=","):
    return "\n".join([header, *(sep.join(map(str, row)) for row in rows)]) + "\n"


LONG = [(f"i{i}", f"r{j}", GIVEN[j][i]) for i in range(N) for j in range(3)]
WIDE = [(i, *(GIVEN[j][i] for j in range(3))) for i in range(N)]
NOMINAL = raters.agreement(raters.read(LONG, scale="nominal"), interval=None).value
NUMERIC = raters.agreement(
    raters.read([(i, j, SCORES[j][i]) for i in range(N) for j in range(3)], scale="ordinal"), interval=None
).value
HALVES = [[x + 0.5 * (i % 2) for i, x in enumerate(row)] for row in SCORES]
DECIMAL = raters.agreement(
    raters.read([(i, j, HALVES[j][i]) for i in range(N) for j in range(3)], scale="interval"), interval=None
).value


def commas(x):
    return f"{x:.1f}".replace(".", ",")


FILES = {
    "long, commas": ("a.csv", lines("item,rater,label", LONG), NOMINAL),
    "long, semicolons": ("a.csv", lines("item;rater;label", LONG, ";"), NOMINAL),
    "long, tabs in a .txt": ("a.txt", lines("item\trater\tlabel", LONG, "\t"), NOMINAL),
    "long, a byte order mark": ("a.csv", "\ufeff" + lines("item,rater,label", LONG), NOMINAL),
    "long, Windows line ends": ("a.csv", lines("item,rater,label", LONG).replace("\n", "\r\n"), NOMINAL),
    "long, names of a tool": ("a.csv", lines("doc_id,worker,answer,seconds", [(*r, 3) for r in LONG]), NOMINAL),
    "long, quoted line breaks": ("a.csv", lines("text,rater,label", [(f'"t\n{a}"', b, c) for a, b, c in LONG]), NOMINAL),
    "wide": ("a.csv", lines("id,ann1,ann2,ann3", WIDE), NOMINAL),
    "wide, no id": ("a.csv", lines("ann1,ann2,ann3", [row[1:] for row in WIDE]), NOMINAL),
    "wide, a theme": ("a.csv", lines("id,theme,ann1,ann2,ann3", [(r[0], t, *r[1:]) for r, t in zip(WIDE, THEMES, strict=True)]), NOMINAL),
    "wide, a text": ("a.csv", lines("id,text,ann1,ann2,ann3", [(r[0], f"text number {r[0]}", *r[1:]) for r in WIDE]), NOMINAL),
    "wide, a majority": ("a.csv", lines("id,ann1,ann2,ann3,majority", [(*r, t) for r, t in zip(WIDE, TRUTH, strict=True)]), NOMINAL),
    "wide, gold and a model": ("a.csv", lines("id,gold,ann1,ann2,ann3,prediction", [(r[0], t, *r[1:], t) for r, t in zip(WIDE, TRUTH, strict=True)]), NOMINAL),
    "wide, an index": ("a.csv", lines(",doc,coder_A,coder_B,coder_C", [(i, f"d{i}", *r[1:]) for i, r in enumerate(WIDE)]), NOMINAL),
    "wide, a constant": ("a.csv", lines("id,project,ann1,ann2,ann3", [(r[0], "p1", *r[1:]) for r in WIDE]), NOMINAL),
    "wide, people's names": ("a.csv", lines("item,Ana,Ben,Chi", WIDE), NOMINAL),
    "wide, numbers": ("a.csv", lines("id,r1,r2,r3", [(i, *(SCORES[j][i] for j in range(3))) for i in range(N)]), NUMERIC),
    "wide, numbers and a mean": ("a.csv", lines("id,r1,r2,r3,mean", [(i, *(s := [SCORES[j][i] for j in range(3)]), sum(s) / 3) for i in range(N)]), NUMERIC),
    "wide, numbers and an age": ("a.csv", lines("id,age,r1,r2,r3", [(i, 20 + 2 * i % 47, *(SCORES[j][i] for j in range(3))) for i in range(N)]), NUMERIC),
    "wide, word pairs": ("a.csv", lines("word1,word2,r1,r2,r3,Human (mean)", [(f"a{i % 5}", f"b{i}", *(SCORES[j][i] for j in range(3)), 3.3) for i in range(N)]), NUMERIC),
    "wide, decimal commas": ("a.csv", lines("id;r1;r2;r3", [(i, *(commas(HALVES[j][i]) for j in range(3))) for i in range(N)], ";"), DECIMAL),
    "wide, decimal commas in quotes": ("a.csv", lines("id,r1,r2,r3", [(i, *(f'"{commas(HALVES[j][i])}"' for j in range(3))) for i in range(N)]), DECIMAL),
    "raters in rows": ("a.csv", lines("participant," + ",".join(f"Q{i}" for i in range(N)), [(f"p{j}", *GIVEN[j]) for j in range(3)]), NOMINAL),
    "JSON, a list": ("a.json", json.dumps([{"item": a, "rater": b, "label": c} for a, b, c in LONG]), NOMINAL),
    "JSON lines": ("a.jsonl", "\n".join(json.dumps({"item": a, "rater": b, "label": c}) for a, b, c in LONG), NOMINAL),
    "JSON, records under a key": ("a.json", json.dumps({"version": 2, "data": [{"item": a, "rater": b, "label": c} for a, b, c in LONG]}), NOMINAL),
    "JSON, pretty-printed": ("a.json", json.dumps([{"item": a, "rater": b, "label": c} for a, b, c in LONG], indent=2), NOMINAL),
    "JSON, labels by rater": ("a.json", json.dumps({f"i{i}": {"text": "t", "annotations": {f"r{j}": GIVEN[j][i] for j in range(3)}} for i in range(N)}), NOMINAL),
    "lists beside raters": ("a.jsonl", "\n".join(json.dumps({"id": i, "annotators": ["a", "b", "c"], "annotations": [GIVEN[j][i] for j in range(3)]}) for i in range(N)), NOMINAL),
    "lists as text": ("a.csv", lines("id;annotators;annotations", [(i, "a,b,c", ",".join(GIVEN[j][i] for j in range(3))) for i in range(N)], ";"), NOMINAL),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_read_right_without_an_option(name, tmp_path):
    file, text, value = FILES[name]
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    ann = raters.read(path)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 3, 3 * N), str(ann)
    assert raters.agreement(ann, interval=None).value == pytest.approx(value, abs=1e-12)
    if ann.layout != "long":
        assert ann.recognised and ann.recognised in str(ann).splitlines()[0]


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_counts_and_patterns(tmp_path):
    path = tmp_path / "counts.csv"
    counts = [[sum(GIVEN[j][i] == label for j in range(3)) for label in LABELS] for i in range(N)]
    path.write_text(lines("item,neg,neu,pos", [(i, *row) for i, row in enumerate(counts)]))
    ann = raters.read(path)
    assert ann.layout == "counts" and "counts of the labels" in ann.recognised
    assert raters.agreement(ann, interval=None).value == pytest.approx(NOMINAL)
    patterns = {}
    for row in WIDE:
        patterns[row[1:]] = patterns.get(row[1:], 0) + 1
    path.write_text(lines("r1,r2,r3,n", [(*row, n) for row, n in patterns.items()]))
    ann = raters.read(path)
    assert ann.n_items == N and raters.agreement(ann, interval=None).value == pytest.approx(NOMINAL)
    assert "as often as column 'n' says" in ann.recognised


def test_two_plausible_readings_are_both_commands_that_work(tmp_path):
    path = tmp_path / "two.csv"
    rows = [(i, GIVEN[0][i], GIVEN[1][i], THEMES[i], THEMES[(i + 1) % N]) for i in range(N)]
    path.write_text(lines("id,tone_1,tone_2,topic_1,topic_2", rows))
    with pytest.raises(RatersError, match=r"contains 2 questions.*'tone' .48 labels., 'topic'"):
        raters.read(path)
    path.write_text(lines("id,tone,mood,topic,theme", rows))
    with pytest.raises(RatersError, match=r"rater=\['tone', 'mood'\](.|\n)*rater=\['topic', 'theme'\]"):
        raters.read(path)
    path.write_text(lines("id,tone_1,tone_2,topic_1,topic_2", rows))
    assert set(raters.read(path, rater="tone_1,tone_2").labels) <= set(LABELS)
    assert set(raters.read(path, rater=["topic_1", "topic_2"]).labels) <= set(THEMES)
    assert raters.read(path, rater="topic_1:topic_2").n_raters == 2


def test_columns_that_share_nothing_are_no_raters(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text(lines("id,theme,tone", [(i, THEMES[i], GIVEN[0][i]) for i in range(N)]))
    with pytest.raises(RatersError, match="does not look like a table of labels by several raters"):
        raters.read(path)


def test_wide_said_to_be_wide_leaves_attributes_aside(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(FILES["wide, a theme"][1])
    ann = raters.read(path, layout="wide")
    assert ann.n_raters == 3 and "not raters: 'theme'" in ann.recognised and ann.extras == ("theme",)


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_workbooks_databases_and_statistics_files(tmp_path):
    frame = pandas.DataFrame(LONG, columns=["item", "rater", "label"])
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["made by hand"])
    sheet = book.create_sheet("round 1")
    for row in [("item", "rater", "label"), *LONG]:
        sheet.append(row)
    other = book.create_sheet("round 2")
    for row in [("item", "rater", "label"), ("q", "r0", "pos"), ("q", "r1", "pos")]:
        other.append(row)
    book.save(tmp_path / "a.xlsx")
    pyreadstat = pytest.importorskip("pyreadstat")
    codes = frame.assign(label=[LABELS.index(v) + 1.0 for v in frame["label"]])
    named = {"label": {i + 1.0: v for i, v in enumerate(LABELS)}}
    for ending, write in (("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta)):
        write(
            codes,
            str(tmp_path / f"a.{ending}"),
            variable_value_labels=named if ending == "sav" else {"label": {1: "neg", 2: "neu", 3: "pos"}},
        )
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("CREATE TABLE answers (item, rater, label)")
        connection.executemany("INSERT INTO answers VALUES (?, ?, ?)", LONG)
    connection.close()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.register("frame", polars.DataFrame(LONG, schema=["item", "rater", "label"], orient="row").to_arrow())
        database.execute("CREATE TABLE answers AS SELECT * FROM frame")
    polars.DataFrame(LONG, schema=["item", "rater", "label"], orient="row").write_ipc(
        tmp_path / "a.arrow", compression="uncompressed"
    )
    for ending in ("xlsx", "sav", "dta", "sqlite", "duckdb", "arrow"):
        ann = raters.read(tmp_path / f"a.{ending}")
        assert (ann.n_items, ann.n_raters, ann.labels) == (N, 3, tuple(LABELS)), ending
        assert raters.agreement(ann, interval=None).value == pytest.approx(NOMINAL)
    assert any("sheet 'round 1'" in note and "'round 2'" in note for note in raters.read(tmp_path / "a.xlsx").warnings)
    assert raters.read(tmp_path / "a.xlsx", sheet="round 2").n_items == 1
    with pytest.raises(RatersError, match="no sheet 'round 3'; there are: 'notes', 'round 1', 'round 2'"):
        raters.read(tmp_path / "a.xlsx", sheet="round 3")
    with pytest.raises(RatersError, match="no table 'other'"):
        raters.read(tmp_path / "a.sqlite", sheet="other")


def test_numbers_of_a_workbook_are_whole_where_they_were_typed_so(tmp_path):
    book = openpyxl.Workbook()
    for row in [("id", "r1", "r2"), *((i, SCORES[0][i], SCORES[1][i]) for i in range(N))]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    ann = raters.read(tmp_path / "a.xlsx", scale="ordinal")
    assert all(isinstance(v, int) for v in ann.labels) and ann.n_raters == 2


def test_thousands_are_not_taken_for_decimals(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "item;rater;label\n" + "".join(f"i{i};r{j};{1 + i % 3},{200 + j:03d}\n" for i in range(4) for j in range(2))
    )
    ann = raters.read(path)
    assert (
        any("may mark thousands or decimals, so they were read as text" in note for note in ann.warnings)
        and not ann.numeric
    )


def test_several_labels_in_a_cell_are_said(tmp_path):
    ann = raters.read([("a", "x", "family"), ("a", "y", "family; health"), ("b", "x", "health"), ("b", "y", "health")])
    assert any("'family; health'" in note and "sep=';'" in note for note in ann.warnings)
    assert not raters.read([("a", "x", "no"), ("a", "y", "yes; but no"), ("b", "x", "yes")]).warnings


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_frames_in_any_layout():
    wide = pandas.DataFrame(WIDE, columns=["id", "ann1", "ann2", "ann3"]).assign(theme=THEMES)
    for frame in (wide, polars.from_pandas(wide), wide.set_index("id").reset_index()):
        ann = raters.read(frame)
        assert ann.n_raters == 3 and raters.agreement(ann, interval=None).value == pytest.approx(NOMINAL)
    lists = pandas.DataFrame(
        {"id": range(N), "annotators": [["a", "b", "c"]] * N, "labels": [list(t) for t in np.array(GIVEN).T]}
    )
    assert raters.agreement(raters.read(lists), interval=None).value == pytest.approx(NOMINAL)


def test_a_table_of_any_schema_and_of_an_attached_database(tmp_path):
    made = (
        "SELECT i // 3 AS item, i % 3 AS rater, CASE WHEN i % 4 < 2 THEN 'no' ELSE 'yes' END AS label FROM range(90) AS"
        " t(i)"
    )
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE SCHEMA crowd; CREATE TABLE crowd.labels AS {made}")
    assert raters.read(path).n_items == 30
    with duckdb.connect(str(tmp_path / "mine.duckdb")) as mine:
        mine.execute(f"ATTACH '{path}' AS other (READ_ONLY)")
        for relation in (mine.table("other.crowd.labels"), mine.sql("FROM other.crowd.labels")):
            assert raters.read(relation).n_items == 30
        with pytest.raises(RatersError, match=r"connection.table\('labels'\)"):
            raters.read(mine)
        mine.execute("DETACH other")
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE labels AS SELECT 1 AS a")
    with pytest.raises(RatersError, match=r"2 tables; choose one with .*'crowd.labels', 'labels'"):
        raters.read(path)
    assert raters.read(path, sheet="crowd.labels").n_items == 30
