"""Is the multiply rated part like the rest? An exact test, and silence where there is too little."""

import numpy as np
import pytest

import raters
from raters.reliability.planning.subset import compare_subset


def several_and_one(rng, several=150, one=150, rates=(0.4, 0.4), labels=2, column=None):
    """Rows of items with three labels and items with one; ``rates``: of label 1 in each part."""
    rows = []
    for i in range(several + one):
        p = np.clip(rng.beta(2, 3) + rates[i >= several] - 0.4, 0, 1)
        for j in range(3 if i < several else 1):
            label = int(rng.random() < p) if labels == 2 else int(rng.integers(labels))
            rows.append({"item": i, "rater": j, "label": label, "source": column(i) if column else rng.integers(2)})
    return raters.read(rows, scale="nominal")


def test_the_multiply_rated_part():
    rng = np.random.default_rng(2)
    unlike = several_and_one(rng, rates=(0.3, 0.6), column=lambda i: "ab"[i < 150])
    answer = raters.plan(unlike, resamples=200)
    assert answer["several v. one: labels"].details["p"] < 0.001
    assert answer["several v. one: column 'source'"].details["p"] < 0.001
    assert any("differ from" in s for s in answer.sentences)


@pytest.mark.parametrize(("several", "one", "labels"), [(60, 8, 2), (20, 60, 4), (100, 100, 3)])
@pytest.mark.long("null rate")
def test_at_most_five_in_a_hundred_like_tables_are_called_unlike(several, one, labels):
    rng = np.random.default_rng(several)
    tables = [several_and_one(rng, several, one, labels=labels) for _ in range(60)]
    called = sum(any("differ from" in e.title for e in compare_subset(ann, seed)) for seed, ann in enumerate(tables))
    assert called <= 7  # 3 are expected of 60 at 5 %; more than 7 come in 1 of 100 such runs


def test_silence_where_there_is_too_little():
    rng = np.random.default_rng(5)
    for one in (1, 2, 4):
        assert not compare_subset(several_and_one(rng, 40, one, labels=4))


def test_numbers_are_compared_by_their_means():
    rng = np.random.default_rng(1)

    def ask(shift):
        rows = [
            (i, j, float(rng.normal(rng.normal(), 1) + shift * (i >= 60)))
            for i in range(100)
            for j in range(2 if i < 60 else 1)
        ]
        return compare_subset(raters.read(rows, scale="interval"))[0]

    assert ask(3.0).details["p"] < 0.01 and ask(3.0).value == pytest.approx(-3, abs=1)
    assert sum(ask(0.0).details["p"] < 0.05 for _ in range(40)) <= 6


def test_against_fisher():
    """Two values of a column, one for each item: the exact test of a fourfold table."""
    from scipy.stats import fisher_exact

    rng = np.random.default_rng(3)
    ann = several_and_one(rng, 30, 12, labels=5, column=lambda i: int(i < 22 or i > 38))
    found = next(e for e in compare_subset(ann) if "source" in e.name)
    exact = fisher_exact([[22, 8], [3, 9]]).pvalue
    assert found.details["p_alone"] == pytest.approx(exact, abs=0.02)
    assert found.details["p"] == pytest.approx(min(1, 2 * found.details["p_alone"]), abs=1e-9)
