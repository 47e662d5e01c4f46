"""Outputs are as long as the answer: lines, columns, and nothing twice; and no assumption is hidden to save a line."""

import csv
import random
import re
from dataclasses import replace

import pytest
from notes.test_catalogue import example, fields

import raters
from raters.notes.note import CATALOGUE, Note
from raters.reporting.answer import printed
from raters.reporting.table_answer import table_answer

QUICK = ("--resamples", "200")
LABELS = (("no", "yes"), ("climate", "economy", "health"), ("negative", "neutral", "positive"), tuple("12345"))
JUDGES = {"gemini": 0.9, "gpt-4o": 0.88, "gpt-4o-mini": 0.8, "llama-31": 0.75, "flash": 0.85, "mistral-v03": 0.6}


def variables(path, n, items=120):
    draw = random.Random(3)
    names = [f"question{i:02d}" for i in range(n)]
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["article", *(f"{q}_{who}" for q in names for who in ("Ann", "Ben", "Cem"))])
        for i in range(items):
            row = [f"a{i}"]
            for j, _ in enumerate(names):
                labels, sure = LABELS[j % 4], 0.6 + 0.39 * (j % 10) / 10
                true = draw.choice(labels)
                row += [true if draw.random() < sure else draw.choice(labels) for _ in range(3)]
            out.writerow(row)
    return path


def one(path, rater_labels):
    draw = random.Random(5)
    with path.open("w") as file:
        file.write("item,rater,label,city\n")
        for i in range(120):
            true = draw.choice(("Positive", "Negative", "unknown"))
            for who, sure in rater_labels.items():
                label = true if draw.random() < sure else draw.choice(("Positive", "Negative", "unknown"))
                file.write(f"{i},{who},{label},{'Oslo' if who in ('p1', 'p2') else 'Rome'}\n")
    return path


PEOPLE = {f"p{i}": 0.85 for i in range(5)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("short")
    one(path / "one.csv", PEOPLE)
    one(path / "judges.csv", {**PEOPLE, **JUDGES})
    for n in (20, 38):
        variables(path / f"q{n}.csv", n)
    draw = random.Random(1)
    rows = [f"{i},{who},{';'.join(sorted(draw.sample('abcde', 2)))}\n" for i in range(60) for who in ("x", "y", "z")]
    (path / "sets.csv").write_text("item,rater,label\n" + "".join(rows))
    return path


CASES = {
    "agree": (("agree", "one.csv", *QUICK), 20),
    "agree 20": (("agree", "q20.csv", *QUICK), 36),
    "agree 38": (("agree", "q38.csv", *QUICK), 60),
    "krr": (("krr", "one.csv", *QUICK), 16),
    "plan": (("plan", "one.csv", *QUICK), 16),
    "xrr": (("xrr", "one.csv", "--pool", "city", *QUICK), 18),
    "judge": (("judge", "judges.csv", "--judges", ",".join(JUDGES), *QUICK), 20),
    "multilabel": (("multilabel", "sets.csv", "--sep", ";", *QUICK), 18),
}


@pytest.mark.parametrize("name", CASES)
def test_lines_columns_and_nothing_twice(run, folder, name):
    (command, file, *more), most = CASES[name]
    code, out, err = run(command, folder / file, *more)
    assert code == 0, err
    lines = out.splitlines()
    assert len(lines) <= most and max(map(len, lines)) <= 80, out
    assert lines[0][:1].isupper() or lines[0][:1].isdigit()
    paragraphs = " ".join(line for line in lines if "  " not in line[6:].strip())
    sentences = [x.strip() for x in re.split(r"(?<=[.!?])\s+", paragraphs) if len(x) > 25]
    assert len(sentences) == len(set(sentences)), sentences


@pytest.mark.parametrize("code", [code for code, said in CATALOGUE.items() if said.level == "assumed"])
def test_no_assumption_is_hidden(code):
    if code.startswith(("scale_", "change_scale", "confirm_scale", "whole_numbers_")):
        return  # worded by the line on the scale, which test_first_lines reads
    note = Note(code, {name: example(name, forms, 3) for name, forms in fields(CATALOGUE[code].text).items()})
    ann = raters.examples.demo()
    for with_it in (replace(ann, notes=(note,)), replace(ann, read_as=(note,))):
        text = " ".join(printed(table_answer(with_it, [], "The answer.")).split())
        said = " ".join(str(note).replace("\n", " ").split())
        assert said[1:] in text, text
