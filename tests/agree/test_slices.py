"""Per category, rater, pair and item, by a column, between groups, within raters: each against loops."""

import math
import random

import brute
import pytest

import raters
from raters.coefficients import REGISTRY
from raters.errors import DataError, UsageError

LABELS = [1, 2, 4]
random.seed(11)
ROWS = [
    {
        "item": f"i{i:02d}",
        "rater": r,
        "label": v,
        "topic": "ab"[i % 2],
        "round": k,
        "pool": "staff" if r in "xy" else "crowd",
    }
    for i in range(18)
    for truth in [random.choice(LABELS)]
    for r in "wxyz"
    for k in (1, 2)
    for v in [truth if random.random() < 0.6 else random.choice(LABELS)]
    if random.random() < 0.8
]
FIRST = [row for row in ROWS if row["round"] == 1]
IDENTITY = brute.weight("identity", LABELS)


@pytest.fixture(scope="module")
def ann():
    """One label of a rater on an item, some missing."""
    return raters.read(FIRST, scale="nominal", labels=LABELS)


@pytest.fixture(scope="module")
def rounds():
    """Every rater labels an item twice, in two rounds."""
    return raters.read(ROWS, scale="nominal", labels=LABELS)


def plain(rows, rater="rater", label="label"):
    return [(row["item"], row[rater], row[label]) for row in rows]


def same(e, expected):
    assert (e.observed, e.expected, e.value) == pytest.approx(expected, abs=1e-12, nan_ok=True), e.name


@pytest.mark.parametrize(
    "name", ["krippendorff", "fleiss", "gwet", "brennan_prediger", "conger", "light", "percent", "iota"]
)
def test_per_label_is_one_label_against_the_rest(ann, name):
    table = raters.per_label(ann, name, interval=None)
    assert [e.name for e in table] == ["1", "2", "4"]
    for e, label in zip(table, LABELS, strict=True):
        two = [(i, r, int(v == label)) for i, r, v in plain(FIRST)]
        same(e, brute.COEFFICIENTS[name](two, [0, 1], brute.weight("identity", [0, 1])))


def test_per_label_leaves_the_scale_aside():
    ordinal = raters.read(FIRST, scale="ordinal", labels=LABELS)
    nominal = raters.read(FIRST, scale="nominal", labels=LABELS)
    for one, other in zip(raters.per_label(ordinal), raters.per_label(nominal), strict=True):
        assert (one.value, one.low) == (other.value, other.low)
    with pytest.raises(UsageError, match="no option 'weights'"):
        raters.per_label(ordinal, weights="linear")


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_per_pair_is_the_coefficient_on_the_items_of_both(ann, weights):
    rows = plain(FIRST)
    k = brute.weight(weights or "identity", LABELS)
    for name in ("cohen", "scott", "krippendorff", "gwet"):
        table = raters.per_pair(ann, name, weights=weights, interval=None)
        assert [(e.details["rater_a"], e.details["rater_b"]) for e in table] == [
            ("w", "x"),
            ("w", "y"),
            ("w", "z"),
            ("x", "y"),
            ("x", "z"),
            ("y", "z"),
        ]
        for e in table:
            both = [row for row in rows if row[1] in e.details.values()]
            items = {i for i, _, _ in both if sum(j == i for j, _, _ in both) == 2}
            shared = [row for row in both if row[0] in items]
            same(e, brute.COEFFICIENTS[name](shared, LABELS, k))
            assert (e.n_items, e.n_raters, e.n_annotations) == (len(items), 2, 2 * len(items))


def test_light_is_the_mean_of_the_pairs(ann):
    for weights in (None, "linear"):
        pairs = raters.per_pair(ann, "cohen", weights=weights, interval=None)
        light = raters.agreement(ann, "light", weights=weights, interval=None)
        assert light.value == pytest.approx(sum(e.value for e in pairs) / len(pairs), abs=1e-14)


