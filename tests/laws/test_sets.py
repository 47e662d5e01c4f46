"""Laws of the measures on sets: single labels give the coefficients of single labels, and raters may change places."""

import numpy as np
import pytest
from coded_sets import KAPPAS, table
from hypothesis import given, settings
from hypothesis import strategies as st

import raters
from raters.io.read import read
from raters.reliability.sets.multilabel import multilabel


def single(seed: int, n_raters: int = 2, missing: float = 0.0) -> list[tuple[int, str, str]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 40)
    return [
        (i, f"r{j}", "ABC"[truth[i] if rng.random() < 0.7 else rng.integers(0, 3)])
        for i in range(40)
        for j in range(n_raters)
        if rng.random() >= missing
    ]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_single_labels_give_cohen_and_scott(missing: float) -> None:
    rows = single(1, missing=missing)
    plain, found = (
        read(rows, scale="nominal"),
        multilabel(read([(i, r, [k]) for i, r, k in rows], scale="sets"), interval="delta"),
    )
    cohen = raters.agreement(plain, "cohen", interval="delta")
    for name in KAPPAS:
        for part in ("value", "observed", "expected", "se"):
            assert getattr(found[name], part) == pytest.approx(getattr(cohen, part), rel=1e-9), (name, part)
    assert found.baseline is not None and found.baseline.value == pytest.approx(cohen.value)
    if not missing:
        for e in found.pooled:
            assert e.value == pytest.approx(raters.agreement(plain, "scott", interval=None).value)


def test_single_labels_of_more_coders_give_light_and_fleiss() -> None:
    rows = single(2, n_raters=4)
    plain, found = (
        read(rows, scale="nominal"),
        multilabel(read([(i, r, [k]) for i, r, k in rows], scale="sets"), interval="delta"),
    )
    light = raters.agreement(plain, "light", interval="delta")
    for name in KAPPAS:
        assert (found[name].value, found[name].se) == (pytest.approx(light.value), pytest.approx(light.se, rel=1e-9))
    for e in found.pooled:
        assert e.value == pytest.approx(raters.agreement(plain, "fleiss", interval=None).value)
    alpha = raters.agreement(plain, interval=None).value
    assert found["alpha_masi"].value == pytest.approx(alpha) == found["alpha_jaccard"].value


SETS = st.lists(st.tuples(*[st.frozensets(st.sampled_from("ABCD"))] * 2), min_size=3, max_size=12)


@settings(max_examples=8)
@given(SETS)
def test_turning_coders_around(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    ann = table(pairs, labels=list("ABCD"))
    one, two = (multilabel(ann, who=c, interval=None) for c in (["c1", "c2"], ["c2", "c1"]))
    turn = {"boot_precision": "boot_recall", "boot_recall": "boot_precision"}
    for e in one:
        other = two[turn.get(e.name, e.name)]
        assert (e.value, e.observed, e.expected) == pytest.approx(
            (other.value, other.observed, other.expected), nan_ok=True
        )
        assert e.observed <= 1 + 1e-12 or e.parts == "disagreement"
    # renaming labels changes nothing
    renamed = table([tuple({"A": "z", "B": "y", "C": "x", "D": "w"}[k] for k in s) for s in row] for row in pairs)
    for e, other in zip(one, multilabel(renamed, interval=None), strict=True):
        assert e.value == pytest.approx(other.value, nan_ok=True, abs=1e-12)


def test_equal_sets_agree_fully() -> None:
    found = multilabel(table([("A", "A"), ("AB", "AB"), ("", ""), ("C", "C")]), interval=None)
    assert all(e.value == pytest.approx(1) for e in found if e.name != "augmented")
    assert found["augmented"].observed == pytest.approx(3.5 / 4)  # the paper: it always penalises double labels
