"""Van Oest (2019), tables 4 and 5; van Oest & Girard (2022). Figures of jmgirard/agreement (calc_irsq) in R."""

from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import ask, same, square

import raters
from raters import examples
from raters.errors import UsageError

FIGURES = {
    ((81, 9), (9, 1)): (".0338437", ".0338437", ".0338437"),
    ((118, 5), (2, 0)): (".0890820", ".0890820", ".0890820"),
    ((472, 20), (8, 0)): (".0037172", ".0037172", ".0037172"),
    ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14)): (".1263096", ".2363094", ".3322233"),
    ((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10)): (".1799721", ".3507058", ".4992499"),
}
"""Tables of two raters, and the value with identity, linear and quadratic weights."""


@pytest.mark.parametrize("table", FIGURES)
def test_tables_of_two_raters(table):
    for weights, printed in zip(("identity", "linear", "quadratic"), FIGURES[table], strict=True):
        assert same(raters.agreement(square(*table), "van_oest", weights=weights, interval=None).value, printed)


def test_observed_and_expected():
    for table, observed, expected, printed in (
        (((81, 9), (9, 1)), ".82", ".8136947358", ".034"),
        (((118, 5), (2, 0)), ".944", ".9385235576", ".089"),
        (((472, 20), (8, 0)), ".944", ".9437910606", ".004"),
    ):
        e = raters.agreement(square(*table), "van_oest", interval=None)
        assert same(e.observed, observed) and same(e.expected, expected) and same(e.value, printed)


def test_four_raters_with_labels_missing():
    """Krippendorff's table: pairs are pooled, and the item with one label counts in the margin."""
    ann = examples.four_raters("interval")
    for weights, printed in (("identity", ".7157188"), ("linear", ".7826400"), ("quadratic", ".8384543")):
        assert same(raters.agreement(ann, "van_oest", weights=weights, interval=None).value, printed)


def loops(rows, labels, w):
    """The definition, pair by pair."""
    by_item = {}
    for item, _, label in rows:
        by_item.setdefault(item, []).append(label)
    pairs = [(x[a], x[b]) for x in by_item.values() for a, b in permutations(range(len(x)), 2)]
    every = [label for _, _, label in rows]
    p = {k: (1 + every.count(k)) / (len(labels) + len(every)) for k in labels}
    observed = sum(w(a, b) for a, b in pairs) / len(pairs)
    expected = sum(w(a, b) * p[a] * p[b] for a in labels for b in labels)
    return observed, expected, (observed - expected) / (1 - expected)


WEIGHTS = {
    "identity": lambda a, b: float(a == b),
    "linear": lambda a, b: 1 - abs(a - b) / 7,
    "quadratic": lambda a, b: 1 - (a - b) ** 2 / 49,
}


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from([0, 1, 3, 7, None]), min_size=3, max_size=3), min_size=1, max_size=7),
    st.sampled_from(list(WEIGHTS)),
)
def test_against_loops_over_pairs(cells, weights):
    rows = [(i, j, v) for i, row in enumerate(cells) for j, v in enumerate(row) if v is not None]
    assume(any(sum(v is not None for v in row) > 1 for row in cells))
    e = ask(rows, [0, 1, 3, 7], "van_oest", weights=weights)
    assert (e.observed, e.expected, e.value) == pytest.approx(loops(rows, [0, 1, 3, 7], WEIGHTS[weights]), abs=1e-12)


@pytest.mark.parametrize("weights", [None, "linear"])
def test_every_interval(weights):
    drawn = raters.simulate.labels(
        3000, 3, 3, accuracy=(0.9, 0.8, 0.7), prevalence=(0.5, 0.3, 0.2), missing=0.2, seed=3
    )
    ann = raters.read(drawn.columns(), scale="ordinal", labels=range(3))
    found = [
        raters.agreement(ann, "van_oest", weights=weights, interval=m, seed=1, resamples=1000)
        for m in ("delta", "jackknife", "bootstrap", "bca")
    ]
    for e in found:
        assert (e.low, e.high) == pytest.approx((found[0].low, found[0].high), abs=0.3 * found[0].se)
    assert found[1].se == pytest.approx(found[0].se, rel=1e-2)
    assert 0 < raters.agreement(ann, "van_oest", sample="raters").se < 1


def test_very_many_values_need_no_table_of_values_by_values():
    rows = [(i, j, float(1000 * j + 7 * i % 5000)) for i in range(300) for j in range(3)]
    labels = sorted({v for *_, v in rows})
    assert len(labels) > 200
    ann = raters.read(rows, scale="interval")
    e = raters.agreement(ann, "van_oest", weights="quadratic", interval=None)
    span = labels[-1] - labels[0]
    expected = loops(rows, labels, lambda a, b: 1 - (a - b) ** 2 / span**2)
    assert (e.observed, e.expected, e.value) == pytest.approx(expected, abs=1e-9)


def test_it_lies_between_fleiss_and_brennan_prediger_in_chance():
    """With few labels the prior counts most; with many it is Fleiss with pooled margins."""
    table = ((12, 1), (2, 0))
    values = [
        raters.agreement(square(*(tuple(n * times for n in row) for row in table)), "van_oest", interval=None).value
        for times in (1, 10, 10_000)
    ]
    fleiss, s = (raters.agreement(square(*table), name, interval=None).value for name in ("fleiss", "brennan_prediger"))
    assert fleiss < values[2] < values[1] < values[0] < s and values[2] == pytest.approx(fleiss, abs=1e-4)


def test_labels_one_by_one_slices_and_what_it_does_not_take():
    ann = examples.four_raters()
    each = raters.per_label(ann, "van_oest", interval="delta")
    assert [e.se > 0 for e in each] == [True, True, True, True, False] and each[4].undefined  # nobody differs on "5"
    assert [e.value for e in raters.per_rater(ann, "van_oest", interval=None)]
    with pytest.raises(UsageError, match="takes weights=, not distance="):
        raters.agreement(ann, "van_oest", distance="interval")
    with pytest.raises(UsageError, match="se='gwet' is not defined for van_oest"):
        raters.agreement(ann, "van_oest", se="gwet", interval="delta")
