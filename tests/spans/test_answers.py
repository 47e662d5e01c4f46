"""Consensus, judges, comparisons, splitting, the report and the command line."""

import numpy as np
import pytest
from span_projects import cases, marked, project

import raters
from raters.reporting.of_spans import report_of_spans
from raters.spans.consensus import consensus_of_spans
from raters.spans.measures import MEASURES, Asked
from raters.spans.units import Unit, spans

CLOSE = 1e-7


@pytest.mark.shared
def test_consensus_of_every_case(oracles_dir):
    n = 0
    for case in cases(oracles_dir).values():
        if "consensus" in case.get("expected", {}):
            rows = consensus_of_spans(project(case["project"])).rows
            found = [[r.document, r.start, r.end, r.label, r.support, r.seen, r.status] for r in rows]
            assert sorted(map(str, found)) == sorted(map(str, case["expected"]["consensus"]))
            n += len(found)
    assert n > 80


@pytest.mark.shared
def test_two_sets_of_raters_and_a_judge(oracles_dir):
    both = project(cases(oracles_dir)["two sets of raters"]["project"])
    for name, expected in cases(oracles_dir)["two sets of raters"]["expected"].items():
        e = raters.compare(both.of_raters([0, 1, 2]), both.of_raters([3, 4, 5]), name, pooled=False).difference
        assert [e.value, e.low, e.high, e.se] == pytest.approx(
            [expected["difference"], *expected["95 %"], expected["se"]], abs=CLOSE
        )
    (made,) = raters.judge(project(cases(oracles_dir)["judge"]["project"]), judges=["f"], pooled=False)
    for e in made.estimates:
        expected = cases(oracles_dir)["judge"]["expected"][e.coefficient]
        assert e.value == pytest.approx(expected[e.details["part"]], abs=CLOSE)
        if e.details["part"] == "difference":
            assert [e.low, e.high] == pytest.approx(expected["95 %"], abs=CLOSE)


def many(seed=0, raters_="abcd", documents=8):
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(documents):
        for s in range(0, 60, 12):
            for r in raters_:
                if rng.random() < 0.85:
                    rows.append((f"d{d}", r, s, s + 4 + int(rng.random() < 0.3), "XY"[int(rng.random() < 0.2)]))
    return marked(rows, 80, seen=[(f"d{d}", r) for d in range(documents) for r in raters_])


def test_one_rater_split_is_pooled_f1():
    """The consensus of one rater is what they marked, so that over many splits k = 1 is the pooled exact F1."""
    found = many()
    e = raters.krr(found, 1, replications=3000, interval=None)
    assert e.value == pytest.approx(raters.agreement(found, "exact", pooled=True, interval=None).value, abs=0.01)
    assert raters.krr(found, 3).undefined.code == "too_few_for_splits"


def test_pools():
    found = many()
    table_ = raters.xrr(found.of_raters([0, 1]), found.of_raters([2, 3]))
    assert len(table_) == 3 and all(0 < e.value < 1 for e in table_)


def test_left_out_pairs_are_those_of_the_projects_without_a_document():
    found = many(3)
    figure = MEASURES["exact"].figure(found, MEASURES["exact"], Asked(pooled=False))
    for d, left in enumerate(figure.stat.left_out()):
        rest = found.of_documents([i for i in range(found.n_documents) if i != d])
        assert left == pytest.approx(raters.agreement(rest, "exact", pooled=False, interval=None).value)


HOSTILE = '<script>alert(1)</script> & "Bob" met Ann.'


def test_the_report_escapes_what_files_say():
    name = "<img src=x onerror=alert(2)>"
    units = [Unit(name, "a<b>", 0, 8, "<i>"), Unit(name, "b", 0, 6, "<i>"), Unit(name, "b", 28, 31, "X")]
    found = spans(units, [(name, "a<b>"), (name, "b")], texts={name: HOSTILE}, source="<s>")
    page = report_of_spans(found).html()
    assert (
        "<script" not in page and "<img" not in page and "<i>" not in page.replace("<i>&", "") and "&lt;scrip" in page
    )
    assert "default-src 'none'" in page


def test_a_long_document_is_cut_around_the_place():
    text = "word " * 20_000
    units = [Unit("d", "a", 50_000, 50_004, "X"), Unit("d", "b", 50_000, 50_009, "X")]
    page = report_of_spans(spans(units, [("d", "a"), ("d", "b")], texts={"d": text})).html()
    assert len(page) < 20_000 and " … " in page


def test_46_raters_are_answered():
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", f"r{r:02d}", s, s + int(rng.integers(3, 6)), "X")
        for d in range(6)
        for r in range(46)
        for s in (0, 20, 40)
    ]
    found = marked(rows, 60)
    e = raters.agreement(found, "exact")
    assert e.low < e.value < e.high
