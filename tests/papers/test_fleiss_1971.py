"""Fleiss (1971), Psychological Bulletin 76, 378-382: thirty patients, six raters, five diagnoses."""

import pytest
from tables import Folded, same

import raters
from raters import examples

N, R = 30, 6


@pytest.fixture(scope="module")
def ann():
    return examples.fleiss_1971()


def test_kappa(ann):
    e = Folded(ann)("fleiss", interval=None)
    assert same(e.observed, ".5556") and same(e.value, ".430")
    assert e.expected == pytest.approx(0.2199383, abs=1e-7)


def counts():
    """(label): the counts of a label on each patient."""
    rows = examples.matrix(examples.FLEISS_1971)
    return [[row.count(k) for row in rows] for k in range(1, 6)]


def test_expected_agreement_as_printed_is_of_shares_rounded_to_three_digits():
    shares = [round(sum(c) / (N * R), 3) for c in counts()]
    assert shares == [0.144, 0.144, 0.167, 0.306, 0.239]
    assert same(sum(p * p for p in shares), ".2201")


def test_per_label_as_r_prints_it(ann):
    ours = [e.value for e in raters.per_label(ann, "fleiss", interval=None)]
    assert [round(v, 3) for v in ours] == [0.245, 0.245, 0.520, 0.471, 0.566]


def test_per_label_as_the_paper_prints_it_is_of_rounded_parts(ann):
    ours = [e.value for e in raters.per_label(ann, "fleiss", interval=None)]
    for mine, theirs, c in zip(ours, (0.248, 0.248, 0.517, 0.470, 0.565), counts(), strict=True):
        p = round(sum(c) / (N * R), 3)
        again = round((sum(x * x for x in c) - N * R * p) / (N * R * p * (R - 1)), 3)  # P(second rater says so too)
        assert (again - p) / (1 - p) == pytest.approx(theirs, abs=6e-4)
        assert mine == pytest.approx(theirs, abs=3.5e-3)


def test_kappa_is_the_mean_of_its_categories_weighted_by_p_q(ann):
    each = raters.per_label(ann, "fleiss", interval=None)
    weight = [(sum(c) / (N * R)) * (1 - sum(c) / (N * R)) for c in counts()]
    mean = sum(w * e.value for w, e in zip(weight, each, strict=True)) / sum(weight)
    assert mean == pytest.approx(raters.agreement(ann, "fleiss", interval=None).value, abs=1e-14)
