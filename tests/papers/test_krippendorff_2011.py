"""Krippendorff (2011), Computing Krippendorff's alpha-reliability; (1980, 2004), Content Analysis."""

import pytest
from tables import Folded, same, square, wide

import raters

CANONICAL = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."
BINARY = "10 11 01 00 00 01 00 01 00 00"
BEN_GERRY = "ab aa bb bb db cc cc cc ee dd dd ad"
CONTENT_1980 = "111 122 222 444 144 222 123 333 222"


def disagreement(e):
    return 1 - e.observed, 1 - e.expected


def test_binary_data_of_two_observers():
    ask = Folded(wide(BINARY))
    e = ask("krippendorff", interval=None)
    assert same(disagreement(e)[0], ".400") and same(disagreement(e)[1], ".442") and same(e.value, ".095")
    assert same(ask("percent", interval=None).value, ".600")


def test_nominal_data_of_two_observers():
    assert same(raters.agreement(wide(BEN_GERRY), interval=None).value, ".692")


def test_nominal_data_of_any_number_of_observers_with_missing_data():
    e = raters.agreement(wide(CANONICAL), interval=None)
    assert same(disagreement(e)[0], ".200") and same(disagreement(e)[1], ".779") and same(e.value, ".743")


@pytest.mark.parametrize(
    "scale, alpha", [("nominal", ".743"), ("ordinal", ".815"), ("interval", ".849"), ("ratio", ".797")]
)
def test_every_metric(scale, alpha):
    e = raters.agreement(wide(CANONICAL, scale), interval=None)
    assert same(e.value, alpha)
    assert e.parts == ("agreement" if scale == "nominal" else "disagreement")
    perfect = float(scale == "nominal")
    assert e.value == pytest.approx((e.observed - e.expected) / (perfect - e.expected), abs=1e-15)


def test_interval_parts_by_hand():
    """40 pairable values; within units the squares of differences, over 3 or 2 or 1, sum to 17 1/3."""
    e = raters.agreement(wide(CANONICAL, "interval"), interval=None)
    assert e.observed == pytest.approx((17 + 1 / 3) / 40, abs=1e-14)
    values = [int(c) for word in CANONICAL.split()[:-1] for c in word if c != "."]
    assert len(values) == 40
    assert e.expected == pytest.approx(sum((a - b) ** 2 for a in values for b in values) / (40 * 39), abs=1e-13)


def test_three_observers_1980():
    ask = Folded(wide(CONTENT_1980))
    e = ask("krippendorff", interval=None)
    assert same(disagreement(e)[0], ".259") and same(disagreement(e)[1], ".724") and same(e.value, ".642")
    assert same(ask("percent", interval=None).value, ".74")
    for scale, alpha in (("interval", ".547"), ("ratio", ".483")):
        assert same(raters.agreement(wide(CONTENT_1980, scale), interval=None).value, alpha)


@pytest.mark.parametrize(
    "table, kappa",
    [(((12, 9, 9), (9, 14, 9), (9, 9, 20)), ".186"), (((12, 18, 18), (0, 14, 18), (0, 0, 20)), ".258")],
)
def test_kappa_rewards_disagreement_on_margins_2004(table, kappa):
    """The second table has the same diagonal and pooled margins, so only Cohen's kappa moves."""
    ask = Folded(square(*table))
    assert same(ask("percent", interval=None).value, ".46")
    assert same(ask("brennan_prediger", interval=None).value, ".19")
    assert same(ask("scott", interval=None).value, ".186")
    assert same(ask("cohen", interval=None).value, kappa)
