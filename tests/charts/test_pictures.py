"""Charts: from plain columns to one specification, the same for every output; text from strangers stays text."""

import json
import math
import re
import subprocess
import sys

import pytest
import vl_convert

from raters.charts.bars import bars, histogram, shares, upset
from raters.charts.chart import RED, Chart
from raters.charts.heat import heat
from raters.charts.lines import curve
from raters.charts.of_results import alike, pair_matrix
from raters.charts.points import differences, intervals, scatter, strip, value_strips
from raters.errors import UsageError
from raters.estimate import Estimate

EVIL = "<script>alert(1)</script>\u202e" + "x" * 100
PICTURES = {
    "intervals": lambda: intervals([EVIL, "b"], [0.5, -0.23], [0.4, -0.3], [0.6, 0.1], axis="alpha", marks=(0.8,)),
    "curve": lambda: curve([1, 3, 5], [0.5, 0.6, math.nan], x="k", y="reliability", target=0.8, here=3),
    "heat": lambda: heat([EVIL, EVIL, "b"], ["x", "y", "x"], [0.25, math.nan, 0.75]),
    "histogram": lambda: histogram([0.0, 0.5], [0.5, 1.0], [3, 4], x="certainty", y="items"),
    "scatter": lambda: scatter([EVIL, "b"], [1.0, 90.0], [0.2, 0.4], [True, False], x="labels", y="alpha"),
    "bars": lambda: bars([EVIL, "b"], [3, 4], texts=["43%", "57%"]),
    "shares": lambda: shares([EVIL, "b"], ["no", EVIL], [[0.25, 0.75], [0.5, 0.5]]),
    "strip": lambda: strip([EVIL, "b"], [0.2, 0.4], [True, False], x="alpha"),
    "values": lambda: value_strips([EVIL, "b"], [[1.0, 3.0], [2.0, 2.5]], x="label"),
    "differences": lambda: differences([1.0, 2.0], [0.5, -0.5], 0.0, -1.4, 1.4, x="mean", y=EVIL),
    "upset": lambda: upset([EVIL, "b"], [(EVIL,), ("b",), (EVIL, "b"), ()], [5, 3, 2, 1], texts=list("wxyz")),
}


def rows(chart: Chart) -> list[dict[str, object]]:
    """All rows of data in a specification, wherever Altair put them."""
    found: list[dict[str, object]] = []

    def walk(node):
        if isinstance(node, dict):
            found.extend(r for r in node.get("values", ()) if isinstance(r, dict))
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(dict(chart.spec))
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_draws_and_can_be_had_as_altair(name):
    chart = PICTURES[name]()
    assert chart.name == name and chart.alt
    drawn = chart.svg()
    assert drawn.startswith("<svg") and "<script" not in drawn and "\u202e" not in drawn
    assert vl_convert.vegalite_to_svg(chart.altair().to_dict()) == vl_convert.vegalite_to_svg(dict(chart.spec))
    json.dumps(chart.spec, allow_nan=False)


def test_figures_go_into_the_data_as_they_are():
    got = [r for r in rows(PICTURES["intervals"]()) if "value" in r]
    assert {(r["value"], r["low"], r["high"]) for r in got} == {(0.5, 0.4, 0.6), (-0.23, -0.3, 0.1)}
    assert [r["k"] for r in rows(PICTURES["curve"]()) if "k" in r][:2] == [1, 3]
    assert 5 not in [r.get("k") for r in rows(PICTURES["curve"]())], "an undefined figure has no place on a curve"
    alone = rows(intervals(["a"], [0.5], axis="alpha"))
    assert alone[0]["low"] == alone[0]["high"] == 0.5


def test_heat_maps_need_not_be_square():
    chart = heat(["ann", "ann", "bob", "bob"], ["no", "yes"] * 2, [0.1, 0.9, 0.6, 0.4], caption="Shares.")
    assert chart.alt == "Shares. Largest: ann and yes: 0.90; bob and no: 0.60; bob and yes: 0.40."


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_take_the_whole_width_and_have_a_narrow_version(name):
    chart = PICTURES[name]()
    for narrow, width in ((False, 960), (True, 368)):
        size = re.search(r'width="([\d.]+)"', chart.svg(narrow=narrow))
        assert size is not None and float(size.group(1)) == pytest.approx(width, abs=1)
    assert "<script" not in chart.svg(narrow=True)


