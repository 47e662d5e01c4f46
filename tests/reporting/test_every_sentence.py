"""Every number in every sentence of a report is a figure of the library, computed here by another call.

A number counts only if the calls that its own section rests on give it: a share of the section on raters is not excused
by a kappa of another section.
"""

import gzip
import json

import numpy as np
import pools as pools_of_raters
import pytest
from library_figures import OPTIONS, known, sentences, stated
from library_figures import numbers as numbers_of

import raters
from raters import examples


def rng(seed):
    return np.random.default_rng(seed)


def likert():
    draws, worth = rng(5), rng(6).normal(size=24)
    rows = [
        (f"i{i}", f"r{j}", int(np.clip(round(3 + 1.2 * q + 0.9 * draws.normal()), 1, 5)))
        for i, q in enumerate(worth)
        for j in range(4)
    ]
    return raters.read(rows, scale="ordinal")


def numbers():
    draws, worth = rng(7), rng(8).normal(size=30)
    rows = [
        (f"i{i}", f"r{j}", round(50 + 10 * q + 4 * draws.normal() + j, 1))
        for i, q in enumerate(worth)
        for j in range(3)
    ]
    return raters.read(rows, scale="interval")


def sets():
    draws = rng(9)
    rows = [
        (f"i{i}", r, [x for k, x in enumerate("xyz") if draws.random() < (0.8 if (i + k) % 3 == 0 else 0.2)] or ["x"])
        for i in range(40)
        for r in "abc"
    ]
    return raters.read(rows, scale="sets")


def pools():
    draws = rng(10)
    columns = {"item": [], "rater": [], "label": [], "pool": []}
    for i in range(60):
        for r in "abcdef":
            there = i % 5 == 0 or (r in "def" and i % 6 == 1)
            wrong = draws.random() < 0.05
            row = (f"i{i}", r, "hate" if there != wrong else "not", "old" if r in "abc" else "new")
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    return raters.read(columns, scale="nominal")


def three():
    return raters.read([(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x"), (3, "a", "y"), (3, "b", "y")])


def hs_brexit(folder):
    return raters.read(
        [(i, r, "hate" if x == "1" else "no") for i, r, x in pools_of_raters.hs_brexit(folder)], scale="nominal"
    )


def dices(folder):
    """The first 16 conversations of DICES, each with the labels of 123 raters."""
    told = json.loads(
        gzip.decompress((folder / "judge-bench" / "dices" / "dices_350_crowdsourced.json.gz").read_bytes())
    )
    rows = [
        (x["id"], f"r{j:03}", label)
        for x in told["instances"][:16]
        for j, label in enumerate(x["annotations"]["safety"]["individual_human_scores"])
    ]
    return raters.read(rows, scale="nominal")


def near(figures, written, value):
    digits = len(written.rstrip("% ").partition(".")[2]) + 2 * written.endswith("%")
    return (np.abs(figures - value) <= 0.5000001 * 10.0**-digits).any()


def demo():
    return examples.demo()


KINDS = {f.__name__: f for f in (demo, likert, numbers, sets, pools, three)}
SHARED = {"hs_brexit": hs_brexit, "dices": dices}


@pytest.mark.parametrize("kind", [*KINDS, *(pytest.param(x, marks=pytest.mark.shared) for x in SHARED)])
def test_every_number_of_every_sentence_is_the_librarys(kind, request):
    ann = KINDS[kind]() if kind in KINDS else SHARED[kind](request.getfixturevalue("data_dir"))
    made = raters.report(ann, **OPTIONS)
    ks = [
        row[0]
        for t in made.section("aggregate").tables()
        if t.name == "krr"
        for row in t.rows
        if isinstance(row[0], int)
    ]
    figures, unknown, seen = known(kind, ann, ks), [], 0
    for section in made.answered:
        for sentence in sentences(section):
            for written, value in numbers_of(sentence):
                seen += 1
                if not near(figures[section.key], written, value):
                    unknown.append((section.key, written, sentence))
    assert seen > (8 if kind in ("three", "sets") else 20)
    assert not unknown, unknown
    for line in made.verdict.lines[1:]:
        for x in stated(line):
            assert (np.abs(figures["next"] - x) < 0.0051).any(), (x, line)


def test_a_number_of_another_section_is_not_accepted():
    ann = KINDS["three"]()
    figures = known("three", ann, [1, 2])
    kappa = ("0.44", 0.44)  # alpha of the three items
    assert near(figures["agreement"], *kappa)
    assert not near(figures["where"], *kappa) and not near(figures["data"], *kappa)
