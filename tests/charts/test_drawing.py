"""Our drawing of a chart against Vega's of the same specification: the same words and shapes, at the same places."""

import json
import random
import re
import subprocess
import sys

import pytest
import vl_convert
from flat_svg import flat

from raters.charts.bars import bars, histogram, shares, upset
from raters.charts.chart import Chart
from raters.charts.drawing.picture import svg
from raters.charts.drawing.scales import BeyondDrawing, nice, step, ticks
from raters.charts.drawing.shapes import cut, width
from raters.charts.heat import heat
from raters.charts.lines import curve, curves
from raters.charts.points import differences, intervals, scatter, strip, value_strips

CLOSE = 1.6
"""Pixels. Vega measures a text in whichever font the machine has, we by a table; both round to whole pixels."""
draw = random.Random(5)
NAMES = ["Krippendorff's alpha", "a rater with a long name, who lives in a château", "b & c <d>"]
SEVEN = [f"label {i}" for i in range(7)]
PAIRS = [(a, b) for a in range(20) for b in range(20) if a != b]
PICTURES = {
    "intervals": intervals(NAMES, [0.5, -0.2, 0.81], [0.4, -0.6, 0.7], [0.6, 0.1, 0.9], axis="alpha", marks=(0.667, 0.8)),
    "intervals, a band": intervals(NAMES, [0.5, 0.3, 0.6], [0.4, 0.2, 0.5], [0.6, 0.4, 0.7], axis="alpha", soft=NAMES[2:]),
    "intervals, marked": intervals(NAMES[:1], [0.5], [0.4], [0.6], axis="alpha", marks=(0.667, 0.8), marked=NAMES[0]),
    "curve": curve([1, 2, 3, 5, 9, 20], [0.3, 0.45, 0.6, 0.7, 0.8, 0.9], [0.2, 0.3, 0.5, 0.6, 0.7, 0.8], [0.4, 0.6, 0.7, 0.8, 0.9, 0.95],
                   x="labels", y="reliability", target=0.8, here=3, cost=120, beyond=[False] * 4 + [True] * 2),
    "heat": heat(*zip(*[(a, b, (i * j % 7) / 9) for i, a in enumerate(SEVEN) for j, b in enumerate(SEVEN)], strict=True), beside=True,
                 row_title="one says", column_title="another says"),
    "pairs": heat([f"r{a}" for a, _ in PAIRS], [f"r{b}" for _, b in PAIRS], [(a * b % 7) / 9 for a, b in PAIRS], percent=False, domain=(0, 1), camps=[7],
                  lowest=True),
    "histogram": histogram([0.0, 0.5, 0.7], [0.5, 0.7, 1.0], [3, 4, 1200], x="certainty", y="items"),
    "scatter": scatter(["ann", "bob"], [10, 20], [0.5, 0.1], [False, True], x="labels", y="alpha"),
    "bars": bars(NAMES, [3, 4, 0], texts=["43%", "57%", "0%"]),
    "shares": shares(NAMES, ["no", "yes", "I do not know at all"], [[0.25, 0.7, 0.05], [0.5, 0.3, 0.2], [0.0, 0.0, 1.0]]),
    "degrees": shares(["a", "b"], [1, 2, 3], [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], ordered=True),
    "strip": strip([f"r{i}" for i in range(200)], [draw.betavariate(5, 3) for _ in range(200)], [i % 29 == 0 for i in range(200)], x="alpha"),
    "values": value_strips(["q1", "z"], [[1.0, 3.0, 4.5, 2.0], [2.0, 2.5, 7.0, 9.0]], x="label"),
    "differences": differences([1.0, 2.0, 4.0], [0.5, -0.5, 1.1], 0.4, -1.4, 2.1, x="mean", y="difference"),
    "upset": upset(SEVEN[:3], [SEVEN[:1], SEVEN[1:3], [], SEVEN[:3]], [5, 3, 2, 1], texts=["45%", "27%", "18%", "9%"]),
    "upset of many": upset(SEVEN, [[a] for a in SEVEN] + [SEVEN[2:5]], range(8, 0, -1), texts=["9%"] * 8),
}  # fmt: skip
SPECS = [(name, chart.narrow if narrow else chart.spec) for name, chart in PICTURES.items() for narrow in (False, True)]