def test_a_matrix_too_wide_for_a_telephone_is_a_list_of_the_cells_that_matter():
    names = [f"label {i}" for i in range(12)]
    cells = [(a, b, 0.9 if {a, b} == {"label 3", "label 7"} else 0.1) for a in names for b in names if a != b]
    chart = heat(*zip(*cells, strict=True), row_order=names, column_order=names, beside=True)
    listed = chart.narrow["data"]["values"]
    assert len(listed) == 10 and listed[0]["name"] == "label 3 / label 7" and listed[0]["text"] == "90%"


def test_what_agrees_with_itself_is_pale_beside_disagreement():
    cells = rows(heat(["a", "a", "b", "b"], ["a", "b", "a", "b"], [0.6, 0.4, 0.1, 0.9], beside=True))
    shade = {(c["r"], c["c"]): c["o"] for c in cells}
    assert shade["a", "b"] > shade["b", "a"] and shade["a", "a"] == shade["b", "b"] < shade["a", "b"]


def test_raters_who_agree_stand_side_by_side_with_a_line_between_camps():
    camp = {"a": 0, "b": 1, "c": 0, "d": 1}
    pairs = [
        Estimate(f"{x}-{y}", 0.9 if camp[x] == camp[y] else 0.2, title="alpha", details={"rater_a": x, "rater_b": y})
        for i, x in enumerate(camp)
        for y in list(camp)[i + 1 :]
    ]
    chart = pair_matrix(pairs, (("a", "c"), ("b", "d")))
    order = chart.spec["layer"][0]["encoding"]["y"]["sort"]
    assert {tuple(order[:2]), tuple(order[2:])} <= {("a", "c"), ("c", "a"), ("b", "d"), ("d", "b")}
    assert sum(layer["mark"]["type"] == "rule" for layer in chart.spec["layer"]) == 2
    assert sorted(alike(4, [(0, 2, 0.9), (1, 3, 0.9), (0, 1, 0.1), (2, 3, 0.1), (0, 3, 0.1), (1, 2, 0.1)])[:2]) in (
        [0, 2],
        [1, 3],
    )


def test_names_below_a_strip_do_not_meet():
    """500 dots, and the flagged ones by name, each on a line of its own where they would meet."""
    named = [f"a rater {i:03}" for i in range(8)]
    chart = strip(
        [*named, *(f"r{i}" for i in range(492))], [0.1] * 8 + [0.5] * 492, [True] * 8 + [False] * 492, x="alpha"
    )
    called = [r for r in rows(chart) if "level" in r]
    assert len(called) == 8 and len({r["level"] for r in called}) == 8
    assert 'width="960"' in chart.svg()


def test_the_numbers_of_the_axis_keep_their_distance_and_the_present_one_stays():
    chart = curve([1, 3, 5, 6, 9, 12, 15, 25], [0.1 * i for i in range(1, 9)], x="k", y="y", here=6, cost=1120)
    across = chart.spec["layer"][0]["encoding"]["x"]
    ticks = across["axis"]["values"]
    assert 6 in ticks and 5 not in ticks and 1 in ticks and 25 in ticks
    assert "1120" in across["axis"]["labelExpr"]
    assert len(chart.narrow["layer"][0]["encoding"]["x"]["axis"]["values"]) < len(ticks)


def test_charts_are_saved_by_the_ending_of_the_name(tmp_path):
    chart = PICTURES["histogram"]()
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        assert chart.save(tmp_path / f"figure{ending}").read_bytes().startswith(start)
    with pytest.raises(UsageError, match="exists already"):
        chart.save(tmp_path / "figure.svg")
    with pytest.raises(UsageError, match="has no known format"):
        chart.save(tmp_path / "figure.gif")


