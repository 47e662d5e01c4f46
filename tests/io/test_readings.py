"""Readings in doubt are asked about and compute nothing; made tables whose names nobody knows are read right or asked about."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from made_tables import GIVEN, PEOPLE, THINGS, VARIABLES, WORKERS, counted

import raters
from raters.cli import cli
from raters.errors import DataError
from raters.io.readings import names
from raters.io.readings.profiles import Facts, profile
from raters.results import InDoubt

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
DOUBT = "id,anna,ben\n" + "".join(f"{i},{1 + i % 4},{1 + (i * (3 if i % 5 == 0 else 1)) % 4}\n" for i in range(60))


def run(*arguments, **more):
    return CliRunner().invoke(cli, list(map(str, arguments)), **more)


@pytest.fixture
def doubtful(tmp_path):
    path = tmp_path / "doubt.csv"
    path.write_text(DOUBT)
    return path


def test_a_reading_in_doubt_is_an_error_that_carries_the_readings(doubtful):
    with pytest.raises(InDoubt, match="Nothing was computed") as caught:
        raters.read(doubtful)
    first = caught.value.readings[0]
    assert first.likely and first.raters == ("anna", "ben") and (first.n_items, first.n_raters) == (60, 2)
    assert raters.read(doubtful, **first.options).n_annotations == 120
    assert raters.read(caught.value.chosen(first)).n_annotations == 120
    assert raters.look(doubtful)[0].options == first.options


def test_the_command_line_asks_and_computes_nothing(doubtful):
    asked = run("look", doubtful)
    assert asked.exit_code and not asked.stdout and "--rater anna,ben" in str(asked.exception)
    made = run("look", doubtful, "--format", "json")
    assert made.exit_code and json.loads(made.stdout)["readings"][0]["command"] == "--item id --rater anna,ben"
    assert run("look", doubtful, "--yes").exit_code == 0


def test_columns_of_several_variables_by_their_pattern(tmp_path):
    path = tmp_path / "a.csv"
    rows = [[i, *("ab"[(i + j * (i % 7 == 0)) % 2] for j in range(4))] for i in range(30)]
    path.write_text("id,x-k,x-m,y-k,y-m\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    ann = raters.read(path, columns="{variable}-{rater}", question="y")
    assert (ann.n_items, ann.n_raters) == (30, 2)
    with pytest.raises(raters.UsageError, match="variable"):
        raters.read(path, columns="{variable}")


def test_items_of_several_columns_and_rows_without_raters():
    rows = [
        {"book": f"b{i // 5}", "page": i % 5, "who": w, "tone": "xy"[(i + (w == "v")) % 2]}
        for i in range(30)
        for w in "uv"
    ]
    ann = raters.read(rows, item="book,page", rater="who", label="tone")
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (30, 2, 60)
    assert raters.read(rows, item=["book", "page"], rater="none", label="tone").n_raters == 0


def test_made_tables_are_read_right_or_asked_about():
    found = counted(108, 5)
    total = sum(found.values(), Counter())
    assert total["wrong"] == 0, found
    assert total["right"] >= 80 and total["refused"] <= 3, found


def test_the_made_names_are_in_no_list_of_the_recogniser():
    known = Path(names.__file__).read_text(encoding="utf-8").lower().split()
    assert not {w.lower() for w in (*GIVEN, *PEOPLE, *THINGS, *VARIABLES, *WORKERS)} & set(known)


@pytest.mark.parametrize("change", ["an id", "a comment", "a mean", "shuffled", "renamed"])
def test_a_reading_survives_what_does_not_concern_it(change):
    rows = [
        {"doc": f"d{i}", "coder1": 1 + i % 3, "coder2": 1 + (i + (i % 5 == 0)) % 3, "coder3": 1 + i % 3}
        for i in range(40)
    ]
    for i, row in enumerate(rows):
        row |= {"an id": {"key": 900 + i}, "a comment": {"remark": "hm" if i % 9 == 0 else ""}}.get(change, {})
        row |= {"mean": round((2 * row["coder1"] + row["coder2"]) / 3, 2)} if change == "a mean" else {}
    if change == "shuffled":
        rows = [{name: row[name] for name in ("coder2", "doc", "coder3", "coder1")} for row in rows]
    if change == "renamed":
        rows = [{name.replace("coder", "judge "): value for name, value in row.items()} for row in rows]
    ann = raters.read(rows)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (40, 3, 120)


def test_columns_that_are_passed_over_could_not_tell_rows_apart():
    rng = np.random.default_rng(3)
    rows = [(i // 2 % 9, *rng.integers(0, 4, 3).tolist(), i % 2, i) for i in range(40)]
    columns = [
        profile(f"c{i}", f"c{i}", list(map(str, cells)), False) for i, cells in enumerate(zip(*rows, strict=True))
    ]
    facts = Facts(tuple(columns), len(rows), True)
    for a, b in permutations(facts.columns, 2):
        able = facts.thirds(a, b, 0.9)
        apart = [q for q in facts.columns if q not in (a, b) and q.distinct > 1 and facts.once(a, b, q) >= 0.9]
        assert all(q in able for q in apart)
    assert [q.name for q in facts.thirds(facts.columns[1], facts.columns[4], 0.9)] == ["c0", "c5"]


def test_a_guessed_reading_that_agrees_less_than_by_chance_has_no_verdict(tmp_path):
    path = tmp_path / "turned.csv"
    own = [("yes", "no")[i % 2] for i in range(40)]
    rows = [
        f"t{i},{who},{x if who == 'Ann' else {'yes': 'no', 'no': 'yes'}[x]}"
        for i, x in enumerate(own)
        for who in ("Ann", "Bob")
    ]
    path.write_text("\n".join(["text_id,coder_name,verdict_given", *rows]))
    text = CliRunner().invoke(cli, ["agree", str(path)]).output
    assert text.startswith("This looks misread: ") and "reliable" not in text
    named = ["--item", "text_id", "--rater", "coder_name", "--label", "verdict_given"]
    assert CliRunner().invoke(cli, ["agree", str(path), *named]).output.startswith("One label is not reliable enough")


def test_duplicates_are_not_offered_where_the_columns_were_guessed():
    rows = [
        {"text_id": f"t{i // 2 % 20}", "coder_name": "AB"[i % 2], "verdict_given": "xy"[i % 3 == 0]} for i in range(41)
    ]
    with pytest.raises(DataError, match="was guessed: name them"):
        raters.agreement(raters.read(rows))
    with pytest.raises(DataError, match="duplicates='first'"):
        raters.agreement(raters.read(rows, item="text_id", rater="coder_name", label="verdict_given"))


def made(tmp_path, head, rows):
    path = tmp_path / "made.csv"
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]))
    return path


def noisy(i, j, labels="abc"):
    """The label of rater j for item i: the item's own, but for every fourth."""
    return labels[(i * 7 + i // 3 + (i + j) % 4 // 3) % len(labels)]


def test_questions_in_rows_with_a_column_for_each_rater_are_several_variables(tmp_path):
    rows = [
        (f"e{i}", aspect, *(noisy(i + k, j) for j in range(2)))
        for k, aspect in enumerate(("actor", "tone"))
        for i in range(30)
    ]
    path = made(tmp_path, "event,aspect,coder_a,coder_b", rows)
    for more in ({}, {"item": "event", "rater": ["coder_a", "coder_b"]}):
        ann = raters.read(path, question="tone", **more)
        assert (ann.n_items, ann.n_raters, ann.n_annotations) == (30, 2, 60)


@pytest.mark.parametrize("names", [("ann1", "ann2", "ann3"), ("coder_A", "coder_B"), ("Anna", "Ben", "Cleo")])
def test_a_column_called_as_one_person_among_others_of_another_form_is_asked_about(tmp_path, names):
    rows = [(i, *(noisy(i, j) for j in range(len(names) + 1))) for i in range(40)]
    with pytest.raises(InDoubt) as caught:
        raters.read(made(tmp_path, ",".join(["id", *names, "expert"]), rows))
    assert {r.raters for r in caught.value.readings[:2]} == {names, (*names, "expert")}


def test_counts_below_their_total_are_read_whatever_they_are_called(tmp_path):
    rows = [
        (f"t{i}", 6 if i % 9 == 0 else 3, *(x := [(2, 1, 0), (0, 3, 0), (1, 1, 1)][i % 3]), max(x)) for i in range(60)
    ]
    rows = [(t, n, a + n - 3, b, c, most) for t, n, a, b, c, most in rows]
    ann = raters.read(made(tmp_path, "tweet,count,hate_speech,offensive_language,neither,class", rows))
    assert ann.layout == "counts" and ann.labels == ("hate_speech", "offensive_language", "neither")


def test_numbers_of_which_people_compute_the_mean_without_agreeing_are_asked_about(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(f"c{i}", *x, sum(x), round(sum(x) / 3, 2)) for i, x in enumerate(rng.integers(0, 10, (40, 3)).tolist())]
    with pytest.raises(InDoubt):
        raters.read(made(tmp_path, "chapter,Latin,Greek,Hebrew,total,mean", rows))


def test_respondents_who_do_not_agree_about_the_parts_of_a_questionnaire_are_asked_about(tmp_path):
    answers = np.random.default_rng(1).integers(1, 6, (60, 12)).tolist()
    path = made(
        tmp_path, "ResponseID," + ",".join(f"Q{k}" for k in range(12)), [(f"R_{i}", *x) for i, x in enumerate(answers)]
    )
    with pytest.raises(InDoubt):
        raters.read(path)


def test_letters_within_a_code_are_no_word(tmp_path):
    codes = ["5XKAK2378GB7Q", "5XG34MEAN7F7Q", "5XAPKMHB8017Q"]
    rows = [(f"t{i}", *(noisy(i, j) for j in range(3))) for i in range(30)]
    assert raters.read(made(tmp_path, ",".join(["doc", *codes]), rows)).n_raters == 3


def test_a_batch_of_mturk_without_its_hits_is_read_by_what_was_shown(tmp_path):
    rows = [(f"w{j}", f"n{i}", i % 3, noisy(i, j)) for i in range(30) for j in range(3)]
    ann = raters.read(made(tmp_path, "WorkerId,Input.word,Input.rank,Answer.main", rows))
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (30, 3, 90)


@pytest.mark.parametrize(
    ("head", "row", "other"),
    [
        ("doc,no,yes", lambda i: (i * 7 % 6, 5 - i * 7 % 6), (5, 5)),
        (
            "id," + ",".join(f"{who}_{x}" for who in ("coder1", "coder2", "coder3") for x in "abc"),
            lambda i: [int(noisy(i, j) == x) for j in range(3) for x in "abc"],
            [1] * 9,
        ),
    ],
)
def test_counts_and_ticks_of_the_sample_are_checked_on_all_rows(tmp_path, monkeypatch, head, row, other):
    monkeypatch.setattr("raters.io.readings.profiles.sampled", lambda *_: "WHERE row < 300")
    monkeypatch.setattr("raters.io.readings.profiles.ROWS", 300)
    rows = [(f"d{i}", *row(i)) for i in range(400)]
    ann = raters.read(made(tmp_path, head, rows))
    assert ann.n_items == 400 and ann.layout in ("counts", "marks")
    with pytest.raises(InDoubt):
        raters.read(made(tmp_path, head, [*rows[:340], *((f"d{i}", *other) for i in range(340, 400))]))


def test_measurements_are_read_where_columns_are_called_as_raters_are(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        (f"p{i}", *(round(x + rng.normal(0, 2), 1) for _ in range(2))) for i, x in enumerate(rng.normal(50, 10, 40))
    ]
    wide = raters.read(made(tmp_path, "patient,Observer 1,Observer 2", rows))
    assert (wide.n_items, wide.n_raters, wide.n_annotations) == (40, 2, 80)
    long = [(p, f"R{j}", x) for p, *given in rows for j, x in enumerate(given)]
    assert raters.read(made(tmp_path, "patient,rater,angle", long)).n_annotations == 80
    with pytest.raises(InDoubt):
        raters.read(made(tmp_path, "plot,height1,height2", rows))


def test_scores_below_their_sum_are_no_counts(tmp_path):
    rows = [(f"{i}", *(x := (2, 1 + i % 2, 2 - i % 3 // 2)), sum(x)) for i in range(40)]
    with pytest.raises(InDoubt):
        raters.read(made(tmp_path, "output,accuracy,completeness,clarity,overall", rows))


def test_columns_of_judges_name_none(tmp_path):
    rows = [
        (f"s{i}", system, *(1 + (i * 3 + k + (i + j) % 4 // 3) % 5 for j in range(3)))
        for i in range(30)
        for k, system in enumerate("ABC")
    ]
    ann = raters.read(made(tmp_path, "segment,system,judge1,judge2,judge3", rows))
    assert (ann.n_items, ann.n_raters) == (90, 3)
