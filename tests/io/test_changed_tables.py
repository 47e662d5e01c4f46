"""What does not concern a reading leaves it as it is, or it is asked about: made tables of every layout, changed."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest

import raters
from raters.io.table import SeveralQuestions
from raters.results import InDoubt

pytestmark = pytest.mark.filterwarnings("ignore::raters.RatersWarning")
N, WHO, TONE, HARM, FIVE = 24, ("ann", "bob", "cem"), ("no", "yes", "maybe"), ("safe", "toxic"), (1, 2, 3, 4, 5)


def given(seed, options, k=3, n=N):
    r = random.Random(seed)
    own = [r.choice(options) for _ in range(n)]
    return [[t if r.random() < 0.75 else r.choice(options) for _ in range(k)] for t in own]


G, H, F, E = given(1, TONE), given(2, HARM), given(3, FIVE), given(4, FIVE)
PAIRS = given(5, TONE, 2, 80)
EACH = [(i, j, who) for i in range(N) for j, who in enumerate(WHO)]
TABLES = {
    "wide": (["doc", *WHO], [[f"d{i}", *G[i]] for i in range(N)]),
    "wide, coders": (["doc", "coder1", "coder2", "coder3"], [[f"d{i}", *F[i]] for i in range(N)]),
    "wide, people": (["sherd", "Solveig", "Yusuf", "Ines"], [[f"d{i}", *G[i]] for i in range(N)]),
    "long": (["doc", "coder", "tone"], [[f"d{i}", who, G[i][j]] for i, j, who in EACH]),
    "long, variables": (["doc", "coder", "tone", "harm"], [[f"d{i}", who, G[i][j], H[i][j]] for i, j, who in EACH]),
    "long, questions": (
        ["doc", "coder", "aspect", "score"],
        [[f"d{i}", who, q, of[i][j]] for i, j, who in EACH for q, of in (("clarity", F), ("warmth", E))],
    ),
    "long, no raters": (["doc", "score"], [[f"d{i}", F[i][j]] for i, j, _ in EACH]),
    "variables": (
        ["doc", *(f"{q}_{who}" for q in ("tone", "harm") for who in WHO)],
        [[f"d{i}", *G[i], *H[i]] for i in range(N)],
    ),
    "marks": (
        ["id", *(f"{who}_{x}" for who in WHO for x in TONE)],
        [[i, *(int(G[i][j] == x) for j in range(3) for x in TONE)] for i in range(N)],
    ),
    "counts": (["doc", *TONE], [[f"d{i}", *(G[i].count(x) for x in TONE)] for i in range(N)]),
    "square": (["", *TONE], [[x, *(PAIRS.count([x, y]) for y in TONE)] for x in TONE]),
    "rows": (["name", *(f"q{i}" for i in range(1, N + 1))], [[who, *(x[j] for x in F)] for j, who in enumerate(WHO)]),
    "cells": (["doc", "labels"], [[f"d{i}", json.dumps(dict(zip(WHO, G[i], strict=True)))] for i in range(N)]),
    "lists": (["doc", "annotators", "annotations"], [[f"d{i}", ",".join(WHO), ",".join(G[i])] for i in range(N)]),
}
OTHER_WORDS = {
    "doc": "asiakirja", "coder": "luokittelija", "tone": "savy", "harm": "haitta", "sherd": "sirpale", "aspect": "piirre", "score": "pisteet",
    "labels": "luokat", "annotators": "merkitsijat", "annotations": "merkinnat", "id": "tunniste", "name": "nimi",
}  # fmt: skip
CODES = {"ann": "A1AVJRFM6L0RN8", "bob": "A2KQ7TB3M9ZZ01", "cem": "A3PP4WX8C2YY77"}


def beside(table, name, cell):
    head, rows = table
    return [*head, name], [[*row, cell(i, row)] for i, row in enumerate(rows)]


def said(words, cell):
    return re.sub(r"(?<![a-z])([a-z]+)", lambda m: words.get(m[0], m[0]), cell) if isinstance(cell, str) else cell


def every(table, words):
    head, rows = table
    return [said(words, x) for x in head], [[said(words, x) for x in row] for row in rows]


def columns_shuffled(table):
    order = random.Random(3).sample(range(len(table[0])), len(table[0]))
    return [table[0][i] for i in order], [[row[i] for i in order] for row in table[1]]


def most(row):
    return max(sorted({*row}, key=str), key=row.count)


CHANGES = {
    "an id and a comment": lambda t: beside(
        (["row_id", *t[0]], [[900 + i, *row] for i, row in enumerate(t[1])]),
        "huomio",
        lambda i, row: "hm, unsure" if i % 9 == 0 else "",
    ),
    "a demographic": lambda t: beside(t, "gender", lambda i, row: "fm"[len(str(row[0])) * ord(str(row[0])[-1]) % 2]),
    "other names, and columns in another order": lambda t: columns_shuffled(every(t, CODES)),
    "no header": lambda t: (t[1][0], t[1][1:]),
    "other words": lambda t: ([said(OTHER_WORDS, x) for x in t[0]], t[1]),
}
WIDE_CHANGES = {
    "a mean": lambda t: beside(t, "mean", lambda i, row: round(sum(row[1:]) / 3, 2)),
    "a mean in other words": lambda t: beside(t, "keskiarvo", lambda i, row: round(sum(row[1:]) / 3, 2)),
    "a final label": lambda t: beside(t, "true_label", lambda i, row: row[1 + i % 3] if i % 9 == 0 else most(row[1:])),
}


def sizes(path, table):
    """The sizes of all variables; None if the reading is asked about."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table[0], *table[1]])
    try:
        try:
            found = [raters.read(path)]
        except SeveralQuestions as several:
            found = [raters.read(several.table, question=q) for q in several.questions]
    except InDoubt:
        return None
    return sorted((ann.n_items, ann.n_raters, ann.n_annotations) for ann in found)


