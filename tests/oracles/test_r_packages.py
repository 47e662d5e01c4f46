"""R's irr, rel, vcd and epiR: their rows for the coefficients of agreement."""

import re

import pytest
from tables import Folded, raw, rows

import raters

pytestmark = pytest.mark.shared
FILES = {"sf": "shrout_fleiss_1979"}
ELSEWHERE = re.compile(
    r"ICC|icc|ccc|occc|kendall|meancor|meanrho|robinson|finn|N\.cohen|agree\.tol1|bindex|pindex|mvalpha"
)
"""Rows of other statistics: intraclass correlation, concordance, tests; agreement within a tolerance of one."""


def figures(oracles_dir, pattern):
    """(data set, coefficient, statistic) -> number, for coefficients that match."""
    found = {
        (r["dataset"], r["coef"], r["stat"]): float(r["value"])
        for r in rows(oracles_dir / "irr_psych_epir_R.csv")
        if re.fullmatch(pattern, r["coef"]) and r["value"] != "NA"
    }
    assert found
    return found


def table(oracles_dir, dataset, scale=None):
    return raw(oracles_dir / f"{FILES.get(dataset, dataset)}.csv", scale)


TESTED = r"kripp\.alpha\..*|kra\..*|iota|agree\.tol0|kappa2\..*|fleiss.*|conger\(exact\)|light|Kappa\..*|kappa|pabak"


def test_every_row_is_tested_here_or_of_another_statistic(oracles_dir):
    names = {r["coef"] for r in rows(oracles_dir / "irr_psych_epir_R.csv")}
    assert {n for n in names if not re.fullmatch(TESTED, n) and not ELSEWHERE.match(n)} == set()


def test_krippendorff(oracles_dir):
    found = figures(oracles_dir, r"(kripp\.alpha|kra)\..*")
    assert len(found) == 20
    for (dataset, coefficient, _), value in found.items():
        scale = coefficient.rsplit(".", 1)[1]
        e = raters.agreement(table(oracles_dir, dataset, scale), "krippendorff", interval=None)
        assert e.value == pytest.approx(value, abs=1e-10), (dataset, coefficient)


def test_iota(oracles_dir):
    found = figures(oracles_dir, "iota")
    assert len(found) == 3
    for (dataset, _, _), value in found.items():
        e = raters.agreement(table(oracles_dir, dataset), "iota", interval=None)
        assert e.value == pytest.approx(value, abs=1e-10), dataset


def test_simple_agreement_is_the_share_of_items_on_which_all_raters_agree(oracles_dir):
    """R's agree() is not pairwise percent agreement: with several raters one dissenter spoils the item."""
    found = figures(oracles_dir, r"agree\.tol0")
    assert len(found) == 3
    for (dataset, _, _), percent in found.items():
        ann = table(oracles_dir, dataset, "nominal")
        each = [e.value for e in raters.per_item(ann, "percent")]
        assert 100 * sum(v == 1 for v in each) / len(each) == pytest.approx(percent), dataset
        overall = raters.agreement(ann, "percent", interval=None).value
        assert overall == pytest.approx(sum(each) / len(each), abs=1e-12)
        assert 100 * overall >= percent


def test_cohen_of_the_first_two_raters(oracles_dir):
    weights = {"unweighted": "identity", "equal": "linear", "squared": "quadratic"}
    found = figures(oracles_dir, r"kappa2\..*")
    pair = raters.per_pair(table(oracles_dir, "anxiety"), "cohen", interval=None)[0]
    assert (pair.details["rater_a"], pair.details["rater_b"]) == (1, 2)
    for (dataset, coefficient, stat), value in found.items():
        if stat == "z":  # a test of kappa = 0, with the standard error under that hypothesis
            continue
        w = weights[coefficient.split(".")[1]]
        if dataset == "vision":
            e = raters.agreement(table(oracles_dir, "vision"), "cohen", weights=w, interval=None)
        else:
            e = raters.per_pair(table(oracles_dir, "anxiety"), "cohen", weights=w, interval=None)[0]
        assert e.value == pytest.approx(value, abs=1e-10), (dataset, coefficient)


def test_fleiss_conger_and_light_of_the_diagnoses(oracles_dir):
    ask = Folded(table(oracles_dir, "diagnoses", "nominal"))
    found = figures(oracles_dir, r"fleiss|conger\(exact\)|light")
    for name in ("fleiss", "conger", "light"):
        value = found["diagnoses", "conger(exact)" if name == "conger" else name, "value"]
        assert ask(name, interval=None).value == pytest.approx(value, abs=1e-10), name
    assert ask("hubert", interval=None).value == pytest.approx(ask("conger", interval=None).value, abs=1e-12)


def test_fleiss_per_label(oracles_dir):
    found = figures(oracles_dir, r"fleiss\..*")
    ann = table(oracles_dir, "diagnoses", "nominal")
    ours = {e.name: e.value for e in raters.per_label(ann, "fleiss", interval=None)}
    assert len(found) == len(ours) == 5
    for (_, coefficient, _), value in found.items():
        assert round(ours[coefficient.removeprefix("fleiss.")], 3) == value, coefficient


def test_vcd_kappa_with_its_standard_error(oracles_dir):
    """vcd divides by n where delta divides by n - 1."""
    found = figures(oracles_dir, r"Kappa\..*")
    ask = Folded(table(oracles_dir, "vision"))
    for vcd, weights in (("Kappa.Unweighted", "identity"), ("Kappa.Weighted(equal-spacing)", "linear")):
        e = ask("cohen", weights=weights, interval="delta")
        assert e.value == pytest.approx(found["vision", vcd, "value"], abs=1e-10)
        assert e.se * ((e.n_items - 1) / e.n_items) ** 0.5 == pytest.approx(found["vision", vcd, "ASE"], abs=1e-12)


def test_epir_kappa_and_pabak(oracles_dir):
    found = figures(oracles_dir, "kappa|pabak")
    ann = raters.read([[20, 5], [10, 15]], layout="contingency", labels=["+", "-"], scale="nominal")
    for name, ours in (("kappa", "cohen"), ("pabak", "brennan_prediger")):
        (value,) = [v for (_, coefficient, _), v in found.items() if coefficient == name]
        assert raters.agreement(ann, ours, interval=None).value == pytest.approx(value, abs=1e-12)
