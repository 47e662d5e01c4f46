"""The BibTeX of a report has what its paragraphs and its table cite, and nothing else."""

import re

import numpy as np
import pytest

import raters
from raters import examples
from raters.inference.intervals import EVERY
from raters.models.families.registry import MODELS
from raters.reporting.methods import BIBTEX, cited, references

WORK = re.compile(r"((?:[A-Z][\w-]+(?:, (?=[A-Z])| & )?)+(?: et al\.)?) (\d{4})")


def ordinal():
    rng = np.random.default_rng(3)
    return raters.read(
        [
            (i, r, int(np.clip(round(3 + q + rng.normal()), 1, 5)))
            for i, q in enumerate(rng.normal(size=40))
            for r in "abcd"
        ],
        scale="ordinal",
    )


def sets():
    rng = np.random.default_rng(4)
    return raters.read(
        [(i, r, [x for x in "xyz" if rng.random() < 0.5] or ["x"]) for i in range(30) for r in "abc"], scale="sets"
    )


@pytest.mark.parametrize("table", [examples.demo, ordinal, sets])
def test_every_work_that_is_cited_is_there_and_no_other(table):
    made = raters.report(table(), resamples=50)
    text = f"{made.methods} {made.short_methods} {made.paper.note}"
    works = {(who.split(" ")[0].rstrip(",").lower(), year) for who, year in WORK.findall(text)}
    entries = {re.match(r"@\w+\{([a-z]+?)(\d{4})", entry).groups() for entry in made.references[:-1]}
    assert works <= entries, works - entries
    assert len(entries - works) <= len(made.paper.coefficients)  # coefficients of the table are named, not cited
    assert made.references[-1].startswith("@software{raters")


def test_every_model_and_every_interval_can_be_cited():
    texts = [cited(row.reference) for row in MODELS.values() if row.reference]
    texts += [row.words for row in EVERY.values()]
    for text in texts:
        for who, year in WORK.findall(text):
            first = who.split(" ")[0].rstrip(",").lower()
            assert any(entry.partition("{")[2].startswith(f"{first}{year}") for entry in references(text)), (who, year)
    assert all(entry.count("{") == entry.count("}") for entry in BIBTEX.values())