@pytest.mark.parametrize("name", TABLES)
def test_a_changed_table_is_read_as_before_or_asked_about(tmp_path, name):
    path = tmp_path / "a.csv"
    own = sizes(path, TABLES[name])
    assert own, name
    wide = WIDE_CHANGES if name.startswith("wide") else {}
    for change, made in (CHANGES | wide).items():
        if ("mean" in change and name != "wide, coders") or (name == "square" and "order" in change):
            continue
        assert sizes(path, made(TABLES[name])) in (own, None), change


def test_a_column_like_no_other_is_asked_about_if_it_agrees_with_the_others(tmp_path):
    path, (_, rows) = tmp_path / "a.csv", TABLES["wide"]
    assert sizes(path, (["doc", *CODES.values()], rows)) == [(N, 3, 3 * N)]
    four = given(6, TONE, 4)
    assert sizes(path, (["doc", *CODES.values(), "lindgren"], [[i, *row] for i, row in enumerate(four)])) is None


def test_a_rater_whose_name_is_a_word_for_raters_is_no_column_of_raters(tmp_path):
    rows = [[f"d{i}", *row] for i, row in enumerate(given(7, TONE, 4))]
    assert sizes(tmp_path / "a.csv", (["doc", *WHO, "expert"], rows)) in ([(N, 4, 4 * N)], None)


def test_names_beside_lists_of_labels_are_found_by_their_values(tmp_path):
    rows = [[f"d{i}", ";".join(WHO), ";".join(G[i])] for i in range(N)]
    path = tmp_path / "a.csv"
    assert sizes(path, (["sherd", "tekijat", "savyt"], rows)) == [(N, 3, 3 * N)]


def test_what_most_of_the_others_say_is_asked_about(tmp_path):
    rows = [[f"d{i}", *row] for i, row in enumerate(given(8, TONE, 3, 90))]
    head, more = beside((["doc", *WHO], rows), "tulos", lambda i, row: most(row[1:]))
    assert sizes(tmp_path / "a.csv", (head, more)) is None


def test_questions_beyond_the_sample_are_listed(tmp_path):
    r, path = random.Random(1), tmp_path / "a.csv"
    own = [r.choice(TONE) for _ in range(4000)]
    rows = [
        [f"d{i}", who, q, t if r.random() < 0.8 else r.choice(TONE)]
        for i, t in enumerate(own)
        for who in WHO
        for q in ("clarity", "warmth")
    ]
    rows += [[f"e{i}", who, "rare", TONE[i]] for i in range(2) for who in WHO]
    assert sizes(path, (["doc", "coder", "aspect", "tone"], rows)) == [(2, 3, 6), (4000, 3, 12000), (4000, 3, 12000)]


def test_points_with_their_total_and_mean_are_no_counts(tmp_path):
    r = random.Random(2)
    points = [[r.randrange(11) for _ in range(3)] for _ in range(50)]
    rows = [[f"s{i}", *x, sum(x), f"{sum(x) / 3:.2f}"] for i, x in enumerate(points)]
    assert sizes(tmp_path / "a.csv", (["student", "task1", "task2", "task3", "total", "mean"], rows)) is None
