"""The named cases: each a trap that other programs fall into."""

import math

import numpy as np
import pytest
from span_projects import marked

import raters
from raters.spans.kinds import kinds
from raters.spans.measures import MEASURES
from raters.spans.units import Unit, spans

FIRST, SECOND = ("d", "a", 0, 5, "X"), ("d", "b", 0, 5, "X")


def value(found, name, **options):
    return raters.agreement(found, name, interval=None, **options).value


def test_one_of_three_marked():
    found = marked([("d", "a", 4, 9, "X")], seen=[("d", r) for r in "abc"])
    assert value(found, "u") == pytest.approx(-1 / 30)
    assert value(found, "exact") == 0
    assert math.isnan(raters.per_pair(found, "exact")["b v. c"].value)


def test_nobody_marked():
    found = spans([], [("d", "a"), ("d", "b")], lengths={"d": 40})
    for name in set(MEASURES) - {"token"}:
        e = raters.agreement(found, name)
        assert math.isnan(e.value) and e.undefined.code == "nobody_marked", name


def test_marked_nothing_is_not_never_saw():
    rows = [("d1", "a", 0, 5, "X"), ("d1", "b", 0, 6, "X"), ("d1", "a", 10, 15, "X"), ("d1", "b", 10, 15, "X"),
            ("d2", "a", 3, 6, "X")]  # fmt: skip
    both = [("d1", "a"), ("d1", "b"), ("d2", "a")]
    never, nothing = marked(rows, seen=both), marked(rows, seen=[*both, ("d2", "b")])
    assert value(never, "exact") == 0.5 and value(nothing, "exact") == pytest.approx(0.4)
    assert value(never, "u") > value(nothing, "u")


def test_not_shared():
    found = marked([FIRST, ("e", "b", 0, 5, "X")], seen=[("d", "a"), ("e", "b")])
    assert {raters.agreement(found, n).undefined.code for n in ("exact", "u", "gamma")} == {"no_shared_document"}


def test_unmarked_text():
    rows = [("d", "a", 0, 10, "X"), ("d", "b", 1, 10, "X")]
    short, long = marked(rows, 80), marked(rows, 8000)
    assert value(short, "u") < value(long, "u") < value(short, "character") == value(long, "character")


def test_stacked():
    rows = [("d", r, s, e, c) for r in "ab" for s, e, c in ((0, 10, "X"), (2, 5, "Y"))]
    found = marked(rows)
    assert found.stacked and found.n_units == 4
    assert value(found, "exact") == 1 and value(found, "u_boundary") == 1
    assert raters.agreement(found, "u").undefined.code == "stacked_units"


def test_order():
    rows = [("d", "a", 0, 5, "X"), ("d", "b", 1, 5, "X"), ("e", "a", 7, 9, "Y"), ("e", "b", 7, 9, "Y")]
    one, other = marked(rows), marked(rows[::-1])
    assert [value(one, n) for n in ("exact", "u", "cu", "overlap")] == [
        value(other, n) for n in ("exact", "u", "cu", "overlap")
    ]


def test_repeated_units_and_zero_length():
    found = marked([FIRST, FIRST, SECOND, ("d", "a", 7, 7, "X")])
    assert found.n_units == 2 and list(found.left_out.values()) == [1, 1] and value(found, "exact") == 1


def test_splits():
    found = marked([("d", "a", 0, 10, "X"), ("d", "b", 0, 5, "X"), ("d", "b", 5, 10, "X")])
    assert value(found, "u") == 1 and value(found, "exact") == 0


def test_adjacent_units_stay_two():
    rows = [("d", r, s, e, "X") for r in "ab" for s, e in ((0, 5), (5, 9))]
    assert kinds(marked(rows)).counts()["exact"] == 2


def test_greedy_is_not_largest():
    rows = [("d", "a", 0, 5, "X"), ("d", "a", 5, 12, "X"), ("d", "b", 2, 6, "X"), ("d", "b", 0, 2, "X")]
    assert value(marked(rows), "overlap") == 1


def test_touching_is_not_matching():
    rows = [("d", "a", 0, 12, "X"), *[("d", "b", s, s + 2, "X") for s in (0, 4, 8)]]
    assert value(marked(rows), "overlap") == 0.5


@pytest.mark.parametrize(("end", "expected"), [(8, 1), (9, 0)])
def test_iou_exactly_one_half(end, expected):
    assert value(marked([("d", "a", 0, 4, "X"), ("d", "b", 0, end, "X")]), "iou") == expected


def test_all_text_marked():
    found = marked([("d", "a", 0, 40, "X"), ("d", "b", 0, 40, "X")])
    assert value(found, "exact") == 1
    assert {raters.agreement(found, n).undefined.code for n in ("u", "u_boundary")} == {"all_marked_alike"}


def test_blank_documents_change_u_alone():
    rows = [FIRST, ("d", "b", 0, 6, "X")]
    seen = [(d, r) for d in ("d", "blank") for r in "ab"]
    alone, blank = marked(rows, seen=seen[:2]), marked(rows, seen=seen)
    assert value(alone, "exact") == value(blank, "exact") and value(alone, "u") != value(blank, "u")


@pytest.mark.parametrize("name", ["exact", "overlap", "iou", "character", "u", "u_boundary", "cu"])
def test_renaming_shifting_and_doubling(name):
    rng = np.random.default_rng(3)
    rows = [(f"d{d}", r, int(s), int(s + w), "XY"[c]) for d in range(4) for r in "abc"
            for s, w, c in zip(np.arange(0, 60, 15) + rng.integers(0, 3, 4), rng.integers(2, 9, 4), rng.integers(0, 2, 4), strict=True)]  # fmt: skip
    plain = value(marked(rows, 80), name)
    renamed = [(d, {"a": "z", "b": "y", "c": "x"}[r], s, e, c + "!") for d, r, s, e, c in rows]
    shifted = [(d, r, s + 7, e + 7, c) for d, r, s, e, c in rows]
    doubled = [*rows, *((d + "'", r, s, e, c) for d, r, s, e, c in rows)]
    for other in (renamed, shifted, doubled):
        if name in ("u", "u_boundary") and other is doubled:
            continue  # chance pairs leave out pairs within a unit, which weigh less in twice the text
        assert value(marked(other, 80), name) == pytest.approx(plain, abs=0.02 if other is doubled else 1e-12)


def test_seen_is_assumed_and_said():
    found = spans([Unit(*FIRST), Unit("e", "b", 0, 5, "X")])
    assert found.n_views == 4 and "every_rater_saw_all" in {n.code for n in found.read_as}