def test_per_rater_is_the_rater_against_a_label_of_the_others(ann):
    rows = plain(FIRST)
    table = raters.per_rater(ann, interval=None)
    assert [e.name for e in table] == list("wxyz")
    for e in table:
        mine = {i for i, r, _ in rows if r == e.name}
        two = [(i, "me" if r == e.name else "others", v) for i, r, v in rows if i in mine]
        same(e, brute.between_groups(two, LABELS, IDENTITY))
        assert e.n_items == len(mine)
    for e in raters.per_rater(ann, "cohen", interval=None):
        mine = {i for i, r, _ in rows if r == e.name}
        two = [(i, "me" if r == e.name else "others", v) for i, r, v in rows if i in mine]
        same(e, brute.cohen(two, LABELS, IDENTITY))


def test_a_rater_who_guesses_stands_out(ann):
    guess = random.Random(3)
    rows = [
        *FIRST,
        *({**row, "rater": "guesser", "label": guess.choice(LABELS)} for row in FIRST if row["rater"] == "x"),
    ]
    table = raters.per_rater(raters.read(rows, scale="nominal", labels=LABELS), interval=None)
    assert min(table, key=float).name == "guesser"


@pytest.mark.parametrize("name", ["krippendorff", "fleiss", "conger", "gwet", "percent"])
def test_per_item(ann, name):
    overall = raters.agreement(ann, name, interval=None)
    table = raters.per_item(ann, name)
    assert [e.name for e in table] == sorted({row["item"] for row in FIRST})
    for e in table:
        labels = [v for i, _, v in plain(FIRST) if i == e.name]
        if len(labels) < 2:
            assert math.isnan(e.value) and "one label" in e.warnings[0]
            continue
        observed = brute.item_agreement(labels, IDENTITY)
        assert e.observed == pytest.approx(observed, abs=1e-14)
        assert e.value == pytest.approx((observed - overall.expected) / (1 - overall.expected), abs=1e-12)
        assert (e.n_items, e.n_annotations) == (1, len(labels))
    if name != "krippendorff":  # which weighs items by their labels
        values = [e.value for e in table if not math.isnan(e.value)]
        assert overall.value == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_per_item_of_ordinal_alpha_measures_by_the_ranks_of_all():
    data = raters.read(FIRST, scale="ordinal", labels=LABELS)
    overall, table = raters.agreement(data, interval=None), raters.per_item(data)
    n = sum(e.n_annotations for e in table if e.n_annotations >= 2)
    observed = sum(e.observed * e.n_annotations for e in table if e.n_annotations >= 2) / n
    assert observed == pytest.approx(overall.observed, rel=1e-12)
    assert all(e.expected == overall.expected for e in table)
    assert table[0].value == pytest.approx(1 - table[0].observed / overall.expected, abs=1e-12)


@pytest.mark.parametrize("name", ["fleiss", "krippendorff"])
def test_per_item_with_ordinal_weights_is_agreement_and_not_ranks(name):
    data = raters.read(FIRST, scale="ordinal", labels=LABELS)
    overall = raters.agreement(data, name, weights="ordinal", interval=None)
    table = raters.per_item(data, name, weights="ordinal")
    weight = brute.weight("ordinal", LABELS)
    for e in table:
        labels = [v for i, _, v in plain(FIRST) if i == e.name]
        if len(labels) >= 2:
            observed = brute.item_agreement(labels, weight)
            assert e.observed == pytest.approx(observed, abs=1e-13)
            assert e.value == pytest.approx((observed - overall.expected) / (1 - overall.expected), abs=1e-12)


def test_per_item_takes_two_raters_for_cohen(ann):
    with pytest.raises(UsageError, match="compares two raters, but there are 4"):
        raters.per_item(ann, "cohen")
    with pytest.raises(UsageError, match=r"conger, light or hubert"):
        raters.agreement(ann, "cohen")


@pytest.mark.parametrize("name", [n for n, row in REGISTRY.items() if row.exactly is None])
def test_by_a_column(ann, name):
    table = raters.agreement(ann, name, by="topic", interval=None)
    assert [(e.name, e.by) for e in table] == [("a", "topic"), ("b", "topic")]
    for e in table:
        rows = [row for row in FIRST if row["topic"] == e.name]
        if name in brute.COEFFICIENTS:
            same(e, brute.COEFFICIENTS[name](plain(rows), LABELS, IDENTITY))
        alone = raters.agreement(raters.read(rows, scale="nominal", labels=LABELS), name, interval="delta")
        inside = raters.agreement(ann, name, by="topic", interval="delta")[e.name]
        assert (alone.se, alone.low) == pytest.approx((inside.se, inside.low), abs=1e-12, nan_ok=True)
        assert e.n_raters == alone.n_raters and e.n_items == alone.n_items


