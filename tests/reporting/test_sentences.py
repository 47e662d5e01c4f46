"""What the report says is so: each of these sentences once was not."""

import json

import numpy as np
import pytest
from alike import table

import raters
from raters.agree.bands import bands
from raters.estimate import Estimate
from raters.reporting.context import Context, StandingOut
from raters.reporting.headline import number
from raters.reporting.names import RANGES, cited
from raters.reporting.report import report
from raters.reporting.sections.raters import _answers


def said(made):
    return "\n".join([made.text(), *(s.answer for s in made.sections)])


def alpha_of(made):
    return next(e for e in made.estimates if e.coefficient == "krippendorff")


def three_items(agreeing=True):
    return raters.read(
        [(i, r, "xy"[(i + (r == "c" and i == 0 and not agreeing)) % 2]) for i in range(3) for r in "abc"],
        scale="nominal",
    )


def test_an_interval_that_reaches_past_667_supports_neither():
    unsure = Estimate("krippendorff", 0.6, low=0.45, high=0.72, se=0.07, coefficient="krippendorff")
    own = next(b for b in bands(unsure) if b.scheme == "krippendorff")
    assert own.supported is None and np.isnan(own.probability)
    below = Estimate("krippendorff", 0.5, low=0.45, high=0.55, se=0.025, coefficient="krippendorff")
    assert next(b for b in bands(below) if b.scheme == "krippendorff").supported == "not reliable enough"
    made = report(table(30, 0, [0.88] * 4), resamples=200)
    alpha = alpha_of(made)
    assert alpha.low < 0.667 < alpha.high
    assert "the data do not settle whether it reaches .667" in made.section("agreement").answer
    assert "not reliable enough" not in made.section("agreement").answer


def test_aggregates_have_no_bands():
    ann = table(60, 0, [0.8] * 5)
    assert not bands(raters.krr(ann, 5, resamples=50))
    assert bands(raters.krr(ann, 1, resamples=50))


def test_marks_stand_on_alpha_alone():
    made = report(table(40, 0, [0.8] * 3), resamples=50)
    chart = next(c for c in made.section("agreement").charts() if c.name == "coefficients")
    marked = [row for layer in chart.spec["layer"] for row in layer.get("data", {}).get("values", ()) if "x" in row]
    assert {(row["name"], row["x"]) for row in marked} == {
        ("Krippendorff's alpha", 0.667),
        ("Krippendorff's alpha", 0.8),
    }


@pytest.mark.parametrize("seed", range(6))
def test_nobody_stands_out_and_talk_to_a_rater_never_stand_together(seed):
    for accuracy in ([0.75] * 4, [0.8] * 4 + [0.1]):
        made = report(table(60, seed, accuracy), resamples=50)
        nobody = made.section("raters").answer.startswith("Nobody")
        text = said(made)
        assert not (nobody and "Talk to rater" in text)
        if "Talk to rater 'r4'" in text:
            assert "'r4'" in made.section("raters").answer
            usage = made.section("usage").answer
            assert "'r4'" in usage  # named, or said to be named above
    assert "Talk to rater 'r4'" in text


def test_the_median_of_an_even_number_of_raters_is_the_mean_of_the_middle_two():
    c = Context(table(60, 0, [0.8] * 4))
    c.__dict__["standing_out"] = StandingOut(("r3",), {}, ())
    against = {f"r{j}": Estimate(f"r{j}", v) for j, v in enumerate((0.4, 0.31, 0.35, 0.1))}
    assert "is 0.33" in " ".join(_answers(c, against))


def test_agreement_is_called_good_only_where_the_interval_is():
    few = report(three_items(agreeing=False), resamples=50)
    assert "agreement is good" not in said(few)
    many = report(raters.read([(i, r, "xyz"[i % 3]) for i in range(50) for r in "abc"], scale="nominal"), resamples=50)
    assert alpha_of(many).low > 0.8 and "agreement is good" in said(many)


def test_nobody_is_asked_for_a_124th_label():
    rng = np.random.default_rng(0)
    rows = [(i, f"r{j}", "xy"[int(rng.random() < (0.5 if i < 4 else 0.9))]) for i in range(12) for j in range(40)]
    made = report(raters.read(rows, scale="nominal"), resamples=50)
    assert "one more label for each" not in said(made)


def test_numbers_have_a_model_elsewhere():
    rng = np.random.default_rng(0)
    rows = [(i, j, float(rng.normal(i, 1))) for i in range(40) for j in range(4)]
    made = report(raters.read(rows, scale="interval"), resamples=50)
    assert "annotation models are for categories" not in said(made)
    assert "typical item has a standard deviation" in made.section("trust").answer
    assert "on an interval scale" in made.methods


def test_the_csv_file_is_named_only_where_it_is(tmp_path):
    from click.testing import CliRunner

    from raters.cli import cli

    made = report(table(80, 0, [0.6] * 4), resamples=50)
    assert "more rows are not shown here" in made.text() and "CSV file" not in made.text()
    assert "CSV file" not in made.html()
    out = tmp_path / "r.txt"
    rows = "".join(f"i{i},{r},{'xyz'[(i + i % 2 * (r == 'a')) % 3]}\n" for i in range(120) for r in "abc")
    (tmp_path / "labels.csv").write_text("item,rater,label\n" + rows)
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "labels.csv"), "-o", str(out), "--resamples", "50"])
    assert done.exit_code == 0 and "the CSV file beside the report has them" in out.read_text()
    assert (tmp_path / "r-where-hardest.csv").exists()
    cut = made.section("where")
    hardest = next(t for t in cut.tables() if t.name == "hardest")
    from dataclasses import replace

    beside = replace(made, made={**made.made, "tables_beside": True})
    assert "has the next" in beside.more(replace(hardest, total=hardest.total + 5))


