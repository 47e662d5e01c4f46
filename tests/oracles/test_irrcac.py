"""irrCAC 1.0 for R: every row of its raw and table functions, value, standard error and interval."""

import pytest
from tables import IRRCAC, Folded, contingency, limits, raw, rows

import raters

pytestmark = pytest.mark.shared
RAW = ("cac.raw4raters", "cac.raw5obser", "cac.ben.gerry", "cac.raw.g1g2", "cac.raw.gender")
TWO_OR_MORE = ("cac.raw5obser", "cac.raw.gender")
TABLES = ("cont3x3abstractors", "cont4x4diagnosis")


def chosen(oracles_dir, file, dataset, *needed):
    """The rows of a data set that R could compute."""
    return [r for r in rows(oracles_dir / file) if r["dataset"] == dataset and "NA" not in [r[c] for c in needed]]


def name(row):
    return IRRCAC[row["coef"].removesuffix(".raw").removesuffix(".table")]


def weights(row):
    return {"unweighted": "identity"}.get(row["weights"], row["weights"])


def pairable(ann):
    counts = [e.n_annotations for e in raters.per_item(ann, "percent")]
    return sum(n for n in counts if n >= 2)


def test_every_row_is_of_a_data_set_tested_here(oracles_dir):
    found = [sum(len(chosen(oracles_dir, "irrcac_raw_R.csv", d, "pa", "pe")) for d in RAW)]
    found.append(sum(len(chosen(oracles_dir, "irrcac_table_R.csv", d, "val")) for d in TABLES))
    assert found == [234, 96]
    assert {r["dataset"] for r in rows(oracles_dir / "irrcac_raw_R.csv")} == set(RAW)
    assert {r["dataset"] for r in rows(oracles_dir / "irrcac_table_R.csv")} == set(TABLES)


@pytest.mark.parametrize("dataset", RAW)
def test_raw(oracles_dir, dataset):
    ask = Folded(raw(oracles_dir / f"{dataset}.csv"))
    for row in chosen(oracles_dir, "irrcac_raw_R.csv", dataset, "pa", "pe"):
        pa, pe = float(row["pa"]), float(row["pe"])
        e = ask(name(row), weights=weights(row), interval="delta", se="gwet")
        what = (row["coef"], row["weights"])
        assert e.value == pytest.approx((pa - pe) / (1 - pe), abs=1e-9), what
        observed, expected = e.observed, e.expected
        if name(row) == "krippendorff":  # irrCAC draws with replacement: an annotation may meet itself
            n = pairable(ask.ann)
            observed, expected = (x * (1 - 1 / n) + 1 / n for x in (observed, expected))
        assert observed == pytest.approx(pa, abs=1e-9), what
        assert expected == pytest.approx(pe, abs=1e-9), what
        assert e.se == pytest.approx(float(row["se"]), abs=5.01e-6), what
        assert within_print((e.low, e.high), row["ci"]), (what, e.low, e.high, row["ci"])


@pytest.mark.parametrize("dataset", TWO_OR_MORE)
def test_plain_delta_is_gwets_where_every_item_has_two_labels(oracles_dir, dataset):
    ann = raw(oracles_dir / f"{dataset}.csv")
    ask = Folded(ann)
    assert ann.per_item[0] >= 2
    for row in chosen(oracles_dir, "irrcac_raw_R.csv", dataset, "pa", "pe"):
        if name(row) == "krippendorff":
            continue
        e = ask(name(row), weights=weights(row), interval="delta")
        assert e.se == pytest.approx(float(row["se"]), abs=5.01e-6), row["coef"]


def test_plain_delta_differs_where_items_are_rated_once(oracles_dir):
    """irrCAC takes the number of items with two labels as given; delta does not (docs/decisions)."""
    ask = Folded(raw(oracles_dir / "cac.raw4raters.csv"))
    plain, gwet = (ask("fleiss", interval="delta", se=se).se for se in (None, "gwet"))
    assert gwet == pytest.approx(0.15302, abs=5.01e-6)
    assert abs(plain - gwet) > 1e-3


@pytest.mark.parametrize("dataset", TABLES)
def test_contingency_tables(oracles_dir, dataset):
    ask = Folded(contingency(oracles_dir / f"{dataset}.csv"))
    for row in chosen(oracles_dir, "irrcac_table_R.csv", dataset, "val"):
        what = (row["coef"], row["weights"])
        e = ask(name(row), weights=weights(row), interval="delta", se="gwet")
        assert e.value == pytest.approx(float(row["val"]), abs=1e-9), what
        assert e.se == pytest.approx(float(row["se"]), abs=1e-9), what
        assert within_print((e.low, e.high), row["ci"]), (what, e.low, e.high, row["ci"])
        if name(row) != "krippendorff":  # irrCAC divides by n for tables, by n - 1 for raw labels
            n = e.n_items
            plain = ask(name(row), weights=weights(row), interval="delta").se
            assert plain * ((n - 1) / n) ** 0.5 == pytest.approx(float(row["se"]), abs=1e-9), what


def within_print(ours, printed):
    """Limits to the three digits printed. irrCAC does not clip below."""
    return all(abs(a - b) <= 5.01e-4 or (a == -1 and b < -1) for a, b in zip(ours, limits(printed), strict=True))
