"""The fifty typed cases: every measure, computed elsewhere by two roads."""

import math

import numpy as np
import pytest
from span_projects import cases, project

import raters
from raters.spans import gamma as gammas
from raters.spans.alignment import Cost
from raters.spans.chance import turned
from raters.spans.kinds import kinds

pytestmark = pytest.mark.shared
CLOSE = 1e-7
F1 = {"F1 exact": "exact", "F1 boundaries": "boundaries", "F1 overlap": "overlap", "F1 iou .5": "iou",
      "F1 character": "character", "F1 token": "token"}  # fmt: skip


@pytest.fixture(scope="module")
def typed(oracles_dir):
    found = cases(oracles_dir)
    return {name: (project(c["project"]), c) for name, c in found.items() if "project" in c}


def same(value, expected):
    assert (math.isnan(value) and expected is None) or value == pytest.approx(expected, abs=CLOSE)


def name_of(label):
    return "None" if label == "(no label)" else label


def test_f1_of_every_case(typed):
    n = 0
    for found, case in typed.values():
        for key, name in F1.items():
            if (expected := case["expected"].get(key)) is None:
                continue
            for pooled in (False, True):
                e = raters.agreement(found, name, pooled=pooled, interval=None)
                same(e.value, expected["pooled" if pooled else "mean"])
            for e in raters.per_pair(found, name, interval=None):
                same(e.value, expected["pairs"][f"{e.details['rater_a']}|{e.details['rater_b']}"])
            n += 1
    assert n > 200


def test_f1_by_label_and_document(typed):
    for found, case in typed.values():
        if "F1 exact" in case["expected"]:
            for e in raters.per_label(found, "exact", pooled=True, interval=None):
                same(e.value, case["expected"]["F1 exact by label"][name_of(e.name)])
            for e in raters.per_item(found, "exact"):
                same(e.value, case["expected"]["F1 exact by document"][e.name])


def test_the_family_of_u(typed):
    for found, case in typed.values():
        if (expected := case["expected"].get("u-alpha")) is None:
            continue
        for name, key in (("u", "u"), ("u_boundary", "|u"), ("cu", "cu")):
            same(raters.agreement(found, name, interval=None).value, expected[key])
        for e in raters.per_label(found, "cu", interval=None):
            same(e.value, expected["(k)u"][name_of(e.name)])
        for e in raters.per_label(found, "u", interval=None):
            same(e.value, expected["u per label"][name_of(e.name)])


def test_kinds(typed):
    for found, case in typed.values():
        if "kinds" in case["expected"]:
            assert kinds(found).counts() == case["expected"]["kinds"]


def test_disorder(typed):
    for found, case in typed.values():
        for alpha in (1, 3) if "disorder" in case["expected"] else ():
            total = [gammas.disorders(d.units, Cost(alpha, 1)) for d in gammas.by_raters(found)]
            units = sum(x.sum() for _, x in total)
            expected = case["expected"]["disorder"][f"alpha {alpha} beta 1"]
            same(sum(o.sum() for o, _ in total) / units if units else math.nan, expected)


def test_intervals(typed):
    n = 0
    for found, case in typed.values():
        for key, limits in case["expected"].items():
            if key == "95 % u":
                e = raters.agreement(found, "u")
                same(e.low, limits[0]), same(e.high, limits[1])
            elif key.startswith("95 % F1"):
                for how, (low, high) in limits.items():
                    e = raters.agreement(found, key.removeprefix("95 % F1 "), pooled=how == "pooled")
                    same(e.low, low), same(e.high, high)
                    n += 1
    assert n > 40


def test_gamma_on_typed_draws(typed):
    found, case = typed["gamma on typed draws"]
    for alpha in (1, 3):
        value, each = gammas.typed(found, case["draws"], Cost(alpha, 1))
        expected = case["expected"][f"alpha {alpha}"]
        same(value, expected["gamma"])
        assert each == pytest.approx(expected["disorders of the draws"], abs=CLOSE)
        made, long = gammas.gamma(found, Cost(alpha, 1)), expected["Monte Carlo"]
        assert abs(made.value - long["gamma"]) < 4 * np.hypot(made.se, long["se"])


def test_chance_of_every_pivot(typed):
    found, case = typed["chance of F1, every pivot"]
    for name, expected in case["expected"].items():
        same(turned(found, name, 0.5).value, expected)


def test_refused(oracles_dir):
    for case in cases(oracles_dir)["refused"]["cases"]:
        with pytest.raises(
            raters.DataError,
            match=r"document 'd1', rater 'b': marked, but not by one of those who saw it|lies outside|ends before it starts",
        ):
            project(case["project"])
