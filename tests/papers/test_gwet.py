"""Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48; (2014), Handbook of Inter-Rater Reliability; irrCAC's manual."""

import pytest
from tables import Folded, same

import raters
from raters import examples

FOUR_RATERS = {
    # value, standard error, lower limit
    "percent": (".81818", ".12561", ".542"),
    "gwet": (".77544", ".14295", ".461"),
    "fleiss": (".76117", ".15302", ".424"),
    "conger": (".76282", ".14917", ".435"),
    "brennan_prediger": (".77273", ".14472", ".454"),
    "krippendorff": (".74342", ".14557", ".419"),
}
WEIGHTED = {
    "quadratic": {"gwet": (".91400", ".10396"), "fleiss": (".86494", ".14603"), "krippendorff": (".84911", ".12913"),
                  "conger": (".85771", ".14367"), "brennan_prediger": (".90152", ".11089")},
    "linear": {"gwet": (".85874", ".11733"), "fleiss": (".81794", ".14850"), "krippendorff": (".80038", ".13548"),
               "conger": (".81378", ".14509"), "brennan_prediger": (".84848", ".12336")},
}  # fmt: skip
ABSTRACTORS = {
    "cohen": (".7964094", ".05891072", ".680", ".913"),
    "scott": (".7962397", ".05905473", ".679", ".913"),
    "gwet": (".8493305", ".04321747", ".764", ".935"),
    "brennan_prediger": (".8350000", ".04693346", ".742", ".928"),
    "krippendorff": (".7972585", ".05905473", ".680", ".914"),
    "percent": (".8900000", ".03128898", ".828", ".952"),
}
SIX_RATERS = {
    "gwet": (".4448007", ".08418757", ".264", ".625"),
    "fleiss": (".4139265", ".08119291", ".240", ".588"),
    "brennan_prediger": (".4388889", ".08312142", ".261", ".617"),
}


@pytest.mark.parametrize("name", FOUR_RATERS)
def test_four_raters_with_missing_labels(name):
    e = raters.agreement(examples.four_raters(), name, weights="identity", interval="delta", se="gwet")
    value, se, low = FOUR_RATERS[name]
    assert same(e.value, value) and same(e.se, se) and same(e.low, low)
    assert e.high == 1


@pytest.mark.parametrize("weights", WEIGHTED)
def test_four_raters_weighted(weights):
    ask = Folded(examples.four_raters("interval"))
    for name, (value, se) in WEIGHTED[weights].items():
        e = ask(name, weights=weights, interval="delta", se="gwet")
        assert same(e.value, value) and same(e.se, se), name


def test_ac1_parts_by_hand():
    """pi of the twelve items; one has a single label and counts for pi only."""
    e = raters.agreement(examples.four_raters(), "gwet", interval=None)
    assert e.observed == pytest.approx(9 / 11, abs=1e-15)
    pi = [
        (3 / 3 + 1 / 4 + 3 / 4 + 1) / 12,
        (3 / 4 + 1 + 1 / 4 + 1 / 4 + 1) / 12,
        (1 / 4 + 2 + 1 / 4 + 1) / 12,
        (1 / 4 + 1) / 12,
        1 / 12,
    ]
    assert sum(pi) == pytest.approx(1)
    assert e.expected == pytest.approx(sum(p * (1 - p) for p in pi) / 4, abs=1e-15)


@pytest.mark.parametrize("name", ABSTRACTORS)
def test_two_abstractors(name):
    e = raters.agreement(examples.abstractors(), name, interval="delta", se="gwet")
    value, se, low, high = ABSTRACTORS[name]
    assert same(e.value, value) and same(e.se, se) and same(e.low, low) and same(e.high, high)


def test_six_raters_as_counts():
    """The first fifteen patients of Fleiss (1971), as counts of labels."""
    rows = examples.matrix(examples.FLEISS_1971)[:15]
    ann = raters.read([[row.count(k) for k in range(1, 6)] for row in rows], layout="counts", scale="nominal")
    ask = Folded(ann)
    for name, (value, se, low, high) in SIX_RATERS.items():
        e = ask(name, interval="delta", se="gwet")
        assert same(e.value, value) and same(e.se, se) and same(e.low, low) and same(e.high, high), name
    assert same(ask("krippendorff", interval=None).value, ".4204384")
