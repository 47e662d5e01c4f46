"""Groups of raters: cohesion by two roads, the test, and who may be shown."""

from itertools import combinations

import numpy as np
import pytest

import raters
from raters.items import fold
from raters.reliability.xrr.groups import cohesion, shown
from raters.reliability.xrr.permutation import label_distance
from raters.reliability.xrr.pools import ask

EIGHT = [[0, 0, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0], [0, 0, 1, 0, 1, 1], [1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 1],
         [0, 1, 0, 1, 1, 1], [1, 1, 1, 0, 0, 1]]  # fmt: skip
TEN = [[0, 0, 0, 0, 0, 1, 0], [1, 1, 1, None, 1, 1, 0], [2, 2, 2, 2, 2, 2, 2], [0, 0, 1, 0, 2, 2, None], [1, 1, 1, 1, 1, 1, 1],
       [2, 2, None, 2, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0], [1, 1, 2, 1, 2, 2, 2], [2, 2, 2, 2, 2, None, 2], [0, 1, 0, 0, 0, 0, 0]]  # fmt: skip


def table(labels, group):
    rows = [(i, f"r{j}", x, group[j]) for i, row in enumerate(labels) for j, x in enumerate(row) if x is not None]
    return raters.read([dict(zip(("item", "rater", "label", "team"), r, strict=True)) for r in rows], scale="nominal")


@pytest.mark.parametrize(
    ("labels", "group", "figures", "p", "z"),
    [(EIGHT, "aaabbb", (0.5174825174825175, 0.35664335664335667, -0.0629370629370627), 0.05, 2.403103472890335),
     (TEN, "aaaabbb", (0.76875, 0.6798418972332017, 0.5128623343920794), 0.05714285714285714, 2.3269820965442323)],
)  # fmt: skip
def test_figures_of_krippendorff_and_xrr_and_all_arrangements(labels, group, figures, p, z):
    ann = table(labels, group)
    found = raters.groups(ann, "team", least=2, permutations=19)
    a, b = found["team=a"].details, found["team=b"].details
    assert (a["in_group"], b["in_group"], a["cross_group"]) == pytest.approx(figures)
    pair = raters.xrr(ann, pool="team", interval=None)
    assert (pair.irr_x.value, pair.irr_y.value, pair.kappa_x.value) == pytest.approx(figures)
    assert (
        found["team=a"].value == pytest.approx(figures[0] / figures[2])
        if figures[2] > 0
        else np.isnan(found["team=a"].value)
    )
    items = fold(ann, group="rater")[None]
    n, size = len(group), group.count("a")
    every = np.zeros((len(list(combinations(range(n), size))), n))
    for row, who in zip(every, combinations(range(n), size), strict=True):
        row[list(who)] = 1
    (own,) = [i for i, row in enumerate(every) if all((group[int(str(r)[1:])] == "a") == (x == 1) for r, x in zip(items.groups, row, strict=True))]  # fmt: skip
    within, across = cohesion(
        items, label_distance(ask().cross, ann, items), every, np.ones_like(every), np.arange(n)[None]
    )
    d = (within - across)[0]
    assert (d >= d[own] - 1e-12).mean() == pytest.approx(p)
    assert float((d[own] - d.mean()) / d.std()) == pytest.approx(z)


def test_ordered_labels_have_their_distance():
    rng = np.random.default_rng(3)
    rows = [
        (i, f"r{j}", int(np.clip(i % 5 + rng.integers(-1, 2), 0, 4)), "ab"[j % 2]) for i in range(20) for j in range(10)
    ]
    ann = raters.read([dict(zip(("item", "rater", "label", "team"), r, strict=True)) for r in rows], scale="interval")
    found = raters.groups(ann, "team", permutations=19)
    pair = raters.xrr(ann, pool="team", interval=None)
    assert found["team=a"].details["in_group"] == pytest.approx(pair.irr_x.value)
    assert found["team=a"].details["cross_group"] == pytest.approx(pair.kappa_x.value)


