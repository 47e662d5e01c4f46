"""Names of columns come from strangers too, and stand in the heads of tables; names that only the code knows stand in
none.
"""

import re

import numpy as np
import pytest

import raters


@pytest.fixture(scope="module")
def made():
    topic = "to\u202epic\x07 <i>|"
    rows = [
        {"item": i, "rater": r, "label": "xy"[(i + (r == "c") * (i % 3)) % 2], topic: "pq"[i % 2]}
        for i in range(20)
        for r in "abc"
    ]
    return raters.report(raters.read(rows, scale="nominal"), resamples=50)


@pytest.mark.parametrize("format", ["text", "html", "markdown", "latex"])
def test_heads_of_tables_are_printable(made, format):
    assert any("to\u202epic" in c for s in made.sections for t in s.tables() for c in t.columns)
    text = made.render(format)
    assert "\u202e" not in text and "\x07" not in text
    assert "<i>" not in text or format == "text"


INTERNAL = re.compile(r"[a-z]+_[a-z_]+|\b(?:identity|irr|krr|xrr|modes|nan|None)\b|\{|=")
"""Names of functions, fields and options, which nobody who reads a report has seen."""


def labels(scale, seed):
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=30)
    give = {
        "nominal": lambda q: "hate" if q + rng.normal() > 1 else "fine" if q > -1 else "unsure",
        "ordinal": lambda q: int(np.clip(round(3 + q + 0.7 * rng.normal()), 1, 5)),
        "interval": lambda q: round(float(50 + 9 * q + 3 * rng.normal()), 1),
        "sets": lambda q: [x for x in "xyz" if rng.random() < 0.4] or ["x"],
    }[scale]
    rows = [
        {"item": f"i{i}", "rater": r, "label": give(q), "group": "old" if r in "abc" else "new"}
        for i, q in enumerate(worth)
        for r in "abcdef"
    ]
    return raters.read(rows, scale=scale)


def titles(spec):
    """The titles of axes and legends, wherever they stand in a specification."""
    if isinstance(spec, dict):
        found = [spec["title"]] if isinstance(spec.get("title"), str) else []
        return found + [t for key, part in spec.items() if key != "values" for t in titles(part)]
    return [t for part in spec for t in titles(part)] if isinstance(spec, list) else []


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "sets"])
def test_no_heading_and_no_axis_has_a_name_that_only_the_code_knows(scale):
    made = raters.report(
        labels(scale, 3),
        pool=None if scale == "sets" else "group",
        resamples=50,
        judges=["f"] if scale == "nominal" else (),
    )
    heads = [made.title, *(f.title for f in made.verdict.figures), made.verdict.first.title]
    for s in made.sections:
        heads += [
            s.question,
            *(x for t in s.tables() for x in (t.caption, *t.columns)),
            *(t for c in s.charts() for t in titles(c.spec)),
        ]
        heads += [c.caption for c in s.charts()]
        heads += [
            str(row[0]) for t in s.tables() if t.name in ("coefficients", "measures", "krr", "steps") for row in t.rows
        ]
    assert len(heads) > 20
    assert not [h for h in heads if INTERNAL.search(h)]


def test_the_axes_of_pools_are_in_words():
    ann = labels("nominal", 5)
    table = raters.xrr_table(ann, pool="group", resamples=50)
    for chart in (
        table[0].plot(),
        *(table.plot(what) for what in ("kappa_x", "normalized", "difference_x", "irr_x")),
    ):
        assert not [t for t in titles(chart.to_dict()) if INTERNAL.search(t.replace("IRR", ""))]
    assert not [e.title for e in table[0].estimates if INTERNAL.search(e.title.replace("IRR", ""))]
