"""Charts: from plain columns to one specification, the same for every output; text from strangers stays text."""

import json
import math
import subprocess
import sys

import pytest

from raters.charts.chart import Chart
from raters.charts.curve import curve
from raters.charts.heat import heat
from raters.charts.histogram import histogram
from raters.charts.intervals import intervals
from raters.charts.scatter import scatter
from raters.errors import UsageError

EVIL = "<script>alert(1)</script>\u202e" + "x" * 100
PICTURES = {
    "intervals": lambda: intervals([EVIL, "b"], [0.5, -0.23], [0.4, -0.3], [0.6, 0.1], axis="alpha", marks=(0.8,)),
    "curve": lambda: curve([1, 3, 5], [0.5, 0.6, math.nan], x="k", y="reliability", target=0.8, here=3),
    "heat": lambda: heat([EVIL, EVIL, "b"], ["x", "y", "x"], [0.25, math.nan, 0.75]),
    "histogram": lambda: histogram([0.0, 0.5], [0.5, 1.0], [3, 4], x="certainty", y="items"),
    "scatter": lambda: scatter([EVIL, "b"], [1.0, 90.0], [0.2, 0.4], [True, False], x="labels", y="alpha"),
}


def rows(chart: Chart) -> list[dict[str, object]]:
    """All rows of data in a specification, wherever Altair put them."""
    found: list[dict[str, object]] = []

    def walk(node):
        if isinstance(node, dict):
            found.extend(node["values"] if isinstance(node.get("values"), list) else [])
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
    again = Chart(name, "", "", chart.altair().to_dict())
    assert again.svg() == drawn
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
    assert (chart.spec["width"], chart.spec["height"]) == (88, 88)
    wide = heat(["ann"] * 3, ["x", "y", "z"], [0.1, 0.2, 0.7])
    assert (wide.spec["width"], wide.spec["height"]) == (132, 44)


def test_charts_are_saved_by_the_ending_of_the_name(tmp_path):
    chart = PICTURES["histogram"]()
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        assert chart.save(tmp_path / f"figure{ending}").read_bytes().startswith(start)
    with pytest.raises(UsageError, match="exists already"):
        chart.save(tmp_path / "figure.svg")
    with pytest.raises(UsageError, match="has no known format"):
        chart.save(tmp_path / "figure.gif")


def test_altair_is_imported_only_when_a_picture_is_drawn():
    code = "import sys, raters.reporting.build, raters.charts.heat; sys.exit('altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_names_that_are_cut_to_the_same_do_not_hide_each_other():
    long = ["x" * 50 + "1", "x" * 50 + "2"]
    assert len({r["name"] for r in rows(intervals(long, [0.1, 0.2], axis="alpha"))}) == 2
    cells = rows(heat([long[0]] * 2 + [long[1]] * 2, long * 2, [0.1, 0.2, 0.3, 0.4]))
    assert len({(r["r"], r["c"]) for r in cells}) == 4
