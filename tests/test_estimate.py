"""Estimates and tables of them as values that people look at."""

import math

import pytest

import raters
from raters import examples
from raters.estimate import Estimate, EstimateTable, jsonable

TABLE = EstimateTable(
    (
        Estimate("a", 0.5, 0.4, 0.6, coefficient="fleiss", title="Fleiss' kappa"),
        Estimate("b", 0.25, coefficient="fleiss", title="Fleiss' kappa", notes=("few items",)),
    ),
    of="label",
)


def test_infinity_is_null_too():
    assert jsonable([math.inf, -math.inf, math.nan, 1.5]) == [None, None, None, 1.5]


def test_an_estimate_formats_and_is_ordered_by_its_value():
    low, high = TABLE[1], TABLE[0]
    assert f"{high:.3f}" == "0.500" and f"{high}" == str(high)
    assert low < high and high > low and low <= 0.25 <= low and high >= 0.5 and max(TABLE) is high
    assert low != 0.25 and low == TABLE[1] and not Estimate("x", math.nan) < 1
    with pytest.raises(TypeError):
        assert low < "a"


def test_a_table_slices_to_a_table_and_is_asked_by_name():
    assert isinstance(TABLE[:1], EstimateTable) and TABLE[:1].of == "label" and len(TABLE[::-1]) == 2
    assert "a" in TABLE and "c" not in TABLE and ("a", "fleiss") in TABLE and TABLE[0] in TABLE
    assert TABLE["b"].value == TABLE["b", "fleiss"].value == 0.25
    with pytest.raises(KeyError, match="rows are 'a', 'b'"):
        TABLE["zzz"]
    twice = EstimateTable((*TABLE, Estimate("a", 0.1, coefficient="gwet")))
    for error in (KeyError, raters.UsageError):
        with pytest.raises(error, match=r"2 rows are called 'a'.*table\['a', 'fleiss'\]"):
            twice["a"]
    assert twice["a", "gwet"].value == 0.1


def test_printed_rows_say_what_they_are_of():
    text = str(TABLE).splitlines()
    assert text[0].split() == ["label", "Fleiss'", "kappa", "95%", "interval"]
    assert text[1].startswith("a") and "0.4000 to 0.6000" in text[1] and text[-1] == "b: few items"
    labels = [str(x) for x in examples.four_raters().labels]
    printed = str(raters.per_label(examples.four_raters(), "fleiss", interval=None)).splitlines()[1:]
    assert [line.split()[0] for line in printed[: len(labels)]] == labels


def test_missing_limits_are_nan_in_a_frame():
    frame = TABLE.to_frame()
    assert frame["low"].dtype == float and math.isnan(frame["low"][1]) and frame["low"][0] == 0.4
    none = raters.agreement_table(examples.four_raters(), ["fleiss", "gwet"], interval=None).to_frame()
    assert none["low"].dtype == none["high"].dtype == float and none["low"].isna().all()


RESULTS = {
    "agreement": lambda a: raters.agreement(a, interval="delta"),
    "table": lambda a: raters.agreement_table(a, interval="delta"),
    "by": lambda a: raters.agreement(a, by="topic", interval="delta"),
    "per_label": lambda a: raters.per_label(a, interval="delta"),
    "per_rater": lambda a: raters.per_rater(a, interval="delta"),
    "per_pair": lambda a: raters.per_pair(a, interval="delta"),
    "per_item": lambda a: raters.per_item(a),
    "compare": lambda a: raters.compare(a, coefficient="fleiss", other_coefficient="gwet", interval="delta"),
    "explain": lambda a: raters.explain(a, interval="delta"),
    "krr": lambda a: raters.krr_curve(a, [1, 2], interval="delta"),
    "xrr": lambda a: raters.xrr(a, pool="pool", interval="delta"),
    "xrr_by": lambda a: raters.xrr(a, pool="pool", by="topic", interval="delta"),
    "plan": lambda a: raters.plan(a, interval="delta"),
    "consensus": lambda a: raters.consensus(a, start="votes"),
    "information": lambda a: raters.information(raters.consensus(a, start="votes")),
    "next_labels": lambda a: raters.next_labels(raters.consensus(a, start="votes"), 3),
    "report": lambda a: raters.report(a, resamples=50),
}
DRAWN = set(RESULTS) - {"next_labels", "report"}


@pytest.fixture(scope="module")
def ann():
    rows = [
        {
            "item": i,
            "rater": f"r{j}",
            "label": "xyz"[(i * 7 + (i * j) % 5 // 4) % 3],
            "pool": "ab"[j % 2],
            "topic": "pq"[i % 2],
        }
        for i in range(40)
        for j in range(4)
    ]
    return raters.read(rows, scale="nominal")


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself(ann, name):
    found = RESULTS[name](ann)
    assert len(repr(found)) < 300 and "\n" not in repr(found)
    assert found._repr_html_().startswith("<") and str(found)
    assert isinstance(found.to_dict(), dict) and len(found.to_frame().columns)
    if name in DRAWN:
        drawn = found.plot().to_dict()
        assert drawn["$schema"].startswith("https://vega.github.io/schema/vega-lite") and drawn["description"]


def test_the_plot_of_a_table_is_the_chart_of_the_report_with_its_intervals(ann):
    report = raters.report(ann, resamples=200)
    chart = next(iter(report.section("agreement").charts()))
    table = raters.agreement_table(ann, resamples=200)
    drawn = table.plot().to_dict()
    points = [row for data in drawn["datasets"].values() for row in data] if "datasets" in drawn else []
    points = points or [row for layer in drawn["layer"] for row in layer["data"].get("values", []) if "low" in row]
    there = [row for layer in chart.spec["layer"] for row in layer["data"].get("values", []) if "low" in row]
    by_name = {row["name"]: (row["value"], row["low"], row["high"]) for row in points}
    assert by_name and all(
        by_name[r["name"]] == (r["value"], r["low"], r["high"]) for r in there if r["name"] in by_name
    )
    assert set(by_name) & {r["name"] for r in there}


def test_a_raters_confusion_can_be_drawn(ann):
    c = raters.consensus(ann, start="votes")
    assert "r1" in c.plot(rater="r1").to_dict()["description"]
    with pytest.raises(raters.UsageError, match="no rater 'zoe'"):
        c.plot(rater="zoe")
