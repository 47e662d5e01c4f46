"""What the first screen says of two raters, of frequent labels, and of columns that are coded variables of their own."""

import numpy as np
import pytest

import raters


def test_two_raters_get_no_tautologies():
    """A majority of two is one of the two, and all items that differ differ as much."""
    rng = np.random.default_rng(2)
    rows = [(i, p, "yn"[(i + (rng.random() < 0.12)) % 2]) for i in range(500) for p in "ab"]
    r = raters.report(raters.read(rows, scale="nominal"), resamples=100)
    two = r.verdict.figures[1]
    kappa = raters.agreement(raters.read(rows, scale="nominal"), "cohen", interval=None).value
    assert two.title == "Cohen's kappa" and two.estimate.value == pytest.approx(kappa)
    said = {i: {p: label for j, p, label in rows if j == i} for i in range(500)}
    counts = [[sum(s == {"a": x, "b": y} for s in said.values()) for y in "ny"] for x in "ny"]
    assert [list(row[1:]) for row in r.verdict.who.rows] == counts  # rows are those of a, columns those of b
    assert "Who said what" in r.html().split("<main")[0] and "Who said what" in r.text()
    for words in ("majority of two", "majority of 2", "hardest"):
        assert words not in r.html()
    assert not any(x.kind == "items" for x in raters.explain(raters.read(rows, scale="nominal")).reasons)
    skewed = [*rows, *((1000 + i, p, "y") for i in range(200) for p in "ab")]
    assert not any(x.kind == "items" for x in raters.explain(raters.read(skewed, scale="nominal")).reasons)


def test_another_coded_variable_is_no_attribute_to_slice_by():
    rng = np.random.default_rng(3)
    rows = [
        {"item": i, "rater": p, "label": "xy"[rng.integers(2)], "blame": "ab"[rng.integers(2)], "topic": "uv"[i % 2]}
        for i in range(80)
        for p in ("r1", "r2", "r3")
    ]
    ann = raters.read(rows, item="item", rater="rater", label="label", scale="nominal")
    text = str(raters.report(ann, resamples=100).to_dict())
    assert "By topic, " in text and "By blame" not in text


def test_the_verdict_says_what_whole_numbers_as_codes_would_change():
    """Codes of classes, confused within pairs of neighbours: reliable as a scale, not as codes."""
    rng = np.random.default_rng(4)
    code = rng.integers(0, 10, 300)
    rows = [(i, p, int(c ^ (rng.random() < 0.35))) for i, c in enumerate(code) for p in ("r1", "r2", "r3")]
    said = "This holds only if the whole numbers are"
    with pytest.warns(raters.errors.RatersWarning, match="whole numbers were read as"):
        ann = raters.read(rows)
    report = raters.report(ann, resamples=100)
    assert said in report.verdict.headline and "as codes (nominal), alpha is" in report.verdict.headline
    assert said not in raters.report(raters.read(rows, scale="interval"), resamples=100).verdict.headline
