"""The same slices on numbers with many different values, which fold to moments or to lists instead of columns."""

import random
from importlib import import_module

import brute
import pytest

import raters

random.seed(5)
VALUES = sorted({round(random.gauss(10, 3), 1) for _ in range(90)})


def near(x):
    return min(VALUES, key=lambda v: abs(v - x))


ROWS = [
    {"item": i, "rater": r, "label": near(truth + random.gauss(0, 1)), "half": i % 2}
    for i in range(25)
    for truth in [random.gauss(10, 3)]
    for r in "abcd"
    if random.random() < 0.8
]
ROWS += [{**row, "label": VALUES[-1]} for row in ROWS if random.random() < 0.1]  # repeats


@pytest.fixture(scope="module", params=["interval", "ratio", "circular", "ordinal"])
def ann(request):
    found = raters.read(ROWS, scale=request.param, labels=VALUES, duplicates="keep")
    assert len(found.labels) > 33
    return found


def distance(ann):
    return None if ann.scale == "ordinal" else brute.delta(ann.scale, VALUES)


def plain(rows):
    return [(row["item"], row["rater"], row["label"]) for row in rows]


def same(e, expected):
    assert (e.observed, e.expected, e.value) == pytest.approx(expected, rel=1e-9), e.name


def test_overall_and_by(ann):
    same(raters.agreement(ann, interval=None), brute.krippendorff(plain(ROWS), VALUES, distance(ann), 0.0))
    for e in raters.agreement(ann, by="half", interval=None):
        rows = plain(row for row in ROWS if row["half"] == int(e.name))
        same(e, brute.krippendorff(rows, VALUES, distance(ann), 0.0))


def test_iota_by(ann):
    k = distance(ann) or brute.delta("interval", VALUES)
    for e in raters.agreement(ann, "iota", by="half", interval=None):
        rows = plain(row for row in ROWS if row["half"] == int(e.name))
        same(e, brute.conger(rows, VALUES, k, 0.0))


def test_per_pair_and_per_rater(ann):
    if ann.scale == "ordinal":
        return  # ranks are those of the pair's own labels
    k, rows = distance(ann), plain(ROWS)
    for e in raters.per_pair(ann, "iota", interval=None):
        both = [row for row in rows if row[1] in e.details.values()]
        items = {i for i in {i for i, _, _ in both} if len({r for j, r, _ in both if j == i}) == 2}
        same(e, brute.conger([row for row in both if row[0] in items], VALUES, k, 0.0))
    for e in raters.per_rater(ann, interval=None):
        mine = {i for i, r, _ in rows if r == e.name}
        two = [(i, "me" if r == e.name else "others", v) for i, r, v in rows if i in mine]
        same(e, brute.between_groups(two, VALUES, k, 0.0))


def test_per_item_adds_up(ann):
    overall, table = raters.agreement(ann, interval=None), raters.per_item(ann)
    paired = [e for e in table if e.n_annotations >= 2]
    n = sum(e.n_annotations for e in paired)
    assert sum(e.observed * e.n_annotations for e in paired) / n == pytest.approx(overall.observed, rel=1e-9)
    assert sum(e.value * e.n_annotations for e in paired) / n == pytest.approx(overall.value, abs=1e-9)


def test_lists_and_columns_are_the_same_fold(monkeypatch):
    """Few (group, label) pairs are counted in columns, many in sorted lists: the figures are the same to the bit."""
    rows = [{**row, "label": round(row["label"] / 5)} for row in ROWS]
    data = raters.read(rows, scale="nominal", duplicates="keep")

    def figures():
        found = [raters.agreement(data, n, interval="delta") for n in ("krippendorff", "conger", "light", "gwet")]
        return [(e.value, e.observed, e.expected, e.se) for e in found]

    wide = figures()
    monkeypatch.setattr(import_module("raters.items.folding"), "WIDE", 0)
    for one, other in zip(wide, figures(), strict=True):
        assert one == pytest.approx(other, abs=1e-13, nan_ok=True)
