"""Every note of the catalogue that says what was assumed stands in the default output: length is not saved by hiding."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import raters
from raters import examples
from raters.notes.note import CATALOGUE, OPTION, WORDS, Note, in_words
from raters.reporting.answer import printed
from raters.reporting.consensus_answer import consensus_answer
from raters.reporting.judge_answer import judge_answer
from raters.reporting.table_answer import table_answer
from raters.reporting.xrr_answer import xrr_answer

LISTS = {"listed": ["a", "b"], "groups": [["a", "A"], ["b", "B"]], "pairs": [("a", "b", 3)], "each": {"a": 0.5}}
ASSUMED = [code for code in sorted(CATALOGUE) if CATALOGUE[code].level == "assumed"]


def example(code):
    """The note with facts that its sentence can show."""
    text = CATALOGUE[code].text
    facts = {}
    for part in (OPTION.sub("", text), *(value for _, value in OPTION.findall(text) if value)):
        for _, name, form, _ in WORDS.parse(part):
            if name is not None:
                kind = (form or "").split(" ")[0]
                plain = LISTS.get(kind, "name" if kind in ("", "quoted") else 3)
                facts[name.split("[")[0]] = [plain, plain] if "[" in name else plain
    return Note(code, facts)


@pytest.mark.parametrize("code", ASSUMED)
def test_it_is_printed(code):
    try:
        note = example(code)
        words = " ".join(str(note).split()).rstrip(".")[1:]
    except (TypeError, ValueError, AttributeError):
        pytest.fail(f"{code} cannot be worded with these facts")
    ann = examples.four_raters()
    e = raters.agreement(ann, interval=None)
    places = {
        "notes of the table": (replace(ann, notes=(note,)), [e]),
        "how it was read": (replace(ann, read_as=(note,)), [e]),
        "notes of a figure": (ann, [replace(e, notes=(note,))]),
        "notes of one of two figures": (ann, [e, replace(e, name="other", notes=(note,))]),
    }
    for place, (table, rows) in places.items():
        assert words in " ".join(printed(table_answer(table, rows)).split()), place


@cache
def answers():
    """The commands whose answers are more than a table: each as a function of the table that it was asked about."""
    truth = np.random.default_rng(1).integers(0, 2, 60)
    rng = np.random.default_rng(2)
    rows = [
        (f"i{i}", rater, ("no", "yes")[int(truth[i] ^ (rng.random() < 0.2))], "ab"[k > 1])
        for i in range(60)
        for k, rater in enumerate(("Ann", "Ben", "Cem", "Dan", "gpt", "llm"))
    ]
    ann = raters.read([dict(zip(("item", "rater", "label", "pool"), row, strict=True)) for row in rows])
    found = raters.consensus(ann, "dawid_skene")
    one, several = (raters.judge(ann, judges=names, resamples=20) for names in (["gpt"], ["gpt", "llm"]))
    crossed = raters.xrr(ann, pool="pool", resamples=20)
    return ann, {
        "consensus": lambda x: consensus_answer(x, found, [], 0.99, [], []),
        "judge": lambda x: judge_answer(one, x, []),
        "judges": lambda x: judge_answer(several, x, []),
        "xrr": lambda x: xrr_answer(crossed, x, "", []),
    }


@pytest.mark.parametrize("command", ["consensus", "judge", "judges", "xrr"])
def test_every_command_says_what_was_assumed(command):
    ann, made = answers()
    for code in ASSUMED:
        note = example(code)
        words = " ".join(str(note).split()).rstrip(".")[1:]
        for field in ("notes", "read_as"):
            shown = printed(made[command](replace(ann, **{field: (note,)})))
            assert words in " ".join(shown.split()), (code, field)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_in_words_no_option_is_left(code):
    """What is left is a part of the whole sentence, or nothing, where a note says only what to type."""
    note = example(code)
    whole = str(note)
    with in_words():
        said = str(note)
    assert not OPTION.search(CATALOGUE[code].text) or not re.search(r"--[a-z]|\b[a-z_]+=|\s[;,]|[;:,(]$", said), said
    assert {*re.findall(r"\w+", said)} <= {*re.findall(r"\w+", whole)}