def test_nothing_goes_from_undefined_to_undefined():
    ann = raters.read([("q", "a", "x"), ("q", "b", "y"), ("p", "a", "x")], scale="nominal")
    assert "undefined to undefined" not in said(report(ann, resamples=50))
    sets = raters.read([("q", "a", ["x"]), ("q", "b", ["x"])], scale="sets")
    assert "undefined to undefined" not in said(report(sets, resamples=50))


def test_starts_that_agree_do_not_differ_on_up_to_0_items():
    made = report(table(60, 0, [0.95] * 4), resamples=50)
    assert "up to 0 items" not in said(made)


def test_empty_cells_are_no_rows():
    made = raters.read([["a", "b", None], ["a", None, "b"], ["b", "b", "b"]], layout="wide", scale="nominal")
    assert "dropped: 2 cells (missing label)" in str(made)
    long = raters.read([("i", "a", "x"), ("i", "b", None), ("j", "a", "x"), ("j", "b", "y")], scale="nominal")
    assert "dropped: 1 row (missing label)" in str(long)


def test_one_number_has_one_interval():
    """Of two raters each one's agreement with the other is alpha; AC1 stands in the table."""
    rng = np.random.default_rng(3)
    rows = [(i, r, "no" if rng.random() < 0.9 else "yes") for i in range(80) for r in "ab"]
    made = report(raters.read(rows, scale="nominal"), resamples=300)
    found = {}
    for e in made.estimates:
        if e.coefficient in ("krippendorff", "gwet") and np.isfinite(e.low) and e.details.get("k", 1) == 1:
            found.setdefault((e.coefficient, round(e.value, 12)), set()).add((e.low, e.high))
    assert found and all(len(limits) == 1 for limits in found.values())


def test_every_table_says_by_what_its_intervals_were_found():
    made = report(table(80, 0, [0.7] * 4), resamples=100)
    found = [
        (t, e.interval)
        for s in made.sections
        for t in s.tables()
        for row in t.rows
        for e in row
        if isinstance(e, Estimate) and np.isfinite(e.low)
    ]
    assert len({name for _, name in found}) > 2
    for t, name in found:
        assert (f"their {name}" if name in RANGES else cited(name)) in t.note, t.caption
    assert cited(alpha_of(made).interval).partition(" (")[0] in made.methods


def test_spans_are_refused_as_agree_refuses_them():
    names = ("item", "rater", "label", "start", "end")
    rows = [
        dict(zip(names, (f"d{i}", r, "PER", 5 * s, 5 * s + 3), strict=True))
        for i in range(4)
        for r in "ab"
        for s in range(3)
    ]
    ann = raters.read(rows, scale="nominal")
    with pytest.raises(raters.DataError, match="look like spans") as mine:
        report(ann, resamples=50)
    with pytest.raises(raters.DataError) as others:
        raters.agreement(ann)
    assert str(mine.value) == str(others.value)


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_what_is_not_used_stands_with_the_verdict_of_every_format(tmp_path):
    from click.testing import CliRunner

    from raters.cli import cli

    rows = [(i, r, "xy"[(i + (r == "b" and i % 4 == 0)) % 2]) for i in range(12) for r in "abc"] + [
        (0, "a", "y"),
        (1, "a", "x"),
    ]
    made = report(raters.read(rows, scale="nominal"), resamples=50)
    line = "Not used: 2 annotations of 38"
    assert made.verdict.about.endswith("2 rows not used")  # the first line is about the data
    assert made.text().index(line) < made.text().index("What is in the data?")
    assert made.markdown().index(line) < made.markdown().index("What is in the data?")
    assert next(iter(json.loads(made.json()))) == "not_used" and json.loads(made.json())["not_used"].startswith(line)
    html = made.html()
    assert html.index("<h1>") < html.index(line) < html.index("<main") and html.count(line) == 1
    assert made._repr_html_().startswith(f"<p>{line}")
    assert made.latex().index(line) < made.latex().index("What is in the data")
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(f"i{i},{r},{v}\n" for i, r, v in rows) + "i9,,x\n")
    for form, start in (("markdown", "**Not used: "), ("latex", "% Not used: ")):
        done = CliRunner().invoke(
            cli, ["agree", str(path), "--duplicates", "first", "--format", form, "--scale", "nominal"]
        )
        assert done.output.startswith(start) and "1 row (missing rater)" in done.output.splitlines()[0]
    done = CliRunner().invoke(
        cli, ["agree", str(path), "--duplicates", "first", "--format", "json", "--scale", "nominal"]
    )
    assert next(iter(json.loads(done.output))) == "not_used"
    done = CliRunner().invoke(cli, ["agree", str(path), "--duplicates", "first", "--scale", "nominal"])
    assert "\nNot used: 1 row (missing rater)" in "\n".join(done.output.splitlines()[:3])


def test_the_number_of_labels_that_reach_the_target_is_that_of_plan():
    ann = table(60, 0, [0.8] * 5)
    needed = raters.plan(ann, resamples=50)["labels per item"]
    text = " ".join(report(ann, resamples=50).text().split())
    assert (
        f"about {number(int(needed.value))} labels per item would reach 0.8 (anywhere from {needed.low:.0f} upward"
        in text
    )