@pytest.mark.parametrize(("name", "spec"), SPECS, ids=[f"{n}-{s['width']}" for n, s in SPECS])
def test_as_vega_draws_it(name, spec):
    ours, theirs = flat(svg(spec)), flat(vl_convert.vegalite_to_svg(dict(spec)))
    assert ours.size == pytest.approx(theirs.size, abs=CLOSE)
    _matched(ours.words, theirs.words, 5)
    _matched(ours.shapes, theirs.shapes, 1)


def _matched(ours, theirs, style):
    """Each of theirs has one of ours with the same style near to its place, and none of ours is left over."""
    rest = list(ours)
    for one in theirs:
        near = [o for o in rest if o[:style] == one[:style] and o[style:] == pytest.approx(one[style:], abs=CLOSE)]
        assert near, one
        rest.remove(near[0])
    assert not rest


def test_what_is_not_drawn_here_is_drawn_by_vega():
    """A specification is never drawn in part."""
    chart = curves({"a": [(1, 0.5, 0.4, 0.6)], "b": [(1, 0.4, 0.3, 0.5)]}, x="k", y="reliability")
    with pytest.raises(BeyondDrawing):
        svg(chart.spec)
    assert chart.svg() == vl_convert.vegalite_to_svg(dict(chart.spec))


@pytest.mark.parametrize(
    "change",
    [
        {"transform": []}, {"mark": {"type": "arc"}}, {"mark": {"type": "bar", "tooltip": True}}, {"autosize": "pad"},
        {"encoding": {"x": {"field": "n", "type": "quantitative", "aggregate": "sum"}}},
        {"encoding": {"x": {"field": "n", "type": "temporal", "title": None}}},
        {"encoding": {"x": {"field": "n", "type": "quantitative", "title": None, "axis": {"format": "s"}}}},
        {"encoding": {"x": {"field": "n", "type": "quantitative", "title": None, "axis": {"labelExpr": "datum.index"}}}},
        {"encoding": {"x": {"field": "n", "type": "quantitative", "title": None, "scale": {"type": "log"}}}},
        {"encoding": {"y": {"field": "n", "type": "nominal", "sort": [1], "title": None}}},
        {"encoding": {"x": {"field": "n", "type": "quantitative"}}},
        {"encoding": {"color": {"field": "n", "type": "nominal"}}},
    ],
)  # fmt: skip
def test_an_unknown_word_is_refused_not_ignored(change):
    spec = {**PICTURES["histogram"].spec, "mark": {"type": "point"}, "data": {"values": [{"n": 3}, {"n": 5}]}}
    with pytest.raises(BeyondDrawing):
        svg({**spec, **change})


def test_words_from_strangers_stay_words():
    chart = bars(['"><script>alert(1)</script>', "&amp;"], [1, 2], texts=["<b>", "'"])
    assert "<script" not in chart.svg() and "&amp;amp;" in chart.svg() and "&lt;b&gt;" in chart.svg()
    evil = Chart("x", "", "", json.loads(json.dumps(chart.spec).replace("#3b7dd8", '#fff\\" onload=\\"alert(1)')))
    assert not re.search(r'<[^>]*"\s*onload="', evil.svg())


def test_round_numbers_stay_round():
    assert ticks(0, 1, 10) == [i / 10 for i in range(11)]
    assert ticks(-0.7, 1, 10) == [i / 5 for i in range(-3, 6)]
    assert nice(0.13, 87) == (0, 90) and nice(0, 0) == (0, 0) and step(3, 3, 5) == 0


def test_a_cut_text_fits():
    for text in ("short", "a long name of a rater", "日本語のラベル", "e\u0301te\u0301"):
        for limit in (20, 50, 90):
            assert width(cut(text, 12, limit), 12) <= limit


def test_a_report_starts_no_engine_for_its_pictures():
    code = (
        "import sys, raters; raters.examples.demo(); from raters.reporting.html import"
        " html\nhtml(raters.report(raters.examples.demo()))\nassert 'vl_convert' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_whole_numbers_stand_once_on_their_axis():
    """Vega writes 0, 1, 1 on an axis from 0 to 1 whose least step is 1: it draws 0.5 and rounds it."""
    assert re.findall(r">(\d)</text>", svg(histogram([0.0], [0.3], [1], x="", y="items").spec)).count("1") == 1


def test_nothing_is_drawn_for_an_undefined_number():
    chart = bars(["a", "b"], [1.0, float("nan")], texts=["x", "y"])
    assert "nan" not in chart.svg() and ">y<" not in chart.svg() and ">b<" in chart.svg()