def crowd(effect, seed=1):
    rng = np.random.default_rng(seed)
    young = np.arange(24) < 12
    logit = rng.normal(0, 1.5, 50)[:, None] + rng.normal(0, 0.7, 24) + np.outer(rng.normal(0, effect, 50), young)
    y = rng.random(logit.shape) < 1 / (1 + np.exp(-logit))
    rows = [
        (i, f"r{j}", int(y[i, j]), "young" if young[j] else "old", "xyz"[j % 3]) for i in range(50) for j in range(24)
    ]
    return raters.read(
        [dict(zip(("item", "rater", "label", "age", "region"), r, strict=True)) for r in rows], scale="nominal"
    )


def test_a_group_with_an_effect_of_its_own_is_named_and_one_population_is_not():
    assert raters.groups(crowd(2.5), permutations=199).named[0].name == "age=young"
    found = raters.groups(crowd(0.0), "age,region", permutations=199)
    assert not found.named and found.moved == 24 and set(found.sensitivity) == {"age", "region"}


def test_nobody_is_named_by_subtraction():
    rows = [("f", "a")] * 9 + [("f", "b")] * 3 + [("m", "a")] * 7 + [("m", "b")] * 7
    found = shown(rows, ["gender", "team"], 5)
    assert (("gender", "f"),) in found and (("gender", "f"), ("team", "a")) not in found
    assert (("gender", "m"), ("team", "a")) not in found or (("team", "a"),) in found
    for key, who in found.items():
        assert who.sum() >= 5 and (~who).sum() >= 5
        for other, whose in found.items():
            assert not (set(key) < set(other) and 0 < (who & ~whose).sum() < 5)
    assert not shown([("x",)] * 12 + [("y",)] * 4, ["team"], 5)


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("nothing", "no column 'nothing' for by="),
        ("item_kind", "varies within rater"),
        ("lone", "is shared by 5 raters or more"),
    ],
)
def test_one_clear_line(by, said):
    rows = [{"item": i, "rater": f"r{j}", "label": "ab"[(i * j) % 2], "item_kind": "xy"[i % 2], "lone": str(j)} for i in range(8) for j in range(9)]  # fmt: skip
    with pytest.raises(raters.RatersError, match=said):
        raters.groups(raters.read(rows, scale="nominal"), by)


def test_raters_whose_items_nobody_shares_cannot_be_moved():
    rows = [{"item": f"{j % 12 // 6}-{i}", "rater": f"r{j}", "label": "ab"[(i * j) % 2], "team": "xy"[j % 12 // 6]} for i in range(8) for j in range(12)]  # fmt: skip
    with pytest.raises(raters.DataError, match="cannot be distinguished from items"):
        raters.groups(raters.read(rows, scale="nominal"), "team")


def test_the_report_has_groups_where_columns_say_something_about_raters():
    made = raters.report(crowd(2.5), interval=None)
    section = made.section("groups")
    assert "age=young" in section.answer
    assert "groups" not in [s.key for s in raters.report(raters.examples.demo(), interval=None).sections]


def test_groups_of_which_nothing_is_known_have_a_reason_and_none_that_shuffles_move_is_named():
    """The sentence said that the smallest p is nan, and the reason that agreement is not above chance."""
    one_label = raters.groups(table([[0] * 4] * 4, "aabb"), "team", least=2, permutations=19)
    assert one_label.sentence.startswith("Groups cannot be compared: agreement within the group") and "nan" not in str(
        one_label
    )
    assert {n.code for e in one_label for n in e.notes} == {"no_cohesion"}
    alike = raters.groups(table([[0] * 4, [1] * 4, [0] * 4], "aabb"), "team", least=2, permutations=19)
    assert [e.details["p"] for e in alike] == [1, 1] and "smallest p of 2 groups is 1." in alike.sentence
