"""Error rates of checked samples: exact limits by two roads, sizes, strata, sheets."""

import numpy as np
import pytest
from scipy import stats

import raters
from raters.reliability.planning.checked_sample import finite_limits, sample_size, sheet_of


def test_figures_of_scipy_and_statsmodels():
    found = raters.check(errors=3, checked=100)
    e = found[0]
    assert (e.value, e.low, e.high) == pytest.approx((0.03, 0.006229971538306395, 0.08517605297428002))
    assert found.bound == pytest.approx(0.07571079374983004)
    finite = raters.check(errors=3, checked=100, population=500)[0]
    assert (finite.low, finite.high) == (0.008, 0.078)
    strata = raters.check(errors=[2, 0, 5], checked=[60, 40, 50], population=[800, 150, 50])[0]
    assert (strata.value, strata.low, strata.high) == pytest.approx(
        (0.03166666666666667, 0.008013630060284913, 0.0988037573830105)
    )


@pytest.mark.parametrize(("at_most", "sizes"), [(0.05, 59), (0.02, 149), (0.01, 299)])
def test_sample_sizes_of_the_rule_of_three(at_most, sizes):
    assert sample_size(at_most) == sizes == int(np.ceil(np.log(0.05) / np.log(1 - at_most)))
    for c in (0, 1, 2, 3):
        n = sample_size(at_most, c)
        assert stats.binom.cdf(c, n, at_most) <= 0.05 < stats.binom.cdf(c, n - 1, at_most)


def test_limits_of_a_finite_population_are_the_tails_of_the_hypergeometric():
    low, high = finite_limits(2, 30, 90)
    m = np.arange(91)
    ok = (stats.hypergeom.sf(1, 90, m, 30) > 0.025) & (stats.hypergeom.cdf(2, 90, m, 30) > 0.025)
    assert (low, high) == (m[ok].min() / 90, m[ok].max() / 90)


def test_limits_cover_at_least_as_stated():
    for n, p in ((20, 0.02), (60, 0.1), (149, 0.02)):
        x = np.arange(n + 1)
        e = [raters.check(errors=int(k), checked=n)[0] for k in x]
        inside = np.array([r.low <= p <= r.high for r in e])
        assert stats.binom.pmf(x, n, p)[inside].sum() >= 0.95
    rng, held = np.random.default_rng(1), 0
    sizes, rates, n = np.array([800, 150, 50]), np.array([0.02, 0.05, 0.2]), [60, 40, 40]
    for _ in range(300):
        wrong = [
            int(rng.hypergeometric(int(s * r), s - int(s * r), k)) for s, r, k in zip(sizes, rates, n, strict=True)
        ]
        r = raters.check(errors=wrong, checked=n, population=sizes.tolist())[0]
        held += r.low <= (sizes * rates).sum() / 1000 <= r.high
    assert held / 300 >= 0.94


def test_a_sheet_is_drawn_filled_in_and_read_back(tmp_path):
    labels = {
        "item": list(range(300)),
        "label": ["ab"[i % 2] for i in range(300)],
        "topic": ["xyz"[i % 3] for i in range(300)],
    }
    sheet = sheet_of(labels, 60, by="topic", seed=4)
    assert [sheet["stratum"].count(s) for s in "xyz"] == [20] * 3 and set(sheet["of"]) == {100}
    assert sheet_of(labels, 60, seed=4) == sheet_of(labels, 60, seed=4) != sheet_of(labels, 60, seed=5)
    sheet["answer"] = ["a" if i < 30 else "" for i in range(60)]
    path = tmp_path / "sheet.csv"
    path.write_text(
        "\n".join([",".join(sheet), *(",".join(map(str, row)) for row in zip(*sheet.values(), strict=True))]) + "\n"
    )
    found = raters.check(path)
    assert found[0].n_annotations == 30 and found[0].details["errors"] == sum(x == "b" for x in sheet["label"][:30])
    assert np.isnan(found[0].value) and "nothing was checked of 'z'" in found.sentence


def test_the_sheet_has_the_texts_and_small_strata_whole():
    labels = {"id": [f"{i:03}" for i in range(100)], "text": [f"text {i}" for i in range(100)], "n": list(range(100)),
              "label": ["ab"[i % 2] for i in range(100)], "topic": ["x" if i < 5 else "y" for i in range(100)]}  # fmt: skip
    sheet = sheet_of(labels, 30, by="topic")
    assert list(sheet) == ["item", "text", "answer", "label", "stratum", "of"]
    assert sheet["stratum"].count("x") == 5 and len(sheet["item"]) == 30
    assert all(f"text {int(i)}" == t for i, t in zip(sheet["item"], sheet["text"], strict=True))


def test_a_sheet_as_spreadsheets_save_it():
    """Capitals, blanks, the mark before + and -, empty rows below: none of them is an error of the data."""
    rows = {"answer": ["Yes ", "no", "'+", "+", 1.0, None, None], "label": ["yes", "No", "+", "'+", "1", "yes", None]}
    found = raters.check({"item": list(range(7)), **rows, "of": [500] * 6 + [None]})
    assert (found[0].details["errors"], found[0].n_annotations, found[0].n_items) == (0, 5, 500) and not found.notes
    strata = raters.check({**rows, "stratum": ["s"] * 3 + ["t"] * 3 + [None], "of": [9, 9, 9, 8, 8, 8, None]})
    assert [e.name for e in strata] == ["all", "s", "t"]
    cased = raters.check({"answer": ["No", "no", "x"], "label": ["no", "No", "no"]})
    assert cased[0].details["errors"] == 3 and "no label in the sheet count as corrections: 'x'" in str(cased)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"errors": 1, "checked": 9, "at_most": 5}, "at_most=5 is not a share"),
        ({}, "pass a completed sheet, or errors= and checked="),
        ({"errors": 5, "checked": 3}, "5 errors among 3 checked"),
        ({"errors": [1, 2], "checked": [9]}, "one number for each stratum"),
        ({"errors": [1, 2], "checked": [9, 9]}, "sizes of the strata are unknown"),
        ({"sheet": {"item": [1], "answer": [""], "label": ["a"]}}, "no answers yet"),
        ({"sheet": {"item": [1]}}, "no columns 'answer' and 'label'"),
    ],
)
def test_one_clear_line(options, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.check(**options)


def test_several_labels_of_an_item_are_not_a_finished_data_set():
    with pytest.raises(raters.DataError, match="several labels"):
        sheet_of({"item": [1, 1, 2], "label": ["a", "b", "a"]}, 2)
