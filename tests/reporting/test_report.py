"""The report: every number equals the library call that makes it; every format holds; nothing from strangers runs."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

import raters
from raters import examples
from raters.estimate import Estimate
from raters.reporting.formats import FORMATS, table_csv
from raters.reporting.names import measure_name


@pytest.fixture(scope="module")
def hostile():
    labels = ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "\u202ertl", "x" * 10_000, "a|b\\c_d*e"]
    names = ['"><img src=x onerror=alert(1)>', "{{7*7}}", "$x^2$ & 100% #1_{a}", "dé\x07"]
    rows = [
        (f"<b>item {i}</b>", names[j], labels[(i * (1 + (j == 3))) % 5], "t<o>pic") for i in range(40) for j in range(4)
    ]
    data = [dict(zip(("item", "rater", "label", "topic <i>"), r, strict=True)) for r in rows]
    return raters.report(raters.read(data, scale="nominal"), resamples=200)


def table(report, section, name):
    return next(t for t in report.section(section).tables() if t.name == name)


def same(a, b):
    assert (a.value, a.low, a.high, a.n_items) == pytest.approx((b.value, b.low, b.high, b.n_items), nan_ok=True)


def test_every_estimate_equals_its_library_call(demo):
    ann = examples.demo()
    expected = {"coefficients": {e.title: e for e in raters.agreement_table(ann, resamples=200, seed=3)}}
    expected["labels_agreement"] = {e.name: e for e in raters.per_label(ann, resamples=200, seed=3)}
    expected["by_0"] = {e.name: e for e in raters.agreement(ann, by="topic", resamples=200, seed=3)}
    expected["raters"] = {e.name: e for e in raters.per_rater(ann, resamples=200, seed=3)}
    bits = {e.name: e for e in raters.information(raters.consensus(ann, seed=3), seed=3)}
    seen = 0
    for section in demo.sections:
        for t in section.tables():
            for row in t.rows:
                found = [c for c in row if isinstance(c, Estimate)]
                if t.name in expected:
                    same(found[0], expected[t.name][row[0]])
                    seen += 1
                if t.name == "raters":
                    same(found[1], bits[row[0]])
                    seen += 1
    assert seen == sum(map(len, expected.values())) + len(bits)
    assert demo.section("agreement").answer.startswith(
        f"Krippendorff's alpha is {expected['coefficients'][chr(75) + 'rippendorff' + chr(39) + 's alpha'].value:.2f}"
    )


def test_label_counts_and_hardest_items(demo):
    ann = examples.demo()
    counts = {row[0]: row[1] for row in table(demo, "data", "labels").rows}
    got = ann.engine.query("SELECT label, count(*) AS n FROM annotations GROUP BY label")
    assert counts == {label: int(n) for label, n in zip(got["label"], got["n"], strict=True)}
    hardest = table(demo, "where", "hardest").rows[0]
    items = {e.name: e for e in raters.per_item(ann)}
    assert items[hardest[0]].observed == min(e.observed for e in items.values())


def test_certainty_is_that_of_the_model(demo):
    c = raters.consensus(examples.demo(), seed=3)
    share = (c.certainty >= 0.99).mean()
    assert demo.section("trust").answer.startswith(f"{share:.0%} of the items")
    assert sum(row[1] for row in table(demo, "trust", "certainty").rows) == 200


def test_formats(demo):
    whole = json.loads(demo.json())
    assert whole["schema"] == 1 and len(whole["estimates"]) == len(demo.estimates)
    assert {"name", "value", "low", "high", "n_items", "warnings"} <= set(whole["estimates"][0])
    rows = list(csv.DictReader(io.StringIO(demo.render("csv"))))
    assert len(rows) == len(demo.estimates) and float(rows[0]["value"]) == demo.estimates[0].value
    assert demo.markdown().startswith(f"# {demo.verdict.headline}") and "| coefficient |" in demo.markdown()
    assert demo.card().startswith("---\nannotations_creators:")
    assert demo.latex().count(r"\begin{longtable}") == demo.latex().count(r"\end{longtable}") > 3
    for s in demo.sections:
        assert s.question in demo.text() and s.question in demo.markdown()
    with pytest.raises(raters.UsageError, match="unknown format"):
        demo.render("docx")


def test_same_seed_same_report():
    one, other = (raters.report(examples.demo(), resamples=100, seed=5).json() for _ in range(2))
    assert one == other


class Tags(HTMLParser):
    """Tags of a page, with what must be closed."""

    void = frozenset({"meta", "br", "img", "input", "link", "hr", "path", "line", "rect", "circle"})

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.void:
            return
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)


@pytest.mark.parametrize("which", ["demo", "hostile"])
def test_html_is_well_formed_and_asks_for_nothing(which, request):
    page = request.getfixturevalue(which).html()
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert "script" not in tags.tags and "img" not in tags.tags and "iframe" not in tags.tags
    assert not [
        a for a in tags.attributes if a[1].startswith("on") or (a[1] in ("src", "href") and not a[2].startswith("#"))
    ]
    outside = re.findall(r"(?:https?:)?//[^\s\"'<>]+", re.sub(r'xmlns(:xlink)?="[^"]*"', "", page))
    assert not outside
    assert "default-src 'none'" in page
    ids = [a[2] for a in tags.attributes if a[1] == "id"]
    assert {a[2][1:] for a in tags.attributes if a[1] == "href"} <= set(ids)


def test_hostile_text_is_text_everywhere(hostile):
    assert "<script>alert" not in hostile.html() and "&lt;script&gt;" in hostile.html()
    assert "\u202e" not in hostile.html() and "\x07" not in hostile.text()
    assert "49" not in hostile.section("raters").answer
    for line in csv.reader(io.StringIO(hostile.render("csv"))):
        assert not any(cell.startswith(("=", "+", "@")) for cell in line)
    assert "<script>" not in hostile.markdown()
    assert len(hostile.html()) < 1_000_000
    for section in hostile.sections:
        for t in section.tables():
            for line in csv.reader(io.StringIO(table_csv(t))):
                assert not any(cell.startswith(("=", "@")) for cell in line)


def test_every_table_has_a_caption_and_every_chart_words(demo):
    for s in demo.sections:
        for t in s.tables():
            assert t.caption and t.columns and all(len(r) == len(t.columns) for r in t.rows)
        for c in s.charts():
            assert len(c.alt) > len(c.caption)


def test_save_does_not_overwrite(tmp_path, demo):
    path = demo.save(tmp_path / "r.html")
    assert path.read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(raters.UsageError, match="exists already"):
        demo.save(path)
    demo.save(path, force=True)
    with pytest.raises(raters.UsageError, match="has no known format"):
        demo.save(tmp_path / "r.docx")
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize(
    "rows, words",
    [
        ([("q", "a", "x")], "Nothing can be concluded"),
        ([(i, r, "x") for i in range(5) for r in "ab"], "undefined"),
        ([(i, "a", "xy"[i % 2]) for i in range(9)], "Nothing can be concluded"),
        ([(i, r, "xy"[i % 2]) for i in range(9) for r in "ab"], "is 1.00,"),
        ([(i, r, i * 1.5 + (r == "b")) for i in range(50) for r in "abc"], "Krippendorff's alpha is"),
        ([(i, r, (i + (r == "c")) % 4 + 1) for i in range(30) for r in "abc"], "Krippendorff's alpha is"),
    ],
)
@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_small_and_odd_tables_have_a_report_in_every_format(rows, words):
    made = raters.report(raters.read(rows), resamples=50)
    assert words in made.section("agreement").answer
    for name in FORMATS:
        assert made.render(name)


def test_repeats_are_counted_and_the_first_is_used():
    rows = [(i, r, "xy"[i % 2]) for i in range(9) for r in "ab"] + [(0, "a", "y")]
    made = raters.report(raters.read(rows, scale="nominal"), resamples=50)
    assert any("1 annotations repeat" in str(b) for b in made.section("data").blocks)
    assert "is 1.00," in made.section("agreement").answer


def test_undefined_agreement_is_never_called_good():
    made = raters.report(raters.read([(i, r, "x") for i in range(5) for r in "ab"], scale="nominal"), resamples=50)
    assert "First make agreement measurable" in made.section("next").answer
    assert "cannot be determined" in made.section("raters").answer
    assert not any("agreement is good" in s.answer for s in made.sections)


def test_aggregate_pools_and_sets_equal_their_library_calls(demo):
    ann = examples.demo()
    rows = table(demo, "aggregate", "krr").rows
    for (k, got, *_), wanted in zip(
        rows, raters.krr_curve(ann, ks=[r[0] for r in rows], resamples=200, seed=3), strict=True
    ):
        assert wanted.details["k"] == k
        same(got, wanted)
    names = ("item", "rater", "label", "pool")
    data = [
        (i, f"{p}{j}", "xyz"[(i + (i + j) % 4 // 3 + (p == "b" and i % 3 == 0)) % 3], p)
        for i in range(40)
        for p in "ab"
        for j in range(3)
    ]
    pools = raters.read([dict(zip(names, r, strict=True)) for r in data], scale="nominal")
    made = table(raters.report(pools, resamples=100), "pools", "pools").rows[0]
    wanted = raters.xrr(pools, pool="pool", resamples=100)
    for got, name in zip(made[1:7], ("irr_x", "irr_y", "kappa_x", "normalized", "difference", "rho"), strict=True):
        same(got, getattr(wanted, name))
    sets = raters.simulate.multilabel(60, seed=1).annotations()
    got = {row[0]: row[1] for row in table(raters.report(sets, resamples=100), "sets", "measures").rows}
    for e in raters.multilabel(sets, resamples=100):
        same(got[measure_name(e)], e)


def test_cut_tables_stand_beside_the_report(tmp_path):
    from click.testing import CliRunner

    from raters.cli import cli

    out = tmp_path / "r.html"
    assert CliRunner().invoke(cli, ["demo", "-o", str(out)]).exit_code == 0
    rows = list(csv.reader(io.StringIO((tmp_path / "r-where-hardest.csv").read_text())))
    items = raters.per_item(examples.demo())
    assert len(rows) - 1 == sum(e.observed < 1 for e in items)
    assert "127 more rows are not shown here" in out.read_text()