def test_an_upset_plot_has_a_row_for_each_set_and_dots_for_its_labels():
    chart = upset(["a", "b", "c"], [("a",), ("b", "c"), ()], [2, 7, 1], texts=["20%", "70%", "10%"])
    dots = [(r["row"], r["x"]) for r in rows(chart) if r.get("o", 0) > 0.5]
    place = {r["text"]: r["x"] for r in rows(chart) if "share" in r}
    assert sorted(dots) == sorted([(0, place["b"]), (0, place["c"]), (1, place["a"])]), (
        "the most frequent set comes first"
    )
    assert {r["text"]: r["share"] for r in rows(chart) if "share" in r} == {"a": "20%", "b": "70%", "c": "70%"}
    assert {r["row"]: r["text"] for r in rows(chart) if "to" in r and "text" in r} == {
        0: "70%",
        1: "20%",
        2: "no label: 10%",
    }


def test_many_labels_are_written_out_instead_of_dots():
    names = [f"label {i}" for i in range(20)]
    sets = [(a, b) for a in names for b in names if a < b]
    chart = upset(names, sets, range(len(sets)), texts=[f"{i}" for i in range(len(sets))])
    assert len([r for r in rows(chart) if "+" in str(r.get("name"))]) == 15
    listed = chart.narrow["data"]["values"]
    assert len(listed) == 15 and listed[0]["set"] == "label 19 + label 9"


@pytest.mark.parametrize("draw", [
    lambda names: intervals(names, [0.1, 0.2], axis="alpha"),
    lambda names: shares(names, ["no", "yes"], [[0.5, 0.5], [0.2, 0.8]]),
])  # fmt: skip
def test_long_names_are_whole_on_a_narrow_screen(draw):
    names = ["Krippendorff's alpha, Jaccard distance", "overlap, each label counted"]
    chart = draw(names)
    for narrow in (True, False):
        assert all(name in chart.svg(narrow=narrow).replace("&#39;", "'").replace("&apos;", "'") for name in names)


def test_the_word_for_the_target_keeps_clear_of_the_curve():
    def at(values, lows, highs):
        text = next(
            layer
            for layer in curve([1, 2, 9], values, lows, highs, x="k", y="y", target=0.8).spec["layer"]
            if layer["mark"].get("color") == RED and layer["mark"]["type"] == "text"
        )
        return text["mark"]["align"], text["mark"]["dy"] < 0

    assert at([0.3, 0.4, 0.6], [0.2, 0.3, 0.5], [0.4, 0.5, 0.7]) == ("left", True)
    assert at([0.83, 0.9, 0.98], [0.75, 0.86, 0.97], [0.88, 0.94, 0.99]) == ("right", False)
    assert at([0.86, 0.87, 0.88], [0.81, 0.82, 0.83], [0.9, 0.9, 0.9]) == ("left", False)


def test_the_axis_of_numbers_ends_where_they_do():
    chart = value_strips(["q"], [[0.0, 0.0, 0.0, 10.0]], x="label")
    (mean,) = {(r["low"], r["mean"], r["high"]) for r in rows(chart) if "mean" in r}
    assert mean == (0.0, 2.5, 7.5)
    few = {(r["low"], r["high"]) for r in rows(value_strips(["q"], [[1.0, 4.0]], x="label")) if "mean" in r}
    assert few == {(1.0, 4.0)}


def test_altair_is_imported_only_when_a_picture_is_drawn():
    code = "import sys, raters.reporting.report, raters.charts.heat; sys.exit('altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_names_that_are_cut_to_the_same_do_not_hide_each_other():
    long = ["x" * 50 + "1", "x" * 50 + "2"]
    assert len({r["name"] for r in rows(intervals(long, [0.1, 0.2], axis="alpha"))}) == 2
    cells = rows(heat([long[0]] * 2 + [long[1]] * 2, long * 2, [0.1, 0.2, 0.3, 0.4]))
    assert len({(r["r"], r["c"]) for r in cells}) == 4