def test_groups_are_compared_instead_of_raters(ann):
    rows = plain(FIRST, "pool")
    for name in ("cohen", "conger", "hubert", "light"):
        same(raters.agreement(ann, name, group="pool", interval=None), brute.COEFFICIENTS[name](rows, LABELS, IDENTITY))
    same(raters.agreement(ann, group="pool", interval=None), brute.between_groups(rows, LABELS, IDENTITY))


def test_rounds_of_the_same_raters(rounds):
    """group= tells the two labels of a rater apart, so that they are no repeats."""
    rows = [(row["item"], str(row["round"]), row["label"]) for row in ROWS]
    same(raters.agreement(rounds, "cohen", group="round", interval=None), brute.cohen(rows, LABELS, IDENTITY))
    with pytest.raises(DataError, match="repeat an item and rater"):
        raters.agreement(rounds)


def test_within_a_rater(rounds):
    """Intra-rater: an item and a rater together are the unit, the rounds are compared."""
    rows = [((row["item"], row["rater"]), str(row["round"]), row["label"]) for row in ROWS]
    e = raters.agreement(rounds, "cohen", group="round", within="rater", interval=None)
    same(e, brute.cohen(rows, LABELS, IDENTITY))
    assert e.n_items == len({unit for unit, _, _ in rows})
    kept = raters.read(rounds, duplicates="keep")
    same(raters.agreement(kept, within="rater", interval=None), brute.krippendorff(rows, LABELS, IDENTITY))


def test_unknown_columns_are_named(ann):
    for option in ("by", "group", "within"):
        with pytest.raises(UsageError, match=r"no column 'colour'.*topic"):
            raters.agreement(ann, **{option: "colour"})


def test_the_table_holds_every_coefficient_that_applies(ann):
    names = [e.name for e in raters.agreement_table(ann, interval=None)]
    assert names == [n for n, row in REGISTRY.items() if row.exactly is None]
    two = raters.read([row for row in FIRST if row["rater"] in "wx"], scale="nominal", labels=LABELS)
    assert [e.name for e in raters.agreement_table(two, interval=None)] == [
        n for n, row in REGISTRY.items() if row.same_for_two is None
    ]
    counts = raters.read([[2, 1, 0], [0, 3, 0], [1, 1, 1]], layout="counts", scale="nominal")
    assert [e.name for e in raters.agreement_table(counts, interval=None)] == [
        n for n, row in REGISTRY.items() if not row.between_groups and row.exactly is None
    ]


def test_the_table_leaves_out_what_the_options_do_not_suit(ann):
    def names(**options):
        return [e.name for e in raters.agreement_table(ann, **options)]

    assert "percent" not in names(distance="interval", interval=None) and "fleiss" in names(
        distance="interval", interval=None
    )
    assert "light" not in names(se="gwet") and "krippendorff" in names(se="gwet")
    pooled = {e.name: e for e in raters.agreement_table(ann, margins="pooled", interval=None)}
    same(pooled["fleiss"], brute.fleiss(plain(FIRST), LABELS, IDENTITY, pooled=True))
    same(pooled["conger"], brute.conger(plain(FIRST), LABELS, IDENTITY))


def test_weights_suit_the_scale_in_the_table():
    for scale, weights in (
        ("interval", "quadratic"),
        ("ratio", "ratio"),
        ("circular", "circular"),
        ("ordinal", "identity"),
    ):
        data = raters.read(FIRST, scale=scale, labels=LABELS)
        assert raters.agreement_table(data, interval=None)["fleiss"].weights == weights


@pytest.mark.parametrize("name", ["per_rater", "per_pair", "per_item", "explain"])
def test_slices_take_only_options_that_they_use(name):
    with pytest.raises(UsageError, match="no option 'sample'"):
        getattr(raters, name)(raters.examples.four_raters(), sample="raters")
