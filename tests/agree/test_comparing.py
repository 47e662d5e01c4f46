"""Differences: the same figures as the two estimates, the variance of a paired difference, p."""

from dataclasses import replace

import numpy as np
import pytest

import raters
from raters.notes.note import Note


def make(n, accuracy, seed, first=0, raters_=4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    rows = []
    for i in range(n):
        for j in range(raters_):
            if rng.random() < 0.85:
                label = int(truth[i]) if rng.random() < accuracy else int(rng.integers(0, 3))
                rows.append((f"i{i + first}", f"r{j}", label))
    return rows


def table(rows, scale="nominal"):
    return raters.read(rows, scale=scale, labels=[0, 1, 2])


def without(rows, item):
    return [r for r in rows if r[0] != item]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("coefficient", ["krippendorff", "fleiss", "conger"])
def test_paired_jackknife_by_brute_force(scale, coefficient):
    a, b = make(9, 0.8, 0), make(9, 0.6, 1, first=3)  # 6 of 12 items shared
    got = raters.compare(table(a, scale), table(b, scale), coefficient, interval="jackknife")

    def value(rows):
        return raters.agreement(table(rows, scale), coefficient, interval=None).value

    items = sorted({r[0] for r in a + b})
    left = np.array([value(without(a, i)) - value(without(b, i)) for i in items])
    assert got.paired and got.n_shared == 6
    assert float(got) == pytest.approx(value(a) - value(b), rel=1e-12)
    assert got.difference.se == pytest.approx(np.sqrt(11 / 12 * ((left - left.mean()) ** 2).sum()), rel=1e-9)


def test_methods_agree_on_large_data():
    a, b = table(make(2000, 0.75, 2)), table(make(2000, 0.7, 3))
    se = [raters.compare(a, b, interval=how).difference.se for how in ("bootstrap", "delta", "jackknife")]
    assert se[1] == pytest.approx(se[2], rel=0.01)
    assert se[0] == pytest.approx(se[1], rel=0.1)


def test_pairing_tells_more_than_two_separate_samples():
    rows = make(400, 0.7, 4)
    rng = np.random.default_rng(0)
    better = [(i, r, v if rng.random() < 0.95 else 0) for i, r, v in rows]
    paired = raters.compare(table(rows), table(better), interval="delta")
    apart = raters.compare(table(rows), table([(f"x{i}", r, v) for i, r, v in better]), interval="delta")
    assert paired.paired and not apart.paired and apart.n_shared == 0
    assert float(paired) == pytest.approx(float(apart), rel=1e-12)
    assert paired.difference.se < 0.7 * apart.difference.se
    assert apart.difference.se == pytest.approx(np.hypot(apart.first.se, apart.second.se), rel=1e-9)
    assert paired.p < apart.p


def test_nothing_differs_from_itself_and_the_sign_turns():
    a, b = table(make(60, 0.8, 5)), table(make(60, 0.5, 6))
    same = raters.compare(a, a)
    assert float(same) == 0 and same.p == 1
    one, other = raters.compare(a, b, interval="delta"), raters.compare(b, a, interval="delta")
    assert float(one) == pytest.approx(-float(other), rel=1e-12)
    assert (one.difference.low, one.p) == pytest.approx((-other.difference.high, other.p), rel=1e-9)


def test_two_coefficients_of_one_table():
    ann = table(make(80, 0.7, 7))
    got = raters.compare(ann, coefficient="fleiss", other_coefficient="conger")
    values = [raters.agreement(ann, c, interval=None).value for c in ("fleiss", "conger")]
    assert float(got) == pytest.approx(values[0] - values[1], abs=1e-12)
    assert got.paired and got.difference.low <= float(got) <= got.difference.high


def test_two_values_of_a_column_are_two_tables():
    rows = [(*r, "news") for r in make(50, 0.9, 8)] + [(*r, "sport") for r in make(50, 0.5, 9, first=100)]
    names = ("item", "rater", "label", "topic")
    ann = raters.read([dict(zip(names, r, strict=True)) for r in rows], scale="nominal")
    got = raters.compare(ann, between="topic", values=("news", "sport"), interval="delta")
    parts = raters.agreement(ann, by="topic", interval="delta")
    assert float(got) == pytest.approx(parts["news"].value - parts["sport"].value, abs=1e-12)
    assert not got.paired and got.p < 0.001
    with pytest.raises(raters.UsageError, match="two values of 'topic'"):
        raters.compare(ann, between="topic", values=("news", "weather"))


def test_p_is_uniform_where_nothing_differs():
    """The share of p below .2 over many pairs of equal crowds is about a fifth."""
    rows = [(*r, f"set {seed}") for seed in range(80) for r in make(60, 0.7, 1000 + seed, first=1000 * seed, raters_=3)]
    names = ("item", "rater", "label", "set")
    ann = raters.read([dict(zip(names, r, strict=True)) for r in rows], scale="nominal")
    tables = raters.agreement(ann, by="set", interval="delta")
    z = np.array([(a.value - b.value) / np.hypot(a.se, b.se) for a, b in zip(tables[::2], tables[1::2], strict=True)])
    one = raters.compare(ann, between="set", values=("set 0", "set 1"), interval="delta")
    assert one.difference.value / one.difference.se == pytest.approx(z[0], rel=1e-9)
    # |z| > 1.28 for a fifth of the pairs, give or take three standard errors
    assert 0.01 < np.mean(np.abs(z) > 1.2816) < 0.39


def test_needs_something_to_compare():
    ann = table(make(10, 0.8, 1))
    with pytest.raises(raters.UsageError, match="second table, other_coefficient="):
        raters.compare(ann)
    with pytest.raises(raters.UsageError, match="different scales"):
        raters.compare(
            replace(ann, scale_from=Note("scale_given")), replace(ann, scale="interval", scale_from=Note("scale_given"))
        )


def test_the_least_p_of_replicates_is_said_as_a_limit():
    """1,000 replicates of 1,000 on one side of zero show a p of at most 2 / 1,001, and not a p of that size."""
    apart = table(make(60, 1.0, 1)), table(make(60, 0.2, 2))
    for method in ("auto", "bootstrap"):
        found = raters.compare(*apart, interval=method, resamples=1000)
        assert found.p == pytest.approx(2 / 1001) and found.p_text == "p <= 0.002"
        assert "p <= 0.002" in repr(found) and "p <= 0.002" in str(found)
    computed = raters.compare(*apart, interval="jackknife")
    assert computed.p < 2 / 1001 and computed.p_text == f"p = {computed.p:.3g}"
    same = raters.compare(apart[0], table(make(60, 0.97, 3)), resamples=1000)
    assert same.p > 0.01 and same.p_text == f"p = {same.p:.3g}"


def test_a_small_study_that_agrees_by_luck_is_no_evidence():
    """30 items without a disagreement on a rare label, beside 100 with some: the small study's error is not only its
    own, which made the null hypothesis fail in up to 11 % of tables.
    """
    from raters.inference.differences import _common

    class Study:
        def __init__(self, n: int) -> None:
            self.weight = np.ones(n)

    assert _common([0.1, 0.1], [Study(50), Study(50)]) == [0.1, 0.1]
    assert _common([0.0, 0.1], [Study(25), Study(100)])[0] == pytest.approx(0.1 * 2 * np.sqrt(0.75))
    assert _common([0.1, 0.0], [Study(100), Study(25)])[0] == 0.1
    assert _common([0.9, 0.1], [Study(25), Study(100)]) == [0.9, 0.1]
