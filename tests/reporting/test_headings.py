"""Names of columns come from strangers too, and stand in the heads of tables."""

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
